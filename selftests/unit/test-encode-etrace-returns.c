// SPDX-License-Identifier: GPL-2.0
/* The E-Trace encoder, packet by packet: implicit returns. */
#include "selftests/unit/encode-fixture.h"
#include "selftests/unit/etrace-fields.h"

/* "Implicit return mode", "Format 2 irreport and irdepth" */

/* Packets of plain_etrace() with a return stack of four entries: irdepth has three bits. */
#define RETURN(address, updiscon, irreport, irdepth)					\
	"format=2/2 address=" #address "/31 notify=0/1 updiscon=" #updiscon "/1"	\
	" irreport=" #irreport "/1 irdepth=" #irdepth "/3"

static void begin_returns(void)
{
	plain_etrace()->return_stack_size = 2;
	begin_mode(ETRACE_MODE(IMPLICIT_RETURN), SUPPORT(1, NO_CHANGE, 2));
}

static void call(uint64_t target)
{
	run(2, INGRESS_DIRECT_CALL, target);
}

static void ret(uint64_t target)
{
	run(2, INGRESS_RETURN, target);
}

TEST(return_to_the_predicted_address_is_not_reported)
{
	begin_returns();
	call(0x200);
	call(0x300);
	ret(0x204);
	run_on(2);
	ret(0x10c);
	go_on();
	sends_nothing();
}

TEST(return_that_was_not_called_is_reported)
{
	begin_returns();
	ret(0x200);
	go_on();
	sends(RETURN(0x80, 0, 0, 0));
}

TEST(return_that_differs_from_the_prediction_reports_the_stack_depth)
{
	begin_returns();
	call(0x200);
	call(0x300);
	ret(0x400);
	go_on();
	sends(RETURN(0x180, 0, 1, 2));
}

TEST(oldest_return_address_falls_out_of_a_full_stack)
{
	begin_returns();
	for (uint64_t target = 0x200; target <= 0x600; target += 0x100)
		call(target);
	for (uint64_t target = 0x504; target >= 0x204; target -= 0x100)
		ret(target);
	sends_nothing();
	ret(0x10c);
	go_on();
	sends(RETURN(6, 0, 0, 0));
}

