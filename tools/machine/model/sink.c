// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/sink.h"

#include <stdlib.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/component.h"
#include "tools/machine/model/outlet.h"

/**
 * struct sink_model - a sink with a page of its own
 * @registers: as outlet.c knows them
 * @enabled: SINK_ENABLE as it was when update() last looked
 */
struct sink_model {
	struct sink_config config;
	const struct sink_ops *ops;
	void *opaque;
	struct component component;
	struct outlet outlet;
	struct reg_block registers;
	bool enabled;
	struct sink_stats stats;
};

void sink_config_init(struct sink_config *config, enum tci generation,
		      enum sink_kind kind)
{
	*config = (struct sink_config) {
		.generation = generation,
		.kind = kind,
		.ram_modes = RAMSINK_SMEM,
		.stop_on_wrap = true,
		.component.active_delay = 50000,
		.component.empty_delay = 20000,
	};
	ramsink_config_default(&config->ram);
	pibsink_config_default(&config->pib);
	atbsink_config_default(&config->atb);
}

static uint32_t sinks_of(const struct sink_config *config)
{
	switch (config->kind) {
	case SINK_KIND_PIB:
		return SINK_PIB;
	case SINK_KIND_ATB:
		return SINK_ATB;
	default:
		return (config->ram_modes & RAMSINK_SRAM ? SINK_SRAM : 0) |
		       (config->ram_modes & RAMSINK_SMEM ? SINK_MEMORY : 0);
	}
}

static const char *check_kind(const struct sink_config *config,
			      const struct generation *generation)
{
	switch (config->kind) {
	case SINK_KIND_PIB:
		return pibsink_config_check(&config->pib,
					    generation->pib_modes);
	case SINK_KIND_ATB:
		return atbsink_config_check(&config->atb);
	default:
		return ramsink_config_check(&config->ram, config->ram_modes);
	}
}

const char *sink_config_check(const struct sink_config *config)
{
	const struct generation *generation = generation_of(config->generation);

	if (!generation || !generation->own_pages)
		return "sinks of this generation have no page of their own";
	return check_kind(config, generation);
}

/* Registers */

/* Value of teSink for what it is now */
static uint32_t sink_in_use(const struct sink_model *sink)
{
	switch (sink->config.kind) {
	case SINK_KIND_PIB:
		return RVTRACE_SINK_PIB;
	case SINK_KIND_ATB:
		return RVTRACE_SINK_ATB;
	default:
		return sink->outlet.ram.fields[RAM_MODE] ==
		       RVTRACE_RAM_MODE_SRAM ? RVTRACE_SINK_SRAM :
					       RVTRACE_SINK_SBA;
	}
}

static uint32_t read_live(void *owner, unsigned int id)
{
	struct sink_model *sink = owner;
	uint32_t empty;

	if (id != SINK_EMPTY)
		return sink->registers.ops->read(&sink->outlet, id);
	empty = sink->config.kind == SINK_KIND_RAM ?
		outlet_is_empty(&sink->outlet) :
		sink->registers.ops->read(&sink->outlet, id);
	return component_says_empty(&sink->component, empty &&
				    !component_is_flushing(&sink->component));
}

static void accept(void *owner, unsigned int id, uint32_t value)
{
	struct sink_model *sink = owner;

	sink->registers.ops->accept(&sink->outlet, id, value);
}

static void update(void *owner)
{
	struct sink_model *sink = owner;
	bool enabled = sink->registers.values[SINK_ENABLE];
	bool falls = !enabled && sink->enabled;

	sink->enabled = enabled;
	if (sink->registers.ops->written)
		sink->registers.ops->written(&sink->outlet);
	outlet_select(&sink->outlet, sink_in_use(sink),
		      sink->outlet.ram.fields[RAM_STOP_ON_WRAP], enabled);
	if (falls)
		component_start_flush(&sink->component);
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.accept = accept,
	.written = update,
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
	sink->outlet.ram.config.bandwidth = bandwidth;
}

uint32_t sink_model_bandwidth(const struct sink_model *sink)
{
	return sink->outlet.ram.config.bandwidth;
}

