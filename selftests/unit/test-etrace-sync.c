// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: format 3, and what support packets change. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-payload.h"

static struct rvtrace_etrace_params with(unsigned int time, unsigned int context)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	params.ecause_width = 6;
	params.notime = !time;
	params.time_width = time;
	params.nocontext = !context;
	params.context_width = context;
	return params;
}

static void time_and_context(void **state)
{
	static const uint8_t widths[] = { 0, 1, 7, 16, 32, 48, 64 };
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(widths); i++) {
		for (k = 0; k < sizeof(widths); k++) {
			struct rvtrace_etrace_params params = with(widths[i], widths[k]);
			uint64_t time = widths[i] ? 0xfedcba9876543211 << (64 - widths[i]) >>
					(64 - widths[i]) : 0;
			uint64_t context = widths[k] ? UINT64_MAX >> (64 - widths[k]) : 0;
			struct rvtrace_etrace_te_inst inst;
			struct payload p = { };

			put(&p, 3, 2);
			put(&p, RVTRACE_ETRACE_START, 2);
			put(&p, 0, 1);
			put(&p, 1, 2);
			put(&p, time, widths[i]);
			put(&p, context, widths[k]);
			put(&p, 0xffffffff80001234 >> 1, 63);
			inst = parse_inst(&params, &p);
			assert_int_equal(inst.subformat, RVTRACE_ETRACE_START);
			assert_false(inst.branch);
			assert_int_equal(inst.privilege, 1);
			assert_int_equal(inst.has_time, widths[i] != 0);
			assert_int_equal(inst.time, time);
			assert_int_equal(inst.has_context, widths[k] != 0);
			assert_int_equal(inst.context, context);
			assert_int_equal(inst.address, 0xffffffff80001234);
		}
	}
}

static void context_alone(void **state)
{
	struct rvtrace_etrace_params params = with(40, 20);
	struct rvtrace_etrace_te_inst inst;
	struct payload p = { };

	(void)state;
	put(&p, 3, 2);
	put(&p, RVTRACE_ETRACE_CONTEXT, 2);
	put(&p, 3, 2);
	put(&p, 0x8000000001, 40);
	put(&p, 0xfffff, 20);
	inst = parse_inst(&params, &p);
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_CONTEXT);
	assert_int_equal(inst.privilege, 3);
	assert_int_equal(inst.time, 0x8000000001);
	assert_int_equal(inst.context, 0xfffff);
	assert_false(inst.has_address);
}

/* Of 32 bits: as they are; of more: sign-extended, as harts do it. */
static void addresses_of_all_widths(void **state)
{
	static const struct {
		uint8_t width;
		uint64_t sent, address;
	} cases[] = {
		{ 32, 0x80000000, 0x80000000 }, { 39, 0x7fffffffff, UINT64_MAX & ~1 },
		{ 39, 0x3ffffffffe, 0x3ffffffffe }, { 57, 1ull << 56, 0xff00000000000000 },
		{ 64, 0xffffffff80000000, 0xffffffff80000000 }, { 20, 0xfffff, 0xffffe },
	};
	struct rvtrace_etrace_params params = with(0, 0);
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct payload p = { };

		params.iaddress_width = cases[i].width;
		put(&p, 0x13, 5);
		put(&p, 0, 2);
		put(&p, cases[i].sent >> 1, cases[i].width - 1);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.address, cases[i].address);
		assert_int_equal(rvtrace_etrace_wrap(&params, cases[i].address),
				 cases[i].address);
	}
}

static void put_trap(struct payload *p, bool interrupt, bool thaddr)
{
	put(p, 3, 2);
	put(p, RVTRACE_ETRACE_TRAP, 2);
	put(p, 1, 1);
	put(p, 1, 2);
	put(p, 0x2d, 6);
	put(p, interrupt, 1);
	put(p, thaddr, 1);
}

