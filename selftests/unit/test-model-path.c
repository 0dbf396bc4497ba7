// SPDX-License-Identifier: GPL-2.0
/* Two encoders, a funnel and a ring in memory, driven as chapter 15 says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder.h"
#include "tools/machine/model/funnel.h"

#define HARTS		2
#define MEMORY		(1 << 20)
#define BASE		0x80000000u

struct path;

struct hart {
	struct path *path;
	struct te_model *te;
	int asked;
	uint64_t pc;
	uint64_t alarm;
};

struct path {
	struct hart harts[HARTS];
	struct tf_model *tf;
	uint64_t now;
	uint64_t alarm;
	uint32_t random;
	uint8_t memory[MEMORY];
};

static void set_tracing(void *opaque, bool on)
{
	((struct hart *)opaque)->asked = on;
}

static uint64_t hart_now(void *opaque)
{
	return ((struct hart *)opaque)->path->now;
}

static void hart_schedule(void *opaque, uint64_t ticks)
{
	struct hart *h = opaque;

	h->alarm = h->path->now + ticks;
}

static bool hart_send(void *opaque, const uint8_t *message, size_t size,
		      bool wait)
{
	struct hart *h = opaque;

	return tf_model_send(h->path->tf, h - h->path->harts, message, size, wait);
}

static void hart_advance(void *opaque, uint32_t halfwords)
{
	struct hart *h = opaque;

	tf_model_advance(h->path->tf, halfwords);
}

static const struct te_ops te_ops = {
	.set_tracing = set_tracing,
	.outlet.now = hart_now,
	.timestamp = hart_now,
	.schedule = hart_schedule,
	.outlet.send = hart_send,
	.outlet.advance = hart_advance,
};

static uint64_t path_now(void *opaque)
{
	return ((struct path *)opaque)->now;
}

static void path_schedule(void *opaque, uint64_t ticks)
{
	struct path *p = opaque;

	p->alarm = p->now + ticks;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		      size_t size)
{
	struct path *p = opaque;

	assert_in_range(addr, BASE, BASE + MEMORY - size);
	memcpy(p->memory + (addr - BASE), data, size);
	return true;
}

static const struct tf_ops tf_ops = {
	.outlet.now = path_now,
	.schedule = path_schedule,
	.outlet.dma_write = dma_write,
};

static void pass(struct path *p, uint64_t ticks)
{
	unsigned int i;

	p->now += ticks;
	for (i = 0; i < HARTS; i++)
		te_model_tick(p->harts[i].te);
	tf_model_tick(p->tf);
}

static void answer(struct path *p)
{
	static const struct ingress_context context = { .priv = 1 };
	unsigned int i;

	for (i = 0; i < HARTS; i++) {
		struct hart *h = &p->harts[i];

		if (h->asked == 1)
			te_model_started(h->te, h->pc, &context, p->now, p->now);
		else if (h->asked == 0)
			te_model_stopped(h->te, h->pc, p->now, p->now);
		h->asked = -1;
	}
}

static struct path *path_new(uint32_t bandwidth)
{
	struct te_config te;
	struct tf_config tf;
	struct path *p = calloc(1, sizeof(*p));
	unsigned int i;

	assert_non_null(p);
	p->now = 1;
	p->random = 1;
	tf_config_default(&tf);
	tf.component.active_delay = 0;
	tf.component.empty_delay = 10;
	tf.sink.bandwidth = bandwidth;
	tf.sink.queue = 256;
	p->tf = tf_model_new(&tf, &tf_ops, p);
	assert_non_null(p->tf);
	te_config_default(&te);
	te.component.active_delay = 0;
	te.component.empty_delay = 10;
	te.fifo_size = 256;
	for (i = 0; i < HARTS; i++) {
		struct hart *h = &p->harts[i];

		te.src_id = i + 1;
		h->path = p;
		h->asked = -1;
		h->pc = 0x1000 * (i + 1);
		h->te = te_model_new(&te, &te_ops, h);
		assert_non_null(h->te);
	}
	return p;
}

static void path_free(struct path *p)
{
	unsigned int i;

	for (i = 0; i < HARTS; i++)
		te_model_free(p->harts[i].te);
	tf_model_free(p->tf);
	free(p);
}

static void set_encoders(struct path *p, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < HARTS; i++)
		te_model_write(p->harts[i].te, RVTRACE_TE_CONTROL, value);
}

#define TE	(RVTRACE_TE_CONTROL_ACTIVE | 6 << 4 | 1 << 24 | 8u << 28)
#define TF	(RVTRACE_TF_CONTROL_ACTIVE | 7u << 28)

static void start(struct path *p)
{
	tf_model_write(p->tf, RVTRACE_TF_CONTROL, TF);
	set_encoders(p, TE);
	tf_model_write(p->tf, RVTRACE_TE_RAM_BASE, BASE);
	tf_model_write(p->tf, RVTRACE_TE_RAM_LIMIT, BASE + MEMORY - 8);
	tf_model_write(p->tf, RVTRACE_TE_RAM_WP, BASE);
	set_encoders(p, TE);
	tf_model_write(p->tf, RVTRACE_TF_CONTROL, TF | RVTRACE_TF_CONTROL_ENABLE);
	set_encoders(p, TE | RVTRACE_TE_CONTROL_ENABLE);
	set_encoders(p, TE | RVTRACE_TE_CONTROL_ENABLE |
		     RVTRACE_TE_CONTROL_INST_TRACING);
	answer(p);
}

static void stop_encoders(struct path *p)
{
	set_encoders(p, TE | RVTRACE_TE_CONTROL_ENABLE);
	set_encoders(p, TE);
	answer(p);
	pass(p, 10);
}

/* Return: bytes in memory. */
static size_t stop_funnel(struct path *p)
{
	tf_model_write(p->tf, RVTRACE_TF_CONTROL, TF);
	pass(p, 10);
	assert_int_equal(tf_model_read(p->tf, RVTRACE_TF_CONTROL) &
			 RVTRACE_TF_CONTROL_EMPTY, RVTRACE_TF_CONTROL_EMPTY);
	return tf_model_read(p->tf, RVTRACE_TE_RAM_WP) - BASE;
}

