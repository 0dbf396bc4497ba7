// SPDX-License-Identifier: GPL-2.0
/* tracectl events: how they are printed. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "events.h"

#define NAME_WIDTH	20

static const char *default_format(const struct rvtrace_event_entry *entry)
{
	return entry && entry->kind == RVTRACE_EVENT_KIND_COUNTER ? "%u" : "0x%x";
}

static char printed_character(uint64_t value)
{
	unsigned int character = value & 0xff;

	return character == '\n' || character == '\t' ||
	       (character < 0x80 && isprint(character)) ? character : '.';
}

static bool is_pair(const struct event_view *view)
{
	return view->entry && view->entry->kind == RVTRACE_EVENT_KIND_PAIR;
}

static bool is_end(const struct event_view *view)
{
	return is_pair(view) && view->event->id != view->entry->id;
}

/* What the event says, in words. */
static void make_text(const struct event_view *view, char text[RVTRACE_EVENT_TEXT_MAX])
{
	const struct rvtrace_event *event = view->event;
	const struct rvtrace_event_entry *entry = view->entry;

	if (view->string) {
		printable_bytes(view->string->text, view->string->length, text,
				RVTRACE_EVENT_TEXT_MAX);
		return;
	}
	if (entry && entry->kind == RVTRACE_EVENT_KIND_CHARACTER) {
		text[0] = (char)event->value;
		text[1] = 0;
		printable(text, text, RVTRACE_EVENT_TEXT_MAX);
		return;
	}
	rvtrace_event_format(entry && entry->format ? entry->format : default_format(entry),
			     event->value, event->width, text);
}

/* Of durations: ns where the frequency of the timestamp is known, else its units */
static uint64_t duration_of(const struct events *e, uint64_t duration)
{
	return e->input.timestamp_hz ? input_ns(&e->input, duration) : duration;
}

static const char *duration_unit(const struct events *e)
{
	return e->input.timestamp_hz ? "ns" : "ticks";
}

static void number_text(struct out *out, int32_t number)
{
	if (number < 0)
		out_format(out, "%7s", "?");
	else
		out_format(out, "%7d", number);
}

static void who_text(struct events *e, const struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	struct out *out = &e->out;
	char name[64];

	out_format(out, "[%4" PRIu64 "] ", event->hart);
	print_time(&e->out, &e->input, event->flags & RVTRACE_EVENT_HAS_TIME, event->time);
	if (view->thread)
		out_format(out, " %18s", printable(view->thread, name, sizeof(name)));
	else if (event->flags & RVTRACE_EVENT_HAS_THREAD)
		out_format(out, " %18" PRIx64, event->thread);
	else
		out_format(out, " %18s", "?");
	if (!e->input.recording)
		return;
	out_format(out, " %15s ", *view->task.comm ?
		   printable(view->task.comm, name, sizeof(name)) : "?");
	number_text(out, view->task.pid);
	out_char(out, '/');
	number_text(out, view->task.tid);
}

static void value_text(struct events *e, const struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	char text[RVTRACE_EVENT_TEXT_MAX];
	struct out *out = &e->out;

	make_text(view, text);
	out_format(out, " %04x ", event->id);
	out_column(out, view->entry ? view->entry->name : rvtrace_event_group_name(event->group),
		   NAME_WIDTH);
	out_char(out, ' ');
	if (is_pair(view))
		out_text(out, is_end(view) ? "end " : "begin ");
	out_visible(out, text);
	if (view->timed)
		out_format(out, " after %" PRIu64 " %s", duration_of(e, view->duration),
			   duration_unit(e));
	if (view->string && view->string->more)
		out_text(out, " (continues)");
	if (event->flags & RVTRACE_EVENT_INCOMPLETE || (view->string && view->string->incomplete))
		out_text(out, " (incomplete)");
}

static void print_text(struct events *e, const struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	struct out *out = &e->out;

	who_text(e, view);
	switch (event->type) {
	case RVTRACE_EVENT_VALUE:
		value_text(e, view);
		break;
	case RVTRACE_EVENT_STIMULUS:
		out_format(out, " -- stimulus register %u, byte %u: 0x%" PRIx64, event->channel,
			   event->lane, event->value);
		break;
	default:
		if (event->value)
			out_format(out, " -- %s%" PRIu64 " events lost",
				   event->flags & RVTRACE_EVENT_AT_LEAST ? "at least " : "",
				   event->value);
		else
			out_text(out, " -- events lost");
	}
	out_char(out, '\n');
}

