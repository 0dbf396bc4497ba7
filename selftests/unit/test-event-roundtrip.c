// SPDX-License-Identifier: GPL-2.0
/*
 * Software trace events there and back: random ones, of random harts, through the encoder or in
 * packets, with losses, in pieces of any size.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/event.h>

#include "osd-wire.h"
#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"

#define HARTS		3
#define EVENTS		400
#define STREAM		65536
#define ROUNDS		300
#define NESTED		4

/* What the reader must say: an event, or that there was a loss. */
struct expected {
	bool lost;
	uint16_t source;
	uint16_t id;
	uint64_t value;
	uint64_t time;
};

static struct trial {
	struct rvtrace_event_config config;
	struct ntrace_encoder encoders[HARTS];
	struct etrace_encoder etrace[HARTS];
	uint8_t stream[STREAM];
	size_t size;
	struct expected expected[2 * EVENTS];
	size_t count;
	bool full;
	bool lost[HARTS];
	unsigned int missing[HARTS];
	uint64_t time;
} t;

static uint64_t random_state = 1;

static uint64_t rnd(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 32) % below;
}

static uint64_t random_value(unsigned int width)
{
	uint64_t value = rnd(UINT32_MAX) | rnd(UINT32_MAX) << 32;

	value = value >> rnd(64) << rnd(40);
	return width == 64 ? value : value & ((1ull << width) - 1);
}

/* Any but 0, those at the edges of the ranges more often */
static uint16_t random_id(void)
{
	static const uint16_t edges[] = { 1, 0x3fff, 0x4000, 0x7fff, 0x8000, 0x8001, 0xbfff, 0xc000,
					  0xffff };

	return rnd(3) ? 1 + rnd(0xffff) : edges[rnd(sizeof(edges) / sizeof(edges[0]))];
}

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	(void)opaque;
	if (t.full)
		return false;
	assert_true(t.size + size <= STREAM);
	memcpy(t.stream + t.size, message, size);
	t.size += size;
	return true;
}

static void begin(unsigned int carrier, unsigned int xlen)
{
	const struct ingress_context context = { .priv = INGRESS_PRIV_S };
	unsigned int i;

	memset(&t, 0, sizeof(t));
	t.config.size = sizeof(t.config);
	t.config.carrier = carrier;
	t.config.threads = RVTRACE_EVENT_THREADS_ALL;
	t.config.ntrace.xlen = xlen;
	t.config.ntrace.src_bits = 2;
	t.config.ntrace.sifive = carrier == RVTRACE_EVENT_ITC;
	t.time = rnd(UINT32_MAX);
	for (i = 0; i < HARTS; i++) {
		const struct ntrace_params params = {
			.history = true, .timestamp = true, .xlen = 64, .src = i, .src_bits = 2,
			.timestamp_bits = 64, .icnt_bits = 17, .hist_bits = 32, .repeat_bits = 18,
			.timestamp_xor = t.config.ntrace.sifive,
		};

		assert_null(ntrace_params_check(&params));
		ntrace_encoder_init(&t.encoders[i], &params, emit, NULL);
		ntrace_encoder_start(&t.encoders[i], 0x80000000, &context, t.time, 0,
				     NTRACE_SYNC_ENABLE);
	}
}

static struct expected *expect(unsigned int source, uint16_t id, uint64_t value)
{
	struct expected *e = &t.expected[t.count++];

	*e = (struct expected) { .source = source, .id = id, .value = value, .time = t.time };
	return e;
}

/* The hart goes on: after a loss that is what synchronizes, and tells of it. */
static void run(unsigned int hart)
{
	const struct ingress_block block = {
		.start = 0x80000000, .halfwords = 2, .last_size = 2, .itype = INGRESS_NONE,
		.target = 0x80000000, .time = t.time, .context = { .priv = INGRESS_PRIV_S },
	};

	if (!t.full && t.lost[hart]) {
		t.expected[t.count++] = (struct expected) { .lost = true, .source = hart };
		t.lost[hart] = false;
	}
	ntrace_encoder_block(&t.encoders[hart], &block);
}

static void say(unsigned int hart, uint32_t tag, uint64_t data)
{
	ntrace_encoder_data(&t.encoders[hart], tag, data, t.time, true);
}

