// SPDX-License-Identifier: GPL-2.0
/* Exports of events that no decoder made: see export-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export-fixture.h"

const char *fixture_unit = "ns";
unsigned int fixture_warnings;

/* In place of the views' own */
static const struct view_function functions[] = {
	{ .id = MAIN, .name = "main", .file = "program", .named = true },
	{ .id = ODD, .name = "a;b\n\xff c", .file = "lib\"x", .named = true },
	{ .id = LEAF, .name = "leaf", .address = 0xffffffff80001000, .named = true, .kernel = true },
};

static const struct view_lane lanes[] = {
	{ .number = 0, .pid = 10, .tid = 11, .hart = 0, .comm = "work;er" },
	{ .number = 1, .pid = -1, .tid = 20, .hart = 1, .comm = "kthread", .kernel = true },
};

const struct view_function *view_function(const struct view *view, uint32_t id)
{
	(void)view;
	return id && id <= 3 ? &functions[id - 1] : NULL;
}

uint32_t view_functions(const struct view *view)
{
	(void)view;
	return 3;
}

const struct view_lane *view_lane(const struct view *view, uint32_t lane)
{
	(void)view;
	return lane < 2 ? &lanes[lane] : NULL;
}

/* A tick is 10 ns. */
uint64_t view_time(const struct view *view, uint64_t ticks)
{
	(void)view;
	return ticks * 10;
}

uint64_t view_span(const struct view *view, uint64_t ticks)
{
	return ticks == RVTRACE_CALL_NO_TIME ? ticks : view_time(view, ticks);
}

const char *view_unit(const struct view *view)
{
	(void)view;
	return fixture_unit;
}

const char *view_frame_name(const struct view *view, const struct rvtrace_call_frame *frame,
			    char *buffer, size_t size)
{
	const struct view_function *function = view_function(view, frame->function);

	if (frame->kind == RVTRACE_CALL_TRAP)
		return "interrupt 5";
	if (function)
		return function->name;
	snprintf(buffer, size, "0x%llx", (unsigned long long)frame->address);
	return buffer;
}

bool view_is_loss(const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_LOST || item->type == RVTRACE_FLOW_OVERFLOW;
}

void warn_text(const char *format, ...)
{
	(void)format;
	fixture_warnings++;
}

void put_visible(FILE *file, const char *text)
{
	fputs(text, file);
}

const char *output_path(FILE *file)
{
	(void)file;
	return NULL;
}

void script_begin(struct script *script, const struct export_format *format,
		  enum export_weight weight)
{
	memset(script, 0, sizeof(*script));
	fixture_warnings = 0;
	script->out.file = open_memstream(&script->text, &script->size);
	assert_non_null(script->out.file);
	script->x.format = format;
	script->x.weight = weight;
	script->x.out = &script->out;
	script->view.ops = &export_view;
	script->view.data = &script->x;
	assert_int_equal(export_view.begin(&script->view), 0);
}

static struct rvtrace_call_event event_of(uint32_t lane, uint64_t time, uint8_t type)
{
	return (struct rvtrace_call_event) {
		.type = type, .source = lane, .thread = lanes[lane].tid, .lane = lane,
		.time = { time, time ? time - 1 : 0, time + 2 }, .instructions = time,
		.source_instructions = time * 2,
	};
}

static void hand(struct script *script, struct rvtrace_call_event event)
{
	if (!fixture_unit)
		event.time = (struct rvtrace_call_time) {
			RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME,
		};
	assert_int_equal(export_view.event(&script->view, &event), 0);
}

void script_run(struct script *script, uint32_t lane, uint64_t time)
{
	hand(script, event_of(lane, time, RVTRACE_CALL_RUN));
}

void script_rest(struct script *script, uint32_t lane, uint64_t time)
{
	hand(script, event_of(lane, time, RVTRACE_CALL_REST));
}

