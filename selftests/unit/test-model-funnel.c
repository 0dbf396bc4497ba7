// SPDX-License-Identifier: GPL-2.0
/* Funnel and system-memory sink as software sees them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/funnel.h"

#define MEMORY		0x400
#define BASE		0x80001000u
#define ENABLED		(RVTRACE_TF_CONTROL_ACTIVE | RVTRACE_TF_CONTROL_ENABLE | 7u << 28)

/* A funnel with a clock, a timer and memory from BASE on. */
struct bench {
	struct tf_model *tf;
	struct tf_config config;
	uint64_t now;
	uint64_t alarm;		/* 0: none */
	uint8_t memory[MEMORY];
	uint32_t high;		/* upper half of the addresses written */
	size_t writes;
	uint8_t next[MEMORY];	/* what the next funnel got */
	size_t next_size;
	uint32_t next_halfwords;
	bool next_full;
};

static struct bench bench;

static uint64_t now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	struct bench *b = opaque;

	b->alarm = b->now + ticks;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		      size_t size)
{
	struct bench *b = opaque;

	b->high = addr >> 32;
	b->writes++;
	assert_int_equal((uint32_t)addr % b->config.sink.access_width, 0);
	assert_int_equal(size % b->config.sink.access_width, 0);
	assert_in_range((uint32_t)addr, BASE, BASE + MEMORY - size);
	memcpy(b->memory + ((uint32_t)addr - BASE), data, size);
	return true;
}

static bool send_next(void *opaque, const uint8_t *message, size_t size,
		      bool wait)
{
	struct bench *b = opaque;

	if (b->next_full && !wait)
		return false;
	memcpy(b->next + b->next_size, message, size);
	b->next_size += size;
	return true;
}

static void advance_next(void *opaque, uint32_t halfwords)
{
	((struct bench *)opaque)->next_halfwords += halfwords;
}

static const struct tf_ops ops = {
	.now = now,
	.schedule = schedule,
	.dma_write = dma_write,
	.send = send_next,
	.advance = advance_next,
};

static uint32_t rd(uint32_t offset)
{
	return tf_model_read(bench.tf, offset);
}

static void wr(uint32_t offset, uint32_t value)
{
	tf_model_write(bench.tf, offset, value);
}

static void pass(uint64_t ticks)
{
	bench.now += ticks;
	if (bench.alarm && bench.now >= bench.alarm) {
		bench.alarm = 0;
		tf_model_tick(bench.tf);
	}
}

static int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.now = 1;
	tf_config_default(&bench.config);
	bench.config.sink.burst = 0;
	bench.config.active_delay = 0;
	bench.config.empty_delay = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tf_model_free(bench.tf);
	return 0;
}

static void create(void)
{
	assert_null(tf_config_check(&bench.config));
	bench.tf = tf_model_new(&bench.config, &ops, &bench);
	assert_non_null(bench.tf);
}

/* Active, with a ring of @size bytes, enabled. */
static void enable(uint32_t size, uint32_t more)
{
	uint32_t width = bench.config.sink.access_width;

	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TE_RAM_BASE, BASE);
	wr(RVTRACE_TE_RAM_LIMIT, BASE + size - width);
	wr(RVTRACE_TE_RAM_WP, BASE);
	wr(RVTRACE_TF_CONTROL, ENABLED | more);
}

static bool send(const char *text, bool wait)
{
	return tf_model_send(bench.tf, 0, (const uint8_t *)text, strlen(text), wait);
}

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
	bench.config.active_delay = 100;
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

static void high_word_goes_to_memory(void **state)
{
	(void)state;
	bench.config.sink.addr_bits = 36;
	enable(64, 0);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 0x1f);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE_HIGH), 0);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 0xf);
	send("12345678", false);
	assert_int_equal(bench.high, 0xf);
}

