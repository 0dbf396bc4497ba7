// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/outlet.h"

#include <string.h>

/* The set of modes of a RAM sink */
static uint32_t ram_modes(uint32_t sinks)
{
	return (sinks & SINK_SRAM ? RAMSINK_SRAM : 0) |
	       (sinks & SINK_MEMORY ? RAMSINK_SMEM : 0);
}

const char *outlet_config_check(const struct outlet_config *config,
				const struct generation *generation)
{
	uint32_t sinks = config->sinks & ~SINK_ONE;
	const char *wrong = NULL;

	if (!sinks || config->sinks & ~generation->sinks)
		return "sinks has one that this generation does not have";
	if (config->sinks & SINK_ONE && sinks & (sinks - 1))
		return "sinks has more than the one that 0 stands for";
	if (sinks & SINK_RAM)
		wrong = ramsink_config_check(config->ram, ram_modes(sinks));
	if (!wrong && sinks & SINK_PIB)
		wrong = pibsink_config_check(config->pib,
					     generation->pib_modes);
	if (!wrong && sinks & SINK_ATB)
		wrong = atbsink_config_check(config->atb);
	return wrong;
}

bool outlet_init(struct outlet *outlet, const struct generation *generation,
		 const struct outlet_config *config,
		 const struct outlet_ops *ops, void *opaque)
{
	bool own_page = generation->own_pages;

	memset(outlet, 0, sizeof(*outlet));
	outlet->generation = generation;
	outlet->ops = *ops;
	outlet->opaque = opaque;
	outlet->sinks = config->sinks;
	if (config->sinks & SINK_PIB)
		pibsink_init(&outlet->pib, config->pib, own_page,
			     ops->pib_write, opaque);
	if (config->sinks & SINK_ATB)
		atbsink_init(&outlet->atb, config->atb, own_page,
			     ops->atb_write, opaque);
	return !(config->sinks & SINK_RAM) ||
	       ramsink_init(&outlet->ram, generation, config->ram,
			    ram_modes(config->sinks), ops->dma_write, opaque);
}

void outlet_free(struct outlet *outlet)
{
	ramsink_free(&outlet->ram);
}

/* Registers */

static uint32_t ram_read(void *owner, unsigned int id)
{
	struct outlet *outlet = owner;

	return ramsink_read(&outlet->ram, (enum ram_field)id);
}

static void ram_accept(void *owner, unsigned int id, uint32_t value)
{
	struct outlet *outlet = owner;

	ramsink_accept(&outlet->ram, (enum ram_field)id, value);
}

static const struct reg_ops ram_ops = {
	.read = ram_read,
	.accept = ram_accept,
};

static uint64_t now(struct outlet *outlet)
{
	return outlet->ops.now(outlet->opaque);
}

static uint32_t pib_read(void *owner, unsigned int id)
{
	struct outlet *outlet = owner;

	if (id == PIB_ACTIVE)
		return active_read(&outlet->pib.active, now(outlet));
	if (id == PIB_EMPTY)
		return pibsink_empty(&outlet->pib, now(outlet));
	return outlet->pib.fields[id];
}

static void pib_accept(void *owner, unsigned int id, uint32_t value)
{
	struct outlet *outlet = owner;

	pibsink_accept(&outlet->pib, (enum pib_field)id, value, now(outlet));
}

static void pib_written(void *owner)
{
	struct outlet *outlet = owner;

	pibsink_update(&outlet->pib, now(outlet));
}

static const struct reg_ops pib_ops = {
	.read = pib_read,
	.accept = pib_accept,
	.written = pib_written,
};

static uint32_t atb_read(void *owner, unsigned int id)
{
	struct outlet *outlet = owner;

	if (id == ATB_ACTIVE)
		return active_read(&outlet->atb.active, now(outlet));
	if (id == ATB_EMPTY)
		return atbsink_empty(&outlet->atb, now(outlet));
	return outlet->atb.fields[id];
}

static void atb_accept(void *owner, unsigned int id, uint32_t value)
{
	struct outlet *outlet = owner;

	atbsink_accept(&outlet->atb, (enum atb_field)id, value, now(outlet));
}

static void atb_written(void *owner)
{
	struct outlet *outlet = owner;

	atbsink_update(&outlet->atb, now(outlet));
}

static const struct reg_ops atb_ops = {
	.read = atb_read,
	.accept = atb_accept,
	.written = atb_written,
};

struct reg_block outlet_registers(struct outlet *outlet, uint32_t sink)
{
	const struct generation *generation = outlet->generation;
	struct reg_block block = {
		.specs = generation->ram,
		.converts = generation->converts,
		.values = outlet->ram.fields,
		.legal = outlet->ram.legal,
		.ops = &ram_ops,
		.owner = outlet,
	};

	if (sink & SINK_PIB) {
		block.specs = generation->pib;
		block.values = outlet->pib.fields;
		block.legal = outlet->pib.legal;
		block.ops = &pib_ops;
	} else if (sink & SINK_ATB) {
		block.specs = generation->atb;
		block.values = outlet->atb.fields;
		block.legal = outlet->atb.legal;
		block.ops = &atb_ops;
	}
	return block;
}

