// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace.h"

#include <stddef.h>
#include <string.h>

#include "tools/encode/etrace-data.h"
#include "tools/encode/etrace-events.h"
#include "tools/encode/etrace-packets.h"
#include "tools/encode/etrace-predict.h"
#include "tools/encode/etrace-report.h"

void etrace_encoder_init(struct etrace_encoder *enc, const struct etrace_params *params,
			 etrace_emit emit, void *opaque)
{
	memset(enc, 0, offsetof(struct etrace_encoder, stack));
	enc->params = *params;
	etrace_forget(enc);
	if (params->sync_mode == ETRACE_SYNC_OFF)
		enc->params.modes |= ETRACE_MODE(RESYNC_DISABLED);
	enc->emit = emit;
	enc->opaque = opaque;
	enc->sync_state = SYNC_NOT_DUE;
}

/* How an instruction goes on, for the next one's report */

static bool infers_jump(const struct etrace_encoder *enc, const struct etrace_event *cur)
{
	return etrace_has_mode(enc, ETRACE_SIJUMP) && cur->sequential;
}

static void leave_return(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	struct etrace_previous *previous = &enc->previous;
	enum etrace_return kind = etrace_return_to(enc, cur->target, &previous->depth);

	if (infers_jump(enc, cur))
		return;
	switch (kind) {
	case ETRACE_RETURN_INFERRED:
		previous->returned = true;
		enc->irets++;
		break;
	case ETRACE_RETURN_FAILED:
		previous->failed = true;
		previous->discon = true;
		break;
	default:
		previous->discon = true;
		previous->unexpected = true;
		break;
	}
}

static void leave(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	bool returns = etrace_has_mode(enc, ETRACE_IMPLICIT_RETURN);

	memset(&enc->previous, 0, sizeof(enc->previous));
	if (cur->branch) {
		enc->irets = 0;
		enc->branch_since_return = true;
	}
	switch (cur->itype) {
	case INGRESS_TRAP_RETURN:
		enc->previous.discon = true;
		break;
	case INGRESS_DIRECT_CALL:
		if (returns)
			etrace_call(enc, cur->next);
		break;
	case INGRESS_INDIRECT_CALL:
		if (returns)
			etrace_call(enc, cur->next);
		enc->previous.discon = !infers_jump(enc, cur);
		break;
	case INGRESS_RETURN:
		leave_return(enc, cur);
		break;
	case INGRESS_INDIRECT_JUMP:
	case INGRESS_COROUTINE_SWAP:
	case INGRESS_OTHER_INDIRECT_JUMP:
		enc->previous.discon = !infers_jump(enc, cur);
		break;
	}
}

/* Events */

/* The 2.0.5 draft keeps the decoder's tables where nothing resynchronizes. */
static bool forgets(const struct etrace_encoder *enc)
{
	const struct etrace_params *p = &enc->params;
	bool told = p->standard_support || p->option[ETRACE_RESYNC_DISABLED] != ETRACE_NO_OPTION;

	return enc->first || !told || !etrace_has_mode(enc, ETRACE_RESYNC_DISABLED);
}

static void synchronize(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	etrace_emit_sync(enc, cur);
	if (forgets(enc))
		etrace_forget(enc);
	etrace_forget_targets(enc);
	memset(&enc->branches, 0, sizeof(enc->branches));
	etrace_restart_accesses(enc);
	enc->irets = 0;
	enc->unconfirmed = false;
	etrace_restart_sync(enc, cur->cycles);
	enc->first = false;
	enc->pending.valid = false;
}

/* An instruction retired, and @next comes after it; NULL: nothing that is traced. */
static void encode_insn(struct etrace_encoder *enc, struct etrace_event *cur,
			const struct etrace_event *next, bool *reported)
{
	bool sync = enc->first || enc->pending.valid || enc->sync_state == SYNC_NOW ||
		    etrace_needs_sync(enc, &enc->last, &cur->context);

	if (enc->first)		/* what loaded the register was not traced */
		cur->sequential = false;
	if (sync)
		synchronize(enc, cur);
	if (cur->branch)
		etrace_branch(enc, cur, sync);
	etrace_count_sync(enc, cur);
	*reported = enc->previous.discon && !sync;
	if (!sync)
		etrace_report(enc, cur, next);
	leave(enc, cur);
}

