// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: fields of instruction trace. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-payload.h"

/* What the examples of E-Trace 2.0 were made with. */
static struct rvtrace_etrace_params example(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	params.iaddress_lsb = 0;
	params.ecause_width = 5;
	params.nocontext = 0;
	params.context_width = 32;
	return params;
}

static struct payload trap_of(uint64_t ecause)
{
	struct payload p = { };

	put(&p, RVTRACE_ETRACE_SYNC, 2);
	put(&p, RVTRACE_ETRACE_TRAP, 2);
	put(&p, 1, 1);
	put(&p, 3, 2);
	put(&p, ecause, 64);
	put(&p, 0, 1);
	put(&p, 1, 1);
	put(&p, 0x80000222, 64);
	put(&p, 0x1234, 64);
	return p;
}

/* A field as wide as mcause: no cause is so large. */
static void causes_in_wide_fields(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	struct payload p = trap_of(11);

	(void)state;
	params.nocontext = 1;
	params.notime = 1;
	params.ecause_width = 64;
	inst = parse_inst(&params, &p);
	assert_int_equal(inst.ecause, 11);
	assert_int_equal(inst.address, 0x80000222);
	assert_int_equal(inst.tval, 0x1234);
	p = trap_of(1ull << 40 | 11);
	assert_int_equal(inst_error(&params, &p), RVTRACE_ERR_FIELD);
}

/* E-Trace 2.0, "Code fragment and transport" */
static void examples_of_the_specification(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;

	(void)state;
	inst = parse_bytes(&params, BYTES(0x1f, 0x04));
	assert_int_equal(inst.format, RVTRACE_ETRACE_SYNC);
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_SUPPORT);
	assert_true(inst.ienable);
	assert_int_equal(inst.encoder_mode, 0);
	assert_int_equal(inst.qual_status, RVTRACE_ETRACE_NO_CHANGE);
	assert_int_equal(inst.ioptions, 4);
	assert_int_equal(inst.modes, RVTRACE_ETRACE_FULL_ADDRESS);

	inst = parse_bytes(&params, BYTES(0x73, 0, 0, 0, 0, 0x91, 0x82, 0x00, 0x10));
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_START);
	assert_true(inst.branch);
	assert_int_equal(inst.privilege, 3);
	assert_true(inst.has_context);
	assert_int_equal(inst.context, 0);
	assert_false(inst.has_time);
	assert_int_equal(inst.address, 0x20010522);

	inst = parse_bytes(&params, BYTES(0x05, 0x04, 0x01, 0x00, 0x80, 0x00));
	assert_int_equal(inst.format, RVTRACE_ETRACE_DIFF_DELTA);
	assert_int_equal(inst.branches, 1);
	assert_int_equal(inst.branch_map, 0);
	assert_int_equal(inst.address, 0x80000104);
	assert_false(inst.is_notify || inst.is_updiscon || inst.is_irreport);

	inst = parse_bytes(&params, BYTES(0x32, 0x04, 0x00, 0x00, 0x02));
	assert_int_equal(inst.format, RVTRACE_ETRACE_ADDR_ONLY);
	assert_int_equal(inst.address, 0x8000010c);
}

static void traps_of_the_specification(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;

	(void)state;
	inst = parse_bytes(&params, BYTES(0x77, 0, 0, 0, 0, 0x81, 0x88, 0, 0, 0x20));
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_TRAP);
	assert_int_equal(inst.ecause, 2);
	assert_false(inst.interrupt);
	assert_false(inst.thaddr);
	assert_int_equal(inst.address, 0x80000222);
	assert_true(inst.has_tval);
	assert_int_equal(inst.tval, 0);

	inst = parse_bytes(&params, BYTES(0x77, 0, 0, 0, 0x80, 0x33, 0x6c, 0, 0, 0x20));
	assert_int_equal(inst.ecause, 7);
	assert_true(inst.interrupt);
	assert_true(inst.thaddr);
	assert_int_equal(inst.address, 0x800001b0);
	assert_false(inst.has_tval);

	inst = parse_bytes(&params, BYTES(0xbd, 0xaa, 0xaa, 0x68, 0, 0, 0x20));
	assert_int_equal(inst.branches, 15);
	assert_int_equal(inst.branch_map, 21845);
	assert_int_equal(inst.address, 0x800001a2);
}

