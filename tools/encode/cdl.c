// SPDX-License-Identifier: GPL-2.0-or-later
/* CDL compressed trace encoder: see cdl.h. */
#include "tools/encode/cdl.h"

#include <string.h>

/* Control nybbles */
#define NONSEQ		0x8	/* 10RR */
#define DATA_DOC	0xc
#define TRACEPOINT	0xd
#define DATA_RTL	0xe

/* The order of a cycle */
enum { ORDER_SEQ = 1, ORDER_NONSEQ, ORDER_MIDDLE, ORDER_LAST, ORDER_NONE };

const char *cdl_params_check(const struct cdl_params *params)
{
	uint32_t interval = params->sync_interval;
	uint32_t least = params->xlen == 64 ? CDL_INTERVAL_MIN_RV64 : CDL_INTERVAL_MIN;

	if (params->flavour > CDL_RTL)
		return "flavour is neither doc nor rtl";
	if (params->xlen != 32 && params->xlen != 64)
		return "xlen is not 32 or 64";
	if (params->rv64 && params->xlen != 64)
		return "rv64 goes with xlen 64";
	if (params->xlen == 64 && !params->rv64 && (params->flavour == CDL_DOC || params->rfw))
		return "values of 64 bits do not fit without rv64";
	if (interval && (interval < least || interval % 8))
		return "sync_interval is not a multiple of 8 from 64 on, with xlen 64 from 72 on";
	return NULL;
}

/* Nybbles of data, at most. */
static unsigned int data_nybbles(const struct cdl_params *params, unsigned int reason)
{
	unsigned int bytes = params->xlen / 8 + reason, least = params->flavour == CDL_RTL;

	return (bytes > 7 + least ? 4 : 2) + 2 * bytes;
}

/* What may have to be recorded in one piece: a jump with what is told of it and before it. */
static unsigned int longest(const struct cdl_params *params)
{
	return 1 + 4 + 2 * data_nybbles(params, 0) + data_nybbles(params, 1);
}

/* Compression */

/* Bytes of a value: as many as it needs, or all that it can have. */
static unsigned int value_bytes(const struct cdl_params *params, const uint8_t *value,
				unsigned int most)
{
	unsigned int bytes = most;

	while (!params->full && bytes > 0 && !value[bytes - 1])
		bytes--;
	return bytes;
}

/* One item of data; returns its nybbles. */
static unsigned int put_data(const struct cdl_params *params, unsigned int reason,
			     const uint8_t *value, unsigned int bytes, uint8_t *to)
{
	bool rtl = params->flavour == CDL_RTL;

	to[0] = rtl ? DATA_RTL : DATA_DOC;
	to[1] = reason << 3 | (rtl ? bytes - 1 : bytes);
	for (unsigned int i = 0; i < bytes; i++) {
		to[2 + 2 * i] = value[i] & 0xf;
		to[3 + 2 * i] = value[i] >> 4;
	}
	return 2 + 2 * bytes;
}

/* "Data for a PC or RFW": the register's number is the lowest byte of what is written. */
static unsigned int compress_data(const struct cdl_params *params, const struct cdl_packed *cycle,
				  uint8_t *to)
{
	unsigned int least = params->flavour == CDL_RTL, room = 7 + least;
	unsigned int most = params->xlen / 8 + cycle->data_reason, bytes, size;
	uint8_t value[9] = { cycle->rd };

	for (unsigned int i = 0; i < 8; i++)
		value[i + cycle->data_reason] = cycle->data >> 8 * i;
	bytes = value_bytes(params, value, most);
	if (bytes < least)
		bytes = least;
	if (bytes < room || most <= room)
		return put_data(params, cycle->data_reason, value, bytes, to);
	/* the rest is told even if it is zero: NNN 7 announces it */
	size = put_data(params, cycle->data_reason, value, room, to);
	bytes -= room;
	if (bytes < least)
		bytes = least;
	return size + put_data(params, cycle->data_reason, value + room, bytes, to + size);
}

