/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pages of all components have in common: blocks of registers behind
 * an Active bit, an Empty bit that rises some time after a disable, and what
 * can be wrong with them.
 */
#ifndef RVTRACE_MODEL_COMPONENT_H
#define RVTRACE_MODEL_COMPONENT_H

#include <stddef.h>

#include "tools/machine/model/fault.h"
#include "tools/machine/model/power.h"
#include "tools/machine/model/regs.h"

/* The same in all components of all generations */
#define COMPONENT_CONTROL	0x000
#define COMPONENT_IMPL		0x004
#define COMPONENT_ACTIVE	0x00000001
#define COMPONENT_ENABLE	0x00000002

#define COMPONENT_BLOCKS	8

/**
 * struct component_config - what the hardware can do
 * @active_delay: ticks until a change of Active is acknowledged
 * @empty_delay: ticks that flushing takes after a disable
 * @enable_delay: ticks until a change of Enable can be read back; it takes
 *	effect at once
 * @stops_after: bytes of trace after which Enable falls on its own, though nothing is
 *	full; 0: it does not
 * @undef: what is undefined after a reset is garbage made from this number;
 *	0: it is reset
 * @fault: what is wrong after power-on
 */
struct component_config {
	uint64_t active_delay;
	uint64_t empty_delay;
	uint64_t enable_delay;
	uint64_t stops_after;
	uint32_t undef;
	struct fault fault;
};

/**
 * struct component_ops - what a component asks of its owner
 * @now: clock, in ticks
 * @schedule: call component_tick() once, @ticks from now; replaces an earlier
 *	schedule that has not fired
 * @leave: Active falls; before @reset. May be NULL
 * @reset: everything is as it is when Active rises
 * @flush: the time that flushing takes has passed
 */
struct component_ops {
	uint64_t (*now)(void *owner);
	void (*schedule)(void *owner, uint64_t ticks);
	void (*leave)(void *owner);
	void (*reset)(void *owner);
	void (*flush)(void *owner);
};

/**
 * struct component - state; embedded in its owner, fields are private
 * @flush_due: when flushing is over, or POWER_NEVER
 * @enable_due: until when Enable reads what it was: @enable_was
 * @taken: bytes of trace since Enable was last written
 * @accesses: reads and writes of registers
 */
struct component {
	struct component_config config;
	const struct component_ops *ops;
	void *owner;
	struct power power;
	struct fault fault;
	uint64_t flush_due;
	uint64_t enable_due;
	uint32_t enable_was;
	uint64_t taken;
	uint64_t accesses;
	uint32_t seed;
	struct reg_block blocks[COMPONENT_BLOCKS];
	unsigned int block_count;
};

void component_init(struct component *c, const struct component_config *config,
		    const struct component_ops *ops, void *owner);

/* Add registers to the page; those with Control come first. */
void component_add(struct component *c, const struct reg_block *block);

/* Power-on reset. */
void component_reset(struct component *c);

/* Power is off, and on again; what is wrong with it stays. */
void component_lose_power(struct component *c);

/* Registers: @offset is a multiple of 4 below 0x1000, accesses are 32 bits. */
uint32_t component_read(struct component *c, uint32_t offset);
void component_write(struct component *c, uint32_t offset, uint32_t value);

/* The time asked for with component_ops.schedule has come. */
void component_tick(struct component *c);

/* What is left is flushed from now on. */
void component_start_flush(struct component *c);

/* What is wrong with it, from now on. */
void component_set_fault(struct component *c, const struct fault *fault);

/* Registers can be accessed, trace is taken. */
static inline bool component_is_up(const struct component *c)
{
	return power_is_up(&c->power);
}

static inline bool component_is_flushing(const struct component *c)
{
	return c->flush_due != POWER_NEVER;
}

/* @size bytes of trace were taken. Return: whether Enable falls now. */
static inline bool component_stops(struct component *c, size_t size)
{
	c->taken += size;
	return c->config.stops_after && c->taken >= c->config.stops_after;
}

/* Return: what the Empty bit reads. */
static inline bool component_says_empty(const struct component *c, bool empty)
{
	return empty && !fault_is(&c->fault, FAULT_EMPTY);
}

#endif /* RVTRACE_MODEL_COMPONENT_H */
