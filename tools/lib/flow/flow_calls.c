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
 * again behind a return from that trap, which is always reported. And x1 is followed, flow_link.c:
 * what it was set to is no entry like others until a frame has it, for it may be set again.
 */
#include <string.h>

#include "flow_internal.h"

#define CALLS_MAX	1023	/* SiFive P550 */
#define OTHERS_MAX	(RVTRACE_RETURN_CATCHERS > RVTRACE_TASK_STARTS ? \
			 RVTRACE_RETURN_CATCHERS : RVTRACE_TASK_STARTS)
#define FIXUP_MAX	4096	/* bytes from an access that faults to what a kernel goes on with */

/* struct call_stack.kinds */
enum {
	CALL_X1,
	CALL_X5,
	CALL_TRAP,	/* its entry is the instruction that did not execute */
	CALL_SET,	/* x1 has that address, and no frame; by an instruction or an indirect call */
	CALL_OPENED,	/* the same, and a frame began since */
	CALL_DOUBTED,	/* as CALL_X1, but where it is to be returned to may have changed */
	CALL_SWITCHED,	/* as CALL_X1, by the task before: this one is returned to there, unless it is new */
	CALL_SIGNAL,	/* of a handler of a signal, by the kernel */
};


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
	stack->signalled = false;
	stack->replaced = 0;
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

static bool is_top(const struct call_stack *stack, unsigned int kind)
{
	return stack->count && stack->kinds[top_of(stack)] == kind;
}

/* The newest entry that is not of x5: who was called by x5 may save x1 for who called it. */
static unsigned int newest_of_x1(const struct call_stack *stack)
{
	unsigned int i, at = top_of(stack);

	for (i = 1; i < stack->count && stack->kinds[at] == CALL_X5; i++)
		at = (at + STACK_DEPTH - 1) % STACK_DEPTH;
	return at;
}

static bool is_set(const struct call_stack *stack, unsigned int at)
{
	return stack->count && (stack->kinds[at] == CALL_SET || stack->kinds[at] == CALL_OPENED);
}

/* The newest entry is what the register has that a return reads. */
static bool is_read(const struct call_stack *stack, bool by_x5)
{
	if (by_x5)
		return is_top(stack, CALL_X5);
	return is_top(stack, CALL_X1) || is_set(stack, top_of(stack));
}

/**
 * flow_newest_is_set() - whether no frame has what is in x1
 * @stack: the stack
 */
bool flow_newest_is_set(const struct call_stack *stack)
{
	return is_set(stack, newest_of_x1(stack));
}

/**
 * flow_caller() - where a return by x1 leads
 * @source: the source, which counts calls
 * @n: so many returns before it, and nothing else
 * @link: out
 *
 * Return: whether that is known.
 */
bool flow_caller(const struct source *source, unsigned int n, uint64_t *link)
{
	const struct call_stack *stack = &source->stack;
	unsigned int at = (stack->top + STACK_DEPTH - 1 - n % STACK_DEPTH) % STACK_DEPTH;

	if (n >= stack->count || stack->kinds[at] != CALL_X1)
		return false;
	*link = stack->entries[at];
	return *link != NO_ADDRESS;
}

/* Nothing is known of the calls since the last trap that has not returned. */
static void cut(struct call_stack *stack)
{
	uint64_t ignored;

	while (stack->count && !is_top(stack, CALL_TRAP))
		call_stack_pop(stack, &ignored);
	stack->incomplete = true;
}

/**
 * flow_set_link() - the last instruction of the walk makes x1 lead elsewhere than to the caller
 * @flow: the decoder; its source counts calls
 * @target: where to, or NO_ADDRESS
 */
void flow_set_link(struct rvtrace_flow *flow, uint64_t target)
{
	struct call_stack *stack = &flow->source->stack;

	stack->replaced = is_read(stack, false) ? stack->entries[top_of(stack)] : 0;
	flow_drop_link(flow);
	push(&flow->source->stack, target, CALL_SET);
}

