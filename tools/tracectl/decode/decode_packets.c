// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --packets: every packet, its fields by their names. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define BATCH	256	/* items of the flow at a time */

/*
 * @flow: follows the same bytes where filters ask what executes; else NULL
 * @offsets: of packets that the filters let through, in the piece under way
 */
struct printer {
	struct decode *d;
	const struct packet_format *format;
	void *reader;
	struct rvtrace_flow *flow;
	uint64_t *offsets;
	size_t count, room;
};

/* Text: the value is next. */
static void put_name(struct out *out, const char *name)
{
	out_char(out, ' ');
	out_text(out, name);
	out_char(out, '=');
}

void packet_number(struct out *out, const char *name, uint64_t value)
{
	if (global.json) {
		out_json_number(out, name, value);
	} else {
		put_name(out, name);
		out_number(out, value);
	}
}

void packet_hex(struct out *out, const char *name, uint64_t value)
{
	if (global.json) {
		out_json_hex(out, name, value);
	} else {
		put_name(out, name);
		out_hex(out, value);
	}
}

void packet_text(struct out *out, const char *name, const char *value)
{
	if (global.json) {
		out_json_text(out, name, value);
	} else {
		put_name(out, name);
		out_text(out, value);
	}
}

/* In the order of the stream. */
static void print_nybbles(struct out *out, const struct packet *packet)
{
	uint64_t first = packet->offset & 1;

	for (uint64_t i = first; i < first + packet->size; i++)
		out_format(out, "%x", packet->raw[i / 2] >> (i & 1) * 4 & 0xf);
}

static void print_bytes(struct out *out, const struct packet *packet)
{
	uint32_t i;

	if (packet->nybbles) {
		print_nybbles(out, packet);
		return;
	}
	for (i = 0; i < packet->size; i++)
		out_format(out, "%02x", packet->raw[i]);
}

static void print_packet(const struct printer *p, const struct packet *packet)
{
	struct out *out = &p->d->out;

	if (global.json) {
		print_begin(&p->d->out);
		out_format(out, "{\"offset\":%" PRIu64 ",\"size\":%u", packet->offset, packet->size);
		out_json_text(out, "name", packet->name);
		p->format->fields(p->reader, out);
		out_text(out, packet->nybbles ? ",\"nybbles\":\"" : ",\"bytes\":\"");
		print_bytes(out, packet);
		out_text(out, "\"}");
		return;
	}
	out_format(out, "%10" PRIu64 " %-24s", packet->offset, packet->name);
	p->format->fields(p->reader, out);
	if (global.verbose) {
		out_text(out, "  ");
		print_bytes(out, packet);
	}
	out_char(out, '\n');
}

/* What is no packet: @text, about @size bytes. */
static void print_trouble(struct decode *d, uint64_t offset, const char *name, const char *text,
			  uint64_t size)
{
	if (global.json) {
		print_begin(&d->out);
		out_format(&d->out, "{\"offset\":%" PRIu64 ",\"size\":%" PRIu64, offset, size);
		out_json_text(&d->out, name, text);
		out_char(&d->out, '}');
		return;
	}
	out_format(&d->out, "%10" PRIu64 " -- %s\n", offset, text);
}

static int by_offset(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool shows(const struct printer *p, const struct packet *packet)
{
	const struct decode_filter *filter = &p->d->input.filter;

	if (packet->unowned ? filter->has_harts : !filter_shows(&p->d->input, packet->source))
		return false;
	if ((filter->from || filter->to) &&
	    (!packet->has_time || packet->time < filter->from_time ||
	     packet->time > filter->to_time))
		return false;
	return !p->flow || (p->count && bsearch(&packet->offset, p->offsets, p->count,
						sizeof(*p->offsets), by_offset));
}

static void count_error(struct decode *d, uint64_t offset, const char *text)
{
	if (!d->totals.errors++)
		snprintf(d->totals.told[0], sizeof(d->totals.told[0]), "offset %" PRIu64 ": %s",
			 offset, text);
}

/* @size nybbles or bytes could not be read. */
static void print_error(struct decode *d, const struct packet *packet, int error, uint64_t size)
{
	char text[256];

	snprintf(text, sizeof(text), "%s, %" PRIu64 " %s skipped", rvtrace_strerror(error), size,
		 packet->nybbles ? "nybbles" : "bytes");
	print_trouble(d, packet->offset, "error", text, size);
	count_error(d, packet->offset, rvtrace_strerror(error));
}

static int read_packets(struct printer *p)
{
	struct decode *d = p->d;
	struct packet packet;
	int ret;

	while ((ret = p->format->next(p->reader, &packet)) != 0) {
		if (ret > 0) {
			if (!shows(p, &packet))
				continue;
			d->input.filter.shown = true;
			print_packet(p, &packet);
			continue;
		}
		print_error(d, &packet, ret, packet.size);
	}
	return -d->out.error;
}

static int take_offset(struct printer *p, uint64_t offset)
{
	if (p->count && p->offsets[p->count - 1] == offset)
		return 0;
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 1024;
		uint64_t *offsets = realloc(p->offsets, room * sizeof(*offsets));

		if (!offsets)
			return -ENOMEM;
		p->offsets = offsets;
		p->room = room;
	}
	p->offsets[p->count++] = offset;
	return 0;
}

