// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/debugspec.h"

#include <string.h>

#define NEVER	UINT64_MAX

/* mcause of ecall from U-mode to M-mode */
#define CAUSE_ECALL_FIRST	8
#define CAUSE_ECALL_LAST	11

const char *debugspec_params_check(const struct debugspec_params *params)
{
	if (params->xlen != 32 && params->xlen != 64)
		return "the hart has neither 32 nor 64 bits";
	if (!params->emit)
		return "nothing is to be traced";
	return NULL;
}

static void forget(struct debugspec_encoder *enc)
{
	for (unsigned int i = 0; i < DEBUGSPEC_KINDS; i++)
		enc->full[i] = NEVER;
}

void debugspec_encoder_init(struct debugspec_encoder *enc, const struct debugspec_params *params,
			    struct debugspec_stream *stream)
{
	memset(enc, 0, sizeof(*enc));
	enc->params = *params;
	enc->stream = stream;
	forget(enc);
}

static bool emits(const struct debugspec_encoder *enc, unsigned int what)
{
	return enc->params.emit & what;
}

static uint64_t cut(uint64_t value, unsigned int bits)
{
	return bits < 64 ? value & ((1ull << bits) - 1) : value;
}

/* "Data Dropped": everything up to Trace Disabled is. */
static bool put(struct debugspec_encoder *enc, const struct debugspec_sequence *sequence)
{
	if (!enc->lost && !debugspec_stream_put(enc->stream, enc->params.hart, sequence))
		enc->lost = true;
	return !enc->lost;
}

static bool put_header(struct debugspec_encoder *enc, enum debugspec_header header)
{
	struct debugspec_sequence sequence;

	debugspec_header(&sequence, header);
	return put(enc, &sequence);
}

bool debugspec_encoder_value(struct debugspec_encoder *enc, enum debugspec_kind kind,
			     uint64_t value)
{
	static const uint8_t headers[] = {
		[DEBUGSPEC_KIND_PC] = DEBUGSPEC_PC,
		[DEBUGSPEC_KIND_LOAD] = DEBUGSPEC_LOAD_ADDR,
		[DEBUGSPEC_KIND_STORE] = DEBUGSPEC_STORE_ADDR,
		[DEBUGSPEC_KIND_TIME] = DEBUGSPEC_TIME,
	};
	unsigned int bits = kind == DEBUGSPEC_KIND_TIME ? 64 : enc->params.xlen, digits, whole;
	struct debugspec_sequence sequence;
	uint64_t syncs;

	if (kind == DEBUGSPEC_KIND_PC) {
		/* "bits XLEN-1:1 of the PC if the compressed ISA is supported", else XLEN-1:2 */
		unsigned int low = enc->params.compressed ? 1 : 2;

		value = cut(value, bits) >> low;
		bits -= low;
	}
	value = cut(value, bits);
	whole = (bits + 3) / 4;
	/* what a buffer is too small for is never known in full */
	if (whole + 2 > debugspec_stream_longest(enc->stream, enc->params.hart))
		whole = debugspec_stream_longest(enc->stream, enc->params.hart) - 2;
	digits = enc->params.full ? whole : debugspec_digits_after(value, enc->sent[kind]);
	if (digits > whole)
		digits = whole;
	/* "one full value for each of these ... soon after each synchronization point" */
	syncs = debugspec_stream_syncs(enc->stream, enc->params.hart, digits + 2);
	if (enc->full[kind] != syncs)
		digits = whole;
	syncs = debugspec_stream_syncs(enc->stream, enc->params.hart, digits + 2);
	debugspec_value(&sequence, headers[kind], value, digits);
	if (!put(enc, &sequence))
		return false;
	enc->sent[kind] = value;
	if (digits == whole)
		enc->full[kind] = syncs;
	return true;
}

bool debugspec_encoder_data(struct debugspec_encoder *enc, enum debugspec_header header,
			    uint64_t data, unsigned int bits)
{
	struct debugspec_sequence sequence;
	unsigned int digits = (bits + 3) / 4;

	if (bits < 64)
		data = (uint64_t)((int64_t)(data << (64 - bits)) >> (64 - bits));
	if (!enc->params.full || digits + 2 > debugspec_stream_longest(enc->stream,
								       enc->params.hart))
		digits = debugspec_digits_signed(data);
	debugspec_value(&sequence, header, data, digits);
	return put(enc, &sequence);
}

