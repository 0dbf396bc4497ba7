// SPDX-License-Identifier: GPL-2.0
/* Messages of N-Trace and of SiFive's encoders before it: their fields by name. */
#include <stdlib.h>

#include <rvtrace/ntrace.h>

#include "tools/lib/base/time_bits.h"
#include "packets.h"

/*
 * @times: last time of each source, if it is known
 * @latest: of any of them
 */
struct reader {
	struct rvtrace_ntrace *ntrace;
	struct rvtrace_ntrace_message message;
	bool src;
	bool sifive;
	uint8_t time_bits;
	uint64_t latest;
	struct {
		uint64_t time;
		bool known;
	} times[4096];		/* SRC has at most 12 bits */
};

static void *open_reader(const struct rvtrace_flow_config *config)
{
	const struct rvtrace_ntrace_config ntrace = {
		.src_bits = config->src_bits, .xlen = config->isa.xlen,
		.extend_addr_msb = config->ntrace.extend_addr_msb, .sifive = config->ntrace.sifive,
		.software_owner = config->priv_by_address,
	};
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || rvtrace_ntrace_new(&ntrace, &reader->ntrace)) {
		free(reader);
		return NULL;
	}
	reader->src = config->src_bits;
	reader->sifive = config->ntrace.sifive;
	reader->time_bits = config->time_bits;
	reader->latest = config->time_near;
	return reader;
}

static int feed(void *data, const void *bytes, size_t size)
{
	struct reader *reader = data;

	return rvtrace_ntrace_feed(reader->ntrace, bytes, size);
}

/* "Timestamp Reporting", as the flow layer has it. */
static void take_time(struct reader *reader, struct packet *packet)
{
	const struct rvtrace_ntrace_message *m = &reader->message;
	uint64_t *time = &reader->times[m->src].time, next = m->tstamp;
	bool *known = &reader->times[m->src].known;
	bool absolute = m->has_sync || m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC;

	if (m->has_tstamp && (absolute || *known)) {
		if (!absolute)
			next = reader->sifive ? *time ^ next : *time + next;
		*known = true;
		*time = nearest_time(reader->latest, next, reader->time_bits);
		reader->latest = *time;
	}
	packet->has_time = *known;
	packet->time = *time;
}

static int next(void *data, struct packet *packet)
{
	struct reader *reader = data;
	const struct rvtrace_ntrace_message *m = &reader->message;
	int ret = rvtrace_ntrace_next(reader->ntrace, &reader->message);

	*packet = (struct packet) { .offset = m->offset, .size = m->size };
	if (ret > 0) {
		packet->raw = m->raw;
		packet->name = rvtrace_ntrace_tcode_name(m->tcode);
		packet->source = m->src;
		take_time(reader, packet);
	}
	return ret;
}

static void resource_full(struct out *out, const struct rvtrace_ntrace_message *m, bool sifive)
{
	packet_number(out, "RCODE", m->rcode);
	if (m->has_icnt)
		packet_number(out, "RDATA", m->icnt);
	else if (m->has_hist)
		packet_hex(out, "RDATA", m->hist);
	else if (sifive && (m->rcode == RVTRACE_NTRACE_RCODE_TAKEN ||
			    m->rcode == RVTRACE_NTRACE_RCODE_NOT_TAKEN))
		packet_hex(out, "RDATA", m->data);
	if (m->rcode == 2)
		packet_number(out, "HREPEAT", m->repeat);
}

static void branch(struct out *out, const struct rvtrace_ntrace_message *m)
{
	switch (m->tcode) {
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC:
		packet_number(out, "B-TYPE", m->btype);
		break;
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		packet_number(out, "EVCODE", m->evcode);
		packet_number(out, "CDF", m->has_hist);
		break;
	}
	if (m->has_icnt)
		packet_number(out, "I-CNT", m->icnt);
	if (m->has_address)
		packet_hex(out, m->has_sync ? "F-ADDR" : "U-ADDR", m->address);
	if (m->has_hist)
		packet_hex(out, "HIST", m->hist);
}

static void ownership(struct out *out, const struct rvtrace_ntrace_message *m)
{
	if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE ||
	    m->format == RVTRACE_NTRACE_PROCESS_RESERVED) {
		packet_hex(out, "PROCESS", m->data);
		return;
	}
	packet_number(out, "FORMAT", m->format);
	packet_number(out, "PRV", m->priv);
	packet_number(out, "V", m->v);
	if (m->format >= RVTRACE_NTRACE_PROCESS_SCONTEXT)
		packet_number(out, "CONTEXT", m->context);
}

static void in_circuit_trace(struct out *out, const struct rvtrace_ntrace_message *m)
{
	static const char *const names[] = { "CKDATA0", "CKDATA1", "CKDATA2", "CKDATA3" };
	unsigned int i;

	packet_number(out, "CKSRC", m->cksrc);
	packet_number(out, "CKDF", m->ckdf);
	for (i = 0; i <= m->ckdf; i++)
		packet_hex(out, names[i], m->ckdata[i]);
}

static void fields(const void *data, struct out *out)
{
	const struct reader *reader = data;
	const struct rvtrace_ntrace_message *m = &reader->message;

	packet_number(out, "TCODE", m->tcode);
	if (reader->src)
		packet_number(out, "SRC", m->src);
	if (m->has_sync)
		packet_number(out, "SYNC", m->sync);
	switch (m->tcode) {
	case RVTRACE_NTRACE_OWNERSHIP:
		ownership(out, m);
		break;
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		packet_number(out, "IDTAG", m->id);
		packet_hex(out, "DQDATA", m->data);
		break;
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		if (reader->sifive) {
			packet_hex(out, "ADDR", m->id);
			packet_hex(out, "DATA", m->data);
		}
		break;
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE:
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC:
		if (reader->sifive)
			in_circuit_trace(out, m);
		break;
	case RVTRACE_NTRACE_ERROR:
		packet_number(out, "ETYPE", m->etype);
		packet_hex(out, "ECODE", m->ecode);
		break;
	case RVTRACE_NTRACE_RESOURCE_FULL:
		resource_full(out, m, reader->sifive);
		break;
	case RVTRACE_NTRACE_REPEAT_BRANCH:
		packet_number(out, "B-CNT", m->repeat);
		break;
	default:
		branch(out, m);
	}
	if (m->has_tstamp)
		packet_number(out, "TSTAMP", m->tstamp);
}

static void resync(void *data, uint64_t offset)
{
	struct reader *reader = data;

	rvtrace_ntrace_resync(reader->ntrace, offset);
}

static void restart(void *data, unsigned int number)
{
	struct reader *reader = data;

	reader->latest = restart_near(number, reader->time_bits);
	reader->time_bits = restart_bits(reader->time_bits);
	for (size_t i = 0; i < sizeof(reader->times) / sizeof(reader->times[0]); i++)
		reader->times[i].known = false;
}

static size_t pending(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_ntrace_pending(reader->ntrace, offset);
}

static void close_reader(void *data)
{
	struct reader *reader = data;

	rvtrace_ntrace_free(reader->ntrace);
	free(reader);
}

const struct packet_format packets_ntrace = {
	.open = open_reader, .feed = feed, .next = next, .fields = fields, .resync = resync,
	.restart = restart, .pending = pending, .close = close_reader,
};
