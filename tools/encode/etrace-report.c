// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-report.h"

#include "tools/encode/etrace-packets.h"
#include "tools/encode/etrace-predict.h"

#define FULL_MAP	31

/* Most of what branch_count holds: reported at once (chapter "Format 0 packets"). */
#define MAX_COUNT	(FULL_MAP + (uint64_t)UINT32_MAX)

/* Unreported returns that irets can tell beside the one that is reported */
#define MAX_IRETS	255

/* What differs between two events */

static bool changes_privilege(const struct ingress_context *a, const struct ingress_context *b)
{
	return a->priv != b->priv || a->v != b->v;
}

static bool changes_context(const struct etrace_encoder *enc, const struct ingress_context *a,
			    const struct ingress_context *b, enum etrace_ctype ctype)
{
	return enc->params.ctype == ctype && !enc->params.nocontext && a->scontext != b->scontext;
}

/* ppccd of the reference algorithm */
bool etrace_needs_sync(const struct etrace_encoder *enc, const struct ingress_context *a,
		       const struct ingress_context *b)
{
	return changes_privilege(a, b) ||
	       changes_context(enc, a, b, ETRACE_CONTEXT_PRECISE) ||
	       changes_context(enc, a, b, ETRACE_CONTEXT_DISCONTINUITY);
}

/* Resynchronization */

static bool sync_due(const struct etrace_encoder *enc, uint64_t cycles)
{
	switch (enc->params.sync_mode) {
	case ETRACE_SYNC_PACKETS:
	case ETRACE_SYNC_HALF_WORDS:
		return enc->sync_count >= enc->params.sync_interval;
	case ETRACE_SYNC_CYCLES:
		return cycles - enc->sync_cycles >= enc->params.sync_interval;
	default:
		return false;
	}
}

void etrace_restart_sync(struct etrace_encoder *enc, uint64_t cycles)
{
	enc->sync_count = 0;
	enc->sync_cycles = cycles;
	enc->sync_state = SYNC_NOT_DUE;
}

void etrace_count_sync(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	if (enc->params.sync_mode == ETRACE_SYNC_HALF_WORDS)
		enc->sync_count += cur->halfwords;
	if (enc->sync_state == SYNC_NOT_DUE && sync_due(enc, cur->cycles))
		enc->sync_state = SYNC_BRANCHES;
}

/*
 * What a decoder must be told before format 3, so that it finds the same way there. Format 3 behind
 * the target of a discontinuity without updiscon would mean that it was reached before that
 * (chapter "Format 2 notify and updiscon fields", scenarios 1 and 3).
 */
static bool owes(const struct etrace_encoder *enc)
{
	if (enc->branches.count || enc->branches.failed)
		return true;
	if (enc->params.sync_waits)
		return false;
	return enc->unconfirmed || (enc->irets && !enc->params.infer_all_returns);
}

/* Where it leads to may have been passed already; the decoder must know that this is it. */
static bool may_return(const struct etrace_encoder *enc, const struct etrace_event *cur)
{
	switch (cur->itype) {
	case INGRESS_TRAP_RETURN:
	case INGRESS_INDIRECT_CALL:
	case INGRESS_INDIRECT_JUMP:
	case INGRESS_COROUTINE_SWAP:
	case INGRESS_RETURN:
	case INGRESS_OTHER_INDIRECT_JUMP:
		return !enc->params.sync_waits;
	default:
		return false;
	}
}

/* The resynchronization takes a step at an instruction. Return: it calls for a packet. */
static bool step_sync(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	if (enc->sync_state != SYNC_BRANCHES)
		return false;
	if (enc->params.sync_waits && !enc->previous.discon && !owes(enc))
		return false;
	/* Format 3 cannot tell that a return failed. */
	if (cur->itype == INGRESS_RETURN && etrace_return_fails(enc, cur->target))
		return false;
	enc->sync_state = SYNC_NOW;
	return owes(enc) || may_return(enc, cur);
}

/* Reports */

