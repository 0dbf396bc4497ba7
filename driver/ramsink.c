// SPDX-License-Identifier: GPL-2.0
/*
 * RAM sink: a block in the page of the encoder or funnel that owns it (TCI
 * 0.9.4 chapter 6), or a component of its own (TCI 1.0).
 *
 * Its pointers are written only while the owner is disabled and empty.
 */
#include <linux/bitops.h>

#include "access.h"
#include "activate.h"
#include "discover.h"
#include "field.h"
#include "graph.h"
#include "power.h"
#include "ramsink.h"
#include "rvtrace.h"
#include "sram.h"
#include "wait.h"

#define WIDTH_MIN	4U
#define WIDTH_MAX	64U

/**
 * rvtrace_ram_defaults() - let a RAM sink write to system memory, or else to SRAM
 * @c: a RAM sink after discovery
 *
 * Return: 0; -ENODEV when it can do neither
 */
int rvtrace_ram_defaults(struct rvtrace_component *c)
{
	static const u8 distances[] = { 7, 1, 6, 2, 5, 3, 4 };
	unsigned int i;

	if (rvtrace_sram_readable(c))
		rvtrace_prefer(c, RVTRACE_RAM_MODE, RVTRACE_RAM_MODE_SRAM);
	if (c->wanted[RVTRACE_HAS_SBA_SINK])
		rvtrace_prefer(c, RVTRACE_RAM_MODE, RVTRACE_RAM_MODE_SMEM);
	rvtrace_prefer(c, RVTRACE_MEM_FORMAT, RVTRACE_MEM_FORMAT_BYTES);
	/* E-Trace that was overwritten can be entered there only. */
	for (i = 0; i < ARRAY_SIZE(distances); i++)
		rvtrace_prefer(c, RVTRACE_ASYNC_FREQ, distances[i]);
	rvtrace_prefer(c, RVTRACE_STOP_ON_WRAP, 0);
	if (rvtrace_can_sink(c))
		return 0;
	return dev_err_probe(c->parent, -ENODEV,
			     "hardware supports neither system memory nor SRAM\n");
}

/**
 * rvtrace_ram_set() - write a register of the RAM block and see that it keeps the value
 * @c: a component that is held and not enabled
 * @reg: the register; 0: there is none, and nothing happens
 * @name: of it, for messages
 * @value: what to write
 *
 * Return: 0; -EINVAL when hardware keeps something else; an access error
 */
int rvtrace_ram_set(struct rvtrace_component *c, u16 reg, const char *name, u32 value)
{
	u32 kept;
	int ret;

	if (!reg)
		return 0;
	ret = regmap_write(c->regmap, reg, value);
	if (ret)
		return ret;
	ret = regmap_read(c->regmap, reg, &kept);
	if (ret || kept == value)
		return ret;
	dev_err(&c->dev, "%s: asked for %#x, hardware kept %#x\n", name, value, kept);
	return -EINVAL;
}

/**
 * rvtrace_ram_reach() - learn how wide an address of system memory may be
 * @c: a component that is held, after discovery
 *
 * The register of high bits may have only some of them, or not exist.
 *
 * Return: 0 or an access error
 */
int rvtrace_ram_reach(struct rvtrace_component *c)
{
	u32 kept;
	int ret;

	if (!c->kind->ram || !c->wanted[RVTRACE_HAS_SBA_SINK])
		return 0;
	ret = regmap_write(c->regmap, c->kind->ram->base_high, U32_MAX);
	if (ret)
		return ret;
	ret = regmap_read(c->regmap, c->kind->ram->base_high, &kept);
	if (ret)
		return ret;
	c->address_bits = 32 + fls(kept);
	return 0;
}

static int ram_read_address(struct rvtrace_component *c, u16 low, u16 high, u64 *address)
{
	u32 lower, upper;
	int ret;

	ret = regmap_read(c->regmap, low, &lower);
	if (ret)
		return ret;
	ret = regmap_read(c->regmap, high, &upper);
	*address = (u64)upper << 32 | lower;
	return ret;
}

