// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/component.h"

#include <string.h>

void component_init(struct component *c, const struct component_config *config,
		    const struct component_ops *ops, void *owner)
{
	memset(c, 0, sizeof(*c));
	c->config = *config;
	c->ops = ops;
	c->owner = owner;
	c->flush_due = POWER_NEVER;
}

void component_add(struct component *c, const struct reg_block *block)
{
	c->blocks[c->block_count++] = *block;
}

/* Return: the block with a register at @offset, or NULL. */
static struct reg_block *block_at(struct component *c, uint32_t offset)
{
	unsigned int i;

	for (i = 0; i < c->block_count; i++)
		if (reg_has(&c->blocks[i], offset))
			return &c->blocks[i];
	return NULL;
}

/* Time */

static bool power_is_held(const struct component *c)
{
	return fault_holds(&c->fault, c->power.wanted);
}

static void rearm(struct component *c)
{
	uint64_t due = c->flush_due;
	uint64_t now;

	if (!power_is_held(c) && c->power.due < due)
		due = c->power.due;
	if (due == POWER_NEVER)
		return;
	now = c->ops->now(c->owner);
	c->ops->schedule(c->owner, due > now ? due - now : 0);
}

static void settle(struct component *c)
{
	uint64_t now = c->ops->now(c->owner);

	if (!power_is_held(c))
		power_settle(&c->power, now);
	if (component_is_flushing(c) && now >= c->flush_due) {
		c->flush_due = POWER_NEVER;
		c->ops->flush(c->owner);
	}
}

void component_tick(struct component *c)
{
	settle(c);
	rearm(c);
}

void component_start_flush(struct component *c)
{
	c->flush_due = c->ops->now(c->owner) + c->config.empty_delay;
	rearm(c);
}

/* Reset */

static void reset_contents(struct component *c)
{
	unsigned int i;

	c->flush_due = POWER_NEVER;
	c->enable_due = 0;
	c->ops->reset(c->owner);
	for (i = 0; i < c->block_count; i++)
		reg_scramble(&c->blocks[i], &c->seed);
}

void component_reset(struct component *c)
{
	power_reset(&c->power);
	c->fault = c->config.fault;
	c->seed = c->config.undef;
	reset_contents(c);
}

void component_lose_power(struct component *c)
{
	if (c->ops->leave)
		c->ops->leave(c->owner);
	power_reset(&c->power);
	reset_contents(c);
}

static void set_active(struct component *c, bool on)
{
	if (!power_request(&c->power, on, c->ops->now(c->owner),
			   c->config.active_delay))
		return;
	if (!on) {
		if (c->ops->leave)
			c->ops->leave(c->owner);
		reset_contents(c);
	}
	settle(c);
	rearm(c);
}

/* Registers */

/* The hardware clears bits of Control by itself. */
static void strike(struct component *c)
{
	uint32_t control = reg_peek(&c->blocks[0], COMPONENT_CONTROL);
	uint32_t bits = fault_clears(&c->fault, control);

	if (bits)
		reg_clear(&c->blocks[0], COMPONENT_CONTROL, bits);
}

static uint32_t enable_bit(struct component *c)
{
	return reg_peek(&c->blocks[0], COMPONENT_CONTROL) & COMPONENT_ENABLE;
}

/* Control as it reads: Enable may lag behind. */
static uint32_t read_control(struct component *c, uint32_t value)
{
	if (c->ops->now(c->owner) >= c->enable_due)
		return value;
	return (value & ~COMPONENT_ENABLE) | c->enable_was;
}

static uint32_t read_register(struct component *c, uint32_t offset)
{
	struct reg_block *block = block_at(c, offset);
	uint32_t value;

	if (!component_is_up(c)) {
		/* Only Active is defined: it reads what it was. */
		if (offset != COMPONENT_CONTROL)
			return 0;
		return c->power.active ? COMPONENT_ACTIVE : 0;
	}
	if (!block)
		return 0;
	value = reg_read(block, offset);
	if (offset == COMPONENT_CONTROL)
		return read_control(c, value);
	return offset == COMPONENT_IMPL ? fault_impl(&c->fault, value) : value;
}

uint32_t component_read(struct component *c, uint32_t offset)
{
	uint32_t value;

	strike(c);
	settle(c);
	value = fault_is(&c->fault, FAULT_GONE) ? UINT32_MAX :
						  read_register(c, offset);
	c->accesses++;
	fault_accessed(&c->fault);
	return value;
}

/* What is left of a write. */
static uint32_t taken(struct component *c, uint32_t offset, uint32_t value)
{
	uint32_t ignored = fault_ignores(&c->fault, offset);

	if (!ignored)
		return value;
	return (value & ~ignored) |
	       (reg_read(block_at(c, offset), offset) & ignored);
}

static void write_control(struct component *c, uint32_t value)
{
	uint32_t before = enable_bit(c);
	uint64_t now = c->ops->now(c->owner);

	reg_write(&c->blocks[0], COMPONENT_CONTROL, value);
	if (enable_bit(c) != before)
		c->taken = 0;
	if (c->config.enable_delay && enable_bit(c) != before) {
		c->enable_was = before;
		c->enable_due = now + c->config.enable_delay;
	}
}

static void write_register(struct component *c, uint32_t offset, uint32_t value)
{
	struct reg_block *block = block_at(c, offset);

	if (offset == COMPONENT_CONTROL) {
		bool up = component_is_up(c);

		set_active(c, value & COMPONENT_ACTIVE);
		/* Nothing else is taken by the write that releases it. */
		if (up && value & COMPONENT_ACTIVE)
			write_control(c, taken(c, offset, value));
		return;
	}
	if (component_is_up(c) && block)
		reg_write(block, offset, taken(c, offset, value));
}

void component_write(struct component *c, uint32_t offset, uint32_t value)
{
	strike(c);
	settle(c);
	if (!fault_is(&c->fault, FAULT_GONE))
		write_register(c, offset, value);
	c->accesses++;
	fault_accessed(&c->fault);
}

void component_set_fault(struct component *c, const struct fault *fault)
{
	c->fault = *fault;
	strike(c);
	settle(c);
	rearm(c);
}