static void put_time(struct debugspec_encoder *enc)
{
	if (emits(enc, DEBUGSPEC_EMITTIMESTAMP) && !enc->timed)
		debugspec_encoder_value(enc, DEBUGSPEC_KIND_TIME, enc->time);
	enc->timed = true;
}

static void put_any_pc(struct debugspec_encoder *enc, uint64_t pc)
{
	put_time(enc);
	debugspec_encoder_value(enc, DEBUGSPEC_KIND_PC, pc);
}

static void put_pc(struct debugspec_encoder *enc, uint64_t pc)
{
	if (emits(enc, DEBUGSPEC_EMITPC))
		put_any_pc(enc, pc);
}

/* "the cause of the change ... in bit 3, PRV[1:0] in bits 2:1, and IE in bit 0" */
static void put_privilege(struct debugspec_encoder *enc, const struct ingress_context *context,
			  bool interrupt)
{
	struct debugspec_sequence sequence;

	if (!emits(enc, DEBUGSPEC_EMITPRIV))
		return;
	debugspec_packet(&sequence, DEBUGSPEC_PRIVILEGE_LEVEL,
			 interrupt << 3 | (context->priv & 3) << 1 | context->ie);
	put(enc, &sequence);
}

/* Where the hart is. */
static void place(struct debugspec_encoder *enc, uint64_t pc)
{
	put_privilege(enc, &enc->context, false);
	put_pc(enc, pc);
	enc->placed = true;
	enc->untold = false;
	enc->told = false;
	enc->jumped = false;
}

static void begin(struct debugspec_encoder *enc)
{
	struct debugspec_sequence sequence;

	/* "a single packet indicating the version of the trace data (currently 0)" */
	debugspec_packet(&sequence, DEBUGSPEC_TRACE_ENABLED, 0);
	put(enc, &sequence);
	enc->begun = true;
}

/* "Trace Disabled must be emitted" after sequences were dropped. Return: nothing is owed. */
static bool report_loss(struct debugspec_encoder *enc)
{
	if (!enc->lost)
		return true;
	enc->lost = false;
	if (!put_header(enc, DEBUGSPEC_TRACE_DISABLED))
		return false;
	enc->losses++;
	forget(enc);
	enc->placed = false;
	enc->begun = true;
	return true;
}

void debugspec_encoder_start(struct debugspec_encoder *enc, const struct ingress_context *context)
{
	enc->enabled = true;
	enc->begun = false;
	enc->placed = false;
	enc->untold = false;
	enc->context = *context;
	forget(enc);
}

/* What an atomic leaves in memory. */
static uint64_t combine(const struct ingress_access *access)
{
	unsigned int bits = 8u << access->size;
	uint64_t old = cut(access->data[0], bits), with = cut(access->operand[0], bits);

	switch (access->dtype) {
	case INGRESS_ADD:
		return old + with;
	case INGRESS_AND:
		return old & with;
	case INGRESS_OR:
		return old | with;
	case INGRESS_XOR:
		return old ^ with;
	case INGRESS_MAX:
	case INGRESS_MIN:
		if (access->unsigned_order)
			return (old > with) == (access->dtype == INGRESS_MAX) ? old : with;
		return ((int64_t)(old << (64 - bits)) > (int64_t)(with << (64 - bits))) ==
		       (access->dtype == INGRESS_MAX) ? old : with;
	}
	return with;
}

static void put_load(struct debugspec_encoder *enc, const struct ingress_access *access)
{
	if (emits(enc, DEBUGSPEC_EMITLOADADDR))
		debugspec_encoder_value(enc, DEBUGSPEC_KIND_LOAD, access->address);
	if (emits(enc, DEBUGSPEC_EMITLOADDATA))
		debugspec_encoder_data(enc, DEBUGSPEC_LOADED, access->data[0],
				       access->size < 3 ? 8u << access->size : 64);
}

static void put_store(struct debugspec_encoder *enc, const struct ingress_access *access,
		      uint64_t data)
{
	if (emits(enc, DEBUGSPEC_EMITSTOREADDR))
		debugspec_encoder_value(enc, DEBUGSPEC_KIND_STORE, access->address);
	if (emits(enc, DEBUGSPEC_EMITSTOREDATA))
		debugspec_encoder_data(enc, DEBUGSPEC_STORED, data,
				       access->size < 3 ? 8u << access->size : 64);
}

