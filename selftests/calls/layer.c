// SPDX-License-Identifier: GPL-2.0
/* Events of the call layer become frames: see layer.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/calls/layer.h"

#define SWAP_KNOWN	50	/* frames of a thread before it is swapped with another one */

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static struct layer_lane *lane_of(struct layer *layer, uint32_t lane)
{
	while (lane >= layer->lane_count) {
		layer->lanes = need(reallocarray(layer->lanes, layer->lane_count + 1,
						 sizeof(*layer->lanes)));
		layer->lanes[layer->lane_count++] = (struct layer_lane) { .left = LAYER_NONE };
	}
	return &layer->lanes[lane];
}

static uint32_t frame_with(const struct layer *layer, uint64_t id)
{
	return id && id < layer->id_room ? layer->by_id[id] : LAYER_NONE;
}

static void name(struct layer *layer, uint64_t id, uint32_t frame)
{
	size_t room = layer->id_room ? layer->id_room : 1 << 16;

	while (room <= id)
		room *= 2;
	if (room != layer->id_room) {
		layer->by_id = need(reallocarray(layer->by_id, room, sizeof(*layer->by_id)));
		memset(layer->by_id + layer->id_room, 0xff,
		       (room - layer->id_room) * sizeof(*layer->by_id));
		layer->id_room = room;
	}
	layer->by_id[id] = frame;
}

static uint32_t add(struct layer *layer, const struct rvtrace_call_event *event)
{
	uint32_t parent = frame_with(layer, event->frame->parent);
	struct layer_frame *frame;

	if (layer->count == layer->room) {
		layer->room = layer->room ? 2 * layer->room : 1 << 16;
		layer->frames = need(reallocarray(layer->frames, layer->room,
						  sizeof(*layer->frames)));
	}
	frame = &layer->frames[layer->count];
	*frame = (struct layer_frame) {
		.first = *event->frame, .parent = parent, .lane = event->lane,
		.thread = event->thread, .entered_source = event->source,
		.entered_ordinal = event->source_instructions, .inside = layer->inside,
	};
	frame->handler = event->frame->kind == RVTRACE_CALL_FUNCTION && parent != LAYER_NONE &&
			 !event->frame->return_address &&
			 layer->frames[parent].first.kind != RVTRACE_CALL_FUNCTION;
	return layer->count++;
}

/* Events are nested, and in order. */
static void check_order(struct layer *layer, struct layer_lane *lane,
			const struct rvtrace_call_event *event)
{
	bool enters = event->type == RVTRACE_CALL_ENTER;

	if (event->depth != lane->now + enters ||
	    (event->time.best != RVTRACE_CALL_NO_TIME && event->time.best < lane->time))
		layer->stack_errors++;
	lane->now = event->depth - !enters;
	if (event->time.best != RVTRACE_CALL_NO_TIME)
		lane->time = event->time.best;
}

static void enter(struct layer *layer, const struct rvtrace_call_event *event)
{
	struct layer_lane *lane = lane_of(layer, event->lane);
	uint32_t frame = LAYER_NONE;

	check_order(layer, lane, event);
	lane->entered += layer->inside;
	if (event->frame->flags & RVTRACE_CALL_TAIL && lane->depth == event->depth)
		frame = lane->left;
	if (frame == LAYER_NONE)
		frame = add(layer, event);
	layer->frames[frame].is_left = false;
	name(layer, event->frame->id, frame);
	lane->left = LAYER_NONE;
}

static void leave(struct layer *layer, const struct rvtrace_call_event *event)
{
	struct layer_lane *lane = lane_of(layer, event->lane);
	uint32_t number = frame_with(layer, event->frame->id);
	struct layer_frame *frame;

	check_order(layer, lane, event);
	if (number == LAYER_NONE || layer->frames[number].is_left) {
		layer->stack_errors++;
		return;
	}
	frame = &layer->frames[number];
	frame->is_left = true;
	frame->last = *event->frame;
	frame->left_source = event->source;
	frame->left_ordinal = event->source_instructions;
	lane->left = number;
	lane->depth = event->depth;
}

/* Whether to plant a fault here: once, or with a pair of threads, from here on. */
static bool plants(struct layer *layer)
{
	if (layer->planted || !layer->inside || layer->fault_after--)
		return false;
	layer->planted = true;
	printf("planted at event %" PRIu64 ", thread %" PRId32 "\n", layer->events, layer->thread);
	return true;
}

static bool drops(struct layer *layer, const struct rvtrace_call_event *event)
{
	uint32_t frame = frame_with(layer, event->frame->id);

	return layer->fault == LAYER_DROP_RETURN && frame != LAYER_NONE &&
	       layer->frames[frame].inside && !event->frame->flags &&
	       event->frame->return_address && plants(layer);
}

/* Threads of which both sides know already which are the same */
static bool is_known(struct layer *layer, const struct rvtrace_call_event *event)
{
	return event->thread > 0 && lane_of(layer, event->lane)->entered > SWAP_KNOWN;
}

/* From some time on, events of two threads are told as those of the other one. */
static void swap(struct layer *layer, struct rvtrace_call_event *event)
{
	if (layer->fault != LAYER_SWAP_THREADS)
		return;
	if (!layer->planted) {
		if (!is_known(layer, event) || !plants(layer))
			return;
		layer->swapped[0] = event->lane;
		layer->swapped[1] = event->lane;
	}
	if (layer->swapped[1] == layer->swapped[0] && is_known(layer, event))
		layer->swapped[1] = event->lane;
	if (event->lane == layer->swapped[0])
		event->lane = layer->swapped[1];
	else if (event->lane == layer->swapped[1])
		event->lane = layer->swapped[0];
}

int layer_event(void *data, const struct rvtrace_call_event *given)
{
	struct rvtrace_call_event event = *given;
	struct rvtrace_call_frame frame;
	struct layer *layer = data;

	layer->events++;
	layer->thread = event.thread;
	swap(layer, &event);
	if (event.type == RVTRACE_CALL_ENTER) {
		frame = *event.frame;
		event.frame = &frame;
		if (layer->fault == LAYER_TAIL_IS_CALL && frame.flags & RVTRACE_CALL_TAIL &&
		    frame.return_address && plants(layer))
			frame.flags &= ~RVTRACE_CALL_TAIL;
		enter(layer, &event);
	} else if (event.type == RVTRACE_CALL_LEAVE) {
		if (!drops(layer, &event))
			leave(layer, &event);
	}
	return 0;
}
