// SPDX-License-Identifier: GPL-2.0
/* The E-Trace encoder, packet by packet: format 3, losses, encapsulation. */
#include <string.h>

#include "selftests/unit/encode-fixture.h"
#include "selftests/unit/etrace-fields.h"

static void trap(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = next_block(halfwords, itype, target);

	block.cause = 12;
	block.tval = 0x12345678;
	feed(&block);
}

/* "Format 3 subformat 0 - Synchronisation" */

TEST(sent_for_the_first_traced_instruction)
{
	plain_etrace();
	start(0x80000000);
	go_on();
	sends(SUPPORT(1, NO_CHANGE, 0), START(1, 0, 0x40000000));
	sends_nothing();
}

TEST(branch_is_0_at_a_branch_that_was_taken)
{
	plain_etrace();
	start(0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x200);
	run(2, INGRESS_BRANCH_NOT_TAKEN, 0x204);
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	go_on();
	/* the first branch is not in the map again */
	sends(SUPPORT(1, NO_CHANGE, 0), START(0, 0, 0x80),
	      BRANCHES(1, 1, 1, 0x100, 0, 0, 0));
}

TEST(branch_is_1_at_a_branch_that_was_not_taken)
{
	plain_etrace();
	start(0x100);
	run_not_taken(2);
	run_on(2);
	sends(SUPPORT(1, NO_CHANGE, 0), START(1, 0, 0x80));
}

#define TIMED_START(privilege, time, context, address)					\
	"format=3/2 subformat=0/2 branch=1/1 privilege=" #privilege "/2"		\
	" time=" #time "/16 context=" #context "/8 address=" #address "/31"

TEST(time_and_context_are_between_privilege_and_address)
{
	struct etrace_params *params = plain_etrace();

	params->notime = false;
	params->time_width = 16;
	params->nocontext = false;
	params->context_width = 8;
	bench.context = (struct ingress_context) { .priv = INGRESS_PRIV_S, .scontext = 0xa5 };
	bench.time = 0x123456;
	start(0x100);
	go_on();
	sends(SUPPORT(1, NO_CHANGE, 0),
	      TIMED_START(1, 0x3456, 0xa5, 0x80));
}

TEST(privilege_of_three_bits_tells_virtual_modes)
{
	plain_etrace()->privilege_width = 3;
	bench.context = (struct ingress_context) { .priv = INGRESS_PRIV_S, .v = true };
	start(0x100);
	go_on();
	bench.context.priv = INGRESS_PRIV_U;
	run(2, INGRESS_TRAP_RETURN, 0x200);
	go_on();
	sends(SUPPORT(1, NO_CHANGE, 0),
	      "format=3/2 subformat=0/2 branch=1/1 privilege=6/3 address=0x80/31",
	      "format=3/2 subformat=0/2 branch=1/1 privilege=5/3 address=0x100/31");
}

TEST(sent_when_the_privilege_changes)
{
	begin_plain();
	run_not_taken(2);
	bench.context.priv = INGRESS_PRIV_S;
	run_on(2);
	go_on();
	/* unreported branches need to be reported first */
	sends(BRANCHES(1, 1, 1, 6, 0, 0, 0), START(1, 1, 0x88));
}

static void resynchronize(enum etrace_sync_mode mode, uint64_t interval)
{
	struct etrace_params *params = plain_etrace();

	params->sync_mode = mode;
	params->sync_interval = interval;
	begin_with(SUPPORT(1, NO_CHANGE, 0));
}

TEST(sent_after_so_many_half_words)
{
	resynchronize(ETRACE_SYNC_HALF_WORDS, 8);
	go_on();
	go_on();
	sends(START(1, 0, 0x88));
	sends_nothing();
}

TEST(sent_after_so_many_cycles)
{
	resynchronize(ETRACE_SYNC_CYCLES, 100);
	bench.cycles = 99;
	go_on();
	sends_nothing();
	bench.cycles = 100;
	go_on();
	run_on(2);
	sends(START(1, 0, 0x8a));
	sends_nothing();
}

TEST(sent_on_request)
{
	begin_plain();
	etrace_encoder_request_sync(&bench.etrace);
	go_on();
	sends(START(1, 0, 0x84));
	go_on();
	sends_nothing();
}

/* "Format 3 subformat 1 - Trap" */

TEST(exception_has_the_address_of_its_handler_and_tval)
{
	begin_plain();
	trap(2, INGRESS_EXCEPTION, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(0, 12, 1, 0x100, 0x12345678));
}

TEST(tval_is_omitted_for_interrupts)
{
	begin_plain();
	trap(2, INGRESS_INTERRUPT, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0),
	      INTERRUPT(0, 12, 1, 0x100));
}

