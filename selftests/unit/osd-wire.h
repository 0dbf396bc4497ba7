/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of Open SoC Debug on a byte transport, and what a reader says of them. */
#ifndef OSD_WIRE_H
#define OSD_WIRE_H

#include <string.h>

#include <rvtrace/osd.h>

#define WIRE_MAX	16384

struct wire {
	uint8_t bytes[WIRE_MAX];
	size_t size;
};

static inline void wire_word(struct wire *wire, unsigned int word)
{
	assert_true(wire->size + 2 <= WIRE_MAX);
	wire->bytes[wire->size++] = word >> 8;
	wire->bytes[wire->size++] = word;
}

/* A packet; @payload: @count words. */
static inline void wire_packet(struct wire *wire, unsigned int dest, unsigned int src,
			       unsigned int flags, const uint16_t *payload, size_t count)
{
	size_t i;

	wire_word(wire, 3 + count);
	wire_word(wire, dest);
	wire_word(wire, src);
	wire_word(wire, flags);
	for (i = 0; i < count; i++)
		wire_word(wire, payload[i]);
}

#define PAYLOAD(...)	((const uint16_t[]){ __VA_ARGS__ }), \
			sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t)

/* A reader that has got all of @wire. */
static inline struct rvtrace_osd *wire_reader(const struct rvtrace_osd_config *config,
					      const struct wire *wire)
{
	struct rvtrace_osd *reader;

	assert_int_equal(rvtrace_osd_new(config, &reader), 0);
	assert_int_equal(rvtrace_osd_feed(reader, wire->bytes, wire->size), 0);
	return reader;
}

/* Everything is read, and nothing is missing. */
static inline void wire_end(struct rvtrace_osd *reader)
{
	struct rvtrace_osd_packet packet;

	assert_int_equal(rvtrace_osd_next(reader, &packet), 0);
	assert_int_equal(rvtrace_osd_pending(reader, NULL), 0);
	rvtrace_osd_free(reader);
}

#endif /* OSD_WIRE_H */
