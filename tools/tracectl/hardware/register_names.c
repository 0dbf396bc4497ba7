// SPDX-License-Identifier: GPL-2.0
/* What the specifications call registers, out of the uAPI headers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/rvtrace_regs.h>
#include <linux/rvtrace_regs_0.h>
#include <linux/rvtrace_regs_1_0.h>

#include "register_names.h"

#define SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* There are never more registers that are alike. */
#define ALIKE_MAX	32

/*
 * @stride: bytes from one to the next of several that are alike; 0: there is one
 */
struct register_name {
	const char *generation;
	const char *name;
	uint16_t offset;
	uint16_t stride;
};

/* Made when this is compiled, see build.mk */
#include "register-names.h"

/* How the names of registers begin that not every kind of component has */
static const struct {
	const char *kind;
	const char *prefix;
} owners[] = {
	{ "encoder", "te" }, { "encoder", "trTe" }, { "encoder", "trTs" },
	{ "funnel", "tf" }, { "funnel", "teRam" }, { "funnel", "trFunnel" }, { "funnel", "trTs" },
	{ "ramsink", "trRam" }, { "pibsink", "trPib" }, { "atbbridge", "trAtb" },
};

static bool may_have(const char *kind, const char *name)
{
	bool owned = false;
	size_t i;

	for (i = 0; i < SIZE(owners); i++) {
		if (strncmp(owners[i].prefix, name, strlen(owners[i].prefix)))
			continue;
		if (!strcmp(owners[i].kind, kind))
			return true;
		owned = true;
	}
	return !owned;
}

static bool is_at(const struct register_name *r, uint32_t offset)
{
	if (offset < r->offset || !r->stride)
		return offset == r->offset;
	return (offset - r->offset) % r->stride == 0 &&
	       (offset - r->offset) / r->stride < ALIKE_MAX;
}

/* The first; of several that are alike the nearest. */
static const struct register_name *find(const char *generation, const char *kind, uint32_t offset)
{
	const struct register_name *best = NULL, *r;

	for (r = register_names; r < register_names + SIZE(register_names); r++)
		if (!strcmp(r->generation, generation) && may_have(kind, r->name) &&
		    is_at(r, offset) && (!best || r->offset > best->offset))
			best = r;
	return best;
}

const char *register_name(const char *generation, const char *kind, uint32_t offset, char *name,
			  size_t size)
{
	const struct register_name *r = find(generation, kind, offset);

	if (!r)
		*name = 0;
	else if (r->stride)
		snprintf(name, size, "%s[%u]", r->name, (offset - r->offset) / r->stride);
	else
		snprintf(name, size, "%s", r->name);
	return name;
}
