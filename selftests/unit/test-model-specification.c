// SPDX-License-Identifier: GPL-2.0
/*
 * The model's tables of registers against the specifications, as
 * selftests/registers/specification_*.c has them: each field of a table is
 * one of the specification, or several side by side, and does what that says;
 * what a table lacks is written down here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "selftests/registers/specification.h"
#include "tools/machine/model/generation.h"

#define PAGE	0x1000
#define MODELS	6

/* Of @spec the model has these, one after the other. */
struct page {
	const struct spec_register *spec;
	const struct reg_spec *model[MODELS];
	const char *const *lacks;
};

static const struct reg_spec *model_at(const struct page *page, uint32_t offset)
{
	const struct reg_spec *reg;
	unsigned int i;

	for (i = 0; i < MODELS && page->model[i]; i++)
		for (reg = page->model[i]; reg->name; reg++)
			if (offset >= reg->offset &&
			    (reg->more ? (offset - reg->offset) / reg->stride <= reg->more &&
			     (offset - reg->offset) % reg->stride == 0 :
			     offset == reg->offset))
				return reg;
	return NULL;
}

static const struct spec_register *spec_at(const struct page *page,
					   uint32_t offset)
{
	const struct spec_register *r;

	for (r = page->spec; r->fields; r++)
		if (offset >= r->offset &&
		    (offset - r->offset) % r->stride == 0 &&
		    (offset - r->offset) / r->stride < r->count)
			return r;
	return NULL;
}

static bool is_lacking(const struct page *page, const char *name)
{
	const char *const *lack;

	for (lack = page->lacks; lack && *lack; lack++)
		if (!strcmp(*lack, name))
			return true;
	return false;
}

/* What software can do is what the specification says, or less. */
static bool does(enum reg_access access, enum access specified)
{
	switch (access & ~REG_UNDEF) {
	case REG_W1C:
		return specified == RW1C;
	case REG_W0C:
		return specified == RW0C;
	case REG_RC:
		return specified == RC;
	case REG_RW:
		return specified == RW;
	case REG_WARL:
	case REG_BITS:
		return specified == WARL || specified == RW || specified == W1;
	case REG_WC:
		return specified == WARL || specified == RW;
	case REG_OWN:
		return specified == WARL || specified == RW ||
		       specified == PORT;
	default:
		return specified == R || specified == WARL || specified == RW;
	}
}

static void compare_field(const struct reg_spec *reg,
			  const struct reg_field *field,
			  const struct spec_register *spec)
{
	const struct spec_field *f;
	uint32_t covered = 0;

	for_each_spec_field(f, spec) {
		if (!(spec_mask(f) & field->mask))
			continue;
		covered |= spec_mask(f);
		if (!does(field->access, f->access))
			fail_msg("%s: %s is accessed otherwise", reg->name,
				 f->name);
	}
	if (covered != field->mask)
		fail_msg("%s: 0x%x is no field", reg->name, field->mask);
}

static void compare_register(const struct page *page, uint32_t offset)
{
	const struct reg_spec *reg = model_at(page, offset);
	const struct spec_register *spec = spec_at(page, offset);
	const struct reg_field *field;
	const struct spec_field *f;
	uint32_t mask = 0;

	if (!reg)
		return;
	if (!spec)
		fail_msg("%s at 0x%x is no register", reg->name, offset);
	for (field = reg->fields; field->mask; field++) {
		compare_field(reg, field, spec);
		mask |= field->mask;
	}
	for_each_spec_field(f, spec)
		if (!(spec_mask(f) & mask) && !is_lacking(page, f->name))
			fail_msg("%s is missing", f->name);
}

static bool has_bits(const struct reg_spec *reg, uint32_t mask)
{
	const struct reg_field *field;

	for (field = reg ? reg->fields : NULL; field && field->mask; field++)
		if (field->mask & mask)
			return true;
	return false;
}

/* What is said to be missing is. */
static void check_lacks(const struct page *page)
{
	const struct spec_register *r;
	const struct spec_field *f;

	for (r = page->spec; r->fields; r++)
		for_each_spec_field(f, r)
			if ((is_lacking(page, f->name) ||
			     (r->name && is_lacking(page, r->name))) &&
			    has_bits(model_at(page, r->offset), spec_mask(f)))
				fail_msg("%s is not missing", f->name);
}

static void compare(const struct page *page)
{
	const struct spec_register *r;
	uint32_t offset;

	check_lacks(page);
	for (offset = 0; offset < PAGE; offset += 4)
		compare_register(page, offset);
	for (r = page->spec; r->fields; r++)
		if (r->name && !model_at(page, r->offset) &&
		    !is_lacking(page, r->name))
			fail_msg("%s is missing", r->name);
	for (r = page->spec; r->fields; r++)
		if (r->name && model_at(page, r->offset) &&
		    r->count == 1 && strcmp(model_at(page, r->offset)->name, r->name))
			fail_msg("%s is called %s", r->name,
				 model_at(page, r->offset)->name);
}

static void version_0(void **state)
{
	const struct generation *g = &generation_0;
	const struct page encoder = {
		spec_encoder_0,
		{ g->encoder, g->timestamp, g->port, g->ram, g->pib, g->atb }, NULL,
	};
	const struct page funnel = {
		spec_funnel_0,
		{ g->funnel, g->funnel_timestamp, g->ram, g->pib, g->atb },
		NULL,
	};

	(void)state;
	compare(&encoder);
	compare(&funnel);
}

static void version_0_9(void **state)
{
	const struct generation *g = &generation_0_9;
	const struct page encoder = {
		spec_encoder_0_9,
		{ g->encoder, g->timestamp, g->port, g->ram, g->pib, g->atb }, NULL,
	};
	const struct page funnel = {
		spec_funnel_0_9, { g->funnel, g->ram, g->pib, g->atb }, NULL,
	};

	(void)state;
	compare(&encoder);
	compare(&funnel);
}

static void version_1_0(void **state)
{
	static const char *const lacks[] = { "vendor", NULL };
	const struct generation *g = &generation_1_0;
	const struct page pages[] = {
		{ spec_encoder_1_0, { g->encoder, g->timestamp, g->port }, lacks },
		{ spec_funnel_1_0, { g->funnel, g->funnel_timestamp }, lacks },
		{ spec_ram_sink_1_0, { g->ram }, lacks },
		{ spec_pib_sink_1_0, { g->pib }, lacks },
		{ spec_atb_bridge_1_0, { g->atb }, lacks },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		compare(&pages[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_0),
		cmocka_unit_test(version_0_9),
		cmocka_unit_test(version_1_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
