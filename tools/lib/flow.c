// SPDX-License-Identifier: LGPL-2.1-or-later
/* Flow decoder, public side: see rvtrace/flow.h. */
#include <stdlib.h>
#include <string.h>

#include "etrace_internal.h"
#include "flow_access.h"
#include "flow_internal.h"
#include "time_bits.h"

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

/* The reader of the packet layer. */
static int new_reader(struct rvtrace_flow *flow)
{
	const struct rvtrace_flow_config *config = &flow->config;
	struct rvtrace_ntrace_config ntrace = {
		.src_bits = config->src_bits,
		.xlen = config->isa.xlen,
		.extend_addr_msb = config->extend_addr_msb,
		.sifive = config->sifive,
		.software_owner = config->priv_by_address,
	};

	if (config->format == RVTRACE_FLOW_FORMAT_CDL)
		return flow_cdl_new(flow);
	if (flow_is_etrace(flow))
		return rvtrace_etrace_new(&config->etrace, &flow->etrace);
	if (config->format == RVTRACE_FLOW_FORMAT_DEBUGSPEC)
		return flow_debugspec_new(flow);
	return rvtrace_ntrace_new(&ntrace, &flow->ntrace);
}

static bool has_valid_modes(const struct rvtrace_flow_config *config)
{
	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES; i++)
		if (config->modes[i] > RVTRACE_NTRACE_MODE_HISTORY)
			return false;
	return true;
}

static bool is_valid(const struct rvtrace_flow_config *config)
{
	if (config->time_bits > 64 || (config->isa.xlen != 32 && config->isa.xlen != 64))
		return false;
	if (config->format == RVTRACE_FLOW_FORMAT_ETRACE)
		return config->src_bits == config->etrace.srcid_width && !config->priv_by_address;
	if (config->format == RVTRACE_FLOW_FORMAT_CDL)
		return !config->src_bits && config->isa.xlen == config->cdl.xlen &&
		       (!config->priv_by_address || config->isa.xlen == 64);
	if (config->format == RVTRACE_FLOW_FORMAT_DEBUGSPEC)
		return config->src_bits == RVTRACE_DEBUGSPEC_HART_BITS &&
		       config->isa.xlen == config->debugspec.xlen && !config->priv_by_address;
	return config->format == RVTRACE_FLOW_FORMAT_NTRACE && has_valid_modes(config) &&
	       (!config->priv_by_address || config->isa.xlen == 64);
}

int rvtrace_flow_new(const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		     struct rvtrace_flow **result)
{
	struct rvtrace_flow *flow;
	int err;

	if (!image || !is_valid(config))
		return RVTRACE_ERR_INVALID;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return RVTRACE_ERR_NO_MEMORY;
	flow->config = *config;
	flow->image = image;
	flow->latest = config->time_near;
	if (!flow->config.branches_max)
		flow->config.branches_max = flow_is_etrace(flow) ? RVTRACE_FLOW_BRANCHES_MAX :
								   RVTRACE_FLOW_HALFWORDS_MAX;
	err = new_reader(flow);
	if (err) {
		free(flow);
		return err;
	}
	flow->source_count = (size_t)1 << config->src_bits;
	flow->sources = calloc(flow->source_count, sizeof(*flow->sources));
	flow->touched = calloc(flow->source_count / 64 + 1, sizeof(*flow->touched));
	/* block 0 is there from the start, so that a look at it is harmless */
	flow->blocks = calloc(1, sizeof(*flow->blocks));
	if (!flow->sources || !flow->touched || !flow->blocks) {
		rvtrace_flow_free(flow);
		return RVTRACE_ERR_NO_MEMORY;
	}
	flow->block_count = 1;
	flow->block_room = 1;
	/* what the type tells apart */
	if (flow_is_etrace(flow) && config->etrace.type_width) {
		flow->accesses = flow_access_new();
		if (!flow->accesses) {
			rvtrace_flow_free(flow);
			return RVTRACE_ERR_NO_MEMORY;
		}
	}
	*result = flow;
	return 0;
}

