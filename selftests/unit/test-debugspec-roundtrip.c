// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of events through the encoder of the debug specification's trace, as short as
 * can be or in full, in buffers of all sizes, and back in random pieces.
 */
#include <stdlib.h>

#include "debugspec-fixture.h"
#include "share.h"

#define EVENTS		40
#define HARTS		3
#define BYTES_MAX	8192

static uint64_t seed;		/* of the sequence at hand */
static uint64_t state_of_rnd;

static uint64_t rnd(uint64_t below)
{
	uint64_t z = state_of_rnd += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

/* One event, as it was and as it must be read. */
struct event {
	uint8_t header;
	uint64_t hart;
	uint64_t value;
};

static struct {
	struct debugspec_params params;
	uint32_t buffer;
	bool several;
	struct debugspec_stream stream;
	struct debugspec_encoder encoders[HARTS];
	struct event events[EVENTS];
	unsigned int count;
	uint8_t bytes[BYTES_MAX];
	size_t size;
	struct rvtrace_debugspec_config config;
} lab;

static void write_word(void *opaque, uint32_t word)
{
	(void)opaque;
	assert_true(lab.size + 4 <= sizeof(lab.bytes));
	for (unsigned int i = 0; i < 4; i++)
		lab.bytes[lab.size++] = word >> 8 * i;
}

static void choose(void)
{
	static const uint32_t sizes[] = { 0, 96, 128, 160, 256, 1024, 4096 };

	memset(&lab, 0, sizeof(lab));
	lab.params = (struct debugspec_params) {
		.xlen = rnd(2) ? 64 : 32, .compressed = rnd(2), .emit = DEBUGSPEC_EMIT_ALL,
		.full = rnd(2),
	};
	lab.buffer = sizes[rnd(sizeof(sizes) / sizeof(sizes[0]))];
	lab.several = rnd(2);
	debugspec_stream_init(&lab.stream, lab.buffer, lab.several, write_word, NULL, NULL);
	for (unsigned int i = 0; i < HARTS; i++) {
		lab.params.hart = i ? 100 * i + rnd(100) : 0;
		debugspec_encoder_init(&lab.encoders[i], &lab.params, &lab.stream);
	}
	lab.config = (struct rvtrace_debugspec_config) {
		.xlen = lab.params.xlen, .compressed = lab.params.compressed,
		.several_harts = lab.several,
	};
	if (lab.buffer)
		assert_int_equal(rvtrace_debugspec_buffer(&lab.config, lab.buffer, 0), 0);
}

static uint64_t random_value(unsigned int bits)
{
	uint64_t value = rnd(2) ? rnd(UINT64_MAX) >> rnd(64) : 0x80000000 + rnd(4096);

	if (!rnd(4))
		value = ~value;
	return bits < 64 ? value & ((1ull << bits) - 1) : value;
}

static const uint8_t kinds[] = {
	[RVTRACE_DEBUGSPEC_PC] = DEBUGSPEC_KIND_PC,
	[RVTRACE_DEBUGSPEC_LOAD_ADDRESS] = DEBUGSPEC_KIND_LOAD,
	[RVTRACE_DEBUGSPEC_STORE_ADDRESS] = DEBUGSPEC_KIND_STORE,
	[RVTRACE_DEBUGSPEC_TIMESTAMP] = DEBUGSPEC_KIND_TIME,
};

static void put(struct debugspec_encoder *encoder, struct event *event)
{
	struct debugspec_sequence sequence;
	unsigned int bits;

	switch (event->header) {
	case RVTRACE_DEBUGSPEC_PC:
		event->value = random_value(lab.params.xlen) &
			       (lab.params.compressed ? ~1ull : ~3ull);
		break;
	case RVTRACE_DEBUGSPEC_LOAD_ADDRESS:
	case RVTRACE_DEBUGSPEC_STORE_ADDRESS:
		event->value = random_value(lab.params.xlen);
		break;
	case RVTRACE_DEBUGSPEC_TIMESTAMP:
		event->value = random_value(64);
		break;
	case RVTRACE_DEBUGSPEC_LOAD_DATA:
	case RVTRACE_DEBUGSPEC_STORE_DATA:
		bits = 8 << rnd(4);
		event->value = random_value(bits) << (64 - bits);
		event->value = (uint64_t)((int64_t)event->value >> (64 - bits));
		assert_true(debugspec_encoder_data(encoder, (enum debugspec_header)event->header,
						   event->value, bits));
		return;
	case RVTRACE_DEBUGSPEC_PRIVILEGE:
		event->value = rnd(16);
		debugspec_packet(&sequence, DEBUGSPEC_PRIVILEGE_LEVEL, event->value);
		assert_true(debugspec_stream_put(&lab.stream, event->hart, &sequence));
		return;
	case RVTRACE_DEBUGSPEC_ENABLED:
		debugspec_packet(&sequence, DEBUGSPEC_TRACE_ENABLED, 0);
		assert_true(debugspec_stream_put(&lab.stream, event->hart, &sequence));
		return;
	default:
		debugspec_header(&sequence, (enum debugspec_header)event->header);
		assert_true(debugspec_stream_put(&lab.stream, event->hart, &sequence));
		return;
	}
	assert_true(debugspec_encoder_value(encoder, (enum debugspec_kind)kinds[event->header],
					    event->value));
}

/* Trace Disabled is left to another test: what is known ends with it. */
static void write_events(void)
{
	lab.count = 1 + rnd(EVENTS);
	for (unsigned int i = 0; i < lab.count; i++) {
		struct debugspec_encoder *encoder = &lab.encoders[rnd(3) ? 0 : rnd(HARTS)];
		struct event *event = &lab.events[i];

		do
			event->header = 1 + rnd(RVTRACE_DEBUGSPEC_TIMESTAMP);
		while (event->header == RVTRACE_DEBUGSPEC_DISABLED ||
		       event->header == RVTRACE_DEBUGSPEC_HART);
		event->hart = encoder->params.hart;
		put(encoder, event);
	}
	debugspec_stream_flush(&lab.stream);
}

#define check(condition)	check_that(condition, #condition, __LINE__)

static void check_that(bool holds, const char *condition, int line)
{
	if (!holds)
		fail_msg("seed %llu: %s, line %d", (unsigned long long)seed, condition, line);
}

/* The reader's next packets, up to where it has read everything. */
static void read_events(struct rvtrace_debugspec *reader, unsigned int *done, uint64_t *end)
{
	struct rvtrace_debugspec_packet packet;
	int ret;

	while ((ret = rvtrace_debugspec_next(reader, &packet))) {
		const struct event *event = &lab.events[*done];

		check(ret == 1);
		check(packet.offset == *end);
		*end += packet.size;
		if (packet.header == RVTRACE_DEBUGSPEC_NOP ||
		    packet.header == RVTRACE_DEBUGSPEC_HART)
			continue;
		check(*done < lab.count);
		check(packet.header == event->header);
		check(packet.has_hart && packet.hart == event->hart);
		if (packet.header > RVTRACE_DEBUGSPEC_NOT_TAKEN || packet.digits)
			check(packet.value == event->value && !packet.partial);
		++*done;
	}
}

static void round_trip(void)
{
	struct rvtrace_debugspec *reader;
	unsigned int done = 0;
	uint64_t end = 0;
	size_t chunk;

	choose();
	write_events();
	assert_int_equal(rvtrace_debugspec_new(&lab.config, &reader), 0);
	for (size_t at = 0; at < lab.size; at += chunk) {
		chunk = 1 + rnd(rnd(2) ? 3 : 100);
		if (chunk > lab.size - at)
			chunk = lab.size - at;
		assert_int_equal(rvtrace_debugspec_feed(reader, lab.bytes + at, chunk), 0);
		read_events(reader, &done, &end);
	}
	check(done == lab.count && end == 2 * lab.size);
	check(!rvtrace_debugspec_pending(reader, NULL));
	rvtrace_debugspec_free(reader);
}

static void events_come_back(void **state)
{
	const char *scale = getenv("RVTRACE_SCALE");
	bool full = scale && !strcmp(scale, "full");

	(void)state;
	for (seed = 1; seed <= (full ? 1000000 : 20000); seed++) {
		state_of_rnd = seed;
		if (!is_left_out())
			round_trip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
