// SPDX-License-Identifier: GPL-2.0
/* The E-Trace encoder, packet by packet: formats 0, 1 and 2. */
#include <stdio.h>
#include <string.h>

#include "selftests/unit/encode-fixture.h"
#include "selftests/unit/etrace-fields.h"

static void jump(uint64_t target)
{
	run(2, INGRESS_INDIRECT_JUMP, target);
}

static void notified(void)
{
	struct ingress_block block = next_block(2, INGRESS_NONE, bench.pc + 4);

	block.notify = true;
	feed(&block);
}

/* "Delta address mode", "Full address mode" */

TEST(address_is_difference_to_the_last_packet_with_an_address)
{
	begin_plain();
	jump(0x200);
	go_on();
	sends(ADDRESS(0x80, 0, 0, 0));
	jump(0x1c0);
	go_on();
	sends(ADDRESS(-0x20, 1, 1, 1));
	jump(0x80000000);
	go_on();
	sends(ADDRESS(0x3fffff20, 0, 0, 0));
}

TEST(address_is_absolute_in_full_address_mode)
{
	plain_etrace();
	begin_mode(ETRACE_MODE(FULL_ADDRESS), SUPPORT(1, NO_CHANGE, 0x20));
	jump(0x200);
	go_on();
	jump(0x80000000);
	go_on();
	sends(ADDRESS(0x100, 0, 0, 0), ADDRESS(0x40000000, 1, 1, 1));
}

TEST(address_is_shifted_by_iaddress_lsb)
{
	for (unsigned int lsb = 0; lsb < 3; lsb++) {
		char first[160], second[160];

		plain_etrace()->iaddress_lsb = lsb;
		start(0x100);
		go_on();
		jump(0x300);
		go_on();
		snprintf(first, sizeof(first),
			 "format=3/2 subformat=0/2 branch=1/1 privilege=0/2 address=%u/%u",
			 0x100 >> lsb, 32 - lsb);
		snprintf(second, sizeof(second),
			 "format=2/2 address=%u/%u notify=0/1 updiscon=0/1 irreport=0/1",
			 0x200 >> lsb, 32 - lsb);
		sends(SUPPORT(1, NO_CHANGE, 0), first, second);
	}
}

TEST(inferable_jumps_are_not_reported)
{
	begin_plain();
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	run(2, INGRESS_OTHER_DIRECT_JUMP, 0x400);
	go_on();
	sends_nothing();
}

TEST(every_uninferable_jump_is_reported)
{
	static const uint8_t itypes[] = {
		INGRESS_TRAP_RETURN, INGRESS_INDIRECT_CALL, INGRESS_INDIRECT_JUMP,
		INGRESS_COROUTINE_SWAP, INGRESS_RETURN, INGRESS_OTHER_INDIRECT_JUMP,
	};

	for (size_t i = 0; i < sizeof(itypes); i++) {
		begin_plain();
		run(2, itypes[i], 0x200);
		go_on();
		sends(ADDRESS(0x80, 0, 0, 0));
	}
}

/* "Sequentially inferable jump mode" */

static void jump_by_constant(void)
{
	struct ingress_block block = next_block(2, INGRESS_INDIRECT_JUMP, 0x200);

	block.sequential = true;
	feed(&block);
	go_on();
}

TEST(target_of_sequentially_inferable_jump_is_not_reported)
{
	plain_etrace();
	begin_mode(ETRACE_MODE(SIJUMP), SUPPORT(1, NO_CHANGE, 1));
	jump_by_constant();
	sends_nothing();
	jump(0x300);
	go_on();
	sends(ADDRESS(0x100, 0, 0, 0));
}

TEST(by_default_it_is_an_uninferable_discontinuity)
{
	begin_plain();
	jump_by_constant();
	sends(ADDRESS(0x80, 0, 0, 0));
}

/* "Format 2 notify field" */

TEST(notify_differs_from_address_where_a_trigger_asked)
{
	begin_plain();
	notified();
	run_on(2);
	sends(ADDRESS(4, 1, 1, 1));
}

TEST(notify_is_the_msb_where_it_would_have_been_reported_anyway)
{
	begin_plain();
	jump(0x200);
	notified();
	run_on(2);
	sends(ADDRESS(0x80, 0, 0, 0));
}

/* "Format 2 notify and updiscon fields": the four scenarios */

TEST(loop_reported_and_carried_on)
{
	begin_plain();
	jump(0x104);
	go_on();
	jump(0x104);
	go_on();
	sends(ADDRESS(2, 0, 0, 0), ADDRESS(0, 0, 0, 0));
}