void rvtrace_flow_free(struct rvtrace_flow *flow)
{
	if (!flow)
		return;
	for (size_t i = 0; flow->sources && i < flow->source_count; i++) {
		if (flow->sources[i]) {
			flow_etrace_free(flow->sources[i]);
			flow_access_free_queue(flow->sources[i]->accesses);
			free(flow->sources[i]->debugspec);
		}
		free(flow->sources[i]);
	}
	free(flow->sources);
	free(flow->touched);
	flow_access_free(flow->accesses);
	flow_blocks_free(flow);
	rvtrace_ntrace_free(flow->ntrace);
	rvtrace_etrace_free(flow->etrace);
	flow_cdl_free(flow);
	flow_debugspec_free(flow);
	free(flow);
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
	flow->sources[id] = source;
	return source;
}

/* Not for most messages: a source that is new, was left, or whose image is another one now. */
static __attribute__((__noinline__)) struct source *touch(struct rvtrace_flow *flow,
							  unsigned int id)
{
	struct source *source = flow->sources[id] ? flow->sources[id] : new_source(flow, id);

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
		.time = source->time,
		.offset = flow->message.offset,
		.address = flow->target,
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
 * flow_leave() - the current source is unsynchronized from here on
 * @flow: the decoder
 * @complete: all that executed was reported
 */
void flow_leave(struct rvtrace_flow *flow, bool complete)
{
	struct source *source = flow->source;
	int64_t halfwords = source->balance;
	struct rvtrace_flow_item *item;

	if (flow_is_etrace(flow))
		flow_etrace_leave(flow);
	if (flow_is_debugspec(flow))
		flow_debugspec_leave(flow);
	if (source->synced && halfwords > 0) {
		item = flow_event(flow, RVTRACE_FLOW_NO_IMAGE);
		if (!source->gap || source->gap_has_address)
			flow_event_address(item, source->pc);
		item->no_image.halfwords = halfwords;
		item->no_image.complete = complete;
		source->stats.unseen += halfwords;
	}
	source->synced = false;
	source->gap = false;
	source->balance = 0;
	source->history = false;
	source->pending_count = 0;
	source->last.valid = false;
	/* who executes meanwhile is not seen */
	source->thread = -1;
	source->process = RVTRACE_PROCESS_UNKNOWN;
	source->switch_left = 0;
	if (!complete) {
		source->has_time = false;
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

static void close_some(struct rvtrace_flow *flow)
{
	while (flow->queue_count < QUEUE_SIZE / 2) {
		flow->source = next_touched(flow);
		if (!flow->source)
			break;
		flow_leave(flow, false);
		flow->source->generation = UNTOUCHED;
	}
	if (flow->source)
		return;
	flow->closing = false;
	if (flow->final_valid)
		*flow_event(flow, flow->final.type) = flow->final;
}

static int feed_reader(struct rvtrace_flow *flow, const void *data, size_t size)
{
	if (flow_is_cdl(flow))
		return rvtrace_cdl_feed(flow->cdl->reader, data, size);
	if (flow_is_debugspec(flow))
		return flow_debugspec_feed(flow, data, size);
	return flow_is_etrace(flow) ? rvtrace_etrace_feed(flow->etrace, data, size) :
				 rvtrace_ntrace_feed(flow->ntrace, data, size);
}

/* What there is of a message that is not complete, from @offset on: bytes, or nybbles. */
size_t flow_pending(const struct rvtrace_flow *flow, uint64_t *offset)
{
	if (flow_is_cdl(flow))
		return rvtrace_cdl_pending(flow->cdl->reader, offset);
	if (flow_is_debugspec(flow))
		return flow_debugspec_pending(flow, offset);
	return flow_is_etrace(flow) ? rvtrace_etrace_pending(flow->etrace, offset) :
				 rvtrace_ntrace_pending(flow->ntrace, offset);
}

void flow_seek(struct rvtrace_flow *flow, uint64_t offset)
{
	if (flow_is_cdl(flow))
		rvtrace_cdl_seek(flow->cdl->reader, offset);
	else if (flow_is_debugspec(flow))
		flow_debugspec_seek(flow, offset);
	else if (flow_is_etrace(flow))
		rvtrace_etrace_seek(flow->etrace, offset);
	else
		rvtrace_ntrace_seek(flow->ntrace, offset);
}

void flow_resync(struct rvtrace_flow *flow, uint64_t offset)
{
	if (flow_is_cdl(flow))
		rvtrace_cdl_resync(flow->cdl->reader, offset);
	else if (flow_is_debugspec(flow))
		flow_debugspec_resync(flow, offset);
	else if (flow_is_etrace(flow))
		rvtrace_etrace_resync(flow->etrace, offset);
	else
		rvtrace_ntrace_resync(flow->ntrace, offset);
}

/* Nothing to deliver, no bytes unread. */
static bool idle(struct rvtrace_flow *flow)
{
	return !flow->queue_count && !flow->walking && !flow->closing && !flow->repeats &&
	       (!flow->accesses || flow_access_idle(flow)) &&
	       (!flow->cdl || !flow->cdl->ending) && !feed_reader(flow, NULL, 0);
}

int rvtrace_flow_feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return idle(flow) ? feed_reader(flow, data, size) : RVTRACE_ERR_BUSY;
}

static int next_message(struct rvtrace_flow *flow)
{
	if (flow_is_cdl(flow))
		return flow_cdl_next(flow);
	if (flow_is_debugspec(flow))
		return flow_debugspec_next(flow);
	return flow_is_etrace(flow) ? flow_etrace_next(flow) : flow_ntrace_next(flow);
}

static enum walk_status walk_format(struct rvtrace_flow *flow, struct output *out)
{
	if (flow_is_cdl(flow))
		return flow_cdl_walk(flow, out);
	if (flow_is_debugspec(flow))
		return flow_debugspec_walk(flow, out);
	return flow_is_etrace(flow) ? flow_etrace_walk(flow, out) : flow_walk(flow, out);
}

/* Goes on with the walk of the current source; what it executed is one item. */
static enum walk_status walk(struct rvtrace_flow *flow, struct output *out)
{
	struct rvtrace_flow_stats *stats = &flow->source->stats;
	struct rvtrace_flow_item *item = &out->items[out->count];
	size_t first = out->block_count, max = out->block_max;
	uint64_t instructions = stats->instructions;
	enum walk_status status;

	flow_stamp(flow, flow->source, RVTRACE_FLOW_BLOCKS, item);
	if (flow->source->switch_left)
		out->block_max = first + 1;
	status = walk_format(flow, out);
	out->block_max = max;
	if (out->block_count == first)
		return status;
	flow_pass_switch(flow, flow->source, &out->blocks[first]);
	item->address = out->blocks[first].address;
	item->blocks.list = &out->blocks[first];
	item->blocks.count = out->block_count - first;
	item->blocks.instructions = stats->instructions - instructions;
	stats->blocks += item->blocks.count;
	out->count++;
	return status;
}

/* Goes on with the walk under way, and with the message that asked for it when it is over. */
static enum walk_status go_on(struct rvtrace_flow *flow, struct output *out)
{
	enum walk_status status = walk(flow, out);

	if (status == WALK_AGAIN || status == WALK_NO_MEMORY)
		return status;
	flow->walking = false;
	if (flow_is_cdl(flow))
		flow_cdl_walked(flow);
	else if (flow_is_debugspec(flow))
		flow_debugspec_walked(flow);
	else if (flow_is_etrace(flow))
		flow_etrace_walked(flow);
	else
		flow_ntrace_walked(flow);
	return status;
}

static void drain_queue(struct rvtrace_flow *flow, struct output *out)
{
	while (flow->queue_count && out->count < out->max && out->block_count < out->block_max &&
	       flow->straddles < STRADDLE_MAX) {
		out->items[out->count++] = flow->queue[flow->queue_head];
		if (flow->queue[flow->queue_head].type == RVTRACE_FLOW_BLOCKS)
			flow_etrace_deliver(flow, out, &out->items[out->count - 1]);
		flow->queue_head = (flow->queue_head + 1) % QUEUE_SIZE;
		flow->queue_count--;
	}
}

/**
 * flow_read() - the next items, without those of data trace
 * @flow: the decoder
 * @items: room for them
 * @max: how many, at least 1
 *
 * Ends early when an access has been queued: flow->accessed.
 *
 * Return: as rvtrace_flow_read().
 */
int flow_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max)
{
	struct output out = {
		.items = items, .max = max, .blocks = flow->run, .block_max = RUN_MAX,
	};
	int ret;

	flow->straddles = 0;
	flow->accessed = false;
	if (flow_is_debugspec(flow))
		flow_debugspec_begin(flow);
	flow->generation = rvtrace_image_generation(flow->image);
	if (flow->source)	/* the image may have changed */
		flow_source(flow, flow->source->id);
	while (out.count < max && out.block_count < RUN_MAX && flow->straddles < STRADDLE_MAX) {
		if (flow->queue_count) {
			drain_queue(flow, &out);
		} else if (flow->closing) {
			close_some(flow);
		} else if (flow->walking) {
			if (go_on(flow, &out) == WALK_NO_MEMORY)
				return RVTRACE_ERR_NO_MEMORY;
		} else {
			ret = next_message(flow);
			if (ret < 0)
				return ret;
			if (!ret || flow->accessed)
				break;
		}
	}
	return flow->failed ? RVTRACE_ERR_NO_MEMORY : (int)out.count;
}

int rvtrace_flow_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max)
{
	return flow->accesses ? flow_access_read(flow, items, max) : flow_read(flow, items, max);
}

