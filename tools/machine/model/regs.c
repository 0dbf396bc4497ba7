// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/regs.h"

int reg_find(const struct reg_spec *specs, size_t count, uint32_t offset)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (specs[i].offset == offset)
			return i;
	return -1;
}

uint32_t reg_read(const struct reg_spec *specs, size_t count,
		  const uint32_t *values, const void *owner, uint32_t offset)
{
	int i = reg_find(specs, count, offset);

	if (i < 0)
		return 0;
	if (specs[i].read)
		return specs[i].read(owner, values[i]);
	return values[i];
}

void reg_write(const struct reg_spec *specs, size_t count, uint32_t *values,
	       void *owner, uint32_t offset, uint32_t value)
{
	int i = reg_find(specs, count, offset);
	const struct reg_field *field;
	uint32_t before;

	if (i < 0 || !specs[i].fields)
		return;
	before = values[i];
	for (field = specs[i].fields; field->mask; field++) {
		if (field->legal &&
		    !field->legal(owner, field_get(field->mask, value)))
			continue;
		values[i] = (values[i] & ~field->mask) | (value & field->mask);
	}
	if (specs[i].written)
		specs[i].written(owner, before);
}
