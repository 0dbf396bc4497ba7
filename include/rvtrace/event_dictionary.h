/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Meaning of the identifiers of software trace events: those of the specification, and those that
 * files define (docs/formats.md, "Dictionary of software trace events").
 */
#ifndef RVTRACE_EVENT_DICTIONARY_H
#define RVTRACE_EVENT_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_EVENT_NAME_MAX		63	/* characters */
#define RVTRACE_EVENT_FORMAT_MAX	255	/* characters */
#define RVTRACE_EVENT_TEXT_MAX		1024	/* bytes of formatted text, NUL included */
#define RVTRACE_EVENT_PROGRAM_MAX	15	/* characters, as in the name of a task */

/* Meaning of the value. */
enum rvtrace_event_kind {
	RVTRACE_EVENT_KIND_EVENT,
	RVTRACE_EVENT_KIND_COUNTER,
	RVTRACE_EVENT_KIND_CHARACTER,
	RVTRACE_EVENT_KIND_STRING,	/* a part of a string */
	RVTRACE_EVENT_KIND_PAIR,	/* begin: this identifier, end: the next one */
	RVTRACE_EVENT_KIND_NAME,	/* part of the name of a thread */
	RVTRACE_EVENT_KIND_SWITCH,	/* a thread */
};

/**
 * struct rvtrace_event_entry - meaning of an identifier
 * @index: its number, from 0
 * @program: program that the entry is for, NULL: every program
 * @name: name of the event
 * @format: format of its value, see rvtrace_event_format(); NULL: none was given
 * @id: the identifier; for a pair, that of its begin
 * @kind: enum rvtrace_event_kind
 */
struct rvtrace_event_entry {
	size_t index;
	const char *program;
	const char *name;
	const char *format;
	uint16_t id;
	uint8_t kind;
};

struct rvtrace_event_dictionary;

/**
 * rvtrace_event_dictionary_new() - create a dictionary with the entries of the specification
 * @thread_switch: identifier of THREAD_SWITCH, 0: 0x8000
 * @stm_class: the trace is from Linux, so it uses the identifiers of the kernel's STM class
 *
 * Return: the dictionary; free it with rvtrace_event_dictionary_free(). NULL without memory.
 */
struct rvtrace_event_dictionary *rvtrace_event_dictionary_new(uint16_t thread_switch,
							      bool stm_class);

/**
 * rvtrace_event_dictionary_free() - free a dictionary and its entries
 * @dictionary: the dictionary, or NULL (no effect)
 */
void rvtrace_event_dictionary_free(struct rvtrace_event_dictionary *dictionary);

/**
 * rvtrace_event_dictionary_load() - add the entries of a file
 * @dictionary: the dictionary
 * @path: the file
 * @error: filled on failure, may be NULL; its text names file and event
 *
 * A file cannot redefine THREAD_NAME and THREAD_SWITCH, nor an identifier that another file defined
 * for the same program, or for every program. On failure, nothing is added.
 *
 * Return: 0, -EBADMSG, -ENOMEM, or the errno of opening or reading the file.
 */
int rvtrace_event_dictionary_load(struct rvtrace_event_dictionary *dictionary, const char *path,
				  struct rvtrace_failure *error);

/**
 * rvtrace_event_dictionary_parse() - add the entries of a text
 * @dictionary: the dictionary
 * @text: contents of a file
 * @name: name of the text in error texts
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rvtrace_event_dictionary_parse(struct rvtrace_event_dictionary *dictionary, const char *text,
				   const char *name, struct rvtrace_failure *error);

/**
 * rvtrace_event_dictionary_find() - find the meaning of an identifier
 * @dictionary: the dictionary
 * @program: name of the program that emitted it, NULL: unknown
 * @id: the identifier
 *
 * The order of precedence is: entries of files for the program, entries of files for every program,
 * entries of the specification.
 *
 * Return: the entry, owned by the dictionary; NULL if the identifier has none. The end of a pair
 * has the entry of the pair.
 */
const struct rvtrace_event_entry *
rvtrace_event_dictionary_find(const struct rvtrace_event_dictionary *dictionary,
			      const char *program, uint16_t id);

/**
 * rvtrace_event_dictionary_get() - enumerate the entries
 * @dictionary: the dictionary
 * @index: from 0
 *
 * Return: the entry; NULL after the last one.
 */
const struct rvtrace_event_entry *
rvtrace_event_dictionary_get(const struct rvtrace_event_dictionary *dictionary, size_t index);

/**
 * rvtrace_event_kind_name() - name of a kind, as in files
 * @kind: enum rvtrace_event_kind
 *
 * Return: a static string.
 */
const char *rvtrace_event_kind_name(unsigned int kind);

/**
 * rvtrace_event_format_check() - check a format
 * @format: text with conversions of printf(), each of the same value: %d %i (signed, of
 *	the width of the value) %u %x %X %o %c (a byte; a dot if it cannot be printed) %%,
 *	with flags of "-+ #0", a width and, except for %c, a precision, each at most 64
 *
 * Return: NULL if it is valid, else a text with the reason.
 */
const char *rvtrace_event_format_check(const char *format);

/**
 * rvtrace_event_format() - format a value
 * @format: a format that passed the check
 * @value: the value
 * @width: its bits, 16, 32 or 64
 * @text: filled with the text
 *
 * Text that is too long is cut.
 */
void rvtrace_event_format(const char *format, uint64_t value, unsigned int width,
			  char text[RVTRACE_EVENT_TEXT_MAX]);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_DICTIONARY_H */
