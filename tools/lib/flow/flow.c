// SPDX-License-Identifier: LGPL-2.1-or-later
/* Flow decoder, public side: see rvtrace/flow.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/time_bits.h"
#include "flow_access.h"
#include "flow_cdl.h"
#include "flow_debugspec.h"
#include "flow_etrace.h"
#include "flow_format.h"
#include "flow_ntrace.h"

static const struct flow_format *const formats[] = {
	[RVTRACE_FLOW_FORMAT_NTRACE] = &flow_ntrace_format,
	[RVTRACE_FLOW_FORMAT_ETRACE] = &flow_etrace_format,
	[RVTRACE_FLOW_FORMAT_CDL] = &flow_cdl_format,
	[RVTRACE_FLOW_FORMAT_DEBUGSPEC] = &flow_debugspec_format,
};

const struct flow_format *flow_format_of(const struct rvtrace_flow_config *config)
{
	const struct flow_format *format;

	if (!all_zero(config->isa.reserved, sizeof(config->isa.reserved)) ||
	    config->time_bits > 64 || (config->isa.xlen != 32 && config->isa.xlen != 64) ||
	    config->format >= sizeof(formats) / sizeof(formats[0]))
		return NULL;
	format = formats[config->format];
	return format->is_valid(config) ? format : NULL;
}

/* The decoder as far as its configuration says what it is. */
static int set_config(struct rvtrace_flow *flow, const struct rvtrace_flow_config *config)
{
	int err = flow_config_take(&flow->config, config);

	if (err)
		return err;
	flow->format = flow_format_of(&flow->config);
	if (!flow->format)
		return RVTRACE_ERR_INVALID;
	flow->latest = flow->config.time_near;
	if (!flow->config.branches_max)
		flow->config.branches_max = flow->format->branches_max;
	return flow->format->open(&flow->config, &flow->reader);
}

int rvtrace_flow_new(const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		     struct rvtrace_flow **result)
{
	const struct flow_format *format;
	struct rvtrace_flow *flow;
	int err;

	if (!image)
		return RVTRACE_ERR_INVALID;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return RVTRACE_ERR_NO_MEMORY;
	flow->image = image;
	err = set_config(flow, config);
	if (err) {
		free(flow);
		return err;
	}
	format = flow->format;
	flow->follows_link = format->follows_link && format->follows_link(&flow->config);
	flow->source_count = (size_t)1 << flow->config.src_bits;
	flow->sources = calloc(flow->source_count, sizeof(*flow->sources));
	flow->touched = calloc(flow->source_count / 64 + 1, sizeof(*flow->touched));
	flow->state = format->state_size ? calloc(1, format->state_size) : NULL;
	/* block 0 is there from the start, so that a look at it is harmless */
	flow->blocks = calloc(1, sizeof(*flow->blocks));
	if (!flow->sources || !flow->touched || !flow->blocks ||
	    (format->state_size && !flow->state)) {
		rvtrace_flow_free(flow);
		return RVTRACE_ERR_NO_MEMORY;
	}
	flow->block_count = 1;
	flow->block_room = 1;
	if (format->new_state)
		format->new_state(flow);
	if (format->has_accesses && format->has_accesses(&flow->config)) {
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
		if (flow->sources[i])
			flow_access_free_queue(flow->sources[i]->accesses);
		flow_free_source(flow, flow->sources[i]);
	}
	free(flow->sources);
	free(flow->touched);
	flow_access_free(flow->accesses);
	flow_blocks_free(flow);
	flow->format->reader->free(flow->reader);
	free(flow->state);
	free(flow);
}

/* Nothing to deliver, no bytes unread. */
static bool idle(struct rvtrace_flow *flow)
{
	return !flow->queue_count && !flow->walking && !flow->closing && !flow->repeats &&
	       (!flow->accesses || flow_access_idle(flow)) &&
	       !(flow->format->busy && flow->format->busy(flow)) &&
	       !flow->format->reader->feed(flow->reader, NULL, 0);
}

int rvtrace_flow_feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return idle(flow) ? flow->format->reader->feed(flow->reader, data, size) : RVTRACE_ERR_BUSY;
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
	status = flow->format->walk(flow, out);
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
	flow->format->walked(flow);
	return status;
}

static void drain_queue(struct rvtrace_flow *flow, struct output *out)
{
	while (flow->queue_count && out->count < out->max && out->block_count < out->block_max &&
	       flow->straddles < STRADDLE_MAX) {
		out->items[out->count++] = flow->queue[flow->queue_head];
		if (flow->queue[flow->queue_head].type == RVTRACE_FLOW_BLOCKS)
			flow->format->deliver(flow, out, &out->items[out->count - 1]);
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
	if (flow->format->begin)
		flow->format->begin(flow);
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
			ret = flow->format->next(flow);
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

/* No bytes follow that have to do with those before. */
static void close_stream(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final)
{
	if (flow->format->close)
		flow->format->close(flow, final);
	else
		flow_close_all(flow, final);
}

int rvtrace_flow_lost(struct rvtrace_flow *flow, uint64_t bytes, uint64_t offset,
		      unsigned int flags)
{
	struct rvtrace_flow_item item;

	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	/* of some formats nybbles, see rvtrace/flow.h */
	offset *= flow->format->reader->units;
	flow->format->reader->seek(flow->reader, offset, flags & RVTRACE_LOST_ALIGNED);
	flow->message.offset = offset;
	flow_stamp(flow, NULL, RVTRACE_FLOW_LOST, &item);
	item.lost.bytes = bytes;
	close_stream(flow, &item);
	return 0;
}

int rvtrace_flow_restart(struct rvtrace_flow *flow, unsigned int number)
{
	const struct flow_format *format = flow->format;

	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	flow->latest = restart_near(number, format->time_bits ? format->time_bits(&flow->config) :
								flow->config.time_bits);
	flow->config.time_bits = restart_bits(flow->config.time_bits);
	flow_inherit(flow);
	if (format->reader->restart)
		format->reader->restart(flow->reader);
	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		flow->sources[i]->has_time = false;
		flow->sources[i]->reached = 0;
		flow->sources[i]->placed = false;
	}
	return 0;
}

int rvtrace_flow_finish(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item item;
	const struct flow_format *format = flow->format;
	uint64_t offset, from = 0, lost;
	size_t pending;

	if (!idle(flow))
		return RVTRACE_ERR_BUSY;
	lost = format->lost ? format->lost(flow, &from) : 0;
	pending = format->reader->pending(flow->reader, &offset);
	flow->message.offset = offset;
	flow_stamp(flow, NULL, RVTRACE_FLOW_ERROR, &item);
	item.error.code = RVTRACE_ERR_TRUNCATED;
	item.error.size = pending;
	format->reader->seek(flow->reader, offset + pending, true);
	if (format->ends_anywhere && format->ends_anywhere(&flow->config))
		pending = 0;
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

int rvtrace_flow_stats(const struct rvtrace_flow *flow, unsigned int source,
		       struct rvtrace_flow_stats *stats)
{
	static const struct rvtrace_flow_stats none;
	bool known = source < flow->source_count && flow->sources[source];
	const struct rvtrace_flow_stats *own = known ? &flow->sources[source]->stats : &none;
	int err = sized_give(stats, own, sizeof(*own), &own->tasks + 1);

	/* an older program has no use for other counts */
	return err == RVTRACE_ERR_TOO_NEW ? 0 : err;
}
