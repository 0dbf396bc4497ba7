// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/outlet.h"

#include <string.h>

#include "tools/encode/nexus.h"

void outlet_init(struct outlet *outlet, const struct generation *generation,
		 uint32_t sinks, const struct ramsink_config *ram,
		 const struct outlet_ops *ops, void *opaque)
{
	memset(outlet, 0, sizeof(*outlet));
	outlet->ops = *ops;
	outlet->opaque = opaque;
	outlet->sinks = sinks;
	ramsink_init(&outlet->ram, generation, ram, ops->dma_write, opaque);
}

static uint32_t ram_read(void *owner, unsigned int id)
{
	return ramsink_read(owner, (enum ram_field)id);
}

static void ram_accept(void *owner, unsigned int id, uint32_t value)
{
	ramsink_accept(owner, (enum ram_field)id, value);
}

static const struct reg_ops ram_ops = {
	.read = ram_read,
	.accept = ram_accept,
};

void outlet_add_registers(struct outlet *outlet, struct component *component)
{
	const struct generation *generation = outlet->ram.generation;

	if (outlet->sinks & SINK_RAM)
		component_add(component, &(struct reg_block) {
			.specs = generation->ram,
			.converts = generation->converts,
			.values = outlet->ram.fields,
			.legal = outlet->ram.legal,
			.ops = &ram_ops,
			.owner = &outlet->ram,
		});
}

void outlet_select(struct outlet *outlet, uint32_t sink, bool stop_on_wrap)
{
	uint32_t sinks = outlet->sinks & ~SINK_ONE;

	outlet->sink = sink ? 1u << sink : sinks & -sinks;
	outlet->ram.fields[RAM_STOP_ON_WRAP] = stop_on_wrap;
}

void outlet_restart(struct outlet *outlet)
{
	outlet->ram.wrapped = false;
}

static bool is_next_off(const struct outlet *outlet)
{
	return outlet->ops.is_on && !outlet->ops.is_on(outlet->opaque);
}

bool outlet_put(struct outlet *outlet, const uint8_t *message, size_t size,
		bool wait)
{
	if (outlet->sink == SINK_FUNNEL) {
		outlet->error |= !outlet->error && is_next_off(outlet);
		return outlet->ops.send(outlet->opaque, message, size, wait);
	}
	return ramsink_put(&outlet->ram, message, size, wait);
}

void outlet_advance(struct outlet *outlet, uint32_t halfwords)
{
	if (outlet->sink == SINK_FUNNEL)
		outlet->ops.advance(outlet->opaque, halfwords);
	else
		ramsink_advance(&outlet->ram, halfwords);
}

void outlet_flush(struct outlet *outlet)
{
	ramsink_flush(&outlet->ram, NEXUS_IDLE);
}

void outlet_reset(struct outlet *outlet)
{
	ramsink_reset(&outlet->ram);
	outlet->error = false;
}

bool outlet_is_full(const struct outlet *outlet)
{
	return outlet->sink & SINK_RAM && ramsink_is_full(&outlet->ram);
}

bool outlet_is_empty(const struct outlet *outlet)
{
	return ramsink_empty(&outlet->ram);
}

bool outlet_take_error(struct outlet *outlet)
{
	bool error = outlet->error || outlet->ram.error;

	outlet->error = false;
	outlet->ram.error = false;
	return error;
}

/* 0: 32 bits, 1: 64 bits and so on */
uint32_t outlet_sink_bytes(const struct outlet *outlet)
{
	if (!(outlet->sinks & SINK_RAM))
		return 0;
	return __builtin_ctz(outlet->ram.config.access_width) - 2;
}