/**
 * flow_open_frame() - a frame begins, in which what is in x1 may be saved
 * @flow: the decoder; flow_link_is_set()
 */
void flow_open_frame(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;

	stack->kinds[newest_of_x1(stack)] = CALL_OPENED;
}

/**
 * flow_keep_link() - x1 is saved in a frame: if that began behind it, as if a call had left it there
 * @flow: the decoder; flow_link_is_set()
 */
void flow_keep_link(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	unsigned int at = newest_of_x1(stack);

	if (stack->kinds[at] == CALL_OPENED)
		stack->kinds[at] = CALL_X1;
}

/**
 * flow_drop_link() - x1 does not have what it was set to any more
 * @flow: the decoder
 */
void flow_drop_link(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	uint64_t ignored;

	if (is_set(stack, top_of(stack)))
		call_stack_pop(stack, &ignored);
}

/**
 * flow_leave_stack() - what follows executes in another stack, or in a frame that is not known
 * @flow: the decoder; its source counts calls
 */
void flow_leave_stack(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	uint64_t replaced = source->stack.replaced;

	if (source->priv)	/* a kernel may change to another task */
		call_stack_clear(&source->stack, true);
	else
		cut(&source->stack);
	source->stack.replaced = replaced;
}

/**
 * flow_drop_x5() - x5 has been written since it was linked in
 * @flow: the decoder; its source counts calls
 */
void flow_drop_x5(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	uint64_t ignored;

	if (is_top(stack, CALL_X5))
		call_stack_pop(stack, &ignored);
}

/**
 * flow_writes_return() - whether a function changes where another one returns to
 * @flow: the decoder
 * @function: its address
 */
bool flow_writes_return(const struct rvtrace_flow *flow, uint64_t function)
{
	for (unsigned int i = 0; i < RVTRACE_RETURN_WRITERS; i++)
		if (flow->config.kernel.return_writers[i] == function)
			return function != 0;
	return false;
}

/*
 * Where a function returns to may change before it begins. It is traced by a call that linked in
 * x5, or by a breakpoint: the call before that one is its own.
 */
static void doubt_caller(struct call_stack *stack)
{
	unsigned int i, at = stack->top;
	bool found = false;

	for (i = 0; i < stack->count; i++) {
		at = (at + STACK_DEPTH - 1) % STACK_DEPTH;
		if (stack->kinds[at] == CALL_X5 || stack->kinds[at] == CALL_TRAP)
			found = true;
		else if (found)
			break;
	}
	if (i < stack->count && (stack->kinds[at] == CALL_X1 || is_set(stack, at)))
		stack->kinds[at] = CALL_DOUBTED;
}

/**
 * flow_call() - the last instruction of the walk calls
 * @flow: the decoder
 * @target: what
 * @link: where it is to be returned to
 */
void flow_call(struct rvtrace_flow *flow, uint64_t target, uint64_t link)
{
	bool swap = flow->walk.last_kind == RVTRACE_INSN_SWAP;
	bool by_x5 = flow->walk.last_by_x5 != swap;
	bool indirect = flow->walk.last_kind == RVTRACE_INSN_INDIRECT_CALL;
	struct source *source = flow->source;

	if (!source->counts_calls) {
		call_stack_push(&source->stack, link);
		return;
	}
	if (source->calls >= 0 && source->calls < CALLS_MAX)
		source->calls++;
	if (by_x5) {
		push(&source->stack, link, CALL_X5);
	} else {
		flow_drop_link(flow);
		push(&source->stack, link, indirect ? CALL_SET : CALL_X1);
	}
	if (flow_writes_return(flow, target))
		doubt_caller(&source->stack);
	if (target == flow->config.kernel.signal_setup && source->priv == 1 && !source->v)
		source->stack.signalled = true;
}

/* What else than the newest entry a return of its kind may lead to. Return: whether it may. */
static bool other_targets(const struct rvtrace_flow *flow, uint64_t *others)
{
	const struct rvtrace_flow_kernel *kernel = &flow->config.kernel;

	if (is_top(&flow->source->stack, CALL_DOUBTED))
		memcpy(others, kernel->return_catchers, sizeof(kernel->return_catchers));
	else if (is_top(&flow->source->stack, CALL_SWITCHED))
		memcpy(others, kernel->task_starts, sizeof(kernel->task_starts));
	else
		return false;
	return others[0];
}

