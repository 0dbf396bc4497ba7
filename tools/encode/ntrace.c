// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/ntrace.h"

#include <string.h>

#include "tools/encode/ntrace-messages.h"

const char *ntrace_params_check(const struct ntrace_params *params)
{
	unsigned int i;

	if (params->call_stack > NTRACE_MAX_CALL_STACK)
		return "call_stack is not 0 to 32";
	if (params->call_count > NTRACE_MAX_CALL_COUNT)
		return "call_count is not 0 to 1023";
	if (params->call_count && params->call_stack)
		return "call_count and call_stack exclude each other";
	if (params->xlen != 32 && params->xlen != 64)
		return "xlen is not 32 or 64";
	if (params->address_bits && (params->address_bits < 33 || params->address_bits > 64))
		return "address_bits is not 0, or 33 to 64";
	if (params->address_bits && params->extend_addr_msb)
		return "address_bits and extend_addr_msb exclude each other";
	if (params->src_bits > 12)
		return "src_bits is not 0 to 12";
	if (params->src >> params->src_bits && params->src_bits)
		return "src does not fit into src_bits";
	if (params->timestamp_bits < 1 || params->timestamp_bits > 64)
		return "timestamp_bits is not 1 to 64";
	if (params->icnt_bits < 4 || params->icnt_bits > 30)
		return "icnt_bits is not 4 to 30";
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
	if (!params->history && (params->repeated_history || params->branch_runs))
		return "repeated_history and branch_runs need History Trace Messaging";
	if (params->repeated_history && params->branch_runs)
		return "repeated_history and branch_runs exclude each other";
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

/* Calls and returns, as the stack or the count has them */

static void call(struct ntrace_encoder *enc, uint64_t address)
{
	stack_push(&enc->stack, address);
	if (enc->calls < enc->params.call_count)
		enc->calls++;
}

/* Return: whether a return to @target is inferred. */
static bool return_to(struct ntrace_encoder *enc, uint64_t target)
{
	if (!enc->params.call_count)
		return stack_pop(&enc->stack, target);
	if (!enc->calls)
		return false;
	enc->calls--;
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

/* Return: SYNC if the end of a block is to be synchronized at, else < 0. */
static int sync_reason(const struct ntrace_encoder *enc, uint64_t cycles)
{
	uint64_t limit = enc->params.icnt_interval;

	if (enc->sync_request >= 0)
		return enc->sync_request;
	if (sync_due(enc, cycles))
		return NTRACE_SYNC_PERIODIC;
	return limit && enc->icnt >= limit ? NTRACE_SYNC_ICNT : -1;
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

/* Whether the address after @block must be sent; keeps calls. */
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
		call(enc, block_end(block));
		return false;
	case INGRESS_INDIRECT_CALL:
		call(enc, block_end(block));
		return !infers_jump(enc, block);
	case INGRESS_RETURN:
		inferred = return_to(enc, block->target);
		return !inferred && !infers_jump(enc, block);
	case INGRESS_COROUTINE_SWAP:
		inferred = !enc->params.swap_is_call && return_to(enc, block->target);
		call(enc, block_end(block));
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

static bool is_call(const struct ingress_block *block)
{
	return block->itype == INGRESS_DIRECT_CALL || block->itype == INGRESS_INDIRECT_CALL ||
	       block->itype == INGRESS_COROUTINE_SWAP;
}

/* Which message, if any, @block calls for. Return: false on loss. */
static bool classify(struct ntrace_encoder *enc,
		     const struct ingress_block *block,
		     struct ntrace_event *event)
{
	event->tcode = 0;
	event->btype = 0;
	event->target = block->target;
	event->time = block->time;
	event->calls = enc->params.call_after_sync && is_call(block);

	if (is_uninferable(enc, block)) {
		if (block->itype == INGRESS_EXCEPTION ||
		    block->itype == INGRESS_INTERRUPT) {
			event->btype = trap_btype(enc, block);
			if (enc->params.traps_clear_calls)
				enc->calls = 0;
		}
		event->tcode = enc->params.history ?
			NTRACE_INDIRECT_BRANCH_HIST : NTRACE_INDIRECT_BRANCH;
		return true;
	}
	if (is_taken_branch(enc, block)) {
		if (enc->params.history)
			return ntrace_append_hist(enc, true, block->time);
		event->tcode = NTRACE_DIRECT_BRANCH;
		return true;
	}
	if (block->itype == INGRESS_BRANCH_NOT_TAKEN && enc->params.history)
		return ntrace_append_hist(enc, false, block->time);
	return true;
}

static bool emit_icnt_if_full(struct ntrace_encoder *enc,
			      const struct ntrace_event *event, uint64_t cycles)
{
	if (!(enc->icnt >> (enc->params.icnt_bits - 1)))
		return true;
	if (enc->params.icnt_sync)
		return ntrace_emit_sync(enc, event, NTRACE_SYNC_ICNT, cycles);
	return ntrace_emit_icnt_full(enc, event->time);
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
	if (enc->params.scontext &&
	    before->scontext != block->context.scontext)
		return ntrace_emit_ownership(enc, NTRACE_OWNERSHIP_SCONTEXT,
					     block->time);
	if (!same_privilege(before, &block->context))
		return ntrace_emit_ownership(enc, NTRACE_OWNERSHIP_PRIVILEGE,
					     block->time);
	return true;
}

static void encode_block(struct ntrace_encoder *enc,
			 const struct ingress_block *block)
{
	struct ingress_context before = enc->context;
	struct ntrace_event event;
	int reason;

	enc->context = block->context;
	enc->icnt += block->halfwords;
	if (enc->params.sync_mode == NTRACE_SYNC_HALF_WORDS)
		enc->sync_count += block->halfwords;
	if (!classify(enc, block, &event))
		return;
	reason = sync_reason(enc, block->cycles);
	if (reason >= 0) {
		ntrace_emit_sync(enc, &event, (enum ntrace_sync)reason,
				 block->cycles);
		return;
	}
	if (event.tcode) {
		if (!ntrace_emit_branch(enc, &event))
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
	if (enc->resync || !enc->tracing) {
		ntrace_clear_counters(enc);
		memset(&enc->last, 0, sizeof(enc->last));
	}
	enc->lost = 0;
	if (ntrace_emit_error(enc, lost, enc->lost_time))
		return true;
	enc->lost |= lost;
	return false;
}

/* Instructions were not: their messages go on, with the synchronization that follows Error. */
static bool report_lost_data(struct ntrace_encoder *enc)
{
	if (!enc->lost)
		return true;
	if (!ntrace_encoder_report_loss(enc)) {
		enc->lost |= NTRACE_ECODE_PROGRAM;
		return false;
	}
	if (enc->sync_request < 0)
		enc->sync_request = NTRACE_SYNC_PERIODIC;
	return true;
}

/* After a loss only Error, then a synchronization at the next address. */
static void resynchronize(struct ntrace_encoder *enc, uint64_t pc,
			  uint64_t time, uint64_t cycles)
{
	struct ntrace_event event = {
		.tcode = NTRACE_PROG_TRACE_SYNC,
		.target = pc,
		.time = time,
	};

	if (!ntrace_encoder_report_loss(enc))
		return;
	enc->resync = false;
	ntrace_emit_sync(enc, &event, NTRACE_SYNC_OVERRUN, cycles);
}

static void trace_block(struct ntrace_encoder *enc,
			const struct ingress_block *block)
{
	if (enc->resync) {
		enc->context = block->context;
		resynchronize(enc, block->target, block->time, block->cycles);
		return;
	}
	if (report_lost_data(enc))
		encode_block(enc, block);
	else
		enc->context = block->context;
}

static void start_trace(struct ntrace_encoder *enc, uint64_t pc,
			const struct ingress_context *context, uint64_t time,
			uint64_t cycles, enum ntrace_sync reason)
{
	struct ntrace_event event = {
		.tcode = NTRACE_PROG_TRACE_SYNC,
		.target = pc,
		.time = time,
	};

	enc->context = *context;
	enc->tracing = true;
	ntrace_clear_counters(enc);
	if (enc->lost)
		reason = NTRACE_SYNC_OVERRUN;
	if (!ntrace_encoder_report_loss(enc))
		enc->resync = true;
	else
		ntrace_emit_sync(enc, &event, reason, cycles);
}

static void stop_trace(struct ntrace_encoder *enc, uint64_t pc, uint64_t time,
		       uint64_t cycles, enum ntrace_evcode evcode)
{
	/* After a loss the decoder must first learn where the hart is. */
	if (!enc->resync)
		report_lost_data(enc);
	if (enc->resync)
		resynchronize(enc, pc, time, cycles);
	enc->tracing = false;
	if (enc->resync) {
		enc->resync = false;
		return;
	}
	ntrace_emit_correlation(enc, evcode, time);
}

/*
 * The hart leaves what is traced, by a trap that is not traced either: what
 * retired before it is (chapter "Detailed Rules"). What else it leaves by is.
 */
static void filter_block(struct ntrace_encoder *enc,
			 const struct ingress_block *block)
{
	struct ingress_block last = *block;

	if (block->itype == INGRESS_EXCEPTION ||
	    block->itype == INGRESS_INTERRUPT) {
		last.itype = INGRESS_NONE;
		last.target = block_end(block);
		last.context = enc->context;
	}
	trace_block(enc, &last);
	stop_trace(enc, last.target, block->time, block->cycles,
		   NTRACE_EVCODE_DISABLED);
}

/* Whether what comes after @block is left out. */
static bool is_filtered(const struct ntrace_encoder *enc,
			const struct ingress_block *block)
{
	bool wanted = !enc->params.filter ||
		      enc->params.filter(enc->opaque, block);

	return !wanted || (enc->params.filter_machine &&
			   block->context.priv == INGRESS_PRIV_M);
}

void ntrace_encoder_start(struct ntrace_encoder *enc, uint64_t pc,
			  const struct ingress_context *context, uint64_t time,
			  uint64_t cycles, enum ntrace_sync reason)
{
	const struct ingress_block before = {
		.itype = INGRESS_NONE,
		.target = pc,
		.context = *context,
	};

	enc->enabled = true;
	if (!is_filtered(enc, &before))
		start_trace(enc, pc, context, time, cycles, reason);
}

void ntrace_encoder_block(struct ntrace_encoder *enc,
			  const struct ingress_block *block)
{
	if (!enc->enabled)
		return;
	if (is_filtered(enc, block)) {
		if (enc->tracing)
			filter_block(enc, block);
	} else if (!enc->tracing) {
		start_trace(enc, block->target, &block->context, block->time,
			    block->cycles, NTRACE_SYNC_ENABLE);
	} else {
		trace_block(enc, block);
	}
}

void ntrace_encoder_request_sync(struct ntrace_encoder *enc,
				 enum ntrace_sync reason)
{
	enc->sync_request = reason;
}

void ntrace_encoder_stop(struct ntrace_encoder *enc, uint64_t pc, uint64_t time,
			 uint64_t cycles, enum ntrace_evcode evcode)
{
	enc->enabled = false;
	if (enc->tracing)
		stop_trace(enc, pc, time, cycles, evcode);
	else
		ntrace_encoder_report_loss(enc);
}

/*
 * What software says has no place between a loss and its report, which comes with the next block:
 * it is lost, too.
 */
static bool may_speak(struct ntrace_encoder *enc)
{
	return enc->tracing ? !enc->lost : ntrace_encoder_report_loss(enc);
}

bool ntrace_encoder_data(struct ntrace_encoder *enc, uint32_t tag, uint64_t data,
			 uint64_t time, bool timed)
{
	if (may_speak(enc) && ntrace_emit_data(enc, tag, data, time, timed))
		return true;
	enc->lost |= NTRACE_ECODE_DATA;
	return false;
}

bool ntrace_encoder_auxiliary(struct ntrace_encoder *enc, uint32_t address, uint64_t data,
			      uint64_t time)
{
	if (may_speak(enc) && ntrace_emit_auxiliary(enc, address, data, time))
		return true;
	enc->lost |= NTRACE_ECODE_DATA;
	return false;
}

bool ntrace_encoder_circuit(struct ntrace_encoder *enc, const struct ntrace_circuit *circuit,
			    uint64_t time)
{
	if (may_speak(enc) && ntrace_emit_circuit(enc, circuit, time))
		return true;
	enc->lost |= NTRACE_ECODE_DATA;
	return false;
}

void ntrace_encoder_lose_data(struct ntrace_encoder *enc, uint64_t time)
{
	if (!enc->lost)
		enc->lost_time = time;
	enc->lost |= NTRACE_ECODE_DATA;
}

void ntrace_encoder_owner(struct ntrace_encoder *enc, uint32_t process,
			  uint64_t time)
{
	if (!may_speak(enc) || !ntrace_emit_owner(enc, process, time))
		enc->lost |= NTRACE_ECODE_OWNERSHIP;
}
