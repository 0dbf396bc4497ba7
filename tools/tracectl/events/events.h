/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl events: options, and what its parts share. */
#ifndef RVTRACE_TRACECTL_EVENTS_H
#define RVTRACE_TRACECTL_EVENTS_H

#include <rvtrace/clock.h>
#include <rvtrace/event.h>
#include <rvtrace/event_dictionary.h>
#include <rvtrace/event_pair.h>
#include <rvtrace/event_string.h>

#include "tools/tracectl/decode/decode_print.h"
#include "tools/tracectl/decode/trace_input.h"
#include "tools/tracectl/out.h"

#define EVENT_IDS		0x10000
#define MAX_DICTIONARIES	16

/**
 * struct follow - of a recording that is still being written
 * @wanted: that is asked for
 * @duration: ns, 0: as long as it is written
 * @end: when that is over, ns of CLOCK_MONOTONIC
 * @notify: tells that files change
 * @watched: it does, of the files of the recording
 * @gone: since when nobody writes it, 0: somebody does
 * @cost: ns, of the last look at the recording
 * @limit: what was written up to then can be printed, ns of CLOCK_MONOTONIC
 * @over: nothing is waited for any more
 * @stopped: because the user wants so
 * @died: because its writer died
 */
struct follow {
	bool wanted;
	uint64_t duration;
	uint64_t end;
	int notify;
	bool watched;
	uint64_t gone;
	uint64_t cost;
	uint64_t limit;
	bool over;
	bool stopped;
	bool died;
};

/**
 * struct event_count - how often an identifier came that means the same
 * @next: another meaning of it, of a program's dictionary
 * @entry: what it means, or NULL
 * @count: how often
 */
struct event_count {
	struct event_count *next;
	const struct rvtrace_event_entry *entry;
	uint64_t count;
};

/**
 * struct events - one run of the verb
 * @input: the trace, filters by hart and time
 * @out: where to print
 * @files: of dictionaries
 * @file_count: how many
 * @dictionary: what they and the specification say
 * @program: whose trace it is, if the trace does not tell; NULL: not given
 * @has_ids: only these identifiers are shown
 * @ids: which
 * @name: only events whose name matches; NULL: all
 * @print: characters alone are printed
 * @summary: totals alone are printed
 * @switches: THREAD_SWITCH is listed, too, though nobody asked for its identifier or name
 * @threads: enum rvtrace_event_threads
 * @thread_switch: identifier of THREAD_SWITCH
 * @reader: of the sink under way
 * @clock: of the sink under way, NULL: not known
 * @strings: parts of those under way
 * @pairs: by the index of their entry; NULL: none yet
 * @names: what threads call themselves, by thread, or by tp where that is not known
 * @counts: of events by identifier
 * @lost: how often events were lost
 * @lost_bytes: of the stream
 * @errors: what could not be read
 * @first_error: the first of that, as text
 * @dropped: strings and pairs, too many of which were under way
 * @follow: how to go on at the end
 */
struct events {
	struct trace_input input;
	struct out out;
	const char *files[MAX_DICTIONARIES];
	size_t file_count;
	struct rvtrace_event_dictionary *dictionary;
	const char *program;
	bool has_ids;
	bool ids[EVENT_IDS];
	const char *name;
	bool print;
	bool summary;
	bool switches;
	uint8_t threads;
	uint16_t thread_switch;
	struct rvtrace_events *reader;
	struct rvtrace_clock *clock;
	struct rvtrace_event_strings *strings;
	struct rvtrace_event_pair **pairs;
	void *names;
	struct event_count *counts[EVENT_IDS];
	uint64_t lost;
	uint64_t lost_bytes;
	uint64_t errors;
	char first_error[512];
	uint64_t dropped;
	struct follow follow;
};

/**
 * struct event_task - whose an event is
 * @pid: process, -1: not known; 0: the kernel's
 * @tid: thread, -1: not known; 0: nobody's, the hart was idle
 * @comm: name of the thread, or of the process; empty: not known
 * @program: name of the process; empty: not known
 */
struct event_task {
	int32_t pid;
	int32_t tid;
	char comm[16];
	char program[16];
};

/**
 * struct event_view - an event, and what is known of it
 * @event: the event
 * @entry: what its identifier means, or NULL
 * @task: whose it is
 * @thread: what its thread calls itself, or NULL
 * @string: which it completes, or NULL
 * @timed: it ends a pair
 * @duration: of the pair, in units of the timestamp
 */
struct event_view {
	const struct rvtrace_event *event;
	const struct rvtrace_event_entry *entry;
	struct event_task task;
	const char *thread;
	const struct rvtrace_event_string *string;
	bool timed;
	uint64_t duration;
};

/* The command line. */
extern const struct argp events_argp;

/* Whose an event of the sink under way is, as far as the recording tells. */
void events_find_task(const struct events *e, const struct rvtrace_event *event,
		      struct event_task *task);

/*
 * What a thread calls itself from now on: 0, -ENOMEM; the thread of an event, NULL if it is not
 * known or did not say.
 */
int events_name_thread(struct events *e, const struct event_view *view, const char *name);
const char *events_thread_name(const struct events *e, const struct event_view *view);
void events_forget_names(struct events *e);

/*
 * A recording that is still being written: waits for it, and opens it; waits for its first bytes,
 * with which all is known that a reader needs; then input_each_chunk() of the first sink, up to
 * the end of the recording, or of waiting. 0 or a negative errno.
 */
int follow_open(struct events *e, struct rvtrace_failure *error);
int follow_begin(struct events *e, struct rvtrace_failure *error);
int follow_each_chunk(struct events *e, input_take take, struct rvtrace_failure *error);

/* One more of such events counts: 0, -ENOMEM. */
int events_count(struct events *e, const struct event_view *view);
void events_forget_counts(struct events *e);

/* One event; totals at the end, into the document if it is JSON. */
void events_print(struct events *e, const struct event_view *view);
void events_print_totals(struct events *e);

/* What is no event. */
void events_print_trouble(struct events *e, uint64_t offset, const char *text);

#endif /* RVTRACE_TRACECTL_EVENTS_H */
