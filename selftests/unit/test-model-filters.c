// SPDX-License-Identifier: GPL-2.0
/* Filters and comparators of TCI 1.0, and what they leave of the trace. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"

#define TE	(ACTIVE | MODE(6) | NTRACE)

#define F_ENABLE	RVTRACE_TR_TE_FILTER_ENABLE
#define F_PRIVILEGE	RVTRACE_TR_TE_FILTER_MATCH_PRIVILEGE
#define F_ECAUSE	RVTRACE_TR_TE_FILTER_MATCH_ECAUSE
#define F_INTERRUPT	RVTRACE_TR_TE_FILTER_MATCH_INTERRUPT
#define F_COMP1		RVTRACE_TR_TE_FILTER_MATCH_COMP1

static uint8_t priv;
static uint32_t scontext;

static int setup_1_0(void **state)
{
	setup(state);
	te_config_init(&bench.config, TCI_1_0);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	bench.config.filters = 4;
	bench.config.comparators = 3;
	priv = 3;
	scontext = 0;
	return 0;
}

static void begin(void)
{
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TR_TE_INST_FEATURES, 0);
}

static void trace(void)
{
	set_control(TE | ON);
	answer();
}

static void end(void)
{
	set_control(TE);
	answer();
	pass(1);
}

/* As run(), in the context that is in force after it */
static void block(uint32_t halfwords, uint8_t itype, uint64_t target,
		  uint64_t cause)
{
	struct ingress_block retired = {
		.start = bench.pc,
		.halfwords = halfwords,
		.itype = itype,
		.target = target,
		.cause = cause,
		.tval = cause << 4,
		.context = { .priv = priv, .scontext = scontext },
	};

	bench.pc = target;
	te_model_retire(bench.te, &retired);
}

static void jump(uint64_t target)
{
	block(2, INGRESS_INDIRECT_JUMP, target, 0);
}

static void set_p(unsigned int j, uint64_t match)
{
	wr(RVTRACE_TR_TE_COMP_P_MATCH_LOW(j), match);
	wr(RVTRACE_TR_TE_COMP_P_MATCH_HIGH(j), match >> 32);
}

static void set_s(unsigned int j, uint64_t match)
{
	wr(RVTRACE_TR_TE_COMP_S_MATCH_LOW(j), match);
	wr(RVTRACE_TR_TE_COMP_S_MATCH_HIGH(j), match >> 32);
}

static void set_comparator(unsigned int j, uint32_t input, uint32_t p,
			   uint32_t s, uint32_t mode, uint32_t more)
{
	wr(RVTRACE_TR_TE_COMP_CONTROL(j), input | input << 2 | p << 4 | s << 8 |
	   mode << 12 | more);
}

/* Filter 0 with comparator 0, alone */
static void use_comparator(void)
{
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0), F_ENABLE | F_COMP1);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1);
}

/* Registers */

TEST(filters_that_are_not_there_read_zero)
{
	uint32_t offset, i;

	begin();
	wr(RVTRACE_TR_TE_INST_FILTERS, ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_INST_FILTERS), 0xf);
	wr(RVTRACE_TR_TE_DATA_FILTERS, ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_DATA_FILTERS), 0);
	for (offset = 0x400; offset < 0x1000; offset += 4)
		wr(offset, ~0u);
	for (i = 0; i < 16; i++) {
		uint32_t *expected = i < 4 ?
			(uint32_t[]){ 0x0000555f, 0x1ff, ~0u, ~0u } :
			(uint32_t[]){ 0, 0, 0, 0 };

		assert_int_equal(rd(0x400 + 0x20 * i), expected[0]);
		assert_int_equal(rd(0x404 + 0x20 * i), expected[1]);
		assert_int_equal(rd(0x408 + 0x20 * i), expected[2]);
		assert_int_equal(rd(0x40c + 0x20 * i), expected[3]);
		for (offset = 0x410; offset < 0x420; offset += 4)
			assert_int_equal(rd(offset + 0x20 * i), 0);
	}
	for (i = 0; i < 16; i++) {
		assert_int_equal(rd(0x600 + 0x20 * i), i < 3 ? 0xf77a : 0);
		assert_int_equal(rd(0x604 + 0x20 * i), 0);
		assert_int_equal(rd(0x60c + 0x20 * i), 0);
		assert_int_equal(rd(0x610 + 0x20 * i), i < 3 ? ~0u : 0);
		assert_int_equal(rd(0x61c + 0x20 * i), i < 3 ? ~0u : 0);
	}
	for (offset = 0x800; offset < 0x1000; offset += 4)
		assert_int_equal(rd(offset), 0);
}