TEST(updiscon_differs_where_an_exception_follows_the_target)
{
	begin_plain();
	jump(0x200);
	run(2, INGRESS_EXCEPTION, 0x300);
	go_on();
	sends(ADDRESS(0x80, 0, 1, 1), EXCEPTION(0, 0, 1, 0x180, 0));
}

TEST(updiscon_differs_where_a_privilege_change_follows)
{
	bench.context.priv = INGRESS_PRIV_U;
	begin_plain();
	jump(0x200);
	bench.context.priv = INGRESS_PRIV_S;
	run(2, INGRESS_TRAP_RETURN, 0x300);
	go_on();
	sends(ADDRESS(0x80, 0, 1, 1), START(1, 1, 0x180));
}

TEST(updiscon_differs_where_a_resynchronization_follows)
{
	struct etrace_params *params = plain_etrace();

	params->sync_mode = ETRACE_SYNC_CYCLES;
	params->sync_interval = 100;
	begin_with(SUPPORT(1, NO_CHANGE, 0));
	jump(0x200);
	bench.cycles = 100;
	go_on();
	run_on(2);
	sends(ADDRESS(0x80, 0, 1, 1), START(1, 0, 0x102));
}

TEST(updiscon_is_notify_at_an_exception_in_line)
{
	begin_plain();
	run(2, INGRESS_EXCEPTION, 0x300);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(0, 0, 1, 0x180, 0));
}

TEST(notify_tells_the_first_of_two_visits)
{
	begin_plain();
	notified();			/* 0x108, and again: */
	jump(0x108);
	notified();
	run_on(2);
	sends(ADDRESS(4, 1, 1, 1), ADDRESS(0, 0, 0, 0));
}

/* "Format 1 packets" */

/* Branches in turn taken, to the next instruction, and not; their map. */
static uint32_t some_branches(unsigned int count)
{
	uint32_t map = 0;

	for (unsigned int i = 0; i < count; i++) {
		bool taken = i % 3 != 1;

		run(2, taken ? INGRESS_BRANCH_TAKEN : INGRESS_BRANCH_NOT_TAKEN, bench.pc + 4);
		map |= (uint32_t)!taken << i;
	}
	return map;
}

/* Behind a jump to 0x400 */
static void sends_branches(unsigned int count, uint32_t map, unsigned int bits)
{
	char text[160];

	snprintf(text, sizeof(text), "format=1/2 branches=%u/5 branch_map=%u/%u %s",
		 count, map, bits, "address=0x180/31 notify=0/1 updiscon=0/1 irreport=0/1");
	sends(text);
}

TEST(number_of_bits_of_branch_map_is_determined_by_branches)
{
	static const uint8_t largest[] = { 1, 3, 7, 15, 31 };
	unsigned int width = 0;
	uint32_t map;

	for (unsigned int count = 1; count <= 30; count++) {
		while (largest[width] < count)
			width++;
		begin_plain();
		map = some_branches(count);
		jump(0x400);
		go_on();
		sends_branches(count, map, largest[width]);
	}
}

TEST(full_branch_map_is_branches_0_without_address)
{
	char text[80];
	uint32_t map;

	begin_plain();
	map = some_branches(31);
	go_on();
	snprintf(text, sizeof(text), "format=1/2 branches=0/5 branch_map=%u/31", map);
	sends(text);
	some_branches(1);
	jump(0x400);
	go_on();
	sends(BRANCHES(1, 0, 1, 0x180, 0, 0, 0));
}

TEST(full_branch_map_is_branches_31_where_the_address_is_needed)
{
	uint32_t map;

	begin_plain();
	map = some_branches(30);
	jump(0x400);
	run(2, INGRESS_BRANCH_NOT_TAKEN, 0x404);
	run_on(2);
	sends_branches(31, map | 1u << 30, 31);
}

TEST(updiscon_follows_notify_in_format_1)
{
	begin_plain();
	run_not_taken(2);
	jump(0x200);
	run(2, INGRESS_EXCEPTION, 0x300);
	go_on();
	sends(BRANCHES(1, 1, 1, 0x80, 0, 1, 1), EXCEPTION(0, 0, 1, 0x180, 0));
}

/* "Branch prediction mode", "Format 0 packets" */

/* With f0s_width 1 */
#define COUNT(branch_count)								\
	"format=0/2 subformat=0/1 branch_count=" #branch_count "/32 branch_fmt=0/2"
