// SPDX-License-Identifier: GPL-2.0
/* A trace encoder, the hart before it and the funnel behind it. */
#include <string.h>

#include "selftests/unit/model-encoder-fixture.h"

struct bench bench;

static void set_tracing(void *opaque, bool on)
{
	struct bench *b = opaque;

	b->asked = on;
	b->requests++;
}

static uint64_t now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static uint64_t timestamp(void *opaque)
{
	return ((struct bench *)opaque)->time;
}

static void schedule(void *opaque, uint64_t ticks)
{
	struct bench *b = opaque;

	b->alarm = b->now + ticks;
}

static bool send(void *opaque, const uint8_t *message, size_t size, bool wait)
{
	struct bench *b = opaque;

	if (b->full && !wait)
		return false;
	messages_add(&b->sent, message, size);
	return true;
}

static void advance(void *opaque, uint32_t halfwords)
{
	((struct bench *)opaque)->halfwords += halfwords;
}

static void stalled(void *opaque, size_t bytes)
{
	((struct bench *)opaque)->stalled += bytes;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		      size_t size)
{
	struct bench *b = opaque;

	assert_in_range(addr, BASE, BASE + sizeof(b->memory) - size);
	memcpy(b->memory + (addr - BASE), data, size);
	return true;
}

const struct te_ops bench_ops = {
	.set_tracing = set_tracing,
	.outlet.now = now,
	.timestamp = timestamp,
	.schedule = schedule,
	.outlet.send = send,
	.outlet.advance = advance,
	.stalled = stalled,
	.outlet.dma_write = dma_write,
};

uint32_t rd(uint32_t offset)
{
	return te_model_read(bench.te, offset);
}

void wr(uint32_t offset, uint32_t value)
{
	te_model_write(bench.te, offset, value);
}

uint32_t control(void)
{
	return rd(RVTRACE_TE_CONTROL);
}

void set_control(uint32_t value)
{
	wr(RVTRACE_TE_CONTROL, value);
}

void pass(uint64_t ticks)
{
	bench.now += ticks;
	if (bench.alarm && bench.now >= bench.alarm) {
		bench.alarm = 0;
		te_model_tick(bench.te);
	}
}

int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.now = 1;
	bench.asked = -1;
	bench.pc = 0x100;
	te_config_default(&bench.config);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	return 0;
}

int teardown(void **state)
{
	(void)state;
	te_model_free(bench.te);
	return 0;
}

void create(void)
{
	assert_null(te_config_check(&bench.config));
	bench.te = te_model_new(&bench.config, &bench_ops, &bench);
	assert_non_null(bench.te);
}

/* Active, without a source id. */
void activate(void)
{
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 0);
}

void answer(void)
{
	static const struct ingress_context machine = { .priv = 3 };
	int on = bench.asked;

	bench.asked = -1;
	if (on == 1)
		te_model_started(bench.te, bench.pc, &machine, bench.time,
				 bench.now);
	else if (on == 0)
		te_model_stopped(bench.te, bench.pc, bench.time, bench.now);
}

void run(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = {
		.start = bench.pc,
		.halfwords = halfwords,
		.itype = itype,
		.target = target,
		.time = bench.time,
		.cycles = bench.now,
		.context = { .priv = 3 },
	};

	bench.pc = target;
	te_model_retire(bench.te, &block);
}

/* @count jumps of 2 half-words: messages of 5 bytes or so. */
void jumps(unsigned int count)
{
	while (count--)
		run(2, INGRESS_INDIRECT_JUMP, bench.pc ^ 0x1000);
}

void start(uint32_t more)
{
	set_control(HISTORY | ENABLE | more);
	set_control(HISTORY | ON | more);
	answer();
}

/* Chapter 15 */
void disable(uint32_t more)
{
	set_control(HISTORY | ENABLE | more);
	set_control(HISTORY | more);
	answer();
	pass(bench.config.component.empty_delay);
}

void expect_nothing(void)
{
	messages_expect_nothing(&bench.sent);
}

size_t count_tcode(unsigned int tcode)
{
	return messages_of(&bench.sent, tcode);
}