TEST(privilege_is_that_of_the_handler)
{
	begin_plain();
	bench.context.priv = INGRESS_PRIV_M;
	trap(2, INGRESS_EXCEPTION, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(3, 12, 1, 0x100, 0x12345678));
}

TEST(epc_is_sent_at_the_target_of_an_updiscon)
{
	begin_plain();
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	bench.context.priv = INGRESS_PRIV_M;
	trap(0, INGRESS_EXCEPTION, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(0, 12, 0, 0x180, 0x12345678), START(1, 3, 0x100));
}

TEST(epc_is_sent_at_the_first_traced_instruction)
{
	plain_etrace();
	start(0x100);
	trap(0, INGRESS_EXCEPTION, 0x200);
	go_on();
	sends(SUPPORT(1, NO_CHANGE, 0), EXCEPTION(0, 12, 0, 0x80, 0x12345678),
	      START(1, 0, 0x100));
}

TEST(second_trap_before_the_handler_retired)
{
	begin_plain();
	bench.context.priv = INGRESS_PRIV_M;
	trap(2, INGRESS_INTERRUPT, 0x200);
	trap(0, INGRESS_EXCEPTION, 0x300);
	go_on();
	/* its address is undefined; nothing leaks */
	sends(ADDRESS(4, 0, 0, 0),
	      INTERRUPT(0, 12, 0, 0), EXCEPTION(3, 12, 1, 0x180, 0x12345678));
}

#define IMPLICIT(interrupt, tval)							\
	"format=3/2 subformat=1/2 branch=1/1 privilege=0/2 ecause=12/4"			\
	" interrupt=" #interrupt "/1 thaddr=1/1" tval

static void begin_implicit(void)
{
	plain_etrace();
	begin_mode(ETRACE_MODE(IMPLICIT_EXCEPTION), SUPPORT(1, NO_CHANGE, 0x10));
}

TEST(implicit_exception_omits_the_address_of_the_handler)
{
	begin_implicit();
	trap(2, INGRESS_EXCEPTION, 0x200);
	go_on();
	trap(2, INGRESS_INTERRUPT, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0),
	      IMPLICIT(0, " tval=0x12345678/32"), ADDRESS(4, 0, 0, 0),
	      IMPLICIT(1, ""));
}

TEST(implicit_exception_keeps_an_epc)
{
	begin_implicit();
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	trap(0, INGRESS_EXCEPTION, 0x200);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), EXCEPTION(0, 12, 0, 0x180, 0x12345678), START(1, 0, 0x100));
}

/* "Context type ctype values and corresponding actions" */

#define CONTEXT_START(context, address)							\
	"format=3/2 subformat=0/2 branch=1/1 privilege=0/2 context=" #context "/8"	\
	" address=" #address "/31"

static void change_context(enum etrace_ctype ctype)
{
	struct etrace_params *params = plain_etrace();

	params->nocontext = false;
	params->context_width = 8;
	params->ctype = ctype;
	start(0x100);
	go_on();
	sends(SUPPORT(1, NO_CHANGE, 0), CONTEXT_START(0, 0x80));
	bench.context.scontext = 5;
	run_on(2);
	go_on();
	run_on(2);
}

TEST(context_unreported)
{
	change_context(ETRACE_CONTEXT_UNREPORTED);
	sends_nothing();
}

TEST(context_imprecisely_without_address)
{
	change_context(ETRACE_CONTEXT_IMPRECISE);
	sends("format=3/2 subformat=2/2 privilege=0/2 context=5/8");
	sends_nothing();
}

TEST(context_precisely_with_the_first_instruction)
{
	change_context(ETRACE_CONTEXT_PRECISE);
	sends(CONTEXT_START(5, 0x86));
	sends_nothing();
}

TEST(context_as_discontinuity_with_the_last_and_the_first)
{
	change_context(ETRACE_CONTEXT_DISCONTINUITY);
	sends(ADDRESS(4, 0, 0, 0), CONTEXT_START(5, 0x86));
	sends_nothing();
}

/* "Format 3 subformat 3 - Support", "qual_status field" */

TEST(ended_rep_behind_the_last_instruction)
{
	begin_plain();
	run_on(2);
	stop();
	sends(ADDRESS(4, 0, 0, 0), SUPPORT(0, ENDED_REP, 0));
	sends_nothing();
}

TEST(ended_ntr_behind_a_packet_that_was_due)
{
	begin_plain();
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run_on(2);
	stop();
	sends(ADDRESS(0x80, 0, 0, 0), SUPPORT(0, ENDED_NTR, 0));
}

TEST(updiscon_where_the_end_is_known_in_time)
{
	plain_etrace()->early_filter = true;
	begin_with(SUPPORT(1, NO_CHANGE, 0));
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run_on(2);
	stop();
	sends(ADDRESS(0x80, 0, 1, 1), SUPPORT(0, ENDED_REP, 0));
}

