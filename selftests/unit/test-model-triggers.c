// SPDX-License-Identifier: GPL-2.0
/* Triggers, data trace registers and the open filter block of an encoder. */
#include "include/uapi/linux/rvtrace_regs_0.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"

#define TRIG_EN		RVTRACE_TE_CONTROL_INST_TRIG_EN
#define START		RVTRACE_XTRIG_ACTION_START
#define STOP		RVTRACE_XTRIG_ACTION_STOP
#define SYNC		RVTRACE_XTRIG_ACTION_SYNC

static void of_generation(enum tci generation)
{
	te_config_init(&bench.config, generation);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	bench.config.src_bits = 0;
	bench.config.trig_enable = true;
	bench.config.trig_inputs = 3;
	bench.config.trig_outputs = 2;
}

TEST(triggers_that_are_not_there_read_zero)
{
	of_generation(TCI_0_9);
	activate();
	wr(RVTRACE_XTRIG_IN_CONTROL, 0x22222222);
	assert_int_equal(rd(RVTRACE_XTRIG_IN_CONTROL), 0x222);
	wr(RVTRACE_XTRIG_OUT_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_XTRIG_OUT_CONTROL), 0x33);
	wr(RVTRACE_DBG_TRIGGER_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_DBG_TRIGGER_CONTROL), 0);
	set_control(ACTIVE | TRIG_EN);
	assert_int_equal(control() & TRIG_EN, TRIG_EN);
}

TEST(reserved_actions_are_illegal)
{
	uint32_t action;

	of_generation(TCI_0_9);
	bench.config.trig_actions = 0x9;
	activate();
	for (action = 0; action < 16; action++) {
		wr(RVTRACE_XTRIG_IN_CONTROL, 0);
		wr(RVTRACE_XTRIG_IN_CONTROL, action);
		assert_int_equal(rd(RVTRACE_XTRIG_IN_CONTROL),
				 action == STOP ? STOP : 0);
	}
	te_model_free(bench.te);
	of_generation(TCI_1_0);
	create();
	set_control(ACTIVE);
	/* Converted */
	wr(RVTRACE_TR_TE_TRIG_EXT_IN_CONTROL, 0xf1);
	assert_int_equal(rd(RVTRACE_TR_TE_TRIG_EXT_IN_CONTROL), 0x42);
}

TEST(inputs_start_and_stop)
{
	of_generation(TCI_0_9);
	activate();
	wr(RVTRACE_XTRIG_IN_CONTROL, START | STOP << 4);
	set_control(HISTORY | ENABLE);
	te_model_trigger(bench.te, 2);
	assert_int_equal(control() & TRACING, 0);
	te_model_trigger(bench.te, 0);
	assert_int_equal(control() & TRACING, TRACING);
	assert_int_equal(bench.asked, 1);
	answer();
	jumps(1);
	te_model_trigger(bench.te, 1);
	assert_int_equal(control() & TRACING, 0);
	answer();
	pass(1);
	assert_int_equal(control() & EMPTY, EMPTY);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x800 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(input_records_a_synchronization)
{
	of_generation(TCI_0_9);
	activate();
	wr(RVTRACE_XTRIG_IN_CONTROL, SYNC);
	te_model_trigger(bench.te, 0);
	start(0);
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	te_model_trigger(bench.te, 0);
	run(2, INGRESS_NONE, 0x204);
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHistSync SYNC=0x0 B-TYPE=0x0 I-CNT=0x5 F-ADDR=0x102 HIST=0x3",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(enable_is_for_the_hart_alone_in_0_9)
{
	of_generation(TCI_0_9);
	activate();
	wr(RVTRACE_XTRIG_IN_CONTROL, START);
	te_model_debug_trigger(bench.te, START);
	assert_int_equal(control() & TRACING, 0);
	te_model_trigger(bench.te, 0);
	assert_int_equal(control() & TRACING, TRACING);
	te_model_debug_trigger(bench.te, STOP);
	assert_int_equal(control() & TRACING, TRACING);
	set_control(ACTIVE | TRACING | TRIG_EN);
	te_model_debug_trigger(bench.te, STOP);
	assert_int_equal(control() & TRACING, 0);
	te_model_debug_trigger(bench.te, 5);
	assert_int_equal(control() & TRACING, 0);
}

TEST(enable_is_for_all_in_1_0)
{
	of_generation(TCI_1_0);
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TR_TE_TRIG_EXT_IN_CONTROL, START);
	te_model_trigger(bench.te, 0);
	assert_int_equal(control() & TRACING, 0);
	set_control(ACTIVE | RVTRACE_TR_TE_CONTROL_INST_TRIG_ENABLE);
	te_model_trigger(bench.te, 0);
	assert_int_equal(control() & TRACING, TRACING);
}

TEST(version_0_has_no_enable)
{
	of_generation(TCI_0);
	create();
	set_control(ACTIVE);
	te_model_debug_trigger(bench.te, START);
	assert_int_equal(control() & TRACING, TRACING);
	wr(RVTRACE_XTI_CONTROL, STOP << 8);
	te_model_trigger(bench.te, 2);
	assert_int_equal(control() & TRACING, 0);
}

TEST(debug_trigger_records_a_synchronization)
{
	of_generation(TCI_0_9);
	activate();
	start(0);
	te_model_debug_trigger(bench.te, SYNC);
	run(2, INGRESS_NONE, 0x104);
	disable(0);
	bench.sent.checked = 1;
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x2 F-ADDR=0x82 HIST=0x1");
}

TEST(outputs_tell_of_starts_and_stops)
{
	unsigned int i;

	of_generation(TCI_0_9);
	activate();
	wr(RVTRACE_XTRIG_OUT_CONTROL, 1 | 3 << 4);
	start(0);
	assert_int_equal(te_model_fired(bench.te, false), 0x11);
	disable(0);
	assert_int_equal(te_model_fired(bench.te, true), 0x21);
	assert_int_equal(te_model_fired(bench.te, false), 0);
	for (i = 0; i < 20; i++) {
		start(0);
		disable(0);
	}
	assert_int_equal(te_model_fired(bench.te, false), 0xff);
}

TEST(stimuli_fire_outputs)
{
	of_generation(TCI_0);
	create();
	set_control(ACTIVE);
	wr(RVTRACE_XTO_CONTROL, 4);
	wr(RVTRACE_ITC_TRIG_ENABLE, 1 << 5);
	wr(RVTRACE_ITC_STIMULUS(4), 1);
	assert_int_equal(te_model_fired(bench.te, false), 0);
	wr(RVTRACE_ITC_STIMULUS(5), 1);
	assert_int_equal(te_model_fired(bench.te, false), 1);
}

TEST(triggers_wait_for_power)
{
	of_generation(TCI_0);
	create();
	te_model_debug_trigger(bench.te, START);
	te_model_trigger(bench.te, 0);
	set_control(ACTIVE);
	assert_int_equal(control() & TRACING, 0);
}

/* Data trace */

TEST(losses_clear_on_read)
{
	of_generation(TCI_0_9);
	bench.config.data = true;
	activate();
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 1);
	wr(RVTRACE_TE_DATA_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 0x000700af);
	te_model_lose_data(bench.te, true, false);
	te_model_lose_data(bench.te, false, true);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 0x000700ff);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 0x000700af);
	te_model_lose_data(bench.te, true, true);
	start(0);
	/* Enabling does not count as reading. */
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL) & 0x50, 0x50);
}

