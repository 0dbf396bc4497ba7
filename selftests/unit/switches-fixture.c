// SPDX-License-Identifier: GPL-2.0
/* Switches made of the side band a test builds: see switches-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "selftests/unit/switches-fixture.h"

struct builder b;
struct rvtrace_switches *switches;
static struct rvtrace_sideband sideband;

int switches_setup(void **state)
{
	(void)state;
	memset(&b, 0, sizeof(b));
	return 0;
}

int switches_teardown(void **state)
{
	(void)state;
	rvtrace_switches_free(switches);
	switches = NULL;
	rvtrace_sideband_free(&sideband);
	return 0;
}

void build(void)
{
	assert_int_equal(rvtrace_sideband_parse(b.bytes, b.size, &sideband, NULL), 0);
	switches = rvtrace_switches_new(&sideband);
	assert_non_null(switches);
}