/*
 * Where the last instruction of the walk leads, if it is one of these: it jumps to the handler of an
 * exception by an address from a table; or it returns, but a tracer was there when its function was
 * called: to the caller or to the tracer; or another task was, and this one may be new.
 */
static bool find_target(struct rvtrace_flow *flow, uint64_t *target)
{
	struct call_stack *stack = &flow->source->stack;
	uint64_t targets[1 + OTHERS_MAX] = { 0 }, ignored;

	if (flow->source->priv != 1 || flow->source->v)
		return false;
	if (flow->walk.dispatches)
		return flow_find_target(flow, flow->config.kernel.handlers, RVTRACE_HANDLERS, 0,
					target);
	if (flow->walk.last_by_x5 || !other_targets(flow, targets + 1))
		return false;
	targets[0] = stack->entries[top_of(stack)];
	if (targets[0] == NO_ADDRESS)
		return false;
	if (!flow_find_target(flow, targets, 1 + OTHERS_MAX, 1, target))
		return false;
	return call_stack_pop(stack, &ignored);
}

/*
 * The last instruction of the walk returns from the handler of a signal, to where the kernel made it
 * return: a system call of the vDSO, of which the load of its number alone retires.
 */
static bool leave_handler(struct rvtrace_flow *flow, uint64_t *target)
{
	const struct walk *walk = &flow->walk;
	struct source *source = flow->source;
	uint64_t ignored;

	if (source->priv || source->v || walk->last_by_x5 ||
	    !is_top(&source->stack, CALL_SIGNAL) || !source->place.signal_return ||
	    !flow_can_look(flow) || walk->left != 2 || walk->bits ||
	    (flow->message.btype != RVTRACE_NTRACE_BTYPE_TRAP &&
	     flow->message.btype != RVTRACE_NTRACE_BTYPE_EXCEPTION))
		return false;
	*target = source->place.signal_return;
	return call_stack_pop(&source->stack, &ignored);
}

static bool infer(struct rvtrace_flow *flow, uint64_t *target)
{
	struct rvtrace_flow_item *item;

	if (!find_target(flow, target) && !leave_handler(flow, target))
		return false;
	item = flow_event(flow, RVTRACE_FLOW_INFERRED);
	flow_event_address(item, flow->walk.last_pc);
	item->trap.target = *target;
	item->flags |= RVTRACE_FLOW_HAS_TARGET;
	return true;
}

/* Where the last instruction of the walk returns to, as its calls say. Return: whether they do. */
static bool take_known(struct rvtrace_flow *flow, uint64_t *target)
{
	struct call_stack *stack = &flow->source->stack;
	bool by_x5 = flow->walk.last_by_x5;

	/* Who is called by x5 may return for who called it. */
	while (!by_x5 && is_top(stack, CALL_X5))
		call_stack_pop(stack, target);
	return is_read(stack, by_x5) && stack->entries[top_of(stack)] != NO_ADDRESS &&
	       call_stack_pop(stack, target);
}

/* The last instruction of the walk returns to where no call of it leads. */
static void give_up(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	bool by_x5 = flow->walk.last_by_x5;

	if (is_set(stack, top_of(stack)) && !by_x5)
		flow_leave_stack(flow);
	else if (!by_x5)
		cut(stack);
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
	if (take_known(flow, target) || infer(flow, target))
		return 1;
	give_up(flow);
	return 0;
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
	/*
	 * Synchronizations give an address in any case. An encoder may never leave out any, and others
	 * than SiFive's may count less far.
	 */
	if (source->calls > 0 && source->left_out && !flow->message.has_sync &&
	    flow->config.ntrace.sifive)
		flow_error(flow, RVTRACE_ERR_CALLS);
	source->calls = 0;
	/* By an address from a table: that is no return. */
	if (flow->walk.last_by_x5 && !is_top(stack, CALL_X5))
		return;
	/* The tracer returns to the caller by a call of its own. */
	if (!flow->walk.last_by_x5 && is_top(stack, CALL_DOUBTED))
		call_stack_pop(stack, &target);
	else if (!take_known(flow, &target))
		give_up(flow);
	else if (target != flow->target)
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

	if (!source->counts_calls)
		return;
	push(&source->stack, known ? pc : NO_ADDRESS, CALL_TRAP);
	if (source->priv <= 0)
		source->stack.signalled = false;
}