TEST(filters_without_comparators_cannot_use_them)
{
	bench.config.comparators = 0;
	begin();
	wr(RVTRACE_TR_TE_FILTER_CONTROL(3), ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_FILTER_CONTROL(3)), 0xf);
	wr(RVTRACE_TR_TE_COMP_CONTROL(0), ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_COMP_CONTROL(0)), 0);
}

TEST(what_is_not_on_the_ingress_port_matches_nothing)
{
	static const uint32_t others[] = {
		RVTRACE_TR_TE_FILTER_MATCH_IMPDEF,
		RVTRACE_TR_TE_FILTER_MATCH_DTYPE,
		RVTRACE_TR_TE_FILTER_MATCH_DSIZE,
		0,
	};
	unsigned int i;

	bench.config.filter_others = true;
	begin();
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0), ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_FILTER_CONTROL(0)), 0x0301555f);
	for (i = 0x410; i < 0x420; i += 4)
		wr(i, ~0u);
	assert_int_equal(rd(0x410), ~0u);
	assert_int_equal(rd(0x414), ~0u);
	assert_int_equal(rd(0x418), 0xffffff);
	assert_int_equal(rd(0x41c), 0);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1);
	for (i = 0; i < 4; i++) {
		wr(RVTRACE_TR_TE_FILTER_CONTROL(0), F_ENABLE | others[i]);
		trace();
		jump(0x300);
		jump(0x1000);
		end();
		assert_int_equal(bench.sent.count > 0, !others[i]);
	}
}

/* Addresses */

TEST(range_is_traced_alone)
{
	begin();
	set_p(0, 0x1000);
	set_s(0, 0x1fff);
	set_comparator(0, RVTRACE_COMP_INPUT_IADDR,
		       RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL,
		       RVTRACE_COMP_FUNCTION_LESS_OR_EQUAL,
		       RVTRACE_COMP_MATCH_MODE_BOTH, 0);
	use_comparator();
	trace();
	jump(0x300);
	jump(0x1000);
	jump(0x1800);
	jump(0x2000);
	jump(0x300);
	jump(0x1fff & ~1);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x800",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x400 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x1c00 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1",
	       "ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0xfff",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

/* Which of three addresses are traced */
static unsigned int traced(void)
{
	static const uint64_t addresses[] = { 0x1000, 0x2000, 0x3000 };
	unsigned int i, set = 0;

	bench.sent.count = 0;
	bench.pc = 0x100;
	trace();
	for (i = 0; i < 3; i++)
		jump(addresses[i]);
	jump(0x100);
	end();
	for (i = 0; i < bench.sent.count; i++) {
		const uint8_t *message = bench.sent.bytes[i];
		uint32_t f_addr;

		/* ProgTraceSync: SYNC, I-CNT, F-ADDR from byte 2 on */
		if (message[0] >> 2 != 9)
			continue;
		f_addr = message[2] >> 2 | (message[3] >> 2) << 6 |
			 (bench.sent.size[i] > 4 ? message[4] >> 2 : 0) << 12;
		set |= 1u << (f_addr >> 11);
	}
	return set >> 1;
}

TEST(functions_compare)
{
	/* Runs that follow each other show their first address only. */
	static const unsigned int expected[] = {
		[RVTRACE_COMP_FUNCTION_EQUAL] = 2,
		[RVTRACE_COMP_FUNCTION_LESS_OR_EQUAL] = 0,
		[RVTRACE_COMP_FUNCTION_GREATER] = 4,
		[RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL] = 2,
		[RVTRACE_COMP_FUNCTION_SPECIAL] = 0,
	};
	static const uint8_t functions[] = {
		RVTRACE_COMP_FUNCTION_EQUAL, RVTRACE_COMP_FUNCTION_GREATER,
		RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL,
		RVTRACE_COMP_FUNCTION_SPECIAL,
	};
	size_t i;

	begin();
	set_p(0, 0x2000);
	use_comparator();
	for (i = 0; i < sizeof(functions); i++) {
		set_comparator(0, 0, functions[i], 0,
			       RVTRACE_COMP_MATCH_MODE_P, 0);
		assert_int_equal(traced(), expected[functions[i]]);
	}
	/* Not equal: before and after */
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_NOT_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	assert_int_equal(traced() & 6, 4);
	/* Outside of a range */
	set_s(0, 0x2000);
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL,
		       RVTRACE_COMP_FUNCTION_LESS_OR_EQUAL,
		       RVTRACE_COMP_MATCH_MODE_NOT_BOTH, 0);
	assert_int_equal(traced() & 6, 4);
	/* Secondary as mask: 0x2000 and 0x3000 agree in it. */
	set_s(0, 0x2000);
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_EQUAL,
		       RVTRACE_COMP_FUNCTION_SPECIAL,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	assert_int_equal(traced(), 2);
	set_s(0, 0x3000);
	assert_int_equal(traced(), 2);
	set_p(0, 0x3000);
	assert_int_equal(traced(), 4);
}

