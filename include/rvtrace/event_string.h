/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strings that software emitted in events, XLEN / 8 characters at a time, up to a NUL; what was
 * written to the kernel's STM class as identifiers tell it, up to a packet FLAG: there NUL is a
 * character as any other.
 */
#ifndef RVTRACE_EVENT_STRING_H
#define RVTRACE_EVENT_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/event.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_EVENT_STRING_MAX	1023	/* characters; longer ones come in parts */
#define RVTRACE_EVENT_STRINGS_MAX	1024	/* under way at the same time */

/**
 * struct rvtrace_event_string - a string
 * @text: its characters, and a NUL; valid until the next call
 * @length: characters
 * @incomplete: its beginning may be missing, as events were lost, or its end, or values of events
 *	in it
 * @more: it was too long: the next one goes on
 */
struct rvtrace_event_string {
	const char *text;
	size_t length;
	bool incomplete;
	bool more;
};

struct rvtrace_event_strings;

/**
 * rvtrace_event_strings_new() - nothing under way
 * @stm_class: identifiers of the kernel's STM class are those: the trace is one of Linux
 *
 * Return: the strings, rvtrace_event_strings_free() them; NULL without memory.
 */
struct rvtrace_event_strings *rvtrace_event_strings_new(bool stm_class);

/**
 * rvtrace_event_strings_free() - free the strings, those under way and the last one
 * @strings: the strings; NULL: nothing is done
 */
void rvtrace_event_strings_free(struct rvtrace_event_strings *strings);

/**
 * rvtrace_event_strings_add() - the next characters
 * @strings: the strings
 * @event: has them in its value, the first one in the lowest byte
 * @tid: thread whose event it is, as the recording tells; 0 or less: it does not
 * @string: filled with what is complete
 *
 * Events of one identifier belong together if they came from one thread, where that is known (as
 * the trace says it, else by @tid), else from one hart; what came from stimulus registers, from one
 * of them. Of more than RVTRACE_EVENT_STRINGS_MAX strings that which went on longest ago is dropped,
 * and those that begin later may lack their beginning.
 *
 * Return: 1 a string is complete, 0 it goes on, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_event_strings_add(struct rvtrace_event_strings *strings,
			      const struct rvtrace_event *event, int32_t tid,
			      struct rvtrace_event_string *string);

/**
 * rvtrace_event_strings_end() - nothing follows: what is under way, one string after the other
 * @strings: the strings
 * @last: filled with the event that it went on with
 * @string: filled with what there is of that which waits for its end longest; it is incomplete
 *
 * Return: 1, or 0 if there is none.
 */
int rvtrace_event_strings_end(struct rvtrace_event_strings *strings, struct rvtrace_event *last,
			      struct rvtrace_event_string *string);

/**
 * rvtrace_event_strings_lost() - events were lost
 * @strings: the strings
 *
 * Strings under way may lack what was lost, and which began behind it may lack their beginning:
 * the first one of each identifier and origin is incomplete.
 */
void rvtrace_event_strings_lost(struct rvtrace_event_strings *strings);

/**
 * rvtrace_event_strings_dropped() - strings that there was no room for
 * @strings: the strings
 *
 * Return: how many.
 */
uint64_t rvtrace_event_strings_dropped(const struct rvtrace_event_strings *strings);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_STRING_H */
