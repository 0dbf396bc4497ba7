// SPDX-License-Identifier: GPL-2.0
/* What tracectl calls registers, and what the specifications call them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "selftests/registers/specification.h"
#include "tools/tracectl/hardware/register_names.h"

static unsigned int wrong;

/* teSink of version 0 got another name later. */
static void spell(char *text, size_t size, const struct spec_register *r, unsigned int i)
{
	const char *name = r->name, *begin = "";

	if (!strncmp(name, "teSink", 6)) {
		begin = "teRam";
		name += 6;
	}
	snprintf(text, size, r->count > 1 ? "%s%s[%u]" : "%s%s", begin, name, i);
}

/* Of several that are alike every one, with its number. */
static void compare(const struct spec_kind *kind, const struct spec_register *r)
{
	char expected[80], name[64];
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		spell(expected, sizeof(expected), r, i);
		register_name(kind->generation, kind->device, r->offset + i * r->stride, name,
			      sizeof(name));
		/* The headers do not name, or not number, all of those. */
		if (!strcmp(name, expected) ||
		    (r->count > 1 && (!*name || !strcmp(name, r->name))))
			continue;
		printf("%s: %#05x is %s, not \"%s\"\n", kind->title,
		       r->offset + i * r->stride, expected, name);
		wrong++;
	}
}

static void registers_have_the_specifications_names(void **state)
{
	const struct spec_register *r;
	const struct spec_kind *kind;

	(void)state;
	wrong = 0;
	for (kind = specification; kind->name; kind++)
		for_each_spec_register(r, kind)
			if (r->name)
				compare(kind, r);
	assert_int_equal(wrong, 0);
}

static void what_is_not_there_has_no_name(void **state)
{
	static const struct {
		const char *generation;
		const char *kind;
		uint32_t offset;
	} holes[] = {
		{ "TCI 0.9", "encoder", 0x02c },
		{ "TCI 1.0", "encoder", 0x044 }, { "TCI 1.0", "funnel", 0x00c },
		{ "TCI 2.0", "encoder", 0x000 },
	};
	char name[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(holes) / sizeof(holes[0]); i++)
		assert_string_equal(register_name(holes[i].generation, holes[i].kind,
						  holes[i].offset, name, sizeof(name)), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_have_the_specifications_names),
		cmocka_unit_test(what_is_not_there_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