/* address, notify, updiscon, irreport, irdepth */
static void put_report(struct payload *p, uint64_t address, unsigned int width, bool notify,
		       bool updiscon, bool irreport, uint64_t irdepth, unsigned int irdepth_width)
{
	bool last = address >> (width - 1) & 1;

	put(p, address, width);
	put(p, last ^= notify, 1);
	put(p, last ^= updiscon, 1);
	put(p, last ^= irreport, 1);
	put(p, irreport ? irdepth : last ? UINT64_MAX : 0, irdepth_width);
}

static void addresses_are_differences(void **state)
{
	static const int64_t differences[] = {
		0, 2, -2, 0x7e, -0x80, 0x1234, -0x123456, 0x7ffffffe, -0x80000000ll,
	};
	static const uint8_t widths[] = { 64, 57, 39, 32 };
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	unsigned int i, k, lsb;

	(void)state;
	for (i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
		for (k = 0; k < 3 * sizeof(widths); k++) {
			unsigned int width = widths[k / 3];
			struct payload p = { };

			lsb = differences[i] % 4 ? k % 2 : k % 3;
			params.iaddress_width = width;
			params.iaddress_lsb = lsb;
			put(&p, 2, 2);
			put_report(&p, (uint64_t)differences[i] >> lsb, width - lsb, 0, 0, 0, 0,
				   0);
			inst = parse_inst(&params, &p);
			assert_int_equal(inst.address, differences[i]);
			assert_true(inst.has_address);
			assert_false(inst.is_notify || inst.is_updiscon || inst.is_irreport);
		}
	}
}

/* Each of the bits says something if it differs from the one before it. */
static void what_a_report_says(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	params.return_stack_size = 4;
	for (i = 0; i < 16; i++) {
		uint64_t address = i & 8 ? -0x20ll : 0x1000;
		struct payload p = { };

		put(&p, 2, 2);
		put_report(&p, address, 64, i & 1, i & 2, i & 4, 0x13, 5);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.format, RVTRACE_ETRACE_ADDR_ONLY);
		assert_int_equal(inst.address, address);
		assert_int_equal(inst.is_notify, i & 1);
		assert_int_equal(inst.is_updiscon, i >> 1 & 1);
		assert_int_equal(inst.is_irreport, i >> 2 & 1);
		assert_int_equal(inst.notify, (address >> 63) ^ (i & 1));
		assert_int_equal(inst.updiscon, inst.notify ^ (i >> 1 & 1));
		assert_int_equal(inst.irreport, inst.updiscon ^ (i >> 2 & 1));
		if (i & 4)
			assert_int_equal(inst.irdepth, 0x13);
		else
			assert_int_equal(inst.irdepth, inst.irreport ? 0x1f : 0);
	}
}

static void irdepth_is_as_wide_as_the_encoder_counts(void **state)
{
	static const struct {
		uint8_t stack, counter, irets, width;
	} sizes[] = {
		{ 0, 0, 0, 0 }, { 1, 0, 0, 2 }, { 4, 0, 0, 5 }, { 0, 7, 0, 7 }, { 3, 2, 0, 6 },
		{ 3, 0, 1, 8 }, { 0, 4, 1, 8 },
	};
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct payload p = { };

		params.return_stack_size = sizes[i].stack;
		params.call_counter_size = sizes[i].counter;
		params.iret_ext = sizes[i].irets;
		assert_int_equal(rvtrace_etrace_irdepth_width(&params), sizes[i].width);
		put(&p, 2, 2);
		put_report(&p, 0x80, 64, 0, 0, 1, 0x5a5a, sizes[i].width);
		inst = parse_inst(&params, &p);
		assert_true(inst.is_irreport);
		assert_int_equal(inst.irdepth, 0x5a5a & ((1 << sizes[i].width) - 1));
	}
}

