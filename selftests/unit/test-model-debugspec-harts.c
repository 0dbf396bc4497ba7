// SPDX-License-Identifier: GPL-2.0
/* Two encoders with one stream of the debug specification's trace, and the funnel that makes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/debugspec.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/encode/debugspec.h"
#include "tools/machine/model/encoder.h"
#include "tools/machine/model/funnel.h"

#define HARTS		2
#define FIRST_HART	5
#define BUFFER		256
#define MEMORY		(1 << 20)
#define BASE		0x80000000u
#define BLOCKS		20000
#define ONE		(1 << 16)	/* a byte for each half-word */

#define TE	(RVTRACE_TE_CONTROL_ACTIVE | 6 << 4 | 7u << 24 | 8u << 28)
#define TE_ON	(RVTRACE_TE_CONTROL_ENABLE | RVTRACE_TE_CONTROL_INST_TRACING)
#define TE_STALL	RVTRACE_TE_CONTROL_INST_STALL_EN
#define TF	(RVTRACE_TF_CONTROL_ACTIVE | 7u << 28)

struct hart {
	struct te_model *te;
	struct debugspec_encoder want;
	int asked;
	uint64_t pc;
};

static struct {
	struct hart harts[HARTS];
	struct tf_model *tf;
	bool lent;
	uint64_t now;
	uint32_t random;
	struct debugspec_stream want_stream;
	size_t want_size;
	uint8_t want[MEMORY];
	uint8_t memory[MEMORY];
} path;

static const struct ingress_context machine = { .priv = INGRESS_PRIV_M };

static void set_tracing(void *opaque, bool on)
{
	((struct hart *)opaque)->asked = on;
}

static uint64_t now(void *opaque)
{
	(void)opaque;
	return path.now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static unsigned int input_of(const struct hart *h)
{
	return h - path.harts;
}

static bool send(void *opaque, const uint8_t *message, size_t size, bool wait)
{
	return tf_model_send(path.tf, input_of(opaque), message, size, wait);
}

static void advance(void *opaque, uint32_t halfwords)
{
	(void)opaque;
	assert_false(path.lent);
	tf_model_advance(path.tf, halfwords);
}

static struct shared_stream *begin(void *opaque)
{
	assert_false(path.lent);
	path.lent = true;
	return tf_model_stream(path.tf, input_of(opaque));
}

static void end(void *opaque)
{
	(void)opaque;
	assert_true(path.lent);
	path.lent = false;
}

static const struct te_ops te_ops = {
	.set_tracing = set_tracing, .outlet.now = now, .timestamp = now, .schedule = schedule,
	.outlet.send = send, .outlet.advance = advance,
	.stream_begin = begin, .stream_end = end,
};

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data, size_t size)
{
	(void)opaque;
	assert_in_range(addr, BASE, BASE + MEMORY - size);
	memcpy(path.memory + (addr - BASE), data, size);
	return true;
}

static const struct tf_ops tf_ops = {
	.outlet.now = now, .schedule = schedule, .outlet.dma_write = dma_write,
};

static void want_word(void *opaque, uint32_t word)
{
	const uint8_t bytes[] = { word, word >> 8, word >> 16, word >> 24 };

	(void)opaque;
	memcpy(path.want + path.want_size, bytes, sizeof(bytes));
	path.want_size += sizeof(bytes);
}

static void make_hart(unsigned int n, const struct te_config *config)
{
	const struct debugspec_params params = {
		.hart = FIRST_HART + n, .xlen = 64, .compressed = true, .emit = config->vendor.emit,
	};
	struct hart *h = &path.harts[n];
	struct te_config own = *config;

	own.src_id = n + 1;
	own.hart_id = FIRST_HART + n;
	h->asked = -1;
	h->pc = 0x1000 * (n + 1);
	h->te = te_model_new(&own, &te_ops, h);
	assert_non_null(h->te);
	debugspec_encoder_init(&h->want, &params, &path.want_stream);
}

static void set_funnel(uint32_t value)
{
	tf_model_write(path.tf, RVTRACE_TF_CONTROL, value);
}

static void set_ring(void)
{
	set_funnel(TF);
	tf_model_write(path.tf, RVTRACE_TE_RAM_BASE, BASE);
	tf_model_write(path.tf, RVTRACE_TE_RAM_LIMIT, BASE + MEMORY - 4);
	tf_model_write(path.tf, RVTRACE_TE_RAM_WP, BASE);
}

