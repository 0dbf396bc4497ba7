// SPDX-License-Identifier: GPL-2.0
/*
 * The encoder against streams that the reference flow's encoder made from the same list of
 * executed instructions: byte for byte. Its conventions: docs/formats-etrace-vectors.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/vectors.h"

static struct etrace_params reference(unsigned int xlen, uint64_t packets)
{
	struct etrace_params params = {
		.iaddress_width = xlen,
		.iaddress_lsb = 1,
		.context_width = 32,
		.time_width = 1,
		.notime = true,
		.ecause_width = 5,
		.privilege_width = 2,
		.flow = 2,
		.encoder_mode_width = 1,
		.ioptions_width = 5,
		.denable_width = 1,
		.dloss_width = 1,
		.doptions_width = 4,
		.sync_mode = packets ? ETRACE_SYNC_PACKETS : ETRACE_SYNC_OFF,
		.sync_interval = packets,
		.sync_waits = packets,
		.infer_all_returns = true,
		.irdepth_ones = true,
	};

	memset(params.option, ETRACE_NO_OPTION, sizeof(params.option));
	params.option[ETRACE_IMPLICIT_RETURN] = 0;
	params.option[ETRACE_IMPLICIT_EXCEPTION] = 1;
	params.option[ETRACE_FULL_ADDRESS] = 2;
	params.option[ETRACE_JUMP_TARGET_CACHE] = 3;
	params.option[ETRACE_BRANCH_PREDICTION] = 4;
	return params;
}

static void check(const struct etrace_params *params, const char *suite, const char *program)
{
	struct vector_run run;
	char path[160];

	vector_encode_etrace(&run, params, program);
	snprintf(path, sizeof(path), ETRACE_VECTORS "%s-%s/%s.te_inst_raw", suite, program,
		 program);
	vector_compare(&run, path);
	vector_free(&run);
}

static unsigned int xlen_of(const char *program)
{
	return strcmp(program, "xrle") ? 64 : 32;
}

static void basic(const char *program)
{
	struct etrace_params params = reference(xlen_of(program), 16);

	check(&params, "itype3_basic", program);
}

static void debug(const char *program)
{
	struct etrace_params params = reference(xlen_of(program), 32);

	params.modes = ETRACE_MODE(FULL_ADDRESS);
	params.iaddress_lsb = 0;
	check(&params, "itype3_debug", program);
}

static void return_stack(const char *program)
{
	struct etrace_params params = reference(xlen_of(program), 32);

	params.modes = ETRACE_MODE(IMPLICIT_RETURN);
	params.return_stack_size = 4;
	check(&params, "implicit_return_rs4", program);
}

static void delta_addresses(void **state)
{
	(void)state;
	basic("median");
	basic("multiply");
	basic("towers");
	basic("xrle");
	basic("test_discon_branch_exception");
}

static void full_addresses(void **state)
{
	(void)state;
	debug("median");
	debug("multiply");
	debug("towers");
	debug("xrle");
	debug("test_discon_branch_exception");
}

static void implicit_returns_by_stack(void **state)
{
	(void)state;
	return_stack("median");
	return_stack("multiply");
	return_stack("towers");
	return_stack("test_discon_branch_exception");
}

static void implicit_returns_by_counter(void **state)
{
	struct etrace_params params = reference(32, 32);

	(void)state;
	params.modes = ETRACE_MODE(IMPLICIT_RETURN);
	params.call_counter_size = 7;
	check(&params, "implicit_return_cc7", "xrle");
}

static void time_field(void **state)
{
	struct etrace_params params = reference(32, 0);

	(void)state;
	params.notime = false;
	params.return_stack_size = 7;
	check(&params, "itype4_fake_scf", "xrle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delta_addresses),
		cmocka_unit_test(full_addresses),
		cmocka_unit_test(implicit_returns_by_stack),
		cmocka_unit_test(implicit_returns_by_counter),
		cmocka_unit_test(time_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
