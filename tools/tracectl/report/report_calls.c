// SPDX-License-Identifier: GPL-2.0
/* tracectl report: functions, system calls, interrupts and CPUs, from calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_calls.h"

/**
 * struct open - a frame under way
 * @function: its function
 * @kind: enum rvtrace_call_kind
 * @children: CPU time of what it called
 * @syscall: of a trap: its system call, number in the list and 1, once that is known
 * @handler: of a trap: the function that its entry called, once that is known
 */
struct open {
	uint32_t function;
	uint8_t kind;
	struct rvtrace_call_span children;
	size_t syscall;
	uint32_t handler;
};

/**
 * struct report_stack - frames of a lane
 * @frames: @depth of them, room for @room
 * @ran: how long it ran
 * @instructions, @kernel: executed by it; of these, not in user mode
 * @running: it runs on @cpu since @since, if @timed
 */
struct report_stack {
	struct open *frames;
	size_t depth;
	size_t room;
	uint64_t ran;
	uint64_t instructions;
	uint64_t kernel;
	bool running;
	bool timed;
	size_t cpu;
	uint64_t since;
};

static struct report_calls_of *calls_of(struct report_calls *c, const struct view *view,
					uint32_t function)
{
	uint32_t room;
	void *more;

	if (function >= c->function_room) {
		room = 2 * (view_functions(view) + 1);
		more = reallocarray(c->functions, room, sizeof(*c->functions));
		if (!more)
			return NULL;
		c->functions = more;
		memset(c->functions + c->function_room, 0,
		       (room - c->function_room) * sizeof(*c->functions));
		c->function_room = room;
	}
	return &c->functions[function];
}

static struct report_stack *stack_of(struct report_calls *c, uint32_t lane)
{
	struct report_stack **more;

	if (lane >= c->stack_count) {
		more = reallocarray(c->stacks, lane + 1, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + c->stack_count, 0, (lane + 1 - c->stack_count) * sizeof(*more));
		c->stacks = more;
		c->stack_count = lane + 1;
	}
	if (!c->stacks[lane])
		c->stacks[lane] = calloc(1, sizeof(**c->stacks));
	return c->stacks[lane];
}

/* Number of the kind of a name, from 1; 0: no memory. */
static size_t kind_of(struct report_kinds *kinds, const char *name)
{
	struct report_kind *more;
	size_t i;

	for (i = 0; i < kinds->count; i++)
		if (!strncmp(kinds->list[i].name, name, sizeof(kinds->list[i].name) - 1))
			return i + 1;
	more = reallocarray(kinds->list, kinds->count + 1, sizeof(*more));
	if (!more)
		return 0;
	kinds->list = more;
	more[kinds->count] = (struct report_kind) { };
	snprintf(more[kinds->count].name, sizeof(more->name), "%s", name);
	return ++kinds->count;
}

static struct report_cpu *cpu_of(struct report_calls *c, uint64_t hart)
{
	struct report_cpu *more;
	size_t i;

	for (i = 0; i < c->cpu_count; i++)
		if (c->cpus[i].hart == hart)
			return &c->cpus[i];
	more = reallocarray(c->cpus, c->cpu_count + 1, sizeof(*more));
	if (!more)
		return NULL;
	c->cpus = more;
	more[i] = (struct report_cpu) { .hart = hart };
	c->cpu_count++;
	return &more[i];
}

static void count_call(struct report_calls_of *of, const struct rvtrace_call_event *event,
		       bool once)
{
	const struct rvtrace_call_frame *frame = event->frame;
	struct rvtrace_call_span total, cpu;

	if (once)
		of->instructions += frame->instructions;
	if (!view_duration(frame, &total))
		return;
	view_cpu_time(frame, &cpu);
	if (once) {
		rvtrace_call_span_add(&of->total, &total);
		rvtrace_call_span_add(&of->cpu, &cpu);
	}
	if (!view_is_whole(frame))
		return;
	of->timed++;
	if (total.best < of->worst.best && of->worst.most)
		return;
	of->worst = total;
	of->worst_at = frame->entered;
	of->worst_lane = event->lane;
}

/* "__riscv_sys_read", "__riscv_compat_sys_read": the kernel's function for a system call. */
static const char *system_call(const struct view *view, uint32_t id)
{
	static const char *const prefixes[] = {
		"__riscv_sys_", "__riscv_compat_sys_", "__se_sys_", "__do_sys_", "sys_", NULL,
	};
	const struct view_function *function = view_function(view, id);

	if (!function || !function->named || !function->kernel)
		return NULL;
	for (const char *const *prefix = prefixes; *prefix; prefix++)
		if (!strncmp(function->name, *prefix, strlen(*prefix)))
			return function->name + strlen(*prefix);
	return NULL;
}

