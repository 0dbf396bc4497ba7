// SPDX-License-Identifier: GPL-2.0
/* What a record of the log does to the frames of a thread: see shadow.h. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/calls/shadow.h"

#define KERNEL_STACK	16384	/* bytes: frames further away are on another one */
#define ALT_STACK	(1ULL << 20)	/* bytes: a signal handler further away is on another one */

#define SYS_RT_SIGRETURN	139
#define SYS_EXECVE		221
#define SYS_EXECVEAT		281
#define CAUSE_ECALL_U		8

/**
 * struct segment - a part of memory that frames of user mode are in
 * @depth: of the stack where it begins
 * @low, @high: stack pointers seen in it
 */
struct segment {
	size_t depth;
	uint64_t low;
	uint64_t high;
};

#define SEGMENTS	8

/**
 * struct stack - frames that are above each other
 * @frames: numbers of @depth frames
 * @segments: @segment_count of them, the last one is executed in; the first is the stack, others
 *	are alternate stacks of signal handlers
 * @coroutine: a coroutine began it
 */
struct stack {
	uint32_t *frames;
	size_t depth, room;
	struct segment segments[SEGMENTS];
	size_t segment_count;
	bool coroutine;
};

/**
 * struct shadow_thread - a thread
 * @task: what tp is in the kernel
 * @serial: its number
 * @epoch: programs that it executed
 * @stack: of what it executes
 * @suspended: those of coroutines, @count of them
 */
struct shadow_thread {
	uint64_t task;
	uint32_t serial;
	uint32_t epoch;
	struct stack stack;
	struct stack *suspended;
	size_t count;
};

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static int by_task(const void *a, const void *b)
{
	const struct shadow_thread *x = a, *y = b;

	return x->task < y->task ? -1 : x->task > y->task;
}

static void bind(struct shadow *shadow, struct shadow_thread *thread, uint64_t task)
{
	thread->task = task;
	need(tsearch(thread, &shadow->threads, by_task));
}

static void clear(struct stack *stack)
{
	stack->depth = 0;
	stack->segment_count = 1;
	stack->segments[0] = (struct segment) { .low = UINT64_MAX };
}

/* 0: of a hart of which it is not known yet */
struct shadow_thread *shadow_thread_of(struct shadow *shadow, uint64_t task)
{
	const struct shadow_thread key = { .task = task };
	struct shadow_thread *thread, **found;

	found = task ? tfind(&key, &shadow->threads, by_task) : NULL;
	if (found)
		return *found;
	thread = need(calloc(1, sizeof(*thread)));
	thread->serial = shadow->thread_count++;
	clear(&thread->stack);
	if (task)
		bind(shadow, thread, task);
	return thread;
}

static struct shadow_frame *frame_at(struct shadow *shadow, const struct stack *stack, size_t depth)
{
	return &shadow->frames[stack->frames[depth - 1]];
}

static struct shadow_frame *top(struct shadow *shadow, const struct stack *stack)
{
	return stack->depth ? frame_at(shadow, stack, stack->depth) : NULL;
}

static struct shadow_place behind(const struct shadow_hart *hart)
{
	struct shadow_place place = hart->now;

	place.index++;
	return place;
}

static void push(struct shadow *shadow, struct shadow_thread *thread, struct shadow_frame frame)
{
	struct stack *stack = &thread->stack;

	if (shadow->count == shadow->room) {
		shadow->room = shadow->room ? 2 * shadow->room : 1 << 16;
		shadow->frames = need(reallocarray(shadow->frames, shadow->room,
						   sizeof(*shadow->frames)));
	}
	if (stack->depth == stack->room) {
		stack->room = stack->room ? 2 * stack->room : 64;
		stack->frames = need(reallocarray(stack->frames, stack->room,
						  sizeof(*stack->frames)));
	}
	frame.thread = thread->serial;
	frame.epoch = thread->epoch;
	frame.coroutine = stack->coroutine;
	frame.parent = stack->depth ? stack->frames[stack->depth - 1] : SHADOW_NONE;
	shadow->frames[shadow->count] = frame;
	stack->frames[stack->depth++] = shadow->count++;
}

static void pop(struct shadow *shadow, struct stack *stack, struct shadow_place left,
		enum shadow_end end)
{
	struct shadow_frame *frame = top(shadow, stack);

	frame->end = end;
	frame->left = left;
	stack->depth--;
	if (stack->depth < stack->segments[stack->segment_count - 1].depth)
		stack->segment_count--;
}

