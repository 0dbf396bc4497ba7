/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl export: what its formats share. */
#ifndef RVTRACE_TRACECTL_EXPORT_H
#define RVTRACE_TRACECTL_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/tracectl/views/views.h"

#define EXPORT_LANE_NAME	96
#define EXPORT_REASON		96

struct export;

enum export_weight {
	EXPORT_BY_INSTRUCTIONS,
	EXPORT_BY_TIME,
	EXPORT_BY_CALLS,
};

/* export_moment.latest */
#define EXPORT_OPEN	UINT64_MAX

/**
 * struct export_moment - a time in the unit of the view
 * @best: the likeliest; does not decrease within a lane
 * @earliest: it was not before
 * @latest: it was not after; EXPORT_OPEN: the trace has no later time
 * @known: the trace tells it; if not, all three are the last one of the lane
 */
struct export_moment {
	uint64_t best;
	uint64_t earliest;
	uint64_t latest;
	bool known;
};

/**
 * struct export_frame - one that is open
 * @frame: as it was entered
 * @name: see export_name()
 * @is_call: it was called
 * @entered: when
 * @node: the format's own
 * @time: that passed in it while its thread ran, without its callees
 */
struct export_frame {
	struct rvtrace_call_frame frame;
	uint32_t name;
	bool is_call;
	struct export_moment entered;
	uint32_t node;
	uint64_t time;
};

/**
 * struct export_lane - a thread, or a hart that stands for one
 * @number: rvtrace_call_event.lane
 * @timed: @time is one of its events
 * @running: it executes on a hart
 * @in_gap: it is not known what it executes
 * @gap_is_loss: trace of that is lost
 * @hit: so it is since a loss of all harts at @hit_at, or since a frame was left because of that
 * @hit_at: see @hit
 * @time: of the last event
 * @instructions: executed by the thread until then
 * @gap: when @in_gap began
 * @stack: open frames, the outermost first
 * @depth: how many
 * @room: members of @stack
 * @own: the format's own
 */
struct export_lane {
	uint32_t number;
	bool timed;
	bool running;
	bool in_gap;
	bool gap_is_loss;
	bool hit;
	uint64_t hit_at;
	uint64_t time;
	uint64_t gap;
	uint64_t instructions;
	struct export_frame *stack;
	size_t depth;
	size_t room;
	void *own;
};

/**
 * struct export_step - an event, and what is known of it
 * @event: what happened; at the end of a gap, what ended it, NULL: the end of the trace
 * @lane: where
 * @time: when; of the end of a gap, its end
 * @frame: of the lane, if one was entered or left: on top of its stack
 */
struct export_step {
	const struct rvtrace_call_event *event;
	struct export_lane *lane;
	struct export_moment time;
	struct export_frame *frame;
};

/**
 * struct export_format - what a format does with events
 * @name: of --format
 * @binary: not for a terminal
 * @begin: once, before all others
 * @enter: a frame was pushed
 * @leave: the frame is popped afterwards
 * @pass: time passed in the lane while it ran, or in a gap; before what ended that
 * @run: it runs
 * @rest: it does not run any more
 * @gap: trace is missing from here on; for each thread that it hits
 * @gap_end: it is known again what is executed
 * @loss: once for each gap, before its @gap
 * @item: something else of the flow
 * @end: writes what is left
 * @free: frees what is left; lanes, with their @own freed by free(), are freed afterwards
 *
 * All but @free return 0 or a negative errno. Those that are NULL are left out.
 */
struct export_format {
	const char *name;
	bool binary;
	int (*begin)(struct export *x);
	int (*enter)(struct export *x, const struct export_step *step);
	int (*leave)(struct export *x, const struct export_step *step);
	int (*pass)(struct export *x, struct export_lane *lane, uint64_t time);
	int (*run)(struct export *x, const struct export_step *step);
	int (*rest)(struct export *x, const struct export_step *step);
	int (*gap)(struct export *x, const struct export_step *step);
	int (*gap_end)(struct export *x, const struct export_step *step);
	int (*loss)(struct export *x, const struct export_step *step);
	int (*item)(struct export *x, const struct export_step *step);
	int (*end)(struct export *x);
	void (*free)(struct export *x);
};

extern const struct export_format export_perfetto, export_folded, export_speedscope, export_sqlite;

/**
 * struct export_name - the name of frames
 * @text: as the file has it: escape it
 * @file: of the function; NULL: not known
 * @function: view_function.id, 0: of a trap, or an address
 * @own: the format's own
 */