/* The trap in which a function is entered; NULL: none. */
static struct open *trap_of(struct report_stack *stack)
{
	size_t i = stack->depth;

	while (i && stack->frames[i - 1].kind == RVTRACE_CALL_FUNCTION)
		i--;
	return i && stack->frames[i - 1].kind == RVTRACE_CALL_TRAP ? &stack->frames[i - 1] : NULL;
}

/* The function says what the trap is of that it is entered in. */
static int name_trap(struct report_calls *c, const struct view *view, struct report_stack *stack,
		     uint32_t function)
{
	struct open *trap = trap_of(stack);
	const char *name;

	if (!trap)
		return 0;
	/* the entry of the kernel is the same for all */
	if (!trap->handler && trap < &stack->frames[stack->depth - 1])
		trap->handler = function;
	name = trap->syscall ? NULL : system_call(view, function);
	if (name)
		trap->syscall = kind_of(&c->system_calls, name);
	return name && !trap->syscall ? -ENOMEM : 0;
}

static int enter(struct report_calls *c, struct view *view, struct report_stack *stack,
		 const struct rvtrace_call_frame *frame)
{
	struct report_calls_of *of = calls_of(c, view, frame->function);
	size_t room = stack->room ? 2 * stack->room : 32;
	void *more;

	if (!of)
		return -ENOMEM;
	if (stack->depth == stack->room) {
		more = reallocarray(stack->frames, room, sizeof(*stack->frames));
		if (!more)
			return -ENOMEM;
		stack->frames = more;
		stack->room = room;
	}
	of->calls += view_is_call(frame);
	if (frame->kind == RVTRACE_CALL_FUNCTION &&
	    name_trap(c, view, stack, frame->function))
		return -ENOMEM;
	stack->frames[stack->depth++] = (struct open) {
		.function = frame->function, .kind = frame->kind,
	};
	return 0;
}

static int leave_trap(struct report_calls *c, struct view *view, const struct open *open,
		      const struct rvtrace_call_event *event)
{
	const struct view_function *handler = view_function(view, open->handler);
	struct report_kinds *kinds = &c->exceptions;
	size_t kind = open->syscall;
	char text[64], cause[64];

	if (kind || view_is_system_call(event->frame)) {
		kinds = &c->system_calls;
		kind = kind ? kind : kind_of(kinds, "?");
	} else {
		if (event->frame->trap == RVTRACE_TRAP_INTERRUPT)
			kinds = &c->interrupts;
		snprintf(text, sizeof(text), "%s%s%s",
			 view_frame_name(view, event->frame, cause, sizeof(cause)),
			 handler && handler->named ? ", " : "",
			 handler && handler->named ? handler->name : "");
		kind = kind_of(kinds, text);
	}
	if (!kind)
		return -ENOMEM;
	kinds->list[kind - 1].calls.calls++;
	count_call(&kinds->list[kind - 1].calls, event, true);
	return 0;
}

static bool is_open(const struct report_stack *stack, uint32_t function)
{
	for (size_t i = stack->depth; i-- > 0;)
		if (stack->frames[i].kind == RVTRACE_CALL_FUNCTION &&
		    stack->frames[i].function == function)
			return true;
	return false;
}

static int leave(struct report_calls *c, struct view *view, struct report_stack *stack,
		 const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;
	struct report_calls_of *of = calls_of(c, view, frame->function);
	struct rvtrace_call_span cpu;
	struct open open;

	if (!of || !stack->depth)
		return of ? 0 : -ENOMEM;
	open = stack->frames[--stack->depth];
	c->cut += (frame->flags & RVTRACE_CALL_CUT) != 0;
	view_cpu_time(frame, &cpu);
	if (stack->depth && frame->trap != RVTRACE_TRAP_INTERRUPT)
		rvtrace_call_span_add(&stack->frames[stack->depth - 1].children, &cpu);
	if (frame->kind == RVTRACE_CALL_TRAP)
		return leave_trap(c, view, &open, event);
	of->self_instructions += frame->own_instructions;
	rvtrace_call_span_subtract(&cpu, &open.children);
	rvtrace_call_span_add(&of->self, &cpu);
	count_call(of, event, !is_open(stack, frame->function));
	return 0;
}

