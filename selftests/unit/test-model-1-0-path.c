// SPDX-License-Identifier: GPL-2.0
/* Registers of TCI 1.0: funnel and the RAM sink behind it, each with its own page. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"
#include "tools/machine/model/funnel.h"
#include "tools/machine/model/sink.h"

#define RING		0x123456000ull
#define RING_SIZE	64
#define F_ON		(RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_ENABLE)
#define F_EMPTY		(RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_EMPTY)
#define SMEM		RVTRACE_TR_RAM_CONTROL_MODE

static struct {
	struct tf_model *tf;
	struct sink_model *sink;
	struct tf_config funnel_config;
	struct sink_config sink_config;
	uint64_t now;
	uint8_t memory[RING_SIZE];
	unsigned int errors;
} path;

static uint64_t path_now(void *opaque)
{
	(void)opaque;
	return path.now;
}

static void path_schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static bool path_send(void *opaque, const uint8_t *message, size_t size,
		      bool wait)
{
	(void)opaque;
	return sink_model_send(path.sink, message, size, wait);
}

static void path_advance(void *opaque, uint32_t halfwords)
{
	(void)opaque;
	sink_model_advance(path.sink, halfwords);
}

static bool path_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
			   size_t size)
{
	(void)opaque;
	assert_in_range(addr, RING, RING + RING_SIZE - size);
	memcpy(path.memory + (addr - RING), data, size);
	return true;
}

static const struct tf_ops tf_ops = {
	.outlet.now = path_now, .timestamp = path_now, .schedule = path_schedule,
	.outlet.send = path_send, .outlet.advance = path_advance,
};

static const struct sink_ops sink_ops = {
	.outlet.now = path_now, .schedule = path_schedule,
	.outlet.dma_write = path_dma_write,
};

static int path_setup(void **state)
{
	(void)state;
	memset(&path, 0, sizeof(path));
	tf_config_init(&path.funnel_config, TCI_1_0);
	path.funnel_config.component.active_delay = 0;
	path.funnel_config.component.empty_delay = 0;
	sink_config_init(&path.sink_config, TCI_1_0, SINK_KIND_RAM);
	path.sink_config.component.active_delay = 0;
	path.sink_config.component.empty_delay = 0;
	path.sink_config.ram.burst = 0;
	return 0;
}

static int path_teardown(void **state)
{
	(void)state;
	tf_model_free(path.tf);
	sink_model_free(path.sink);
	return 0;
}

static uint32_t frd(uint32_t offset)
{
	return tf_model_read(path.tf, offset);
}

static void fwr(uint32_t offset, uint32_t value)
{
	tf_model_write(path.tf, offset, value);
}

static uint32_t srd(uint32_t offset)
{
	return sink_model_read(path.sink, offset);
}

static void swr(uint32_t offset, uint32_t value)
{
	sink_model_write(path.sink, offset, value);
}

/* Both active */
static void path_create(void)
{
	path.tf = tf_model_new(&path.funnel_config, &tf_ops, NULL);
	path.sink = sink_model_new(&path.sink_config, &sink_ops, NULL);
	assert_non_null(path.tf);
	assert_non_null(path.sink);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
}

static void set_ring(void)
{
	swr(RVTRACE_TR_RAM_START_LOW, (uint32_t)RING);
	swr(RVTRACE_TR_RAM_START_HIGH, RING >> 32);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, (uint32_t)RING + RING_SIZE - 8);
	swr(RVTRACE_TR_RAM_LIMIT_HIGH, RING >> 32);
	swr(RVTRACE_TR_RAM_WP_LOW, (uint32_t)RING);
	swr(RVTRACE_TR_RAM_WP_HIGH, RING >> 32);
}

static bool send_text(unsigned int input, const char *text)
{
	return tf_model_send(path.tf, input, (const uint8_t *)text,
			     strlen(text), false);
}

TEST(funnel_and_sink_reset)
{
	path_create();
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_CONTROL), F_EMPTY);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_IMPL), 0x801);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0);
	assert_int_equal(frd(RVTRACE_TR_TS_CONTROL), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_CONTROL), F_EMPTY | SMEM);
	assert_int_equal(srd(RVTRACE_TR_RAM_IMPL), 0x2901);
}

TEST(funnel_and_sink_have_no_other_registers)
{
	static const bool funnel[0x100] = {
		[0] = true, [1] = true, [2] = true, [0x10] = true, [0x12] = true,
		[0x13] = true,
	};
	static const bool sink[0x100] = {
		[0] = true, [1] = true, [4] = true, [5] = true, [6] = true,
		[7] = true, [8] = true, [9] = true,
	};
	uint32_t offset;

	path_create();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset >= 0x400 || !funnel[offset / 4]) {
			fwr(offset, ~0u);
			assert_int_equal(frd(offset), 0);
		}
		if (offset >= 0x400 || !sink[offset / 4]) {
			swr(offset, ~0u);
			assert_int_equal(srd(offset), 0);
		}
	}
}

TEST(trace_goes_through_to_memory_above_four_gigabytes)
{
	struct sink_stats stats;

	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	fwr(0, F_ON);
	assert_true(send_text(0, "0123456789"));
	assert_true(send_text(1, "abc"));
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY, 0);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(frd(0), F_EMPTY);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
	assert_memory_equal(path.memory, "0123456789abc\xff\xff\xff", 16);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING + 16);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_HIGH), RING >> 32);
	sink_model_stats(path.sink, &stats);
	assert_int_equal(stats.bytes, 13);
}