static uint32_t rnd(struct path *p, uint32_t below)
{
	p->random = p->random * 1103515245 + 12345;
	return (p->random >> 8) % below;
}

static void run(struct path *p, unsigned int blocks)
{
	while (blocks--) {
		struct hart *h = &p->harts[rnd(p, HARTS)];
		struct ingress_block block = {
			.start = h->pc,
			.halfwords = 1 + rnd(p, 20),
			.time = p->now,
			.cycles = p->now,
			.context = { .priv = 1 },
		};

		block.itype = rnd(p, 3) ? INGRESS_BRANCH_TAKEN :
					  INGRESS_INDIRECT_JUMP;
		block.target = rnd(p, 0x10000) * 2;
		h->pc = block.target;
		te_model_retire(h->te, &block);
	}
}

/* How often messages of @source with @tcode occur; all must be whole. */
static size_t count(const uint8_t *bytes, size_t size, unsigned int source,
		    unsigned int tcode)
{
	size_t at = 0, n = 0, first;

	while (at < size) {
		if (bytes[at] == 0xff) {
			at++;
			continue;
		}
		first = at;
		assert_int_equal(bytes[first] & 3, 0);
		while (at < size && (bytes[at] & 3) != 3)
			at++;
		assert_true(at++ < size);
		/* SRC: 4 bits after TCODE */
		assert_in_range(bytes[first + 1] >> 2 & 0xf, 1, HARTS);
		n += bytes[first] >> 2 == tcode &&
		     (bytes[first + 1] >> 2 & 0xf) == source;
	}
	return n;
}

static void messages_of_two_harts_stay_whole(void **state)
{
	struct path *p = path_new(0);
	struct tf_stats stats;
	size_t size;
	unsigned int i;

	(void)state;
	start(p);
	run(p, 20000);
	stop_encoders(p);
	size = stop_funnel(p);
	assert_true(size > 10000);
	for (i = 1; i <= HARTS; i++) {
		assert_int_equal(count(p->memory, size, i, 9), 1);
		assert_int_equal(count(p->memory, size, i, 33), 1);
		assert_int_equal(count(p->memory, size, i, 8), 0);
		assert_true(count(p->memory, size, i, 28) > 1000);
	}
	tf_model_stats(p->tf, &stats);
	assert_int_equal(stats.dropped, 0);
	assert_in_range(size - stats.bytes, 0, 7);
	path_free(p);
}

static void funnel_disabled_first_loses_the_tail(void **state)
{
	struct path *p = path_new(0);
	struct tf_stats stats;
	size_t size;

	(void)state;
	start(p);
	run(p, 20000);
	size = stop_funnel(p);
	stop_encoders(p);
	tf_model_stats(p->tf, &stats);
	assert_true(stats.dropped > 0);
	assert_int_equal(count(p->memory, size, 1, 33), 0);
	path_free(p);
}

static void narrow_sink_overflows_the_same_way_every_time(void **state)
{
	struct path *p = path_new(1 << 13), *q = path_new(1 << 13);
	struct te_stats stats;
	size_t size;
	unsigned int i;

	(void)state;
	start(p);
	start(q);
	run(p, 20000);
	run(q, 20000);
	stop_encoders(p);
	stop_encoders(q);
	size = stop_funnel(p);
	assert_int_equal(stop_funnel(q), size);
	assert_memory_equal(p->memory, q->memory, size);
	for (i = 0; i < HARTS; i++) {
		te_model_stats(p->harts[i].te, &stats);
		assert_true(stats.overflows > 1);
		/* Each loss is reported, and ends with a synchronization. */
		assert_int_equal(count(p->memory, size, i + 1, 8), stats.overflows);
		assert_int_equal(count(p->memory, size, i + 1, 9),
				 1 + stats.overflows);
		assert_int_equal(te_model_read(p->harts[i].te, RVTRACE_TE_CONTROL) &
				 RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW,
				 RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW);
	}
	path_free(p);
	path_free(q);
}

static void wide_enough_sink_does_not_overflow(void **state)
{
	struct path *p = path_new(1 << 16);
	struct te_stats stats;
	unsigned int i;

	(void)state;
	start(p);
	run(p, 20000);
	stop_encoders(p);
	for (i = 0; i < HARTS; i++) {
		te_model_stats(p->harts[i].te, &stats);
		assert_int_equal(stats.overflows, 0);
	}
	path_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_two_harts_stay_whole),
		cmocka_unit_test(funnel_disabled_first_loses_the_tail),
		cmocka_unit_test(narrow_sink_overflows_the_same_way_every_time),
		cmocka_unit_test(wide_enough_sink_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
