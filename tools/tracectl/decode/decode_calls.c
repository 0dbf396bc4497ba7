// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --output calls: functions, indented by who called them. */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define MAX_DEPTH	1024	/* older callers are forgotten */
#define MAX_INDENT	64	/* levels */

/*
 * Who is to be returned to.
 * @address: there
 * @trap: it was interrupted
 * @shown: filters let through the code that was called
 * @has_time, @time: when that was
 * @called: what was called
 * @place: its name
 */
struct frame {
	uint64_t address;
	bool trap;
	bool shown;
	bool has_time;
	uint64_t time;
	uint64_t called;
	struct symbol_place place;
};

/*
 * Calls of one thread, or of a hart where threads are not known.
 * @process: the thread's, as items have it
 * @frames: room for @room of them
 * @failed: there was no memory for more
 * @kind, @behind: the last instruction that executed, and the address behind it
 * @function: where the function begins that executes
 */
struct stack {
	unsigned int source;
	int32_t thread;
	uint32_t process;
	struct frame *frames;
	unsigned int room;
	unsigned int depth;
	bool failed;
	bool running;
	unsigned int kind;
	uint64_t behind;
	uint64_t function;
};

struct calls {
	void *tree;
	struct stack *last;
};

struct calls *calls_new(void)
{
	return calloc(1, sizeof(struct calls));
}

static void free_stack(void *node)
{
	struct stack *stack = node;

	free(stack->frames);
	free(stack);
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	tdestroy(calls->tree, free_stack);
	free(calls);
}

static int by_owner(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	/* a thread takes its calls along; where it is not known, the hart counts */
	return x->thread >= 0 ? 0 : (x->source > y->source) - (x->source < y->source);
}

/* Thread 0 is idle, one on each hart. */
static struct stack *stack_of(struct calls *calls, const struct rvtrace_flow_item *item)
{
	struct stack *stack = calls->last, **found;
	int32_t thread = item->thread > 0 ? item->thread : -1;

	if (stack && stack->thread == thread && stack->source == item->source)
		return stack;
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return NULL;
	stack->thread = thread;
	stack->source = item->source;
	stack->process = RVTRACE_PROCESS_UNKNOWN;
	found = tsearch(stack, &calls->tree, by_owner);
	if (!found || *found != stack)
		free(stack);
	if (!found)
		return NULL;
	(*found)->source = item->source;
	return calls->last = *found;
}

/* Without the first @count. */
static void drop(struct stack *stack, unsigned int count)
{
	if (!count)
		return;
	stack->depth -= count;
	memmove(stack->frames, stack->frames + count, stack->depth * sizeof(*stack->frames));
}

static void push(struct stack *stack, const struct rvtrace_flow_item *item, struct frame frame)
{
	if (stack->depth == MAX_DEPTH)
		drop(stack, MAX_DEPTH / 2);
	if (stack->depth == stack->room) {
		unsigned int room = stack->room ? 2 * stack->room : 16;
		void *frames = realloc(stack->frames, room * sizeof(*stack->frames));

		stack->failed |= !frames;
		if (!frames)
			return;
		stack->frames = frames;
		stack->room = room;
	}
	frame.has_time = item->flags & RVTRACE_FLOW_HAS_TIME;
	frame.time = item->time;
	stack->frames[stack->depth++] = frame;
}

static void indent(struct decode *d, const struct stack *stack)
{
	unsigned int i;

	for (i = 0; i < stack->depth && i < MAX_INDENT; i++)
		out_text(&d->out, "  ");
}

/* From a call or trap until now, where both times are known. */
static void print_duration(struct decode *d, const struct frame *frame,
			   const struct rvtrace_flow_item *item)
{
	const struct trace_input *in = &d->input;
	uint64_t ticks = input_elapsed(in, item->time) - input_elapsed(in, frame->time);
	const char *unit = d->input.timestamp_hz ? "ns" : "ticks";

	if (!frame->has_time || !(item->flags & RVTRACE_FLOW_HAS_TIME) || (int64_t)ticks < 0)
		return;
	if (d->input.timestamp_hz)
		ticks = input_ns(&d->input, ticks);
	if (global.json)
		out_json_number(&d->out, d->input.timestamp_hz ? "duration_ns" : "duration", ticks);
	else
		out_format(&d->out, " after %" PRIu64 " %s", ticks, unit);
}

