// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/ntrace.h"

#include <string.h>

#define ECODE_PROGRAM	0x04
#define ECODE_OWNERSHIP	0x08

#define RCODE_ICNT		0
#define RCODE_HIST		1
#define RCODE_HIST_REPEATED	2

#define OWNERSHIP_PRIVILEGE	0
#define OWNERSHIP_SCONTEXT	2

const char *ntrace_params_check(const struct ntrace_params *params)
{
	unsigned int i;

	if (params->call_stack > NTRACE_MAX_CALL_STACK)
		return "call_stack is not 0 to 32";
	if (params->xlen != 32 && params->xlen != 64)
		return "xlen is not 32 or 64";
	if (params->src_bits > 12)
		return "src_bits is not 0 to 12";
	if (params->src >> params->src_bits && params->src_bits)
		return "src does not fit into src_bits";
	if (params->timestamp_bits < 1 || params->timestamp_bits > 64)
		return "timestamp_bits is not 1 to 64";
	if (params->icnt_bits < 4 || params->icnt_bits > 22)
		return "icnt_bits is not 4 to 22";
	if (params->hist_bits < 3 || params->hist_bits > 32)
		return "hist_bits is not 3 to 32";
	for (i = 0; i < 2; i++) {
		unsigned int length = params->hist_patterns[i];
		unsigned int full = params->hist_bits - 1;

		if (length && (length >= full || 3 * length <= 2 * full))
			return "hist_patterns does not fit hist_bits";
	}
	if (params->repeat_bits < 1 || params->repeat_bits > 18)
		return "repeat_bits is not 1 to 18";
	if (params->sync_mode != NTRACE_SYNC_OFF && !params->sync_interval)
		return "sync_interval is 0";
	if (params->history && params->repeat_branch)
		return "repeat_branch needs Branch Trace Messaging";
	if (params->history && params->icnt_sync)
		return "icnt_sync needs Branch Trace Messaging";
	if (!params->history && params->repeated_history)
		return "repeated_history needs History Trace Messaging";
	return NULL;
}

void ntrace_encoder_init(struct ntrace_encoder *enc,
			 const struct ntrace_params *params, ntrace_emit emit,
			 void *opaque)
{
	memset(enc, 0, sizeof(*enc));
	enc->params = *params;
	enc->emit = emit;
	enc->opaque = opaque;
	enc->sync_request = -1;
	enc->stack.size = params->call_stack;
}

/* Return address stack */

static void stack_push(struct ntrace_call_stack *stack, uint64_t address)
{
	if (!stack->size)
		return;
	stack->top = (stack->top + 1) % stack->size;
	stack->address[stack->top] = address;
	if (stack->used < stack->size)
		stack->used++;
}

/* Return: whether a return to @target is what the stack predicts. */
static bool stack_pop(struct ntrace_call_stack *stack, uint64_t target)
{
	bool match;

	if (!stack->used)
		return false;
	match = stack->address[stack->top] == target;
	stack->top = (stack->top + stack->size - 1) % stack->size;
	stack->used--;
	return match;
}

/* Messages */

static uint64_t wrap_time(const struct ntrace_encoder *enc, uint64_t time)
{
	unsigned int bits = enc->params.timestamp_bits;

	return bits < 64 ? time & ((1ull << bits) - 1) : time;
}

static void begin(struct ntrace_encoder *enc, enum ntrace_tcode tcode)
{
	nexus_begin(&enc->msg);
	nexus_fixed(&enc->msg, tcode, 6);
	nexus_fixed(&enc->msg, enc->params.src, enc->params.src_bits);
}

/* F-ADDR and U-ADDR are sent without bit 0, which is always 0. */
static void put_address(struct ntrace_encoder *enc, uint64_t address)
{
	if (enc->params.xlen == 32)
		address &= 0xffffffff;
	if (enc->params.extend_addr_msb)
		nexus_extended(&enc->msg, address >> 1, enc->params.xlen - 1);
	else
		nexus_variable(&enc->msg, address >> 1);
}

