// SPDX-License-Identifier: GPL-2.0
/* Packets of E-Trace: the fields of encapsulation and payload by name. */
#include <stdlib.h>

#include <rvtrace/etrace.h>

#include "tools/lib/base/time_bits.h"
#include "packets.h"

/*
 * @params: of the last packet's source
 * @restart: behind which one, 0: none
 */
struct reader {
	struct rvtrace_etrace *etrace;
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace_params params;
	unsigned int restart;
};

static void *open_reader(const struct rvtrace_flow_config *config)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || rvtrace_etrace_new(&config->etrace, &reader->etrace)) {
		free(reader);
		return NULL;
	}
	return reader;
}

static int feed(void *data, const void *bytes, size_t size)
{
	struct reader *reader = data;

	return rvtrace_etrace_feed(reader->etrace, bytes, size);
}

static int next(void *data, struct packet *packet)
{
	struct reader *reader = data;
	const struct rvtrace_etrace_packet *p = &reader->packet;
	int ret = rvtrace_etrace_next(reader->etrace, &reader->packet);

	*packet = (struct packet) { .offset = p->offset, .size = p->size };
	if (ret > 0) {
		packet->raw = p->raw;
		packet->name = rvtrace_etrace_name(p);
		packet->source = p->srcid;
		packet->has_time = p->has_now;
		packet->time = reader->restart ? restart_time(reader->restart, p->now, 0) : p->now;
		/* support packets may change them */
		rvtrace_etrace_params_of(reader->etrace, p->srcid, &reader->params);
	}
	return ret;
}

static void irreport(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;

	packet_number(out, "irreport", i->irreport);
	if (rvtrace_etrace_irdepth_width(&reader->params))
		packet_number(out, reader->params.iret_ext ? "irets" : "irdepth", i->irdepth);
}

/* The end of formats 0 to 2, if they have it. */
static void differential(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;

	if (!i->has_address)
		return;
	packet_hex(out, "address", i->address);
	packet_number(out, "notify", i->notify);
	packet_number(out, "updiscon", i->updiscon);
	irreport(reader, out);
}

static void inst_0(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;

	packet_number(out, "subformat", i->subformat);
	if (i->subformat == RVTRACE_ETRACE_BRANCH_COUNT) {
		packet_number(out, "branch_count", i->branch_count);
		packet_number(out, "branch_fmt", i->branch_fmt);
		differential(reader, out);
		return;
	}
	packet_number(out, "index", i->index);
	packet_number(out, "branches", i->branches);
	if (i->branches)
		packet_hex(out, "branch_map", i->branch_map);
	irreport(reader, out);
}

/* A field that may have no bits. */
static void optional(struct out *out, bool there, const char *name, uint64_t value)
{
	if (there)
		packet_number(out, name, value);
}

static void support(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;
	const struct rvtrace_etrace_params *p = &reader->params;

	packet_number(out, "ienable", i->ienable);
	optional(out, i->standard || p->encoder_mode_width, "encoder_mode", i->encoder_mode);
	packet_number(out, "qual_status", i->qual_status);
	optional(out, i->standard || p->ioptions_width, "ioptions", i->ioptions);
	optional(out, i->standard || p->denable_width, "denable", i->denable);
	optional(out, i->standard || p->dloss_width, "dloss", i->dloss);
	optional(out, i->standard || p->doptions_width, "doptions", i->doptions);
	if (i->standard)
		packet_hex(out, "sizes", i->sizes);
}

static void inst_3(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;

	packet_number(out, "subformat", i->subformat);
	if (i->subformat == RVTRACE_ETRACE_SUPPORT) {
		support(reader, out);
		return;
	}
	if (i->subformat != RVTRACE_ETRACE_CONTEXT)
		packet_number(out, "branch", i->branch);
	packet_number(out, "privilege", i->privilege);
	optional(out, i->has_time, "time", i->time);
	optional(out, i->has_context, "context", i->context);
	if (i->subformat == RVTRACE_ETRACE_TRAP) {
		packet_number(out, "ecause", i->ecause);
		packet_number(out, "interrupt", i->interrupt);
		packet_number(out, "thaddr", i->thaddr);
	}
	if (i->has_address)
		packet_hex(out, "address", i->address);
	if (i->has_tval)
		packet_hex(out, "tval", i->tval);
}

static void te_inst(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_inst *i = &reader->packet.inst;

	packet_number(out, "format", i->format);
	switch (i->format) {
	case RVTRACE_ETRACE_OPT_EXT:
		inst_0(reader, out);
		break;
	case RVTRACE_ETRACE_DIFF_DELTA:
		packet_number(out, "branches", i->branches);
		packet_hex(out, "branch_map", i->branch_map);
		differential(reader, out);
		break;
	case RVTRACE_ETRACE_ADDR_ONLY:
		differential(reader, out);
		break;
	default:
		inst_3(reader, out);
	}
}

/* Up to 128 bits. */
static void wide(struct out *out, const char *name, const uint64_t value[2])
{
	static const char *const upper[] = { "data_upper", "operand_upper" };

	packet_hex(out, name, value[0]);
	if (value[1] != (uint64_t)((int64_t)value[0] >> 63))
		packet_hex(out, upper[*name == 'o'], value[1]);
}