void script_enter(struct script *script, uint32_t lane, uint64_t time, uint32_t function,
		  uint16_t flags)
{
	struct rvtrace_call_event event = event_of(lane, time, RVTRACE_CALL_ENTER);
	uint32_t depth = script->depth[lane]++;
	struct rvtrace_call_frame *frame = &script->open[lane][depth];

	*frame = (struct rvtrace_call_frame) {
		.id = ++script->frames, .parent = depth ? frame[-1].id : 0, .function = function,
		.kind = function ? RVTRACE_CALL_FUNCTION : RVTRACE_CALL_TRAP,
		.trap = RVTRACE_TRAP_INTERRUPT, .has_cause = !function, .cause = 5,
		.flags = flags, .depth = depth, .address = 0xffffffff80002000 + function,
		.entered = event.time,
	};
	if (!fixture_unit)
		frame->entered = (struct rvtrace_call_time) {
			RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME,
		};
	event.frame = frame;
	event.depth = script->depth[lane];
	hand(script, event);
}

void script_leave(struct script *script, uint32_t lane, uint64_t time, uint64_t instructions,
		  uint16_t flags)
{
	struct rvtrace_call_event event = event_of(lane, time, RVTRACE_CALL_LEAVE);
	struct rvtrace_call_frame *frame = &script->open[lane][--script->depth[lane]];

	frame->own_instructions = instructions;
	frame->instructions += instructions;
	frame->flags |= flags;
	frame->left = event.time;
	if (script->depth[lane])
		frame[-1].instructions += frame->instructions;
	event.frame = frame;
	hand(script, event);
}

void script_forget(struct script *script, uint32_t lane)
{
	script->depth[lane]--;
}

static void hand_item(struct script *script, struct rvtrace_call_event event,
		      struct rvtrace_flow_item item)
{
	item.source = event.source;
	event.item = &item;
	hand(script, event);
}

void script_gap(struct script *script, uint32_t lane, uint64_t time, uint32_t source,
		enum rvtrace_flow_type type)
{
	struct rvtrace_call_event event = event_of(lane, time, RVTRACE_CALL_GAP);
	struct rvtrace_flow_item item = { .type = type };

	if (type == RVTRACE_FLOW_LOST)
		item.lost.bytes = 64;
	event.source = source;
	hand_item(script, event, item);
}

void script_data(struct script *script, uint32_t lane, uint64_t time, uint32_t id, uint64_t value)
{
	hand_item(script, event_of(lane, time, RVTRACE_CALL_ITEM), (struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_DATA, .data = { .id = id, .value = value },
	});
}

void script_end(struct script *script)
{
	assert_int_equal(export_view.end(&script->view), 0);
	assert_int_equal(out_end(&script->out), 0);
}

void script_free(struct script *script)
{
	export_view.free(&script->view);
	fclose(script->out.file);
	free(script->text);
}

void script_usual(struct script *script, const struct export_format *format,
		  enum export_weight weight)
{
	script_begin(script, format, weight);
	script_run(script, 0, 100);
	script_enter(script, 0, 100, MAIN, RVTRACE_CALL_OLDER);
	script_run(script, 1, 105);
	script_enter(script, 1, 105, LEAF, 0);
	script_enter(script, 0, 110, ODD, 0);
	script_data(script, 0, 115, 0x12, 0x34);
	script_enter(script, 0, 120, LEAF, RVTRACE_CALL_TAIL);
	/* the other hart's frames are left after the loss was told */
	script_leave(script, 0, 130, 10, RVTRACE_CALL_CUT);
	script_gap(script, 0, 130, RVTRACE_SOURCE_ALL, RVTRACE_FLOW_LOST);
	script_leave(script, 1, 132, 27, RVTRACE_CALL_CUT);
	script_enter(script, 1, 140, LEAF, RVTRACE_CALL_PART);
	script_enter(script, 0, 150, LEAF, 0);
	script_leave(script, 0, 160, 10, 0);
	script_enter(script, 0, 160, 0, 0);
	script_leave(script, 0, 165, 5, 0);
	script_rest(script, 0, 170);
	script_run(script, 0, 270);
	/* its end is not shown, but that of the one below */
	script_enter(script, 0, 280, LEAF, 0);
	script_forget(script, 0);
	script_leave(script, 0, 290, 45, RVTRACE_CALL_UNWOUND);
	script_leave(script, 0, 300, 20, 0);
	script_gap(script, 1, 310, 1, RVTRACE_FLOW_NO_IMAGE);
	script_end(script);
}