static void lose(struct ntrace_encoder *enc, uint8_t ecode, uint64_t time)
{
	if (!enc->lost)
		enc->lost_time = time;
	enc->lost |= ecode;
	enc->resync = enc->tracing;
}

/* Return: false when the message was lost. */
static bool finish(struct ntrace_encoder *enc, uint64_t time, bool absolute,
		   uint8_t ecode)
{
	time = wrap_time(enc, time);
	if (enc->params.timestamp)
		nexus_variable(&enc->msg, absolute ? time :
			       wrap_time(enc, time - enc->time));
	nexus_end(&enc->msg);
	if (!enc->emit(enc->opaque, enc->msg.bytes, enc->msg.size)) {
		lose(enc, ecode, time);
		return false;
	}
	enc->time = time;
	if (enc->params.sync_mode == NTRACE_SYNC_MESSAGES)
		enc->sync_count++;
	return true;
}

static uint64_t low_bits(uint64_t value, unsigned int count)
{
	return value & ((1ull << count) - 1);
}

/* The HIST field: the history below its stop bit. */
static uint64_t hist_field(const struct ntrace_history *hist)
{
	return hist->bits | 1ull << hist->used;
}

static bool emit_hist_full(struct ntrace_encoder *enc, uint64_t bits,
			   unsigned int length, uint32_t count, uint64_t time)
{
	begin(enc, NTRACE_RESOURCE_FULL);
	nexus_fixed(&enc->msg, count > 1 ? RCODE_HIST_REPEATED : RCODE_HIST, 4);
	nexus_variable(&enc->msg, bits | 1ull << length);
	if (count > 1)
		nexus_variable(&enc->msg, count);
	return finish(enc, time, false, ECODE_PROGRAM);
}

static bool release_pattern(struct ntrace_encoder *enc)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int length = hist->length;

	hist->length = 0;
	return !length || emit_hist_full(enc, hist->pattern, length,
					 hist->count, hist->time);
}

/* Send the oldest full register. */
static bool release_register(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int full = enc->params.hist_bits - 1;
	uint64_t bits = hist->bits >> (hist->used - full);

	hist->used -= full;
	hist->bits = low_bits(hist->bits, hist->used);
	return emit_hist_full(enc, bits, full, 1, time);
}

/*
 * Send what was held back for repetition. Everything else that is sent goes
 * through here first, so the order of messages is the order of events.
 */
static bool release_held(struct ntrace_encoder *enc, uint64_t time)
{
	if (!release_pattern(enc))
		return false;
	if (enc->hist.used >= enc->params.hist_bits - 1 &&
	    !release_register(enc, time))
		return false;
	if (enc->last.repeats) {
		begin(enc, NTRACE_REPEAT_BRANCH);
		nexus_variable(&enc->msg, enc->last.repeats);
		enc->last.repeats = 0;
		if (!finish(enc, enc->last.time, false, ECODE_PROGRAM))
			return false;
	}
	enc->last.tcode = 0;
	return true;
}

/* Two registers are full: does a pattern of @length bits fill them? */
static bool find_pattern(struct ntrace_history *hist, unsigned int length,
			 uint64_t time)
{
	unsigned int rest = hist->used - 2 * length;
	uint64_t first = hist->bits >> (rest + length);

	if (first != low_bits(hist->bits >> rest, length))
		return false;
	hist->pattern = first;
	hist->length = length;
	hist->count = 2;
	hist->time = time;
	hist->used = rest;
	hist->bits = low_bits(hist->bits, rest);
	return true;
}

static bool search_patterns(struct ntrace_encoder *enc, uint64_t time)
{
	const struct ntrace_params *params = &enc->params;
	unsigned int i;

	if (find_pattern(&enc->hist, params->hist_bits - 1, time))
		return true;
	for (i = 0; i < 2 && params->hist_patterns[i]; i++)
		if (find_pattern(&enc->hist, params->hist_patterns[i], time))
			return true;
	return false;
}

