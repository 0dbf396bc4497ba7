// SPDX-License-Identifier: GPL-2.0
/* Items of flow made by hand for the layer of calls, and what it says of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/unit/calls-fixture.h"

struct calls_fixture c;

static void find(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		 const uint8_t *code, struct rvtrace_call_function *function)
{
	char first = address >> 63 ? 'A' : 'a';
	uint64_t number = (address - AT(first, 0)) / FUNCTION;

	(void)item;
	(void)code;
	assert_ptr_equal(data, &c);
	c.finds++;
	*function = (struct rvtrace_call_function) { .start = address, .end = address + 1 };
	if (address < AT(first, 0) || number >= 26)
		return;
	*function = (struct rvtrace_call_function) {
		.id = first + number, .start = AT(first + number, 0),
		.end = AT(first + number + 1, 0), .begins = true,
	};
	function->whole = function->id >= 'u' ? function->id - 20 : function->id;
}

static void add_text(struct calls_lane *lane, const char *text)
{
	lane->length += snprintf(lane->text + lane->length, CALLS_TEXT - lane->length, "%s%s",
				 lane->length ? " " : "", text);
	assert_true(lane->length < CALLS_TEXT);
}

static void frame_text(char *text, size_t size, char sign, const struct rvtrace_call_frame *frame)
{
	static const struct {
		unsigned int flag;
		char letter;
		const char *signs;
	} flags[] = {
		{ RVTRACE_CALL_TAIL, 't', "+" }, { RVTRACE_CALL_OLDER, 'o', "+" },
		{ RVTRACE_CALL_PART, 'p', "+" }, { RVTRACE_CALL_RESUMED, 'r', "+" },
		{ RVTRACE_CALL_CUT, 'c', "-" }, { RVTRACE_CALL_SUSPENDED, 's', "-" },
		{ RVTRACE_CALL_UNWOUND, 'u', "-" }, { RVTRACE_CALL_INFERRED, 'i', "-" },
		{ RVTRACE_CALL_REPLACED, 'x', "-" },
		{ RVTRACE_CALL_EARLIER | RVTRACE_CALL_LATER, 'l', "+-" },
	};
	char name[16], letters[16];
	size_t n = 0;

	if (frame->kind == RVTRACE_CALL_TRAP)
		snprintf(name, sizeof(name), frame->has_cause ? "#%u" : "#", frame->cause);
	else if (frame->kind == RVTRACE_CALL_SIGNAL)
		snprintf(name, sizeof(name), "$");
	else
		snprintf(name, sizeof(name), "%c", frame->function ? (char)frame->function : '?');
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (frame->flags & flags[i].flag && strchr(flags[i].signs, sign))
			letters[n++] = flags[i].letter;
	letters[n] = 0;
	snprintf(text, size, "%c%s%s%s", sign, name, n ? "/" : "", letters);
}

static void keep_text(struct calls_lane *lane, const struct rvtrace_call_event *event)
{
	char text[64];

	switch (event->type) {
	case RVTRACE_CALL_ENTER:
		frame_text(text, sizeof(text), '+', event->frame);
		break;
	case RVTRACE_CALL_LEAVE:
		frame_text(text, sizeof(text), '-', event->frame);
		break;
	case RVTRACE_CALL_RUN:
	case RVTRACE_CALL_REST:
		snprintf(text, sizeof(text), "%c%u", event->type == RVTRACE_CALL_RUN ? '>' : '<',
			 event->source);
		break;
	default:
		snprintf(text, sizeof(text), "%c%u", event->type == RVTRACE_CALL_GAP ? '!' : '=',
			 event->item->type);
		break;
	}
	add_text(lane, text);
}

static void check_time(struct calls_lane *lane, const struct rvtrace_call_time *time)
{
	if (time->best == RVTRACE_CALL_NO_TIME) {
		assert_true(time->earliest == time->best && time->latest == time->best);
		return;
	}
	assert_true(time->earliest <= time->best);
	assert_true(time->best <= time->latest);
	assert_true(lane->last <= time->best);
	lane->last = time->best;
}

static unsigned int key_of(const struct rvtrace_call_frame *frame)
{
	return frame->kind == RVTRACE_CALL_FUNCTION ? frame->function & 0xff : frame->kind;
}

static void check_enter(struct calls_lane *lane, const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;

	assert_true(frame->depth == lane->depth);
	assert_true(frame->parent == (lane->depth ? lane->ids[lane->depth - 1] : 0));
	assert_memory_equal(&frame->entered, &event->time, sizeof(event->time));
	if (!(frame->flags & RVTRACE_CALL_EARLIER)) {
		assert_true(frame->id > c.last_id);
		c.last_id = frame->id;
	}
	if (lane->depth == lane->room) {
		lane->room = lane->room ? 2 * lane->room : 16;
		lane->ids = reallocarray(lane->ids, lane->room, sizeof(*lane->ids));
		lane->instructions = reallocarray(lane->instructions, lane->room,
						  sizeof(*lane->instructions));
		assert_true(lane->ids && lane->instructions);
	}
	lane->instructions[lane->depth] = 0;
	lane->ids[lane->depth++] = frame->id;
	c.entered[key_of(frame)] = *frame;
	assert_true(!c.ordered || c.last <= frame->entered.best);
	c.last = frame->entered.best;
}

static void check_leave(struct calls_lane *lane, const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;

	assert_true(lane->depth);
	assert_true(frame->id == lane->ids[--lane->depth]);
	assert_true(frame->depth == lane->depth);
	assert_memory_equal(&frame->left, &event->time, sizeof(event->time));
	assert_true(frame->instructions ==
		    frame->own_instructions + lane->instructions[lane->depth]);
	if (lane->depth)
		lane->instructions[lane->depth - 1] += frame->instructions;
	c.left[key_of(frame)] = *frame;
}

static void keep_gap(const struct rvtrace_call_event *event)
{
	c.gap = *event;
	c.gap_item = *event->item;
	c.gap.item = &c.gap_item;
}

static int event(void *data, const struct rvtrace_call_event *event)
{
	struct calls_lane *lane;

	assert_ptr_equal(data, &c);
	if (++c.events == c.fail_at)
		return c.fail;
	if (event->lane >= CALLS_LANES) {
		assert_true(c.quiet);
		return 0;
	}
	lane = &c.lanes[event->lane];
	check_time(lane, &event->time);
	assert_true(c.windowed || lane->count <= event->instructions);
	lane->count = event->instructions;
	if (event->type == RVTRACE_CALL_ENTER)
		check_enter(lane, event);
	else if (event->type == RVTRACE_CALL_LEAVE)
		check_leave(lane, event);
	else if (event->type == RVTRACE_CALL_GAP || event->type == RVTRACE_CALL_ITEM)
		keep_gap(event);
	if (!c.quiet)
		keep_text(lane, event);
	return 0;
}

int calls_setup(void **state)
{
	(void)state;
	c = (struct calls_fixture) {
		.config = {
			.size = sizeof(c.config), .isa.xlen = 64, .find = find, .event = event,
			.data = &c,
		},
		.item = { .process = RVTRACE_PROCESS_UNKNOWN, .thread = 1 },
	};
	return 0;
}

int calls_teardown(void **state)
{
	(void)state;
	rvtrace_calls_free(c.calls);
	for (size_t i = 0; i < CALLS_LANES; i++) {
		free(c.lanes[i].ids);
		free(c.lanes[i].instructions);
	}
	return 0;
}

void tick(uint64_t time)
{
	c.item.offset += 8;
	c.item.time = time;
	c.item.flags |= RVTRACE_FLOW_HAS_TIME;
}

void silent(void)
{
	c.item.offset += 8;
	c.item.time = 0;
	c.item.flags &= ~RVTRACE_FLOW_HAS_TIME;
}

void on(uint32_t source, int32_t thread)
{
	c.item.source = source;
	c.item.thread = thread;
}

void mode(uint8_t priv)
{
	c.item.priv = priv;
	c.item.flags |= RVTRACE_FLOW_HAS_PRIV;
}

int give(struct rvtrace_flow_item item)
{
	item.source = c.item.source;
	item.thread = c.item.thread;
	item.process = c.item.process;
	item.offset = c.item.offset;
	item.time = c.item.time;
	item.priv = c.item.priv;
	item.flags |= c.item.flags;
	if (!c.calls)
		assert_int_equal(rvtrace_calls_new(&c.config, &c.calls), 0);
	return rvtrace_calls_items(c.calls, &item, 1);
}

static uint32_t code_of(unsigned int insn)
{
	static const uint32_t codes[] = {
		[LINEAR] = 0x00000013, [BRANCH] = 0x00000063, [JUMP] = 0x0000006f,
		[CALL] = 0x000000ef, [INDIRECT_JUMP] = 0x00078067, [INDIRECT_CALL] = 0x000780e7,
		[RETURN] = 0x00008067, [SWAP] = 0x000280e7, [TRAP_RETURN] = 0x10200073,
	};

	return codes[insn];
}

void run_more(uint64_t address, uint32_t count, unsigned int insn)
{
	uint8_t *code = malloc(4 * (size_t)count);
	const struct rvtrace_flow_block block = {
		.address = address, .code = code, .instructions = count, .size = 4 * count,
	};
	uint32_t one;

	assert_non_null(code);
	for (uint32_t i = 0; i < count; i++) {
		one = code_of(i + 1 < count ? LINEAR : insn);
		for (unsigned int j = 0; j < 4; j++)
			code[4 * i + j] = one >> 8 * j;
	}
	assert_int_equal(give((struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_BLOCKS, .address = address,
		.blocks = { .list = &block, .count = 1, .instructions = count },
	}), 0);
	free(code);
}

void run(uint64_t address, unsigned int insn)
{
	run_more(address, 2, insn);
}

void trap(uint64_t address, unsigned int kind, uint32_t cause)
{
	assert_int_equal(give((struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_TRAP, .address = address,
		.flags = RVTRACE_FLOW_HAS_ADDRESS | RVTRACE_FLOW_HAS_CAUSE,
		.trap = { .kind = kind, .cause = cause },
	}), 0);
}

void trap_return(uint64_t address)
{
	assert_int_equal(give((struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_TRAP_RETURN, .address = address,
		.flags = RVTRACE_FLOW_HAS_ADDRESS,
	}), 0);
}

void gap(enum rvtrace_flow_type type)
{
	assert_int_equal(give((struct rvtrace_flow_item) { .type = type }), 0);
}

void sync_at(uint64_t address)
{
	assert_int_equal(give((struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_SYNC, .address = address,
		.flags = RVTRACE_FLOW_HAS_ADDRESS | RVTRACE_FLOW_FIRST,
	}), 0);
}

void stop_at(uint64_t address, uint32_t reason)
{
	assert_int_equal(give((struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_STOP, .address = address,
		.flags = RVTRACE_FLOW_HAS_ADDRESS, .stop.reason = reason,
	}), 0);
}

void end_calls(void)
{
	assert_int_equal(rvtrace_calls_finish(c.calls), 0);
}

void calls_expect(unsigned int lane, const char *text)
{
	assert_string_equal(c.lanes[lane].text, text);
	assert_int_equal(c.lanes[lane].depth, 0);
}