void outlet_add_registers(struct outlet *outlet, struct component *component)
{
	static const uint32_t pages[] = { SINK_RAM, SINK_PIB, SINK_ATB };
	struct reg_block block;
	unsigned int i;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (!(outlet->sinks & pages[i]))
			continue;
		block = outlet_registers(outlet, pages[i]);
		component_add(component, &block);
	}
}

void outlet_select(struct outlet *outlet, uint32_t sink, bool stop_on_wrap,
		   bool enabled)
{
	uint32_t sinks = outlet->sinks & ~SINK_ONE;
	uint32_t *ram = outlet->ram.fields;

	outlet->sink = sink ? 1u << sink : sinks & -sinks;
	if (enabled && !outlet->enabled)
		outlet->ram.wrapped = false;
	outlet->enabled = enabled;
	ram[RAM_ENABLE] = enabled;
	ram[RAM_STOP_ON_WRAP] = stop_on_wrap;
	if (outlet->sink & SINK_RAM)
		ram[RAM_MODE] = outlet->sink == SINK_MEMORY;
}

/* The way of the trace */

static bool is_next_off(const struct outlet *outlet)
{
	return outlet->ops.is_on && !outlet->ops.is_on(outlet->opaque);
}

static bool put_next(struct outlet *outlet, const uint8_t *message, size_t size,
		     bool wait)
{
	outlet->error |= !outlet->error && is_next_off(outlet);
	return outlet->ops.send(outlet->opaque, message, size, wait);
}

/* What comes out of the pins, frames or SRAM is compared with this. */
static bool tell_sent(const struct outlet *outlet, const uint8_t *message,
		      size_t size)
{
	if (outlet->ops.sent)
		outlet->ops.sent(outlet->opaque, message, size);
	return true;
}

bool outlet_put(struct outlet *outlet, const uint8_t *message, size_t size,
		bool wait)
{
	switch (outlet->sink) {
	case SINK_FUNNEL:
		return put_next(outlet, message, size, wait);
	case SINK_PIB:
		outlet->error |= !outlet->pib.fields[PIB_ENABLE];
		return pibsink_put(&outlet->pib, message, size, wait,
				   outlet->ops.now(outlet->opaque)) &&
		       tell_sent(outlet, message, size);
	case SINK_ATB:
		outlet->error |= !outlet->atb.fields[ATB_ENABLE];
		atbsink_put(&outlet->atb, message, size,
			    outlet->ops.now(outlet->opaque));
		return tell_sent(outlet, message, size);
	case SINK_SRAM:
		return ramsink_put(&outlet->ram, message, size, wait) &&
		       tell_sent(outlet, message, size);
	default:
		return ramsink_put(&outlet->ram, message, size, wait);
	}
}

bool outlet_has_room(const struct outlet *outlet, size_t size)
{
	switch (outlet->sink) {
	case SINK_FUNNEL:
		return !outlet->ops.has_room ||
		       outlet->ops.has_room(outlet->opaque, size);
	case SINK_PIB:
		return pibsink_has_room(&outlet->pib, size);
	case SINK_ATB:
		return true;
	default:
		return ramsink_has_room(&outlet->ram, size);
	}
}

void outlet_advance(struct outlet *outlet, uint32_t halfwords)
{
	if (outlet->sink == SINK_FUNNEL)
		outlet->ops.advance(outlet->opaque, halfwords);
	else if (outlet->sink == SINK_PIB)
		pibsink_advance(&outlet->pib, halfwords);
	else if (outlet->sink & SINK_RAM)
		ramsink_advance(&outlet->ram, halfwords);
}

void outlet_flush(struct outlet *outlet)
{
	if (outlet->sinks & SINK_RAM)
		ramsink_flush(&outlet->ram);
	if (outlet->sinks & SINK_PIB)
		pibsink_flush(&outlet->pib);
	if (outlet->sinks & SINK_ATB)
		atbsink_flush(&outlet->atb);
}

void outlet_reset(struct outlet *outlet)
{
	bool own_page = outlet->generation->own_pages;

	if (outlet->sinks & SINK_RAM)
		ramsink_reset(&outlet->ram);
	if (outlet->sinks & SINK_PIB && own_page)
		pibsink_reset(&outlet->pib);
	if (outlet->sinks & SINK_ATB && own_page)
		atbsink_reset(&outlet->atb);
	outlet->error = false;
}

void outlet_lose_power(struct outlet *outlet)
{
	bool own_page = outlet->generation->own_pages;

	if (outlet->sinks & SINK_RAM)
		ramsink_lose_power(&outlet->ram);
	if (outlet->sinks & SINK_PIB && !own_page) {
		active_lose_power(&outlet->pib.active);
		pib_written(outlet);
	}
	if (outlet->sinks & SINK_ATB && !own_page) {
		active_lose_power(&outlet->atb.active);
		atb_written(outlet);
	}
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
	if (!(outlet->sinks & SINK_MEMORY))
		return 0;
	return __builtin_ctz(outlet->ram.config.access_width) - 2;
}
