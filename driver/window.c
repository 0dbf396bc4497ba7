// SPDX-License-Identifier: GPL-2.0
/*
 * Components of which the device tree says that they have less than a page of registers:
 * fields and units that would be behind the last one are not there.
 */
#include <linux/math.h>
#include <linux/regmap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <uapi/linux/rvtrace_regs.h>

#include "compat.h"
#include "rvtrace.h"
#include "window.h"

/**
 * struct rvtrace_window - a kind of component without what is behind its registers
 * @kind: the kind
 * @fields: those that are there
 */
struct rvtrace_window {
	struct rvtrace_kind kind;
	struct rvtrace_field fields[RVTRACE_FIELDS];
};

static const struct regmap_config *window_regmap(const struct regmap_config *whole, u32 last)
{
	struct regmap_config *const regmap = kmemdup(whole, sizeof(*whole), GFP_KERNEL);

	if (regmap)
		regmap->max_register = last;
	return regmap;
}

static bool window_has_units(const struct rvtrace_unit_registers *units, u32 last)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_UNIT_FIELDS; id++)
		if (units->fields[id].mask &&
		    units->fields[id].reg + units->stride * (units->count - 1) > last)
			return false;
	return true;
}

/**
 * rvtrace_window_limit() - a component has no more registers than these
 * @c: a component that nobody has accessed yet
 * @size: bytes of registers, RVTRACE_WINDOW_MIN at least
 *
 * Return: 0; -ENOMEM
 */
int rvtrace_window_limit(struct rvtrace_component *c, u64 size)
{
	unsigned int id, last = round_down(size, 4) - 4;
	struct rvtrace_window *w;

	if (size >= RVTRACE_PAGE_SIZE)
		return 0;
	w = kzalloc_obj(*w);
	if (!w)
		return -ENOMEM;
	w->kind = *c->kind;
	w->kind.regmap = window_regmap(c->kind->regmap, last);
	if (!w->kind.regmap) {
		kfree(w);
		return -ENOMEM;
	}
	memcpy(w->fields, c->kind->fields, sizeof(w->fields));
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (w->fields[id].reg > last)
			w->fields[id].mask = 0;
	w->kind.fields = w->fields;
	if (w->kind.units && !window_has_units(w->kind.units, last))
		w->kind.units = NULL;
	c->kind = &w->kind;
	c->window = w;
	return 0;
}

/**
 * rvtrace_window_free() - undo rvtrace_window_limit()
 * @c: a component that is about to be freed
 */
void rvtrace_window_free(struct rvtrace_component *c)
{
	if (c->window)
		kfree(c->window->kind.regmap);
	kfree(c->window);
}
