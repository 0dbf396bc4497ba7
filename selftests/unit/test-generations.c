// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the generations (driver/gen_*.c) against the specifications, as
 * selftests/registers/specification_*.c has them.
 *
 * A test tells all that is wrong before it fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "selftests/registers/driver-tables.h"

static unsigned int problems;

#define wrong(...)	(problems++, print_error(__VA_ARGS__), print_error("\n"))

/* Call @check for every kind that is specified and that the driver has. */
static void each_kind(void (*check)(const struct spec_kind *spec, const struct rvtrace_kind *kind))
{
	problems = 0;
	for (const struct spec_kind *spec = specification; spec->name; spec++)
		if (driver_kind(spec))
			check(spec, driver_kind(spec));
	assert_int_equal(problems, 0);
}

static void every_kind_is_specified(void **state)
{
	size_t count;
	const struct driver_kind *kinds = driver_kinds(&count);

	(void)state;
	problems = 0;
	for (size_t i = 0; i < count; i++) {
		const struct spec_kind *spec = specification;

		while (spec->name && strcmp(spec->name, kinds[i].name))
			spec++;
		if (!spec->name)
			wrong("%s is in no specification", kinds[i].name);
	}
	assert_int_equal(problems, 0);
}

static void check_identity(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	if (strcmp(kind->generation, spec->generation))
		wrong("%s: generation %s", spec->name, kind->generation);
	if (kind->version != spec->version)
		wrong("%s: version %u", spec->name, kind->version);
	if (strcmp(driver_device(kind->role), spec->device))
		wrong("%s: its devices are called %s", spec->name, driver_device(kind->role));
	if (kind->comp_type != spec->comp_type)
		wrong("%s: component type %#x", spec->name, kind->comp_type);
	if (kind->impl != 0x004)
		wrong("%s: implementation register at %#x", spec->name, kind->impl);
}

static void kinds_are_told_apart(void **state)
{
	(void)state;
	each_kind(check_identity);
}

static void check_position(const struct spec_kind *spec, const struct rvtrace_kind *kind,
			   const struct spec_register *r, const struct spec_field *f)
{
	u32 reg, mask;

	if (!driver_position(kind, f, &reg, &mask))
		wrong("%s: %s is missing", spec->name, f->name);
	else if (reg != r->offset)
		wrong("%s: %s is in %#05x, not in %#05x", spec->name, f->name, r->offset, reg);
	else if (mask && mask != spec_mask(f))
		wrong("%s: %s is %#010x, not %#010x", spec->name, f->name, spec_mask(f), mask);
	else if (f->user == IN_UNITS && (kind->units->stride != r->stride ||
					 kind->units->count != r->count))
		wrong("%s: %s is there %u times, %#x apart", spec->name, f->name, r->count,
		      r->stride);
}

static void check_positions(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	const struct spec_register *r;
	const struct spec_field *f;

	for_each_spec_register(r, spec)
		for_each_spec_field(f, r)
			if (f->user != NOBODY)
				check_position(spec, kind, r, f);
}

static void fields_are_where_the_specification_has_them(void **state)
{
	(void)state;
	each_kind(check_positions);
}

/* The field of the specification that an entry of a table stands for */
static const struct spec_field *specified(const struct spec_kind *spec, enum user user,
					  unsigned int which)
{
	const struct spec_register *r;
	const struct spec_field *f;

	for_each_spec_register(r, spec)
		for_each_spec_field(f, r)
			if (f->user == user && f->which == which)
				return f;
	return NULL;
}

/* Blocks consist of offsets of registers, 16 bits each, and the mask of a bit. */
static void check_block(const struct spec_kind *spec, enum user user, const void *block,
			size_t size)
{
	u16 value;

	for (size_t at = 0; block && at < size; at += sizeof(value)) {
		memcpy(&value, (const char *)block + at, sizeof(value));
		if (value && !specified(spec, user, at))
			wrong("%s: a block has %#x, of which the test does not know", spec->name,
			      value);
	}
}