static unsigned int put_tracepoint(const struct cdl_packed *cycle, uint8_t *to)
{
	to[0] = TRACEPOINT;
	to[1] = cycle->bkpt;
	return 2;
}

unsigned int cdl_compress(const struct cdl_params *params, const struct cdl_packed *cycle,
			  uint8_t nybbles[CDL_CYCLE_MAX])
{
	bool rtl = params->flavour == CDL_RTL;
	unsigned int size = 0;

	if (cycle->seq_valid)
		nybbles[size++] = cycle->seq;
	if (cycle->nonseq_valid)
		nybbles[size++] = NONSEQ | cycle->nonseq;
	if (rtl && cycle->bkpt_valid)
		size += put_tracepoint(cycle, nybbles + size);
	if (cycle->data_valid)
		size += compress_data(params, cycle, nybbles + size);
	if (!rtl && cycle->bkpt_valid)
		size += put_tracepoint(cycle, nybbles + size);
	return size;
}

/* Cycles */

static unsigned int order_of(const struct cdl_params *params, bool data)
{
	return data == (params->flavour == CDL_RTL) ? ORDER_LAST : ORDER_MIDDLE;
}

static unsigned int first_order(const struct cdl_params *params, const struct cdl_packed *cycle)
{
	if (cycle->seq_valid)
		return ORDER_SEQ;
	if (cycle->nonseq_valid)
		return ORDER_NONSEQ;
	if (cycle->data_valid && cycle->bkpt_valid)
		return ORDER_MIDDLE;
	return order_of(params, cycle->data_valid);
}

static unsigned int last_order(const struct cdl_params *params, const struct cdl_packed *cycle)
{
	if (cycle->data_valid && cycle->bkpt_valid)
		return ORDER_LAST;
	if (cycle->data_valid || cycle->bkpt_valid)
		return order_of(params, cycle->data_valid);
	return cycle->nonseq_valid ? ORDER_NONSEQ : ORDER_SEQ;
}

/*
 * A reader takes what follows in the order of a cycle for one cycle. That matters where the jump is
 * not the last instruction SSS counts, and where it is not the jump that is reported on.
 */
static bool would_mix(const struct cdl_encoder *enc, const struct cdl_packed *cycle)
{
	unsigned int order = first_order(&enc->params, cycle);

	if (order <= enc->last)
		return false;
	if (order == ORDER_NONSEQ)
		return enc->params.flavour == CDL_RTL;
	return enc->last_nonseq && (cycle->bkpt_valid || (enc->params.flavour == CDL_DOC &&
							  cycle->data_reason));
}

static void put_cycle(struct cdl_encoder *enc, const struct cdl_packed *cycle,
		      unsigned int reserve)
{
	uint8_t nybbles[1 + CDL_CYCLE_MAX] = { 0 };
	unsigned int size = cdl_compress(&enc->params, cycle, nybbles + 1);
	bool skip = !enc->params.plain && would_mix(enc, cycle);

	if (!size)
		return;
	cdl_record(&enc->recorder, nybbles + !skip, size + skip, reserve);
	enc->last_nonseq = cycle->nonseq_valid ||
			   (enc->last_nonseq && !skip && first_order(&enc->params, cycle) >
			    enc->last);
	enc->last = last_order(&enc->params, cycle);
}

/* The PC that is due, in a cycle of its own. */
static void put_pc(struct cdl_encoder *enc)
{
	const struct cdl_packed cycle = { .data_valid = true, .data = enc->pc };

	enc->pc_required = false;
	put_cycle(enc, &cycle, 0);
}

void cdl_encoder_init(struct cdl_encoder *enc, const struct cdl_params *params, cdl_emit emit,
		      void *opaque)
{
	memset(enc, 0, sizeof(*enc));
	enc->params = *params;
	enc->recorder.interval = params->sync_interval;
	enc->recorder.emit = emit;
	enc->recorder.opaque = opaque;
	enc->last = ORDER_NONE;
}