/* As many bits as the repeating pattern has follow it. */
static bool continue_pattern(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	uint32_t max = (1u << enc->params.repeat_bits) - 1;

	if (hist->bits != hist->pattern || hist->count >= max)
		return release_pattern(enc);
	hist->count++;
	hist->time = time;
	hist->bits = 0;
	hist->used = 0;
	return true;
}

static bool append_hist(struct ntrace_encoder *enc, bool taken, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int full = enc->params.hist_bits - 1;

	hist->bits = hist->bits << 1 | taken;
	hist->used++;
	if (!enc->params.repeated_history)
		return hist->used < full || release_register(enc, time);
	if (hist->length && hist->used == hist->length &&
	    !continue_pattern(enc, time))
		return false;
	if (hist->used < 2 * full || search_patterns(enc, time))
		return true;
	return release_register(enc, time);
}

static bool emit_ownership(struct ntrace_encoder *enc, unsigned int format,
			   uint64_t time)
{
	const struct ingress_context *context = &enc->context;
	uint64_t process = format | (context->priv & 3) << 2 |
			   (uint64_t)context->v << 4;

	if (format == OWNERSHIP_SCONTEXT)
		process |= (uint64_t)context->scontext << 5;
	if (!release_held(enc, time))
		return false;
	begin(enc, NTRACE_OWNERSHIP);
	nexus_variable(&enc->msg, process);
	return finish(enc, time, false, ECODE_OWNERSHIP);
}

static bool emit_icnt_full(struct ntrace_encoder *enc, uint64_t time)
{
	uint64_t icnt = enc->icnt;

	if (!release_held(enc, time))
		return false;
	enc->icnt = 0;
	begin(enc, NTRACE_RESOURCE_FULL);
	nexus_fixed(&enc->msg, RCODE_ICNT, 4);
	nexus_variable(&enc->msg, icnt);
	return finish(enc, time, false, ECODE_PROGRAM);
}

static void clear_counters(struct ntrace_encoder *enc)
{
	enc->icnt = 0;
	memset(&enc->hist, 0, sizeof(enc->hist));
}

/* What a synchronizing message is built on. */
struct event {
	enum ntrace_tcode tcode;	/* without the Sync suffix */
	uint8_t btype;
	uint64_t target;
	uint64_t time;
};

/* Whether an indirect branch is sent without the HIST field. */
static bool omits_hist(const struct ntrace_encoder *enc)
{
	return enc->params.indirect_without_hist && !enc->hist.used;
}

static enum ntrace_tcode sync_tcode(const struct ntrace_encoder *enc,
				    enum ntrace_tcode tcode)
{
	/* Between branches, too: only these carry HIST. */
	if (enc->params.history)
		return omits_hist(enc) ? NTRACE_INDIRECT_BRANCH_SYNC :
					 NTRACE_INDIRECT_BRANCH_HIST_SYNC;
	switch (tcode) {
	case NTRACE_DIRECT_BRANCH:
		return NTRACE_DIRECT_BRANCH_SYNC;
	case NTRACE_INDIRECT_BRANCH:
		return NTRACE_INDIRECT_BRANCH_SYNC;
	default:
		return NTRACE_PROG_TRACE_SYNC;
	}
}

/* All synchronizing messages reset the encoder (chapter of that name). */
static void reset_after_sync(struct ntrace_encoder *enc, uint64_t address,
			     uint64_t cycles)
{
	clear_counters(enc);
	enc->address = address;
	memset(&enc->last, 0, sizeof(enc->last));
	enc->stack.used = 0;
	enc->sync_count = 0;
	enc->sync_cycles = cycles;
	enc->sync_request = -1;
}