static void check_known(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++)
		if (kind->fields[id].mask && !specified(spec, IN_FIELDS, id))
			wrong("%s: the test does not know of %s", spec->name,
			      driver_field(id).name);
	for (unsigned int id = 0; kind->units && id < RVTRACE_UNIT_FIELDS; id++)
		if (kind->units->fields[id].mask && !specified(spec, IN_UNITS, id))
			wrong("%s: the test does not know of %s", spec->name,
			      driver_unit_field(id).name);
	check_block(spec, IN_RAM, kind->ram, sizeof(*kind->ram));
	check_block(spec, IN_TIMESTAMP, kind->timestamp, sizeof(*kind->timestamp));
	if (kind->stimulus &&
	    !specified(spec, IN_KIND, offsetof(struct rvtrace_kind, stimulus)))
		wrong("%s: the test does not know of stimulus registers", spec->name);
}

static void tables_have_nothing_else(void **state)
{
	(void)state;
	each_kind(check_known);
}

static void check_disjoint(const struct spec_kind *spec, const struct rvtrace_field *fields,
			   unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < i; j++)
			if (fields[i].reg == fields[j].reg && (fields[i].mask & fields[j].mask))
				wrong("%s: fields %u and %u of %#05x overlap", spec->name, j, i,
				      fields[i].reg);
}

static void check_overlap(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	check_disjoint(spec, kind->fields, RVTRACE_FIELDS);
	if (kind->units)
		check_disjoint(spec, kind->units->fields, RVTRACE_UNIT_FIELDS);
}

static void fields_of_a_register_do_not_overlap(void **state)
{
	(void)state;
	each_kind(check_overlap);
}

static void specified_fields_do_not_overlap(void **state)
{
	const struct spec_kind *spec;
	const struct spec_register *r;
	const struct spec_field *f;
	u32 bits;

	(void)state;
	problems = 0;
	for (spec = specification; spec->name; spec++) {
		for_each_spec_register(r, spec) {
			bits = 0;
			for_each_spec_field(f, r) {
				if (f->msb > 31 || f->lsb > f->msb || (bits & spec_mask(f)))
					wrong("%s: %s", spec->name, f->name);
				bits |= spec_mask(f);
			}
		}
	}
	assert_int_equal(problems, 0);
}

/* What software does to clear a status */
static enum rvtrace_status expected_status(const struct spec_field *f)
{
	switch (f->access) {
	case RW0C:
		return RVTRACE_CLEARED_BY_0;
	case RW1C:
		return RVTRACE_CLEARED_BY_1;
	case RC:
		return f->msb == f->lsb ? RVTRACE_CLEARED_BY_READ : RVTRACE_COUNTED_UNTIL_READ;
	default:
		return RVTRACE_NO_STATUS;
	}
}

static void check_access(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		const struct spec_field *f = specified(spec, IN_FIELDS, id);
		struct driver_field field = driver_field(id);

		if (!f)
			continue;
		if (kind->fields[id].status != expected_status(f))
			wrong("%s: %s is not cleared so", spec->name, f->name);
		if (field.constant && f->access != R)
			wrong("%s: %s is constant, but can be written", spec->name, f->name);
		if (field.configurable && f->access != R && f->access != RW && f->access != WARL)
			wrong("%s: %s is status, but can be chosen", spec->name, f->name);
	}
}

static void statuses_are_marked_with_what_clears_them(void **state)
{
	(void)state;
	each_kind(check_access);
}

static void every_field_has_a_name(void **state)
{
	(void)state;
	problems = 0;
	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++)
		if (!driver_field(id).name)
			wrong("field %u has no name", id);
	for (unsigned int id = 0; id < RVTRACE_UNIT_FIELDS; id++)
		if (!driver_unit_field(id).name || !driver_unit_field(id).unit)
			wrong("field %u of units has no name", id);
	assert_int_equal(problems, 0);
}

static void check_undefined(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	unsigned int i, count = 0;

	while (kind->undefined && kind->undefined[count])
		count++;
	for (i = 0; i < count; i++)
		if (kind->undefined[i] != spec->undefined[i])
			wrong("%s: clears %#05x, not %#05x", spec->name, kind->undefined[i],
			      spec->undefined[i]);
	if (kind->units && kind->units->undefined != spec->units_undefined)
		wrong("%s: units after reset", spec->name);
	if (spec->undefined[count])
		wrong("%s: does not clear %#05x", spec->name, spec->undefined[count]);
	if (kind->undefined_control != spec->undefined_control)
		wrong("%s: clears %#x of its control register, not %#x", spec->name,
		      kind->undefined_control, spec->undefined_control);
}

