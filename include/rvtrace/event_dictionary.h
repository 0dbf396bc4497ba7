/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What identifiers of software trace events mean: those of the specification, and those that files
 * tell of (docs/formats.md, "Dictionary of software trace events").
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
#define RVTRACE_EVENT_TEXT_MAX		1024	/* that a format makes, with a NUL */
#define RVTRACE_EVENT_PROGRAM_MAX	15	/* characters, as of the name of a task */

/* What the value is. */
enum rvtrace_event_kind {
	RVTRACE_EVENT_KIND_EVENT,
	RVTRACE_EVENT_KIND_COUNTER,
	RVTRACE_EVENT_KIND_CHARACTER,
	RVTRACE_EVENT_KIND_STRING,	/* a part of one */
	RVTRACE_EVENT_KIND_PAIR,	/* the identifier, and the next one */
	RVTRACE_EVENT_KIND_NAME,	/* part of the name of a thread */
	RVTRACE_EVENT_KIND_SWITCH,	/* a thread */
};

/**
 * struct rvtrace_event_entry - what an identifier means
 * @index: its number, from 0
 * @program: whose it is, NULL: everybody's
 * @name: of the event
 * @format: of its value: rvtrace_event_format(); NULL: none was given
 * @id: the identifier; of a pair that of its begin
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
 * rvtrace_event_dictionary_new() - what the specification says
 * @thread_switch: identifier of THREAD_SWITCH, 0: 0x8000
 * @stm_class: identifiers of the kernel's STM class are those: the trace is one of Linux
 *
 * Return: the dictionary, rvtrace_event_dictionary_free() it; NULL without memory.
 */
struct rvtrace_event_dictionary *rvtrace_event_dictionary_new(uint16_t thread_switch,
							      bool stm_class);

/**
 * rvtrace_event_dictionary_free() - free a dictionary and its entries
 * @dictionary: the dictionary; NULL: nothing is done
 */
void rvtrace_event_dictionary_free(struct rvtrace_event_dictionary *dictionary);

/**
 * rvtrace_event_dictionary_load() - add what a file tells
 * @dictionary: the dictionary
 * @path: the file
 * @error: filled on failure, may be NULL; its text names file and event
 *
 * THREAD_NAME and THREAD_SWITCH cannot be redefined, nor an identifier that another file gave to
 * the same program, or to everybody. Where it fails nothing is added.
 *
 * Return: 0, -EBADMSG, -ENOMEM, or why the file cannot be read.
 */
int rvtrace_event_dictionary_load(struct rvtrace_event_dictionary *dictionary, const char *path,
				  struct rvtrace_failure *error);

/**
 * rvtrace_event_dictionary_parse() - the same from text
 * @dictionary: the dictionary
 * @text: what a file has
 * @name: what error texts call it
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rvtrace_event_dictionary_parse(struct rvtrace_event_dictionary *dictionary, const char *text,
				   const char *name, struct rvtrace_failure *error);

/**
 * rvtrace_event_dictionary_find() - what an identifier means
 * @dictionary: the dictionary
 * @program: name of the program that emitted it, NULL: not known
 * @id: the identifier
 *
 * What a file says of the program comes first, then what files say of everybody's, then what the
 * specification says.
 *
 * Return: the entry, which belongs to the dictionary; NULL if nothing is known. Of the end of a
 * pair it is that of the pair.
 */
const struct rvtrace_event_entry *
rvtrace_event_dictionary_find(const struct rvtrace_event_dictionary *dictionary,
			      const char *program, uint16_t id);

/**
 * rvtrace_event_dictionary_get() - one after the other
 * @dictionary: the dictionary
 * @index: from 0
 *
 * Return: the entry; NULL when there is no more.
 */
const struct rvtrace_event_entry *
rvtrace_event_dictionary_get(const struct rvtrace_event_dictionary *dictionary, size_t index);

/**
 * rvtrace_event_kind_name() - a kind, as files have it
 * @kind: enum rvtrace_event_kind
 *
 * Return: a static string.
 */
const char *rvtrace_event_kind_name(unsigned int kind);

/**
 * rvtrace_event_format_check() - whether a format can be used
 * @format: text with conversions as printf() has them, each of the same value: %d %i (signed, of
 *	the width of the value) %u %x %X %o %c (a byte; one that cannot be printed is a dot) %%,
 *	with flags of "-+ #0", a width and, but for %c, a precision, each at most 64
 *
 * Return: NULL, or what is wrong with it.
 */
const char *rvtrace_event_format_check(const char *format);

/**
 * rvtrace_event_format() - a value as text
 * @format: a format that passed the check
 * @value: the value
 * @width: its bits, 16, 32 or 64
 * @text: where to put it
 *
 * What does not fit is cut off.
 */
void rvtrace_event_format(const char *format, uint64_t value, unsigned int width,
			  char text[RVTRACE_EVENT_TEXT_MAX]);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_DICTIONARY_H */
