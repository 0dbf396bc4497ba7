// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call layer: which frames of a thread a step enters and leaves. */
#include "calls_internal.h"

#define NEAR	4	/* bytes: behind an ecall or ebreak */

static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + NEAR <= 2 * NEAR;
}

/* Frames up to the innermost trap are all that a jump can leave. */
static bool may_leave(const struct frame *frame)
{
	return frame->shown.kind != RVTRACE_CALL_TRAP;
}

static void push(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		 uint64_t return_address, unsigned int flags)
{
	calls_enter(calls, lane, step, (struct rvtrace_call_frame) {
		.function = step->function, .kind = RVTRACE_CALL_FUNCTION, .start = step->start,
		.address = step->address, .return_address = return_address,
		.flags = flags | (step->begins ? 0 : RVTRACE_CALL_PART),
	});
	if (calls->error)
		return;
	calls_top(lane)->whole = step->whole;
	calls_top(lane)->unwinds = step->unwinds;
	calls_top(lane)->starts = step->starts;
}

/* Another function executes in the same frame: it returns to where this one would. */
static void replace(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct frame old = *calls_top(lane);

	calls_leave(calls, lane, step, RVTRACE_CALL_REPLACED);
	push(calls, lane, step, old.shown.return_address, RVTRACE_CALL_TAIL);
	if (!calls->error)
		calls_top(lane)->serial = old.serial;
}

/* The innermost frame is that of the function that executes. */
static void settle(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct frame *top = calls_top(lane);

	if (!top || top->shown.kind != RVTRACE_CALL_FUNCTION)
		push(calls, lane, step, 0, RVTRACE_CALL_OLDER);
	else if (top->shown.function != step->function)
		replace(calls, lane, step);
}

/* Back to where a frame was to return to: it, and those above it, are left. */
static bool leave_to_caller(struct rvtrace_calls *calls, struct lane *lane,
			    const struct step *step)
{
	/* 0 stands for what is unknown */
	size_t i = step->address ? lane->depth : 0;

	while (i && may_leave(&lane->frames[i - 1]) &&
	       lane->frames[i - 1].shown.return_address != step->address)
		i--;
	if (!i || !may_leave(&lane->frames[i - 1]))
		return false;
	if (i == lane->depth)
		calls_leave(calls, lane, step, 0);
	else
		calls_park(calls, lane, step, i - 1, RVTRACE_CALL_UNWOUND);
	return true;
}

static struct site *site_of(const struct rvtrace_calls *calls, const struct lane *lane,
			    uint64_t link)
{
	return &calls->sites[((link ^ lane->number) * 0x9e3779b97f4a7c15) >> (64 - SITE_BITS)];
}

static void call(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct frame *top = calls_top(lane);

	/* a call of the next instruction only asks where it is */
	if (step->address == step->link) {
		settle(calls, lane, step);
		return;
	}
	/* trampolines go back in this way, too */
	if (top && !step->begins && top->shown.return_address == step->address) {
		leave_to_caller(calls, lane, step);
		settle(calls, lane, step);
		return;
	}
	if (top)
		*site_of(calls, lane, step->link) = (struct site) {
			.link = step->link, .serial = top->serial, .depth = lane->depth,
		};
	push(calls, lane, step, step->link, 0);
}

/*
 * To behind a call that returned long ago, as longjmp() does: to the frame that called, if that has not
 * let go of an exception since.
 */
static bool leave_to_site(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct site *site = site_of(calls, lane, step->address);

	if (!site->depth || site->link != step->address || site->depth >= lane->depth ||
	    lane->frames[site->depth - 1].serial != site->serial ||
	    lane->frames[site->depth].unwinds)
		return false;
	for (size_t i = site->depth; i < lane->depth; i++)
		if (!may_leave(&lane->frames[i]))
			return false;
	calls_leave_to(calls, lane, step, site->depth, RVTRACE_CALL_UNWOUND);
	return true;
}

/*
 * Whether an exception that passes the innermost of @depth frames goes on in it where the step is:
 * 1, 0, negative: unknown.
 */
