// SPDX-License-Identifier: GPL-2.0
/*
 * RAM sink: a block in the page of the encoder or funnel that owns it (TCI
 * 0.9.4 chapter 6), or a component of its own (TCI 1.0).
 *
 * Its pointers are written only while the owner is disabled and empty.
 */
#include <linux/bitops.h>

#include "access.h"
#include "discover.h"
#include "field.h"
#include "graph.h"
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
			     "hardware writes to system memory as little as to SRAM\n");
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

/*
 * The limit is the address of the last word, so it says how wide a word is: the
 * first width whose last word of the range is retained.
 */
static int ramsink_find_width(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c = sink->owner;
	u32 end = lower_32_bits(sink->memory.bus) + sink->size, width;
	unsigned int kept;
	int ret;

	if (rvtrace_has(c, RVTRACE_SINK_BYTES)) {
		sink->width = WIDTH_MIN << c->wanted[RVTRACE_SINK_BYTES];
		return 0;
	}
	for (width = WIDTH_MIN; width <= WIDTH_MAX; width *= 2) {
		ret = regmap_write(c->regmap, c->kind->ram->limit, end - width);
		if (ret)
			return ret;
		ret = regmap_read(c->regmap, c->kind->ram->limit, &kept);
		if (ret)
			return ret;
		if (kept == end - width) {
			sink->width = width;
			return 0;
		}
	}
	dev_err(&c->dev, "ram_limit: no word of %u to %u bytes ends at %#x\n",
		WIDTH_MIN, WIDTH_MAX, end);
	return -EINVAL;
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
int rvtrace_ram_setup(struct rvtrace_sink *sink, u32 offset)
{
	struct rvtrace_component *c = sink->owner;
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u32 base = lower_32_bits(sink->memory.bus), high = upper_32_bits(sink->memory.bus);
	int ret;

	dev_dbg(&c->dev, "set up %s of %u bytes, from offset %#x on\n",
		sink->sram.used ? "SRAM for a ring" : "a ring", sink->size, offset);
	ret = rvtrace_poll(c, RVTRACE_EMPTY, 1, "drain before set up", rvtrace_deadline());
	if (ret)
		return ret;
	if (sink->sram.used)
		return rvtrace_sram_setup(sink);
	ret = rvtrace_ram_set(c, ram->base, "ram_base", base);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->base_high, "ram_base_high", high);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->limit_high, "ram_limit_high", high);
	if (ret)
		return ret;
	if (!sink->width) {
		ret = ramsink_find_width(sink);
		if (ret)
			return ret;
	}
	ret = rvtrace_ram_set(c, ram->limit, "ram_limit", base + sink->size - sink->width);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->wp_high, "ram_wp_high", high);
	if (ret)
		return ret;
	return rvtrace_ram_set(c, ram->wp, "ram_wp", base + offset);
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
void rvtrace_ram_pointer(struct rvtrace_sink *sink, u32 *offset, bool *wrap)
{
	const struct rvtrace_ram_registers *ram = sink->owner->kind->ram;
	unsigned int wp;

	*offset = U32_MAX;
	*wrap = false;
	if (regmap_read(sink->owner->regmap, ram->wp, &wp))
		return;
	*wrap = wp & ram->wrap || sink->rewound;
	*offset = (wp & ~ram->wrap) -
		  (sink->sram.used ? sink->sram.base : lower_32_bits(sink->memory.bus));
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
