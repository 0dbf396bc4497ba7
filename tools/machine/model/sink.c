// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/sink.h"

#include <stdlib.h>

#include "tools/encode/nexus.h"
#include "tools/machine/model/component.h"

/**
 * struct sink_model - a sink with a page of its own
 * @enabled: RAM_ENABLE as it was when written() last looked
 */
struct sink_model {
	struct sink_config config;
	const struct sink_ops *ops;
	void *opaque;
	struct component component;
	struct ramsink ram;
	bool enabled;
	struct sink_stats stats;
};

void sink_config_init(struct sink_config *config, enum tci generation)
{
	*config = (struct sink_config) {
		.generation = generation,
		.stop_on_wrap = true,
		.active_delay = 50000,
		.empty_delay = 20000,
	};
	ramsink_config_default(&config->ram);
}

const char *sink_config_check(const struct sink_config *config)
{
	const struct generation *generation = generation_of(config->generation);

	if (!generation || !generation->own_pages)
		return "sinks of this generation have no page of their own";
	return ramsink_config_check(&config->ram);
}

/* Registers */

static uint32_t read_live(void *owner, unsigned int id)
{
	struct sink_model *sink = owner;
	bool empty;

	if (id != RAM_EMPTY)
		return ramsink_read(&sink->ram, (enum ram_field)id);
	empty = ramsink_empty(&sink->ram) &&
		!component_is_flushing(&sink->component);
	return component_says_empty(&sink->component, empty);
}

static void accept(void *owner, unsigned int id, uint32_t value)
{
	struct sink_model *sink = owner;

	ramsink_accept(&sink->ram, (enum ram_field)id, value);
}

static void written(void *owner)
{
	struct sink_model *sink = owner;
	bool enabled = sink->ram.fields[RAM_ENABLE];

	if (enabled == sink->enabled)
		return;
	sink->enabled = enabled;
	if (enabled)
		sink->ram.wrapped = false;
	else
		component_start_flush(&sink->component);
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.accept = accept,
	.written = written,
};

uint32_t sink_model_read(struct sink_model *sink, uint32_t offset)
{
	return component_read(&sink->component, offset);
}

void sink_model_write(struct sink_model *sink, uint32_t offset, uint32_t value)
{
	component_write(&sink->component, offset, value);
}

void sink_model_tick(struct sink_model *sink)
{
	component_tick(&sink->component);
}

void sink_model_set_fault(struct sink_model *sink, const struct fault *fault)
{
	component_set_fault(&sink->component, fault);
}

void sink_model_fault(const struct sink_model *sink, struct fault *fault)
{
	*fault = sink->component.fault;
}

void sink_model_set_bandwidth(struct sink_model *sink, uint32_t bandwidth)
{
	sink->ram.config.bandwidth = bandwidth;
}

uint32_t sink_model_bandwidth(const struct sink_model *sink)
{
	return sink->ram.config.bandwidth;
}

/* The way of the trace */

bool sink_model_is_on(const struct sink_model *sink)
{
	return component_is_up(&sink->component) && sink->enabled;
}

bool sink_model_send(struct sink_model *sink, const uint8_t *message,
		     size_t size, bool wait)
{
	if (!sink_model_is_on(sink)) {
		sink->stats.dropped += size;
		return true;
	}
	if (!ramsink_put(&sink->ram, message, size, wait))
		return false;
	/* The buffer has filled: nothing is left to flush. */
	if (ramsink_is_full(&sink->ram)) {
		sink->ram.fields[RAM_ENABLE] = 0;
		sink->enabled = false;
	}
	sink->stats.bytes += size;
	return true;
}

void sink_model_advance(struct sink_model *sink, uint32_t halfwords)
{
	ramsink_advance(&sink->ram, halfwords);
}

/* Life */

static uint64_t now(void *owner)
{
	struct sink_model *sink = owner;

	return sink->ops->now(sink->opaque);
}

static void schedule(void *owner, uint64_t ticks)
{
	struct sink_model *sink = owner;

	sink->ops->schedule(sink->opaque, ticks);
}

static void reset(void *owner)
{
	struct sink_model *sink = owner;

	ramsink_reset(&sink->ram);
	sink->ram.fields[RAM_ENABLE] = 0;
	sink->enabled = false;
}

static void flush(void *owner)
{
	struct sink_model *sink = owner;

	ramsink_flush(&sink->ram, NEXUS_IDLE);
}

static const struct component_ops component_ops = {
	.now = now,
	.schedule = schedule,
	.reset = reset,
	.flush = flush,
};

static void build(struct sink_model *sink)
{
	const struct sink_config *config = &sink->config;
	const struct generation *generation = generation_of(config->generation);
	const struct component_config common = {
		.active_delay = config->active_delay,
		.empty_delay = config->empty_delay,
		.undef = config->undef,
		.fault = config->fault,
	};

	ramsink_init(&sink->ram, generation, &config->ram,
		     sink->ops->dma_write, sink->opaque);
	sink->ram.legal[RAM_STOP_ON_WRAP] = reg_flag(config->stop_on_wrap);
	component_init(&sink->component, &common, &component_ops, sink);
	component_add(&sink->component, &(struct reg_block) {
		.specs = generation->ram,
		.converts = generation->converts,
		.values = sink->ram.fields,
		.legal = sink->ram.legal,
		.ops = &reg_ops,
		.owner = sink,
	});
}

struct sink_model *sink_model_new(const struct sink_config *config,
				  const struct sink_ops *ops, void *opaque)
{
	struct sink_model *sink;

	if (sink_config_check(config))
		return NULL;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return NULL;
	sink->config = *config;
	sink->ops = ops;
	sink->opaque = opaque;
	build(sink);
	sink_model_reset(sink);
	return sink;
}

void sink_model_free(struct sink_model *sink)
{
	free(sink);
}

void sink_model_reset(struct sink_model *sink)
{
	component_reset(&sink->component);
}

void sink_model_stats(const struct sink_model *sink, struct sink_stats *stats)
{
	*stats = sink->stats;
	stats->wraps = sink->ram.wraps;
	stats->accesses = sink->component.accesses;
}