/* What 2.0 has in format and subtype, the 2.0.5 draft has in format and subformat. */
static unsigned int subformat(const struct rvtrace_etrace_te_data *d)
{
	switch (d->kind) {
	case RVTRACE_ETRACE_CSR:
		return 4 + d->subtype;
	case RVTRACE_ETRACE_ATOMIC:
		return d->subtype == RVTRACE_ETRACE_CAS_FAILED ? 7 : 8 + d->subtype;
	}
	return (d->kind == RVTRACE_ETRACE_STORE ? 2 : 0) + d->unaligned;
}

static bool is_answer(const struct rvtrace_etrace_te_data *d)
{
	return d->kind == RVTRACE_ETRACE_LOAD_DATA || d->kind == RVTRACE_ETRACE_ATOMIC_DATA;
}

static void data_format(const struct rvtrace_etrace_params *p, struct out *out,
			const struct rvtrace_etrace_te_data *d)
{
	bool csr = d->kind == RVTRACE_ETRACE_CSR;

	/* unified loads and stores alone need none in the draft */
	optional(out, !p->mmacas_ext || p->split || p->dtype_width > 1, "format", d->format);
	if (p->mmacas_ext && !is_answer(d))
		packet_number(out, "subformat", subformat(d));
	else if (csr || d->kind == RVTRACE_ETRACE_ATOMIC)
		packet_number(out, "subtype", d->subtype);
	optional(out, !csr && d->kind != RVTRACE_ETRACE_ATOMIC_DATA, "size", d->size);
	optional(out, d->split, "lrid", d->lrid);
	packet_number(out, is_answer(d) ? "resp" : "diff", d->diff);
}

static void data_value(struct out *out, const struct rvtrace_etrace_te_data *d, bool has_len)
{
	if (!d->has_data)
		return;
	optional(out, has_len, "data_len", d->data_len);
	wide(out, "data", d->data);
}

static void operand_value(struct out *out, const struct rvtrace_etrace_te_data *d, bool has_len)
{
	if (!d->has_operand)
		return;
	optional(out, has_len, "op_len", d->op_len);
	wide(out, "operand", d->operand);
}

static void te_data(const struct reader *reader, struct out *out)
{
	const struct rvtrace_etrace_te_data *d = &reader->packet.data;
	const struct rvtrace_etrace_params *p = &reader->params;

	data_format(p, out, d);
	if (d->kind == RVTRACE_ETRACE_CSR) {
		data_value(out, d, true);
		packet_hex(out, "addr_msbs", d->csr >> 6);
		operand_value(out, d, true);
		packet_hex(out, "addr_lsbs", d->csr & 0x3f);
		return;
	}
	/* what ends the packet has no length */
	operand_value(out, d, d->has_address || d->has_data || !p->mmacas_ext);
	data_value(out, d, d->has_address || d->kind == RVTRACE_ETRACE_ATOMIC_DATA);
	if (d->has_address)
		packet_hex(out, "address", d->address);
}

static void event(const struct rvtrace_etrace_event *e, struct out *out)
{
	packet_hex(out, "id", e->id);
	if (e->id)
		packet_hex(out, "value", e->value);
	else
		packet_number(out, "missed", e->value);
}

/* As it was sent */
static unsigned int srcid_of(const struct reader *reader)
{
	const struct rvtrace_etrace_packet *p = &reader->packet;
	unsigned int bit = reader->params.event_srcid_bit;

	return p->kind == RVTRACE_ETRACE_EVENT && bit != RVTRACE_ETRACE_NO_EVENTS ?
	       p->srcid | 1u << bit : p->srcid;
}

static void fields(const void *data, struct out *out)
{
	const struct reader *reader = data;
	const struct rvtrace_etrace_packet *p = &reader->packet;

	packet_number(out, "length", p->raw[0] & 0x1f);
	packet_number(out, "flow", p->flow);
	packet_number(out, "extend", p->extend);
	if (reader->params.srcid_width)
		packet_number(out, "srcID", srcid_of(reader));
	if (p->extend)
		packet_number(out, "timestamp", p->timestamp);
	if (reader->params.type_width)
		packet_number(out, "type", p->type);
	if (p->kind == RVTRACE_ETRACE_TE_INST)
		te_inst(reader, out);
	else if (p->kind == RVTRACE_ETRACE_TE_DATA)
		te_data(reader, out);
	else if (p->kind == RVTRACE_ETRACE_EVENT)
		event(&p->event, out);
}

static void resync(void *data, uint64_t offset)
{
	struct reader *reader = data;

	rvtrace_etrace_resync(reader->etrace, offset);
}

static void restart(void *data, unsigned int number)
{
	struct reader *reader = data;

	reader->restart = number;
	rvtrace_etrace_restart(reader->etrace);
}

static size_t pending(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_etrace_pending(reader->etrace, offset);
}

static void close_reader(void *data)
{
	struct reader *reader = data;

	rvtrace_etrace_free(reader->etrace);
	free(reader);
}

const struct packet_format packets_etrace = {
	.open = open_reader, .feed = feed, .next = next, .fields = fields, .resync = resync,
	.restart = restart, .pending = pending, .close = close_reader,
};
