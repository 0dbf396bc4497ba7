// SPDX-License-Identifier: GPL-2.0
/* tracectl events: what software said in its trace, from a recording or a trace. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/tracectl/record/no_recording.h"
#include "events.h"

static bool shows(const struct events *e, const struct event_view *view)
{
	const struct decode_filter *filter = &e->input.filter;
	const struct rvtrace_event *event = view->event;

	if (!filter_has_thread(filter, view->task.tid))
		return false;
	if (filter->has_harts && (event->hart >= MAX_HARTS || !filter->harts[event->hart]))
		return false;
	if ((filter->from || filter->to) &&
	    (!(event->flags & RVTRACE_EVENT_HAS_TIME) || event->time < filter->from_time ||
	     event->time > filter->to_time))
		return false;
	if (event->type == RVTRACE_EVENT_LOST)
		return true;
	if (event->type == RVTRACE_EVENT_STIMULUS)
		return !e->has_ids && !e->name;
	if (e->has_ids && !e->ids[event->id])
		return false;
	return !e->name || (view->entry && !fnmatch(e->name, view->entry->name, 0));
}

/* Events are missing: strings and pairs may be, too. */
static void lose(struct events *e)
{
	size_t i;

	rvtrace_event_strings_lost(e->strings);
	for (i = 0; e->pairs && rvtrace_event_dictionary_get(e->dictionary, i); i++)
		if (e->pairs[i])
			rvtrace_event_pair_lost(e->pairs[i]);
}

static struct rvtrace_event_pair *pair_of(struct events *e,
					  const struct rvtrace_event_entry *entry)
{
	size_t count = 0;

	if (!e->pairs) {
		while (rvtrace_event_dictionary_get(e->dictionary, count))
			count++;
		e->pairs = calloc(count, sizeof(*e->pairs));
	}
	if (e->pairs && !e->pairs[entry->index])
		e->pairs[entry->index] = rvtrace_event_pair_new();
	return e->pairs ? e->pairs[entry->index] : NULL;
}

/* Whose a pair is: an address space, as the trace tells, or a process, as the recording does */
static uint64_t scope_of(const struct event_view *view)
{
	if (view->event->flags & RVTRACE_EVENT_HAS_CONTEXT)
		return view->event->context;
	return view->task.pid > 0 ? view->task.pid : 0;
}

static int take_pair(struct events *e, struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	uint64_t scope = scope_of(view);
	uint64_t time = input_elapsed(&e->input, event->time);
	struct rvtrace_event_pair *pair = pair_of(e, view->entry);
	int ret;

	if (!pair)
		return -ENOMEM;
	if (event->flags & RVTRACE_EVENT_INCOMPLETE || !(event->flags & RVTRACE_EVENT_HAS_TIME))
		return 0;
	if (event->id == view->entry->id) {
		ret = rvtrace_event_pair_begin(pair, scope, event->value, time);
		e->dropped += ret == RVTRACE_ERR_BUSY;
		return ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : 0;
	}
	ret = rvtrace_event_pair_end(pair, scope, event->value, time, &view->duration);
	view->timed = ret > 0;
	return ret < 0 ? -ENOMEM : 0;
}

static unsigned int kind_of(const struct event_view *view)
{
	return view->entry ? view->entry->kind : RVTRACE_EVENT_KIND_EVENT;
}

static int take_string(struct events *e, struct event_view *view,
		       struct rvtrace_event_string *string)
{
	int ret = rvtrace_event_strings_add(e->strings, view->event, view->task.tid, string);

	view->string = string;
	return ret < 0 ? -ENOMEM : ret;
}

/* Whatever is shown: the thread has that name from now on. */
static int take_name(struct events *e, struct event_view *view,
		     struct rvtrace_event_string *string)
{
	int ret = take_string(e, view, string);

	if (ret <= 0 || string->incomplete || string->more)
		return ret;
	ret = events_name_thread(e, view, string->text);
	return ret ? ret : 1;
}

/* Whether there is something to print: parts of strings are nothing by themselves. */
static int put_together(struct events *e, struct event_view *view,
			struct rvtrace_event_string *string)
{
	int ret;

