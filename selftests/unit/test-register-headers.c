// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets and masks in include/uapi/linux/rvtrace_regs*.h against the
 * specifications, as selftests/registers/specification_*.c has them.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "selftests/registers/driver-tables.h"

/* A field's name without its component: te, ts, pib ...; trTe, trRam, trAtbBridge ... */
static const char *bare(const char *name)
{
	bool component = !strncmp(name, "tr", 2);

	while (islower(*name))
		name++;
	if (!component)
		return name;
	do {
		name += !strncmp(name, "AtbBridge", 9) ? 4 : 1;
	} while (islower(*name));
	return name;
}

/* Does @macro, without underscores, end with the bare @name? */
static bool is_named(const char *macro, const char *name)
{
	char plain[64];
	size_t n = 0, length = strlen(bare(name));

	for (; *macro && n + 1 < sizeof(plain); macro++)
		if (*macro != '_')
			plain[n++] = *macro;
	plain[n] = '\0';
	return length <= n && !strcasecmp(plain + n - length, bare(name));
}

static bool mask_is_specified(const char *generation, u32 offset, const struct header_line *mask)
{
	const struct spec_register *r;
	const struct spec_field *f;

	for (const struct spec_kind *spec = specification; spec->name; spec++) {
		r = strcmp(spec->generation, generation) ? NULL : spec_register_at(spec, offset);
		if (!r)
			continue;
		for_each_spec_field(f, r)
			if (spec_mask(f) == mask->value &&
			    (!strcmp(f->name, r->name) || is_named(mask->macro, f->name)))
				return true;
	}
	return false;
}

static bool register_is_specified(const char *generation, const struct header_line *line)
{
	const struct spec_register *r;

	for (const struct spec_kind *spec = specification; spec->name; spec++) {
		r = strcmp(spec->generation, generation) ? NULL : spec_register_at(spec, line->value);
		if (r && (strchr(line->name, '?') || !*line->name || !strcmp(r->name, line->name)))
			return true;
	}
	return false;
}

/* Return: how many lines are wrong; each is told */
static unsigned int check_header(const char *generation)
{
	const struct header_line *line, *reg = NULL;
	unsigned int problems = 0;
	size_t count;

	line = header_lines(generation, &count);
	for (; count; count--, line++) {
		if (!line->macro)
			reg = NULL;
		else if (line->is_register)
			reg = line;
		if (!line->macro || !reg)
			continue;
		if (line->is_register ? register_is_specified(generation, line) :
					mask_is_specified(generation, reg->value, line))
			continue;
		print_error("%s: %s is not %#x\n", generation, line->macro, line->value);
		problems++;
	}
	return problems;
}

static void version_0_is_as_specified(void **state)
{
	(void)state;
	assert_int_equal(check_header("TCI 0"), 0);
}

static void version_0_9_is_as_specified(void **state)
{
	(void)state;
	assert_int_equal(check_header("TCI 0.9"), 0);
}

static void version_1_0_is_as_specified(void **state)
{
	(void)state;
	assert_int_equal(check_header("TCI 1.0"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_0_is_as_specified),
		cmocka_unit_test(version_0_9_is_as_specified),
		cmocka_unit_test(version_1_0_is_as_specified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