static bool emit_sync(struct ntrace_encoder *enc, const struct event *event,
		      enum ntrace_sync reason, uint64_t cycles)
{
	enum ntrace_tcode tcode = event->tcode;

	if (!release_held(enc, event->time))
		return false;
	if (tcode != NTRACE_PROG_TRACE_SYNC)
		tcode = sync_tcode(enc, tcode);
	begin(enc, tcode);
	nexus_fixed(&enc->msg, reason, 4);
	if (tcode == NTRACE_INDIRECT_BRANCH_SYNC ||
	    tcode == NTRACE_INDIRECT_BRANCH_HIST_SYNC)
		nexus_fixed(&enc->msg, event->btype, 2);
	nexus_variable(&enc->msg, enc->icnt);
	put_address(enc, event->target);
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST_SYNC)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	if (!finish(enc, event->time, true, ECODE_PROGRAM))
		return false;
	reset_after_sync(enc, event->target, cycles);
	if (enc->params.ownership)
		return emit_ownership(enc, OWNERSHIP_SCONTEXT, event->time);
	return true;
}

/* A branch message that equals the previous one is only counted. */
static bool repeats_last(struct ntrace_encoder *enc, const struct event *event,
			 uint64_t uaddr)
{
	struct ntrace_last_branch *last = &enc->last;
	uint32_t max = (1u << enc->params.repeat_bits) - 1;

	if (!enc->params.repeat_branch || last->tcode != event->tcode ||
	    last->icnt != enc->icnt || last->btype != event->btype ||
	    last->uaddr != uaddr || last->repeats == max)
		return false;
	/*
	 * Repeating the message and repeating the jump only mean the same when
	 * the address did not change.
	 */
	if (event->tcode != NTRACE_DIRECT_BRANCH && uaddr)
		return false;
	last->repeats++;
	last->time = event->time;
	return true;
}

static bool emit_branch(struct ntrace_encoder *enc, const struct event *event)
{
	bool direct = event->tcode == NTRACE_DIRECT_BRANCH;
	uint64_t uaddr = direct ? 0 : enc->address ^ event->target;
	struct ntrace_last_branch last = {
		.tcode = event->tcode,
		.btype = event->btype,
		.icnt = enc->icnt,
		.uaddr = uaddr,
	};
	enum ntrace_tcode tcode;

	if (repeats_last(enc, event, uaddr)) {
		clear_counters(enc);
		return true;
	}
	if (!release_held(enc, event->time))
		return false;
	tcode = event->tcode;
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST && omits_hist(enc))
		tcode = NTRACE_INDIRECT_BRANCH;
	begin(enc, tcode);
	if (!direct)
		nexus_fixed(&enc->msg, event->btype, 2);
	nexus_variable(&enc->msg, enc->icnt);
	if (!direct)
		put_address(enc, uaddr);
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	if (!finish(enc, event->time, false, ECODE_PROGRAM))
		return false;
	if (!direct)
		enc->address = event->target;
	enc->last = last;
	clear_counters(enc);
	return true;
}

/* Blocks */

static bool sync_due(const struct ntrace_encoder *enc, uint64_t cycles)
{
	switch (enc->params.sync_mode) {
	case NTRACE_SYNC_MESSAGES:
	case NTRACE_SYNC_HALF_WORDS:
		return enc->sync_count >= enc->params.sync_interval;
	case NTRACE_SYNC_CYCLES:
		return cycles - enc->sync_cycles >= enc->params.sync_interval;
	default:
		return false;
	}
}

/* An indirect jump is inferable if the constant is in the same message. */
static bool infers_jump(const struct ntrace_encoder *enc,
			const struct ingress_block *block)
{
	return enc->params.sequential_jump && block->sequential &&
	       enc->icnt > block->last_size;
}

static uint64_t block_end(const struct ingress_block *block)
{
	return block->start + 2ull * block->halfwords;
}

