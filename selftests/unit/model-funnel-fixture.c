// SPDX-License-Identifier: GPL-2.0
#include "selftests/unit/model-funnel-fixture.h"

struct bench bench;

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

const struct tf_ops ops = {
	.outlet.now = now,
	.schedule = schedule,
	.outlet.dma_write = dma_write,
	.outlet.send = send_next,
	.outlet.advance = advance_next,
};

uint32_t rd(uint32_t offset)
{
	return tf_model_read(bench.tf, offset);
}

void wr(uint32_t offset, uint32_t value)
{
	tf_model_write(bench.tf, offset, value);
}

void pass(uint64_t ticks)
{
	bench.now += ticks;
	if (bench.alarm && bench.now >= bench.alarm) {
		bench.alarm = 0;
		tf_model_tick(bench.tf);
	}
}

int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.now = 1;
	tf_config_default(&bench.config);
	bench.config.sink.burst = 0;
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	return 0;
}

int teardown(void **state)
{
	(void)state;
	tf_model_free(bench.tf);
	return 0;
}

void create(void)
{
	assert_null(tf_config_check(&bench.config));
	bench.tf = tf_model_new(&bench.config, &ops, &bench);
	assert_non_null(bench.tf);
}

void enable(uint32_t size, uint32_t more)
{
	uint32_t width = bench.config.sink.access_width;

	create();
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TE_RAM_BASE, BASE);
	wr(RVTRACE_TE_RAM_LIMIT, BASE + size - width);
	wr(RVTRACE_TE_RAM_WP, BASE);
	wr(RVTRACE_TF_CONTROL, ENABLED | more);
}

bool send_text(const char *text, bool wait)
{
	return tf_model_send(bench.tf, 0, (const uint8_t *)text, strlen(text), wait);
}
