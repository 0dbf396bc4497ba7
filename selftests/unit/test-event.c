// SPDX-License-Identifier: GPL-2.0
/*
 * Software trace events: what each carrier has, as the specification and docs/formats.md say it.
 * E-Trace: test-event-etrace.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "event-stream.h"
#include "osd-wire.h"

#define KERNEL		0xffffffd800a1b2c0
#define OTHER_KERNEL	0xffffffd800a1c000
#define TLS		0x3fb7c01740

static const struct rvtrace_event_config port = {
	.size = sizeof(port),
	.carrier = RVTRACE_EVENT_PORT, .ntrace = { .xlen = 64, .src_bits = 4 },
};
static const struct rvtrace_event_config itc = {
	.size = sizeof(itc),
	.carrier = RVTRACE_EVENT_ITC, .ntrace = { .xlen = 64, .src_bits = 4, .sifive = true },
};
static const struct rvtrace_event_config itc_32 = {
	.size = sizeof(itc_32),
	.carrier = RVTRACE_EVENT_ITC, .ntrace = { .xlen = 32, .src_bits = 4, .sifive = true },
};
static const struct rvtrace_event_config stm = {
	.size = sizeof(stm), .carrier = RVTRACE_EVENT_STM,
};

static void is_group(uint16_t id, unsigned int group)
{
	assert_int_equal(rvtrace_event_group(id, 0), group);
}

/* "Trace Primitives", at the edges of the ranges */
static void groups(void **state)
{
	(void)state;
	is_group(0x0000, RVTRACE_EVENT_UNUSED);
	is_group(0x0001, RVTRACE_EVENT_USER);
	is_group(0x3fff, RVTRACE_EVENT_USER);
	is_group(0x4000, RVTRACE_EVENT_COM);
	is_group(0x7fff, RVTRACE_EVENT_COM);
	is_group(0x8000, RVTRACE_EVENT_SYS);
	is_group(0x8001, RVTRACE_EVENT_RESERVED);
	is_group(0xbfff, RVTRACE_EVENT_RESERVED);
	is_group(0xc000, RVTRACE_EVENT_SYS);
	is_group(0xffff, RVTRACE_EVENT_SYS);
	assert_int_equal(rvtrace_event_group(0x8000, 0xc000), RVTRACE_EVENT_RESERVED);
	assert_int_equal(rvtrace_event_group(0x0123, 0x0123), RVTRACE_EVENT_SYS);
	assert_string_equal(rvtrace_event_group_name(RVTRACE_EVENT_COM), "COM");
}

/* Bytes by hand: MDO in bits 7:2, MSEO in bits 1:0 (N-Trace 1.0, "Transmission Protocol") */
static void port_message(void **state)
{
	static const uint8_t bytes[] = {
		7 << 2,			/* TCODE 7 */
		0x00 << 2, 0x04 << 2 | 1,	/* IDTAG 0x100, its end */
		0x2a << 2 | 3,		/* DQDATA 42, the end */
	};
	const struct rvtrace_event_config config = {
		.size = sizeof(config),
		.carrier = RVTRACE_EVENT_PORT, .ntrace = { .xlen = 64 },
	};
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, bytes, sizeof(bytes)), 0);
	event = next(reader);
	is_value(&event, 0x100, 42);
	assert_int_equal(event.group, RVTRACE_EVENT_USER);
	assert_int_equal(event.carrier, RVTRACE_EVENT_PORT);
	assert_int_equal(event.width, 64);
	assert_int_equal(event.flags, 0);
	assert_int_equal(event.hart, 0);
	stream_end(reader);
}

