// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --output calls: functions, indented by who called them, and what they took. */
#include <inttypes.h>

#include "tools/tracectl/views/views.h"
#include "decode.h"

#define MAX_INDENT	64	/* levels */

struct rvtrace_flow_item view_item(const struct rvtrace_call_event *event)
{
	struct rvtrace_flow_item item = event->item ? *event->item : (struct rvtrace_flow_item) {
		.source = event->source, .context = RVTRACE_SPACE_ANY,
	};

	item.process = event->process;
	item.thread = event->thread;
	if (event->time.best != RVTRACE_CALL_NO_TIME) {
		item.flags |= RVTRACE_FLOW_HAS_TIME;
		item.time = event->time.best;
	}
	if (event->frame && event->frame->priv >= 0) {
		item.flags |= RVTRACE_FLOW_HAS_PRIV;
		item.priv = event->frame->priv;
	}
	return item;
}

static void indent(struct decode *d, uint32_t depth)
{
	for (uint32_t i = 0; i < depth && i < MAX_INDENT; i++)
		out_text(&d->out, "  ");
}

static struct symbol_place place_of(const struct view *view,
				    const struct rvtrace_call_frame *frame)
{
	const struct view_function *function = view_function(view, frame->function);

	if (!function)
		return (struct symbol_place) { };
	return (struct symbol_place) {
		.name = function->name, .file = function->file, .module = function->module,
		.function = function->named, .has_base = function->named, .base = frame->start,
	};
}

/* How a frame begins. */
static const char *how_entered(const struct rvtrace_call_frame *frame)
{
	if (frame->flags & RVTRACE_CALL_EARLIER)
		return "earlier";
	if (frame->flags & RVTRACE_CALL_RESUMED)
		return "resumed";
	if (frame->flags & RVTRACE_CALL_OLDER)
		return "start";
	if (frame->flags & RVTRACE_CALL_TAIL)
		return "jump";
	return "call";
}

/* How it ends; NULL: another one goes on in its place. */
static const char *how_left(const struct rvtrace_call_frame *frame)
{
	if (frame->flags & RVTRACE_CALL_LATER)
		return "later";
	if (frame->flags & RVTRACE_CALL_REPLACED)
		return NULL;
	if (frame->flags & RVTRACE_CALL_CUT)
		return "cut";
	if (frame->flags & RVTRACE_CALL_SUSPENDED)
		return "suspended";
	if (frame->flags & RVTRACE_CALL_UNWOUND)
		return "unwound";
	return "returned";
}

static void json_span(struct view *view, const char *name, const struct rvtrace_call_span *span)
{
	struct out *out = &view->decode->out;
	char text[48];

	snprintf(text, sizeof(text), "%s_%s", name, view_time_unit(view));
	out_json_number(out, text, view_span(view, span->best));
	snprintf(text, sizeof(text), "%s_least_%s", name, view_time_unit(view));
	out_json_number(out, text, view_span(view, span->least));
	if (span->most == RVTRACE_CALL_NO_TIME)
		return;
	snprintf(text, sizeof(text), "%s_most_%s", name, view_time_unit(view));
	out_json_number(out, text, view_span(view, span->most));
}

static void print_durations(struct view *view, const struct rvtrace_call_frame *frame)
{
	struct out *out = &view->decode->out;
	struct rvtrace_call_span wall, cpu;
	char text[VIEW_SPAN];

	if (!view_duration(frame, &wall))
		return;
	view_cpu_time(frame, &cpu);
	if (global.json) {
		json_span(view, "duration", &wall);
		json_span(view, "cpu", &cpu);
		return;
	}
	out_text(out, " after ");
	out_text(out, view_span_text(view, &wall, text));
	if (cpu.best == wall.best && cpu.least == wall.least && cpu.most == wall.most)
		return;
	out_text(out, ", CPU ");
	out_text(out, view_span_text(view, &cpu, text));
}

/* A function, or what is known of where code executes. */
static void print_function(struct view *view, const struct rvtrace_call_event *event,
			   const char *how, bool left)
{
	const struct rvtrace_call_frame *frame = event->frame;
	const struct symbol_place place = place_of(view, frame);
	struct rvtrace_flow_item item = view_item(event);
	struct decode *d = view->decode;

	if (global.json) {
		print_begin(&d->out);
		out_text(&d->out, "{\"type\":");
		out_json_string(&d->out, how);
		out_json_number(&d->out, "depth", frame->depth);
		out_json_hex(&d->out, "address", frame->address);
		out_json_number(&d->out, "frame", frame->id);
		if (left) {
			print_durations(view, frame);
			out_json_number(&d->out, "own_instructions", frame->own_instructions);
			out_json_number(&d->out, "instructions", frame->instructions);
			if (frame->flags & RVTRACE_CALL_INFERRED)
				out_text(&d->out, ",\"inferred\":true");
		}
		print_who(d, &item);
		print_place(d, &place, frame->address);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, &item);
	indent(d, frame->depth);
	print_place(d, &place, frame->address);
	out_text(&d->out, place.name ? " " : "");
	out_hex(&d->out, frame->address);
	if (strcmp(how, "call"))
		out_format(&d->out, " (%s%s)", how,
			   left && frame->flags & RVTRACE_CALL_INFERRED ? ", inferred" : "");
	if (left)
		print_durations(view, frame);
	out_char(&d->out, '\n');
}

