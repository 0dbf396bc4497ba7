// SPDX-License-Identifier: LGPL-2.1-or-later
/* Flow decoder, public side: see rvtrace/flow.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/time_bits.h"
#include "tools/lib/packet/etrace_internal.h"
#include "flow_access.h"
#include "flow_internal.h"

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
		if (config->modes[i] > RVTRACE_NTRACE_MODE_OPTIMIZED)
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
	flow_pass_switch(flow, flow->source, &out->blocks[out->block_count - 1]);
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
		} else if (flow->walking) {
			if (go_on(flow, &out) == WALK_NO_MEMORY)
				return RVTRACE_ERR_NO_MEMORY;
		} else if (flow->closing) {
			flow_close_some(flow);
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
	flow_inherit(flow);
	if (flow->etrace)
		rvtrace_etrace_restart(flow->etrace);
	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		flow->sources[i]->has_time = false;
		flow->sources[i]->reached = 0;
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