	switch (kind_of(view)) {
	case RVTRACE_EVENT_KIND_STRING:
		return take_string(e, view, string);
	case RVTRACE_EVENT_KIND_PAIR:
		ret = take_pair(e, view);
		return ret ? ret : 1;
	}
	return 1;
}

/* A program's own dictionary comes first: it is called as the thread is, or as its process. */
static const struct rvtrace_event_entry *find_entry(const struct events *e,
						    const struct event_view *view)
{
	const struct rvtrace_event_entry *entry;
	uint16_t id = view->event->id;

	if (view->event->type != RVTRACE_EVENT_VALUE)
		return NULL;
	if (!*view->task.comm)
		return rvtrace_event_dictionary_find(e->dictionary, e->program, id);
	entry = rvtrace_event_dictionary_find(e->dictionary, view->task.comm, id);
	if (entry && entry->program)
		return entry;
	return rvtrace_event_dictionary_find(e->dictionary, view->task.program, id);
}

/* What is known of it. */
static struct event_view view_of(const struct events *e, const struct rvtrace_event *event)
{
	struct event_view view = { .event = event };

	events_find_task(e, event, &view.task);
	view.entry = find_entry(e, &view);
	return view;
}

/* What harts wrote to tp says whose the others are; there are far more of it than of those. */
static bool is_hidden(const struct events *e, const struct event_view *view)
{
	return !e->switches && !e->has_ids && !e->name &&
	       kind_of(view) == RVTRACE_EVENT_KIND_SWITCH;
}

static void show(struct events *e, struct event_view *view)
{
	if (e->summary || is_hidden(e, view))
		return;
	view->thread = events_thread_name(e, view);
	events_print(e, view);
}

static int take_event(struct events *e, const struct rvtrace_event *event)
{
	struct event_view view = view_of(e, event);
	struct rvtrace_event_string string;
	int ret = 1;

	if (event->type == RVTRACE_EVENT_LOST) {
		e->lost++;
		lose(e);
	}
	if (kind_of(&view) == RVTRACE_EVENT_KIND_NAME)
		ret = take_name(e, &view, &string);
	if (ret < 0 || !shows(e, &view))
		return ret < 0 ? ret : 0;
	e->input.filter.shown |= e->summary || global.json || !is_hidden(e, &view);
	if (event->type == RVTRACE_EVENT_VALUE && events_count(e, &view))
		return -ENOMEM;
	if (kind_of(&view) != RVTRACE_EVENT_KIND_NAME)
		ret = put_together(e, &view, &string);
	if (ret > 0)
		show(e, &view);
	return ret < 0 ? ret : 0;
}

/* Nothing ends the strings that are under way. */
static void end_strings(struct events *e)
{
	struct rvtrace_event_string string;
	struct rvtrace_event last;

	while (rvtrace_event_strings_end(e->strings, &last, &string)) {
		struct event_view view = view_of(e, &last);

		view.string = &string;
		if (shows(e, &view))
			show(e, &view);
	}
	e->dropped += rvtrace_event_strings_dropped(e->strings);
}

static int read_events(struct events *e)
{
	struct rvtrace_event event;
	char text[256];
	int ret;

	while ((ret = rvtrace_events_next(e->reader, &event)) != 0) {
		if (ret == RVTRACE_ERR_NO_MEMORY)
			return -ENOMEM;
		if (ret > 0) {
			ret = take_event(e, &event);
			if (ret)
				return ret;
			continue;
		}
		lose(e);
		snprintf(text, sizeof(text), "%s, %" PRIu64 " bytes skipped",
			 rvtrace_strerror(ret), event.value);
		events_print_trouble(e, event.offset, text);
		if (!e->errors++)
			snprintf(e->first_error, sizeof(e->first_error),
				 "offset %" PRIu64 ": %s", event.offset, rvtrace_strerror(ret));
	}
	return -e->out.error;
}

static void lose_bytes(struct events *e, const struct rvtrace_chunk *chunk, uint64_t next)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " bytes lost", chunk->length);
	events_print_trouble(e, chunk->offset, text);
	e->lost_bytes += chunk->length;
	lose(e);
	rvtrace_events_resync(e->reader, next);
}