static void traps(void **state)
{
	struct rvtrace_etrace_params params = with(0, 0);
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		bool interrupt = i & 1, thaddr = i & 2, implicit = i & 4;
		bool address = !thaddr || !implicit;
		struct payload p = { };

		params.modes = implicit ? RVTRACE_ETRACE_IMPLICIT_EXCEPTION : 0;
		put_trap(&p, interrupt, thaddr);
		if (address)
			put(&p, 0x1234 >> 1, 63);
		if (!interrupt)
			put(&p, 0xdeadbeefdeadbeef, 64);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.subformat, RVTRACE_ETRACE_TRAP);
		assert_true(inst.branch);
		assert_int_equal(inst.ecause, 0x2d);
		assert_int_equal(inst.interrupt, interrupt);
		assert_int_equal(inst.thaddr, thaddr);
		assert_int_equal(inst.has_address, address);
		assert_int_equal(inst.address, address ? 0x1234 : 0);
		assert_int_equal(inst.has_tval, !interrupt);
		assert_int_equal(inst.tval, interrupt ? 0 : 0xdeadbeefdeadbeef);
	}
}

static void support_of_any_width(void **state)
{
	struct rvtrace_etrace_params params = with(0, 0);
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct payload p = { };

		params.encoder_mode_width = 3 * i;
		params.ioptions_width = 5 + 13 * i;
		params.denable_width = i > 0;
		params.dloss_width = i > 1;
		params.doptions_width = 4 * i;
		memset(params.option, RVTRACE_ETRACE_NO_OPTION, sizeof(params.option));
		params.option[0] = 4 + 13 * i;
		params.option[1] = 0;
		put(&p, 0xf, 4);
		put(&p, 1, 1);
		put(&p, 0, params.encoder_mode_width);
		put(&p, RVTRACE_ETRACE_TRACE_LOST, 2);
		put(&p, 1 << (4 + 13 * i), params.ioptions_width);
		put(&p, 1, params.denable_width);
		put(&p, 1, params.dloss_width);
		put(&p, 0xa5, params.doptions_width);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.subformat, RVTRACE_ETRACE_SUPPORT);
		assert_true(inst.ienable);
		assert_int_equal(inst.qual_status, RVTRACE_ETRACE_TRACE_LOST);
		assert_int_equal(inst.ioptions, 1 << (4 + 13 * i));
		assert_int_equal(inst.modes, RVTRACE_ETRACE_SIJUMP);
		assert_int_equal(inst.denable, i > 0);
		assert_int_equal(inst.dloss, i > 1);
		assert_int_equal(inst.doptions, 0xa5 & ((1 << 4 * i) - 1));
		assert_false(inst.standard);
	}
}

static void modes_of_support_packets(void **state)
{
	static const uint16_t modes[] = {
		RVTRACE_ETRACE_IMPLICIT_RETURN, RVTRACE_ETRACE_IMPLICIT_EXCEPTION,
		RVTRACE_ETRACE_FULL_ADDRESS, RVTRACE_ETRACE_JUMP_TARGET_CACHE,
		RVTRACE_ETRACE_BRANCH_PREDICTION,
	};
	struct rvtrace_etrace_params params = with(0, 0);
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct payload p = { };

		put(&p, 0x1f, 8);
		put(&p, 1 << i, 5);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.modes, modes[i]);
	}
	/* Data trace has its own. */
	params.doptions_width = 4;
	for (i = 0; i < 4; i++) {
		struct payload p = { };

		params.option[7 + i] = i;
		put(&p, 0x1f, 8);
		put(&p, 0, 5);
		put(&p, 1 << i, 4);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.modes, RVTRACE_ETRACE_NO_ADDRESS << i);
	}
}

/* 2.0.5 draft, "Standard Support Packet format" */
static void put_standard(struct payload *p, unsigned int ioptions, const unsigned int sizes[6],
			 unsigned int doptions)
{
	static const uint8_t widths[6] = { 3, 2, 3, 4, 3, 3 };
	unsigned int i;

	put(p, 0xf, 4);
	put(p, 1, 1);
	put(p, 0, 2);
	put(p, RVTRACE_ETRACE_ENDED_NTR, 2);
	put(p, ioptions, 8);
	for (i = 0; i < 6; i++)
		put(p, sizes[i], widths[i]);
	put(p, 1, 1);
	put(p, 0, 1);
	put(p, doptions, 5);
}