#define COUNT_ADDRESS(branch_count, branch_fmt, address)				\
	"format=0/2 subformat=0/1 branch_count=" #branch_count "/32"			\
	" branch_fmt=" #branch_fmt "/2 address=" #address "/31 notify=0/1 updiscon=0/1 irreport=0/1"

static void begin_predicted(uint8_t f0s_width)
{
	struct etrace_params *params = plain_etrace();

	params->bpred_size = 6;
	params->f0s_width = f0s_width;
	begin_mode(ETRACE_MODE(BRANCH_PREDICTION), SUPPORT(1, NO_CHANGE, 4));
}

TEST(count_of_correct_branches_ends_with_a_misprediction)
{
	begin_predicted(0);
	branches(31, false);
	sends_nothing();
	run(2, INGRESS_BRANCH_TAKEN, 0x400);
	go_on();
	sends("format=0/2 branch_count=0/32 branch_fmt=0/2");
}

TEST(branch_count_is_31_less)
{
	begin_predicted(0);
	branches(40, false);
	run(2, INGRESS_BRANCH_TAKEN, 0x400);
	go_on();
	sends("format=0/2 branch_count=9/32 branch_fmt=0/2");
}

TEST(branch_count_has_a_subformat_of_f0s_width)
{
	begin_predicted(2);
	branches(40, false);
	run(2, INGRESS_BRANCH_TAKEN, 0x400);
	go_on();
	sends("format=0/2 subformat=0/2 branch_count=9/32 branch_fmt=0/2");
}

TEST(branch_count_with_an_address_at_an_updiscon)
{
	begin_predicted(1);
	branches(33, false);
	jump(0x200);
	go_on();
	sends(COUNT_ADDRESS(2, 2, 0x80));
}

TEST(address_of_a_branch_that_was_predicted_correctly)
{
	begin_predicted(1);
	branches(33, false);
	jump(0x200);
	run(2, INGRESS_BRANCH_NOT_TAKEN, 0x204);
	run_on(2);
	sends(COUNT_ADDRESS(3, 2, 0x80));
}

TEST(address_of_a_branch_that_failed_the_prediction)
{
	begin_predicted(1);
	branches(33, false);
	jump(0x200);
	run(2, INGRESS_BRANCH_TAKEN, 0x300);
	run_on(2);
	sends(COUNT_ADDRESS(2, 3, 0x80));
}

TEST(map_that_is_full_and_not_all_correct_is_output)
{
	begin_predicted(1);
	branches(30, false);
	run(2, INGRESS_BRANCH_TAKEN, 0x400);
	go_on();
	sends("format=1/2 branches=0/5 branch_map=0x3fffffff/31");
}

TEST(fewer_than_31_correct_branches_are_a_map)
{
	begin_predicted(1);
	branches(30, false);
	jump(0x200);
	go_on();
	sends(BRANCHES(30, 0x3fffffff, 31, 0x80, 0, 0, 0));
}

/* @count times the same branch. */
static void one_branch(unsigned int count, bool taken)
{
	uint64_t place = bench.pc;

	while (count--) {
		run(2, taken ? INGRESS_BRANCH_TAKEN : INGRESS_BRANCH_NOT_TAKEN,
		    place + (taken ? 0 : 4));
		if (!taken)
			run(2, INGRESS_DIRECT_JUMP, place);
	}
}

TEST(prediction_must_fail_twice_to_change)
{
	begin_predicted(1);
	one_branch(31, true);		/* 01 predicts not taken, 11 from then on taken */
	one_branch(31, true);
	one_branch(1, false);		/* 10 still predicts taken */
	one_branch(31, true);
	one_branch(2, false);		/* 00 predicts not taken */
	one_branch(30, false);
	one_branch(31, false);
	one_branch(1, true);
	run_on(2);
	sends("format=1/2 branches=0/5 branch_map=0/31",
	      COUNT(0),
	      COUNT(0),
	      "format=1/2 branches=0/5 branch_map=0x7fffffff/31",
	      COUNT(0));
	sends_nothing();
}

TEST(predictor_is_reset_by_a_synchronization)
{
	begin_predicted(1);
	one_branch(31, true);
	run(0, INGRESS_EXCEPTION, 0x300);
	run(2, INGRESS_DIRECT_JUMP, 0x108);
	one_branch(31, true);
	run_on(2);
	sends(BRANCHES(31, 0, 31, 4, 0, 0, 0),
	      EXCEPTION(0, 0, 1, 0x180, 0), "format=1/2 branches=0/5 branch_map=0/31");
}

/* "Jump target cache mode" */