static int lands(const struct rvtrace_calls *calls, const struct lane *lane, size_t depth,
		 const struct step *step)
{
	const struct frame *frame = &lane->frames[depth - 1], *above = &lane->frames[depth];
	uint64_t site = above->shown.kind == RVTRACE_CALL_SIGNAL ? above->shown.address :
			above->shown.return_address ? above->shown.return_address - 1 : 0;

	if (!calls->config.lands || !frame->starts || !site)
		return -1;
	return calls->config.lands(calls->config.data, frame->shown.function, frame->shown.start,
				   site, step->address);
}

/*
 * The number of frames up to the one of the function at the step that an exception may have gone
 * to. One that has let go of it again is not meant. Of several, it is the innermost one whose call
 * leads there: @sure if none is in doubt; else the innermost one of which that is unknown; else, as
 * it may be no exception, the innermost one. 0: there is none.
 */
static size_t find_open(const struct rvtrace_calls *calls, const struct lane *lane,
			const struct step *step, bool *sure)
{
	size_t unknown = 0, other = 0, i;

	*sure = false;
	if (!step->whole || !lane->depth || !may_leave(&lane->frames[lane->depth - 1]))
		return 0;
	for (i = lane->depth - 1; i && may_leave(&lane->frames[i - 1]); i--) {
		int ret;

		if (lane->frames[i - 1].whole != step->whole || lane->frames[i].unwinds)
			continue;
		ret = lands(calls, lane, i, step);
		*sure = ret > 0 && !unknown;
		if (ret > 0)
			return i;
		if (ret < 0 && !unknown)
			unknown = i;
		else if (!ret && !other)
			other = i;
	}
	return unknown ? unknown : other;
}

/* To a landing pad of exceptions of C++. It may be behind a call that does not return. */
static bool leave_to_pad(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	bool sure;
	size_t depth = find_open(calls, lane, step, &sure);

	if (sure)
		calls_leave_to(calls, lane, step, depth, RVTRACE_CALL_UNWOUND);
	return sure;
}

/* Into a function whose frame is open. */
static bool leave_to_function(struct rvtrace_calls *calls, struct lane *lane,
			      const struct step *step)
{
	bool sure;
	size_t depth = find_open(calls, lane, step, &sure);

	if (depth)
		calls_leave_to(calls, lane, step, depth,
			       RVTRACE_CALL_UNWOUND | (sure ? 0 : RVTRACE_CALL_INFERRED));
	return depth;
}

/* A signal handler, or what it jumped to, returns: to what will end the signal. */
static bool leave_handler(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	if (lane->depth < 2 || calls_top(lane)->shown.kind != RVTRACE_CALL_FUNCTION ||
	    calls_top(lane)->shown.return_address ||
	    lane->frames[lane->depth - 2].shown.kind != RVTRACE_CALL_SIGNAL)
		return false;
	calls_leave(calls, lane, step, 0);
	push(calls, lane, step, 0, 0);
	if (!calls->error)
		calls_top(lane)->restores = true;
	return true;
}

/* To a caller that called before the trace began. */
static void leave_to_unknown(struct rvtrace_calls *calls, struct lane *lane,
			     const struct step *step)
{
	size_t i = lane->depth;

	while (i && lane->frames[i - 1].shown.kind == RVTRACE_CALL_FUNCTION)
		i--;
	if (lane->depth == i + 1)
		calls_leave(calls, lane, step, 0);
	else if (lane->depth > i)
		calls_park(calls, lane, step, i, RVTRACE_CALL_UNWOUND | RVTRACE_CALL_INFERRED);
	settle(calls, lane, step);
}

/* Back to a frame that is not the caller's. */
static bool go_back(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	return leave_to_pad(calls, lane, step) || leave_to_site(calls, lane, step) ||
	       leave_to_function(calls, lane, step) ||
	       calls_unpark(calls, lane, step, step->address);
}

static void go_to_start(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct frame *top = calls_top(lane);

	if (top && top->shown.kind == RVTRACE_CALL_FUNCTION)
		replace(calls, lane, step);
	else
		push(calls, lane, step, 0, 0);
}

static void go_return(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	if (leave_to_caller(calls, lane, step)) {
		settle(calls, lane, step);
	} else if (leave_handler(calls, lane, step)) {
		return;
	} else if (step->begins) {
		go_to_start(calls, lane, step);
	} else {
		if (!go_back(calls, lane, step))
			leave_to_unknown(calls, lane, step);
		settle(calls, lane, step);
	}
}