/* What the top frame's caller called is over. */
static void print_return(struct decode *d, const struct stack *stack,
			 const struct rvtrace_flow_item *item)
{
	const struct frame *frame = &stack->frames[stack->depth - 1];

	if (!frame->shown || !filter_item(&d->input.filter, item))
		return;
	d->input.filter.shown = true;
	if (global.json) {
		print_begin(&d->out);
		out_text(&d->out, "{\"type\":\"returned\"");
		out_json_number(&d->out, "depth", stack->depth);
		out_json_hex(&d->out, "address", frame->called);
		print_duration(d, frame, item);
		print_who(d, item);
		print_place(d, &frame->place, frame->called);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, item);
	indent(d, stack);
	print_place(d, &frame->place, frame->called);
	out_text(&d->out, frame->place.name ? " " : "");
	out_hex(&d->out, frame->called);
	out_text(&d->out, " (returned)");
	print_duration(d, frame, item);
	out_char(&d->out, '\n');
}

/* Back to whoever is to be returned to there; functions may leave several at once. */
static bool pop(struct decode *d, struct stack *stack, const struct rvtrace_flow_item *item,
		uint64_t address)
{
	unsigned int i = stack->depth;

	while (i && !stack->frames[i - 1].trap && stack->frames[i - 1].address != address)
		i--;
	if (!i || stack->frames[i - 1].trap)
		return false;
	for (; stack->depth >= i; stack->depth--)
		print_return(d, stack, item);
	return true;
}

/* The process ended, or executes another program: what called the kernel is gone. */
static void take_process(struct decode *d, struct stack *stack,
			 const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *before, *now;
	unsigned int i = stack->depth;

	if (!d->input.spaces || item->process == RVTRACE_PROCESS_UNKNOWN ||
	    item->process == stack->process)
		return;
	before = rvtrace_spaces_get(d->input.spaces, stack->process);
	now = rvtrace_spaces_get(d->input.spaces, item->process);
	stack->process = item->process;
	if (!before || !now || before->until > now->from)
		return;
	while (i && !stack->frames[i - 1].trap)
		i--;
	drop(stack, i ? i - 1 : stack->depth);
}

/* Whoever was to be returned to is not, up to the last trap. */
static void forget_callers(struct stack *stack)
{
	while (stack->depth && !stack->frames[stack->depth - 1].trap)
		stack->depth--;
}

/* Back from the last trap. Return: its frame, or NULL. */
static const struct frame *pop_trap(struct stack *stack)
{
	unsigned int i;

	for (i = stack->depth; i-- > 0;) {
		if (stack->frames[i].trap) {
			stack->depth = i;
			return &stack->frames[i];
		}
	}
	stack->depth = 0;
	return NULL;
}

/* A function begins, or goes on: @how. */
static void print_call(struct decode *d, const struct stack *stack,
		       const struct rvtrace_flow_item *item, const char *how, uint64_t address,
		       const struct symbol_place *place)
{
	if (global.json) {
		print_begin(&d->out);
		out_text(&d->out, "{\"type\":");
		out_json_string(&d->out, how);
		out_json_number(&d->out, "depth", stack->depth);
		out_json_hex(&d->out, "address", address);
		print_who(d, item);
		print_place(d, place, address);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, item);
	indent(d, stack);
	print_place(d, place, address);
	out_text(&d->out, place->name ? " " : "");
	out_hex(&d->out, address);
	out_text(&d->out, strcmp(how, "call") ? " (" : "");
	out_text(&d->out, strcmp(how, "call") ? how : "");
	out_text(&d->out, strcmp(how, "call") ? ")\n" : "\n");
}

/* What led to @address? NULL: nothing that begins a function. */
static const char *arrive(struct decode *d, struct stack *stack,
			  const struct rvtrace_flow_item *item, uint64_t address,
			  const uint8_t *code, const struct symbol_place *place)
{
	bool function = place->function && place->base == address &&
			stack->function != address;

	if (!stack->running)
		return "start";
	switch (stack->kind) {
	case RVTRACE_INSN_SWAP:
	case RVTRACE_INSN_RETURN:
		if (pop(d, stack, item, address))
			return NULL;
		if (stack->kind == RVTRACE_INSN_SWAP)
			break;
		/* to a caller from before the trace */
		forget_callers(stack);
		return "return";
	case RVTRACE_INSN_CALL:
	case RVTRACE_INSN_INDIRECT_CALL:
	case RVTRACE_INSN_TABLE_CALL:
		break;
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_INDIRECT_JUMP:
	case RVTRACE_INSN_TABLE_JUMP:
		return function ? "jump" : NULL;
	default:
		return NULL;
	}
	/* a call of the next instruction only asks where it is */
	if (address == stack->behind)
		return NULL;
	push(stack, item, (struct frame) {
		.address = stack->behind, .called = address, .place = *place,
		.shown = filter_code(d, item, address, code),
	});
	return "call";
}