static void pop_to(struct shadow *shadow, struct stack *stack, size_t depth,
		   struct shadow_place left, enum shadow_end end)
{
	while (stack->depth > depth)
		pop(shadow, stack, left, end);
}

static void drop_suspended(struct shadow *shadow, struct shadow_thread *thread,
			   struct shadow_place left, enum shadow_end end)
{
	while (thread->count) {
		struct stack *stack = &thread->suspended[--thread->count];

		pop_to(shadow, stack, 0, left, end);
		free(stack->frames);
	}
}

static struct segment *segment_of(struct stack *stack)
{
	return &stack->segments[stack->segment_count - 1];
}

static bool is_in(const struct segment *segment, uint64_t sp)
{
	return sp >= segment->low && sp <= segment->high;
}

static void note_sp(struct stack *stack, uint64_t sp)
{
	struct segment *segment = segment_of(stack);

	if (sp < segment->low)
		segment->low = sp;
	if (sp > segment->high)
		segment->high = sp;
}

static bool waits(const struct shadow_frame *frame, const struct truth_call *call)
{
	return frame->kind == SHADOW_CALL && frame->link == call->target && frame->sp == call->sp;
}

/* Depth of the frame that waits for what @call leads to, 0: there is none. */
static size_t find_waiting(struct shadow *shadow, const struct stack *stack,
			   const struct truth_call *call)
{
	size_t depth;

	for (depth = stack->depth; depth; depth--) {
		const struct shadow_frame *frame = frame_at(shadow, stack, depth);

		if (frame->kind == SHADOW_TRAP || (frame->kind == SHADOW_SIGNAL && call->priv))
			return 0;
		if (waits(frame, call))
			return depth;
		/* those below are further up */
		if (!call->priv && stack->segment_count == 1 && frame->sp > call->sp)
			return 0;
	}
	return 0;
}

/* Frames that a jump leaves although they do not wait for it. */
static bool is_left_behind(const struct shadow_frame *frame, const struct truth_call *call)
{
	bool back = call->kind == TRUTH_CALL_RETURN && !call->priv;

	if (frame->kind == SHADOW_TRAP || (frame->kind == SHADOW_SIGNAL && call->priv))
		return false;
	if (call->priv && call->sp - frame->sp >= KERNEL_STACK)
		return false;
	return frame->sp < call->sp || (back && frame->sp == call->sp);
}

static void leave_behind(struct shadow *shadow, struct shadow_hart *hart,
			 const struct truth_call *call)
{
	struct stack *stack = &hart->thread->stack;

	while (stack->depth && is_left_behind(top(shadow, stack), call))
		pop(shadow, stack, behind(hart), SHADOW_UNWOUND);
}

static void add_place(struct shadow_places *places, struct shadow_place place)
{
	if (places->count == places->room) {
		places->room = places->room ? 2 * places->room : 64;
		places->list = need(reallocarray(places->list, places->room, sizeof(place)));
	}
	places->list[places->count++] = place;
}

/* Go on with another stack, @index of those suspended, or a new one. */
static void change_stack(struct shadow *shadow, struct shadow_hart *hart, size_t index)
{
	struct shadow_thread *thread = hart->thread;
	struct stack stack = { };

	add_place(&shadow->coroutines, behind(hart));
	for (size_t i = 1; i <= thread->stack.depth; i++)
		frame_at(shadow, &thread->stack, i)->suspended = true;
	if (index < thread->count) {
		stack = thread->suspended[index];
		thread->suspended[index] = thread->stack;
	} else {
		clear(&stack);
		stack.coroutine = true;
		thread->suspended = need(reallocarray(thread->suspended, thread->count + 1,
						      sizeof(*thread->suspended)));
		thread->suspended[thread->count++] = thread->stack;
	}
	thread->stack = stack;
}

/*
 * The stack pointer was loaded: the stack that it is in becomes the one that is executed in.
 * Return: whether it is another one.
 */
static bool find_stack(struct shadow *shadow, struct shadow_hart *hart,
		       const struct truth_call *call)
{
	struct shadow_thread *thread = hart->thread;
	struct stack *stack = &thread->stack;
	size_t i;

	for (i = 0; i < thread->count; i++)
		if (find_waiting(shadow, &thread->suspended[i], call)) {
			change_stack(shadow, hart, i);
			return true;
		}
	for (i = stack->segment_count; i; i--)
		if (is_in(&stack->segments[i - 1], call->sp)) {
			if (i < stack->segment_count)
				pop_to(shadow, stack, stack->segments[i].depth - 1, behind(hart),
				       SHADOW_UNWOUND);
			return false;
		}
	for (i = 0; i < thread->count; i++)
		if (is_in(&thread->suspended[i].segments[0], call->sp))
			break;
	change_stack(shadow, hart, i);
	return true;
}