TEST(latch_holds_from_one_address_to_another)
{
	begin();
	set_p(0, 0x1000);
	set_s(0, 0x2000);
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_EQUAL,
		       RVTRACE_COMP_FUNCTION_EQUAL,
		       RVTRACE_COMP_MATCH_MODE_FROM_TO, 0);
	use_comparator();
	trace();
	jump(0x300);
	jump(0x1000);
	jump(0x400);
	jump(0x2000);
	jump(0x500);
	jump(0x600);
	end();
	/* The instructions at 0x2000 are the last. */
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x800",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0xa00 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x1200 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x1280 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

TEST(watchpoint_notifies)
{
	begin();
	set_p(0, 0x1000);
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P,
		       RVTRACE_TR_TE_COMP_P_NOTIFY);
	trace();
	jump(0x1000);
	block(4, INGRESS_BRANCH_NOT_TAKEN, 0x1008, 0);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x2 F-ADDR=0x800 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x4 HIST=0x2");
}

/* Privilege, context, traps */

TEST(privileges_are_chosen)
{
	begin();
	wr(RVTRACE_TR_TE_FILTER_CONTROL(2), F_ENABLE | F_PRIVILEGE);
	wr(RVTRACE_TR_TE_FILTER_MATCH_INST(2), 1 << 1);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1 << 2);
	trace();
	priv = 1;
	block(2, INGRESS_TRAP_RETURN, 0x1000, 0);
	priv = 3;
	block(3, INGRESS_EXCEPTION, 0x200, 9);
	priv = 1;
	block(1, INGRESS_TRAP_RETURN, 0x1006, 0);
	priv = 0;
	block(5, INGRESS_TRAP_RETURN, 0x4000, 0);
	end();
	/* A trap that leads out is not reported, a return is. */
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x800",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x3 HIST=0x1",
	       "ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x803",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x2803 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

TEST(context_is_compared)
{
	begin();
	set_p(0, 0xabc00000007ull);
	set_comparator(0, RVTRACE_COMP_INPUT_CONTEXT,
		       RVTRACE_COMP_FUNCTION_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	use_comparator();
	trace();
	jump(0x200);
	scontext = 7;
	block(1, INGRESS_NONE, 0x202, 0);
	scontext = 8;
	block(1, INGRESS_NONE, 0x204, 0);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x101",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x1 HIST=0x1");
	expect_nothing();
}

