// SPDX-License-Identifier: GPL-2.0
/* Power that goes, and registers that do not take what is written. */
#include "selftests/unit/model-sink-fixture.h"

#define ACTIVE		RVTRACE_TF_CONTROL_ACTIVE
#define TF(sink)	(ACTIVE | (uint32_t)(sink) << 28)
#define PIB_ON		(RVTRACE_PIB_CONTROL_ACTIVE | RVTRACE_PIB_MODE_PARALLEL_8 << 4)
#define ATB_ON		(RVTRACE_ATB_CONTROL_ACTIVE | 0x33 << 8)

static void release_again(void)
{
	assert_int_equal(rd(0), 0);
	wr(0, ACTIVE);
	assert_int_equal(rd(0) & ACTIVE, ACTIVE);
}

TEST(nothing_is_kept_without_power)
{
	configure_funnel(TCI_0_9, SINK_SRAM | SINK_PIB | SINK_ATB);
	create_funnel();
	wr(RVTRACE_PIB_CONTROL, PIB_ON);
	wr(RVTRACE_PIB_CONTROL, PIB_ON);
	wr(RVTRACE_ATB_CONTROL, ATB_ON);
	wr(RVTRACE_ATB_CONTROL, ATB_ON);
	wr(0, TF(RVTRACE_SINK_SRAM) | RVTRACE_TF_CONTROL_ENABLE);
	assert_true(send_text("0123456789abcdef"));
	wr(0, TF(RVTRACE_SINK_SRAM));
	wr(RVTRACE_TE_RAM_RP, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x33323130);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 16);

	tf_model_lose_power(sinks.tf);
	release_again();
	assert_int_equal(rd(0) >> 28, RVTRACE_SINK_SRAM);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_LIMIT), 60);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL) & ~0xffff0000u, RVTRACE_PIB_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), RVTRACE_ATB_CONTROL_EMPTY);
}

TEST(what_was_not_flushed_is_lost)
{
	configure_sink(SINK_KIND_RAM);
	sinks.config.ram_modes = RAMSINK_SRAM;
	create_sink();
	wr(0, RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_ENABLE);
	assert_true(send_text("abc"));
	sink_model_lose_power(sinks.sink);
	assert_false(sink_model_is_on(sinks.sink));
	release_again();
	wr(0, RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_ENABLE);
	wr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TR_RAM_WP_LOW), 0);
}

TEST(faults_stay_without_power)
{
	const struct fault fault = { .impl = 0xf0 };

	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	tf_model_set_fault(sinks.tf, &fault);
	tf_model_lose_power(sinks.tf);
	release_again();
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x11 ^ 0xf0);
}

TEST(bits_may_stay_what_they_are)
{
	configure_funnel(TCI_0_9, SINK_SRAM | SINK_PIB);
	create_funnel();
	wr(RVTRACE_TE_RAM_RP, 8);
	tf_model_set_fault(sinks.tf, &(struct fault){ .at = RVTRACE_TE_RAM_RP,
						      .ignores = UINT32_MAX });
	wr(RVTRACE_TE_RAM_RP, 16);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 8);
	wr(RVTRACE_TE_RAM_WP, 12);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 12);
	rd(RVTRACE_TE_RAM_DATA);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 12);

	/* From the third access on */
	tf_model_set_fault(sinks.tf, &(struct fault){ .after = 2, .at = RVTRACE_TF_CONTROL,
						      .ignores = RVTRACE_TF_CONTROL_SINK });
	wr(0, TF(RVTRACE_SINK_PIB));
	assert_int_equal(rd(0) >> 28, RVTRACE_SINK_PIB);
	wr(0, TF(RVTRACE_SINK_SRAM) | RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(0) & ~RVTRACE_TF_CONTROL_EMPTY,
			 TF(RVTRACE_SINK_PIB) | RVTRACE_TF_CONTROL_ENABLE);
	tf_model_set_fault(sinks.tf, &(struct fault){ 0 });
	wr(0, TF(RVTRACE_SINK_SRAM));
	assert_int_equal(rd(0) >> 28, RVTRACE_SINK_SRAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		S(nothing_is_kept_without_power), S(what_was_not_flushed_is_lost),
		S(faults_stay_without_power), S(bits_may_stay_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