TEST(exception_after_a_return_reports_the_stack_depth)
{
	begin_returns();
	call(0x200);
	call(0x300);
	ret(0x204);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(RETURN(0x82, 0, 1, 1), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(exception_after_the_outermost_return_does_not)
{
	begin_returns();
	call(0x200);
	ret(0x10c);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(RETURN(6, 0, 0, 0), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(exception_without_returns_since_the_call_does_not)
{
	begin_returns();
	call(0x200);
	run_on(2);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(RETURN(0x82, 0, 0, 0), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(exception_later_than_the_return_reports_the_stack_depth)
{
	begin_returns();
	call(0x200);
	call(0x300);
	ret(0x204);
	run_on(2);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(RETURN(0x84, 0, 1, 1), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(exception_behind_a_branch_since_the_return_does_not)
{
	begin_returns();
	call(0x200);
	call(0x300);
	ret(0x204);
	run_not_taken(2);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(BRANCHES(1, 1, 1, 0x84, 0, 0, 0) " irdepth=0/3", EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(count_is_reset_by_a_synchronization)
{
	begin_returns();
	call(0x200);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	ret(0x10c);
	go_on();
	sends(RETURN(0x80, 0, 0, 0), EXCEPTION(0, 0, 1, 0x400, 0),
	      "format=2/2 address=-0x37a/31 notify=1/1 updiscon=1/1 irreport=1/1 irdepth=7/3");
}

TEST(nested_calls_may_be_counted_alone)
{
	plain_etrace()->call_counter_size = 3;
	begin_mode(ETRACE_MODE(IMPLICIT_RETURN), SUPPORT(1, NO_CHANGE, 2));
	call(0x200);
	call(0x300);
	ret(0x204);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(RETURN(0x82, 0, 1, 1), EXCEPTION(0, 0, 1, 0x400, 0));
}

/* 2.0.5 draft, "Format 2 irreport and irets" */

#define SUPPORT_IRETS									\
	"format=3/2 subformat=3/2 ienable=1/1 encoder_mode=0/2 qual_status=0/2"		\
	" sijump=0/1 implicit_return=1/1 other=0/4 resync_disabled=1/1 iret_ext=1/1"	\
	" time_width=0/3 f0s_width=0/2 return_stack_size=2/3 call_counter_size=0/4"	\
	" other=0/13"
#define IRETS(address, updiscon, irreport, irets)					\
	"format=2/2 address=" #address "/31 notify=0/1 updiscon=" #updiscon "/1"	\
	" irreport=" #irreport "/1 irets=" #irets "/8"

static void begin_irets(void)
{
	struct etrace_params *params = plain_etrace();

	params->standard_support = true;
	params->irets = true;
	params->return_stack_size = 2;
	begin_mode(ETRACE_MODE(IMPLICIT_RETURN), SUPPORT_IRETS);
}

TEST(mispredicted_return_reports_returns_before_it)
{
	begin_irets();
	call(0x200);
	call(0x300);
	ret(0x204);
	ret(0x400);
	go_on();
	sends(IRETS(0x180, 0, 1, 1));
}

TEST(predicted_return_before_an_exception_does_not_count)
{
	begin_irets();
	call(0x200);
	call(0x300);
	ret(0x204);
	ret(0x10c);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(IRETS(6, 1, 0, 1), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(instruction_later_than_returns_counts_them)
{
	begin_irets();
	call(0x200);
	call(0x300);
	ret(0x204);
	ret(0x10c);
	run_on(2);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(IRETS(8, 0, 1, 2), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(branch_begins_to_count_anew)
{
	begin_irets();
	call(0x200);
	call(0x300);
	ret(0x204);
	run_not_taken(2);
	ret(0x10c);
	run_on(2);
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(BRANCHES(1, 1, 1, 8, 0, 0, 1) " irets=1/8", EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(packet_begins_to_count_anew)
{
	begin_irets();
	call(0x200);
	ret(0x10c);
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	go_on();
	run(2, INGRESS_EXCEPTION, 0x800);
	go_on();
	sends(IRETS(0x100, 0, 0, 0), IRETS(4, 0, 0, 0), EXCEPTION(0, 0, 1, 0x400, 0));
}

TEST(return_without_a_call_counts_those_before_it)
{
	begin_irets();
	call(0x200);
	ret(0x10c);
	ret(0x300);
	go_on();
	sends(IRETS(0x100, 0, 1, 1));
}

TEST(jump_elsewhere_does_not_count_returns)
{
	begin_irets();
	call(0x200);
	ret(0x10c);
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	go_on();
	sends(IRETS(0x100, 0, 0, 0));
}

TEST(return_is_reported_after_255_unreported_ones)
{
	begin_irets();
	for (unsigned int i = 0; i < 256; i++) {
		go_on();
		sends_nothing();
		run(2, INGRESS_DIRECT_JUMP, 0x108);
		call(0x200);
		ret(0x10c);
	}
	go_on();
	sends(IRETS(6, 0, 1, 255));
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(return_to_the_predicted_address_is_not_reported),
		T(return_that_was_not_called_is_reported),
		T(return_that_differs_from_the_prediction_reports_the_stack_depth),
		T(oldest_return_address_falls_out_of_a_full_stack),
		T(exception_after_a_return_reports_the_stack_depth),
		T(exception_after_the_outermost_return_does_not),
		T(exception_without_returns_since_the_call_does_not),
		T(exception_later_than_the_return_reports_the_stack_depth),
		T(exception_behind_a_branch_since_the_return_does_not),
		T(count_is_reset_by_a_synchronization),
		T(nested_calls_may_be_counted_alone),
		T(mispredicted_return_reports_returns_before_it),
		T(predicted_return_before_an_exception_does_not_count),
		T(instruction_later_than_returns_counts_them),
		T(branch_begins_to_count_anew),
		T(packet_begins_to_count_anew),
		T(return_without_a_call_counts_those_before_it),
		T(jump_elsewhere_does_not_count_returns),
		T(return_is_reported_after_255_unreported_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