/* Offsets count nybbles of some formats, see rvtrace/flow.h. */
static unsigned int units_per_byte(const struct rvtrace_flow *flow)
{
	return flow_is_cdl(flow) || flow_is_debugspec(flow) ? 2 : 1;
}

/* No bytes follow that have to do with those before. */
static void close_stream(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final)
{
	if (flow_is_cdl(flow))
		flow_cdl_close(flow, final);
	else
		flow_close_all(flow, final);
}

int rvtrace_flow_lost(struct rvtrace_flow *flow, uint64_t bytes, uint64_t offset,
		      unsigned int flags)
{
	struct rvtrace_flow_item item;

	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	offset *= units_per_byte(flow);
	if (flags & RVTRACE_LOST_ALIGNED)
		flow_seek(flow, offset);
	else
		flow_resync(flow, offset);
	flow->message.offset = offset;
	flow_stamp(flow, NULL, RVTRACE_FLOW_LOST, &item);
	item.lost.bytes = bytes;
	close_stream(flow, &item);
	return 0;
}

int rvtrace_flow_restart(struct rvtrace_flow *flow, unsigned int number)
{
	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	flow->latest = restart_near(number, flow->etrace ? etrace_time_bits(&flow->config.etrace) :
							   flow->config.time_bits);
	flow->config.time_bits = restart_bits(flow->config.time_bits);
	if (flow->etrace)
		rvtrace_etrace_restart(flow->etrace);
	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		flow->sources[i]->has_time = false;
		flow->sources[i]->placed = false;
	}
	return 0;
}