/*
 * A trap is told with the first instruction of its handler, unless that does not retire, or the
 * decoder cannot know where the hart was (chapter "Format 3 thaddr, address and privilege fields").
 */
static void encode_trap(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	bool unknown = enc->previous.discon || (enc->first && !enc->pending.valid);

	if (enc->pending.valid && !enc->pending_told)
		etrace_emit_trap_alone(enc, &enc->pending, 0);
	enc->pending = *cur;
	enc->pending.valid = true;
	enc->pending_told = cur->itype == INGRESS_EXCEPTION && unknown;
	if (enc->pending_told)
		etrace_emit_trap_alone(enc, cur, cur->pc);
	etrace_restart_accesses(enc);
	memset(&enc->previous, 0, sizeof(enc->previous));
}

/* Return: whether the packet for it would have been sent whatever comes after it. */
static bool encode_held(struct etrace_encoder *enc, const struct etrace_event *next)
{
	struct etrace_event *cur = &enc->held;
	bool reported = false;

	if (!cur->valid)
		return false;
	cur->valid = false;
	enc->time = cur->time;
	if (cur->trap)
		encode_trap(enc, cur);
	else
		encode_insn(enc, cur, next, &reported);
	etrace_emit_held_accesses(enc);
	enc->last = cur->context;
	etrace_emit_held_events(enc);
	return reported;
}

/* Nothing of what was before is known to the decoder. */
static void start_over(struct etrace_encoder *enc)
{
	memset(&enc->held, 0, sizeof(enc->held));
	memset(&enc->branches, 0, sizeof(enc->branches));
	memset(&enc->previous, 0, sizeof(enc->previous));
	enc->pending.valid = false;
	enc->first = true;
	enc->accesses.held_count = 0;
	etrace_restart_accesses(enc);
	etrace_drop_held_events(enc);
}

bool etrace_encoder_report_loss(struct etrace_encoder *enc)
{
	if (!enc->lost)
		return true;
	enc->lost = false;
	start_over(enc);
	memset(enc->accesses.requested, 0, sizeof(enc->accesses.requested));
	return etrace_emit_support(enc, enc->enabled, ETRACE_TRACE_LOST);
}

static void push(struct etrace_encoder *enc, const struct etrace_event *event)
{
	if (!enc->lost)
		encode_held(enc, event);
	if (enc->lost) {
		enc->time = event->time;
		if (!etrace_encoder_report_loss(enc))
			return;
	}
	enc->held = *event;
}

/* Blocks */

static bool is_trap(const struct ingress_block *block)
{
	return block->itype == INGRESS_EXCEPTION || block->itype == INGRESS_INTERRUPT;
}

static struct etrace_event event_of(const struct etrace_encoder *enc,
				    const struct ingress_block *block, uint64_t pc)
{
	return (struct etrace_event) {
		.valid = true,
		.pc = pc,
		.time = block->time,
		.cycles = block->cycles,
		.context = enc->context,
	};
}

/* Those of the last instruction wait for its report, as it does. */
static void push_accesses(struct etrace_encoder *enc, const struct ingress_block *block)
{
	uint64_t last = block->start + 2ull * (block->halfwords - block->last_size);

	for (uint32_t i = 0; i < block->access_count; i++) {
		const struct ingress_access *access = &block->accesses[i];

		if (access->pc == last)
			etrace_hold_access(enc, access);
		else if (enc->first || enc->lost)	/* no packet leads there */
			enc->accesses.lost = true;
		else
			etrace_emit_access(enc, access);
	}
}