static void whole_words_are_written_as_they_fill(void **state)
{
	(void)state;
	enable(64, 0);
	send("abcde", false);
	assert_int_equal(bench.writes, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	send("fghij", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	assert_memory_equal(bench.memory, "abcdefgh", 8);
}

static void disable_flushes_with_idle_bytes(void **state)
{
	(void)state;
	bench.config.empty_delay = 10;
	enable(64, 0);
	send("abcdefghij", false);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	pass(10);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 16);
	assert_memory_equal(bench.memory, "abcdefghij\xff\xff\xff\xff\xff\xff", 16);
}

static void disabling_twice_writes_nothing_more(void **state)
{
	(void)state;
	enable(64, 0);
	send("abc", false);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	rd(RVTRACE_TF_CONTROL);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	wr(RVTRACE_TF_CONTROL, ENABLED);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
}

static void disabled_funnel_accepts_and_drops(void **state)
{
	struct tf_stats stats;

	(void)state;
	create();
	assert_true(send("inactive", false));
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_true(send("disabled", false));
	tf_model_stats(bench.tf, &stats);
	assert_int_equal(stats.dropped, 16);
	assert_int_equal(stats.bytes, 0);
	assert_int_equal(bench.writes, 0);
}

static void wrap_sets_the_bit_until_wp_is_written(void **state)
{
	struct tf_stats stats;

	(void)state;
	enable(16, 0);
	send("0123456789abcde", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	send("f", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	send("ABCDEFGH", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 8) | 1);
	assert_memory_equal(bench.memory, "ABCDEFGH89abcdef", 16);
	tf_model_stats(bench.tf, &stats);
	assert_int_equal(stats.wraps, 1);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 8) | 1);
	wr(RVTRACE_TE_RAM_WP, (BASE + 8) | 1);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
}

static void bursts_wrap_in_two_writes(void **state)
{
	(void)state;
	bench.config.sink.burst = 32;
	enable(48, 0);
	send("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb", false);
	assert_int_equal(bench.writes, 1);
	send("ccccccccccccccccdddddddddddddddd", false);
	assert_int_equal(bench.writes, 3);
	assert_memory_equal(bench.memory, "dddddddddddddddd", 16);
	assert_memory_equal(bench.memory + 32, "cccccccccccccccc", 16);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 16) | 1);
}

