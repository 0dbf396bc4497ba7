// SPDX-License-Identifier: GPL-2.0
/* Views of a trace: calls, with names of functions and threads, for one view. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/report/report.h"
#include "functions.h"
#include "views_run.h"

#define KNOWN_BITS	12

/* What is known of kernel code at @address, whoever executes it and when; no id: of none. */
struct known {
	uint64_t address;
	struct rvtrace_call_function function;
};

/**
 * struct views - a view that is fed
 * @view: it
 * @functions: all that executed
 * @calls: of the sink under way
 * @lanes: @lane_count of them, by number; NULL: had no event
 * @first_lane: number of the first one of the sink under way
 * @frames: frames of the sinks before
 * @last_frame: the newest one of the sink under way
 * @scene: who was there
 * @known: by hash of the address, the last one that was asked for
 * @error: what failed where nothing can be returned
 */
struct views {
	struct view view;
	struct functions *functions;
	struct rvtrace_calls *calls;
	struct view_lane **lanes;
	size_t lane_count;
	size_t first_lane;
	uint64_t frames;
	uint64_t last_frame;
	struct report_scene scene;
	struct known known[1u << KNOWN_BITS];
	int error;
};

static const struct views *views_of(const struct view *view)
{
	return (const struct views *)view;
}

struct views *views_new(struct decode *d, const struct view_ops *ops, void *data)
{
	struct views *views = calloc(1, sizeof(*views));

	if (!views)
		return NULL;
	views->view = (struct view) { .ops = ops, .decode = d, .data = data };
	views->functions = functions_new();
	if (!views->functions) {
		free(views);
		return NULL;
	}
	return views;
}

void views_free(struct views *views)
{
	if (!views)
		return;
	if (views->view.ops->free)
		views->view.ops->free(&views->view);
	rvtrace_calls_free(views->calls);
	functions_free(views->functions);
	for (size_t i = 0; i < views->lane_count; i++)
		free(views->lanes[i]);
	free(views->lanes);
	report_scene_free(&views->scene);
	free(views);
}

int views_begin(struct views *views, struct rvtrace_failure *error)
{
	const struct view_ops *ops = views->view.ops;
	struct decode *d = views->view.decode;
	int ret = 0;

	if (d->input.recording)
		ret = report_scene_load(&views->scene, d->input.recording, d->input.spaces, error);
	d->input.end = views->scene.end;
	return !ret && ops->begin ? ops->begin(&views->view) : ret;
}

static bool is_user(const struct rvtrace_flow_item *item, uint64_t address)
{
	return item->flags & RVTRACE_FLOW_HAS_PRIV ? !item->priv : !(address >> 63);
}

/* Names by kallsyms hold for all of the trace, those of programs do not. */
static struct known *known_of(struct views *views, const struct rvtrace_flow_item *item,
			      uint64_t address)
{
	if (!(item->flags & RVTRACE_FLOW_HAS_PRIV) || item->priv != 1)
		return NULL;
	return &views->known[(address * 0x9e3779b97f4a7c15ULL) >> (64 - KNOWN_BITS)];
}

static void find(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		 const uint8_t *code, struct rvtrace_call_function *function)
{
	struct views *views = data;
	struct known *known = known_of(views, item, address);
	struct decode *d = views->view.decode;
	struct symbol_place place = { };

	if (known && known->function.id && known->address == address) {
		*function = known->function;
		return;
	}
	symbols_find(d->symbols, d->resolver, item, address, code, &place);
	if (!place.name)
		place = (struct symbol_place) { .start = place.start, .end = place.end };
	function->id = functions_add(views->functions, &place, !is_user(item, address));
	if (!function->id)
		views->error = -ENOMEM;
	function->start = place.start;
	function->end = place.end;
	function->begins = place.function && place.has_base && place.start == place.base;
	function->whole = functions_whole(views->functions, function->id);
	function->unwinds = place.function && !strcmp(place.name, "_Unwind_Resume");
	if (known && place.module)
		*known = (struct known) { address, *function };
}

static int lands(void *data, uint32_t function, uint64_t start, uint64_t call_site,
		 uint64_t landing)
{
	const struct views *views = data;

	return functions_lands(views->functions, function, start, call_site, landing);
}