/* The way of the trace */

bool sink_model_is_on(const struct sink_model *sink)
{
	return component_is_up(&sink->component) && sink->enabled;
}

/* A PIB that is disabled "does not accept input"; others drop it. */
static bool drops(const struct sink_model *sink)
{
	return !component_is_up(&sink->component) ||
	       (!sink->enabled && sink->config.kind != SINK_KIND_PIB);
}

bool sink_model_has_room(const struct sink_model *sink, size_t size)
{
	return drops(sink) || outlet_has_room(&sink->outlet, size);
}

/* Whether @size bytes were the last ones that the sink takes. */
static bool stops(struct sink_model *sink, size_t size)
{
	/* The buffer has filled: nothing is left to flush. */
	if (outlet_is_full(&sink->outlet))
		return true;
	if (!component_stops(&sink->component, size))
		return false;
	outlet_flush(&sink->outlet);
	return true;
}

bool sink_model_send(struct sink_model *sink, const uint8_t *message,
		     size_t size, bool wait)
{
	if (drops(sink)) {
		sink->stats.dropped += size;
		return true;
	}
	if (!outlet_put(&sink->outlet, message, size, wait))
		return false;
	if (stops(sink, size)) {
		sink->registers.values[SINK_ENABLE] = 0;
		sink->enabled = false;
		update(sink);
	}
	sink->stats.bytes += size;
	return true;
}

void sink_model_advance(struct sink_model *sink, uint32_t halfwords)
{
	outlet_advance(&sink->outlet, halfwords);
}

/* Life */

static uint64_t now(void *owner)
{
	struct sink_model *sink = owner;

	return sink->ops->outlet.now(sink->opaque);
}

static void schedule(void *owner, uint64_t ticks)
{
	struct sink_model *sink = owner;

	sink->ops->schedule(sink->opaque, ticks);
}

static void reset(void *owner)
{
	struct sink_model *sink = owner;

	outlet_reset(&sink->outlet);
	sink->registers.values[SINK_ENABLE] = 0;
	sink->enabled = false;
	outlet_select(&sink->outlet, sink_in_use(sink), false, false);
}

static void flush(void *owner)
{
	struct sink_model *sink = owner;

	outlet_flush(&sink->outlet);
}

static const struct component_ops component_ops = {
	.now = now,
	.schedule = schedule,
	.reset = reset,
	.flush = flush,
};

static bool build(struct sink_model *sink)
{
	const struct sink_config *config = &sink->config;
	const struct outlet_config outlet = {
		.sinks = sinks_of(config),
		.ram = &config->ram,
		.pib = &config->pib,
		.atb = &config->atb,
	};
	struct reg_block block;

	if (!outlet_init(&sink->outlet, generation_of(config->generation),
			 &outlet, &sink->ops->outlet, sink->opaque))
		return false;
	sink->outlet.ram.legal[RAM_STOP_ON_WRAP] =
		reg_flag(config->stop_on_wrap);
	sink->registers = outlet_registers(&sink->outlet, outlet.sinks);
	block = sink->registers;
	block.ops = &reg_ops;
	block.owner = sink;
	component_init(&sink->component, &config->component, &component_ops, sink);
	component_add(&sink->component, &block);
	return true;
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
	if (!build(sink)) {
		sink_model_free(sink);
		return NULL;
	}
	sink_model_reset(sink);
	return sink;
}

void sink_model_free(struct sink_model *sink)
{
	if (!sink)
		return;
	outlet_free(&sink->outlet);
	free(sink);
}

void sink_model_reset(struct sink_model *sink)
{
	component_reset(&sink->component);
}

void sink_model_lose_power(struct sink_model *sink)
{
	component_lose_power(&sink->component);
	outlet_lose_power(&sink->outlet);
}

void sink_model_stats(const struct sink_model *sink, struct sink_stats *stats)
{
	*stats = sink->stats;
	stats->wraps = sink->outlet.ram.wraps;
	stats->accesses = sink->component.accesses;
}