static void make_path(uint32_t bandwidth)
{
	struct te_config te;
	struct tf_config tf;

	memset(&path, 0, sizeof(path));
	path.now = 1;
	path.random = 1;
	tf_config_default(&tf);
	tf.component.active_delay = 0;
	tf.component.empty_delay = 10;
	tf.sink.bandwidth = bandwidth;
	tf.sink.queue = 256;
	tf.sink.access_width = 4;
	tf.shared_buffer = BUFFER;
	path.tf = tf_model_new(&tf, &tf_ops, &path);
	assert_non_null(path.tf);
	debugspec_stream_init(&path.want_stream, BUFFER, true, want_word, NULL, NULL);
	te_config_default(&te);
	te.component.active_delay = 0;
	te.component.empty_delay = 10;
	te.formats |= 1u << RVTRACE_FORMAT_VENDOR;
	te.vendor.format = TE_VENDOR_DEBUGSPEC;
	te.vendor.emit = DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV;
	te.vendor.buffer = BUFFER;
	for (unsigned int n = 0; n < HARTS; n++)
		make_hart(n, &te);
	set_ring();
}

static int free_path(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < HARTS; n++)
		te_model_free(path.harts[n].te);
	tf_model_free(path.tf);
	return 0;
}

static void set_encoders(uint32_t value)
{
	for (unsigned int n = 0; n < HARTS; n++)
		te_model_write(path.harts[n].te, RVTRACE_TE_CONTROL, value);
}

static void start(uint32_t more)
{
	set_funnel(TF | RVTRACE_TF_CONTROL_ENABLE);
	set_encoders(TE | more);
	set_encoders(TE | TE_ON | more);
	for (unsigned int n = 0; n < HARTS; n++) {
		struct hart *h = &path.harts[n];

		assert_int_equal(h->asked, 1);
		te_model_started(h->te, h->pc, &machine, path.now, path.now);
		debugspec_encoder_start(&h->want, &machine);
	}
}

static void stop(void)
{
	set_encoders(TE);
	for (unsigned int n = 0; n < HARTS; n++) {
		struct hart *h = &path.harts[n];

		te_model_stopped(h->te, h->pc, path.now, path.now);
		debugspec_encoder_stop(&h->want);
		debugspec_stream_flush(&path.want_stream);
	}
	path.now += 10;
	for (unsigned int n = 0; n < HARTS; n++)
		te_model_tick(path.harts[n].te);
}

/* Return: bytes in memory. */
static size_t stop_funnel(void)
{
	set_funnel(TF);
	path.now += 10;
	tf_model_tick(path.tf);
	return tf_model_read(path.tf, RVTRACE_TE_RAM_WP) - BASE;
}

static uint32_t rnd(uint32_t below)
{
	path.random = path.random * 1103515245 + 12345;
	return (path.random >> 8) % below;
}

static void run(unsigned int blocks)
{
	while (blocks--) {
		struct hart *h = &path.harts[rnd(HARTS)];
		struct ingress_block block = {
			.start = h->pc, .halfwords = 2 + rnd(20), .last_size = 2,
			.itype = rnd(3) ? INGRESS_BRANCH_TAKEN : INGRESS_INDIRECT_JUMP,
			.target = rnd(0x10000) * 2, .context = machine,
		};

		h->pc = block.target;
		te_model_retire(h->te, &block);
		debugspec_encoder_block(&h->want, &block);
	}
}

static struct te_stats stats_of(unsigned int n)
{
	struct te_stats stats;

	te_model_stats(path.harts[n].te, &stats);
	return stats;
}

static uint32_t overflow_of(unsigned int n)
{
	return te_model_read(path.harts[n].te, RVTRACE_TE_CONTROL) &
	       RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW;
}

/* How many packets there are, of each hart by header; nothing may be wrong with them. */
static void count_packets(size_t size, unsigned int counts[HARTS][16])
{
	struct rvtrace_debugspec_config config = {
		.xlen = 64, .compressed = true, .several_harts = true, .emit = 7,
	};
	struct rvtrace_debugspec_packet packet;
	struct rvtrace_debugspec *reader;
	int got;

	assert_int_equal(rvtrace_debugspec_buffer(&config, BUFFER, 0), 0);
	assert_int_equal(rvtrace_debugspec_new(&config, &reader), 0);
	assert_int_equal(rvtrace_debugspec_feed(reader, path.memory, size), 0);
	while ((got = rvtrace_debugspec_next(reader, &packet)) == 1) {
		if (packet.header == RVTRACE_DEBUGSPEC_NOP)
			continue;
		assert_true(packet.has_hart);
		assert_in_range(packet.hart, FIRST_HART, FIRST_HART + HARTS - 1);
		counts[packet.hart - FIRST_HART][packet.header]++;
	}
	assert_int_equal(got, 0);
	rvtrace_debugspec_free(reader);
}

