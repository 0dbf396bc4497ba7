// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls, and where returns lead that no message reports.
 *
 * An encoder that compares addresses leaves out a return to where the newest call came from: its stack
 * is known here, entry by entry. One that counts calls (SiFive) leaves out as many returns as it
 * counted calls, wherever they lead. Then there are two objects: its count, which says whether a
 * return is reported, and the stack, which says where one that is not leads. They differ: every
 * synchronization clears the count, a trap does neither count nor return, and another task has calls
 * of its own. So a trap puts a mark on the stack. No return leads past it: what is below executes
 * again behind a return from that trap, which is always reported.
 */
#include "flow_internal.h"

#define CALLS_MAX	1023	/* SiFive P550 */

/* struct call_stack.kinds */
enum { CALL_X1, CALL_X5, CALL_TRAP };

/* Entries of traps: of one at an address that is not known. */
#define NO_ADDRESS	1

void call_stack_push(struct call_stack *stack, uint64_t address)
{
	stack->entries[stack->top] = address;
	stack->top = (stack->top + 1) % STACK_DEPTH;
	if (stack->count < STACK_DEPTH)
		stack->count++;
}

bool call_stack_pop(struct call_stack *stack, uint64_t *address)
{
	if (!stack->count)
		return false;
	stack->count--;
	stack->top = (stack->top + STACK_DEPTH - 1) % STACK_DEPTH;
	*address = stack->entries[stack->top];
	return true;
}

void call_stack_clear(struct call_stack *stack, bool incomplete)
{
	stack->count = 0;
	stack->incomplete = incomplete;
}

static void push(struct call_stack *stack, uint64_t address, unsigned int kind)
{
	stack->kinds[stack->top] = kind;
	call_stack_push(stack, address);
}

static unsigned int top_of(const struct call_stack *stack)
{
	return (stack->top + STACK_DEPTH - 1) % STACK_DEPTH;
}

/* The newest entry is of a call that linked in the register that the return reads. */
static bool is_of_call(const struct call_stack *stack, unsigned int link)
{
	return stack->count && stack->kinds[top_of(stack)] == link;
}

/* Nothing is known of the calls since the last trap that has not returned. */
static void cut(struct call_stack *stack)
{
	uint64_t ignored;

	while (stack->count && stack->kinds[top_of(stack)] != CALL_TRAP)
		call_stack_pop(stack, &ignored);
	stack->incomplete = true;
}

/**
 * flow_call() - the last instruction of the walk calls
 * @flow: the decoder
 * @link: where it is to be returned to
 */
void flow_call(struct rvtrace_flow *flow, uint64_t link)
{
	struct source *source = flow->source;
	bool swap = flow->walk.last_kind == RVTRACE_INSN_SWAP;

	if (!source->counts_calls) {
		call_stack_push(&source->stack, link);
		return;
	}
	if (source->calls >= 0 && source->calls < CALLS_MAX)
		source->calls++;
	push(&source->stack, link, flow->walk.last_link ^ swap ? CALL_X5 : CALL_X1);
}

/**
 * flow_return() - the last instruction of the walk returns, and no message reports it
 * @flow: the decoder
 * @target: where to
 *
 * Return: 1; 0: that is not known; RVTRACE_ERR_JUMP: a message should have reported it.
 */
int flow_return(struct rvtrace_flow *flow, uint64_t *target)
{
	struct source *source = flow->source;
	struct call_stack *stack = &source->stack;

	if (!source->counts_calls) {
		if (call_stack_pop(stack, target))
			return 1;
		return stack->incomplete ? 0 : RVTRACE_ERR_JUMP;
	}
	if (!source->calls)
		return RVTRACE_ERR_JUMP;
	if (source->calls > 0)
		source->calls--;
	source->left_out = true;
	return is_of_call(stack, flow->walk.last_link) && call_stack_pop(stack, target);
}

/**
 * flow_reported_return() - a message says where the last instruction of the walk, a return, leads
 * @flow: the decoder
 */
void flow_reported_return(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	struct call_stack *stack = &source->stack;
	uint64_t target;

	if (!source->counts_calls) {
		call_stack_pop(stack, &target);
		return;
	}
	/* Synchronizations give an address in any case. An encoder may never leave out any. */
	if (source->calls > 0 && source->left_out && !flow->message.has_sync)
		flow_error(flow, RVTRACE_ERR_CALLS);
	source->calls = 0;
	if (!is_of_call(stack, flow->walk.last_link) || !call_stack_pop(stack, &target) ||
	    target != flow->target)
		cut(stack);
}

/**
 * flow_trap_calls() - the current source trapped
 * @flow: the decoder
 * @pc: the instruction that did not execute, if @known
 * @known: it is
 */
void flow_trap_calls(struct rvtrace_flow *flow, uint64_t pc, bool known)
{
	struct source *source = flow->source;

	if (source->counts_calls)
		push(&source->stack, known ? pc : NO_ADDRESS, CALL_TRAP);
}

/**
 * flow_trap_return_calls() - the current source returned from a trap, to the address of the message
 * @flow: the decoder
 *
 * To what was interrupted, or behind an instruction that has been emulated or made a system call.
 * Elsewhere (signals, other programs), what is below the mark stays there.
 */
void flow_trap_return_calls(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	unsigned int i, at = stack->top;
	uint64_t ignored, after;

	if (!flow->source->counts_calls)
		return;
	for (i = 0; i < stack->count; i++) {
		at = (at + STACK_DEPTH - 1) % STACK_DEPTH;
		if (stack->kinds[at] != CALL_TRAP)
			continue;
		after = flow->target - stack->entries[at];
		if (!after || after == 2 || after == 4) {
			for (i++; i; i--)
				call_stack_pop(stack, &ignored);
			return;
		}
		if (stack->entries[at] == NO_ADDRESS)
			break;
	}
	cut(stack);
}

/**
 * flow_unwind_calls() - the last instruction of the walk returns to elsewhere than to its caller
 * @flow: the decoder; its source counts calls
 *
 * A program jumps over its callers, a kernel may change to another task. The count goes on.
 */
void flow_unwind_calls(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;

	if (source->priv)
		call_stack_clear(&source->stack, true);
	else
		cut(&source->stack);
}

/**
 * flow_forget_calls() - the current source executes what is not seen, so that calls are not known
 * @flow: the decoder
 */
void flow_forget_calls(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;

	if (!source->counts_calls) {
		call_stack_clear(&source->stack, true);
		return;
	}
	source->calls = -1;
	cut(&source->stack);
}
