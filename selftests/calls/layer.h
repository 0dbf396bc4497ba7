/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the call layer tells, as frames to be compared with those of the shadow stack. Frames that
 * replace each other by tail calls are one. Those
 * of a coroutine that goes on are others than before.
 */
#ifndef RVTRACE_CALLS_LAYER_H
#define RVTRACE_CALLS_LAYER_H

#include <rvtrace/calls.h>

#define LAYER_NONE	UINT32_MAX

enum layer_fault {
	LAYER_NO_FAULT,
	LAYER_DROP_RETURN,
	LAYER_SWAP_THREADS,
	LAYER_TAIL_IS_CALL,
};

/**
 * struct layer_frame - frames in a place
 * @first: the first of them, as it was when it was entered
 * @last: the last of them, as it was when it was left, if @is_left
 * @parent: the frame below, LAYER_NONE
 * @lane, @thread: as of the event
 * @entered_source, @entered_ordinal: hart, and number of the instruction in its flow
 * @left_source, @left_ordinal: the same
 * @is_left: it was left
 * @inside: it was entered in the windows
 * @handler: the first function of a trap or signal
 */
struct layer_frame {
	struct rvtrace_call_frame first;
	struct rvtrace_call_frame last;
	uint32_t parent;
	uint32_t lane;
	int32_t thread;
	uint32_t entered_source;
	uint32_t left_source;
	uint64_t entered_ordinal;
	uint64_t left_ordinal;
	bool is_left;
	bool inside;
	bool handler;
};

/*
 * The last frame of a lane that was left, at @depth, until anything else happens there; @now: its
 * depth, at @time; @entered: frames in the windows
 */
struct layer_lane {
	uint32_t left;
	uint32_t depth;
	uint32_t now;
	uint64_t time;
	uint64_t entered;
};

/**
 * struct layer - all of it
 * @frames: @count of them, in order of the events
 * @by_id: number of the frame with an id
 * @lanes: by number
 * @stack_errors: events that are not nested, or not in order of time
 * @fault, @fault_after: which one is planted, and after how many events that could be it
 * @thread: of the event
 * @inside: the event is in the window, where faults can be planted
 * @planted: one was
 */
struct layer {
	struct layer_frame *frames;
	size_t count, room;
	uint32_t *by_id;
	size_t id_room;
	struct layer_lane *lanes;
	size_t lane_count;
	uint64_t stack_errors;
	uint64_t events;
	enum layer_fault fault;
	uint64_t fault_after;
	int32_t thread;
	bool inside;
	bool planted;
	uint32_t swapped[2];
};

/* rvtrace_calls_config.event; @data: the layer */
int layer_event(void *data, const struct rvtrace_call_event *event);

#endif /* RVTRACE_CALLS_LAYER_H */