static void one_stream_of_two_harts(void **state)
{
	size_t size;

	(void)state;
	make_path(0);
	start(0);
	run(BLOCKS);
	stop();
	size = stop_funnel();
	assert_int_equal(size, path.want_size);
	assert_true(size > 10000);
	assert_memory_equal(path.memory, path.want, size);
}

/* One goes on when the other has stopped, and the stream when the session is another one. */
static void each_stops_by_itself(void **state)
{
	unsigned int counts[HARTS][16] = { 0 };

	(void)state;
	make_path(0);
	for (unsigned int session = 0; session < 2; session++) {
		start(0);
		run(BLOCKS / 10);
		te_model_write(path.harts[0].te, RVTRACE_TE_CONTROL, TE);
		te_model_stopped(path.harts[0].te, path.harts[0].pc, path.now, path.now);
		run(BLOCKS / 10);
		stop();
	}
	count_packets(stop_funnel(), counts);
	for (unsigned int n = 0; n < HARTS; n++) {
		assert_true(counts[n][RVTRACE_DEBUGSPEC_ENABLED] >= 2);
		assert_int_equal(counts[n][RVTRACE_DEBUGSPEC_DISABLED], 2);
	}
	assert_true(counts[1][RVTRACE_DEBUGSPEC_PC] > counts[0][RVTRACE_DEBUGSPEC_PC] * 3 / 2);
}

/* "Data Dropped", each hart its own */
static void losses_are_told(void **state)
{
	unsigned int counts[HARTS][16] = { 0 };

	(void)state;
	make_path(ONE / 16);
	start(0);
	run(BLOCKS);
	stop();
	count_packets(stop_funnel(), counts);
	for (unsigned int n = 0; n < HARTS; n++) {
		assert_true(stats_of(n).overflows > 1);
		assert_int_equal(stats_of(n).stalls, 0);
		assert_true(overflow_of(n));
		assert_in_range(counts[n][RVTRACE_DEBUGSPEC_DISABLED], stats_of(n).overflows,
				stats_of(n).overflows + 1);
	}
}

static void harts_wait_with_stall_enable(void **state)
{
	size_t size;

	(void)state;
	make_path(ONE / 16);
	start(TE_STALL);
	run(BLOCKS);
	stop();
	size = stop_funnel();
	assert_int_equal(size, path.want_size);
	assert_memory_equal(path.memory, path.want, size);
	for (unsigned int n = 0; n < HARTS; n++) {
		assert_int_equal(stats_of(n).overflows, 0);
		assert_true(stats_of(n).stalls > 1);
		assert_true(overflow_of(n));
	}
}

/* They know how far the harts are: what the sink takes is by half-words that retired. */
static void wide_enough_sink_does_not_overflow(void **state)
{
	(void)state;
	make_path(ONE);
	start(0);
	run(BLOCKS);
	for (unsigned int n = 0; n < HARTS; n++)
		assert_int_equal(stats_of(n).overflows, 0);
}

/* Nothing of it takes up places of the buffer. */
static void disabled_input_is_lost(void **state)
{
	unsigned int counts[HARTS][16] = { 0 };

	(void)state;
	make_path(0);
	start(0);
	run(BLOCKS / 10);
	set_funnel(TF);
	run(BLOCKS / 10);
	set_funnel(TF | RVTRACE_TF_CONTROL_ENABLE);
	run(BLOCKS / 10);
	stop();
	count_packets(stop_funnel(), counts);
	for (unsigned int n = 0; n < HARTS; n++) {
		assert_int_equal(stats_of(n).overflows, 1);
		assert_int_equal(counts[n][RVTRACE_DEBUGSPEC_DISABLED], 2);
	}
}

static void what_is_no_buffer_is_refused(void **state)
{
	struct tf_config config;

	(void)state;
	tf_config_default(&config);
	config.shared_buffer = 64;
	assert_null(tf_config_check(&config));
	config.shared_buffer = 32;
	assert_non_null(tf_config_check(&config));
	config.shared_buffer = 100;
	assert_non_null(tf_config_check(&config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(one_stream_of_two_harts, free_path),
		cmocka_unit_test_teardown(each_stops_by_itself, free_path),
		cmocka_unit_test_teardown(losses_are_told, free_path),
		cmocka_unit_test_teardown(harts_wait_with_stall_enable, free_path),
		cmocka_unit_test_teardown(wide_enough_sink_does_not_overflow, free_path),
		cmocka_unit_test_teardown(disabled_input_is_lost, free_path),
		cmocka_unit_test(what_is_no_buffer_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