/* A jump that may return. */
static void land(struct shadow *shadow, struct shadow_hart *hart, const struct truth_call *call)
{
	struct stack *stack = &hart->thread->stack;
	size_t depth = find_waiting(shadow, stack, call);
	bool switched = false;

	if (!depth && !call->priv && call->flags & TRUTH_CALL_SP_LOADED) {
		switched = find_stack(shadow, hart, call);
		depth = find_waiting(shadow, stack, call);
	}
	if (depth) {
		frame_at(shadow, stack, depth)->switched = switched;
		frame_at(shadow, stack, depth)->either = depth < stack->depth;
		pop_to(shadow, stack, depth, behind(hart), SHADOW_UNWOUND);
		pop(shadow, stack, behind(hart), SHADOW_RETURNED);
	} else if (call->kind != TRUTH_CALL_SWAP) {
		shadow->unmatched += call->kind == TRUTH_CALL_RETURN && stack->depth;
		leave_behind(shadow, hart, call);
	}
	if (!call->priv)
		note_sp(stack, call->sp);
}

static void enter(struct shadow *shadow, struct shadow_hart *hart, const struct truth_call *call)
{
	if (call->target == call->link)
		return;
	if (find_waiting(shadow, &hart->thread->stack, call)) {
		land(shadow, hart, call);
		return;
	}
	if (!call->priv)
		note_sp(&hart->thread->stack, call->sp);
	push(shadow, hart->thread, (struct shadow_frame) {
		.kind = SHADOW_CALL, .priv = call->priv, .target = call->target,
		.link = call->link, .sp = call->sp, .entered = behind(hart),
	});
}

static void take_trap(struct shadow *shadow, struct shadow_hart *hart,
		      const struct truth_call *call)
{
	bool ecall = call->value == CAUSE_ECALL_U && !(call->flags & TRUTH_CALL_INTERRUPT);

	if (!call->priv)
		note_sp(&hart->thread->stack, call->sp);
	push(shadow, hart->thread, (struct shadow_frame) {
		.kind = SHADOW_TRAP, .priv = call->priv, .to_priv = call->to_priv,
		.target = call->target, .link = call->pc, .sp = call->sp,
		.number = ecall ? call->link : 0, .entered = hart->now,
	});
}

static bool goes_on(const struct shadow_frame *frame, const struct truth_call *call)
{
	return frame->sp == call->sp && call->target - frame->link <= 4;
}

static void deliver(struct shadow *shadow, struct shadow_hart *hart,
		    const struct truth_call *call, const struct shadow_frame *interrupted)
{
	struct stack *stack = &hart->thread->stack;

	push(shadow, hart->thread, (struct shadow_frame) {
		.kind = SHADOW_SIGNAL, .target = call->target, .link = interrupted->link,
		.sp = interrupted->sp, .entered = behind(hart),
	});
	if (interrupted->sp - call->sp >= ALT_STACK && stack->segment_count < SEGMENTS)
		stack->segments[stack->segment_count++] = (struct segment) {
			.depth = stack->depth, .low = call->sp, .high = call->sp,
		};
}

/* The innermost signal handler, 0: there is none. */
static size_t find_signal(struct shadow *shadow, const struct stack *stack,
			  const struct truth_call *call)
{
	size_t depth;

	for (depth = stack->depth; depth; depth--) {
		const struct shadow_frame *frame = frame_at(shadow, stack, depth);

		if (frame->kind == SHADOW_TRAP)
			return 0;
		if (frame->kind == SHADOW_SIGNAL && (!call || goes_on(frame, call)))
			return depth;
	}
	return 0;
}

