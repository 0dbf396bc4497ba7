// SPDX-License-Identifier: GPL-2.0
#include "selftests/unit/model-sink-fixture.h"

#include <string.h>

struct sinks sinks;

static uint64_t now(void *opaque)
{
	(void)opaque;
	return sinks.now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		      size_t size)
{
	(void)opaque;
	(void)addr;
	(void)data;
	(void)size;
	return false;
}

static void out(void *opaque, const uint8_t *data, size_t size)
{
	(void)opaque;
	assert_true(sinks.out_size + size <= OUT_MAX);
	memcpy(sinks.out + sinks.out_size, data, size);
	sinks.out_size += size;
}

static void tell(void *opaque, const uint8_t *message, size_t size)
{
	(void)opaque;
	assert_true(sinks.told_size + size <= OUT_MAX);
	memcpy(sinks.told + sinks.told_size, message, size);
	sinks.told_size += size;
}

static const struct tf_ops tf_ops = {
	.outlet.now = now, .timestamp = now, .schedule = schedule,
	.outlet.dma_write = dma_write, .outlet.pib_write = out, .outlet.atb_write = out,
	.outlet.sent = tell,
};

static const struct sink_ops sink_ops = {
	.outlet.now = now, .schedule = schedule, .outlet.dma_write = dma_write,
	.outlet.pib_write = out, .outlet.atb_write = out, .outlet.sent = tell,
};

int sinks_setup(void **state)
{
	(void)state;
	memset(&sinks, 0, sizeof(sinks));
	sinks.now = 1;
	return 0;
}

int sinks_teardown(void **state)
{
	(void)state;
	tf_model_free(sinks.tf);
	sink_model_free(sinks.sink);
	return 0;
}

void configure_funnel(enum tci generation, uint32_t set)
{
	tf_config_init(&sinks.funnel, generation);
	sinks.funnel.sinks = set;
	sinks.funnel.component.active_delay = 0;
	sinks.funnel.component.empty_delay = 0;
	sinks.funnel.sink.sram_size = 64;
}

void create_funnel(void)
{
	assert_null(tf_config_check(&sinks.funnel));
	sinks.tf = tf_model_new(&sinks.funnel, &tf_ops, NULL);
	wr(0, RVTRACE_TF_CONTROL_ACTIVE);
}

void configure_sink(enum sink_kind kind)
{
	sink_config_init(&sinks.config, TCI_1_0, kind);
	sinks.config.component.active_delay = 0;
	sinks.config.component.empty_delay = 0;
	sinks.config.ram.sram_size = 64;
	sinks.config.pib.empty_delay = 0;
	sinks.config.atb.empty_delay = 0;
}

void create_sink(void)
{
	assert_null(sink_config_check(&sinks.config));
	sinks.sink = sink_model_new(&sinks.config, &sink_ops, NULL);
	wr(0, RVTRACE_TR_CONTROL_ACTIVE);
}

uint32_t rd(uint32_t offset)
{
	return sinks.tf ? tf_model_read(sinks.tf, offset) :
			  sink_model_read(sinks.sink, offset);
}

void wr(uint32_t offset, uint32_t value)
{
	if (sinks.tf)
		tf_model_write(sinks.tf, offset, value);
	else
		sink_model_write(sinks.sink, offset, value);
}

void pass(uint64_t ticks)
{
	sinks.now += ticks;
}

void advance(uint32_t halfwords)
{
	if (sinks.tf)
		tf_model_advance(sinks.tf, halfwords);
	else
		sink_model_advance(sinks.sink, halfwords);
}

static bool send(const uint8_t *data, size_t size)
{
	if (sinks.tf)
		return tf_model_send(sinks.tf, 0, data, size, false);
	return sink_model_send(sinks.sink, data, size, false);
}

bool send_text(const char *text)
{
	return send((const uint8_t *)text, strlen(text));
}

/* MSEO is 11 in the last byte, and 00 or, between fields, 01 in the others. */
bool send_messages(unsigned int count)
{
	uint8_t message[12];
	unsigned int i, n, size;

	for (n = 0; n < count; n++) {
		size = 2 + n % (sizeof(message) - 2);
		for (i = 0; i < size; i++)
			message[i] = (n * 7 + i * 13) << 2;
		message[size - 1] |= 3;
		if (!send(message, size))
			return false;
		memcpy(sinks.sent + sinks.sent_size, message, size);
		sinks.sent_size += size;
		advance(n % 5);
	}
	return true;
}