struct export_name {
	const char *text;
	const char *file;
	uint32_t function;
	uint32_t own;
};

/**
 * struct export_table - numbers of keys, from 1
 * @keys: two numbers each
 * @values: of each key, 0: the place is free
 * @room: places, a power of two
 * @count: places in use
 */
struct export_table {
	uint64_t (*keys)[2];
	uint32_t *values;
	size_t room;
	size_t count;
};

/**
 * struct export - one run
 * @format: how it is written
 * @weight: what folded stacks count
 * @view: the view
 * @out: where it goes
 * @unit: of times; NULL: instructions of each thread
 * @lanes: by number
 * @lane_count: how many
 * @loss: the last loss of all harts
 * @loss_item: its item
 * @loss_number: how many losses there were before, and this one
 * @losses: how many there were
 * @names: by number, from 1
 * @name_count: how many, with the unused one
 * @name_room: members of @names
 * @by_function: numbers of names by function
 * @function_room: members of @by_function
 * @by_text: numbers of names of other frames
 * @latest: time of all lanes
 * @own: the format's own
 */
struct export {
	const struct export_format *format;
	enum export_weight weight;
	struct view *view;
	struct out *out;
	const char *unit;
	struct export_lane **lanes;
	size_t lane_count;
	struct rvtrace_call_event loss;
	struct rvtrace_flow_item loss_item;
	uint64_t loss_number;
	uint64_t losses;
	struct export_name *names;
	size_t name_count;
	size_t name_room;
	uint32_t *by_function;
	size_t function_room;
	struct export_table by_text;
	uint64_t latest;
	void *own;
};

/* What a run of the decoder calls; view.data is a struct export with format, weight and out. */
extern const struct view_ops export_view;

/* The place of a key's value, 0 if it is new; NULL without memory. Valid until the next call. */
uint32_t *export_table_find(struct export_table *table, uint64_t a, uint64_t b);
void export_table_free(struct export_table *table);

/* Room for one more member of an array: 0, -ENOMEM. */
int export_grow(void *array, size_t *room, size_t count, size_t size);

/* The number of a frame's name, the same for all frames of a function; 0 without memory. */
uint32_t export_name(struct export *x, const struct rvtrace_call_frame *frame);
/* The same of a text, which is copied. */
uint32_t export_name_of_text(struct export *x, const char *text);
void export_names_free(struct export *x);

/* What a lane is called: "comm 12/13", "hart 1". */
const char *export_lane_name(const struct export *x, const struct export_lane *lane,
			     char name[EXPORT_LANE_NAME]);
/* The name of a thread alone, as for stacks of all threads of a program. */
const char *export_lane_comm(const struct export *x, const struct export_lane *lane,
			     char name[EXPORT_LANE_NAME]);

/* Its hart id, of a SRC in the trace. */
uint64_t export_hart(const struct export *x, uint32_t source);

/* A time of the layer in the unit of the view. It may not be before @after. */
struct export_moment export_moment(const struct export *x, const struct rvtrace_call_time *time,
				   uint64_t after);

/* "[lost]" or "[not followed]" */
const char *export_gap_name(bool is_loss);
/* Why: "overflow", "12 bytes lost" */
const char *export_gap_reason(const struct rvtrace_flow_item *item, char text[EXPORT_REASON]);

/* What is written of other items: "event 0x12", NULL: nothing */
const char *export_item_name(const struct rvtrace_flow_item *item, char text[EXPORT_REASON]);

/* Flags as words with blanks between them; only those in @mask. */
#define EXPORT_FLAGS_ENTER	(RVTRACE_CALL_TAIL | RVTRACE_CALL_OLDER | RVTRACE_CALL_PART | \
				 RVTRACE_CALL_RESUMED | RVTRACE_CALL_EARLIER)
#define EXPORT_FLAGS_LEAVE	(RVTRACE_CALL_CUT | RVTRACE_CALL_SUSPENDED | \
				 RVTRACE_CALL_UNWOUND | RVTRACE_CALL_INFERRED | \
				 RVTRACE_CALL_LATER | RVTRACE_CALL_REPLACED)
const char *export_flags(uint16_t flags, uint16_t mask, char text[EXPORT_REASON]);

/* A file for what has to be kept until the end; it has no name. Where the output goes, or /tmp. */
int export_temporary(const struct export *x);

#endif /* RVTRACE_TRACECTL_EXPORT_H */
