// SPDX-License-Identifier: GPL-2.0
/* tracectl events: what software said in its trace, from a recording or a trace. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

#include "events.h"

static bool shows(const struct events *e, const struct event_view *view)
{
	const struct decode_filter *filter = &e->d.filter;
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

static int take_pair(struct events *e, struct event_view *view)
{
	const struct rvtrace_event *event = view->event;
	uint64_t scope = event->flags & RVTRACE_EVENT_HAS_CONTEXT ? event->context : 0;
	uint64_t time = elapsed_time(&e->d, event->time);
	struct rvtrace_event_pair *pair = pair_of(e, view->entry);
	int ret;

	if (!pair)
		return -ENOMEM;
	if (event->flags & RVTRACE_EVENT_INCOMPLETE || !(event->flags & RVTRACE_EVENT_HAS_TIME))
		return 0;
	if (event->id == view->entry->id) {
		ret = rvtrace_event_pair_begin(pair, scope, event->value, time);
		return ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : 0;
	}
	ret = rvtrace_event_pair_end(pair, scope, event->value, time, &view->duration);
	view->timed = ret > 0;
	return ret < 0 ? -ENOMEM : 0;
}

/* Whether there is something to print: parts of strings are nothing by themselves. */
static int put_together(struct events *e, struct event_view *view,
			struct rvtrace_event_string *string)
{
	int ret;

	switch (view->entry ? view->entry->kind : RVTRACE_EVENT_KIND_EVENT) {
	case RVTRACE_EVENT_KIND_STRING:
	case RVTRACE_EVENT_KIND_NAME:
		ret = rvtrace_event_strings_add(e->strings, view->event, string);
		view->string = string;
		return ret < 0 ? -ENOMEM : ret;
	case RVTRACE_EVENT_KIND_PAIR:
		ret = take_pair(e, view);
		return ret ? ret : 1;
	}
	return 1;
}

static int take_event(struct events *e, const struct rvtrace_event *event)
{
	struct event_view view = { .event = event };
	struct rvtrace_event_string string;
	int ret = 1;

	events_find_task(e, event, &view.task);
	if (event->type == RVTRACE_EVENT_LOST) {
		e->lost++;
		lose(e);
	}
	if (event->type == RVTRACE_EVENT_VALUE)
		view.entry = rvtrace_event_dictionary_find(e->dictionary, *view.task.comm ?
							   view.task.comm : e->program,
							   event->id);
	if (!shows(e, &view))
		return 0;
	e->d.filter.shown = true;
	if (event->type == RVTRACE_EVENT_VALUE) {
		e->counts[event->id]++;
		ret = put_together(e, &view, &string);
	}
	if (ret > 0 && !e->summary)
		events_print(e, &view);
	return ret < 0 ? ret : 0;
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
		if (!e->d.errors++)
			snprintf(e->d.told[0], sizeof(e->d.told[0]),
				 "offset %" PRIu64 ": %s", event.offset, rvtrace_strerror(ret));
	}
	return -e->d.out.error;
}

static void lose_bytes(struct events *e, const struct rvtrace_chunk *chunk, uint64_t next)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " bytes lost", chunk->length);
	events_print_trouble(e, chunk->offset, text);
	e->d.lost_bytes += chunk->length;
	lose(e);
	rvtrace_events_resync(e->reader, next);
}