/* Neither call nor return, but coroutines and trampolines go back in this way. */
static void jump(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct frame *top = calls_top(lane);

	if (!top || top->shown.function == step->function)
		settle(calls, lane, step);
	else if (top->shown.return_address == step->address)
		leave_to_caller(calls, lane, step);
	else if (step->begins || (step->whole && step->whole == top->whole))
		settle(calls, lane, step);
	else if (!leave_to_caller(calls, lane, step))
		go_back(calls, lane, step);
	settle(calls, lane, step);
}

/* What the trace showed before may have nothing to do with what executes now. */
static void start(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	size_t i = lane->depth;

	while (i && may_leave(&lane->frames[i - 1]))
		i--;
	/* a trap whose return was not seen */
	if (i && lane->frames[i - 1].shown.address &&
	    is_near(step->address, lane->frames[i - 1].shown.address))
		calls_leave_to(calls, lane, step, i - 1, 0);
	settle(calls, lane, step);
}

/* The signal that interrupted code at @address; 0: there is none. */
static size_t find_signal(const struct lane *lane, uint64_t address)
{
	size_t i;

	for (i = lane->depth; i && may_leave(&lane->frames[i - 1]); i--)
		if (lane->frames[i - 1].shown.kind == RVTRACE_CALL_SIGNAL &&
		    is_near(lane->frames[i - 1].shown.address, address))
			return i;
	return 0;
}

static void deliver_signal(struct rvtrace_calls *calls, struct lane *lane,
			   const struct step *step)
{
	calls_enter(calls, lane, step, (struct rvtrace_call_frame) {
		.kind = RVTRACE_CALL_SIGNAL, .address = lane->returned,
	});
	if (!calls->error)
		push(calls, lane, step, 0, 0);
}

/* A trap has returned: usually to what it interrupted. */
static void arrive_from_trap(struct rvtrace_calls *calls, struct lane *lane,
			     const struct step *step)
{
	const struct frame *top = calls_top(lane);
	size_t signal;

	/* the signal's handler is over, even if another signal comes at once */
	if (top && top->restores && !is_near(step->address, lane->returned)) {
		lane->returned = lane->frames[lane->depth - 2].shown.address;
		calls_leave_to(calls, lane, step, lane->depth - 2, 0);
		top = calls_top(lane);
	}
	if (is_near(step->address, lane->returned) && top &&
	    top->shown.function == step->function)
		return;
	signal = find_signal(lane, step->address);
	if (signal)
		calls_leave_to(calls, lane, step, signal - 1, 0);
	else if (top && (step->begins || !step->whole) && !step->priv && lane->returned)
		deliver_signal(calls, lane, step);
	else if (top && top->shown.function != step->function)
		leave_to_function(calls, lane, step);
	settle(calls, lane, step);
}

void calls_arrive(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	switch (step->insn) {
	case ARRIVE_START:
		start(calls, lane, step);
		break;
	case ARRIVE_TRAP:
		push(calls, lane, step, 0, 0);
		break;
	case ARRIVE_TRAP_RETURN:
		arrive_from_trap(calls, lane, step);
		break;
	case RVTRACE_INSN_CALL:
	case RVTRACE_INSN_INDIRECT_CALL:
	case RVTRACE_INSN_TABLE_CALL:
		call(calls, lane, step);
		break;
	case RVTRACE_INSN_SWAP:
		if (!leave_to_caller(calls, lane, step))
			call(calls, lane, step);
		break;
	case RVTRACE_INSN_RETURN:
		go_return(calls, lane, step);
		break;
	case RVTRACE_INSN_INDIRECT_JUMP:
	case RVTRACE_INSN_TABLE_JUMP:
		jump(calls, lane, step);
		break;
	default:
		settle(calls, lane, step);
		break;
	}
}

void calls_trap(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	calls_enter(calls, lane, step, (struct rvtrace_call_frame) {
		.kind = RVTRACE_CALL_TRAP, .address = step->address, .trap = step->trap,
		.cause = step->cause, .has_cause = step->has_cause,
	});
}

void calls_trap_return(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	size_t i = lane->depth;

	while (i && lane->frames[i - 1].shown.kind != RVTRACE_CALL_TRAP)
		i--;
	lane->returned = i ? lane->frames[i - 1].shown.address : 0;
	if (i)
		calls_leave_to(calls, lane, step, i - 1, 0);
	else
		/* it began before the trace did */
		calls_leave_to(calls, lane, step, 0, 0);
}
