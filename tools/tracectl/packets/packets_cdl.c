// SPDX-License-Identifier: GPL-2.0
/* Items of CDL compressed trace: the fields of the packed trace by name. */
#include <stdlib.h>

#include <rvtrace/cdl.h>

#include "packets.h"

struct reader {
	struct rvtrace_cdl *cdl;
	struct rvtrace_cdl_item item;
	bool buffer;
};

static void *open_reader(const struct rvtrace_flow_config *config)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || rvtrace_cdl_new(&config->cdl, &reader->cdl)) {
		free(reader);
		return NULL;
	}
	reader->buffer = config->cdl.buffer != RVTRACE_CDL_STREAM;
	return reader;
}

static int feed(void *data, const void *bytes, size_t size)
{
	struct reader *reader = data;

	return rvtrace_cdl_feed(reader->cdl, bytes, size);
}

static int next(void *data, struct packet *packet)
{
	struct reader *reader = data;
	const struct rvtrace_cdl_item *item = &reader->item;
	int ret = rvtrace_cdl_next(reader->cdl, &reader->item);

	*packet = (struct packet) { .offset = item->offset, .size = item->size, .nybbles = true };
	if (ret > 0) {
		packet->raw = item->raw;
		packet->name = rvtrace_cdl_name(item->kind);
	}
	return ret;
}

static void data_fields(const struct rvtrace_cdl_item *item, struct out *out)
{
	packet_number(out, "data_reason", item->reason);
	packet_number(out, "NNN", item->number);
	if (item->reason == RVTRACE_CDL_PC) {
		packet_hex(out, "pc", item->value);
	} else {
		packet_number(out, "rfw_rd", item->rd);
		packet_hex(out, "rfw_data", item->value);
	}
}

static void fields(const void *data, struct out *out)
{
	const struct reader *reader = data;
	const struct rvtrace_cdl_item *item = &reader->item;

	switch (item->kind) {
	case RVTRACE_CDL_SEQUENTIAL:
		packet_number(out, "seq", item->number);
		break;
	case RVTRACE_CDL_NONSEQUENTIAL:
		packet_number(out, "nonseq", item->number);
		packet_text(out, "reason", rvtrace_cdl_reason_name(item->number));
		break;
	case RVTRACE_CDL_DATA:
		data_fields(item, out);
		break;
	case RVTRACE_CDL_TRACEPOINT:
		packet_number(out, "bkpt", item->number);
		break;
	}
	if (item->unverified)
		packet_text(out, "sync", "unverified");
}

static void resync(void *data, uint64_t offset)
{
	struct reader *reader = data;

	rvtrace_cdl_resync(reader->cdl, 2 * offset);
}

static size_t pending(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;
	/* recording into a buffer ends anywhere */
	return reader->buffer ? 0 : rvtrace_cdl_pending(reader->cdl, offset);
}

static uint64_t lost(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_cdl_lost(reader->cdl, offset);
}

static void close_reader(void *data)
{
	struct reader *reader = data;

	rvtrace_cdl_free(reader->cdl);
	free(reader);
}

const struct packet_format packets_cdl = {
	.open = open_reader, .feed = feed, .next = next, .fields = fields, .resync = resync,
	.pending = pending, .lost = lost, .close = close_reader,
};