static void port_event(void)
{
	unsigned int hart = rnd(HARTS);
	uint64_t value = random_value(t.config.ntrace.xlen);
	uint16_t id = random_id();

	t.time += rnd(1000);
	if (!rnd(20))
		t.full = !t.full;
	if (!rnd(5)) {
		run(hart);
		return;
	}
	say(hart, id, value);
	/* What is said between a loss and its report is lost, too. */
	if (t.full || t.lost[hart])
		t.lost[hart] = true;
	else
		expect(hart, id, value);
}

static void begin_etrace(unsigned int xlen)
{
	const struct ingress_context context = { .priv = INGRESS_PRIV_S };
	struct rvtrace_etrace_params *params = &t.config.etrace;
	unsigned int i;

	memset(&t, 0, sizeof(t));
	t.config.size = sizeof(t.config);
	t.config.carrier = RVTRACE_EVENT_ETRACE;
	t.config.threads = RVTRACE_EVENT_THREADS_ALL;
	rvtrace_etrace_params_default(params);
	params->iaddress_width = xlen;
	params->ecause_width = 6;
	params->srcid_width = rnd(2) ? 3 : 8;
	params->timestamp_width = 64;
	params->type_width = rnd(9);
	if (params->type_width < 2 || rnd(2))
		params->event_srcid_bit = 2 + rnd(params->srcid_width - 2);
	else
		params->type_event = 2 + rnd(2);
	params->sign_padding = rnd(2);
	t.time = rnd(UINT32_MAX);
	for (i = 0; i < HARTS; i++) {
		const struct etrace_params to = {
			.iaddress_width = xlen, .iaddress_lsb = 1, .nocontext = true,
			.notime = true, .ecause_width = 6, .privilege_width = 2,
			.encoder_mode_width = 1, .ioptions_width = 5,
			.option = { 255, 0, 4, 3, 1, 2, 255, 255, 255, 255, 255 },
			.src = i, .src_bits = params->srcid_width, .timestamp_bytes = 8,
			.src_event = params->event_srcid_bit == RVTRACE_ETRACE_NO_EVENTS ? 0 :
				     1 << params->event_srcid_bit,
			.type_bits = params->type_width, .type_event = params->type_event,
			.sign_padding = params->sign_padding,
		};

		assert_null(etrace_params_check(&to));
		assert_null(etrace_events_check(&to));
		etrace_encoder_init(&t.etrace[i], &to, emit, NULL);
		etrace_encoder_start(&t.etrace[i], 0x80000000, &context, t.time, 0);
	}
}

/* What was lost is told in front of the next one that is not. */
static void etrace_event(void)
{
	unsigned int hart = rnd(HARTS);
	uint64_t value = random_value(t.config.etrace.iaddress_width);
	uint16_t id = random_id();

	t.time += rnd(1000);
	if (!rnd(20))
		t.full = !t.full;
	if (!rnd(5)) {
		if (!t.full && etrace_encoder_report_loss(&t.etrace[hart]))
			t.lost[hart] = false;
		return;
	}
	etrace_encoder_event(&t.etrace[hart], id, value, t.time);
	if (t.full || t.lost[hart]) {
		t.lost[hart] = true;
		t.missing[hart]++;
		return;
	}
	if (t.missing[hart])
		*expect(hart, 0, t.missing[hart]) = (struct expected) {
			.lost = true, .source = hart, .value = t.missing[hart],
		};
	t.missing[hart] = 0;
	expect(hart, id, value);
}

/* An event of a register, with events of handlers in it, that of others among them. */
static void itc_event(unsigned int hart, unsigned int channel, unsigned int depth)
{
	unsigned int words = t.config.ntrace.xlen / 32, i;
	uint64_t value = random_value(t.config.ntrace.xlen);
	uint16_t id = random_id();

	for (i = 0; i < words; i++) {
		if (depth < NESTED && !rnd(6))
			itc_event(hart, channel, depth + 1);
		if (depth < NESTED && !rnd(6))
			itc_event(rnd(HARTS), (channel + 1) % 15, NESTED);
		t.time += rnd(100);
		say(hart, 4 * channel, (uint32_t)(value >> 32 * i));
	}
	if (depth < NESTED && !rnd(6))
		itc_event(hart, channel, depth + 1);
	t.time += rnd(100);
	say(hart, 4 * channel + 2, id);
	expect(hart, id, value);
}