static unsigned int map_bits(unsigned int branches)
{
	return branches <= 1 ? branches : branches <= 3 ? 3 : branches <= 7 ? 7 :
	       branches <= 15 ? 15 : 31;
}

static void branch_maps_of_all_lengths(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	unsigned int branches;

	(void)state;
	for (branches = 1; branches < 32; branches++) {
		uint32_t map = 0x5a5a5a5a & ((1ull << branches) - 1);
		struct payload p = { };

		put(&p, 1, 2);
		put(&p, branches, 5);
		put(&p, map, map_bits(branches));
		put_report(&p, -0x1234ll, 64, 0, 1, 0, 0, 0);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.format, RVTRACE_ETRACE_DIFF_DELTA);
		assert_int_equal(inst.branches, branches);
		assert_int_equal(inst.branch_map, map);
		assert_int_equal(inst.address, -0x1234ll);
		assert_true(inst.is_updiscon);
	}
}

static void full_branch_map_without_an_address(void **state)
{
	struct rvtrace_etrace_params params = example();
	struct rvtrace_etrace_te_inst inst;
	struct payload p = { };

	(void)state;
	put(&p, 1, 2);
	put(&p, 0, 5);
	put(&p, 0x7ffffff5, 31);
	inst = parse_inst(&params, &p);
	assert_int_equal(p.count, 16);
	assert_int_equal(inst.branches, 0);
	assert_int_equal(inst.branch_map, 0x7ffffff5);
	assert_false(inst.has_address);
}

static struct rvtrace_etrace_params predicting(unsigned int f0s_width)
{
	struct rvtrace_etrace_params params = example();

	params.f0s_width = f0s_width;
	params.bpred_size = 6;
	params.cache_size = 5;
	return params;
}

static void branch_counts(void **state)
{
	static const uint8_t formats[] = { RVTRACE_ETRACE_NO_ADDR, RVTRACE_ETRACE_ADDR,
					   RVTRACE_ETRACE_ADDR_FAIL };
	static const uint32_t counts[] = { 0x12, 0xffffffff, 0xfffffffe };
	struct rvtrace_etrace_params params = predicting(1);
	struct rvtrace_etrace_te_inst inst;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(formats); i++) {
		uint32_t count = counts[i];
		struct payload p = { };

		put(&p, 0, 2);
		put(&p, 0, 1);
		put(&p, count, 32);
		put(&p, formats[i], 2);
		if (i)
			put_report(&p, 0x4444, 64, 1, 0, 0, 0, 0);
		inst = parse_inst(&params, &p);
		assert_int_equal(inst.format, RVTRACE_ETRACE_OPT_EXT);
		assert_int_equal(inst.subformat, RVTRACE_ETRACE_BRANCH_COUNT);
		assert_int_equal(inst.branch_count, count);
		assert_int_equal(inst.branch_fmt, formats[i]);
		assert_int_equal(inst.has_address, i > 0);
		assert_int_equal(inst.address, i ? 0x4444 : 0);
		assert_int_equal(inst.is_notify, i > 0);
	}
}

/* A full count is that of a predicted branch, reported with its address. */
static void full_branch_counts(void **state)
{
	static const uint8_t formats[] = { RVTRACE_ETRACE_NO_ADDR, RVTRACE_ETRACE_ADDR_FAIL };
	struct rvtrace_etrace_params params = predicting(1);
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(formats); i++) {
		struct payload p = { };

		put(&p, 0, 2);
		put(&p, 0, 1);
		put(&p, 0xffffffff, 32);
		put(&p, formats[i], 2);
		if (i)
			put_report(&p, 0x4444, 64, 1, 0, 0, 0, 0);
		assert_int_equal(inst_error(&params, &p), RVTRACE_ERR_FIELD);
	}
}