TEST(handlers_are_traced_to_their_return)
{
	begin();
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0), F_ENABLE | F_ECAUSE);
	wr(RVTRACE_TR_TE_FILTER_MATCH_ECAUSE_LOW(0), 1 << 8);
	wr(RVTRACE_TR_TE_FILTER_MATCH_ECAUSE_HIGH(0), 1 << 1);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1);
	trace();
	block(1, INGRESS_EXCEPTION, 0x200, 9);
	block(1, INGRESS_TRAP_RETURN, 0x102, 0);
	block(1, INGRESS_EXCEPTION, 0x200, 8);
	/* Nested, whatever the cause */
	block(2, INGRESS_INTERRUPT, 0x300, 5);
	block(3, INGRESS_TRAP_RETURN, 0x204, 0);
	block(4, INGRESS_TRAP_RETURN, 0x104, 0);
	jump(0x100);
	block(1, INGRESS_INTERRUPT, 0x200, 33);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x100",
	       "IndirectBranchHist B-TYPE=0x3 I-CNT=0x2 U-ADDR=0x80 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x3 U-ADDR=0x82 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1",
	       "ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x100",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

TEST(interrupts_are_told_from_exceptions)
{
	begin();
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0), F_ENABLE | F_INTERRUPT);
	wr(RVTRACE_TR_TE_FILTER_MATCH_INST(0), 1 << 8);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1);
	trace();
	block(1, INGRESS_EXCEPTION, 0x200, 5);
	block(1, INGRESS_TRAP_RETURN, 0x102, 0);
	block(1, INGRESS_INTERRUPT, 0x300, 5);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x180");
	assert_int_equal(bench.sent.count, 2);
}

TEST(trap_values_are_compared)
{
	begin();
	set_p(0, 0x90);
	set_comparator(0, RVTRACE_COMP_INPUT_TVAL, RVTRACE_COMP_FUNCTION_EQUAL,
		       0, RVTRACE_COMP_MATCH_MODE_P, 0);
	use_comparator();
	trace();
	block(1, INGRESS_EXCEPTION, 0x200, 8);
	block(1, INGRESS_EXCEPTION, 0x300, 9);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x180");
	assert_int_equal(bench.sent.count, 2);
}

/* Several */

TEST(conditions_of_one_filter_must_all_hold)
{
	begin();
	set_p(1, 0x1000);
	set_comparator(1, 0, RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0),
	   F_ENABLE | F_PRIVILEGE | F_COMP1 | 1 << 5);
	wr(RVTRACE_TR_TE_FILTER_MATCH_INST(0), 1 << 1);
	wr(RVTRACE_TR_TE_INST_FILTERS, 1);
	trace();
	jump(0x1000);
	priv = 1;
	block(1, INGRESS_TRAP_RETURN, 0x800, 0);
	jump(0x2000);
	end();
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x1000");
	assert_int_equal(bench.sent.count, 2);
}

TEST(one_filter_of_several_is_enough)
{
	begin();
	set_p(0, 0x1000);
	set_comparator(0, 0, RVTRACE_COMP_FUNCTION_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	set_p(1, 0x3000);
	set_comparator(1, 0, RVTRACE_COMP_FUNCTION_EQUAL, 0,
		       RVTRACE_COMP_MATCH_MODE_P, 0);
	wr(RVTRACE_TR_TE_FILTER_CONTROL(0), F_ENABLE | F_COMP1);
	wr(RVTRACE_TR_TE_FILTER_CONTROL(1), F_ENABLE | F_COMP1 | 1 << 5);
	/* Not enabled, and not chosen: neither matches. */
	wr(RVTRACE_TR_TE_FILTER_CONTROL(2), 0);
	wr(RVTRACE_TR_TE_FILTER_CONTROL(3), F_ENABLE);
	wr(RVTRACE_TR_TE_INST_FILTERS, 7);
	assert_int_equal(traced(), 5);
	wr(RVTRACE_TR_TE_INST_FILTERS, 0);
	assert_int_equal(traced(), 0);
	assert_int_equal(bench.sent.count, 6);
}

#define F(name)	cmocka_unit_test_setup_teardown(name, setup_1_0, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		F(filters_that_are_not_there_read_zero),
		F(filters_without_comparators_cannot_use_them),
		F(what_is_not_on_the_ingress_port_matches_nothing),
		F(range_is_traced_alone), F(functions_compare),
		F(latch_holds_from_one_address_to_another),
		F(watchpoint_notifies), F(privileges_are_chosen),
		F(context_is_compared),
		F(handlers_are_traced_to_their_return),
		F(interrupts_are_told_from_exceptions),
		F(trap_values_are_compared),
		F(conditions_of_one_filter_must_all_hold),
		F(one_filter_of_several_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