/* The lane's time on its hart. */
static int run(struct report_calls *c, const struct view *view, struct report_stack *stack,
	       const struct rvtrace_call_event *event)
{
	const struct trace_input *in = &view->decode->input;
	struct report_cpu *cpu = cpu_of(c, input_hart(in, event->source));
	bool timed = event->time.best != RVTRACE_CALL_NO_TIME;

	if (!cpu)
		return -ENOMEM;
	if (event->type == RVTRACE_CALL_REST && stack->running && stack->timed && timed &&
	    event->time.best > stack->since) {
		cpu = &c->cpus[stack->cpu];
		*(event->thread ? &cpu->busy : &cpu->idle) += event->time.best - stack->since;
		stack->ran += event->time.best - stack->since;
	}
	stack->running = event->type == RVTRACE_CALL_RUN;
	stack->timed = timed;
	stack->since = event->time.best;
	stack->cpu = cpu - c->cpus;
	return 0;
}

static void count_lane(const struct view *view, struct report_stack *stack,
		       const struct rvtrace_call_frame *frame)
{
	const struct view_function *function = view_function(view, frame->function);

	stack->instructions += frame->own_instructions;
	if (function && function->kernel)
		stack->kernel += frame->own_instructions;
}

int report_count_lanes(const struct report_calls *c, const struct view *view,
		       struct report *report)
{
	for (size_t i = 0; i < report->row_count; i++) {
		report->rows[i]->instructions = 0;
		report->rows[i]->kernel = 0;
		report->rows[i]->run_ns = 0;
	}
	for (size_t i = 0; i < c->stack_count; i++) {
		const struct report_stack *stack = c->stacks[i];
		const struct view_lane *lane = stack ? view_lane(view, i) : NULL;
		struct report_row *row;

		if (!lane)
			continue;
		row = report_row_of(report, lane->process, lane->tid);
		if (!row)
			return -ENOMEM;
		row->instructions += stack->instructions;
		row->kernel += stack->kernel;
		row->run_ns += view_span(view, stack->ran);
	}
	return 0;
}

static void count_interrupt(struct report_calls *c, const struct view *view,
			    const struct rvtrace_call_event *event)
{
	struct report_cpu *cpu = cpu_of(c, input_hart(&view->decode->input, event->source));
	struct rvtrace_call_span span;

	if (cpu && event->frame->kind == RVTRACE_CALL_TRAP &&
	    event->frame->trap == RVTRACE_TRAP_INTERRUPT && view_cpu_time(event->frame, &span))
		cpu->interrupts += span.best;
}

static int take(struct report_calls *c, struct view *view, struct report_stack *stack,
		const struct rvtrace_call_event *event)
{
	switch (event->type) {
	case RVTRACE_CALL_ENTER:
		return enter(c, view, stack, event->frame);
	case RVTRACE_CALL_LEAVE:
		return leave(c, view, stack, event);
	}
	return 0;
}

static int report_event(struct view *view, const struct rvtrace_call_event *event)
{
	struct report_calls *c = view->data;
	struct report_stack *stack = stack_of(c, event->lane);
	const struct view_lane *lane = view_lane(view, event->lane);
	int ret = 0;

	if (!stack)
		return -ENOMEM;
	if (event->type == RVTRACE_CALL_RUN || event->type == RVTRACE_CALL_REST)
		ret = run(c, view, stack, event);
	if (event->type == RVTRACE_CALL_LEAVE) {
		count_lane(view, stack, event->frame);
		count_interrupt(c, view, event);
	}
	if (event->type == RVTRACE_CALL_GAP) {
		c->gaps++;
		c->losses += view_is_loss(event->item);
	}
	if (ret || !report_shows(c->scene, lane->class, lane->pid, event->thread))
		return ret;
	ret = take(c, view, stack, event);
	return !ret && c->tree ? report_tree_take(c->tree, view, event) : ret;
}

static void report_end(struct view *view)
{
	struct report_calls *c = view->data;

	for (size_t i = 0; i < c->stack_count; i++) {
		if (c->stacks[i])
			free(c->stacks[i]->frames);
		free(c->stacks[i]);
	}
	free(c->stacks);
	free(c->functions);
	free(c->cpus);
	free(c->system_calls.list);
	free(c->interrupts.list);
	free(c->exceptions.list);
	report_tree_free(c->tree);
	*c = (struct report_calls) { };
}

const struct view_ops report_view = {
	.name = "report", .event = report_event, .free = report_end,
};