/* "For reads emit Load Data (if enabled). For writes emit Store Data (if enabled)." */
static void put_csr(struct debugspec_encoder *enc, const struct ingress_access *access)
{
	uint64_t written = access->operand[0];

	if (access->dtype == INGRESS_CSR_RS)
		written |= access->data[0];
	else if (access->dtype == INGRESS_CSR_RC)
		written = access->data[0] & ~written;
	if (!access->unread && emits(enc, DEBUGSPEC_EMITLOADDATA))
		debugspec_encoder_data(enc, DEBUGSPEC_LOADED, access->data[0], enc->params.xlen);
	if (!access->unwritten && emits(enc, DEBUGSPEC_EMITSTOREDATA))
		debugspec_encoder_data(enc, DEBUGSPEC_STORED, written, enc->params.xlen);
}

static void put_access(struct debugspec_encoder *enc, const struct ingress_access *access)
{
	if (!emits(enc, DEBUGSPEC_EMITPC) &&
	    emits(enc, DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITSTOREADDR |
		  DEBUGSPEC_EMITLOADDATA | DEBUGSPEC_EMITSTOREDATA))
		put_time(enc);
	switch (access->dtype) {
	case INGRESS_LOAD:
	case INGRESS_CAS_FAILED:
		put_load(enc, access);
		break;
	case INGRESS_STORE:
		put_store(enc, access, access->data[0]);
		break;
	case INGRESS_CSR_RW:
	case INGRESS_CSR_RS:
	case INGRESS_CSR_RC:
		put_csr(enc, access);
		break;
	case INGRESS_SC_FAILED:
		break;
	default:
		put_load(enc, access);
		put_store(enc, access, combine(access));
		break;
	}
}

/* ecall or ebreak, which did not retire */
static bool is_own_trap(const struct ingress_block *block)
{
	return block->itype == INGRESS_EXCEPTION &&
	       (block->ebreak || (block->cause >= CAUSE_ECALL_FIRST &&
				  block->cause <= CAUSE_ECALL_LAST));
}

/* The last instruction was told of, and nothing has executed since. */
static void set_told(struct debugspec_encoder *enc)
{
	enc->untold = false;
	enc->jumped = false;
	enc->told = true;
	enc->told_pc = enc->last_pc;
}

/* Without branches. */
static void put_jump(struct debugspec_encoder *enc, uint64_t target)
{
	put_pc(enc, enc->last_pc);
	put_pc(enc, target);
	set_told(enc);
}

/* The last instruction is the one that was told of before, but executed once more. */
static bool is_again(const struct debugspec_encoder *enc)
{
	return emits(enc, DEBUGSPEC_EMITPC) && enc->untold && enc->told &&
	       enc->told_pc == enc->last_pc;
}

/* What a trap comes behind, and where that leads to but for the PC. */
static void put_source(struct debugspec_encoder *enc, const struct ingress_context *context,
		       bool interrupt)
{
	put_pc(enc, enc->last_pc);
	put_privilege(enc, context, interrupt);
	if (is_again(enc))
		put_privilege(enc, context, interrupt);
	set_told(enc);
}

/* "Emit PC ... of the last instruction executed. Emit Privilege Level. Finally emit the new PC." */
static void put_trap(struct debugspec_encoder *enc, const struct ingress_block *block)
{
	bool own = is_own_trap(block);

	if (own)
		enc->last_pc = cut(block->start + 2ull * block->halfwords, enc->params.xlen);
	if (enc->params.literal && emits(enc, DEBUGSPEC_EMITBRANCH) &&
	    (own || block->itype == INGRESS_TRAP_RETURN)) {
		put_privilege(enc, &block->context, false);
		return;
	}
	put_source(enc, &block->context, block->itype == INGRESS_INTERRUPT);
	put_pc(enc, block->target);
}

static bool is_direct(unsigned int itype)
{
	return itype == INGRESS_DIRECT_CALL || itype == INGRESS_DIRECT_JUMP ||
	       itype == INGRESS_OTHER_DIRECT_JUMP;
}

