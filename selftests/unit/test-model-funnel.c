// SPDX-License-Identifier: GPL-2.0
/* Registers of a funnel, what it hands on, what can be wrong with it. */
#include "selftests/unit/model-funnel-fixture.h"

static void inactive_registers_read_zero(void **state)
{
	uint32_t offset;

	(void)state;
	create();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset != RVTRACE_TF_CONTROL)
			wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), 0);
}

static void unimplemented_registers_read_zero(void **state)
{
	uint32_t offset;

	(void)state;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	for (offset = RVTRACE_TE_RAM_RP; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
	wr(RVTRACE_TE_INST_FEATURES, ~0u);
	wr(RVTRACE_TE_DATA_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0);
	assert_int_equal(rd(RVTRACE_TE_DATA_CONTROL), 0);
}

static void impl_names_version_and_sink(void **state)
{
	(void)state;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x81);
	wr(RVTRACE_TF_IMPL, ~0u);
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x81);
}

static void active_takes_time_both_ways(void **state)
{
	(void)state;
	bench.config.component.active_delay = 100;
	create();
	wr(RVTRACE_TF_CONTROL, ENABLED);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0);
	pass(99);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0);
	pass(1);
	/* The write that released it set nothing else. */
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
	wr(RVTRACE_TE_RAM_BASE, BASE);
	wr(RVTRACE_TF_CONTROL, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), 0);
	pass(100);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0);
}

static void deactivating_resets_the_control_fields(void **state)
{
	(void)state;
	enable(64, RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	wr(RVTRACE_TF_CONTROL, 0);
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
}

static void illegal_sink_keeps_the_legal_one(void **state)
{
	unsigned int sink;

	(void)state;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	for (sink = 0; sink < 16; sink++) {
		wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE | sink << 28);
		assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 28, 7);
	}
}

static void stop_on_wrap_may_be_missing(void **state)
{
	(void)state;
	bench.config.stop_on_wrap = false;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TF_CONTROL, ENABLED | RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_STOP_ON_WRAP, 0);
}

/* Discovery of the access width: the first last word that is retained. */
static void limit_takes_whole_words_only(void **state)
{
	uint32_t width, probe;

	(void)state;
	for (width = 4; width <= 64; width *= 2) {
		setup(NULL);
		bench.config.sink.access_width = width;
		create();
		wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
		wr(RVTRACE_TE_RAM_BASE, BASE + 4);
		assert_int_equal(rd(RVTRACE_TE_RAM_BASE), width == 4 ? BASE + 4 : 0);
		wr(RVTRACE_TE_RAM_LIMIT, BASE);
		for (probe = 4; probe <= 64; probe *= 2) {
			wr(RVTRACE_TE_RAM_LIMIT, BASE + MEMORY - probe);
			if (rd(RVTRACE_TE_RAM_LIMIT) == BASE + MEMORY - probe)
				break;
		}
		assert_int_equal(probe, width);
		tf_model_free(bench.tf);
		bench.tf = NULL;
	}
}

static void low_address_bits_read_zero(void **state)
{
	(void)state;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TE_RAM_BASE, BASE | 3);
	wr(RVTRACE_TE_RAM_LIMIT, (BASE + 8) | 3);
	wr(RVTRACE_TE_RAM_WP, BASE | 3);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), BASE);
	assert_int_equal(rd(RVTRACE_TE_RAM_LIMIT), BASE + 8);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE);
}

static void narrow_bus_refuses_high_addresses(void **state)
{
	(void)state;
	bench.config.sink.addr_bits = 31;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TE_RAM_BASE, 0x7ffff000);
	wr(RVTRACE_TE_RAM_BASE, BASE);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), 0x7ffff000);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 1);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE_HIGH), 0);
}

static void next_funnel_gets_whole_messages(void **state)
{
	(void)state;
	bench.config.sinks |= 1 << RVTRACE_SINK_FUNNEL;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TF_CONTROL, (ENABLED & 0x0fffffff) | 8u << 28);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 28, 8);
	assert_true(send_text("one", false));
	bench.next_full = true;
	assert_false(send_text("two", false));
	assert_true(send_text("two", true));
	assert_memory_equal(bench.next, "onetwo", 6);
	tf_model_advance(bench.tf, 5);
	assert_int_equal(bench.next_halfwords, 5);
	assert_int_equal(bench.writes, 0);
}

