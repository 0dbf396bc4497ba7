// SPDX-License-Identifier: GPL-2.0
/* Calls: processes, errors, and input that nobody sends but who means harm. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rvtrace/error.h>

#include "selftests/unit/calls-fixture.h"
#include "selftests/unit/share.h"
#include "selftests/unit/sideband-builder.h"

static struct rvtrace_spaces *spaces;

static int spaces_teardown(void **state)
{
	rvtrace_spaces_free(spaces);
	spaces = NULL;
	return calls_teardown(state);
}

static void resolve(struct builder *b)
{
	struct rvtrace_sideband sideband = { };

	spaces = rvtrace_spaces_new();
	assert_non_null(spaces);
	assert_int_equal(rvtrace_sideband_parse(b->bytes, b->size, &sideband, NULL), 0);
	assert_int_equal(rvtrace_spaces_add_sideband(spaces, &sideband), 0);
	assert_int_equal(rvtrace_spaces_resolve(spaces), 0);
	rvtrace_sideband_free(&sideband);
	c.config.spaces = spaces;
}

/* What process @pid executes at a time. */
static uint32_t space_at(int32_t pid, uint64_t ns)
{
	const struct rvtrace_space *space = rvtrace_spaces_of_process(spaces, pid, ns);

	assert_non_null(space);
	return space->index;
}

/* 'b' of thread 20 executes a system call, which returns to another function of user mode. */
static void call_in_two_processes(uint32_t before, uint32_t after)
{
	on(0, 20);
	c.item.process = before;
	mode(0);
	tick(10);
	run(AT('a', 0), CALL);
	run(AT('b', 0), LINEAR);
	trap(AT('b', 8), RVTRACE_TRAP_EXCEPTION, 8);
	mode(1);
	run(AT('A', 0), TRAP_RETURN);
	trap_return(AT('A', 4));
	mode(0);
	c.item.process = after;
	run(AT('c', 0), CALL);
	run(AT('d', 0), LINEAR);
	end_calls();
}

static void an_exec_leaves_all_frames(void **state)
{
	static struct builder b;

	(void)state;
	b = (struct builder) { };
	add_fork(&b, 1000, 20, 20, 10);
	add_comm(&b, 2000, 20, "ls", 1);
	resolve(&b);
	assert_int_not_equal(space_at(20, 1500), space_at(20, 2500));
	call_in_two_processes(space_at(20, 1500), space_at(20, 2500));
	calls_expect(0, ">0 +a/o +b +#8 +A -A -#8 -b/u -a/u +c/o +d -d/c -c/c <0");
	assert_int_equal(c.lanes[1].length, 0);
}

/* Process 20 ends, and another one has its number. */
static void a_thread_id_is_used_again(void **state)
{
	static struct builder b;

	(void)state;
	b = (struct builder) { };
	add_fork(&b, 1000, 20, 20, 10);
	add_exit(&b, 2000, 20, 20);
	add_fork(&b, 3000, 20, 20, 11);
	resolve(&b);
	assert_int_not_equal(space_at(20, 1500), space_at(20, 3500));
	call_in_two_processes(space_at(20, 1500), space_at(20, 3500));
	calls_expect(0, ">0 +a/o +b +#8 +A -A -#8 -b/c -a/c <0");
	calls_expect(1, ">0 +c/o +d -d/c -c/c <0");
}

/* A fork has a space of its own, but its thread has another id; without exec nothing ends. */
static void an_unknown_process_ends_nothing(void **state)
{
	static struct builder b;

	(void)state;
	b = (struct builder) { };
	add_fork(&b, 1000, 20, 20, 10);
	resolve(&b);
	call_in_two_processes(space_at(20, 1500), RVTRACE_PROCESS_UNKNOWN);
	assert_int_equal(c.lanes[1].length, 0);
	assert_null(strstr(c.lanes[0].text, "/u"));
}

static void what_is_missing_is_invalid(void **state)
{
	struct rvtrace_calls *calls = NULL;

	(void)state;
	c.config.event = NULL;
	assert_int_equal(rvtrace_calls_new(&c.config, &calls), RVTRACE_ERR_INVALID);
	c.config.size = 8;
	assert_int_equal(rvtrace_calls_new(&c.config, &calls), RVTRACE_ERR_INVALID);
	assert_null(calls);
	rvtrace_calls_free(NULL);
}