void cdl_encoder_resume(struct cdl_encoder *enc, uint64_t recorded)
{
	enc->recorder.count = recorded;
}

void cdl_encoder_start(struct cdl_encoder *enc)
{
	enc->seq = 0;
	enc->pc_required = enc->params.pc;
	enc->pc_known = false;
	enc->last = ORDER_NONE;
	enc->last_nonseq = false;
	enc->holds = false;
}

static void set_change(const struct cdl_params *params, const struct cdl_insn *insn,
		       struct cdl_packed *cycle)
{
	cycle->nonseq_valid = true;
	switch (insn->change) {
	case CDL_SEQUENTIAL:
		cycle->nonseq_valid = false;
		break;
	case CDL_JAL:
		cycle->nonseq = params->flavour == CDL_DOC;
		break;
	case CDL_JALR:
		cycle->nonseq = 1;
		break;
	case CDL_TRAP:
		cycle->nonseq = 2;
		break;
	case CDL_RET:
		cycle->nonseq = 3;
		break;
	}
}

static void set_data(struct cdl_packed *cycle, unsigned int reason, unsigned int rd, uint64_t data)
{
	cycle->data_valid = true;
	cycle->data_reason = reason;
	cycle->rd = rd;
	cycle->data = data;
}

static void set_tracepoint(const struct cdl_params *params, const struct cdl_insn *insn,
			   struct cdl_packed *cycle)
{
	cycle->bkpt_valid = params->tracepoints && insn->tracepoint_valid;
	cycle->bkpt = insn->tracepoint;
}

/* After a jump, where it leads has to be told. */
static void require_pc(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	enc->pc_required = enc->params.pc;
	enc->pc_known = true;
	enc->pc = insn->target;
}

/*
 * The text: SSS counts what was executed before this cycle. What is reported of an instruction that
 * does not jump comes before the SSS that counts it. A cycle has one field for data: if a register
 * takes it, the PC goes into the next one.
 */
static void insn_doc(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	const struct cdl_params *params = &enc->params;
	struct cdl_packed cycle = { .seq_valid = enc->seq, .seq = enc->seq };
	bool writes = params->rfw && insn->rfw_valid;

	set_change(params, insn, &cycle);
	set_tracepoint(params, insn, &cycle);
	if (enc->pc_required) {		/* the first instruction */
		set_data(&cycle, 0, 0, insn->pc);
		enc->pc_required = false;
		if (writes || cycle.nonseq_valid || cycle.bkpt_valid) {
			const struct cdl_packed first = { .data_valid = true, .data = insn->pc };

			put_cycle(enc, &first, 0);
			cycle.data_valid = false;
		}
	}
	if (writes)
		set_data(&cycle, 1, insn->rfw_rd, insn->rfw_data);
	if (cycle.nonseq_valid) {
		require_pc(enc, insn);
		if (enc->pc_required && !cycle.data_valid) {
			set_data(&cycle, 0, 0, enc->pc);
			enc->pc_required = false;
		}
		put_cycle(enc, &cycle, enc->pc_required ? data_nybbles(params, 0) : 0);
		if (enc->pc_required)
			put_pc(enc);
		enc->seq = 0;
		return;
	}
	if (cycle.data_valid || cycle.bkpt_valid) {
		put_cycle(enc, &cycle, 0);
		enc->seq = 0;
	}
	if (++enc->seq == 7) {
		const struct cdl_packed full = { .seq_valid = true, .seq = 7 };

		put_cycle(enc, &full, 0);
		enc->seq = 0;
	}
}

/*
 * The hardware: SSS counts all instructions up to that of its cycle, and is there if a jump makes
 * it worth, but not for the jump alone. The PC comes with the next instruction; where that would
 * have to lie behind a place of synchronization, before it. Registers are written a cycle later.
 */
