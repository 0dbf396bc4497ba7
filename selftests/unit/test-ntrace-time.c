// SPDX-License-Identifier: GPL-2.0
/* Flow layer: timestamps that begin again at 0, and those of SiFive. */
#include "flow-fixture.h"

#define LAP	(1ull << 40)

static int setup_time(void **state)
{
	setup(state);
	f.config.time_bits = 40;
	return 0;
}

static void put_timed_sync(unsigned int src, uint64_t time)
{
	begin_message(RVTRACE_NTRACE_PROG_TRACE_SYNC, src);
	nexus_fixed(&f.msg, 5, 4);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0x100 >> 1);
	nexus_variable(&f.msg, time);
	end_message();
}

/* An exception that leads back to where it happened, which is 0x100. */
static void put_timed_exception(uint64_t time)
{
	begin_message(RVTRACE_NTRACE_INDIRECT_BRANCH, 0);
	nexus_fixed(&f.msg, RVTRACE_NTRACE_BTYPE_EXCEPTION, 2);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, time);
	end_message();
}

static void is_at(int i, uint64_t time)
{
	assert_true(i < f.count);
	assert_true(f.items[i].flags & RVTRACE_FLOW_HAS_TIME);
	assert_int_equal(f.items[i].time, time);
}

static void time_goes_on_where_it_begins_again(void **state)
{
	(void)state;
	f.config.time_near = LAP - 50;
	put_timed_sync(0, LAP - 10);
	put_timed_exception(5);
	put_timed_exception(20);
	put_timed_sync(0, 30);
	put_timed_sync(0, LAP / 2);
	put_timed_sync(0, LAP - 5);
	put_timed_sync(0, 3);
	decode();
	is_at(0, LAP - 10);
	is_at(1, LAP - 5);
	is_at(2, LAP + 15);
	is_at(3, LAP + 30);
	is_at(4, LAP + LAP / 2);
	is_at(5, 2 * LAP - 5);
	is_at(6, 2 * LAP + 3);
}

static void the_first_time_is_near_to_what_is_known(void **state)
{
	(void)state;
	f.config.time_near = 3 * LAP - 2;
	put_timed_sync(0, 4);
	decode();
	is_at(0, 3 * LAP + 4);
}

/* A hart that slept for a lap, but whose neighbour did not. */
static void sources_share_their_laps(void **state)
{
	(void)state;
	f.config.src_bits = 1;
	put_timed_sync(0, 100);
	put_timed_sync(1, LAP / 3);
	put_timed_sync(1, LAP / 3 * 2);
	put_timed_sync(1, LAP - 1);
	put_timed_sync(1, LAP / 3);
	put_timed_sync(0, LAP / 3 + 7);
	/* not quite in order */
	put_timed_sync(1, LAP / 3 + 5);
	decode();
	is_at(0, 100);
	is_at(4, LAP + LAP / 3);
	is_at(5, LAP + LAP / 3 + 7);
	is_at(6, LAP + LAP / 3 + 5);
}

/* What is to be added to a time that is not known says nothing of the others'. */
static void a_time_begins_with_a_synchronization(void **state)
{
	(void)state;
	f.config.src_bits = 1;
	put_timed_sync(1, 100);
	put_timed_sync(1, LAP / 2 - 1);
	begin_message(RVTRACE_NTRACE_INDIRECT_BRANCH, 0);
	nexus_fixed(&f.msg, RVTRACE_NTRACE_BTYPE_EXCEPTION, 2);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, LAP - 1);
	end_message();
	put_timed_sync(1, LAP / 2 + 10);
	put_timed_sync(1, LAP - 1);
	put_timed_sync(1, 10);
	decode();
	is_at(1, LAP / 2 - 1);
	is_at(2, LAP / 2 + 10);
	is_at(4, LAP + 10);
}

static void all_bits_are_as_they_come(void **state)
{
	(void)state;
	f.config.time_bits = 0;
	f.config.time_near = LAP;
	put_timed_sync(0, 5);
	put_timed_sync(0, UINT64_MAX - 1);
	put_timed_sync(0, 7);
	decode();
	is_at(0, 5);
	is_at(1, UINT64_MAX - 1);
	is_at(2, 7);
}

static void sifives_differ_from_the_one_before(void **state)
{
	(void)state;
	f.config.ntrace.sifive = true;
	put_timed_sync(0, LAP - 10);
	put_timed_exception((LAP - 10) ^ (LAP - 3));
	put_timed_exception((LAP - 3) ^ 8);
	put_timed_exception(8 ^ 9);
	put_timed_sync(0, 12);
	f.config.time_near = LAP - 10;
	decode();
	is_at(0, LAP - 10);
	is_at(1, LAP - 3);
	is_at(2, LAP + 8);
	is_at(3, LAP + 9);
	is_at(4, LAP + 12);
}

static void a_width_has_an_end(void **state)
{
	(void)state;
	f.config.time_bits = 65;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), RVTRACE_ERR_INVALID);
}

/* All that follows is behind it; what was known of the time is not any more. */
static void a_restart_leads_on_to_other_times(void **state)
{
	const uint64_t again = 1ull << 54;

	(void)state;
	for (unsigned int bits = 40; bits <= 64; bits += 24) {
		f.config.time_bits = bits % 64;
		put_timed_sync(0, 1000);
		decode();
		is_at(0, 1000);
		assert_int_equal(rvtrace_flow_restart(f.flow, 1), 0);
		f.size = 0;
		put_timed_exception(3);
		put_timed_sync(0, 40);
		put_timed_sync(0, LAP / 3);
		decode();
		assert_false(f.items[0].flags & RVTRACE_FLOW_HAS_TIME);
		is_at(1, again + 40);
		is_at(2, again + LAP / 3);
		assert_int_equal(rvtrace_flow_restart(f.flow, 2), 0);
		f.size = 0;
		put_timed_sync(0, LAP / 3 + 1);
		decode();
		is_at(0, 2 * again + LAP / 3 + 1);
		rvtrace_flow_free(f.flow);
		f.flow = NULL;
		f.size = 0;
	}
}

static void nothing_restarts_while_items_wait(void **state)
{
	(void)state;
	put_timed_sync(0, 1);
	decode();
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_restart(f.flow, 1), RVTRACE_ERR_BUSY);
	read_items();
	assert_int_equal(rvtrace_flow_restart(f.flow, 1), 0);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_time, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_goes_on_where_it_begins_again),
		TEST(the_first_time_is_near_to_what_is_known),
		TEST(sources_share_their_laps),
		TEST(a_time_begins_with_a_synchronization),
		TEST(all_bits_are_as_they_come),
		TEST(sifives_differ_from_the_one_before),
		TEST(a_width_has_an_end),
		TEST(a_restart_leads_on_to_other_times),
		TEST(nothing_restarts_while_items_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
