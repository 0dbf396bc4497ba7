// SPDX-License-Identifier: GPL-2.0
/* Address spaces made of the side band a test builds: see spaces-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "selftests/unit/spaces-fixture.h"

struct fixture *f;

int spaces_setup(void **state)
{
	(void)state;
	f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->spaces = rvtrace_spaces_new();
	assert_non_null(f->spaces);
	return 0;
}

int spaces_teardown(void **state)
{
	(void)state;
	rvtrace_spaces_free(f->spaces);
	rvtrace_sideband_free(&f->sideband);
	free(f);
	return 0;
}

void resolve(void)
{
	assert_int_equal(rvtrace_sideband_parse(f->b.bytes, f->b.size, &f->sideband, NULL), 0);
	assert_int_equal(rvtrace_spaces_add_sideband(f->spaces, &f->sideband), 0);
	if (f->cut)
		assert_int_equal(rvtrace_spaces_cut(f->spaces), 0);
	assert_int_equal(rvtrace_spaces_resolve(f->spaces), 0);
}