static const struct rvtrace_space *space_of(const struct views *views,
					    const struct rvtrace_call_event *event)
{
	const struct rvtrace_spaces *spaces = views->view.decode->input.spaces;

	return spaces && event->process != RVTRACE_PROCESS_UNKNOWN ?
	       rvtrace_spaces_get(spaces, event->process) : NULL;
}

static uint64_t monotonic(const struct views *views, uint64_t ticks)
{
	const struct trace_input *in = &views->view.decode->input;

	return ticks != RVTRACE_CALL_NO_TIME && input_knows_clock(in) ?
	       rvtrace_clock_ns(in->clock, ticks) : RVTRACE_TIME_NEWEST;
}

static struct view_lane describe(const struct views *views, const struct rvtrace_call_event *event)
{
	const struct rvtrace_space *space = space_of(views, event);
	struct report_row row = {
		.process = NO_PROCESS, .pid = -1, .tid = event->thread,
	};
	const struct report_thread *thread = NULL;
	struct view_lane lane;

	if (event->thread > 0)
		thread = report_thread_at(&views->scene, event->thread,
					  monotonic(views, event->time.best));
	if (thread)
		row.process = thread->process;
	else if (event->thread > 0 && space && space->pid)
		row.process = report_process_of(views->scene.spaces, space);
	if (views->scene.spaces)
		report_describe(&views->scene, &row);
	lane = (struct view_lane) {
		.pid = row.class == REPORT_KERNEL ? -1 : row.pid, .tid = event->thread,
		.hart = input_hart(&views->view.decode->input, event->source),
		.kernel = row.class == REPORT_KERNEL,
		.observer = row.class == REPORT_RECORDER,
		.class = row.class, .process = row.process,
	};
	memcpy(lane.comm, row.comm, sizeof(lane.comm));
	/* one of many that records know by one number */
	if (!event->thread)
		snprintf(lane.comm, sizeof(lane.comm), "idle");
	return lane;
}

static int add_lane(struct views *views, const struct rvtrace_call_event *event)
{
	struct view_lane **lanes, *lane;

	if (event->lane >= views->lane_count) {
		lanes = reallocarray(views->lanes, event->lane + 1, sizeof(*lanes));
		if (!lanes)
			return -ENOMEM;
		memset(lanes + views->lane_count, 0,
		       (event->lane + 1 - views->lane_count) * sizeof(*lanes));
		views->lanes = lanes;
		views->lane_count = event->lane + 1;
	}
	if (views->lanes[event->lane])
		return 0;
	lane = malloc(sizeof(*lane));
	if (!lane)
		return -ENOMEM;
	*lane = describe(views, event);
	lane->number = event->lane;
	views->lanes[event->lane] = lane;
	return 0;
}

/* Losses hit others than the thread that ran, too. */
static bool shows(const struct views *views, const struct rvtrace_call_event *event)
{
	const struct trace_input *in = &views->view.decode->input;

	if (event->type == RVTRACE_CALL_GAP && view_is_loss(event->item))
		return true;
	return filter_has_thread(&in->filter, event->thread) &&
	       filter_has_process(&in->filter, views->lanes[event->lane]->pid) &&
	       (event->source == RVTRACE_SOURCE_ALL || filter_shows(in, event->source));
}

static int take(void *data, const struct rvtrace_call_event *event)
{
	struct views *views = data;
	struct rvtrace_call_event copy = *event;
	struct rvtrace_call_frame frame;
	int ret;

	if (views->error)
		return views->error;
	if (event->frame && event->frame->id > views->last_frame)
		views->last_frame = event->frame->id;
	if (event->frame && views->frames) {
		frame = *event->frame;
		frame.id += views->frames;
		frame.parent += frame.parent ? views->frames : 0;
		copy.frame = &frame;
	}
	copy.lane += views->first_lane;
	ret = add_lane(views, &copy);
	if (ret || !shows(views, &copy))
		return ret;
	views->view.decode->input.filter.shown = true;
	return views->view.ops->event(&views->view, &copy);
}

int views_begin_sink(struct views *views)
{
	struct decode *d = views->view.decode;
	const struct rvtrace_calls_config config = {
		.size = sizeof(config), .isa = d->input.config.isa, .spaces = d->input.spaces,
		.late = d->input.config.format == RVTRACE_FLOW_FORMAT_ETRACE,
		.from = d->input.filter.from_time, .to = d->input.filter.to_time,
		.find = find, .lands = lands, .event = take, .data = views,
	};

	rvtrace_calls_free(views->calls);
	views->calls = NULL;
	views->first_lane = views->lane_count;
	views->frames += views->last_frame;
	views->last_frame = 0;
	return rvtrace_calls_new(&config, &views->calls) ? -ENOMEM : 0;
}