/* Without a register for them, the bits from 32 on are those of the first byte. */
static int ram_write_address(struct rvtrace_component *c, u16 low, u16 high, u64 address)
{
	int ret;

	ret = high ? regmap_write(c->regmap, high, upper_32_bits(address)) : 0;
	return ret ?: regmap_write(c->regmap, low, lower_32_bits(address));
}

/* Whether the hardware keeps @end as what comes after the last word, of @width bytes. */
static int ram_try_width(struct rvtrace_component *c, u64 end, u32 width, u64 *asked, u64 *kept)
{
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	int ret;

	*asked = end - width;
	ret = ram_write_address(c, ram->limit, ram->limit_high, *asked);
	if (ret)
		return ret;
	ret = ram_read_address(c, ram->limit, ram->limit_high ?: ram->base_high, kept);
	return ret ?: *kept == *asked;
}

/*
 * The limit is the address of the last word, so it says how wide a word is: the
 * first width whose last word of the range is retained.
 */
static int ram_set_limit(struct rvtrace_sink *sink, u64 end, u64 *asked, u64 *kept)
{
	struct rvtrace_component *c = sink->owner;
	u32 width;
	int ret;

	if (rvtrace_has(c, RVTRACE_SINK_BYTES))
		sink->width = WIDTH_MIN << c->wanted[RVTRACE_SINK_BYTES];
	if (sink->width)
		return ram_try_width(c, end, sink->width, asked, kept);
	for (width = WIDTH_MIN; width <= WIDTH_MAX; width *= 2) {
		ret = ram_try_width(c, end, width, asked, kept);
		if (ret > 0)
			sink->width = width;
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Where the hardware writes. It may have other limits for another first byte, which is why
 * that comes first, or know one place only ("SMEM Fixed" of 1.0).
 */
static int ram_set_range(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c = sink->owner;
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u64 first = sink->memory.bus, end = first + sink->size, base, last, limit;
	int ret;

	ret = ram_write_address(c, ram->base, ram->base_high, first);
	if (ret)
		return ret;
	ret = ram_read_address(c, ram->base, ram->base_high, &base);
	if (ret)
		return ret;
	ret = ram_set_limit(sink, end, &last, &limit);
	if (ret < 0)
		return ret;
	if (ret && base == first)
		return 0;
	dev_err(rvtrace_device(c),
		"ring: asked for %#llx as first byte and %#llx as last word, hardware kept %#llx and %#llx: memory-region, or buffer_size, has to be what it keeps\n",
		first, last, base, limit);
	return -EINVAL;
}

/**
 * rvtrace_ram_adopt() - see that the hardware can write to the ring
 * @sink: a new sink, with memory, whose owner nobody holds
 *
 * Of an owner whose trace goes elsewhere at first, that shows when it is started.
 *
 * Return: 0; -EINVAL, after one line that says why, when it writes elsewhere; -ETIMEDOUT; an
 * access error
 */
int rvtrace_ram_adopt(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c = sink->owner;
	u64 first = sink->memory.bus;
	int ret, err;

	if (!sink->memory.dma)
		return 0;
	if (!c->kind->ram->limit_high &&
	    upper_32_bits(first) != upper_32_bits(first + sink->size - 1))
		return dev_err_probe(c->parent, -EINVAL,
				     "ring crosses a 4 GiB boundary, which hardware before 1.0 cannot\n");
	if (rvtrace_sink_choice(c) != RVTRACE_SINK_SBA || !rvtrace_powered(c))
		return 0;
	ret = rvtrace_hold_anew(c);
	if (ret)
		return ret;
	/* Registers may be others for another sink or mode. */
	ret = rvtrace_update(c, rvtrace_has(c, RVTRACE_SINK) ? RVTRACE_SINK : RVTRACE_RAM_MODE);
	if (!ret)
		ret = ram_set_range(sink);
	err = rvtrace_release(c);
	return ret ?: err;
}

/**
 * rvtrace_ram_setup() - point the hardware at the ring
 * @sink: a sink whose owner is held and not enabled
 * @offset: where it writes next, as an offset from the ring's first byte; in SRAM it
 *	begins with the first byte
 *
 * Trace that is left of before would go to the new ring: it is waited for ("verify
 * trRamEmpty"). Writing the write pointer clears the wrap bit.
 *
 * Return: 0; -ETIMEDOUT when trace is left; -EINVAL when hardware does not keep an address;
 * -ENOSPC when SRAM is larger than the ring; an access error
 */
int rvtrace_ram_setup(struct rvtrace_sink *sink, u64 offset)
{
	struct rvtrace_component *c = sink->owner;
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u64 next = sink->memory.bus + offset;
	int ret;

	dev_dbg(&c->dev, "set up %s of %llu bytes, from offset %#llx on\n",
		sink->sram.used ? "SRAM for a ring" : "a ring", sink->size, offset);
	ret = rvtrace_poll(c, RVTRACE_EMPTY, 1, "drain before set up", rvtrace_deadline());
	if (ret)
		return ret;
	if (sink->sram.used)
		return rvtrace_sram_setup(sink);
	ret = ram_set_range(sink);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->wp_high, "ram_wp_high", upper_32_bits(next));
	if (ret)
		return ret;
	return rvtrace_ram_set(c, ram->wp, "ram_wp", lower_32_bits(next));
}

/*
 * The write pointer, and the bits from 32 on where the ring is in more than one 4 GiB: they
 * belong to it if they are the same before and after. Twice in a row it does not get there.
 */
static int ram_read_wp(struct rvtrace_sink *sink, u32 *wp, u32 *high)
{
	const struct rvtrace_ram_registers *ram = sink->owner->kind->ram;
	struct regmap *regmap = sink->owner->regmap;
	u64 first = sink->memory.bus;
	unsigned int tries;
	u32 before;
	int ret;

	*high = upper_32_bits(first);
	if (sink->sram.used || *high == upper_32_bits(first + sink->size - 1))
		return regmap_read(regmap, ram->wp, wp);
	ret = regmap_read(regmap, ram->wp_high, high);
	for (tries = 0; !ret && tries < 3; tries++) {
		before = *high;
		ret = regmap_read(regmap, ram->wp, wp) ?: regmap_read(regmap, ram->wp_high, high);
		if (!ret && *high == before)
			return 0;
	}
	return ret ?: -EIO;
}

/**
 * rvtrace_ram_pointer() - where the hardware writes next
 * @sink: a sink whose owner is held
 * @offset: out: bytes from the first byte of the ring, or of SRAM; beyond it when
 *	the register cannot be read or points elsewhere
 * @wrap: out: the sticky wrap bit, also when it was cleared by a suspend
 *
 * May be called in any context.
 */
void rvtrace_ram_pointer(struct rvtrace_sink *sink, u64 *offset, bool *wrap)
{
	u32 bit = sink->owner->kind->ram->wrap, wp, high;

	*offset = U64_MAX;
	*wrap = false;
	if (ram_read_wp(sink, &wp, &high))
		return;
	*wrap = wp & bit || sink->rewound;
	wp &= ~bit;
	*offset = sink->sram.used ? (u64)wp - sink->sram.base :
				    ((u64)high << 32 | wp) - sink->memory.bus;
}

/**
 * rvtrace_ram_drained() - whether all trace before the pointer is in memory
 * @sink: a sink whose owner is held and whose pointer was read
 *
 * While the owner is enabled, Empty does not say so: writes may be on their way
 * (chapter 15: disable, then wait for Empty). That it is to be disabled does not mean
 * that it is. May be called in any context.
 */
bool rvtrace_ram_drained(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c = sink->owner;
	u32 enable, empty;

	return !rvtrace_is_enabled(c) &&
	       !rvtrace_get(c, RVTRACE_ENABLE, &enable) && !enable &&
	       !rvtrace_get(c, RVTRACE_EMPTY, &empty) && empty;
}
