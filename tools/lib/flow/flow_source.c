// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sources of a flow decoder: where they are, what they tell, how they are left. */
#include <stdlib.h>
#include <string.h>

#include "flow_format.h"

/* Generation of a source that was left and has not been asked for since; no image has it. */
#define UNTOUCHED	UINT64_MAX

/* An address no instruction has: instructions lie at even ones. */
static void forget_window(struct source *source)
{
	source->window.start = 1;
	source->window.span = 0;
}

/**
 * flow_forget_place() - whatever is looked up next is asked for anew
 * @source: the source
 */
void flow_forget_place(struct source *source)
{
	source->placed = false;
	forget_window(source);
}

static struct source *new_source(struct rvtrace_flow *flow, unsigned int id)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->id = id;
	source->priv = -1;
	source->default_priv = -1;
	source->space = RVTRACE_SPACE_ANY;
	source->default_space = RVTRACE_SPACE_ANY;
	source->thread = -1;
	source->process = RVTRACE_PROCESS_UNKNOWN;
	source->next_thread = -1;
	flow_forget_place(source);
	if (flow->format->new_source)
		flow->format->new_source(flow, source);
	flow->sources[id] = source;
	return source;
}

/**
 * flow_free_source() - free a source, but for its queue of accesses
 * @flow: the decoder
 * @source: the source, or NULL
 */
void flow_free_source(const struct rvtrace_flow *flow, struct source *source)
{
	if (source && source->state)
		flow->format->free_source(source);
	free(source);
}

/**
 * flow_inherit() - all sources there are must be known from here on
 * @flow: the decoder
 */
void flow_inherit(struct rvtrace_flow *flow)
{
	void (*inherit)(void *data, struct rvtrace_flow *flow) = flow->inherit;

	flow->inherit = NULL;
	if (inherit)
		inherit(flow->inherit_data, flow);
}

/* Not for most messages: a source that is new, was left, or whose image is another one now. */
static __attribute__((__noinline__)) struct source *touch(struct rvtrace_flow *flow,
							  unsigned int id)
{
	struct source *source;

	if (!flow->sources[id])
		flow_inherit(flow);
	source = flow->sources[id] ? flow->sources[id] : new_source(flow, id);
	if (!source)
		return NULL;
	source->generation = flow->generation;
	flow->touched[id / 64] |= 1ull << id % 64;
	forget_window(source);
	return source;
}

/**
 * flow_source() - state of a source, made when it is first asked for
 * @flow: the decoder
 * @id: SRC, below flow->source_count
 *
 * Return: the source, NULL without memory.
 */
struct source *flow_source(struct rvtrace_flow *flow, unsigned int id)
{
	struct source *source = flow->sources[id];

	return source && source->generation == flow->generation ? source : touch(flow, id);
}

static void ask(struct rvtrace_flow *flow, struct source *source, struct rvtrace_flow_place *place)
{
	struct rvtrace_flow_query query = {
		.source = source->id,
		.has_context = source->space != RVTRACE_SPACE_ANY,
		.has_time = source->has_time,
		.context = source->space,
		.time = flow_now(source),
		.offset = flow->message.offset,
		.address = flow->target,
		.task = source->task,
	};

	*place = (struct rvtrace_flow_place) {
		.user = source->space, .kernel = source->space, .until = UINT64_MAX,
		.process = RVTRACE_PROCESS_UNKNOWN, .thread = -1,
	};
	if (!flow->config.resolve)
		return;
	if (flow->config.resolve(flow->config.resolve_data, &query, place))
		flow->failed = true;
	flow->generation = rvtrace_image_generation(flow->image);
	source->place_span = source->has_time ? place->until - place->from : 0;
}

/**
 * flow_find_place() - where the code of a source is looked up from here on
 * @flow: the decoder
 * @source: the source
 */
void flow_find_place(struct rvtrace_flow *flow, struct source *source)
{
	struct rvtrace_flow_place place;

	if (source->placed)
		return;
	source->place_span = UINT64_MAX;
	ask(flow, source, &place);
	if (place.user != source->place.user || place.kernel != source->place.kernel ||
	    source->generation != flow->generation)
		forget_window(source);
	source->generation = flow->generation;
	source->place = place;
	source->placed = true;
}