static void begin_cached(unsigned int cache_size)
{
	struct etrace_params *params = plain_etrace();

	params->cache_size = cache_size;
	params->f0s_width = 1;
	begin_mode(ETRACE_MODE(JUMP_TARGET_CACHE), SUPPORT(1, NO_CHANGE, 8));
	jump(0x20a);
	go_on();
	sends(ADDRESS(0x85, 0, 0, 0));
}

TEST(jump_target_that_was_reported_is_an_index)
{
	begin_cached(4);
	jump(0x3000);
	go_on();
	jump(0x20a);
	go_on();
	sends(ADDRESS(0x16fb, 0, 0, 0),
	      "format=0/2 subformat=1/1 index=5/4 branches=0/5 irreport=0/1");
}

TEST(index_with_a_branch_map)
{
	begin_cached(4);
	jump(0x3000);
	go_on();
	run_not_taken(2);
	run(2, INGRESS_BRANCH_TAKEN, 0x4000);
	jump(0x20a);
	go_on();
	sends(ADDRESS(0x16fb, 0, 0, 0),
	      "format=0/2 subformat=1/1 index=5/4 branches=2/5 branch_map=1/3 irreport=0/1");
}

TEST(jump_target_that_replaced_the_entry)
{
	begin_cached(4);
	jump(0x302a);		/* entry 5, too */
	go_on();
	jump(0x20a);
	go_on();
	sends(ADDRESS(0x1710, 0, 0, 0), ADDRESS(-0x1710, 1, 1, 1));
}

TEST(difference_of_zero_is_shorter_than_an_index)
{
	begin_cached(8);
	jump(0x2ca);
	go_on();
	jump(0x2ca);
	go_on();
	sends(ADDRESS(0x60, 0, 0, 0), ADDRESS(0, 0, 0, 0));
}

TEST(index_cannot_tell_updiscon)
{
	begin_cached(4);
	jump(0x3000);
	go_on();
	jump(0x20a);
	run(2, INGRESS_EXCEPTION, 0x300);
	go_on();
	sends(ADDRESS(0x16fb, 0, 0, 0), ADDRESS(-0x16fb, 1, 0, 0),
	      EXCEPTION(0, 0, 1, 0x180, 0));
}

TEST(cache_is_invalidated_by_a_synchronization)
{
	begin_cached(4);
	run(2, INGRESS_EXCEPTION, 0x3000);
	go_on();
	jump(0x20a);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(0, 0, 1, 0x1800, 0), ADDRESS(-0x16fb, 1, 1, 1));
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(address_is_difference_to_the_last_packet_with_an_address),
		T(address_is_absolute_in_full_address_mode),
		T(address_is_shifted_by_iaddress_lsb),
		T(inferable_jumps_are_not_reported),
		T(every_uninferable_jump_is_reported),
		T(target_of_sequentially_inferable_jump_is_not_reported),
		T(by_default_it_is_an_uninferable_discontinuity),
		T(notify_differs_from_address_where_a_trigger_asked),
		T(notify_is_the_msb_where_it_would_have_been_reported_anyway),
		T(loop_reported_and_carried_on),
		T(updiscon_differs_where_an_exception_follows_the_target),
		T(updiscon_differs_where_a_privilege_change_follows),
		T(updiscon_differs_where_a_resynchronization_follows),
		T(updiscon_is_notify_at_an_exception_in_line),
		T(notify_tells_the_first_of_two_visits),
		T(number_of_bits_of_branch_map_is_determined_by_branches),
		T(full_branch_map_is_branches_0_without_address),
		T(full_branch_map_is_branches_31_where_the_address_is_needed),
		T(updiscon_follows_notify_in_format_1),
		T(count_of_correct_branches_ends_with_a_misprediction),
		T(branch_count_is_31_less),
		T(branch_count_has_a_subformat_of_f0s_width),
		T(branch_count_with_an_address_at_an_updiscon),
		T(address_of_a_branch_that_was_predicted_correctly),
		T(address_of_a_branch_that_failed_the_prediction),
		T(map_that_is_full_and_not_all_correct_is_output),
		T(fewer_than_31_correct_branches_are_a_map),
		T(prediction_must_fail_twice_to_change),
		T(predictor_is_reset_by_a_synchronization),
		T(jump_target_that_was_reported_is_an_index),
		T(index_with_a_branch_map),
		T(jump_target_that_replaced_the_entry),
		T(difference_of_zero_is_shorter_than_an_index),
		T(index_cannot_tell_updiscon),
		T(cache_is_invalidated_by_a_synchronization),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