static void begin_block(struct decode *d, struct stack *stack,
			const struct rvtrace_flow_item *item, uint64_t address,
			const uint8_t *code)
{
	struct symbol_place place;
	const char *how;

	symbols_find(d->symbols, d->resolver, item, address, code, &place);
	how = arrive(d, stack, item, address, code, &place);
	stack->running = true;
	stack->kind = RVTRACE_INSN_LINEAR;
	stack->function = place.function ? place.base : 0;
	if (!how || !filter_item(&d->input.filter, item) || !filter_code(d, item, address, code))
		return;
	d->input.filter.shown = true;
	print_call(d, stack, item, how, address, &place);
}

/* What the last instruction of a block does. */
static void end_block(const struct decode *d, struct stack *stack,
		      const struct rvtrace_flow_block *block)
{
	const uint8_t *code = block->code;
	struct rvtrace_insn insn = { };
	uint32_t i;

	for (i = 1; i < block->instructions; i++)
		code += rvtrace_insn_size((uint16_t)(code[0] | code[1] << 8));
	rvtrace_insn_decode(&d->input.config.isa, code, block->size - (code - block->code), &insn);
	stack->kind = insn.kind;
	stack->behind = block->address + block->size;
}

/* Blocks that only go on, or branch, begin no function. */
static bool may_begin(const struct stack *stack)
{
	return !stack->running || (stack->kind != RVTRACE_INSN_LINEAR &&
				   stack->kind != RVTRACE_INSN_BRANCH);
}

static void take_blocks(struct decode *d, struct stack *stack,
			const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_block *block = item->blocks.list;
	uint32_t i;

	for (i = 0; i < item->blocks.count; i++, block++) {
		if (may_begin(stack))
			begin_block(d, stack, item, block->address, block->code);
		end_block(d, stack, block);
	}
}

/* An event; @trap: the one it returns from, or NULL. */
static void print_other(struct decode *d, const struct stack *stack,
			const struct rvtrace_flow_item *item, const struct frame *trap)
{
	struct rvtrace_flow_item copy = *item;

	if (filter_cut(d, &copy) <= 0)
		return;
	if (global.json) {
		print_begin(&d->out);
		out_char(&d->out, '{');
		print_event(d, item);
		out_json_number(&d->out, "depth", stack->depth);
		if (trap)
			print_duration(d, trap, item);
		print_who(d, item);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, item);
	indent(d, stack);
	print_event(d, item);
	if (trap)
		print_duration(d, trap, item);
	out_char(&d->out, '\n');
}

/* The call that the trap kept from its first instruction has been made. */
static void take_trap(struct decode *d, struct stack *stack, const struct rvtrace_flow_item *item)
{
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS && stack->running && may_begin(stack))
		begin_block(d, stack, item, item->address, NULL);
	print_other(d, stack, item, NULL);
	push(stack, item, (struct frame) { .address = item->address, .trap = true });
	stack->running = false;
}

static void forget(struct stack *stack)
{
	stack->depth = 0;
	stack->running = false;
}

static void take_item(struct decode *d, struct stack *stack, const struct rvtrace_flow_item *item)
{
	const struct frame *trap;

	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		take_blocks(d, stack, item);
		return;
	case RVTRACE_FLOW_TRAP:
		take_trap(d, stack, item);
		return;
	case RVTRACE_FLOW_TRAP_RETURN:
		trap = pop_trap(stack);
		stack->kind = RVTRACE_INSN_LINEAR;
		print_other(d, stack, item, trap);
		return;
	case RVTRACE_FLOW_SYNC:
		if (item->flags & RVTRACE_FLOW_FIRST)
			forget(stack);
		return;
	case RVTRACE_FLOW_CONTEXT:
	case RVTRACE_FLOW_ACCESS:
		return;
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_UNFOLLOWED:
	case RVTRACE_FLOW_TAIL:
	case RVTRACE_FLOW_STOP:
	case RVTRACE_FLOW_ERROR:
		forget(stack);
		break;
	case RVTRACE_FLOW_OVERFLOW:
		/* Of software trace alone: what executed goes on. */
		if (item->overflow.code != RVTRACE_NTRACE_ECODE_DATA)
			forget(stack);
		break;
	}
	print_other(d, stack, item, NULL);
}

int calls_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct stack *stack = stack_of(d->calls, item);

	if (!stack)
		return -ENOMEM;
	take_process(d, stack, item);
	take_item(d, stack, item);
	return stack->failed ? -ENOMEM : 0;
}