/**
 * flow_stamp() - fill in what all items of a message share
 * @flow: the decoder
 * @source: whose item it is, NULL for all of them
 * @type: of the item
 * @item: the item; what @type adds is 0
 */
void flow_stamp(struct rvtrace_flow *flow, struct source *source,
		enum rvtrace_flow_type type, struct rvtrace_flow_item *item)
{
	memset(item, 0, sizeof(*item));
	item->type = type;
	item->offset = flow->message.offset;
	item->source = RVTRACE_SOURCE_ALL;
	item->context = RVTRACE_SPACE_ANY;
	item->process = RVTRACE_PROCESS_UNKNOWN;
	item->thread = -1;
	if (!source)
		return;
	flow_find_place(flow, source);
	flow_find_thread(flow, source);
	item->process = source->process;
	item->thread = source->thread;
	item->source = source->id;
	if (source->has_time) {
		item->flags |= RVTRACE_FLOW_HAS_TIME;
		item->time = source->time;
	}
	if (source->priv >= 0) {
		item->flags |= RVTRACE_FLOW_HAS_PRIV;
		item->priv = source->priv;
	}
	if (source->v)
		item->flags |= RVTRACE_FLOW_V;
	if (source->space != RVTRACE_SPACE_ANY) {
		item->flags |= RVTRACE_FLOW_HAS_CONTEXT;
		item->context = source->space;
	}
}

/**
 * flow_event() - queue an event of the current source
 * @flow: the decoder
 * @type: of the event
 *
 * One message makes fewer events than the queue holds.
 *
 * Return: the event, to be filled in.
 */
struct rvtrace_flow_item *flow_event(struct rvtrace_flow *flow, enum rvtrace_flow_type type)
{
	unsigned int i = (flow->queue_head + flow->queue_count++) % QUEUE_SIZE;

	flow_stamp(flow, flow->source, type, &flow->queue[i]);
	return &flow->queue[i];
}

void flow_event_address(struct rvtrace_flow_item *item, uint64_t address)
{
	item->flags |= RVTRACE_FLOW_HAS_ADDRESS;
	item->address = address;
}

/**
 * flow_error() - queue an error of the current source
 * @flow: the decoder
 * @code: enum rvtrace_error
 */
void flow_error(struct rvtrace_flow *flow, int code)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_ERROR);

	item->error.code = code;
	item->error.tcode = flow->message.tcode;
	if (flow->source->synced && (!flow->source->gap || flow->source->gap_has_address))
		flow_event_address(item, flow->source->pc);
	flow->source->stats.errors++;
}

/**
 * flow_set_context() - privilege or address space of the current source has changed
 * @flow: the decoder
 * @priv: privilege, -1 for unknown
 * @v: virtualization mode
 * @space: address space, RVTRACE_SPACE_ANY for unknown
 */
void flow_set_context(struct rvtrace_flow *flow, int priv, bool v, uint64_t space)
{
	struct source *source = flow->source;

	if (source->priv == priv && source->v == v && source->space == space)
		return;
	source->priv = priv;
	source->v = v;
	source->space = space;
	flow_forget_place(source);
	flow_event(flow, RVTRACE_FLOW_CONTEXT);
}

/**
 * flow_gap_event() - what was counted in a gap of the current source
 * @flow: the decoder
 * @complete: all that executed there was counted
 */
void flow_gap_event(struct rvtrace_flow *flow, bool complete)
{
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;

	item = flow_event(flow, source->unfollowed ? RVTRACE_FLOW_UNFOLLOWED :
						     RVTRACE_FLOW_NO_IMAGE);
	if (source->gap_has_address)
		flow_event_address(item, source->pc);
	if (source->unfollowed) {
		item->unfollowed.halfwords = source->balance;
		item->unfollowed.complete = complete;
	} else {
		item->no_image.halfwords = source->balance;
		item->no_image.complete = complete;
	}
	source->stats.unseen += source->balance;
	source->balance = 0;
}