static int events_of_chunk(void *user, const struct rvtrace_chunk *chunk)
{
	struct events *e = user;

	if (!e->follow.wanted)
		input_progress(&e->input, chunk->offset);
	switch (chunk->type) {
	case RVTRACE_CHUNK_DATA:
		rvtrace_events_feed(e->reader, chunk->data, chunk->length);
		return read_events(e);
	case RVTRACE_CHUNK_OVERWRITTEN:
		lose_bytes(e, chunk, chunk->offset + chunk->length);
		return 0;
	case RVTRACE_CHUNK_LOST:
		lose_bytes(e, chunk, chunk->offset);
		return 0;
	case RVTRACE_CHUNK_RESTART:
		rvtrace_events_restart(e->reader, chunk->restart);
		return 0;
	default:
		return 0;
	}
}

/* The reader of the stream that @input.config describes. */
static int open_reader(struct events *e, struct rvtrace_failure *error)
{
	const struct decode_format *format = input_format(&e->input);
	const struct rvtrace_flow_config *flow = &e->input.config;
	uint64_t harts[MAX_SOURCES];
	struct rvtrace_event_config config = {
		.size = sizeof(config),
		.time_bits = flow->time_bits, .time_near = flow->time_near,
		.harts = harts, .hart_count = MAX_SOURCES,
		.threads = e->threads, .thread_switch = e->thread_switch,
	};
	int ret;

	if (!format->set_events)
		return rvtrace_fail(error, EPROTONOSUPPORT, 0,
				    "%s: its format carries no software trace events",
				    e->input.object);
	ret = format->set_events(&e->input, &config, error);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < MAX_SOURCES; i++)
		harts[i] = input_hart(&e->input, i);
	ret = rvtrace_events_new(&config, &e->reader);
	if (!ret)
		return 0;
	return ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM :
	       rvtrace_fail(error, EINVAL, 0, "%s: its parameters are not valid", e->input.object);
}

/* There threads are tasks, and the kernel's STM class has identifiers of its own. */
static bool is_of_linux(const struct events *e)
{
	return e->threads == RVTRACE_EVENT_THREADS_LINUX &&
	       e->input.raw_options.format->library;
}

static int begin_sink(struct events *e, struct rvtrace_failure *error)
{
	struct trace_input *in = &e->input;
	int ret = 0;

	rvtrace_clock_free(e->clock);
	e->clock = NULL;
	in->clock = NULL;
	rvtrace_event_strings_free(e->strings);
	e->strings = rvtrace_event_strings_new(is_of_linux(e));
	if (!e->strings)
		return -ENOMEM;
	if (!in->raw || in->raw_options.format->library)
		ret = input_config(in, error);
	if (!ret)
		ret = input_sources(in);
	if (!ret && in->recording) {
		in->timestamp_hz = rvtrace_recording_timestamp_hz(in->recording, in->sink);
		ret = rvtrace_clock_load(in->recording, in->sink, &e->clock, error);
	}
	in->clock = in->raw ? NULL : e->clock;
	if (!ret && e->clock)
		in->config.time_near = rvtrace_clock_start(e->clock);
	return ret ? ret : filter_begin(in, error);
}

static int events_of(struct events *e, struct rvtrace_failure *error)
{
	bool follow = e->follow.wanted && !e->input.sink;
	int ret = follow ? follow_begin(e, error) : 0;
	uint64_t offset;

	if (!ret)
		ret = begin_sink(e, error);
	if (!ret)
		ret = open_reader(e, error);
	if (!ret)
		ret = follow ? follow_each_chunk(e, events_of_chunk, error) :
			       input_each_chunk(&e->input, events_of_chunk, e, error);
	if (!ret)
		end_strings(e);
	if (!ret && !e->follow.stopped && rvtrace_events_pending(e->reader, &offset))
		events_print_trouble(e, offset, "the last message is cut");
	rvtrace_events_free(e->reader);
	e->reader = NULL;
	return ret;
}

static int all_events(struct events *e, struct rvtrace_failure *error)
{
	size_t count = e->input.raw ? 1 : rvtrace_recording_sink_count(e->input.recording);
	int ret = 0;

	input_progress_start(&e->input, e->out.file, e->summary);
	for (e->input.sink = 0; e->input.sink < count && !ret; e->input.sink++)
		ret = events_of(e, error);
	progress_end(&e->input.progress);
	return ret;
}