static void insn_rtl(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	const struct cdl_params *params = &enc->params;
	struct cdl_packed cycle = { 0 };
	bool jumps = insn->change != CDL_SEQUENTIAL;
	unsigned int reserve;

	set_change(params, insn, &cycle);
	set_tracepoint(params, insn, &cycle);
	cycle.seq_valid = (jumps && enc->seq) || enc->seq == 6;
	cycle.seq = ++enc->seq;
	if (enc->pc_required && enc->pc_known &&
	    !cdl_record_fits(&enc->recorder, longest(params)))
		put_pc(enc);
	if (enc->pc_required)
		set_data(&cycle, 0, 0, enc->pc_known ? enc->pc : insn->pc);
	reserve = jumps ? data_nybbles(params, 0) : 0;
	put_cycle(enc, &cycle, reserve + (params->rfw ? data_nybbles(params, 1) : 0));
	enc->pc_required = false;
	if (cycle.seq_valid)
		enc->seq = 0;
	if (jumps)
		require_pc(enc, insn);
	if (params->rfw && insn->rfw_valid) {
		struct cdl_packed later = { 0 };

		set_data(&later, 1, insn->rfw_rd, insn->rfw_data);
		put_cycle(enc, &later, reserve);
	}
}

static void put_insn(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	if (enc->params.flavour == CDL_RTL)
		insn_rtl(enc, insn);
	else
		insn_doc(enc, insn);
}

static void let_go(struct cdl_encoder *enc)
{
	if (enc->holds)
		put_insn(enc, &enc->held);
	enc->holds = false;
}

void cdl_encoder_insn(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	let_go(enc);
	put_insn(enc, insn);
}

static uint8_t change_of(unsigned int itype)
{
	switch (itype) {
	case INGRESS_BRANCH_TAKEN:
		return CDL_BRANCH_TAKEN;
	case INGRESS_DIRECT_CALL:
	case INGRESS_DIRECT_JUMP:
	case INGRESS_OTHER_DIRECT_JUMP:
		return CDL_JAL;
	case INGRESS_INDIRECT_CALL:
	case INGRESS_INDIRECT_JUMP:
	case INGRESS_COROUTINE_SWAP:
	case INGRESS_RETURN:
	case INGRESS_OTHER_INDIRECT_JUMP:
		return CDL_JALR;
	case INGRESS_TRAP_RETURN:
		return CDL_RET;
	default:
		return CDL_SEQUENTIAL;
	}
}

/* What it writes to a register, if that is told, comes behind it. */
static void take(struct cdl_encoder *enc, const struct cdl_insn *insn)
{
	let_go(enc);
	enc->held = *insn;
	enc->holds = enc->params.rfw;
	if (!enc->holds)
		put_insn(enc, insn);
}

void cdl_encoder_write(struct cdl_encoder *enc, uint8_t rd, uint64_t value)
{
	enc->held.rfw_valid = true;
	enc->held.rfw_rd = rd;
	enc->held.rfw_data = value;
}

bool cdl_encoder_block(struct cdl_encoder *enc, const struct ingress_block *block)
{
	struct cdl_insn insn = { .pc = block->start, .target = block->target };

	if (block->halfwords > block->last_size)
		return false;
	if (block->halfwords) {
		insn.change = change_of(block->itype);
		take(enc, &insn);
	}
	if (block->itype == INGRESS_EXCEPTION || block->itype == INGRESS_INTERRUPT) {
		insn.pc = block->start + 2ull * block->halfwords;
		insn.change = CDL_TRAP;
		take(enc, &insn);
	}
	return true;
}

void cdl_encoder_stop(struct cdl_encoder *enc)
{
	struct cdl_packed cycle = { 0 };

	let_go(enc);
	cycle.seq = enc->seq;
	cycle.seq_valid = enc->seq;
	if (enc->pc_required && enc->pc_known)
		put_pc(enc);
	if (enc->seq)
		put_cycle(enc, &cycle, 0);
	enc->seq = 0;
	cdl_record_flush(&enc->recorder);
}