static void drop(struct call_stack *stack, unsigned int count)
{
	uint64_t ignored;

	while (count--)
		call_stack_pop(stack, &ignored);
}

static bool is_kernel(const struct rvtrace_flow *flow, uint64_t address)
{
	return address >> (flow->config.isa.xlen - 1);
}

static bool accesses_memory(const struct rvtrace_flow *flow, uint64_t address)
{
	struct rvtrace_insn_access access;
	struct rvtrace_window window;
	const uint8_t *code;
	unsigned int size;

	if (!flow_find_code(flow, flow->source, address, &window))
		return false;
	code = window.bytes + (address - window.start);
	size = rvtrace_insn_size(code[0] | code[1] << 8);
	return size - 1 <= window.last - address &&
	       rvtrace_insn_access(&flow->config.isa, code, size, &access) &&
	       access.kind != RVTRACE_INSN_CSR;
}

/*
 * An access of the kernel trapped, at @from. Where that was foreseen it goes on close by, in the same
 * function. Who simulates an instruction, as kprobes do, may have called or returned.
 */
static bool goes_on_in_kernel(const struct rvtrace_flow *flow, uint64_t from)
{
	uint64_t distance = flow->target > from ? flow->target - from : from - flow->target;

	return flow->source->priv == 1 && !flow->source->v && is_kernel(flow, from) &&
	       is_kernel(flow, flow->target) && distance < FIXUP_MAX && accesses_memory(flow, from);
}

/* To what was interrupted, or behind an instruction that was emulated or made a system call */
static bool goes_on(struct rvtrace_flow *flow)
{
	struct call_stack *stack = &flow->source->stack;
	unsigned int i, at = stack->top;
	uint64_t after;

	for (i = 0; i < stack->count; i++) {
		at = (at + STACK_DEPTH - 1) % STACK_DEPTH;
		if (stack->kinds[at] != CALL_TRAP)
			continue;
		after = flow->target - stack->entries[at];
		if (!after || after == 2 || after == 4) {
			drop(stack, i + 1);
			return true;
		}
		if (stack->entries[at] == NO_ADDRESS)
			break;
	}
	return false;
}

/**
 * flow_trap_return_calls() - the current source returned from a trap, to the address of the message
 * @flow: the decoder
 *
 * Elsewhere than to what was interrupted (handlers of signals, other programs), what is below the
 * mark stays there.
 */
void flow_trap_return_calls(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	struct call_stack *stack = &source->stack;

	if (!source->counts_calls || goes_on(flow))
		return;
	cut(stack);
	if (is_top(stack, CALL_TRAP) && goes_on_in_kernel(flow, stack->entries[top_of(stack)]))
		drop(stack, 1);
	else if (stack->signalled && source->priv == 1 && !is_kernel(flow, flow->target))
		push(stack, NO_ADDRESS, CALL_SIGNAL);
}

/**
 * flow_switch_calls() - the kernel changed to another task, in a function that both had called
 * @source: the source, which counts calls
 *
 * A new task did not: it returns to elsewhere.
 */
void flow_switch_calls(struct source *source)
{
	uint64_t link = source->stack.replaced;

	call_stack_clear(&source->stack, true);
	if (link)
		push(&source->stack, link, CALL_SWITCHED);
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
	/* a kernel may change to another task */
	if (source->priv == 1 || source->priv < 0)
		call_stack_clear(&source->stack, true);
	else
		cut(&source->stack);
}