/* A trap, a signal, or an item that is none of both. */
static void print_other(struct view *view, const struct rvtrace_call_event *event,
			const struct rvtrace_flow_item *item, uint32_t depth)
{
	const struct rvtrace_call_frame *frame = event->type == RVTRACE_CALL_LEAVE ?
						 event->frame : NULL;
	struct decode *d = view->decode;

	if (global.json) {
		print_begin(&d->out);
		out_char(&d->out, '{');
		print_event(d, item);
		out_json_number(&d->out, "depth", depth);
		if (frame)
			print_durations(view, frame);
		print_who(d, item);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, item);
	indent(d, depth);
	print_event(d, item);
	if (frame)
		print_durations(view, frame);
	out_char(&d->out, '\n');
}

static void print_trap(struct view *view, const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;
	struct rvtrace_flow_item item = view_item(event);

	item.type = event->type == RVTRACE_CALL_ENTER ? RVTRACE_FLOW_TRAP :
							RVTRACE_FLOW_TRAP_RETURN;
	if (frame->address && event->type == RVTRACE_CALL_ENTER) {
		item.flags |= RVTRACE_FLOW_HAS_ADDRESS;
		item.address = frame->address;
	}
	if (frame->has_cause)
		item.flags |= RVTRACE_FLOW_HAS_CAUSE;
	item.trap.cause = frame->cause;
	item.trap.kind = frame->trap;
	print_other(view, event, &item, frame->depth);
}

static void print_signal(struct view *view, const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;
	struct rvtrace_flow_item item = view_item(event);
	bool left = event->type == RVTRACE_CALL_LEAVE;
	struct decode *d = view->decode;

	if (global.json) {
		print_begin(&d->out);
		out_format(&d->out, "{\"type\":\"%s\"", left ? "signal-return" : "signal");
		out_json_number(&d->out, "depth", frame->depth);
		out_json_hex(&d->out, "address", frame->address);
		if (left)
			print_durations(view, frame);
		print_who(d, &item);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, &item);
	indent(d, frame->depth);
	out_format(&d->out, left ? "-- signal return" : "-- signal at 0x%" PRIx64, frame->address);
	if (left)
		print_durations(view, frame);
	out_char(&d->out, '\n');
}

static bool shows_function(const struct view *view, const struct rvtrace_call_frame *frame)
{
	const struct view_function *function = view_function(view, frame->function);

	return filter_function(&view->decode->input.filter,
			       function && function->named ? function->name : NULL, frame->address);
}

static void take_frame(struct view *view, const struct rvtrace_call_event *event)
{
	const struct rvtrace_call_frame *frame = event->frame;
	bool left = event->type == RVTRACE_CALL_LEAVE;
	const char *how = left ? how_left(frame) : how_entered(frame);

	if (!how)
		return;
	if (frame->kind == RVTRACE_CALL_FUNCTION && shows_function(view, frame))
		print_function(view, event, how, left);
	if (frame->kind != RVTRACE_CALL_FUNCTION &&
	    (filter_has_code(&view->decode->input.filter) ||
	     (left && frame->flags & RVTRACE_CALL_LATER)))
		return;
	if (frame->kind == RVTRACE_CALL_TRAP)
		print_trap(view, event);
	else if (frame->kind == RVTRACE_CALL_SIGNAL)
		print_signal(view, event);
}

static int calls_event(struct view *view, const struct rvtrace_call_event *event)
{
	struct decode *d = view->decode;
	struct rvtrace_flow_item item = view_item(event);

	switch (event->type) {
	case RVTRACE_CALL_ENTER:
	case RVTRACE_CALL_LEAVE:
		take_frame(view, event);
		break;
	case RVTRACE_CALL_GAP:
	case RVTRACE_CALL_ITEM:
		if (!filter_has_code(&d->input.filter) || event->type == RVTRACE_CALL_GAP)
			print_other(view, event, &item, event->depth);
		break;
	}
	return -d->out.error;
}

const struct view_ops calls_view = { .name = "calls", .event = calls_event };
