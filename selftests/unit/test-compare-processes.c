// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: whose address spaces were decoded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

#define PROGRAM_A	1000	/* two stretches of user code, of two processes */
#define PROGRAM_B	2000
#define LENGTH		100
#define SATP(asid, root)	(9ULL << 60 | (uint64_t)(asid) << 44 | (root))

/* The processes run at the same addresses; @satp of A, of the kernel after it, of B. */
static void run_processes(struct fixture *f, const uint64_t satp[3])
{
	size_t i;

	f->truth.count = 0;
	add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
	for (i = 0; i < N; i++) {
		bool user = (i >= PROGRAM_A && i < PROGRAM_A + LENGTH) ||
			    (i >= PROGRAM_B && i < PROGRAM_B + LENGTH);

		if (user) {
			f->privs[i] = U;
			f->pcs[i] = 0x5000 + 4 * (i % 10);
		}
		if (i == 0 || i == PROGRAM_A)
			add_state_of(f, f->privs[i], satp[0]);
		else if (i == PROGRAM_A + LENGTH)
			add_state_of(f, S, satp[1]);
		else if (i == PROGRAM_B)
			add_state_of(f, U, satp[2]);
		else if (i == PROGRAM_B + LENGTH)
			add_state_of(f, S, satp[2]);
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
}

/* Decoded as address spaces @a and @b. */
static void add_processes(struct fixture *f, uint64_t a, uint64_t b)
{
	reset_flow(f);
	add_flow(f, 0, PROGRAM_A);
	add_item(f, flow_event(FLOW_SPACE, a));
	add_flow(f, PROGRAM_A, PROGRAM_B);
	add_item(f, flow_event(FLOW_SPACE, b));
	add_flow(f, PROGRAM_B, N);
	free(f->tables.roots);
	f->tables = (struct compare_tables) { 0 };
	f->rules.tables = &f->tables;
}

static bool are_4_and_5(void *data, uint64_t a, uint64_t b)
{
	(void)data;
	return a == 4 && b == 5;
}

static void address_spaces_are_those_of_the_page_tables(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	static const uint64_t one[] = { SATP(1, 100), SATP(0, 7), SATP(2, 100) };
	static const uint64_t stays[] = { SATP(1, 100), SATP(1, 100), SATP(1, 100) };
	struct fixture *f = *state;

	run_processes(f, two);
	add_processes(f, 4, 70);
	assert_true(compare(f));
	assert_int_equal(f->result.placed, 2 * LENGTH);

	/* two processes as one */
	add_processes(f, 4, 4);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* not known */
	add_processes(f, 4, 0);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* the address space identifier is no identity */
	run_processes(f, one);
	add_processes(f, 4, 4);
	assert_true(compare(f));

	/* one process as two */
	run_processes(f, stays);
	add_processes(f, 4, 4);
	assert_true(compare(f));
	add_processes(f, 4, 5);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* unless one is a child that has its parent's memory */
	f->rules.shared = are_4_and_5;
	add_processes(f, 4, 5);
	assert_true(compare(f));
	add_processes(f, 4, 6);
	assert_false(compare(f));

	/* but two after each other may have the same page */
	run_processes(f, one);
	add_processes(f, 4, 5);
	assert_true(compare(f));
}

static void page_tables_are_known_from_hart_to_hart(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;

	run_processes(f, two);
	add_processes(f, 4, 5);
	assert_true(compare(f));
	f->tables.roots[5] = 100;
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
}

static int64_t pid_is_space_plus_100(void *data, uint64_t space)
{
	(void)data;
	return space + 100;
}

static void an_announced_process_must_be_the_decoded_one(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;
	uint64_t pid;

	run_processes(f, two);
	f->rules.pid = pid_is_space_plus_100;
	for (pid = 103; pid <= 105; pid++) {
		add_processes(f, 4, 5);
		memmove(&f->flow[PROGRAM_A + 10], &f->flow[PROGRAM_A + 9],
			(f->count - PROGRAM_A - 9) * sizeof(f->flow[0]));
		f->count++;
		f->flow[PROGRAM_A + 9] = flow_event(FLOW_PID, pid);
		assert_int_equal(compare(f), pid == 104);
		assert_int_equal(f->result.announced, 1);
		assert_int_equal(f->result.mismatches, pid != 104);
	}
}

/* Before the window nothing is judged; after a loss, what is certain to be of it. */
static void address_spaces_are_judged_after_a_loss(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;
	int b;

	run_processes(f, two);
	f->rules.tables = &f->tables;
	for (b = 4; b <= 5; b++) {
		reset_flow(f);
		add_flow(f, 0, PROGRAM_A);
		add_item(f, flow_event(FLOW_SPACE, 4));
		add_flow(f, PROGRAM_A, PROGRAM_A + LENGTH);
		add_item(f, flow_event(FLOW_LOST, 77));
		add_item(f, flow_event(FLOW_SPACE, b));
		add_flow(f, PROGRAM_B - 100, N);
		assert_int_equal(compare(f), b == 5);
		assert_int_equal(f->result.lost, PROGRAM_B - 200 - PROGRAM_A);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)
	const struct CMUnitTest tests[] = {
		TEST(address_spaces_are_those_of_the_page_tables),
		TEST(page_tables_are_known_from_hart_to_hart),
		TEST(an_announced_process_must_be_the_decoded_one),
		TEST(address_spaces_are_judged_after_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