static bool not_in_machine_mode(void *opaque, const struct ingress_block *block)
{
	(void)opaque;
	return block->context.priv != INGRESS_PRIV_M;
}

TEST(qualification_ends_and_begins)
{
	plain_etrace()->filter = not_in_machine_mode;
	begin_with(SUPPORT(1, NO_CHANGE, 0));
	bench.context.priv = INGRESS_PRIV_M;
	trap(2, INGRESS_EXCEPTION, 0x80000000);
	go_on();
	sends(ADDRESS(4, 0, 0, 0), SUPPORT(1, ENDED_REP, 0));
	sends_nothing();
	bench.context.priv = INGRESS_PRIV_U;
	run(2, INGRESS_TRAP_RETURN, 0x108);
	go_on();
	sends(START(1, 0, 0x84));
}

#define TYPED_SUPPORT									\
	"type=0/1 format=3/2 subformat=3/2 ienable=1/1 encoder_mode=0/3 qual_status=0/2"	\
	" ioptions=0x9001/16 denable=1/1 dloss=0/1 doptions=0x6/7"

TEST(one_bit_for_each_mode_where_the_encoder_has_it)
{
	static const uint8_t option[] = { 12, 3, 7, 1, 9, 0, 15, 4, 2, 5, 1 };
	struct etrace_params *params = plain_etrace();

	params->encoder_mode_width = 3;
	params->ioptions_width = 16;
	params->denable_width = 1;
	params->dloss_width = 1;
	params->doptions_width = 7;
	memcpy(params->option, option, sizeof(option));
	params->modes = ETRACE_MODE(SIJUMP) | ETRACE_MODE(FULL_ADDRESS) | ETRACE_MODE(NO_DATA) |
			ETRACE_MODE(FULL_DATA);
	params->data = true;
	params->type_bits = 1;
	params->type_data = 1;
	params->sign_padding = true;
	params->whole_sync = true;
	start(0x100);
	/* without a resynchronization: bit 15; and the type of instruction trace in front */
	sends(TYPED_SUPPORT);
}

#define STANDARD_SUPPORT								\
	"format=3/2 subformat=3/2 ienable=1/1 encoder_mode=0/2 qual_status=0/2"		\
	" sijump=0/1 implicit_return=1/1 branch_predictor=0/1 jump_target_cache=1/1"	\
	" implicit_except=0/1 full_iaddress=0/1 resync_disabled=1/1 iret_ext=1/1"	\
	" time_width=3/3 f0s_width=2/2 return_stack_size=5/3 call_counter_size=9/4"	\
	" bpred_size=6/3 cache_size=3/3 denable=0/1 dloss=0/1 mmacas_ext=0/1"		\
	" noaddr=1/1 nodata=0/1 full_daddress=1/1 full_data=0/1"

TEST(standard_support_packet)
{
	struct etrace_params *params = plain_etrace();

	params->standard_support = true;
	params->irets = true;
	params->notime = false;
	params->time_width = 48;
	params->f0s_width = 2;
	params->return_stack_size = 5;
	params->call_counter_size = 9;
	params->bpred_size = 6;
	params->cache_size = 3;
	params->modes = ETRACE_MODE(IMPLICIT_RETURN) | ETRACE_MODE(JUMP_TARGET_CACHE) |
			ETRACE_MODE(NO_ADDRESS) | ETRACE_MODE(FULL_DADDRESS);
	start(0x100);
	sends(STANDARD_SUPPORT);
}

/* Losses */

TEST(loss_is_reported_and_trace_begins_again)
{
	begin_plain();
	bench.full = true;
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	go_on();
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	go_on();
	sends_nothing();
	bench.full = false;
	go_on();
	sends(SUPPORT(1, TRACE_LOST, 0), START(1, 0, 0x184));
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	go_on();
	sends(ADDRESS(-0x84, 1, 1, 1));
}

TEST(loss_at_the_end_is_reported_with_the_stop)
{
	begin_plain();
	bench.full = true;
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	go_on();
	bench.full = false;
	stop();
	sends(SUPPORT(0, TRACE_LOST, 0));
	sends_nothing();
}

TEST(loss_that_could_not_be_reported_is_owed)
{
	begin_plain();
	bench.full = true;
	run_on(2);
	stop();
	assert_false(etrace_encoder_report_loss(&bench.etrace));
	bench.full = false;
	assert_true(etrace_encoder_report_loss(&bench.etrace));
	sends(SUPPORT(0, TRACE_LOST, 0));
	sends_nothing();
}

/* Encapsulation 1.0, "Normal Encapsulation Structure": bytes of one support packet each */

static void support_is_bytes(const uint8_t *bytes, size_t size)
{
	start(0x100);
	assert_int_equal(bench.sent.size[0], size);
	assert_memory_equal(bench.sent.bytes[0], bytes, size);
}