/* A return to user mode that is none to what was interrupted. */
static void go_elsewhere(struct shadow *shadow, struct shadow_hart *hart,
			 const struct truth_call *call, const struct shadow_frame *trap)
{
	struct stack *stack = &hart->thread->stack;
	size_t depth = find_signal(shadow, stack, call);
	struct shadow_frame old;

	if (trap->number == SYS_EXECVE || trap->number == SYS_EXECVEAT) {
		shadow->execs++;
		drop_suspended(shadow, hart->thread, behind(hart), SHADOW_REPLACED);
		pop_to(shadow, stack, 0, behind(hart), SHADOW_REPLACED);
		clear(stack);
		stack->coroutine = false;
		hart->thread->epoch++;
	} else if (depth) {
		pop_to(shadow, stack, depth, behind(hart), SHADOW_UNWOUND);
		pop(shadow, stack, behind(hart), SHADOW_RETURNED);
	} else if (trap->number == SYS_RT_SIGRETURN) {
		/* to another signal's, to where the handler wanted it, or from an older one */
		depth = find_signal(shadow, stack, NULL);
		if (!depth)
			return;
		old = *frame_at(shadow, stack, depth);
		pop_to(shadow, stack, depth, behind(hart), SHADOW_UNWOUND);
		pop(shadow, stack, behind(hart), SHADOW_RETURNED);
		if (call->sp != old.sp)
			deliver(shadow, hart, call, &old);
	} else if (call->sp != trap->sp) {
		deliver(shadow, hart, call, trap);
	}
}

static void take_xret(struct shadow *shadow, struct shadow_hart *hart,
		      const struct truth_call *call)
{
	struct stack *stack = &hart->thread->stack;
	struct shadow_frame trap;
	size_t depth = stack->depth;

	while (depth && (frame_at(shadow, stack, depth)->kind != SHADOW_TRAP ||
			 frame_at(shadow, stack, depth)->to_priv != call->priv))
		depth--;
	pop_to(shadow, stack, depth, behind(hart), SHADOW_UNWOUND);
	if (!depth) {
		if (!call->to_priv)
			add_place(&shadow->unknown, behind(hart));
		return;
	}
	trap = *top(shadow, stack);
	pop(shadow, stack, behind(hart), SHADOW_RETURNED);
	if (!call->to_priv && !goes_on(&trap, call))
		go_elsewhere(shadow, hart, call, &trap);
	if (!call->to_priv)
		note_sp(stack, call->sp);
}

static void add_switch(struct shadow *shadow, const struct shadow_hart *hart)
{
	if (shadow->switch_count == shadow->switch_room) {
		shadow->switch_room = shadow->switch_room ? 2 * shadow->switch_room : 1024;
		shadow->switches = need(reallocarray(shadow->switches, shadow->switch_room,
						     sizeof(*shadow->switches)));
	}
	shadow->switches[shadow->switch_count++] = (struct shadow_switch) {
		.index = hart->now.index, .hart = hart->now.hart,
		.thread = hart->thread->serial,
	};
}

static void take_tp(struct shadow *shadow, struct shadow_hart *hart, uint64_t tp)
{
	if (!(tp >> 63) || tp == hart->tp)
		return;
	if (hart->tp) {
		hart->thread = shadow_thread_of(shadow, tp);
		hart->arriving = true;
		add_switch(shadow, hart);
	} else {
		bind(shadow, hart->thread, tp);
	}
}

/* A thread that does not go on where it was left is a new one. */
static void arrive(struct shadow *shadow, struct shadow_hart *hart, const struct truth_call *call)
{
	struct shadow_thread *thread = hart->thread;

	hart->arriving = false;
	if (!thread->stack.depth || waits(top(shadow, &thread->stack), call))
		return;
	drop_suspended(shadow, thread, behind(hart), SHADOW_DEAD);
	pop_to(shadow, &thread->stack, 0, behind(hart), SHADOW_DEAD);
	clear(&thread->stack);
	thread->serial = shadow->thread_count++;
	add_switch(shadow, hart);
}

void shadow_take(struct shadow *shadow, struct shadow_hart *hart, const struct truth_call *call)
{
	switch (call->kind) {
	case TRUTH_CALL_CALL:
		enter(shadow, hart, call);
		break;
	case TRUTH_CALL_SWAP:
		land(shadow, hart, call);
		enter(shadow, hart, call);
		break;
	case TRUTH_CALL_RETURN:
		if (hart->arriving)
			arrive(shadow, hart, call);
		land(shadow, hart, call);
		break;
	case TRUTH_CALL_JUMP:
		land(shadow, hart, call);
		break;
	case TRUTH_CALL_TRAP:
		take_trap(shadow, hart, call);
		break;
	case TRUTH_CALL_XRET:
		take_xret(shadow, hart, call);
		break;
	case TRUTH_CALL_STATE:
		take_tp(shadow, hart, call->target);
		break;
	}
}
