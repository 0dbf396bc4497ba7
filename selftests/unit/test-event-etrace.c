// SPDX-License-Identifier: GPL-2.0
/* Software trace events in packets of E-Trace, as docs/formats.md says it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "event-stream.h"

static struct rvtrace_event_config etrace(void)
{
	struct rvtrace_event_config config = {
		.size = sizeof(config), .carrier = RVTRACE_EVENT_ETRACE,
	};

	rvtrace_etrace_params_default(&config.etrace);
	config.etrace.iaddress_width = 64;
	config.etrace.type_width = 8;
	config.etrace.type_event = 2;
	config.etrace.srcid_width = 8;
	config.etrace.timestamp_width = 64;
	config.etrace.nocontext = 0;
	config.etrace.context_width = 8;
	return config;
}

/* Encapsulation 1.0 by hand: header, srcID, timestamp if extend is 1, type, payload */
static void etrace_packets(void **state)
{
	static const uint8_t bytes[] = {
		/* an event: identifier 0x4000, value 0x1234, of 24 bits, the sign */
		0x06, 0x01, 0x02, 0x00, 0x40, 0x34, 0x12, 0x00,
		/* at time 0x0102; value -1 */
		0x84, 0x01, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0x02, 0x01, 0x00, 0xff,
		/* format 3, subformat 2: U-mode, context 0x5a */
		0x03, 0x01, 0x00, 0x8b, 0x16,
		0x04, 0x01, 0x02, 0xff, 0x3f, 0x00,
		/* identifier 0: 5 events were lost; 0xffff: at least that */
		0x04, 0x01, 0x02, 0x00, 0x00, 0x05,
		0x06, 0x01, 0x02, 0x00, 0x00, 0xff, 0xff, 0x00,
	};
	struct rvtrace_event_config config = etrace();
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, bytes, sizeof(bytes)), 0);
	event = next(reader);
	is_value(&event, 0x4000, 0x1234);
	assert_int_equal(event.carrier, RVTRACE_EVENT_ETRACE);
	assert_int_equal(event.source, 1);
	assert_int_equal(event.width, 64);
	assert_int_equal(event.flags, 0);
	event = next(reader);
	is_value(&event, 1, UINT64_MAX);
	assert_int_equal(event.offset, 8);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_TIME);
	assert_int_equal(event.time, 0x0102);
	event = next(reader);
	is_value(&event, 0x3fff, 0);
	assert_int_equal(event.flags, RVTRACE_EVENT_HAS_TIME | RVTRACE_EVENT_HAS_PRIV |
				      RVTRACE_EVENT_HAS_CONTEXT);
	assert_int_equal(event.priv, 0);
	assert_int_equal(event.context, 0x5a);
	expect_lost(reader, 5, false);
	expect_lost(reader, 0xffff, true);
	stream_end(reader);
}

/* Until packets say it in full, behind a restart as at the start. */
static void parts_of_a_time_are_none_behind_a_restart(void **state)
{
	static const uint8_t part[] = { 0x84, 0x01, 0x05, 0x00, 0x02, 0x01, 0x00, 0xff };
	static const uint8_t full[] = {
		/* format 3, subformat 2: U-mode, time 0x11234 of 32 bits, context 0x5a */
		0x07, 0x01, 0x00, 0x0b, 0x8d, 0x44, 0x00, 0x80, 0x16,
		0x84, 0x01, 0x05, 0x00, 0x02, 0x01, 0x00, 0xff,
	};
	struct rvtrace_event_config config = etrace();
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	config.etrace.timestamp_width = 16;
	config.etrace.notime = 0;
	config.etrace.time_width = 32;
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	for (uint64_t number = 0; number < 3; number++) {
		assert_int_equal(rvtrace_events_feed(reader, part, sizeof(part)), 0);
		assert_false(next(reader).flags & RVTRACE_EVENT_HAS_TIME);
		assert_int_equal(rvtrace_events_feed(reader, full, sizeof(full)), 0);
		assert_int_equal(next(reader).time, (number << 54) + 0x20005);
		assert_int_equal(rvtrace_events_next(reader, &event), 0);
		rvtrace_events_restart(reader, number + 1);
	}
	stream_end(reader);
}

static void etrace_of_32_bits(void **state)
{
	static const uint8_t bytes[] = { 0x04, 0x00, 0x02, 0x01, 0x00, 0xff };
	struct rvtrace_event_config config = etrace();
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	config.etrace.iaddress_width = 32;
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, bytes, sizeof(bytes)), 0);
	event = next(reader);
	is_value(&event, 1, UINT32_MAX);
	assert_int_equal(event.width, 32);
	stream_end(reader);
}

static void etrace_errors(void **state)
{
	static const uint8_t bytes[] = {
		/* 0x10000 events lost; a bit behind the value; an event */
		0x06, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x0c, 0x01, 0x02, 0x01, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 1,
		0x04, 0x01, 0x02, 0x07, 0x00, 0x03,
	};
	struct rvtrace_event_config config = etrace();
	struct rvtrace_events *reader;
	struct rvtrace_event event;

	(void)state;
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, bytes, sizeof(bytes)), 0);
	assert_int_equal(rvtrace_events_next(reader, &event), RVTRACE_ERR_FIELD);
	assert_int_equal(rvtrace_events_next(reader, &event), RVTRACE_ERR_TRAILING);
	assert_int_equal(event.offset, 8);
	expect_event(reader, 7, 3);
	stream_end(reader);
}

static void without_a_type_there_are_no_events(void **state)
{
	struct rvtrace_event_config config = etrace();
	struct rvtrace_events *reader;

	(void)state;
	config.etrace.type_width = 1;
	assert_int_equal(rvtrace_events_new(&config, &reader), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etrace_packets),
		cmocka_unit_test(parts_of_a_time_are_none_behind_a_restart),
		cmocka_unit_test(etrace_of_32_bits),
		cmocka_unit_test(etrace_errors),
		cmocka_unit_test(without_a_type_there_are_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