static void packet(void)
{
	static const unsigned int widths[] = { 16, 32, 64 };
	unsigned int width = widths[rnd(3)], source = rnd(HARTS), i;
	uint64_t value = random_value(width);
	uint16_t id = random_id();
	struct wire wire = { };
	uint16_t payload[7];

	if (!rnd(10)) {
		payload[0] = 1 + rnd(0xffff);
		wire_packet(&wire, 1, source, 0x9400, payload, 1);
		t.expected[t.count++] = (struct expected) {
			.lost = true, .source = source, .value = payload[0],
		};
	} else {
		t.time += rnd(1u << 30);
		payload[0] = t.time;
		payload[1] = t.time >> 16;
		payload[2] = id;
		for (i = 0; i < width / 16; i++)
			payload[3 + i] = value >> 16 * i;
		wire_packet(&wire, 1, source, 0x8000, payload, 3 + width / 16);
		expect(source, id, value);
	}
	memcpy(t.stream + t.size, wire.bytes, wire.size);
	t.size += wire.size;
}

static void check(const struct rvtrace_event *event, const struct expected *e)
{
	assert_int_equal(event->type, e->lost ? RVTRACE_EVENT_LOST : RVTRACE_EVENT_VALUE);
	assert_int_equal(event->source, e->source);
	assert_true(event->value == e->value);
	if (e->lost)
		return;
	assert_int_equal(event->id, e->id);
	assert_true(event->flags & RVTRACE_EVENT_HAS_TIME);
	assert_true(event->time == e->time);
	assert_int_equal(event->flags & RVTRACE_EVENT_INCOMPLETE, 0);
}

/* In pieces */
static size_t read_back(void)
{
	struct rvtrace_events *reader;
	struct rvtrace_event event;
	size_t fed = 0, seen = 0;
	int ret;

	assert_int_equal(rvtrace_events_new(&t.config, &reader), 0);
	while (fed < t.size) {
		size_t piece = 1 + rnd(rnd(4) ? 40 : 4000);

		piece = piece < t.size - fed ? piece : t.size - fed;
		assert_int_equal(rvtrace_events_feed(reader, t.stream + fed, piece), 0);
		while ((ret = rvtrace_events_next(reader, &event))) {
			assert_int_equal(ret, 1);
			assert_true(seen < t.count);
			check(&event, &t.expected[seen++]);
		}
		fed += piece;
	}
	assert_int_equal(rvtrace_events_pending(reader, NULL), 0);
	rvtrace_events_free(reader);
	assert_int_equal(seen, t.count);
	return seen;
}

static void through_a_port(void **state)
{
	unsigned int round, i, losses = 0;
	size_t events = 0;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		begin(RVTRACE_EVENT_PORT, rnd(2) ? 64 : 32);
		for (i = 0; i < EVENTS; i++)
			port_event();
		for (i = 0; i < t.count; i++)
			losses += t.expected[i].lost;
		events += read_back();
	}
	assert_true(events > ROUNDS * EVENTS / 5);
	assert_true(losses > ROUNDS);
}

static void through_stimulus_registers(void **state)
{
	unsigned int round;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		begin(RVTRACE_EVENT_ITC, rnd(2) ? 64 : 32);
		while (t.count < EVENTS)
			itc_event(rnd(HARTS), rnd(15), 0);
		assert_true(read_back() >= EVENTS);
	}
}

static void through_etrace(void **state)
{
	unsigned int round, i, losses = 0;
	size_t events = 0;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		begin_etrace(rnd(2) ? 64 : 32);
		for (i = 0; i < EVENTS; i++)
			etrace_event();
		for (i = 0; i < t.count; i++)
			losses += t.expected[i].lost;
		events += read_back();
	}
	assert_true(events > ROUNDS * EVENTS / 5);
	assert_true(losses > ROUNDS);
}

static void through_packets(void **state)
{
	unsigned int round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		begin(RVTRACE_EVENT_STM, 64);
		t.size = 0;
		t.time = rnd(1u << 30);
		for (i = 0; i < EVENTS; i++)
			packet();
		assert_int_equal(read_back(), EVENTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_a_port),
		cmocka_unit_test(through_stimulus_registers),
		cmocka_unit_test(through_packets),
		cmocka_unit_test(through_etrace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
