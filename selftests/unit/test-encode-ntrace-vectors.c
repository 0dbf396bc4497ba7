// SPDX-License-Identifier: GPL-2.0
/*
 * The encoder against streams that another encoder made from the same list
 * of executed instructions: byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "selftests/unit/vectors.h"

/* Conventions of the reference encoder: docs/formats-ntrace-vectors.md. */
static struct ntrace_params reference(unsigned int xlen)
{
	return (struct ntrace_params) {
		.xlen = xlen,
		.indirect_without_hist = true,
		.timestamp_bits = 64,
		.icnt_bits = 30,
		.hist_bits = 32,
		.repeat_bits = 18,
	};
}

static struct ntrace_params reference_history(unsigned int xlen,
					      bool repeated_history,
					      unsigned int call_stack)
{
	struct ntrace_params params = reference(xlen);

	params.history = true;
	params.repeated_history = repeated_history;
	params.hist_patterns[0] = repeated_history ? 28 : 0;
	params.hist_patterns[1] = repeated_history ? 30 : 0;
	params.call_stack = call_stack;
	return params;
}

static void check(const struct ntrace_params *params, const char *vector)
{
	char path[128];
	struct vector_run run;

	vector_encode(&run, params);
	snprintf(path, sizeof(path), VECTORS "%s/%s",
		 params->xlen == 32 ? "t1" : "qsort", vector);
	vector_compare(&run, path);
	vector_free(&run);
}

static void t1_branch(void **state)
{
	struct ntrace_params params = reference(32);

	(void)state;
	check(&params, "test-nobhm.nex");
}

static void t1_history(void **state)
{
	struct ntrace_params params = reference_history(32, false, 0);

	(void)state;
	check(&params, "test-cs0rpt0.nex");
}

static void t1_repeated_history(void **state)
{
	struct ntrace_params params = reference_history(32, true, 0);

	(void)state;
	check(&params, "test-cs0rpt2.nex");
}

static void t1_call_stack(void **state)
{
	struct ntrace_params params = reference_history(32, true, 8);

	(void)state;
	check(&params, "test-cs8rpt2.nex");
	check(&params, "test-NEX.bin");
}

static void qsort_branch(void **state)
{
	struct ntrace_params params = reference(64);

	(void)state;
	check(&params, "qsort-nobhm.nex");
}

static void qsort_history(void **state)
{
	struct ntrace_params params = reference_history(64, false, 0);

	(void)state;
	check(&params, "qsort-cs0rpt0.nex");
}

static void qsort_repeated_history(void **state)
{
	struct ntrace_params params = reference_history(64, true, 0);

	(void)state;
	check(&params, "qsort-cs0rpt2.nex");
}

static void qsort_call_stack(void **state)
{
	struct ntrace_params params = reference_history(64, true, 8);

	(void)state;
	check(&params, "qsort-cs8rpt2.nex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t1_branch),
		cmocka_unit_test(t1_history),
		cmocka_unit_test(t1_repeated_history),
		cmocka_unit_test(t1_call_stack),
		cmocka_unit_test(qsort_branch),
		cmocka_unit_test(qsort_history),
		cmocka_unit_test(qsort_repeated_history),
		cmocka_unit_test(qsort_call_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