/* Nybbles of which no use was, and no place came from which on there is. */
static uint64_t lost_up_to_end(const struct rvtrace_flow *flow, uint64_t *from)
{
	if (flow_is_cdl(flow))
		return rvtrace_cdl_lost(flow->cdl->reader, from);
	return flow_is_debugspec(flow) ? flow_debugspec_lost(flow, from) : 0;
}

int rvtrace_flow_finish(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item item;
	uint64_t offset, from, lost;
	size_t pending;

	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	lost = lost_up_to_end(flow, &from);
	pending = flow_pending(flow, &offset);
	flow->message.offset = offset;
	flow_stamp(flow, NULL, RVTRACE_FLOW_ERROR, &item);
	item.error.code = RVTRACE_ERR_TRUNCATED;
	item.error.size = pending;
	flow_seek(flow, offset + pending);
	if (flow_is_cdl(flow) && flow->config.cdl.buffer != RVTRACE_CDL_STREAM)
		pending = 0;	/* recording ended anywhere */
	if (lost) {
		item.error.code = RVTRACE_ERR_SYNC;
		item.error.size = lost > UINT32_MAX ? UINT32_MAX : lost;
		item.offset = from;
		pending = 1;
	}
	close_stream(flow, pending ? &item : NULL);
	return 0;
}

int rvtrace_flow_set_state(struct rvtrace_flow *flow, unsigned int id, int priv, uint64_t space)
{
	struct source *source;

	if (id >= flow->source_count || (priv != -1 && priv != 0 && priv != 1 && priv != 3))
		return RVTRACE_ERR_INVALID;
	source = flow_source(flow, id);
	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	source->default_priv = priv;
	source->default_space = space;
	source->priv = priv;
	source->space = space;
	flow_forget_place(source);
	return 0;
}

void rvtrace_flow_stats(const struct rvtrace_flow *flow, unsigned int source,
			struct rvtrace_flow_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (source < flow->source_count && flow->sources[source])
		*stats = flow->sources[source]->stats;
}