/* Of all ranges, and with harts, times and what else the stream tells. */
static void port_of_two_harts(void **state)
{
	static const uint64_t harts[] = { 7, 5, 0x100000000 };
	struct rvtrace_event_config config = port;
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_data(&stream, 1, 0xffff, UINT64_MAX, -1);
	stream_sync(&stream, 1, 1000);
	stream_ownership(&stream, 1, 0, 0x1234);
	stream_data(&stream, 1, 1, 0, 24);
	stream_data(&stream, 2, 0x4001, 1, -1);
	stream_data(&stream, 3, 0x8001, 2, -1);
	stream_data(&stream, 1, 0, 3, 1);
	config.harts = harts;
	config.hart_count = 3;
	reader = stream_reader(&config, &stream);
	event = next(reader);
	is_value(&event, 0xffff, UINT64_MAX);
	assert_int_equal(event.hart, 5);
	assert_int_equal(event.flags, 0);
	event = next(reader);
	is_value(&event, 1, 0);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_TIME | RVTRACE_EVENT_HAS_CONTEXT |
				      RVTRACE_EVENT_HAS_PRIV);
	assert_int_equal(event.time, 1024);
	assert_int_equal(event.context, 0x1234);
	assert_int_equal(event.priv, 0);
	event = next(reader);
	is_value(&event, 0x4001, 1);
	assert_true(event.hart == 0x100000000);
	assert_int_equal(event.source, 2);
	event = next(reader);
	is_value(&event, 0x8001, 2);
	assert_int_equal(event.group, RVTRACE_EVENT_RESERVED);
	assert_int_equal(event.hart, 3);
	event = next(reader);
	is_value(&event, 0, 3);
	assert_int_equal(event.group, RVTRACE_EVENT_UNUSED);
	assert_int_equal(event.time, 1025);
	stream_end(reader);
}

static void is_thread(const struct rvtrace_event *event, uint64_t thread, bool switched)
{
	assert_true(event->flags & RVTRACE_EVENT_HAS_THREAD);
	assert_true(event->thread == thread);
	assert_int_equal(!!(event->flags & RVTRACE_EVENT_SWITCHED), switched);
}

/* What Linux writes to tp: tasks are in the upper half, the rest is no switch. */
static void threads_of_linux(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_data(&stream, 0, 0x8000, TLS, -1);
	stream_data(&stream, 0, 0x8000, KERNEL, -1);
	stream_data(&stream, 0, 0x8000, TLS, -1);
	stream_data(&stream, 0, 0x8000, KERNEL, -1);
	stream_data(&stream, 0, 0x8000, 0, -1);
	stream_data(&stream, 1, 1, 1, -1);
	stream_data(&stream, 0, 1, 1, -1);
	stream_data(&stream, 0, 0x8000, OTHER_KERNEL, -1);
	stream_error(&stream, 0, 0x20);
	stream_data(&stream, 0, 0x8000, TLS, -1);
	reader = stream_reader(&port, &stream);
	event = next(reader);
	assert_int_equal(event.flags, 0);
	assert_int_equal(event.group, RVTRACE_EVENT_SYS);
	event = next(reader);
	is_thread(&event, KERNEL, true);
	event = next(reader);
	is_thread(&event, KERNEL, false);
	assert_true(event.value == TLS);
	event = next(reader);
	is_thread(&event, KERNEL, false);
	event = next(reader);
	is_thread(&event, KERNEL, false);
	event = next(reader);
	assert_int_equal(event.flags, 0);
	event = next(reader);
	is_value(&event, 1, 1);
	is_thread(&event, KERNEL, false);
	event = next(reader);
	is_thread(&event, OTHER_KERNEL, true);
	expect_lost(reader, 0, true);
	event = next(reader);
	assert_int_equal(event.flags, 0);
	stream_end(reader);
}

/* There user space and firmware lie in the upper half as well. */
static void threads_of_linux_on_rv32(void **state)
{
	struct rvtrace_event_config config = port;
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	config.ntrace.xlen = 32;
	stream_data(&stream, 0, 0x8000, 0xc0a1b2c0, -1);
	stream_data(&stream, 0, 0x8000, 0x95801740, -1);
	stream_data(&stream, 0, 0x8000, 0x80042000, -1);
	stream_data(&stream, 0, 0x8000, 0xc0a1c300, -1);
	reader = stream_reader(&config, &stream);
	event = next(reader);
	is_thread(&event, 0xc0a1b2c0, true);
	event = next(reader);
	is_thread(&event, 0xc0a1b2c0, false);
	event = next(reader);
	is_thread(&event, 0xc0a1b2c0, false);
	event = next(reader);
	is_thread(&event, 0xc0a1c300, true);
	stream_end(reader);
}

static void threads_of_others(void **state)
{
	struct rvtrace_event_config config = port;
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_data(&stream, 0, 0x8000, 1, -1);
	stream_data(&stream, 0, 0xc123, 0, -1);
	stream_data(&stream, 0, 1, 1, -1);
	config.threads = RVTRACE_EVENT_THREADS_ALL;
	config.thread_switch = 0xc123;
	reader = stream_reader(&config, &stream);
	event = next(reader);
	assert_int_equal(event.group, RVTRACE_EVENT_RESERVED);
	assert_int_equal(event.flags, 0);
	event = next(reader);
	is_thread(&event, 0, true);
	event = next(reader);
	is_thread(&event, 0, false);
	stream_end(reader);
}