static int events_of_chunk(void *user, const struct rvtrace_chunk *chunk)
{
	struct events *e = user;

	if (!e->follow.wanted)
		decode_progress(&e->d, chunk->offset);
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

/* The reader of the stream that @d.config describes. */
static int open_reader(struct events *e, struct rvtrace_recording_error *error)
{
	const struct raw_options *raw = &e->d.raw_options;
	const struct rvtrace_flow_config *flow = &e->d.config;
	uint64_t harts[MAX_SOURCES];
	struct rvtrace_event_config config = {
		.carrier = flow->sifive ? RVTRACE_EVENT_ITC : RVTRACE_EVENT_PORT,
		.ntrace = {
			.src_bits = flow->src_bits, .xlen = flow->isa.xlen,
			.extend_addr_msb = flow->extend_addr_msb, .sifive = flow->sifive,
			.software_owner = flow->priv_by_address && flow->sifive,
		},
		.osd.modules = raw->osd.list, .osd.module_count = raw->osd.count,
		.osd.others = raw->osd.others,
		.etrace = flow->etrace,
		.time_bits = flow->time_bits, .time_near = flow->time_near,
		.harts = harts, .hart_count = MAX_SOURCES,
		.threads = e->threads, .thread_switch = e->thread_switch,
	};
	int ret;

	if (e->d.raw && raw->format == FORMAT_OSD)
		config.carrier = RVTRACE_EVENT_STM;
	else if (flow->format == RVTRACE_FLOW_FORMAT_ETRACE)
		config.carrier = RVTRACE_EVENT_ETRACE;
	else if (flow->format != RVTRACE_FLOW_FORMAT_NTRACE)
		return rvtrace_fail(error, EPROTONOSUPPORT, 0,
				    "%s: its format carries no software trace events",
				    e->d.object);
	if (config.carrier == RVTRACE_EVENT_ETRACE &&
	    flow->etrace.type_event == RVTRACE_ETRACE_NO_EVENTS &&
	    flow->etrace.event_srcid_bit == RVTRACE_ETRACE_NO_EVENTS)
		return rvtrace_fail(error, EPROTONOSUPPORT, 0,
				    "%s: type_event, event_srcid_bit: no packets carry software trace events",
				    e->d.object);
	for (unsigned int i = 0; i < MAX_SOURCES; i++)
		harts[i] = e->d.sources[i].hart;
	ret = rvtrace_events_new(&config, &e->reader);
	if (!ret)
		return 0;
	return ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM :
	       rvtrace_fail(error, EINVAL, 0, "%s: parameters that cannot be", e->d.object);
}

static int begin_sink(struct events *e, struct rvtrace_recording_error *error)
{
	struct decode *d = &e->d;
	int ret = 0;

	rvtrace_clock_free(e->clock);
	e->clock = NULL;
	d->clock = NULL;
	rvtrace_event_strings_free(e->strings);
	e->strings = rvtrace_event_strings_new();
	if (!e->strings)
		return -ENOMEM;
	decode_sources(d);
	if (d->raw && d->raw_options.format != FORMAT_OSD)
		ret = decode_raw_config(d, error);
	else if (!d->raw)
		ret = rvtrace_replay_config(d->recording, d->sink, &d->config, error);
	if (!ret && d->recording) {
		d->timestamp_hz = rvtrace_recording_timestamp_hz(d->recording, d->sink);
		ret = rvtrace_clock_load(d->recording, d->sink, &e->clock, error);
	}
	d->clock = d->raw ? NULL : e->clock;
	if (!ret && e->clock)
		d->config.time_near = rvtrace_clock_start(e->clock);
	return ret ? ret : filter_begin(d, error);
}

static int events_of(struct events *e, struct rvtrace_recording_error *error)
{
	bool follow = e->follow.wanted && !e->d.sink;
	int ret = follow ? follow_begin(e, error) : 0;
	uint64_t offset;

	if (!ret)
		ret = begin_sink(e, error);
	if (!ret)
		ret = open_reader(e, error);
	if (!ret)
		ret = follow ? follow_each_chunk(e, events_of_chunk, error) :
			       decode_each_chunk(&e->d, events_of_chunk, e, error);
	if (!ret && !e->follow.stopped && rvtrace_events_pending(e->reader, &offset))
		events_print_trouble(e, offset, "the last message is cut");
	rvtrace_events_free(e->reader);
	e->reader = NULL;
	return ret;
}

static int all_events(struct events *e, struct rvtrace_recording_error *error)
{
	size_t count = e->d.raw ? 1 : rvtrace_recording_sink_count(e->d.recording);
	int ret = 0;

	progress_start(&e->d.progress);
	for (e->d.sink = 0; e->d.sink < count && !ret; e->d.sink++)
		ret = events_of(e, error);
	progress_end(&e->d.progress);
	return ret;
}

static int load(struct events *e, struct rvtrace_recording_error *error)
{
	struct decode *d = &e->d;
	size_t i;
	int ret = 0;

	e->dictionary = rvtrace_event_dictionary_new(e->thread_switch);
	d->sources = calloc(MAX_SOURCES, sizeof(*d->sources));
	if (!e->dictionary || !d->sources)
		return -ENOMEM;
	for (i = 0; i < e->file_count && !ret; i++)
		ret = rvtrace_event_dictionary_load(e->dictionary, e->files[i], error);
	if (ret || !d->directory)
		return ret;
	ret = e->follow.wanted ? follow_open(e, error) :
				 rvtrace_recording_open(d->directory, &d->recording, error);
	if (ret)
		return ret;
	if (!e->follow.wanted && !rvtrace_recording_complete(d->recording))
		warn_text("%s: the recording is incomplete", d->directory);
	return rvtrace_spaces_load(d->recording, &d->spaces, error);
}

static int run(struct events *e, struct rvtrace_recording_error *error)
{
	int ret = load(e, error);

	if (ret)
		return ret;
	if (events_have_document(e))
		print_document(&e->d, "events", "events");
	ret = all_events(e, error);
	if (!e->print)
		events_print_totals(e);
	return ret;
}

static int finish(struct events *e, int ret, const struct rvtrace_recording_error *error)
{
	struct decode *d = &e->d;

	if (decode_failed(d, ret, error))
		return EXIT_FAILED;
	if (e->follow.died) {
		error_text("%s: its writer went away, the recording is incomplete", d->directory);
		return EXIT_NO_DEVICE;
	}
	if (d->errors) {
		error_text("%llu errors, the first: %s", (unsigned long long)d->errors,
			   d->told[0]);
		return EXIT_FAILED;
	}
	if (!d->lost_bytes && !e->lost)
		return EXIT_OK;
	warn_text("%llu bytes lost, events lost %llu times", (unsigned long long)d->lost_bytes,
		  (unsigned long long)e->lost);
	return EXIT_LOST;
}

static void release(struct events *e)
{
	size_t i;

	for (i = 0; e->pairs && rvtrace_event_dictionary_get(e->dictionary, i); i++)
		rvtrace_event_pair_free(e->pairs[i]);
	free(e->pairs);
	rvtrace_event_strings_free(e->strings);
	rvtrace_event_dictionary_free(e->dictionary);
	rvtrace_clock_free(e->clock);
	rvtrace_spaces_free(e->d.spaces);
	rvtrace_recording_free(e->d.recording);
	free(e->d.sources);
}

int verb_events(int argc, char **argv)
{
	static struct events e = {
		.d = { .raw_options = { .src_bits = -1, .implicit_return = -1 } },
	};
	struct rvtrace_recording_error error = { };
	int status;

	e.d.out.file = stdout;
	argp_parse(&events_argp, argc, argv, 0, NULL, &e);
	status = finish(&e, run(&e, &error), &error);
	if (e.d.out.file != stdout)
		fclose(e.d.out.file);
	release(&e);
	return status;
}