static void set_fault(const struct fault *fault)
{
	tf_model_set_fault(bench.tf, fault);
}

static void stuck_active_is_never_acknowledged(void **state)
{
	(void)state;
	bench.config.component.active_delay = 10;
	bench.config.component.fault.stuck = FAULT_ACTIVE;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	pass(1000);
	assert_int_equal(bench.alarm, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0);
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0);
	/* Given up, repaired, tried again. */
	wr(RVTRACE_TF_CONTROL, 0);
	set_fault(&(struct fault){});
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	pass(10);
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x81);
}

static void repair_acknowledges_what_waited(void **state)
{
	(void)state;
	bench.config.component.active_delay = 10;
	bench.config.component.fault.stuck = FAULT_ACTIVE;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	set_fault(&(struct fault){});
	assert_int_equal(bench.alarm, bench.now + 10);
	pass(10);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
}

static void stuck_inactive_keeps_active(void **state)
{
	(void)state;
	enable(64, 0);
	set_fault(&(struct fault){ .stuck = FAULT_INACTIVE });
	wr(RVTRACE_TF_CONTROL, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), 0);
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
}

static void stuck_empty_never_rises(void **state)
{
	(void)state;
	enable(64, 0);
	send_text("a", false);
	set_fault(&(struct fault){ .stuck = FAULT_EMPTY });
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	set_fault(&(struct fault){});
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
}

static void faults_wait_for_their_access(void **state)
{
	struct tf_stats stats;
	struct fault fault;

	(void)state;
	enable(64, 0);
	tf_model_stats(bench.tf, &stats);
	assert_int_equal(stats.accesses, 5);
	set_fault(&(struct fault){ .after = 2, .stuck = FAULT_GONE,
				   .impl = 0xf0 });
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x81);
	wr(RVTRACE_TE_RAM_WP, BASE + 8);
	assert_int_equal(rd(RVTRACE_TF_IMPL), UINT32_MAX);
	wr(RVTRACE_TE_RAM_WP, BASE + 16);
	tf_model_fault(bench.tf, &fault);
	assert_int_equal(fault.after, 0);
	assert_int_equal(fault.stuck, FAULT_GONE);
	set_fault(&(struct fault){ .impl = 0xf0 });
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x71);
	tf_model_reset(bench.tf);
	tf_model_fault(bench.tf, &fault);
	assert_int_equal(fault.impl, 0);
}

static void funnel_can_disable_itself(void **state)
{
	(void)state;
	enable(64, 0);
	send_text("abc", false);
	set_fault(&(struct fault){ .clear = RVTRACE_TF_CONTROL_ENABLE });
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	/* Once only */
	wr(RVTRACE_TF_CONTROL, ENABLED);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), ENABLED | RVTRACE_TF_CONTROL_EMPTY);
}

static void bad_configurations_are_named(void **state)
{
	(void)state;
	bench.config.sink.access_width = 12;
	assert_string_equal(tf_config_check(&bench.config),
			    "access width is not 4, 8, 16, 32 or 64");
	assert_null(tf_model_new(&bench.config, &ops, &bench));
	setup(NULL);
	bench.config.sink.burst = 12;
	assert_non_null(tf_config_check(&bench.config));
	setup(NULL);
	bench.config.sinks = 1 << 9;
	assert_non_null(tf_config_check(&bench.config));
	setup(NULL);
	bench.config.sink.addr_bits = 65;
	assert_non_null(tf_config_check(&bench.config));
	setup(NULL);
	bench.config.sink.posted_words = 1025;
	assert_string_equal(tf_config_check(&bench.config),
			    "posted words are more than 1024");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(inactive_registers_read_zero),
		T(unimplemented_registers_read_zero),
		T(impl_names_version_and_sink),
		T(active_takes_time_both_ways),
		T(deactivating_resets_the_control_fields),
		T(illegal_sink_keeps_the_legal_one),
		T(stop_on_wrap_may_be_missing),
		T(limit_takes_whole_words_only),
		T(low_address_bits_read_zero),
		T(narrow_bus_refuses_high_addresses),
		T(next_funnel_gets_whole_messages),
		T(stuck_active_is_never_acknowledged),
		T(repair_acknowledges_what_waited),
		T(stuck_inactive_keeps_active),
		T(stuck_empty_never_rises),
		T(faults_wait_for_their_access),
		T(funnel_can_disable_itself),
		T(bad_configurations_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
