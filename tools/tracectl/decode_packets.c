// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --packets: every message, its fields by their names. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode.h"

#define PIECE	(256 * 1024)

static void print_address(FILE *f, const struct rvtrace_ntrace_message *m)
{
	if (m->has_address)
		fprintf(f, " %s=0x%" PRIx64, m->has_sync ? "F-ADDR" : "U-ADDR", m->address);
}

static void print_resource_full(FILE *f, const struct rvtrace_ntrace_message *m)
{
	fprintf(f, " RCODE=%u", m->rcode);
	if (m->has_icnt)
		fprintf(f, " RDATA=%u", m->icnt);
	else if (m->has_hist)
		fprintf(f, " RDATA=0x%" PRIx64, m->hist);
	else
		fprintf(f, " RDATA=0x%" PRIx64, m->data);
	if (m->rcode == 2)
		fprintf(f, " HREPEAT=%u", m->repeat);
}

static void print_branch(FILE *f, const struct rvtrace_ntrace_message *m)
{
	switch (m->tcode) {
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC:
		fprintf(f, " B-TYPE=%u", m->btype);
		break;
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		fprintf(f, " EVCODE=%u CDF=%u", m->evcode, m->has_hist);
		break;
	}
	if (m->has_icnt)
		fprintf(f, " I-CNT=%u", m->icnt);
	print_address(f, m);
	if (m->has_hist)
		fprintf(f, " HIST=0x%" PRIx64, m->hist);
}

static void print_ownership(FILE *f, const struct rvtrace_ntrace_message *m)
{
	if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE) {
		fprintf(f, " PROCESS=0x%" PRIx64, m->data);
		return;
	}
	fprintf(f, " FORMAT=%u PRV=%u V=%u", m->format, m->priv, m->v);
	if (m->format >= RVTRACE_NTRACE_PROCESS_SCONTEXT)
		fprintf(f, " CONTEXT=%" PRIu64, m->context);
}

static void print_fields(FILE *f, const struct rvtrace_ntrace_message *m)
{
	if (m->has_sync)
		fprintf(f, " SYNC=%u", m->sync);
	switch (m->tcode) {
	case RVTRACE_NTRACE_OWNERSHIP:
		print_ownership(f, m);
		break;
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		fprintf(f, " IDTAG=%u DQDATA=0x%" PRIx64, m->id, m->data);
		break;
	case RVTRACE_NTRACE_ERROR:
		fprintf(f, " ETYPE=%u ECODE=0x%x", m->etype, m->ecode);
		break;
	case RVTRACE_NTRACE_RESOURCE_FULL:
		print_resource_full(f, m);
		break;
	case RVTRACE_NTRACE_REPEAT_BRANCH:
		fprintf(f, " B-CNT=%u", m->repeat);
		break;
	default:
		print_branch(f, m);
	}
	if (m->has_tstamp)
		fprintf(f, " TSTAMP=%" PRIu64, m->tstamp);
}

static void print_message(struct decode *d, const struct rvtrace_ntrace_message *m)
{
	if (!decode_shows(d, m->src))
		return;
	fprintf(d->out.file, "%10" PRIu64 " %-24s TCODE=%u", m->offset,
		rvtrace_ntrace_tcode_name(m->tcode), m->tcode);
	if (d->config.src_bits)
		fprintf(d->out.file, " SRC=%u", m->src);
	print_fields(d->out.file, m);
	fputc('\n', d->out.file);
}

static int read_messages(struct decode *d, struct rvtrace_ntrace *reader)
{
	struct rvtrace_ntrace_message m;
	int ret;

	while ((ret = rvtrace_ntrace_next(reader, &m)) != 0) {
		if (ret > 0) {
			print_message(d, &m);
			continue;
		}
		fprintf(d->out.file, "%10" PRIu64 " -- %s, %u bytes skipped\n", m.offset,
			rvtrace_strerror(ret), m.size);
		if (!d->errors++)
			snprintf(d->first_error, sizeof(d->first_error), "offset %" PRIu64 ": %s",
				 m.offset, rvtrace_strerror(ret));
	}
	return ferror(d->out.file) ? -EPIPE : 0;
}