TEST(each_component_has_its_own_enable)
{
	struct sink_stats stats;
	struct tf_stats funnel;

	path_create();
	set_ring();
	fwr(0, F_ON);
	send_text(0, "abc");
	sink_model_stats(path.sink, &stats);
	assert_int_equal(stats.dropped, 3);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	swr(0, F_ON | SMEM);
	send_text(0, "abcd");
	tf_model_stats(path.tf, &funnel);
	assert_int_equal(funnel.dropped, 4);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING);
}

TEST(disabled_inputs_are_read_and_discarded)
{
	path.funnel_config.dis_input = 0x5;
	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	fwr(0, F_ON);
	fwr(RVTRACE_TR_FUNNEL_DIS_INPUT, 0xffffffff);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0x5);
	assert_true(send_text(0, "aaaaaaaa"));
	assert_true(send_text(1, "bbbbbbbb"));
	assert_true(send_text(2, "cccccccc"));
	fwr(RVTRACE_TR_FUNNEL_DIS_INPUT, 0);
	assert_true(send_text(0, "dddddddd"));
	assert_memory_equal(path.memory, "bbbbbbbbdddddddd", 16);
}

TEST(stop_on_wrap_disables_the_sink_alone)
{
	path_create();
	set_ring();
	swr(0, F_ON | SMEM | RVTRACE_TR_RAM_CONTROL_STOP_ON_WRAP);
	fwr(0, F_ON);
	while (srd(0) & RVTRACE_TR_CONTROL_ENABLE)
		assert_true(send_text(0, "0123456789abcdef"));
	assert_true(send_text(0, "more"));
	assert_int_equal(srd(0), F_EMPTY | SMEM |
			 RVTRACE_TR_RAM_CONTROL_STOP_ON_WRAP);
	assert_int_equal(frd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING | 1);
	assert_memory_equal(path.memory + 48, "0123456789abcdef", 16);
}

TEST(addresses_are_trimmed)
{
	path.sink_config.ram.addr_bits = 40;
	path.sink_config.ram.access_width = 16;
	path_create();
	swr(RVTRACE_TR_RAM_START_LOW, 0xffffffff);
	swr(RVTRACE_TR_RAM_START_HIGH, 0xffffffff);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), 0xfffffff0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), 0xff);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, 0x1234567c);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_LOW), 0x12345670);
	swr(RVTRACE_TR_RAM_START_LOW, 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), 0xff);
	/* The read pointer is not implemented. */
	swr(RVTRACE_TR_RAM_RP_LOW, 0x12345670);
	assert_int_equal(srd(RVTRACE_TR_RAM_RP_LOW), 0);
}

TEST(sink_controls_are_legal)
{
	path.sink_config.stop_on_wrap = false;
	path.sink_config.ram.mem_formats = 1 << 0 | 1 << 3;
	path.sink_config.ram.async_freqs = 0x5;
	path_create();
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | 0x7700);
	assert_int_equal(srd(0), F_EMPTY | SMEM | 3 << 9 | 2 << 12);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | 1 << 9 | 1 << 12);
	assert_int_equal(srd(0), F_EMPTY | SMEM | 3 << 9 | 2 << 12);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
}

TEST(undefined_pointers_stay_aligned)
{
	path.sink_config.component.undef = 7;
	path.funnel_config.component.undef = 7;
	path_create();
	assert_int_not_equal(srd(RVTRACE_TR_RAM_START_LOW), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW) & 7, 0);
	assert_int_not_equal(srd(RVTRACE_TR_RAM_WP_HIGH), 0);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	assert_int_not_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0);
	set_ring();
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING);
}

TEST(enable_may_lag_behind)
{
	path.sink_config.component.enable_delay = 30;
	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	path.now += 29;
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	path.now++;
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	path.now += 30;
	assert_int_equal(srd(0), F_EMPTY | SMEM);
	/* A reset does not lag. */
	swr(0, F_ON | SMEM);
	path.now += 30;
	swr(0, 0);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
}

TEST(range_may_be_fixed)
{
	path.sink_config.ram.fixed_start = RING;
	path.sink_config.ram.fixed_limit = RING + 56;
	path_create();
	swr(RVTRACE_TR_RAM_START_LOW, 0);
	swr(RVTRACE_TR_RAM_START_HIGH, ~0u);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, ~0u);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), (uint32_t)RING);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), RING >> 32);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_LOW), (uint32_t)RING + 56);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_HIGH), RING >> 32);
	swr(RVTRACE_TR_RAM_WP_LOW, (uint32_t)RING + 8);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING + 8);
}

TEST(sink_can_be_broken)
{
	struct fault fault = { .stuck = FAULT_EMPTY };

	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	sink_model_set_fault(path.sink, &fault);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY, 0);
	fault = (struct fault){ .impl = 0x100 };
	sink_model_set_fault(path.sink, &fault);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY,
			 RVTRACE_TR_CONTROL_EMPTY);
	assert_int_equal(srd(RVTRACE_TR_RAM_IMPL), 0x2801);
}

#define P(name)	cmocka_unit_test_setup_teardown(name, path_setup, path_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		P(funnel_and_sink_reset), P(funnel_and_sink_have_no_other_registers),
		P(trace_goes_through_to_memory_above_four_gigabytes),
		P(each_component_has_its_own_enable), P(disabled_inputs_are_read_and_discarded),
		P(stop_on_wrap_disables_the_sink_alone), P(addresses_are_trimmed),
		P(sink_controls_are_legal), P(undefined_pointers_stay_aligned),
		P(enable_may_lag_behind), P(range_may_be_fixed), P(sink_can_be_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