TEST(losses_are_cleared_by_one_in_1_0)
{
	of_generation(TCI_1_0);
	bench.config.data = true;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TR_TE_DATA_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_DATA_CONTROL), 0x000f0057);
	te_model_lose_data(bench.te, true, true);
	wr(RVTRACE_TR_TE_DATA_CONTROL, RVTRACE_TR_TE_DATA_DROP);
	assert_int_equal(rd(RVTRACE_TR_TE_DATA_CONTROL), 9);
	set_control(ACTIVE | ENABLE);
	assert_int_equal(rd(RVTRACE_TR_TE_DATA_CONTROL), 1);
}

TEST(triggers_start_data_trace)
{
	of_generation(TCI_0_9);
	bench.config.data = true;
	activate();
	wr(RVTRACE_TE_DATA_CONTROL, RVTRACE_TE_DATA_ENABLE);
	te_model_debug_trigger(bench.te, START);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 3);
	wr(RVTRACE_TE_DATA_CONTROL,
	   RVTRACE_TE_DATA_ENABLE | RVTRACE_TE_DATA_TRIG_ENABLE);
	te_model_debug_trigger(bench.te, START);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 0xf);
	assert_int_equal(control() & TRACING, 0);
}

TEST(wrapping_disables_data_trace)
{
	of_generation(TCI_0_9);
	bench.config.data = true;
	bench.config.sinks = SINK_SRAM;
	bench.config.sink.sram_size = 64;
	bench.config.stop_on_wrap = true;
	activate();
	wr(RVTRACE_TE_DATA_CONTROL, RVTRACE_TE_DATA_ENABLE);
	set_control(ACTIVE | MODE(6) | NTRACE | 4u << 28 | ON |
		    RVTRACE_TE_CONTROL_STOP_ON_WRAP);
	answer();
	jumps(200);
	assert_int_equal(control() & ENABLE, 0);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 1);
}

/* Chapter 10: what is in it is the encoder's */
TEST(filter_words_keep_what_is_written)
{
	uint32_t i;

	of_generation(TCI_0_9);
	bench.config.filter_words = 10;
	activate();
	for (i = 0; i < 64; i++)
		wr(RVTRACE_FILTER + 4 * i, 0x10000 + i);
	for (i = 0; i < 64; i++)
		assert_int_equal(rd(RVTRACE_FILTER + 4 * i),
				 i < 10 ? 0x10000 + i : 0);
	assert_int_equal(rd(0x400), 0);
}

TEST(bad_triggers_are_named)
{
	of_generation(TCI_0_9);
	bench.config.trig_inputs = 9;
	assert_non_null(te_config_check(&bench.config));
	of_generation(TCI_0_9);
	bench.config.trig_actions = 0xe;
	assert_non_null(te_config_check(&bench.config));
	of_generation(TCI_0_9);
	bench.config.filters = 1;
	assert_non_null(te_config_check(&bench.config));
	of_generation(TCI_1_0);
	bench.config.filter_words = 1;
	assert_non_null(te_config_check(&bench.config));
	of_generation(TCI_1_0);
	bench.config.filters = 17;
	assert_non_null(te_config_check(&bench.config));
	of_generation(TCI_1_0);
	bench.config.comp_inputs = 8;
	assert_non_null(te_config_check(&bench.config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(triggers_that_are_not_there_read_zero),
		T(reserved_actions_are_illegal), T(inputs_start_and_stop),
		T(input_records_a_synchronization),
		T(enable_is_for_the_hart_alone_in_0_9),
		T(enable_is_for_all_in_1_0), T(version_0_has_no_enable),
		T(debug_trigger_records_a_synchronization),
		T(outputs_tell_of_starts_and_stops), T(stimuli_fire_outputs),
		T(triggers_wait_for_power), T(losses_clear_on_read),
		T(losses_are_cleared_by_one_in_1_0),
		T(triggers_start_data_trace), T(wrapping_disables_data_trace),
		T(filter_words_keep_what_is_written),
		T(bad_triggers_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