static void what_reset_leaves_undefined_is_cleared(void **state)
{
	(void)state;
	each_kind(check_undefined);
}

static void check_reserved(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	if (kind->reserved_zero != spec->reserved_zero)
		wrong("%s: reserved bits", spec->name);
}

static void reserved_bits_are_written_as_specified(void **state)
{
	(void)state;
	each_kind(check_reserved);
}

static bool allowed(const struct regmap_access_table *table, unsigned int reg)
{
	for (unsigned int i = 0; i < table->n_yes_ranges; i++)
		if (reg >= table->yes_ranges[i].range_min && reg <= table->yes_ranges[i].range_max)
			return true;
	return false;
}

static bool is_used(const struct spec_kind *spec, const struct spec_register *r)
{
	const struct spec_field *f;

	for_each_spec_field(f, r)
		if (f->user != NOBODY && f->user != IN_KIND)
			return true;
	for (const u16 *undefined = spec->undefined; *undefined; undefined++)
		if (*undefined == r->offset)
			return true;
	return false;
}

static bool changes_when_read(const struct spec_register *r)
{
	const struct spec_field *f;

	for_each_spec_field(f, r)
		if (f->access == RC || f->access == PORT)
			return true;
	return false;
}

static void check_regmap(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	const struct regmap_config *map = kind->regmap;
	bool may, precious;

	for (unsigned int reg = 0; reg < RVTRACE_PAGE_SIZE; reg += 4) {
		const struct spec_register *r = spec_register_at(spec, reg);

		may = reg <= map->max_register && allowed(map->rd_table, reg);
		precious = kind->precious && kind->precious(reg);
		if (may && !r)
			wrong("%s: there is no register %#05x to access", spec->name, reg);
		if (!may && r && is_used(spec, r))
			wrong("%s: %s cannot be accessed", spec->name, r->name);
		if (may && r && precious != changes_when_read(r))
			wrong("%s: %s is %sprecious", spec->name, r->name, precious ? "" : "not ");
	}
	if (map->reg_stride != 4 || map->val_bits != 32 || map->cache_type != REGCACHE_NONE)
		wrong("%s: registers of 32 bits that nobody may cache", spec->name);
}

static void regmap_allows_what_is_used_and_what_is_specified(void **state)
{
	(void)state;
	each_kind(check_regmap);
}

static void check_zeros(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	const struct spec_field *f;

	for_each_spec_field(f, spec_register_at(spec, kind->impl))
		if (kind->impl_zero & spec_mask(f))
			wrong("%s: %s does not read 0", spec->name, f->name);
}

static void bits_that_read_0_are_of_no_field(void **state)
{
	(void)state;
	each_kind(check_zeros);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_modes(const struct spec_kind *spec, const struct rvtrace_kind *kind)
{
	const char *expected;

	for (unsigned int i = 0; kind->inst_modes && i <= RVTRACE_NAMED_MAX; i++) {
		expected = i < ARRAY_SIZE(spec->inst_modes) ? spec->inst_modes[i] : NULL;
		if (!same(kind->inst_modes[i], expected))
			wrong("%s: mode %u is %s", spec->name, i,
			      expected ? expected : "reserved");
	}
	if (!kind->inst_modes != !spec->inst_modes[0])
		wrong("%s: modes", spec->name);
	for (const u8 *mode = kind->inst_mode_order; mode && *mode; mode++)
		if (!spec->inst_modes[*mode])
			wrong("%s: there is no mode %u to choose", spec->name, *mode);
}

static void modes_have_the_generations_names(void **state)
{
	(void)state;
	each_kind(check_modes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specified_fields_do_not_overlap),
		cmocka_unit_test(every_kind_is_specified),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(fields_are_where_the_specification_has_them),
		cmocka_unit_test(tables_have_nothing_else),
		cmocka_unit_test(fields_of_a_register_do_not_overlap),
		cmocka_unit_test(statuses_are_marked_with_what_clears_them),
		cmocka_unit_test(every_field_has_a_name),
		cmocka_unit_test(what_reset_leaves_undefined_is_cleared),
		cmocka_unit_test(reserved_bits_are_written_as_specified),
		cmocka_unit_test(regmap_allows_what_is_used_and_what_is_specified),
		cmocka_unit_test(bits_that_read_0_are_of_no_field),
		cmocka_unit_test(modes_have_the_generations_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
