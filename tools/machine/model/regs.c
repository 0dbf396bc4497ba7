// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/regs.h"

static enum reg_access access_of(const struct reg_field *field)
{
	return (enum reg_access)(field->access & ~REG_UNDEF);
}

static const struct reg_spec *find(const struct reg_block *block,
				   uint32_t offset)
{
	const struct reg_spec *spec;

	for (spec = block->specs; spec->name; spec++)
		if (spec->offset == offset)
			return spec;
	return NULL;
}

bool reg_has(const struct reg_block *block, uint32_t offset)
{
	return find(block, offset);
}

static uint32_t read_field(struct reg_block *block,
			   const struct reg_field *field)
{
	uint32_t value;

	switch (access_of(field)) {
	case REG_CONST:
		return field->id;
	case REG_LIVE:
	case REG_OWN:
		return block->ops->read(block->owner, field->id);
	case REG_RC:
		value = block->values[field->id];
		block->values[field->id] = 0;
		return value;
	default:
		return block->values[field->id];
	}
}

uint32_t reg_read(struct reg_block *block, uint32_t offset)
{
	const struct reg_spec *spec = find(block, offset);
	const struct reg_field *field;
	uint32_t value = 0;

	for (field = spec->fields; field->mask; field++)
		value |= field_put(field->mask, read_field(block, field));
	return value;
}

uint32_t reg_peek(const struct reg_block *block, uint32_t offset)
{
	const struct reg_spec *spec = find(block, offset);
	const struct reg_field *field;
	uint32_t value = 0;

	for (field = spec->fields; field->mask; field++)
		if (access_of(field) > REG_LIVE)
			value |= field_put(field->mask,
					   block->values[field->id]);
	return value;
}

/*
 * The largest legal value that is not above @value, but not 0 for something
 * else if that can be helped ("cannot revert to 0 but MUST revert to supported
 * non-0 mode"): the smallest one above then.
 */
static uint32_t nearest(uint32_t legal, uint32_t value)
{
	uint32_t below, above;

	below = value < 32 ? legal & ((2ull << value) - 1) : legal;
	if (value)
		below &= ~1u;
	if (below)
		return 31 - __builtin_clz(below);
	above = legal & ~1u;
	return value && above ? reg_lowest(above) : reg_lowest(legal);
}

static uint32_t warl(const struct reg_block *block, unsigned int id,
		     uint32_t value)
{
	uint32_t legal = block->legal[id];

	if (value < 32 && legal >> value & 1)
		return value;
	return block->converts ? nearest(legal, value) : block->values[id];
}

static void write_field(struct reg_block *block, const struct reg_field *field,
			uint32_t value)
{
	uint32_t *stored = &block->values[field->id];

	switch (access_of(field)) {
	case REG_RW:
		*stored = value;
		break;
	case REG_WARL:
		*stored = warl(block, field->id, value);
		break;
	case REG_BITS:
		*stored ^= (*stored ^ value) & block->legal[field->id];
		break;
	case REG_OWN:
		block->ops->accept(block->owner, field->id, value);
		break;
	case REG_WC:
		*stored = 0;
		break;
	case REG_W1C:
		*stored &= ~value;
		break;
	case REG_W0C:
		*stored &= value;
		break;
	default:
		break;
	}
}

static void tell(struct reg_block *block)
{
	if (block->ops->written)
		block->ops->written(block->owner);
}

void reg_write(struct reg_block *block, uint32_t offset, uint32_t value)
{
	const struct reg_field *field;

	for (field = find(block, offset)->fields; field->mask; field++)
		write_field(block, field, field_get(field->mask, value));
	tell(block);
}

void reg_clear(struct reg_block *block, uint32_t offset, uint32_t bits)
{
	const struct reg_field *field;

	for (field = find(block, offset)->fields; field->mask; field++)
		if (field->mask & bits)
			block->values[field->id] &= ~field_get(field->mask, bits);
	tell(block);
}

/* xorshift */
static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void scramble(struct reg_block *block, const struct reg_field *field,
		     uint32_t random)
{
	uint32_t value = field_get(field->mask, random & field->mask);

	switch (access_of(field)) {
	case REG_WARL:
		block->values[field->id] =
			nearest(block->legal[field->id], value);
		break;
	case REG_RW:
	case REG_WC:
	case REG_W1C:
	case REG_W0C:
		block->values[field->id] = value;
		break;
	default:
		write_field(block, field, value);
	}
}

void reg_scramble(struct reg_block *block, uint32_t *seed)
{
	const struct reg_field *field;
	const struct reg_spec *spec;

	for (spec = block->specs; *seed && spec->name; spec++)
		for (field = spec->fields; field->mask; field++)
			if (field->access & REG_UNDEF)
				scramble(block, field, random_next(seed));
}

uint32_t reg_largest(const struct reg_spec *specs, unsigned int id)
{
	const struct reg_field *field;

	for (; specs->name; specs++)
		for (field = specs->fields; field->mask; field++)
			if (field->id == id && access_of(field) != REG_CONST)
				return field_get(field->mask, field->mask);
	return 0;
}
