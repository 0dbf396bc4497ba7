// SPDX-License-Identifier: GPL-2.0
/* Decoders that began in the middle of a stream are compared with one that has read all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/loops-fixture.h"
#include "selftests/unit/parallel-fixture.h"
#include "tools/lib/flow/flow_internal.h"
#include "tools/lib/flow/flow_state.h"

#define ROUNDS	50
#define SYNC	10

/**
 * struct stream - what harts sent, and two that decode it
 * @time: of the last round
 * @whole: one that reads all of it
 * @late: one that begins at @began
 */
struct stream {
	struct loops loops;
	uint64_t time;
	uint8_t bytes[16384];
	size_t size;
	size_t began;
	struct rvtrace_image *image;
	struct rvtrace_flow *whole;
	struct rvtrace_flow *late;
};

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct stream *s = opaque;

	assert_true(s->size + size <= sizeof(s->bytes));
	memcpy(s->bytes + s->size, message, size);
	s->size += size;
	return true;
}

static int setup(void **state)
{
	const struct rvtrace_flow_config config = {
		.size = sizeof(config), .isa.xlen = 64, .src_bits = 1,
	};
	struct stream *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->image = rvtrace_image_new();
	assert_non_null(s->image);
	loops_map(s->image);
	assert_int_equal(rvtrace_flow_new(&config, s->image, &s->whole), 0);
	assert_int_equal(rvtrace_flow_new(&config, s->image, &s->late), 0);
	loops_start(&s->loops, SYNC, emit, s);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stream *s = *state;

	rvtrace_flow_free(s->whole);
	rvtrace_flow_free(s->late);
	rvtrace_image_free(s->image);
	free(s);
	return 0;
}

/* Harts go around @rounds times, each where it is. */
static void go_around(struct stream *s, bool first, bool second, unsigned int rounds)
{
	while (rounds--) {
		s->time += 10;
		if (first)
			loops_step(&s->loops, 0, s->loops.at[0], s->time);
		if (second)
			loops_step(&s->loops, 1, s->loops.at[1], s->time + 1);
	}
}

static void decode(struct rvtrace_flow *flow, const uint8_t *bytes, size_t size,
		   struct record *record)
{
	struct rvtrace_flow_item items[64];
	int count;

	assert_int_equal(rvtrace_flow_feed(flow, bytes, size), 0);
	while ((count = rvtrace_flow_read(flow, items, 64)) > 0)
		for (int i = 0; i < count && record; i++)
			record_item(record, &items[i]);
	assert_int_equal(count, 0);
}

/* Here the late one begins. */
static void begin_late(struct stream *s)
{
	s->began = s->size;
	flow_state_forget(s->late, s->began, false, NULL);
}

/* Both read all there is: what is kept of the late one then. */
static struct flow_state *read_all(struct stream *s)
{
	struct flow_state *state;

	decode(s->whole, s->bytes, s->size, NULL);
	decode(s->late, s->bytes + s->began, s->size - s->began, NULL);
	state = flow_state_keep(s->late);
	assert_non_null(state);
	return state;
}

static void a_gap_that_is_over_makes_no_difference(void **state)
{
	struct stream *s = *state;
	struct flow_state *kept;

	loops_step(&s->loops, 0, LOOP_UNSEEN, 1);
	go_around(s, true, true, 5);
	loops_step(&s->loops, 0, LOOP_0, s->time + 5);
	go_around(s, true, true, ROUNDS);
	begin_late(s);
	go_around(s, true, true, ROUNDS);
	kept = read_all(s);
	/* as it was left */
	assert_true(s->whole->sources[0]->gap_has_address);
	assert_false(s->late->sources[0]->gap_has_address);
	assert_true(flow_state_settled(s->late));
	assert_true(flow_state_same(kept, s->whole));
	flow_state_free(kept);
}

static void a_gap_is_the_same_where_it_began_at_the_same_place(void **state)
{
	struct stream *s = *state;
	struct flow_state *kept;

	go_around(s, true, true, ROUNDS);
	begin_late(s);
	go_around(s, true, true, ROUNDS);
	loops_step(&s->loops, 0, LOOP_UNSEEN, s->time + 5);
	s->time += 10;
	loops_step(&s->loops, 0, LOOP_UNSEEN, s->time);
	kept = read_all(s);
	assert_true(s->whole->sources[0]->gap);
	assert_true(flow_state_settled(s->late));
	assert_true(flow_state_same(kept, s->whole));
	s->whole->sources[0]->pc += 2;
	assert_false(flow_state_same(kept, s->whole));
	flow_state_free(kept);
}

static void where_a_hart_is_makes_a_difference(void **state)
{
	struct stream *s = *state;
	struct flow_state *kept;

	go_around(s, true, true, ROUNDS);
	begin_late(s);
	go_around(s, true, true, ROUNDS);
	kept = read_all(s);
	assert_true(flow_state_same(kept, s->whole));
	s->whole->sources[1]->pc += 2;
	assert_false(flow_state_same(kept, s->whole));
	flow_state_free(kept);
}

static void not_yet_synchronized_is_not_settled(void **state)
{
	struct stream *s = *state;

	go_around(s, true, true, ROUNDS);
	begin_late(s);
	flow_state_free(read_all(s));
	assert_false(flow_state_settled(s->late));
}

/* The second hart sleeps where the late decoder begins, and wakes up later. */
static void who_was_silent_is_handed_over(void **state)
{
	struct record whole = { 0 }, late = { 0 };
	struct flow_state *kept, *rest;
	struct stream *s = *state;
	size_t read;

	go_around(s, true, true, ROUNDS);
	begin_late(s);
	go_around(s, true, false, ROUNDS);
	kept = read_all(s);
	assert_null(s->late->sources[1]);
	assert_true(flow_state_same(kept, s->whole));
	rest = flow_state_rest(kept, s->whole);
	assert_non_null(rest);
	flow_state_inherit(s->late, rest);
	read = s->size;
	go_around(s, true, true, ROUNDS);
	decode(s->whole, s->bytes + read, s->size - read, &whole);
	decode(s->late, s->bytes + read, s->size - read, &late);
	assert_int_equal(late.size, whole.size);
	assert_memory_equal(late.bytes, whole.bytes, whole.size);
	/* of what it did itself */
	assert_int_equal(s->late->sources[1]->stats.messages, ROUNDS);
	free(whole.bytes);
	free(late.bytes);
	flow_state_free(kept);
	flow_state_free(rest);
}

static void who_is_not_in_the_stream_makes_a_difference(void **state)
{
	struct stream *s = *state;
	struct flow_state *kept;

	go_around(s, true, true, ROUNDS);
	decode(s->whole, s->bytes, s->size, NULL);
	kept = flow_state_keep(s->whole);
	assert_non_null(kept);
	assert_true(flow_state_same(kept, s->whole));
	free(s->whole->sources[1]);
	s->whole->sources[1] = NULL;
	s->whole->touched[0] = 1;
	assert_false(flow_state_same(kept, s->whole));
	flow_state_free(kept);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_gap_that_is_over_makes_no_difference),
		TEST(a_gap_is_the_same_where_it_began_at_the_same_place),
		TEST(where_a_hart_is_makes_a_difference),
		TEST(not_yet_synchronized_is_not_settled),
		TEST(who_was_silent_is_handed_over),
		TEST(who_is_not_in_the_stream_makes_a_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
