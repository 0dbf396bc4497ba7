// SPDX-License-Identifier: GPL-2.0
/* What the P550's encoders and funnel are made of. On the board: suite 57-p550. */
#include "include/uapi/linux/rvtrace_regs_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"
#include "tools/machine/model/funnel.h"
#include "tools/machine/model/profile.h"

/* teSyncMaxBTM and teSyncMaxInst off */
#define TE(mode)	(ACTIVE | MODE(mode) | 0xffu << 16 | FUNNEL)

static int setup_p550(void **state)
{
	setup(state);
	te_config_init(&bench.config, TCI_0);
	profile_p550.encoder(&bench.config);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	return 0;
}

static void begin(uint32_t hart)
{
	bench.config.src_id = hart;
	bench.config.hart_id = hart;
	create();
	set_control(ACTIVE);
}

static void end(uint32_t mode)
{
	set_control(TE(mode));
	answer();
	pass(1);
}

/* Printed by a user-mode driver on silicon */
TEST(encoders_read_as_silicon)
{
	static const uint32_t impl[] = { 0x02040100, 0x12140100, 0x22240100, 0x32340100 };
	uint32_t hart;

	for (hart = 0; hart < 4; hart++) {
		begin(hart);
		assert_int_equal(rd(RVTRACE_TE0_IMPL), impl[hart]);
		assert_int_equal(control(), 0x81a30009);
		assert_int_equal(rd(RVTRACE_TS0_CONTROL), 0x28000040);
		wr(RVTRACE_TS0_CONTROL, 1);
		wr(RVTRACE_TS0_CONTROL, 0xf8001);
		assert_int_equal(rd(RVTRACE_TS0_CONTROL), 0x280f8041);
		te_model_free(bench.te);
	}
	begin(0);
}

TEST(addresses_have_49_bits)
{
	bench.config.src_bits = 0;
	begin(0);
	bench.pc = 0xffffffff80000100;
	set_control(TE(6) | ON);
	answer();
	end(6);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0xffffc0000080");
}

/* As many as the counter counts, and one more that is reported */
TEST(returns_are_left_out_by_number)
{
	unsigned int i;

	bench.config.src_bits = 0;
	begin(0);
	set_control(TE(7) | ON);
	answer();
	for (i = 0; i < 1024; i++)
		run(1, INGRESS_DIRECT_CALL, 0x200);
	for (i = 0; i < 1023; i++)
		run(1, INGRESS_RETURN, 0x300);
	run(1, INGRESS_RETURN, 0x400);
	end(7);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x800 U-ADDR=0x280");
}

static uint64_t tf_now(void *opaque)
{
	(void)opaque;
	return 0;
}

static const struct tf_ops tf_ops = { .outlet.now = tf_now, .timestamp = tf_now };

TEST(funnel_reads_as_silicon)
{
	struct tf_config config;
	struct tf_model *tf;

	tf_config_init(&config, TCI_0);
	profile_p550.funnel(&config);
	config.component.active_delay = 0;
	tf = tf_model_new(&config, &tf_ops, NULL);
	assert_non_null(tf);
	tf_model_write(tf, RVTRACE_TF_CONTROL, 1);
	assert_int_equal(tf_model_read(tf, RVTRACE_TF_CONTROL), 0x70000009);
	assert_int_equal(tf_model_read(tf, RVTRACE_TF_IMPL), 0x00010080);
	assert_int_equal(tf_model_read(tf, RVTRACE_TS0_CONTROL), 0x28000020);
	tf_model_write(tf, RVTRACE_TS0_CONTROL, 1);
	tf_model_write(tf, RVTRACE_TS0_CONTROL, 3);
	assert_int_equal(tf_model_read(tf, RVTRACE_TS0_CONTROL), 0x28000023);
	tf_model_write(tf, RVTRACE_TE_RAM_BASE, ~0u);
	tf_model_write(tf, RVTRACE_TE_RAM_BASE_HIGH, ~0u);
	tf_model_write(tf, RVTRACE_TE_RAM_WP, ~0u);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_BASE), 0xfffffff8);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_BASE_HIGH), 0x3ff);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_WP), 0xfffffff9);
	tf_model_free(tf);
}

TEST(profiles_have_names)
{
	assert_ptr_equal(profile_named("p550"), &profile_p550);
	assert_null(profile_named(PROFILE_GENERIC));
	assert_null(profile_named("P550"));
	assert_ptr_equal(profile_of(TCI_0), &profile_p550);
	assert_null(profile_of(TCI_0_9));
	assert_null(profile_of(TCI_1_0));
}

#define P(name)	cmocka_unit_test_setup_teardown(name, setup_p550, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		P(encoders_read_as_silicon), P(addresses_have_49_bits),
		P(returns_are_left_out_by_number), P(funnel_reads_as_silicon),
		P(profiles_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