static uint8_t trap_btype(const struct ntrace_encoder *enc,
			  const struct ingress_block *block)
{
	if (!enc->params.distinguish_traps)
		return 1;
	return block->itype == INGRESS_EXCEPTION ? 2 : 3;
}

/* Whether the address after @block must be sent; keeps the call stack. */
static bool is_uninferable(struct ntrace_encoder *enc,
			   const struct ingress_block *block)
{
	bool inferred;

	switch (block->itype) {
	case INGRESS_EXCEPTION:
	case INGRESS_INTERRUPT:
	case INGRESS_TRAP_RETURN:
		return true;
	case INGRESS_DIRECT_CALL:
		stack_push(&enc->stack, block_end(block));
		return false;
	case INGRESS_INDIRECT_CALL:
		stack_push(&enc->stack, block_end(block));
		return !infers_jump(enc, block);
	case INGRESS_RETURN:
		inferred = stack_pop(&enc->stack, block->target);
		return !inferred && !infers_jump(enc, block);
	case INGRESS_COROUTINE_SWAP:
		inferred = stack_pop(&enc->stack, block->target);
		stack_push(&enc->stack, block_end(block));
		return !inferred && !infers_jump(enc, block);
	case INGRESS_INDIRECT_JUMP:
	case INGRESS_OTHER_INDIRECT_JUMP:
		return !infers_jump(enc, block);
	default:
		return false;
	}
}

static bool is_taken_branch(const struct ntrace_encoder *enc,
			    const struct ingress_block *block)
{
	switch (block->itype) {
	case INGRESS_BRANCH_TAKEN:
		return true;
	case INGRESS_DIRECT_CALL:
	case INGRESS_DIRECT_JUMP:
	case INGRESS_OTHER_DIRECT_JUMP:
		return enc->params.all_jumps;
	default:
		return false;
	}
}

/* Which message, if any, @block calls for. Return: false on loss. */
static bool classify(struct ntrace_encoder *enc,
		     const struct ingress_block *block, struct event *event)
{
	event->tcode = 0;
	event->btype = 0;
	event->target = block->target;
	event->time = block->time;

	if (is_uninferable(enc, block)) {
		if (block->itype == INGRESS_EXCEPTION ||
		    block->itype == INGRESS_INTERRUPT)
			event->btype = trap_btype(enc, block);
		event->tcode = enc->params.history ?
			NTRACE_INDIRECT_BRANCH_HIST : NTRACE_INDIRECT_BRANCH;
		return true;
	}
	if (is_taken_branch(enc, block)) {
		if (enc->params.history)
			return append_hist(enc, true, block->time);
		event->tcode = NTRACE_DIRECT_BRANCH;
		return true;
	}
	if (block->itype == INGRESS_BRANCH_NOT_TAKEN && enc->params.history)
		return append_hist(enc, false, block->time);
	return true;
}

static bool emit_icnt_if_full(struct ntrace_encoder *enc,
			      const struct event *event, uint64_t cycles)
{
	if (!(enc->icnt >> (enc->params.icnt_bits - 1)))
		return true;
	if (enc->params.icnt_sync)
		return emit_sync(enc, event, NTRACE_SYNC_ICNT, cycles);
	return emit_icnt_full(enc, event->time);
}

static bool same_privilege(const struct ingress_context *a,
			   const struct ingress_context *b)
{
	return a->priv == b->priv && a->v == b->v;
}

static bool emit_context_change(struct ntrace_encoder *enc,
				const struct ingress_block *block,
				const struct ingress_context *before)
{
	if (!enc->params.ownership)
		return true;
	if (before->scontext != block->context.scontext)
		return emit_ownership(enc, OWNERSHIP_SCONTEXT, block->time);
	if (!same_privilege(before, &block->context))
		return emit_ownership(enc, OWNERSHIP_PRIVILEGE, block->time);
	return true;
}