static void who_json(struct events *e, const struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	struct out *out = &e->out;

	if (e->input.recording && rvtrace_recording_sink_count(e->input.recording) > 1)
		out_json_text(out, "sink",
			      rvtrace_recording_sink(e->input.recording, e->input.sink)->name);
	out_json_number(out, "hart", event->hart);
	if (event->flags & RVTRACE_EVENT_HAS_TIME)
		print_time_json(&e->out, &e->input, event->time);
	if (event->flags & RVTRACE_EVENT_HAS_THREAD)
		out_json_hex(out, "tp", event->thread);
	if (view->thread)
		out_json_text(out, "thread_name", view->thread);
	if (event->flags & RVTRACE_EVENT_HAS_CONTEXT)
		out_json_number(out, "context", event->context);
	if (*view->task.comm)
		out_json_text(out, "comm", view->task.comm);
	if (view->task.pid >= 0)
		out_json_number(out, "pid", view->task.pid);
	if (view->task.tid >= 0)
		out_json_number(out, "tid", view->task.tid);
}

static void value_json(struct events *e, const struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	char text[RVTRACE_EVENT_TEXT_MAX];
	struct out *out = &e->out;

	make_text(view, text);
	out_json_hex(out, "id", event->id);
	out_json_text(out, "group", rvtrace_event_group_name(event->group));
	if (view->entry) {
		out_json_text(out, "name", view->entry->name);
		out_json_text(out, "kind", rvtrace_event_kind_name(view->entry->kind));
	}
	if (is_pair(view))
		out_json_text(out, "part", is_end(view) ? "end" : "begin");
	if (!view->string)
		out_json_hex(out, "value", event->value);
	out_json_text(out, "text", text);
	if (view->timed)
		out_json_number(out, e->input.timestamp_hz ? "duration_ns" : "duration",
				duration_of(e, view->duration));
	if (view->string && view->string->more)
		out_text(out, ",\"more\":true");
	if (event->flags & RVTRACE_EVENT_INCOMPLETE || (view->string && view->string->incomplete))
		out_text(out, ",\"incomplete\":true");
}

static void print_json_event(struct events *e, const struct event_view *view)
{
	static const char *const types[] = {
		[RVTRACE_EVENT_VALUE] = "event", [RVTRACE_EVENT_STIMULUS] = "stimulus",
		[RVTRACE_EVENT_LOST] = "lost",
	};
	const struct rvtrace_event *event = view->event;
	struct out *out = &e->out;

	print_begin(&e->out);
	out_format(out, "{\"offset\":%" PRIu64, event->offset);
	out_json_text(out, "type", types[event->type]);
	who_json(e, view);
	switch (event->type) {
	case RVTRACE_EVENT_VALUE:
		value_json(e, view);
		break;
	case RVTRACE_EVENT_STIMULUS:
		out_json_number(out, "register", event->channel);
		out_json_number(out, "byte", event->lane);
		out_json_hex(out, "value", event->value);
		break;
	default:
		if (event->value)
			out_json_number(out, "count", event->value);
		if (event->flags & RVTRACE_EVENT_AT_LEAST)
			out_text(out, ",\"at_least\":true");
	}
	out_char(out, '}');
}

void events_print(struct events *e, const struct event_view *view)
{
	if (e->print) {
		if (view->entry && view->entry->kind == RVTRACE_EVENT_KIND_CHARACTER)
			out_char(&e->out, printed_character(view->event->value));
	} else if (global.json) {
		print_json_event(e, view);
	} else {
		print_text(e, view);
	}
}

void events_print_trouble(struct events *e, uint64_t offset, const char *text)
{
	struct out *out = &e->out;

	if (e->print || (e->summary && !global.json))
		return;
	if (!global.json) {
		out_format(out, "offset %" PRIu64 " -- %s\n", offset, text);
		return;
	}
	print_begin(&e->out);
	out_format(out, "{\"offset\":%" PRIu64, offset);
	out_json_text(out, "type", "error");
	out_json_text(out, "text", text);
	out_char(out, '}');
}

/* Totals */

static void pair_text(struct events *e, const struct rvtrace_event_entry *entry,
		      const struct rvtrace_event_pair_stats *s, bool first)
{
	struct out *out = &e->out;

	if (first)
		out_format(out, "\n%-20s %10s %12s %12s %12s %12s %8s %8s %8s\n", "pairs", "count",
			   "min", "median", "p99", duration_unit(e)[0] == 'n' ? "max (ns)" :
			   "max (ticks)", "open", "no begin", "cut");
	out_column(out, entry->name, NAME_WIDTH);
	out_format(out, " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
		   " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", s->count,
		   duration_of(e, s->min), duration_of(e, s->median), duration_of(e, s->p99),
		   duration_of(e, s->max), s->open, s->ends, s->cut);
}