static void set_irets(const struct etrace_encoder *enc, struct etrace_report *report)
{
	const struct etrace_previous *previous = &enc->previous;

	/* A return whose target is reported is not an unreported one. */
	report->irdepth = enc->irets - previous->returned;
	if (previous->discon && !previous->failed && !previous->unexpected)
		return;
	report->irreport = previous->failed || enc->irets;
}

static void set_irdepth(const struct etrace_encoder *enc, struct etrace_report *report)
{
	const struct etrace_previous *previous = &enc->previous;

	report->irdepth = etrace_depth(enc);
	if (previous->failed) {
		report->irreport = true;
		report->irdepth = previous->depth;
		return;
	}
	if (previous->returned)
		report->irreport = report->irdepth;
	else if (!previous->discon)
		report->irreport = enc->returned_since_call && !enc->branch_since_return;
}

static bool report_insn(struct etrace_encoder *enc, const struct etrace_event *cur, bool updiscon)
{
	struct etrace_report report = {
		.pc = cur->pc,
		.discon = enc->previous.discon,
		.notify = cur->notify && !enc->previous.discon,
		.updiscon = updiscon,
	};

	if (etrace_has_mode(enc, ETRACE_IMPLICIT_RETURN) && !enc->params.infer_all_returns) {
		if (enc->params.irets)
			set_irets(enc, &report);
		else
			set_irdepth(enc, &report);
	}
	enc->irets = 0;
	enc->unconfirmed = report.discon && !updiscon;
	return etrace_emit_address(enc, &report);
}

/* Whether format 3 follows an instruction at once */
static bool format_3_follows(const struct etrace_encoder *enc, const struct etrace_event *cur,
			     const struct etrace_event *next)
{
	if (!next)
		return enc->params.early_filter;
	return next->trap || etrace_needs_sync(enc, &cur->context, &next->context) ||
	       enc->sync_state == SYNC_NOW;
}

/* Whether an instruction that is not the target of a discontinuity is reported for @next's sake */
static bool reports_for(const struct etrace_encoder *enc, const struct etrace_event *cur,
			const struct etrace_event *next)
{
	if (!next || next->trap)
		return true;
	if (changes_context(enc, &cur->context, &next->context, ETRACE_CONTEXT_DISCONTINUITY))
		return true;
	return etrace_needs_sync(enc, &cur->context, &next->context) && owes(enc);
}

static bool reports_irets(const struct etrace_encoder *enc)
{
	return enc->params.irets && enc->previous.returned && enc->irets > MAX_IRETS;
}

static bool branches_are_due(const struct etrace_encoder *enc)
{
	const struct etrace_branches *b = &enc->branches;

	return b->failed || (b->count >= FULL_MAP && b->missed);
}

static bool owes_context(const struct etrace_encoder *enc, const struct etrace_event *cur)
{
	return enc->params.ctype == ETRACE_CONTEXT_IMPRECISE && !enc->params.nocontext &&
	       cur->context.scontext != enc->reported_context;
}

/* The packet an instruction calls for, if any. */
void etrace_report(struct etrace_encoder *enc, const struct etrace_event *cur,
		   const struct etrace_event *next)
{
	bool resync = step_sync(enc, cur);
	bool told;

	if (enc->previous.discon) {
		/* The place of an event must be certain, too. */
		told = format_3_follows(enc, cur, next) || enc->events.held_count;
		report_insn(enc, cur, told);
		return;
	}
	/* With irets, a return whose target is reported is not inferred. */
	told = enc->params.irets && enc->previous.returned && format_3_follows(enc, cur, next);
	if (resync || cur->notify || reports_for(enc, cur, next) || reports_irets(enc) ||
	    enc->branches.count == MAX_COUNT) {
		report_insn(enc, cur, told);
		return;
	}
	if (branches_are_due(enc)) {
		enc->unconfirmed = false;
		etrace_emit_branches(enc);
	} else if (owes_context(enc, cur)) {
		etrace_emit_context(enc, &cur->context);
	}
}