/* Between the first and the last instruction of a block nothing can be of interest. */
static void push_insns(struct etrace_encoder *enc, const struct ingress_block *block)
{
	uint64_t end = block->start + 2ull * block->halfwords;
	struct etrace_event event = event_of(enc, block, block->start);
	/* An event parts a jump from what loaded its register. */
	bool sequential = block->sequential;

	if (block->halfwords > block->last_size) {
		event.halfwords = block->halfwords - block->last_size;
		push(enc, &event);
		event.pc = end - 2ull * block->last_size;
	} else if (enc->events.held_count) {
		sequential = false;
	}
	event.halfwords = block->last_size;
	event.next = end;
	event.notify = block->notify;
	if (!is_trap(block)) {
		event.itype = block->itype;
		event.target = block->target;
		event.branch = block->itype == INGRESS_BRANCH_TAKEN ||
			       block->itype == INGRESS_BRANCH_NOT_TAKEN;
		event.taken = block->itype == INGRESS_BRANCH_TAKEN;
		event.sequential = sequential;
	}
	push(enc, &event);
	if (enc->params.data)
		push_accesses(enc, block);
}

static void push_trap(struct etrace_encoder *enc, const struct ingress_block *block)
{
	struct etrace_event event = event_of(enc, block, block->start + 2ull * block->halfwords);

	event.trap = true;
	event.itype = block->itype;
	event.cause = block->cause;
	event.tval = block->tval;
	push(enc, &event);
}

static void begin_trace(struct etrace_encoder *enc)
{
	enc->tracing = true;
	start_over(enc);
}

/* The last traced instruction is reported. Return: what the support packet says of it. */
static enum etrace_qual_status end_trace(struct etrace_encoder *enc)
{
	bool discon = encode_held(enc, NULL);

	enc->tracing = false;
	etrace_restart_accesses(enc);
	if (enc->lost)
		return ETRACE_TRACE_LOST;
	return discon && !enc->params.early_filter ? ETRACE_ENDED_NTR : ETRACE_ENDED_REP;
}

static bool is_wanted(const struct etrace_encoder *enc, const struct ingress_block *block)
{
	return !enc->params.filter || enc->params.filter(enc->opaque, block);
}

void etrace_encoder_start(struct etrace_encoder *enc, uint64_t pc,
			  const struct ingress_context *context, uint64_t time, uint64_t cycles)
{
	const struct ingress_block before = {
		.itype = INGRESS_NONE,
		.target = pc,
		.context = *context,
	};
	enum etrace_qual_status status = enc->lost ? ETRACE_TRACE_LOST : ETRACE_NO_CHANGE;

	enc->enabled = true;
	enc->context = *context;
	enc->last = *context;
	enc->time = time;
	enc->lost = false;
	etrace_restart_sync(enc, cycles);
	etrace_emit_support(enc, true, status);
	if (is_wanted(enc, &before))
		begin_trace(enc);
}

/*
 * The hart leaves what is traced. If it does so by a trap, what retired before that is traced, and
 * the trap is not.
 */
static void filter_block(struct etrace_encoder *enc, const struct ingress_block *block)
{
	enum etrace_qual_status status;

	if (block->halfwords)
		push_insns(enc, block);
	status = end_trace(enc);
	enc->time = block->time;
	if (enc->lost)
		etrace_encoder_report_loss(enc);
	else
		etrace_emit_support(enc, true, status);
}

void etrace_encoder_block(struct etrace_encoder *enc, const struct ingress_block *block)
{
	if (!enc->enabled)
		return;
	if (!is_wanted(enc, block)) {
		if (enc->tracing)
			filter_block(enc, block);
	} else if (!enc->tracing) {
		begin_trace(enc);
	} else {
		if (block->halfwords)
			push_insns(enc, block);
		if (is_trap(block))
			push_trap(enc, block);
	}
	enc->context = block->context;
}

void etrace_encoder_request_sync(struct etrace_encoder *enc)
{
	if (enc->sync_state == SYNC_NOT_DUE)
		enc->sync_state = SYNC_BRANCHES;
}

void etrace_encoder_stop(struct etrace_encoder *enc, uint64_t time)
{
	enum etrace_qual_status status = ETRACE_NO_CHANGE;

	if (!enc->enabled)
		return;
	if (enc->tracing)
		status = end_trace(enc);
	enc->enabled = false;
	enc->time = time;
	if (enc->lost)
		etrace_encoder_report_loss(enc);
	else
		etrace_emit_support(enc, false, status);
	etrace_encoder_report_lost_events(enc, time);
}