/* What was counted and not walked: the source is in a gap, or no outcome says what it is. */
static void leave_rest(struct rvtrace_flow *flow, bool complete)
{
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;

	if (source->gap) {
		flow_gap_event(flow, complete);
		return;
	}
	item = flow_event(flow, RVTRACE_FLOW_TAIL);
	flow_event_address(item, source->pc);
	item->tail.halfwords = source->balance;
	source->stats.unseen += source->balance;
	source->balance = 0;
}

/**
 * flow_leave() - the current source is unsynchronized from here on
 * @flow: the decoder
 * @complete: all that executed was reported
 */
void flow_leave(struct rvtrace_flow *flow, bool complete)
{
	struct source *source = flow->source;

	if (flow->format->leave)
		flow->format->leave(flow);
	if (source->synced && source->balance > 0)
		leave_rest(flow, complete);
	source->synced = false;
	source->gap = false;
	source->balance = 0;
	source->history = false;
	source->mode_known = false;
	source->pending_count = 0;
	source->last.valid = false;
	/* who executes meanwhile is not seen */
	source->thread = -1;
	source->process = RVTRACE_PROCESS_UNKNOWN;
	source->switch_left = 0;
	source->overdue = false;
	if (!complete) {
		source->task = 0;
		source->has_time = false;
		source->reached = 0;
		source->priv = source->default_priv;
		source->space = source->default_space;
		source->v = false;
		flow_forget_place(source);
	}
}

/**
 * flow_close_all() - every source is unsynchronized from here on
 * @flow: the decoder
 * @final: the item to deliver after what is left of the sources; may be NULL
 */
void flow_close_all(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final)
{
	flow_inherit(flow);
	flow->closing = true;
	flow->close_next = 0;
	flow->final_valid = final;
	if (final)
		flow->final = *final;
}

/**
 * flow_damaged() - the current message cannot be read
 * @flow: the decoder
 * @code: enum rvtrace_error
 *
 * It may have been anyone's: everyone starts anew.
 *
 * Return: 1, RVTRACE_ERR_NO_MEMORY.
 */
int flow_damaged(struct rvtrace_flow *flow, int code)
{
	struct rvtrace_flow_item item;
	struct source *source;

	flow_stamp(flow, NULL, RVTRACE_FLOW_ERROR, &item);
	item.error.code = code;
	item.error.size = flow->message.size;
	item.error.tcode = flow->message.tcode;
	source = flow_source(flow, 0);
	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	source->stats.errors++;
	flow_close_all(flow, &item);
	return 1;
}

/* The next one to leave, NULL without: damage costs what there was since the last one. */
static struct source *next_touched(struct rvtrace_flow *flow)
{
	for (; flow->close_next < flow->source_count; flow->close_next += 64) {
		uint64_t *touched = &flow->touched[flow->close_next / 64];
		unsigned int bit = *touched ? __builtin_ctzll(*touched) : 0;

		if (*touched) {
			*touched &= *touched - 1;
			return flow->sources[flow->close_next + bit];
		}
	}
	return NULL;
}

static void close_source(struct rvtrace_flow *flow)
{
	flow_leave(flow, false);
	flow->source->generation = UNTOUCHED;
}

/**
 * flow_close_walked() - leave the current source, whose counted instructions have been walked
 * @flow: the decoder; closing
 */
void flow_close_walked(struct rvtrace_flow *flow)
{
	if (!flow->source->gap)
		leave_rest(flow, false);
	close_source(flow);
}

/**
 * flow_close_some() - leave sources, as far as the queue has room for what they tell
 * @flow: the decoder; closing
 *
 * Ends early when instructions of one are to be walked first.
 */
void flow_close_some(struct rvtrace_flow *flow)
{
	while (flow->queue_count < QUEUE_SIZE / 2) {
		flow->source = next_touched(flow);
		if (!flow->source)
			break;
		forget_window(flow->source);	/* of an image as it was */
		if (flow_walk_counted(flow))
			return;
		close_source(flow);
	}
	if (flow->source)
		return;
	flow->closing = false;
	if (flow->final_valid)
		*flow_event(flow, flow->final.type) = flow->final;
}