static int errno_of(const struct views *views, int ret)
{
	if (views->error)
		return views->error;
	return ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : ret;
}

int views_item(struct views *views, const struct rvtrace_flow_item *item)
{
	return errno_of(views, rvtrace_calls_items(views->calls, item, 1));
}

int views_end_sink(struct views *views)
{
	return errno_of(views, rvtrace_calls_finish(views->calls));
}

struct view *views_view(struct views *views)
{
	return &views->view;
}

int views_end(struct views *views)
{
	return views->view.ops->end ? views->view.ops->end(&views->view) : 0;
}

const struct view_function *view_function(const struct view *view, uint32_t id)
{
	return functions_get(views_of(view)->functions, id);
}

uint32_t view_functions(const struct view *view)
{
	return functions_count(views_of(view)->functions);
}

const struct view_lane *view_lane(const struct view *view, uint32_t lane)
{
	const struct views *views = views_of(view);

	return lane < views->lane_count ? views->lanes[lane] : NULL;
}

uint64_t view_time(const struct view *view, uint64_t ticks)
{
	const struct trace_input *in = &view->decode->input;

	if (input_knows_clock(in))
		return rvtrace_clock_ns(in->clock, ticks);
	return in->timestamp_hz ? input_ns(in, input_elapsed(in, ticks)) :
				  input_elapsed(in, ticks);
}

uint64_t view_span(const struct view *view, uint64_t ticks)
{
	const struct trace_input *in = &view->decode->input;

	return in->timestamp_hz && ticks != RVTRACE_CALL_NO_TIME ? input_ns(in, ticks) : ticks;
}

const char *view_time_unit(const struct view *view)
{
	return view->decode->input.timestamp_hz ? "ns" : "ticks";
}

/* Where attributes do not say that there are none, there may be timestamps. */
static bool has_timestamps(const struct rvtrace_recording *recording)
{
	const struct rvtrace_recording_sink *sink;
	const char *enabled;
	size_t i, k;

	for (i = 0; (sink = rvtrace_recording_sink(recording, i)); i++) {
		for (k = 0; k < sink->source_count; k++) {
			enabled = rvtrace_recording_attribute(&sink->sources[k], "ts_enable");
			if (!enabled || strcmp(enabled, "0"))
				return true;
		}
		if (!sink->source_count)
			return true;
	}
	return false;
}

const char *view_unit(const struct view *view)
{
	const struct rvtrace_recording *recording = view->decode->input.recording;

	return !recording || has_timestamps(recording) ? view_time_unit(view) : NULL;
}

static const char *trap_name(const struct rvtrace_call_frame *frame, char *buffer, size_t size)
{
	const char *kind = frame->trap == RVTRACE_TRAP_INTERRUPT ? "interrupt" :
			   frame->trap == RVTRACE_TRAP_EXCEPTION ? "exception" : "trap";

	if (view_is_system_call(frame))
		return "system call";
	if (frame->has_cause)
		snprintf(buffer, size, "%s %" PRIu32, kind, frame->cause);
	else
		snprintf(buffer, size, "%s", kind);
	return buffer;
}

const char *view_frame_name(const struct view *view, const struct rvtrace_call_frame *frame,
			    char *buffer, size_t size)
{
	const struct view_function *function = view_function(view, frame->function);

	if (frame->kind == RVTRACE_CALL_TRAP)
		return trap_name(frame, buffer, size);
	if (frame->kind == RVTRACE_CALL_SIGNAL)
		return "signal";
	if (function && function->named)
		return function->name;
	snprintf(buffer, size, "0x%" PRIx64 "%s%s%s", frame->address,
		 function && function->name ? " (" : "",
		 function && function->name ? function->name : "",
		 function && function->name ? ")" : "");
	return buffer;
}

bool view_is_loss(const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_LOST || item->type == RVTRACE_FLOW_ERROR ||
	       (item->type == RVTRACE_FLOW_OVERFLOW &&
		item->overflow.code != RVTRACE_NTRACE_ECODE_DATA);
}