/* An encoder that lost messages of the program alone has all events. */
static void losses_of_other_messages(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_data(&stream, 0, 0x8000, KERNEL, -1);
	stream_ownership(&stream, 0, 1, 9);
	stream_error(&stream, 0, 4);
	stream_data(&stream, 0, 1, 1, -1);
	stream_error(&stream, 0, 0x24);
	stream_error(&stream, 0, 0);
	reader = stream_reader(&port, &stream);
	expect_event(reader, 0x8000, KERNEL);
	event = next(reader);
	is_thread(&event, KERNEL, false);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_THREAD);
	expect_lost(reader, 0, true);
	expect_lost(reader, 0, true);
	stream_end(reader);
	reader = stream_reader(&itc, &stream);
	assert_int_equal(rvtrace_events_next(reader, &event), RVTRACE_ERR_FIELD);
	expect_lost(reader, 0, true);
	rvtrace_events_free(reader);
}

/* Two words, least significant first, and the identifier as a half-word */
static void itc_event(struct event_stream *stream, unsigned int channel, uint16_t id, uint64_t value)
{
	stream_data(stream, 0, 4 * channel, (uint32_t)value, -1);
	stream_data(stream, 0, 4 * channel, value >> 32, -1);
	stream_data(stream, 0, 4 * channel + 2, id, -1);
}

static void stimuli(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	itc_event(&stream, 0, 0x100, 0x123456789abcdef0);
	itc_event(&stream, 14, 0xffff, 0);
	reader = stream_reader(&itc, &stream);
	event = next(reader);
	is_value(&event, 0x100, 0x123456789abcdef0);
	assert_int_equal(event.carrier, RVTRACE_EVENT_ITC);
	assert_int_equal(event.channel, 0);
	event = next(reader);
	is_value(&event, 0xffff, 0);
	assert_int_equal(event.channel, 14);
	stream_end(reader);
	stream.size = 0;
	stream_data(&stream, 0, 8, 0xffffffff, -1);
	stream_data(&stream, 0, 10, 1, -1);
	reader = stream_reader(&itc_32, &stream);
	event = next(reader);
	is_value(&event, 1, 0xffffffff);
	assert_int_equal(event.width, 32);
	assert_int_equal(event.channel, 2);
	stream_end(reader);
}

/* Threads on registers of their own; a handler's event lies in that of the thread, as do its own. */
static void stimuli_nest(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;

	(void)state;
	stream_data(&stream, 0, 4, 1, -1);
	stream_data(&stream, 0, 8, 2, -1);
	itc_event(&stream, 1, 3, 4);
	stream_data(&stream, 0, 4, 5, -1);
	itc_event(&stream, 1, 6, 7);
	stream_data(&stream, 0, 8, 8, -1);
	stream_data(&stream, 0, 10, 9, -1);
	stream_data(&stream, 0, 6, 10, -1);
	reader = stream_reader(&itc, &stream);
	expect_event(reader, 3, 4);
	expect_event(reader, 6, 7);
	expect_event(reader, 9, 0x800000002);
	expect_event(reader, 10, 0x500000001);
	stream_end(reader);
}

static void stimuli_without_words(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;
	unsigned int i;

	(void)state;
	stream_data(&stream, 0, 4, 1, -1);
	stream_error(&stream, 0, 4);
	stream_data(&stream, 0, 4, 2, -1);
	stream_data(&stream, 0, 6, 3, -1);
	stream_data(&stream, 0, 6, 4, -1);
	for (i = 0; i <= RVTRACE_EVENT_WORDS; i++)
		stream_data(&stream, 0, 4, i, -1);
	for (i = 0; i <= RVTRACE_EVENT_WORDS / 2; i++)
		stream_data(&stream, 0, 6, 5, -1);
	reader = stream_reader(&itc, &stream);
	expect_lost(reader, 0, true);
	event = next(reader);
	assert_int_equal(event.id, 3);
	assert_int_equal(event.value, 2);
	assert_true(event.flags & RVTRACE_EVENT_INCOMPLETE);
	event = next(reader);
	assert_int_equal(event.id, 4);
	assert_true(event.flags & RVTRACE_EVENT_INCOMPLETE);
	for (i = RVTRACE_EVENT_WORDS; i; i -= 2)
		expect_event(reader, 5, (uint64_t)i << 32 | (i - 1));
	event = next(reader);
	assert_true(event.flags & RVTRACE_EVENT_INCOMPLETE);
	stream_end(reader);
}