static void one_word_ring_wraps_at_every_word(void **state)
{
	(void)state;
	enable(8, 0);
	send("0123456789abcdef", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_memory_equal(bench.memory, "89abcdef", 8);
}

static void stop_on_wrap_keeps_the_first_fill(void **state)
{
	(void)state;
	bench.config.sink.burst = 32;
	enable(16, RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send("0123456789abcdefXYZXYZXYZXYZXYZXYZXYZXYZ", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_true(send("more", false));
	assert_memory_equal(bench.memory, "0123456789abcdef", 16);
	/* Enabled again it fills once more. */
	wr(RVTRACE_TE_RAM_WP, BASE);
	wr(RVTRACE_TF_CONTROL, ENABLED | RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF", false);
	assert_memory_equal(bench.memory, "ABCDEFGHIJKLMNOP", 16);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE, 0);
}

static void write_pointer_leads_posted_words(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 3;
	enable(32, 0);
	send("aaaaaaaabbbbbbbbcccccccc", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 24);
	assert_int_equal(bench.writes, 0);
	send("dddddddd", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_memory_equal(bench.memory, "aaaaaaaa\0\0\0\0\0\0\0\0", 16);
	send("eeeeeeee", false);
	assert_memory_equal(bench.memory, "aaaaaaaabbbbbbbb\0\0\0\0\0\0\0\0", 24);
}

static void empty_is_not_about_posted_words_while_enabled(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 3;
	enable(32, 0);
	send("aaaaaaaab", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	send("bbbbbbb", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(bench.writes, 0);
}

static void posted_words_land_before_empty(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(32, 0);
	send("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeef", false);
	assert_int_equal(bench.writes, 0);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_memory_equal(bench.memory,
			    "eeeeeeeef\xff\xff\xff\xff\xff\xff\xff" "ccccccccdddddddd", 32);
}

static void posted_words_land_when_the_ring_is_full(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(16, RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send("aaaaaaaabbbbbbbb", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_memory_equal(bench.memory, "aaaaaaaabbbbbbbb", 16);
}

static void posted_words_land_although_the_funnel_is_reset(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(32, 0);
	send("aaaaaaaabbb", false);
	wr(RVTRACE_TF_CONTROL, 0);
	assert_memory_equal(bench.memory, "aaaaaaaa\0\0\0\0\0\0\0\0", 16);
}

static void limited_memory_refuses_until_time_passes(void **state)
{
	(void)state;
	bench.config.sink.bandwidth = 1 << 15;	/* half a byte per half-word */
	bench.config.sink.queue = 64;
	enable(MEMORY, 0);
	assert_true(send("0123456789abcdef0123456789abcdef", false));
	assert_true(send("0123456789abcdef0123456789abcdef", false));
	assert_false(send("x", false));
	tf_model_advance(bench.tf, 1);
	assert_false(send("x", false));
	tf_model_advance(bench.tf, 1);
	assert_true(send("x", false));
	assert_false(send("x", false));
	/* A sender that waits is always served, and leaves the queue full. */
	assert_true(send("0123456789abcdef0123456789abcdef", true));
	assert_false(send("x", false));
	tf_model_advance(bench.tf, 2);
	assert_true(send("x", false));
	assert_false(send("x", false));
	tf_model_advance(bench.tf, 1000);
	assert_true(send("0123456789abcdef0123456789abcdef", false));
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 128);
}

static void next_funnel_gets_whole_messages(void **state)
{
	(void)state;
	bench.config.sinks |= 1 << RVTRACE_SINK_FUNNEL;
	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TF_CONTROL, (ENABLED & 0x0fffffff) | 8u << 28);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 28, 8);
	assert_true(send("one", false));
	bench.next_full = true;
	assert_false(send("two", false));
	assert_true(send("two", true));
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
	bench.config.active_delay = 10;
	bench.config.fault.stuck = FAULT_ACTIVE;
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
	bench.config.active_delay = 10;
	bench.config.fault.stuck = FAULT_ACTIVE;
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
	send("a", false);
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
	send("abc", false);
	set_fault(&(struct fault){ .clear = RVTRACE_TF_CONTROL_ENABLE });
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x70000009);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	/* Once only */
	wr(RVTRACE_TF_CONTROL, ENABLED);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), ENABLED | RVTRACE_TF_CONTROL_EMPTY);
}

static void bandwidth_can_drop(void **state)
{
	(void)state;
	bench.config.sink.queue = 64;
	enable(MEMORY, 0);
	assert_int_equal(tf_model_bandwidth(bench.tf), 0);
	tf_model_set_bandwidth(bench.tf, 1);
	assert_true(send("0123456789abcdef0123456789abcdef", false));
	assert_true(send("0123456789abcdef0123456789abcdef", false));
	assert_false(send("x", false));
	tf_model_set_bandwidth(bench.tf, 0);
	assert_true(send("x", false));
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

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(inactive_registers_read_zero),
		T(unimplemented_registers_read_zero),
		T(impl_names_version_and_sink), T(active_takes_time_both_ways),
		T(deactivating_resets_the_control_fields),
		T(illegal_sink_keeps_the_legal_one),
		T(stop_on_wrap_may_be_missing), T(limit_takes_whole_words_only),
		T(low_address_bits_read_zero),
		T(narrow_bus_refuses_high_addresses),
		T(high_word_goes_to_memory),
		T(whole_words_are_written_as_they_fill),
		T(disable_flushes_with_idle_bytes),
		T(disabling_twice_writes_nothing_more),
		T(disabled_funnel_accepts_and_drops),
		T(wrap_sets_the_bit_until_wp_is_written),
		T(bursts_wrap_in_two_writes),
		T(one_word_ring_wraps_at_every_word),
		T(stop_on_wrap_keeps_the_first_fill),
		T(write_pointer_leads_posted_words),
		T(empty_is_not_about_posted_words_while_enabled),
		T(posted_words_land_before_empty),
		T(posted_words_land_when_the_ring_is_full),
		T(posted_words_land_although_the_funnel_is_reset),
		T(limited_memory_refuses_until_time_passes),
		T(next_funnel_gets_whole_messages),
		T(stuck_active_is_never_acknowledged),
		T(repair_acknowledges_what_waited),
		T(stuck_inactive_keeps_active), T(stuck_empty_never_rises),
		T(faults_wait_for_their_access), T(funnel_can_disable_itself),
		T(bandwidth_can_drop),
		T(bad_configurations_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