static void pair_json(struct events *e, const struct rvtrace_event_entry *entry,
		      const struct rvtrace_event_pair_stats *s, bool first)
{
	struct out *out = &e->out;

	out_text(out, first ? "\n" : ",\n");
	out_format(out, "{\"unit\":\"%s\"", duration_unit(e));
	out_json_hex(out, "id", entry->id);
	out_json_text(out, "name", entry->name);
	if (entry->program)
		out_json_text(out, "program", entry->program);
	out_json_number(out, "count", s->count);
	out_json_number(out, "min", duration_of(e, s->min));
	out_json_number(out, "median", duration_of(e, s->median));
	out_json_number(out, "p99", duration_of(e, s->p99));
	out_json_number(out, "max", duration_of(e, s->max));
	out_json_number(out, "open", s->open);
	out_json_number(out, "ends", s->ends);
	out_json_number(out, "cut", s->cut);
	out_json_number(out, "backward", s->backward);
	out_char(out, '}');
}

static void print_pairs(struct events *e)
{
	const struct rvtrace_event_entry *entry;
	struct rvtrace_event_pair_stats stats;
	bool first = true;
	size_t i;

	for (i = 0; e->pairs && (entry = rvtrace_event_dictionary_get(e->dictionary, i)); i++) {
		if (!e->pairs[i])
			continue;
		rvtrace_event_pair_stats(e->pairs[i], &stats);
		if (global.json)
			pair_json(e, entry, &stats, first);
		else
			pair_text(e, entry, &stats, first);
		first = false;
	}
}

int events_count(struct events *e, const struct event_view *view)
{
	struct event_count **at = &e->counts[view->event->id], *count;

	while (*at && (*at)->entry != view->entry)
		at = &(*at)->next;
	if (!*at) {
		count = calloc(1, sizeof(*count));
		if (!count)
			return -ENOMEM;
		count->entry = view->entry;
		*at = count;
	}
	(*at)->count++;
	return 0;
}

void events_forget_counts(struct events *e)
{
	struct event_count *count;

	for (unsigned int id = 0; id < EVENT_IDS; id++) {
		while ((count = e->counts[id])) {
			e->counts[id] = count->next;
			free(count);
		}
	}
}

static void count_text(struct events *e, unsigned int id, const struct event_count *count)
{
	const char *group = rvtrace_event_group_name(rvtrace_event_group(id, e->thread_switch));
	const struct rvtrace_event_entry *entry = count->entry;
	struct out *out = &e->out;

	out_format(out, "%04x ", id);
	out_column(out, entry ? entry->name : group, NAME_WIDTH);
	out_format(out, " %10" PRIu64, count->count);
	if (entry && entry->program) {
		out_char(out, ' ');
		out_visible(out, entry->program);
	}
	out_char(out, '\n');
}

static void count_json(struct events *e, unsigned int id, const struct event_count *count,
		       bool first)
{
	const struct rvtrace_event_entry *entry = count->entry;
	struct out *out = &e->out;

	out_text(out, first ? "\n{\"id\":" : ",\n{\"id\":");
	out_format(out, "\"0x%x\"", id);
	if (entry)
		out_json_text(out, "name", entry->name);
	if (entry && entry->program)
		out_json_text(out, "program", entry->program);
	out_json_number(out, "count", count->count);
	out_char(out, '}');
}

/* Where programs differ in what they call it, each has its own. */
static void print_counts(struct events *e)
{
	const struct event_count *count;
	bool first = true;

	for (unsigned int id = 0; id < EVENT_IDS; id++) {
		for (count = e->counts[id]; count; count = count->next, first = false) {
			if (global.json)
				count_json(e, id, count, first);
			else
				count_text(e, id, count);
		}
	}
}

void events_print_totals(struct events *e)
{
	struct out *out = &e->out;

	if (!global.json) {
		if (e->summary)
			print_counts(e);
		print_pairs(e);
		return;
	}
	out_text(out, "\n],\"counts\":[");
	print_counts(e);
	out_text(out, "\n],\"pairs\":[");
	print_pairs(e);
	out_text(out, "\n]}\n");
}