/* A switch whose value is not all there switches nothing. */
static void incomplete_switch(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_data(&stream, 0, 4, 0xffffffd8, -1);
	stream_data(&stream, 0, 6, 0x8000, -1);
	reader = stream_reader(&itc, &stream);
	event = next(reader);
	assert_int_equal(event.flags, RVTRACE_EVENT_INCOMPLETE);
	stream_end(reader);
}

static void is_stimulus(struct rvtrace_events *reader, unsigned int channel, unsigned int lane,
			unsigned int width, uint64_t value)
{
	struct rvtrace_event event = next(reader);

	assert_int_equal(event.type, RVTRACE_EVENT_STIMULUS);
	assert_int_equal(event.channel, channel);
	assert_int_equal(event.lane, lane);
	assert_int_equal(event.width, width);
	assert_true(event.value == value);
}

static void stimuli_of_others(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;

	(void)state;
	stream_data(&stream, 0, 3, 'x', -1);
	stream_data(&stream, 0, 60, 0x12345678, -1);
	stream_data(&stream, 0, 62, 0x1234, -1);
	stream_data(&stream, 0, 5, 1, -1);
	reader = stream_reader(&itc, &stream);
	is_stimulus(reader, 0, 3, 8, 'x');
	is_stimulus(reader, 15, 0, 32, 0x12345678);
	is_stimulus(reader, 15, 2, 16, 0x1234);
	is_stimulus(reader, 1, 1, 8, 1);
	stream_end(reader);
}

#define EVENT		0x8000
#define OVERFLOW	0x9400

static void packets(void **state)
{
	struct wire wire = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	wire_packet(&wire, 1, 5, EVENT, PAYLOAD(0xdead, 0xbeef, 4, 'H', 0));
	wire_packet(&wire, 1, 5, OVERFLOW, PAYLOAD(25));
	wire_packet(&wire, 1, 6, EVENT, PAYLOAD(0x100, 0, 0x8000, 0xb2c0, 0xa1, 0xffe0, 0xffff));
	wire_packet(&wire, 1, 6, 0x4000, PAYLOAD(1, 2));
	wire_packet(&wire, 1, 6, EVENT, PAYLOAD(0x200, 0, 0x4000, 0x6261));
	wire_packet(&wire, 1, 6, OVERFLOW, PAYLOAD(0xffff));
	wire_packet(&wire, 1, 6, EVENT, PAYLOAD(0x300, 0, 1, 2));
	assert_int_equal(rvtrace_events_new(&stm, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, wire.bytes, wire.size), 0);
	event = next(reader);
	is_value(&event, RVTRACE_EVENT_ID_PRINT, 'H');
	assert_int_equal(event.source, 5);
	assert_int_equal(event.width, 32);
	assert_int_equal(event.time, 0xbeefdead);
	assert_int_equal(event.carrier, RVTRACE_EVENT_STM);
	expect_lost(reader, 25, false);
	event = next(reader);
	is_value(&event, 0x8000, 0xffffffe000a1b2c0);
	is_thread(&event, 0xffffffe000a1b2c0, true);
	assert_true(event.time == 0x100000100);	/* 32 bits went on from 0 */
	event = next(reader);
	is_value(&event, RVTRACE_EVENT_ID_THREAD_NAME, 0x6261);
	is_thread(&event, 0xffffffe000a1b2c0, false);
	assert_int_equal(event.width, 16);
	expect_lost(reader, 0xffff, true);
	event = next(reader);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_TIME);
	stream_end(reader);
}

static void expect_error(struct rvtrace_events *reader, int error, uint64_t offset, uint64_t size)
{
	struct rvtrace_event event;

	assert_int_equal(rvtrace_events_next(reader, &event), error);
	assert_int_equal(event.offset, offset);
	assert_int_equal(event.value, size);
}