static void standard_support(void **state)
{
	static const unsigned int sizes[6] = { 4, 1, 3, 0, 6, 5 };
	struct rvtrace_etrace_params params = with(0, 0), before;
	struct rvtrace_etrace_te_inst inst;
	struct payload p = { };

	(void)state;
	params.protocol_minor = 1;
	/* implicit return, jump target cache, resync_disabled, irets; multiple accesses, no data */
	put_standard(&p, 0xca, sizes, 0x5);
	inst = parse_inst(&params, &p);
	assert_true(inst.standard);
	assert_int_equal(inst.qual_status, RVTRACE_ETRACE_ENDED_NTR);
	assert_true(inst.denable);
	assert_false(inst.dloss);
	assert_int_equal(inst.modes, RVTRACE_ETRACE_IMPLICIT_RETURN |
			 RVTRACE_ETRACE_JUMP_TARGET_CACHE | RVTRACE_ETRACE_RESYNC_DISABLED |
			 RVTRACE_ETRACE_NO_DATA);
	before = params;
	assert_int_equal(rvtrace_etrace_params_support(&params, &inst), 0);
	assert_int_equal(params.modes, inst.modes);
	assert_int_equal(params.notime, 0);
	assert_int_equal(params.time_width, 64);
	assert_int_equal(params.f0s_width, 1);
	assert_int_equal(params.return_stack_size, 3);
	assert_int_equal(params.call_counter_size, 0);
	assert_int_equal(params.bpred_size, 6);
	assert_int_equal(params.cache_size, 5);
	assert_int_equal(params.iret_ext, 1);
	assert_int_equal(params.mmacas_ext, 1);
	assert_int_equal(params.iaddress_width, before.iaddress_width);
}

static void each_bit_of_the_standard_support(void **state)
{
	static const unsigned int sizes[6] = { 0 };
	struct rvtrace_etrace_params params = with(0, 0);
	unsigned int i;

	(void)state;
	params.protocol_minor = 1;
	for (i = 0; i < 7; i++) {
		struct payload p = { };

		put_standard(&p, 1 << i, sizes, 0);
		assert_int_equal(parse_inst(&params, &p).modes, 1 << i);
	}
	for (i = 0; i < 4; i++) {
		struct payload p = { };

		put_standard(&p, 0, sizes, 2 << i);
		assert_int_equal(parse_inst(&params, &p).modes, RVTRACE_ETRACE_NO_ADDRESS << i);
	}
}

static void support_that_contradicts_itself(void **state)
{
	/* time wider than any, both efficiency extensions without a subformat */
	static const unsigned int sizes[][6] = { { 5 }, { 0, 0, 0, 0, 1, 1 } };
	static const unsigned int modes[] = { 1 << 1, 1 << 2, 1 << 3 };
	struct rvtrace_etrace_params params = with(0, 0), before;
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	params.protocol_minor = 1;
	before = params;
	for (i = 0; i < 5; i++) {
		static const unsigned int none[6];
		struct payload p = { };

		put_standard(&p, i < 3 ? modes[i] : 0, i < 3 ? none : sizes[i - 3], 0);
		inst = parse_inst(&params, &p);
		assert_int_equal(rvtrace_etrace_params_support(&params, &inst), RVTRACE_ERR_FIELD);
		assert_memory_equal(&params, &before, sizeof(params));
	}
}

static void unknown_encoder_mode(void **state)
{
	struct rvtrace_etrace_params params = with(0, 0);
	struct payload p = { };

	(void)state;
	put(&p, 0x3f, 8);
	assert_int_equal(inst_error(&params, &p), RVTRACE_ERR_FIELD);
}

static void packets_that_go_on(void **state)
{
	struct rvtrace_etrace_params params = with(0, 0);
	struct rvtrace_etrace_te_inst inst;
	struct payload p = { };

	(void)state;
	put(&p, 0x73, 7);
	put(&p, 0x1000 >> 1, 63);
	/* copies of the sign are harmless, others are not */
	put(&p, 0, 16);
	assert_int_equal(inst_error(&params, &p), 0);
	put(&p, 1, 8);
	assert_int_equal(inst_error(&params, &p), RVTRACE_ERR_TRAILING);
	assert_int_equal(rvtrace_etrace_parse_inst(&params, "", 0, &inst), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_and_context),
		cmocka_unit_test(context_alone),
		cmocka_unit_test(addresses_of_all_widths),
		cmocka_unit_test(traps),
		cmocka_unit_test(support_of_any_width),
		cmocka_unit_test(modes_of_support_packets),
		cmocka_unit_test(standard_support),
		cmocka_unit_test(each_bit_of_the_standard_support),
		cmocka_unit_test(support_that_contradicts_itself),
		cmocka_unit_test(unknown_encoder_mode),
		cmocka_unit_test(packets_that_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