static void encode_block(struct ntrace_encoder *enc,
			 const struct ingress_block *block)
{
	struct ingress_context before = enc->context;
	struct event event;

	enc->context = block->context;
	enc->icnt += block->halfwords;
	if (enc->params.sync_mode == NTRACE_SYNC_HALF_WORDS)
		enc->sync_count += block->halfwords;
	if (!classify(enc, block, &event))
		return;
	if (enc->sync_request >= 0 || sync_due(enc, block->cycles)) {
		emit_sync(enc, &event, enc->sync_request >= 0 ?
			  (enum ntrace_sync)enc->sync_request :
			  NTRACE_SYNC_PERIODIC, block->cycles);
		return;
	}
	if (event.tcode) {
		if (!emit_branch(enc, &event))
			return;
	} else if (!emit_icnt_if_full(enc, &event, block->cycles)) {
		return;
	}
	emit_context_change(enc, block, &before);
}

bool ntrace_encoder_report_loss(struct ntrace_encoder *enc)
{
	uint8_t lost = enc->lost;

	if (!lost)
		return true;
	/* What was held back belongs to the messages that are lost. */
	memset(&enc->last, 0, sizeof(enc->last));
	begin(enc, NTRACE_ERROR);
	nexus_fixed(&enc->msg, 0, 4);
	nexus_variable(&enc->msg, lost);
	enc->lost = 0;
	if (finish(enc, enc->lost_time, false, lost))
		return true;
	return false;
}

/* After a loss only Error, then a synchronization at the next address. */
static void resynchronize(struct ntrace_encoder *enc, uint64_t pc,
			  uint64_t time, uint64_t cycles)
{
	struct event event = {
		.tcode = NTRACE_PROG_TRACE_SYNC,
		.target = pc,
		.time = time,
	};

	if (!ntrace_encoder_report_loss(enc))
		return;
	enc->resync = false;
	emit_sync(enc, &event, NTRACE_SYNC_OVERRUN, cycles);
}

void ntrace_encoder_block(struct ntrace_encoder *enc,
			  const struct ingress_block *block)
{
	if (!enc->tracing)
		return;
	if (enc->resync) {
		enc->context = block->context;
		resynchronize(enc, block->target, block->time, block->cycles);
		return;
	}
	encode_block(enc, block);
}

void ntrace_encoder_start(struct ntrace_encoder *enc, uint64_t pc,
			  const struct ingress_context *context, uint64_t time,
			  uint64_t cycles, enum ntrace_sync reason)
{
	struct event event = {
		.tcode = NTRACE_PROG_TRACE_SYNC,
		.target = pc,
		.time = time,
	};

	enc->context = *context;
	enc->tracing = true;
	clear_counters(enc);
	if (!ntrace_encoder_report_loss(enc))
		enc->resync = true;
	else
		emit_sync(enc, &event, reason, cycles);
}

void ntrace_encoder_request_sync(struct ntrace_encoder *enc,
				 enum ntrace_sync reason)
{
	enc->sync_request = reason;
}

void ntrace_encoder_stop(struct ntrace_encoder *enc, uint64_t pc, uint64_t time,
			 uint64_t cycles, enum ntrace_evcode evcode)
{
	if (!enc->tracing)
		return;
	/* After a loss the decoder must first learn where the hart is. */
	if (enc->resync)
		resynchronize(enc, pc, time, cycles);
	enc->tracing = false;
	if (enc->resync) {
		enc->resync = false;
		return;
	}
	if (!release_held(enc, time))
		return;
	begin(enc, NTRACE_PROG_TRACE_CORRELATION);
	nexus_fixed(&enc->msg, evcode, 4);
	nexus_fixed(&enc->msg, enc->params.history, 2);
	nexus_variable(&enc->msg, enc->icnt);
	if (enc->params.history)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	finish(enc, time, false, ECODE_PROGRAM);
	clear_counters(enc);
}