static void jump_target_indexes(void **state)
{
	struct rvtrace_etrace_params params = predicting(2);
	struct rvtrace_etrace_te_inst inst;
	unsigned int branches, report;

	(void)state;
	params.call_counter_size = 3;
	for (branches = 0; branches < 32; branches++) {
		for (report = 0; report < 2; report++) {
			uint32_t map = 0x7fffffff >> (31 - map_bits(branches));
			struct payload p = { };
			bool last = branches;

			if (!branches)
				map = 0;
			put(&p, 0, 2);
			put(&p, 1, 2);
			put(&p, 0x15, 5);
			put(&p, branches, 5);
			put(&p, map, map_bits(branches));
			put(&p, last ^= report, 1);
			put(&p, report ? 5 : last * 7, 3);
			inst = parse_inst(&params, &p);
			assert_int_equal(inst.subformat, RVTRACE_ETRACE_JUMP_TARGET_INDEX);
			assert_int_equal(inst.index, 0x15);
			assert_int_equal(inst.branches, branches);
			assert_int_equal(inst.branch_map, map);
			assert_int_equal(inst.is_irreport, report);
			assert_int_equal(inst.irdepth, report ? 5 : last * 7);
			assert_false(inst.has_address);
		}
	}
}

/* "Format 0 subformat field": left out where there is only one. */
static void format_0_without_a_subformat(void **state)
{
	struct rvtrace_etrace_params params = predicting(0);
	struct rvtrace_etrace_te_inst inst;
	struct payload count = { }, index = { };

	(void)state;
	put(&count, 0, 2);
	put(&count, 77, 34);
	params.cache_size = 0;
	inst = parse_inst(&params, &count);
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_BRANCH_COUNT);
	assert_int_equal(inst.branch_count, 77);

	put(&index, 0, 2);
	put(&index, 9, 5);
	put(&index, 0, 5 + 1);
	params.cache_size = 5;
	params.bpred_size = 0;
	inst = parse_inst(&params, &index);
	assert_int_equal(inst.subformat, RVTRACE_ETRACE_JUMP_TARGET_INDEX);
	assert_int_equal(inst.index, 9);
}

static void format_0_that_the_encoder_does_not_have(void **state)
{
	struct rvtrace_etrace_params params = predicting(2);
	struct payload p = { };
	unsigned int fmt;

	(void)state;
	put(&p, 0, 2);
	put(&p, 1, 2);
	put(&p, 0, 20);
	params.cache_size = 0;
	assert_int_equal(inst_error(&params, &p), RVTRACE_ERR_FIELD);
	params = predicting(2);
	for (fmt = 0; fmt < 4; fmt++) {
		struct payload count = { };

		put(&count, 0, 2 + 2 + 32);
		put(&count, fmt, 2);
		put(&count, 0, 80);
		assert_int_equal(inst_error(&params, &count),
				 fmt == 1 ? RVTRACE_ERR_FIELD : 0);
	}
	for (fmt = 2; fmt < 4; fmt++) {
		struct payload reserved = { };

		put(&reserved, 0, 2);
		put(&reserved, fmt, 2);
		put(&reserved, 0, 20);
		assert_int_equal(inst_error(&params, &reserved), RVTRACE_ERR_FIELD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_specification),
		cmocka_unit_test(traps_of_the_specification),
		cmocka_unit_test(causes_in_wide_fields),
		cmocka_unit_test(addresses_are_differences),
		cmocka_unit_test(what_a_report_says),
		cmocka_unit_test(irdepth_is_as_wide_as_the_encoder_counts),
		cmocka_unit_test(branch_maps_of_all_lengths),
		cmocka_unit_test(full_branch_map_without_an_address),
		cmocka_unit_test(branch_counts),
		cmocka_unit_test(full_branch_counts),
		cmocka_unit_test(jump_target_indexes),
		cmocka_unit_test(format_0_without_a_subformat),
		cmocka_unit_test(format_0_that_the_encoder_does_not_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