/* To the letter: "if emitstoredata is enabled emit just the destination PC" */
static void put_target(struct debugspec_encoder *enc, uint64_t target)
{
	if (enc->params.literal && !emits(enc, DEBUGSPEC_EMITSTOREDATA))
		return;
	if (enc->params.literal)
		put_any_pc(enc, target);
	else
		put_pc(enc, target);
	set_told(enc);
	enc->jumped = true;
}

/* With branches. */
static void put_event(struct debugspec_encoder *enc, const struct ingress_block *block)
{
	if (block->itype == INGRESS_BRANCH_TAKEN || block->itype == INGRESS_BRANCH_NOT_TAKEN) {
		put_header(enc, block->itype == INGRESS_BRANCH_TAKEN ? DEBUGSPEC_BRANCH_TAKEN :
			   DEBUGSPEC_BRANCH_NOT_TAKEN);
		set_told(enc);
	} else if (!is_direct(block->itype)) {
		put_target(enc, block->target);
	}
}

/* "Otherwise": to the letter, not only where branches are emitted, but also where PCs are not. */
static bool is_literal_jalr(const struct debugspec_encoder *enc, unsigned int itype)
{
	return enc->params.literal && !emits(enc, DEBUGSPEC_EMITPC) && !is_direct(itype) &&
	       itype != INGRESS_BRANCH_TAKEN && itype != INGRESS_BRANCH_NOT_TAKEN;
}

static void put_end(struct debugspec_encoder *enc, const struct ingress_block *block)
{
	switch (block->itype) {
	case INGRESS_NONE:
		break;
	case INGRESS_EXCEPTION:
	case INGRESS_INTERRUPT:
	case INGRESS_TRAP_RETURN:
		put_trap(enc, block);
		break;
	default:
		if (emits(enc, DEBUGSPEC_EMITBRANCH))
			put_event(enc, block);
		else if (is_literal_jalr(enc, block->itype))
			put_target(enc, block->target);
		else if (block->itype != INGRESS_BRANCH_NOT_TAKEN)
			put_jump(enc, block->target);
		break;
	}
}

/*
 * "one full value for each of these ... soon after each synchronization point": with branches, code
 * without indirect jumps has no PC of its own. Where everything before has been told, and something
 * executes now, tracing begins once more.
 */
static bool is_due(const struct debugspec_encoder *enc, const struct ingress_block *block)
{
	return enc->placed && block->halfwords && !enc->untold && emits(enc, DEBUGSPEC_EMITPC) &&
	       emits(enc, DEBUGSPEC_EMITBRANCH) &&
	       enc->full[DEBUGSPEC_KIND_PC] !=
	       debugspec_stream_syncs(enc->stream, enc->params.hart, 1);
}

void debugspec_encoder_block(struct debugspec_encoder *enc, const struct ingress_block *block)
{
	if (!enc->enabled)
		return;
	enc->time = block->time;
	enc->timed = false;
	if (!report_loss(enc) || (!enc->placed && !block->halfwords)) {
		/* there is no room, or nothing has executed yet */
		enc->context = block->context;
		return;
	}
	if (is_due(enc, block)) {
		enc->placed = false;
		enc->begun = false;
	}
	if (!enc->placed) {
		if (!enc->begun)
			begin(enc);
		place(enc, block->start);
	}
	if (block->halfwords) {
		enc->untold = true;
		enc->last_pc = cut(block->start + 2ull * (block->halfwords - block->last_size),
				   enc->params.xlen);
	}
	for (uint32_t i = 0; i < block->access_count; i++)
		put_access(enc, &block->accesses[i]);
	put_end(enc, block);
	enc->context = block->context;
}

/* A PC right before Trace Disabled is the last instruction, not where an indirect jump led. */
static void put_last(struct debugspec_encoder *enc)
{
	if (is_again(enc))
		put_source(enc, &enc->context, false);
	else if (enc->untold || (enc->jumped && emits(enc, DEBUGSPEC_EMITPRIV)))
		put_pc(enc, enc->last_pc);
}

void debugspec_encoder_stop(struct debugspec_encoder *enc)
{
	if (!enc->enabled)
		return;
	enc->enabled = false;
	if (!report_loss(enc) || !enc->placed)
		return;
	enc->timed = true;
	put_last(enc);
	put_header(enc, DEBUGSPEC_TRACE_DISABLED);
}