/* The packets that led to something that the filters let through. */
static int take_items(struct printer *p, const struct rvtrace_flow_item *items, int count)
{
	int i, ret = 0;

	for (i = 0; i < count && ret >= 0; i++) {
		struct rvtrace_flow_item item = items[i];

		ret = filter_cut(p->d, &item);
		if (ret > 0)
			ret = take_offset(p, item.offset);
	}
	return ret < 0 ? ret : 0;
}

static int follow(struct printer *p, const struct rvtrace_chunk *chunk)
{
	struct rvtrace_flow_item items[BATCH];
	int count, ret = 0;

	p->count = 0;
	if (!p->flow)
		return 0;
	rvtrace_flow_feed(p->flow, chunk->data, chunk->length);
	while (!ret && (count = rvtrace_flow_read(p->flow, items, BATCH)) != 0)
		ret = count < 0 ? -ENOMEM : take_items(p, items, count);
	if (p->count)
		qsort(p->offsets, p->count, sizeof(*p->offsets), by_offset);
	return ret;
}

static void lose(struct printer *p, const struct rvtrace_chunk *chunk, uint64_t next)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " bytes lost", chunk->length);
	print_trouble(p->d, chunk->offset, "lost", text, chunk->length);
	p->d->totals.lost_bytes += chunk->length;
	p->format->resync(p->reader, next);
	if (p->flow)
		rvtrace_flow_lost(p->flow, chunk->length, next, 0);
}

static int packets_of_chunk(void *user, const struct rvtrace_chunk *chunk)
{
	struct printer *p = user;
	int ret;

	decode_chunk(p->d, chunk);
	switch (chunk->type) {
	case RVTRACE_CHUNK_DATA:
		ret = follow(p, chunk);
		p->format->feed(p->reader, chunk->data, chunk->length);
		return ret ? ret : read_packets(p);
	case RVTRACE_CHUNK_OVERWRITTEN:
		lose(p, chunk, chunk->offset + chunk->length);
		return 0;
	case RVTRACE_CHUNK_LOST:
		lose(p, chunk, chunk->offset);
		return 0;
	case RVTRACE_CHUNK_RESTART:
		if (p->format->restart)
			p->format->restart(p->reader, chunk->restart);
		if (p->flow)
			rvtrace_flow_restart(p->flow, chunk->restart);
		return 0;
	default:
		return 0;
	}
}

static void check_end(struct printer *p)
{
	static const char cut[] = "the last message is cut";
	struct packet rest = { .nybbles = true };
	uint64_t offset, lost = p->format->lost ? p->format->lost(p->reader, &rest.offset) : 0;
	size_t size = p->format->pending(p->reader, &offset);

	if (lost) {
		print_error(p->d, &rest, RVTRACE_ERR_SYNC, lost);
	} else if (size) {
		print_trouble(p->d, offset, "error", cut, size);
		/* recording into a buffer ends anywhere */
		if (!p->d->input.in_buffer)
			count_error(p->d, offset, cut);
	}
}

/* Filters by thread and code need the flow. */
static int open_flow(struct printer *p)
{
	const struct decode_filter *filter = &p->d->input.filter;
	struct rvtrace_flow_config config = p->d->input.config;

	if (!filter->thread_count && !filter->range_count && !filter->symbol_count)
		return 0;
	if (p->d->resolver)
		rvtrace_resolver_attach(p->d->resolver, &config);
	return rvtrace_flow_new(&config, p->d->program->image, &p->flow) ? -ENOMEM : 0;
}

static int packets_of(struct decode *d, struct rvtrace_failure *error)
{
	const struct trace_input *in = &d->input;
	const struct decode_format *format = input_format(in);
	struct printer p = { .d = d, .format = format->packets };
	int ret;

	p.reader = format->open ? format->open(&in->raw_options) : p.format->open(&in->config);
	ret = p.reader ? open_flow(&p) : -ENOMEM;
	if (!ret)
		ret = input_each_chunk(in, packets_of_chunk, &p, error);
	if (!ret)
		check_end(&p);
	if (p.reader)
		p.format->close(p.reader);
	rvtrace_flow_free(p.flow);
	free(p.offsets);
	return ret;
}

int decode_packets(struct decode *d, struct rvtrace_failure *error)
{
	size_t count = d->input.raw ? 1 : rvtrace_recording_sink_count(d->input.recording);
	int ret = 0;

	input_progress_start(&d->input, d->out.file, false);
	for (d->input.sink = 0; d->input.sink < count && !ret; d->input.sink++) {
		ret = input_config(&d->input, error);
		if (!ret)
			ret = decode_begin_sink(d, error);
		if (!ret)
			ret = packets_of(d, error);
	}
	progress_end(&d->input.progress);
	return ret;
}
