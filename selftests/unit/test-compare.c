// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: what it accepts, and that it fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

static void equal_sequences_pass(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	add_item(f, flow_insn(0x4000, U));	/* behind the window */
	assert_null(truth_check(&f->truth));
	assert_true(compare(f));
	assert_int_equal(f->result.decoded, N);
	assert_int_equal(f->result.truth, N);
	assert_int_equal(f->result.windows, 1);
}

static void unknown_privilege_passes(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] = flow_insn(flow_pc(f->flow[1000]), FLOW_PRIV_UNKNOWN);
	assert_true(compare(f));
}

static void a_wrong_privilege_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] = flow_insn(flow_pc(f->flow[1000]), U);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_string_equal(f->result.shown[0].what, "wrong privilege");
}

static void a_wrong_address_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] ^= 2;
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_int_equal(f->result.shown_count, 1);
	assert_int_equal(f->result.shown[0].item, 1000);
	assert_int_equal(f->result.unaccounted, 1);
	assert_int_equal(f->result.decoded, N - 1);
}

static void every_flipped_bit_fails(void **state)
{
	struct fixture *f = *state;
	unsigned int bit;

	add_flow(f, 0, N);
	for (bit = 1; bit < 62; bit++) {
		if (bit == 58 || bit == 59)	/* of the size */
			continue;
		f->flow[2000] ^= 1ULL << bit;
		assert_false(compare(f));
		f->flow[2000] ^= 1ULL << bit;
	}
	assert_true(compare(f));
}

static void missing_instructions_fail(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_flow(f, 1003, N);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 3);
	assert_int_equal(f->result.unaccounted, 3);
}

static void extra_instructions_fail(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_item(f, flow_insn(0x7000, S));
	add_flow(f, 1000, N);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_int_equal(f->result.unaccounted, 0);
	assert_int_equal(f->result.decoded, N);
}

static void a_missing_iteration_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_flow(f, 1050, N);
	assert_false(compare(f));
}

static void an_early_end_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N - 1);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 0);
	assert_int_equal(f->result.unaccounted, 1);
}

static void a_missing_window_fails(void **state)
{
	struct fixture *f = *state;

	assert_false(compare(f));
	assert_int_equal(f->result.windows, 1);
	assert_int_equal(f->result.opened, 0);
	assert_int_equal(f->result.unaccounted, N);
	f->truth.count = 0;
	assert_false(compare(f));
}

static void user_code_without_image_is_skipped(void **state)
{
	struct fixture *f = *state;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	assert_true(compare(f));
	assert_int_equal(f->result.no_image, 100);
	assert_int_equal(f->result.decoded, N - 100);
}

static void kernel_code_without_image_fails(void **state)
{
	struct fixture *f = *state;

	add_flow_around(f, 990, FLOW_NO_IMAGE, 1000);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 10);
}

static void firmware_may_lack_an_image(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 990; i < 1000; i++)
		f->privs[i] = 3;
	build_truth(f);
	add_flow_around(f, 990, FLOW_NO_IMAGE, 1000);
	assert_false(compare(f));
	f->rules.no_firmware = true;
	assert_true(compare(f));
	assert_int_equal(f->result.no_image, 10);
	f->privs[995] = S;
	build_truth(f);
	assert_false(compare(f));
}

static bool is_command(void *data, uint64_t pc, uint32_t scontext)
{
	return pc >= *(uint64_t *)data && scontext == 7;
}

static void code_of_the_command_without_image_fails(void **state)
{
	struct fixture *f = *state;
	uint64_t from = 0x5000;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) { .must_know = is_command, .data = &from };
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	from = 0x6000;
	assert_true(compare(f));
}

static void a_stretch_that_was_not_executed_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_item(f, flow_event(FLOW_NO_IMAGE, 77));
	add_item(f, flow_insn(0x9998, U));
	add_flow(f, 1000, N);
	assert_false(compare(f));
}

static void an_error_of_the_decoder_fails(void **state)
{
	struct fixture *f = *state;

	add_flow_around(f, 1000, FLOW_ERROR, 1010);
	assert_false(compare(f));
	assert_int_equal(f->result.unaccounted, 10);
	assert_int_equal(f->result.lost, 0);
}

static void user_code_at_jit_addresses_may_lack_an_image(void **state)
{
	const struct compare_range jit = { 0x5000, 0x5010 };
	struct fixture *f = *state;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) { .jit = &jit, .jit_count = 1 };
	assert_true(compare(f));
	assert_int_equal(f->result.jit, 40);
	assert_int_equal(f->result.no_image, 60);
}

static void jit_code_of_the_command_may_lack_an_image(void **state)
{
	const struct compare_range jit = { 0x5000, 0x5024 };
	struct fixture *f = *state;
	uint64_t from = 0x5000;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) {
		.must_know = is_command, .data = &from, .jit = &jit, .jit_count = 1,
	};
	assert_false(compare(f));	/* one of them lies behind */
	f->rules.jit = &(const struct compare_range) { 0x5000, 0x5028 };
	assert_true(compare(f));
	assert_int_equal(f->result.jit, 100);
}

static void count_told(void *data, const struct truth_step *step, uint64_t space)
{
	struct fixture *f = data;

	assert_int_equal(step->priv, U);
	assert_int_equal(space, 3);
	f->told++;
}

static void what_lacks_an_image_is_told(void **state)
{
	struct fixture *f = *state;

	run_user_code(f);
	add_flow(f, 0, 1000);
	add_item(f, flow_event(FLOW_SPACE, 3));
	add_item(f, flow_event(FLOW_NO_IMAGE, 77));
	add_flow(f, 1100, N);
	f->rules = (struct compare_rules) { .no_image = count_told, .data = f };
	assert_true(compare(f));
	assert_int_equal(f->told, 100);
}

static void damaged_truth_is_refused(void **state)
{
	struct fixture *f = *state;

	f->truth.count--;
	assert_non_null(truth_check(&f->truth));
	f->truth.count++;
	f->truth.words++;
	f->truth.count--;
	assert_non_null(truth_check(&f->truth));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)
	const struct CMUnitTest tests[] = {
		TEST(equal_sequences_pass),
		TEST(unknown_privilege_passes),
		TEST(a_wrong_privilege_fails),
		TEST(a_wrong_address_fails),
		TEST(every_flipped_bit_fails),
		TEST(missing_instructions_fail),
		TEST(extra_instructions_fail),
		TEST(a_missing_iteration_fails),
		TEST(an_early_end_fails),
		TEST(a_missing_window_fails),
		TEST(user_code_without_image_is_skipped),
		TEST(kernel_code_without_image_fails),
		TEST(firmware_may_lack_an_image),
		TEST(code_of_the_command_without_image_fails),
		TEST(a_stretch_that_was_not_executed_fails),
		TEST(an_error_of_the_decoder_fails),
		TEST(user_code_at_jit_addresses_may_lack_an_image),
		TEST(jit_code_of_the_command_may_lack_an_image),
		TEST(what_lacks_an_image_is_told),
		TEST(damaged_truth_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
