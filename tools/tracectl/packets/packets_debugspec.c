// SPDX-License-Identifier: GPL-2.0
/* Sequences of the debug specification's trace: their fields by name. */
#include <stdlib.h>
#include <string.h>

#include <rvtrace/debugspec.h>

#include "tools/lib/base/time_bits.h"
#include "packets.h"

/*
 * @raw: nybbles of the packet that was read last, see struct packet
 * @times: last time of each hart, if it is known
 * @restart: behind which one, 0: none
 */
struct reader {
	struct rvtrace_debugspec *debugspec;
	struct rvtrace_debugspec_packet packet;
	uint8_t raw[RVTRACE_DEBUGSPEC_PACKET_MAX / 2 + 1];
	struct {
		uint64_t time;
		bool known;
	} times[RVTRACE_DEBUGSPEC_HARTS];
	unsigned int restart;
};

static void *open_reader(const struct rvtrace_flow_config *config)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || rvtrace_debugspec_new(&config->debugspec, &reader->debugspec)) {
		free(reader);
		return NULL;
	}
	return reader;
}

static int feed(void *data, const void *bytes, size_t size)
{
	struct reader *reader = data;

	return rvtrace_debugspec_feed(reader->debugspec, bytes, size);
}

static void put(struct reader *reader, unsigned int index, unsigned int nybble)
{
	unsigned int at = (reader->packet.offset & 1) + index;

	reader->raw[at / 2] |= nybble << 4 * (at & 1);
}

/* As it was sent. */
static void take_raw(struct reader *reader)
{
	const struct rvtrace_debugspec_packet *p = &reader->packet;
	unsigned int i;

	memset(reader->raw, 0, sizeof(reader->raw));
	put(reader, 0, p->header);
	put(reader, 1, p->digits ? p->digits - 1u : p->sent);
	for (i = 0; i < p->digits; i++)
		put(reader, 2 + i, p->sent >> 4 * i & 15);
}

static void take_time(struct reader *reader, struct packet *packet)
{
	const struct rvtrace_debugspec_packet *p = &reader->packet;

	if (!p->has_hart)
		return;
	if (p->header == RVTRACE_DEBUGSPEC_TIMESTAMP && !p->partial) {
		reader->times[p->hart].known = true;
		reader->times[p->hart].time = reader->restart ?
			restart_time(reader->restart, p->value, 0) : p->value;
	}
	packet->has_time = reader->times[p->hart].known;
	packet->time = reader->times[p->hart].time;
}

static int next(void *data, struct packet *packet)
{
	struct reader *reader = data;
	const struct rvtrace_debugspec_packet *p = &reader->packet;
	int ret = rvtrace_debugspec_next(reader->debugspec, &reader->packet);

	*packet = (struct packet) { .offset = p->offset, .size = p->size, .nybbles = true };
	if (ret > 0) {
		take_raw(reader);
		packet->raw = reader->raw;
		packet->name = rvtrace_debugspec_header_name(p->header);
		packet->source = p->hart;
		packet->unowned = !p->has_hart;
		take_time(reader, packet);
	}
	return ret;
}

static const char *value_name(const struct rvtrace_debugspec_packet *p)
{
	switch (p->header) {
	case RVTRACE_DEBUGSPEC_PC:
		return "PC";
	case RVTRACE_DEBUGSPEC_TIMESTAMP:
		return "timestamp";
	case RVTRACE_DEBUGSPEC_LOAD_DATA:
	case RVTRACE_DEBUGSPEC_STORE_DATA:
		return "data";
	}
	return "address";
}

static void fields(const void *data, struct out *out)
{
	const struct rvtrace_debugspec_packet *p = &((const struct reader *)data)->packet;

	if (p->has_hart && p->header != RVTRACE_DEBUGSPEC_HART)
		packet_number(out, "hart", p->hart);
	switch (p->header) {
	case RVTRACE_DEBUGSPEC_ENABLED:
		packet_number(out, "version", p->value);
		return;
	case RVTRACE_DEBUGSPEC_PRIVILEGE:
		packet_number(out, "interrupt", p->value >> 3);
		packet_number(out, "PRV", RVTRACE_DEBUGSPEC_PRV(p->value));
		packet_number(out, "IE", p->value & RVTRACE_DEBUGSPEC_IE);
		return;
	case RVTRACE_DEBUGSPEC_HART:
		packet_number(out, "N", p->digits - 1);
		packet_number(out, "hart", p->hart);
		return;
	}
	if (!p->digits)
		return;
	packet_number(out, "N", p->digits - 1);
	packet_hex(out, value_name(p), p->value);
	if (p->partial)
		packet_hex(out, "known", p->known);
}

static void resync(void *data, uint64_t offset)
{
	struct reader *reader = data;

	rvtrace_debugspec_resync(reader->debugspec, 2 * offset);
}

static void restart(void *data, unsigned int number)
{
	struct reader *reader = data;

	reader->restart = number;
	memset(reader->times, 0, sizeof(reader->times));
}

static size_t pending(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_debugspec_pending(reader->debugspec, offset);
}

static uint64_t lost(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_debugspec_lost(reader->debugspec, offset);
}

static void close_reader(void *data)
{
	struct reader *reader = data;

	rvtrace_debugspec_free(reader->debugspec);
	free(reader);
}

const struct packet_format packets_debugspec = {
	.open = open_reader, .feed = feed, .next = next, .fields = fields, .resync = resync,
	.restart = restart, .pending = pending, .lost = lost, .close = close_reader,
};