/* As the trace was configured, if nothing else is said; 0: nobody says. */
static uint16_t recorded_switch(struct rvtrace_recording *recording)
{
	size_t count = recording ? rvtrace_recording_sink_count(recording) : 0, i;
	uint16_t id = 0;

	for (i = 0; i < count && !id; i++)
		id = rvtrace_recording_thread_switch(recording, i);
	return id;
}

static int load_dictionaries(struct events *e, struct rvtrace_failure *error)
{
	size_t i;
	int ret = 0;

	e->dictionary = rvtrace_event_dictionary_new(e->thread_switch, is_of_linux(e));
	if (!e->dictionary)
		return -ENOMEM;
	for (i = 0; i < e->file_count && !ret; i++)
		ret = rvtrace_event_dictionary_load(e->dictionary, e->files[i], error);
	return ret;
}

static int load(struct events *e, struct rvtrace_failure *error)
{
	struct trace_input *in = &e->input;
	int ret;

	if (!in->directory)
		return 0;
	ret = e->follow.wanted ? follow_open(e, error) :
				 rvtrace_recording_open(in->directory, &in->recording, error);
	if (ret)
		return explain_no_recording(in->directory, ret, error);
	return input_recorded(in, e->follow.wanted, error);
}

static int run(struct events *e, struct rvtrace_failure *error)
{
	int ret = load(e, error);

	if (!ret && !e->thread_switch)
		e->thread_switch = recorded_switch(e->input.recording);
	if (!ret)
		ret = load_dictionaries(e, error);
	if (ret)
		return ret;
	if (global.json)
		print_document(&e->out, "events", "events");
	ret = all_events(e, error);
	if (!e->print)
		events_print_totals(e);
	return ret;
}

static bool has_filter(const struct events *e)
{
	return e->has_ids || e->name || e->input.filter.has_harts ||
	       filter_wants_flow(&e->input.filter);
}

static void report_nothing(const struct events *e)
{
	if (has_filter(e))
		filter_report_nothing(&e->input.filter);
	else
		warn_text("no events in the trace (--switches shows thread switches, too)");
}

static int finish(struct events *e, int ret, const struct rvtrace_failure *error)
{
	struct trace_input *in = &e->input;
	bool damaged;

	if (out_failed(&e->out, ret, error))
		return EXIT_FAILED;
	if (!in->filter.shown && !input_is_empty(in))
		report_nothing(e);
	damaged = in->recording && report_damage(in->recording);
	if (e->follow.died) {
		error_text("%s: its writer ended, the recording is incomplete", in->directory);
		return EXIT_NO_DEVICE;
	}
	if (e->errors) {
		print_first_error(e->errors, e->first_error);
		return EXIT_FAILED;
	}
	if (e->dropped)
		warn_text("%llu strings and pairs given up: too many were under way",
			  (unsigned long long)e->dropped);
	if (!e->lost_bytes && !e->lost)
		return damaged || e->dropped ? EXIT_LOST : EXIT_OK;
	warn_text("%llu bytes lost, events lost %llu times", (unsigned long long)e->lost_bytes,
		  (unsigned long long)e->lost);
	return EXIT_LOST;
}

static void release(struct events *e)
{
	size_t i;

	for (i = 0; e->pairs && rvtrace_event_dictionary_get(e->dictionary, i); i++)
		rvtrace_event_pair_free(e->pairs[i]);
	free(e->pairs);
	events_forget_names(e);
	events_forget_counts(e);
	rvtrace_event_strings_free(e->strings);
	rvtrace_event_dictionary_free(e->dictionary);
	rvtrace_clock_free(e->clock);
	input_release(&e->input);
}

int verb_events(int argc, char **argv)
{
	static struct events e = {
		.input = { .raw_options = RAW_OPTIONS_NONE, .config.size = sizeof(e.input.config) },
	};
	struct rvtrace_failure error = { };
	int status;

	parse_options(&events_argp, argc, argv, 0, NULL, &e);
	status = out_open(&e.out, e.follow.wanted);
	if (!status)
		status = finish(&e, run(&e, &error), &error);
	status = out_close(&e.out, status);
	release(&e);
	return status;
}