/* Calls, traps, a switch and a gap. Return: of the first step that fails, or 0 */
static int some_of_everything(void)
{
	int ret;

	mode(1);
	tick(10);
	run(AT('A', 0), CALL);
	run(AT('S', 0), RETURN);
	on(0, 2);
	run(AT('B', 0), CALL);
	trap(AT('C', 0), RVTRACE_TRAP_INTERRUPT, 5);
	run(AT('D', 0), CALL);
	run(AT('S', 0), RETURN);
	on(0, 1);
	tick(20);
	run(AT('A', 8), JUMP);
	run(AT('E', 0), LINEAR);
	gap(RVTRACE_FLOW_DATA);
	gap(RVTRACE_FLOW_OVERFLOW);
	ret = rvtrace_calls_finish(c.calls);
	return rvtrace_calls_items(c.calls, NULL, 0) == ret ? ret : -9999;
}

/* Whichever event it is that fails, it is the last one, and its error comes back. */
static void an_error_of_the_event_function_ends_it(void **state)
{
	uint64_t all;

	assert_int_equal(some_of_everything(), 0);
	all = c.events;
	assert_true(all > 20);
	for (uint64_t i = 1; i <= all; i++) {
		calls_teardown(state);
		calls_setup(state);
		c.quiet = true;
		c.fail_at = i;
		c.fail = -1000 - (int)i;
		assert_int_equal(some_of_everything(), -1000 - (int)i);
		assert_int_equal(c.events, i);
	}
}

/* It comes back from rvtrace_calls_items() as well. */
static void an_error_comes_back_from_items(void **state)
{
	int ret = 0;

	(void)state;
	c.quiet = true;
	c.fail_at = 5;
	c.fail = -77;
	for (uint64_t i = 0; i < 100000 && !ret; i++) {
		tick(10 + i);
		ret = give((struct rvtrace_flow_item) {
			.type = RVTRACE_FLOW_TRAP, .address = 8 * i,
			.flags = RVTRACE_FLOW_HAS_ADDRESS,
		});
	}
	assert_int_equal(ret, -77);
	assert_int_equal(c.events, 5);
	assert_int_equal(rvtrace_calls_finish(c.calls), -77);
	assert_int_equal(c.events, 5);
}

