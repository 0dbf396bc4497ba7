// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/regs.h"

static enum reg_access access_of(const struct reg_field *field)
{
	return (enum reg_access)(field->access & ~REG_UNDEF);
}

/* A register, and what to add to the numbers of its fields */
struct place {
	const struct reg_spec *spec;
	unsigned int add;
};

static unsigned int step_of(const struct reg_spec *spec)
{
	return spec->step ? spec->step : 1;
}

/* Return: whether @offset is one of @spec, and the how manieth in @n. */
static bool is_one_of(const struct reg_spec *spec, uint32_t offset,
		      unsigned int *n)
{
	uint32_t distance = offset - spec->offset;

	*n = spec->more ? distance / spec->stride : 0;
	return *n <= spec->more && distance == *n * spec->stride;
}

static struct place find(const struct reg_block *block, uint32_t offset)
{
	struct place place = { .spec = block->specs };
	unsigned int n;

	for (; place.spec->name; place.spec++) {
		if (is_one_of(place.spec, offset, &n)) {
			place.add = n * step_of(place.spec);
			return place;
		}
	}
	place.spec = NULL;
	return place;
}

bool reg_has(const struct reg_block *block, uint32_t offset)
{
	return find(block, offset).spec;
}

static uint32_t read_field(struct reg_block *block,
			   const struct reg_field *field, unsigned int id)
{
	uint32_t value;

	switch (access_of(field)) {
	case REG_CONST:
		return field->id;
	case REG_LIVE:
	case REG_OWN:
		return block->ops->read(block->owner, id);
	case REG_RC:
		value = block->values[id];
		block->values[id] = 0;
		return value;
	default:
		return block->values[id];
	}
}

uint32_t reg_read(struct reg_block *block, uint32_t offset)
{
	struct place place = find(block, offset);
	const struct reg_field *field;
	uint32_t value = 0;

	for (field = place.spec->fields; field->mask; field++)
		value |= field_put(field->mask,
				   read_field(block, field,
					      field->id + place.add));
	return value;
}

uint32_t reg_peek(const struct reg_block *block, uint32_t offset)
{
	struct place place = find(block, offset);
	const struct reg_field *field;
	uint32_t value = 0;

	for (field = place.spec->fields; field->mask; field++)
		if (access_of(field) > REG_LIVE)
			value |= field_put(field->mask,
					   block->values[field->id + place.add]);
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
	uint32_t legal = block->legal[id], now = block->values[id];

	if (value < 32 && legal >> value & 1)
		return value;
	/* Once written it reads legal, though reset may have left what is not. */
	if (block->converts || !(now < 32 && legal >> now & 1))
		return nearest(legal, value);
	return now;
}

static void write_field(struct reg_block *block, const struct reg_field *field,
			unsigned int id, uint32_t value)
{
	uint32_t *stored = &block->values[id];

	switch (access_of(field)) {
	case REG_RW:
		*stored = value;
		break;
	case REG_WARL:
		*stored = warl(block, id, value);
		break;
	case REG_BITS:
		*stored ^= (*stored ^ value) & block->legal[id];
		break;
	case REG_OWN:
		block->ops->accept(block->owner, id, value);
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
	struct place place = find(block, offset);
	const struct reg_field *field;

	for (field = place.spec->fields; field->mask; field++)
		write_field(block, field, field->id + place.add,
			    field_get(field->mask, value));
	tell(block);
}

void reg_clear(struct reg_block *block, uint32_t offset, uint32_t bits)
{
	struct place place = find(block, offset);
	const struct reg_field *field;

	for (field = place.spec->fields; field->mask; field++)
		if (field->mask & bits)
			block->values[field->id + place.add] &=
				~field_get(field->mask, bits);
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
		     unsigned int id, uint32_t random)
{
	uint32_t value = field_get(field->mask, random & field->mask);

	switch (access_of(field)) {
	case REG_WARL:
		block->values[id] = nearest(block->legal[id], value);
		break;
	case REG_RW:
	case REG_WC:
	case REG_W1C:
	case REG_W0C:
		block->values[id] = value;
		break;
	default:
		write_field(block, field, id, value);
	}
}

static void scramble_register(struct reg_block *block,
			      const struct reg_spec *spec, unsigned int add,
			      uint32_t *seed)
{
	const struct reg_field *field;

	for (field = spec->fields; field->mask; field++)
		if (field->access & REG_UNDEF)
			scramble(block, field, field->id + add,
				 random_next(seed));
}

void reg_scramble(struct reg_block *block, uint32_t *seed)
{
	const struct reg_spec *spec;
	unsigned int n;

	for (spec = block->specs; *seed && spec->name; spec++)
		for (n = 0; n <= spec->more; n++)
			scramble_register(block, spec, n * step_of(spec), seed);
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