static int packets_of_chunk(struct decode *d, struct rvtrace_ntrace *reader,
			    const struct rvtrace_chunk *chunk)
{
	uint64_t next = chunk->offset;

	decode_chunk(d, chunk);
	switch (chunk->type) {
	case RVTRACE_CHUNK_DATA:
		rvtrace_ntrace_feed(reader, chunk->data, chunk->length);
		return read_messages(d, reader);
	case RVTRACE_CHUNK_OVERWRITTEN:
		next += chunk->length;
		/* fallthrough */
	case RVTRACE_CHUNK_LOST:
		fprintf(d->out.file, "%10" PRIu64 " -- %" PRIu64 " bytes lost\n", chunk->offset,
			chunk->length);
		d->lost_bytes += chunk->length;
		rvtrace_ntrace_resync(reader, next);
		return 0;
	default:
		return 0;
	}
}

static void check_end(struct decode *d, struct rvtrace_ntrace *reader)
{
	uint64_t offset;

	if (rvtrace_ntrace_pending(reader, &offset))
		fprintf(d->out.file, "%10" PRIu64 " -- the last message is cut\n", offset);
}

static int packets_of_file(struct decode *d, struct rvtrace_ntrace *reader,
			   struct rvtrace_recording_error *error)
{
	struct rvtrace_chunk chunk = { .type = RVTRACE_CHUNK_DATA };
	int fd = decode_raw_open(d, error), ret = 0;
	uint8_t *buffer = malloc(PIECE);
	ssize_t got = 0;

	chunk.data = buffer;
	while (fd >= 0 && buffer && !ret && (got = read(fd, buffer, PIECE)) > 0) {
		chunk.length = got;
		ret = packets_of_chunk(d, reader, &chunk);
		chunk.offset += got;
	}
	if (got < 0) {
		ret = -errno;
		snprintf(error->text, sizeof(error->text), "%s: %s", d->object, strerror(errno));
	}
	free(buffer);
	if (fd < 0)
		return fd;
	decode_raw_close(fd);
	return buffer ? ret : -ENOMEM;
}

static int packets_of_sink(struct decode *d, struct rvtrace_ntrace *reader,
			   struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	int ret;

	ret = rvtrace_recording_stream_open(d->recording, d->sink, &stream, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_stream_next(stream, &chunk, error)) > 0) {
		ret = packets_of_chunk(d, reader, &chunk);
		if (ret)
			break;
	}
	rvtrace_recording_stream_free(stream);
	return ret;
}

static int packets_of(struct decode *d, struct rvtrace_recording_error *error)
{
	struct rvtrace_ntrace_config config = {
		.src_bits = d->config.src_bits, .xlen = d->config.isa.xlen,
		.extend_addr_msb = d->config.extend_addr_msb,
		.software_owner = d->config.priv_by_address,
	};
	struct rvtrace_ntrace *reader;
	int ret;

	decode_sources(d);
	if (rvtrace_ntrace_new(&config, &reader))
		return -ENOMEM;
	ret = d->raw ? packets_of_file(d, reader, error) : packets_of_sink(d, reader, error);
	if (!ret)
		check_end(d, reader);
	rvtrace_ntrace_free(reader);
	return ret;
}

int decode_packets(struct decode *d, struct rvtrace_recording_error *error)
{
	int ret = 0;

	progress_start(&d->progress);
	if (d->raw)
		ret = decode_raw_config(d, error);
	if (d->raw && !ret)
		ret = packets_of(d, error);
	for (d->sink = 0; !d->raw && !ret && d->sink < rvtrace_recording_sink_count(d->recording);
	     d->sink++) {
		ret = rvtrace_replay_config(d->recording, d->sink, &d->config, error);
		if (!ret)
			ret = packets_of(d, error);
	}
	progress_end(&d->progress);
	return ret;
}