/* Calls that never return: at some depth they are left all at once. */
static void depth_has_a_limit(void **state)
{
	(void)state;
	c.quiet = true;
	for (unsigned int i = 0; i < 200000; i++) {
		tick(i);
		run_more(AT('a', 0), 1, CALL);
	}
	end_calls();
	assert_int_equal(c.lanes[0].depth, 0);
	assert_true(c.lanes[0].room <= 65536);
	assert_int_equal(c.left['a'].flags & RVTRACE_CALL_CUT, RVTRACE_CALL_CUT);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* All SRC of 16 bits, the highest first, several times: time does not grow with their square. */
static void many_sources(void **state)
{
	double began = seconds();
	uint64_t told = 0;

	(void)state;
	c.quiet = true;
	for (uint32_t i = 0; i < 4 * 65536; i++) {
		if (is_left_out())
			continue;
		told++;
		on(65535 - i % 65536, -1);
		tick(1000 + i);
		trap(AT('a', 0), RVTRACE_TRAP_INTERRUPT, 1);
	}
	end_calls();
	assert_true(c.events > told);
	assert_true(seconds() - began < 60);
}

/* Where a return goes to address 0, and nobody called from there. */
static void a_return_to_nothing(void **state)
{
	(void)state;
	tick(10);
	run(AT('a', 0), CALL);
	run(AT('b', 0), RETURN);
	run(0, RETURN);
	run(0, INDIRECT_JUMP);
	run(0, LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b/ui -a/ui +?/op -? +?/op -?/c <0");
}

/* Of an address it says what is not about it. */
static void find_nothing(void *data, const struct rvtrace_flow_item *item, uint64_t address,
			 const uint8_t *code, struct rvtrace_call_function *function)
{
	(void)data;
	(void)item;
	(void)code;
	c.finds++;
	*function = (struct rvtrace_call_function) {
		.id = 'z', .begins = true, .start = 0, .end = address,
	};
}

static void find_says_nothing(void **state)
{
	(void)state;
	c.config.find = find_nothing;
	tick(10);
	run_more(AT('a', 0), 20, CALL);
	run_more(AT('b', 0), 20, RETURN);
	end_calls();
	assert_true(c.finds <= 40);
	calls_expect(0, ">0 +?/op +?/p -?/c -?/c <0");
}

/* As many instructions as there can be, several times: times stay in order. */
static void instructions_without_end(void **state)
{
	(void)state;
	tick(10);
	run(AT('a', 0), CALL);
	for (unsigned int i = 0; i < 4; i++) {
		tick(20 + i);
		assert_int_equal(give((struct rvtrace_flow_item) {
			.type = RVTRACE_FLOW_RANGE, .address = AT('b', 0),
			.range.instructions = UINT64_MAX / 3 + i,
		}), 0);
		run(AT('b', 0), CALL);
	}
	tick(UINT64_MAX - 1);
	run(AT('c', 0), LINEAR);
	tick(UINT64_MAX);
	run(AT('c', 0), LINEAR);
	end_calls();
	assert_int_equal(c.lanes[0].depth, 0);
	assert_true(c.events > 12);
}

static uint64_t random_state;

static uint32_t chance(uint32_t n)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % n;
}

static void any_event(void)
{
	const struct rvtrace_flow_item item = {
		.type = chance(40), .address = AT('a' + chance(26), 8 * chance(4)),
		.flags = chance(2) ? RVTRACE_FLOW_HAS_ADDRESS | RVTRACE_FLOW_FIRST : 0,
		.stop.reason = chance(3),
	};

	/* blocks are never without a list */
	if (item.type != RVTRACE_FLOW_BLOCKS)
		assert_int_equal(give(item), 0);
}

/* What is random must end in order as well: the fixture compares each event. */
static void any_items(unsigned int rounds)
{
	static const unsigned int ends[] = {
		LINEAR, BRANCH, JUMP, CALL, CALL, INDIRECT_JUMP, INDIRECT_CALL, RETURN, RETURN, SWAP,
		TRAP_RETURN,
	};

	c.quiet = true;
	for (unsigned int i = 0; i < rounds; i++) {
		if (!chance(3))
			on(chance(3), (int32_t)chance(5) - 1);
		if (!chance(2))
			tick(chance(20) ? 10 * i : chance(10000));
		else if (!chance(10))
			silent();
		if (!chance(1000))
			c.item.offset = chance(1000000);
		mode(chance(2));
		switch (chance(12)) {
		case 0:
			any_event();
			break;
		case 1:
			trap(AT('A' + chance(26), 8), chance(3), chance(16));
			break;
		case 2:
			trap_return(AT('A', 8));
			break;
		default:
			run_more(AT((chance(2) ? 'a' : 'A') + chance(26), 8 * chance(4)),
				 1 + chance(3), ends[chance(11)]);
			break;
		}
	}
	end_calls();
	for (unsigned int i = 0; i < CALLS_LANES; i++)
		assert_int_equal(c.lanes[i].depth, 0);
}

static void any_items_at_all(void **state)
{
	for (unsigned int seed = 1; seed <= 60; seed++) {
		calls_teardown(state);
		calls_setup(state);
		if (is_left_out())
			continue;
		random_state = seed;
		if (seed % 3 == 0) {
			c.windowed = true;
			c.config.from = 10000;
			c.config.to = 25000;
		}
		any_items(4000);
	}
}

#define LIMIT_TEST(name) cmocka_unit_test_setup_teardown(name, calls_setup, spaces_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIMIT_TEST(an_exec_leaves_all_frames),
		LIMIT_TEST(a_thread_id_is_used_again),
		LIMIT_TEST(an_unknown_process_ends_nothing),
		LIMIT_TEST(what_is_missing_is_invalid),
		LIMIT_TEST(an_error_of_the_event_function_ends_it),
		LIMIT_TEST(an_error_comes_back_from_items),
		LIMIT_TEST(depth_has_a_limit),
		LIMIT_TEST(many_sources),
		LIMIT_TEST(a_return_to_nothing),
		LIMIT_TEST(find_says_nothing),
		LIMIT_TEST(instructions_without_end),
		LIMIT_TEST(any_items_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