#define support_is(...)									\
	support_is_bytes((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* The payload is 11111 and zeroes: 1f 00, compressed 1f. */
TEST(header_is_length_flow_and_extend)
{
	plain_etrace();
	support_is(0x01, 0x1f);
	plain_etrace()->flow = 2;
	support_is(0x41, 0x1f);
	plain_etrace()->whole_sync = true;
	support_is(0x02, 0x1f, 0x00);
}

TEST(srcid_of_whole_bytes_is_not_in_length)
{
	struct etrace_params *params = plain_etrace();

	params->src_bits = 8;
	params->src = 0xa5;
	support_is(0x01, 0xa5, 0x1f);
	params = plain_etrace();
	params->src_bits = 16;
	params->src = 0xa5c3;
	support_is(0x01, 0xc3, 0xa5, 0x1f);
}

TEST(bits_of_srcid_beyond_whole_bytes_are_in_length)
{
	struct etrace_params *params = plain_etrace();

	params->src_bits = 4;
	params->src = 9;
	/* eight bits of payload and four of srcID: two bytes */
	support_is(0x02, 0xf9, 0x01);
	params = plain_etrace();
	params->src_bits = 12;
	params->src = 0x9a5;
	support_is(0x02, 0xa5, 0xf9, 0x01);
}

TEST(sign_of_the_payload_may_fill_the_last_byte)
{
	struct etrace_params *params = plain_etrace();

	params->src_bits = 2;
	params->src = 1;
	params->sign_padding = true;
	/* 01, 11111, and one bit of the sign */
	support_is(0x01, 0x7d);
}

TEST(timestamp_is_there_with_extend)
{
	struct etrace_params *params = plain_etrace();

	params->src_bits = 8;
	params->src = 0xa5;
	params->timestamp_bytes = 3;
	bench.time = 0x12345678;
	support_is(0x81, 0xa5, 0x78, 0x56, 0x34, 0x1f);
}

TEST(type_is_the_first_of_the_payload)
{
	struct etrace_params *params = plain_etrace();

	params->type_bits = 2;
	params->type_inst = 2;
	params->type_data = 1;
	params->sign_padding = true;
	support_is(0x01, 0x7e);
}

TEST(synchronization_is_longer_than_nulls_in_a_packet)
{
	struct etrace_params *params = plain_etrace();
	uint8_t nulls[31 + 2 + 8 + 1], want[31 + 2 + 8 + 1] = { 0 };

	params->src_bits = 12;
	params->timestamp_bytes = 4;
	assert_int_equal(etrace_synchronization(params, nulls), 31 + 4 + 1 + 1);
	want[31 + 4 + 1] = 0x80;
	assert_memory_equal(nulls, want, 31 + 4 + 1 + 1);
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sent_for_the_first_traced_instruction),
		T(branch_is_0_at_a_branch_that_was_taken),
		T(branch_is_1_at_a_branch_that_was_not_taken),
		T(time_and_context_are_between_privilege_and_address),
		T(privilege_of_three_bits_tells_virtual_modes),
		T(sent_when_the_privilege_changes),
		T(sent_after_so_many_half_words),
		T(sent_after_so_many_cycles),
		T(sent_on_request),
		T(exception_has_the_address_of_its_handler_and_tval),
		T(tval_is_omitted_for_interrupts),
		T(privilege_is_that_of_the_handler),
		T(epc_is_sent_at_the_target_of_an_updiscon),
		T(epc_is_sent_at_the_first_traced_instruction),
		T(second_trap_before_the_handler_retired),
		T(implicit_exception_omits_the_address_of_the_handler),
		T(implicit_exception_keeps_an_epc),
		T(context_unreported),
		T(context_imprecisely_without_address),
		T(context_precisely_with_the_first_instruction),
		T(context_as_discontinuity_with_the_last_and_the_first),
		T(ended_rep_behind_the_last_instruction),
		T(ended_ntr_behind_a_packet_that_was_due),
		T(updiscon_where_the_end_is_known_in_time),
		T(qualification_ends_and_begins),
		T(one_bit_for_each_mode_where_the_encoder_has_it),
		T(standard_support_packet),
		T(loss_is_reported_and_trace_begins_again),
		T(loss_at_the_end_is_reported_with_the_stop),
		T(loss_that_could_not_be_reported_is_owed),
		T(header_is_length_flow_and_extend),
		T(srcid_of_whole_bytes_is_not_in_length),
		T(bits_of_srcid_beyond_whole_bytes_are_in_length),
		T(sign_of_the_payload_may_fill_the_last_byte),
		T(timestamp_is_there_with_extend),
		T(type_is_the_first_of_the_payload),
		T(synchronization_is_longer_than_nulls_in_a_packet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
