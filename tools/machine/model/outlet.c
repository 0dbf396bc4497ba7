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
	outlet->sink = 1u << sink;
	outlet->ram.fields[RAM_STOP_ON_WRAP] = stop_on_wrap;
}

void outlet_restart(struct outlet *outlet)
{
	outlet->ram.wrapped = false;
}

bool outlet_put(struct outlet *outlet, const uint8_t *message, size_t size,
		bool wait)
{
	if (outlet->sink == SINK_FUNNEL)
		return outlet->ops.send(outlet->opaque, message, size, wait);
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
}

bool outlet_is_full(const struct outlet *outlet)
{
	return outlet->sink & SINK_RAM && ramsink_is_full(&outlet->ram);
}

bool outlet_is_empty(const struct outlet *outlet)
{
	return ramsink_empty(&outlet->ram);
}
