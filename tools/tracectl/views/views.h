/* SPDX-License-Identifier: GPL-2.0 */
/* Views of a trace: what tracectl report, export and decode --output calls make of its calls. */
#ifndef RVTRACE_TRACECTL_VIEWS_H
#define RVTRACE_TRACECTL_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/calls.h>

#include "tools/tracectl/decode/decode.h"

struct view;

/**
 * struct view_function - code with a name
 * @id: rvtrace_call_function.id, from 1
 * @name: of the function; of the file, if @named is false; NULL: nothing is known
 * @file: of the function, its file; NULL: unknown, or @name says it
 * @address: where it begins in its file; of the kernel, in memory; 0: unknown
 * @named: @name is that of a function
 * @module: @file is a kernel module, as "[name]"
 * @kernel: executed in another mode than user mode
 *
 * Names are as files have them: escape them for the output.
 */
struct view_function {
	uint32_t id;
	const char *name;
	const char *file;
	uint64_t address;
	bool named;
	bool module;
	bool kernel;
};

/**
 * struct view_lane - a thread, or a hart where threads are unknown
 * @number: rvtrace_call_event.lane
 * @pid: of its process, -1: unknown, or a kernel thread
 * @tid: -1: it is a hart; 0: the idle thread of @hart
 * @hart: hart id of a hart or an idle thread, else that on which it was seen first
 * @comm: its name, "" if unknown
 * @kernel: it is a thread of the kernel
 * @observer: it belongs to what records: rvtraced, tracectl record
 * @class: enum report_class
 * @process: as struct report_row has it
 */
struct view_lane {
	uint32_t number;
	int32_t pid;
	int32_t tid;
	uint64_t hart;
	char comm[17];
	bool kernel;
	bool observer;
	int class;
	size_t process;
};

/**
 * struct view_ops - a kind of view
 * @name: of --format, or of the verb
 * @begin: once, before the first event
 * @event: takes an event; several sinks come one after another
 * @end: once, after the last event: writes what is left
 * @free: whatever happened before
 *
 * All but @free return 0 or a negative errno, which ends the run. @begin, @end and @free may be NULL.
 */
struct view_ops {
	const char *name;
	int (*begin)(struct view *view);
	int (*event)(struct view *view, const struct rvtrace_call_event *event);
	int (*end)(struct view *view);
	void (*free)(struct view *view);
};

/**
 * struct view - a view under way
 * @ops: its kind
 * @decode: the run; @decode->out is where text goes
 * @data: its own
 */
struct view {
	const struct view_ops *ops;
	struct decode *decode;
	void *data;
};

/* A function by its id, NULL for 0; how many ids there are so far. Valid until the end of the run. */
const struct view_function *view_function(const struct view *view, uint32_t id);
uint32_t view_functions(const struct view *view);

/* The thread of an event, or of a lane that had events. Valid until the end of the run. */
const struct view_lane *view_lane(const struct view *view, uint32_t lane);

/*
 * Times, in the unit of view_time_unit(): "ns" of CLOCK_MONOTONIC, or of the trace's own clock from 0,
 * or "ticks" where the rate of timestamps is unknown.
 */
uint64_t view_time(const struct view *view, uint64_t ticks);
uint64_t view_span(const struct view *view, uint64_t ticks);
const char *view_time_unit(const struct view *view);

/* The same; NULL: the recording has no timestamps. */
const char *view_unit(const struct view *view);

/*
 * A span as text, with as many digits as are known: "1.2 ms", "85 +/-6 us", "at most 3 us"; the same
 * for a time between two moments. Return: @buffer.
 */
#define VIEW_SPAN	64	/* characters */
const char *view_span_text(const struct view *view, const struct rvtrace_call_span *span,
			   char *buffer);

/* The time that a frame took, from when it was entered until it was left; false: unknown. */
bool view_duration(const struct rvtrace_call_frame *frame, struct rvtrace_call_span *span);

/* The same without rest and interrupts: for how long a CPU worked on it, callees included. */
bool view_cpu_time(const struct rvtrace_call_frame *frame, struct rvtrace_call_span *span);

/*
 * In few columns, without the uncertainty: "1.2 ms", "<31 us". Of a sum, which is likely to be right
 * even if each of its parts is not known: "~31 us".
 */
const char *view_span_short(const struct view *view, const struct rvtrace_call_span *span,
			    bool sum, char *buffer);

/* An item for functions of decode, which print who executes: as of the event. */
struct rvtrace_flow_item view_item(const struct rvtrace_call_event *event);

/*
 * Whether it is a function that was called, or jumped to, at its start, and not only seen to execute.
 * That is the same when it is entered and when it is left.
 */
static inline bool view_is_call(const struct rvtrace_call_frame *frame)
{
	return frame->kind == RVTRACE_CALL_FUNCTION &&
	       !(frame->flags & (RVTRACE_CALL_OLDER | RVTRACE_CALL_PART | RVTRACE_CALL_RESUMED |
				 RVTRACE_CALL_EARLIER));
}

/* Whether all of its time is in what is shown. */
static inline bool view_is_whole(const struct rvtrace_call_frame *frame)
{
	return !(frame->flags & (RVTRACE_CALL_OLDER | RVTRACE_CALL_CUT | RVTRACE_CALL_RESUMED |
				 RVTRACE_CALL_SUSPENDED | RVTRACE_CALL_EARLIER |
				 RVTRACE_CALL_LATER));
}

/* A system call of user mode; false if the trace has no causes. */
static inline bool view_is_system_call(const struct rvtrace_call_frame *frame)
{
	return frame->kind == RVTRACE_CALL_TRAP && frame->trap == RVTRACE_TRAP_EXCEPTION &&
	       frame->has_cause && frame->cause == 8;
}

/* Name of a frame: of its function, "0x..." without; "syscall", "interrupt 5", "exception 13". */
const char *view_frame_name(const struct view *view, const struct rvtrace_call_frame *frame,
			    char *buffer, size_t size);

/* Whether it is a loss of trace (then the exit status says so) or only code that was not followed. */
bool view_is_loss(const struct rvtrace_flow_item *item);

#endif /* RVTRACE_TRACECTL_VIEWS_H */