static void wrong_identifiers(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	uint64_t first;

	(void)state;
	stream_data(&stream, 0, 0x10000, 1, -1);
	first = stream.size;
	stream_data(&stream, 0, 1, 1, -1);
	reader = stream_reader(&port, &stream);
	expect_error(reader, RVTRACE_ERR_FIELD, 0, first);
	expect_event(reader, 1, 1);
	stream_end(reader);
	stream.size = 0;
	stream_data(&stream, 0, 64, 1, -1);
	first = stream.size;
	stream_data(&stream, 0, 0, 0x100000000, -1);
	stream_data(&stream, 0, 2, 0x10000, -1);
	reader = stream_reader(&itc, &stream);
	expect_error(reader, RVTRACE_ERR_FIELD, 0, first);
	assert_int_equal(rvtrace_events_next(reader, &(struct rvtrace_event) { }),
			 RVTRACE_ERR_FIELD);
	assert_int_equal(rvtrace_events_next(reader, &(struct rvtrace_event) { }),
			 RVTRACE_ERR_FIELD);
	stream_end(reader);
}

/* Damage, and bytes that are not there: words, threads and times before are of no use. */
static void damage(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_sync(&stream, 0, 5);
	stream_data(&stream, 0, 0x8000, KERNEL, 1);
	stream_data(&stream, 0, 1, 2, 1);
	reader = stream_reader(&port, &stream);
	expect_event(reader, 0x8000, KERNEL);
	event = next(reader);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_THREAD | RVTRACE_EVENT_HAS_TIME);
	rvtrace_events_resync(reader, 1000);
	assert_int_equal(rvtrace_events_feed(reader, "\x03", 1), 0);
	assert_int_equal(rvtrace_events_next(reader, &event), 0);
	stream.size = 0;
	stream_data(&stream, 0, 1, 3, 1);
	stream.bytes[stream.size++] = 2;	/* reserved MSEO */
	stream.bytes[stream.size++] = 3;
	assert_int_equal(rvtrace_events_feed(reader, stream.bytes, stream.size), 0);
	event = next(reader);
	is_value(&event, 1, 3);
	assert_int_equal(event.flags, 0);
	assert_int_equal(event.offset, 1001);
	assert_int_equal(rvtrace_events_next(reader, &event), RVTRACE_ERR_MSEO);
	stream_end(reader);
}

static void a_restart_leads_on_to_other_times(void **state)
{
	struct event_stream stream = { };
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	stream_sync(&stream, 0, 1000);
	stream_data(&stream, 0, 1, 2, 1);
	reader = stream_reader(&port, &stream);
	assert_int_equal(next(reader).time, 1001);
	assert_int_equal(rvtrace_events_next(reader, &event), 0);
	rvtrace_events_restart(reader, 3);
	stream.size = 0;
	stream_data(&stream, 0, 1, 2, 1);
	stream_sync(&stream, 0, 5);
	stream_data(&stream, 0, 1, 2, 1);
	assert_int_equal(rvtrace_events_feed(reader, stream.bytes, stream.size), 0);
	assert_false(next(reader).flags & RVTRACE_EVENT_HAS_TIME);
	assert_int_equal(next(reader).time, (3ULL << 54) + 6);
	stream_end(reader);
}

static void wrong_configurations(void **state)
{
	struct rvtrace_events *reader;
	struct rvtrace_event_config config = port;

	(void)state;
	config.carrier = RVTRACE_EVENT_ETRACE + 1;
	assert_int_equal(rvtrace_events_new(&config, &reader), RVTRACE_ERR_INVALID);
	config = port;
	config.ntrace.xlen = 16;
	assert_int_equal(rvtrace_events_new(&config, &reader), RVTRACE_ERR_INVALID);
	config = port;
	config.time_bits = 65;
	assert_int_equal(rvtrace_events_new(&config, &reader), RVTRACE_ERR_INVALID);
	config = port;
	config.threads = 2;
	assert_int_equal(rvtrace_events_new(&config, &reader), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(port_message),
		cmocka_unit_test(port_of_two_harts),
		cmocka_unit_test(threads_of_linux),
		cmocka_unit_test(threads_of_linux_on_rv32),
		cmocka_unit_test(threads_of_others),
		cmocka_unit_test(losses_of_other_messages),
		cmocka_unit_test(stimuli),
		cmocka_unit_test(stimuli_nest),
		cmocka_unit_test(stimuli_without_words),
		cmocka_unit_test(incomplete_switch),
		cmocka_unit_test(stimuli_of_others),
		cmocka_unit_test(packets),
		cmocka_unit_test(wrong_identifiers),
		cmocka_unit_test(damage),
		cmocka_unit_test(a_restart_leads_on_to_other_times),
		cmocka_unit_test(wrong_configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
