/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strings that software emitted in events, XLEN / 8 characters at a time, up to a NUL. A string
 * written to the kernel's STM class, which identifiers show, ends at a packet FLAG; NUL is an
 * ordinary character in it.
 */
#ifndef RVTRACE_EVENT_STRING_H
#define RVTRACE_EVENT_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/event.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_EVENT_STRING_MAX	1023	/* characters; longer strings come in parts */
#define RVTRACE_EVENT_STRINGS_MAX	1024	/* incomplete at the same time */

/**
 * struct rvtrace_event_string - a string
 * @text: its characters, and a NUL; valid until the next call
 * @length: characters
 * @incomplete: its beginning or its end may be missing, or values of events within it, because
 *	events were lost
 * @more: the string is longer; the next one continues it
 */
struct rvtrace_event_string {
	const char *text;
	size_t length;
	bool incomplete;
	bool more;
};

struct rvtrace_event_strings;

/**
 * rvtrace_event_strings_new() - create an empty collection
 * @stm_class: the trace is from Linux, so it uses the identifiers of the kernel's STM class
 *
 * Return: the strings; free them with rvtrace_event_strings_free(). NULL without memory.
 */
struct rvtrace_event_strings *rvtrace_event_strings_new(bool stm_class);

/**
 * rvtrace_event_strings_free() - free the strings, incomplete ones and the last one included
 * @strings: the strings, or NULL (no effect)
 */
void rvtrace_event_strings_free(struct rvtrace_event_strings *strings);

/**
 * rvtrace_event_strings_add() - add the next characters
 * @strings: the strings
 * @event: has the characters in its value, the first one in the lowest byte
 * @tid: thread of the event according to the recording; 0 or less: unknown
 * @string: filled with a complete string
 *
 * Events of one identifier belong together if they are from one thread. The trace determines the
 * thread, else @tid. If the thread is unknown, events from one hart belong together. Events from
 * stimulus registers must also be from one register. Of more than RVTRACE_EVENT_STRINGS_MAX
 * strings, the one that was continued least recently is dropped, and strings that begin later may
 * lack their beginning.
 *
 * Return: 1 a string is complete, 0 it continues, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_event_strings_add(struct rvtrace_event_strings *strings,
			      const struct rvtrace_event *event, int32_t tid,
			      struct rvtrace_event_string *string);

/**
 * rvtrace_event_strings_end() - end of the events: get the incomplete strings one after another
 * @strings: the strings
 * @last: filled with the last event of the string
 * @string: filled with the incomplete string that was continued least recently
 *
 * Return: 1 a string, 0 no more strings.
 */
int rvtrace_event_strings_end(struct rvtrace_event_strings *strings, struct rvtrace_event *last,
			      struct rvtrace_event_string *string);

/**
 * rvtrace_event_strings_lost() - report that events were lost
 * @strings: the strings
 *
 * Incomplete strings may lack lost events. Strings that began after the loss may lack their
 * beginning: the first string of each identifier and origin is incomplete.
 */
void rvtrace_event_strings_lost(struct rvtrace_event_strings *strings);

/**
 * rvtrace_event_strings_dropped() - count the strings dropped for lack of room
 * @strings: the strings
 *
 * Return: the number of strings.
 */
uint64_t rvtrace_event_strings_dropped(const struct rvtrace_event_strings *strings);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_STRING_H */
