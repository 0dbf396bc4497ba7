// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "driver-tables.h"

#define REGISTER_LINE(name_, macro_)	\
	{ .macro = #macro_, .is_register = true, .name = (name_), .value = (macro_) },
#define MASK_LINE(macro_)		{ .macro = #macro_, .value = (macro_) },
#define OTHER_LINE()			{ 0 },

/* Of a file only what it shows matters here. */
struct device_attribute {
	char unused;
};

/* Made when this is compiled, see build.mk */
#include "driver-source.h"

const struct driver_kind *driver_kinds(size_t *count)
{
	*count = ARRAY_SIZE(kinds);
	return kinds;
}

const struct rvtrace_kind *driver_kind(const struct spec_kind *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, spec->name))
			return kinds[i].kind;
	return NULL;
}

const char *driver_device(enum rvtrace_role role)
{
	return devices[role];
}

static bool has_file(unsigned int id)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].id == id)
			return true;
	/* What begins and ends sessions is not in the table. */
	return id == RVTRACE_ENABLE;
}

struct driver_field driver_field(unsigned int id)
{
	return (struct driver_field){
		.name = names[id].name,
		.configurable = names[id].configurable,
		.constant = names[id].constant,
		.file = has_file(id),
	};
}

struct driver_unit_field driver_unit_field(unsigned int id)
{
	return (struct driver_unit_field){
		.name = unit_fields[id].name,
		.unit = unit_names[unit_fields[id].unit],
	};
}

/* A member of a block, or of the kind itself: the register that it holds. */
static bool block_position(const void *block, const struct spec_field *field, u32 *reg)
{
	u16 offset;

	if (!block)
		return false;
	memcpy(&offset, (const char *)block + field->which, sizeof(offset));
	*reg = offset;
	return offset;
}

bool driver_position(const struct rvtrace_kind *kind, const struct spec_field *field,
		     u32 *reg, u32 *mask)
{
	*mask = 0;
	if (field->user == IN_TIMESTAMP &&
	    field->which != offsetof(struct rvtrace_timestamp_registers, reset))
		return block_position(kind->timestamp, field, reg);
	if (field->user == IN_RAM && field->which != offsetof(struct rvtrace_ram_registers, wrap))
		return block_position(kind->ram, field, reg);
	if (field->user == IN_KIND)
		return block_position(kind, field, reg);
	if (field->user == IN_UNITS) {
		*reg = kind->units ? kind->units->fields[field->which].reg : 0;
		*mask = kind->units ? kind->units->fields[field->which].mask : 0;
	} else if (field->user == IN_TIMESTAMP) {
		*reg = kind->fields[RVTRACE_TS_COUNT].reg;
		*mask = kind->timestamp ? kind->timestamp->reset : 0;
	} else if (field->user == IN_RAM) {
		*reg = kind->ram ? kind->ram->wp : 0;
		*mask = kind->ram ? kind->ram->wrap : 0;
	} else {
		*reg = kind->fields[field->which].reg;
		*mask = kind->fields[field->which].mask;
	}
	return *mask;
}

const struct header_line *header_lines(const char *generation, size_t *count)
{
	if (!strcmp(generation, "TCI 0")) {
		*count = ARRAY_SIZE(header_0);
		return header_0;
	}
	if (!strcmp(generation, "TCI 0.9")) {
		*count = ARRAY_SIZE(header_0_9);
		return header_0_9;
	}
	*count = ARRAY_SIZE(header_1_0);
	return header_1_0;
}
