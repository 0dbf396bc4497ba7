// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl export: traces of Perfetto. Each packet is written as its event comes; names are
 * numbered when they come first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "export_perfetto.h"

#define PRIORITY	120	/* of a thread about which nothing is known */
#define STATE_UNKNOWN	0x8000	/* no state that Linux has */
#define COUNTER_EACH	10000	/* ns between two values at least */

/* The UI reads no larger files. */
#define UI_BYTES	2000000000ULL

/* Numbers of tracks */
#define LANE_TRACK	(1ULL << 32)
#define COUNTER_TRACK	(2ULL << 32)
#define LOSS_TRACK	(3ULL << 32)
#define LOSSES_TRACK	(4ULL << 32)

/**
 * struct hart - what is written of one
 * @described: its tracks have names
 * @loss: there is an open slice on its track of losses
 * @runs: a thread runs
 * @time: of the last packet about who runs
 * @tid: it
 * @comm: its name
 * @rests: since @rested nobody does, as far as was written
 * @rested: when
 * @counted: when its instructions were written
 * @lost: when @loss began
 */
struct hart {
	bool described;
	bool loss;
	bool runs;
	bool rests;
	int32_t tid;
	char comm[17];
	uint64_t time;
	uint64_t rested;
	uint64_t counted;
	uint64_t lost;
};

/* A lane whose track has a name. */
struct described {
	char comm[17];
};

/**
 * struct perfetto - the file
 * @packer: packets get into it
 * @all: losses of all harts: its @hart.loss
 * @harts: by SRC
 * @hart_room: members of @harts
 */
struct perfetto {
	struct packer packer;
	struct hart all;
	struct hart *harts;
	size_t hart_room;
};

static struct packer *packer_of(const struct export *x)
{
	struct perfetto *perfetto = x->own;

	return &perfetto->packer;
}

static int put_descriptor(struct export *x, struct perfetto_packet *p, TrackDescriptor *descriptor,
			  uint64_t track, const char *name)
{
	descriptor->has_uuid = true;
	descriptor->uuid = track;
	descriptor->name = perfetto_text(p, name);
	p->packet.has_timestamp = false;
	p->packet.track_descriptor = descriptor;
	return perfetto_put(x, packer_of(x), p, descriptor->name ? 0 : -ENOMEM);
}

static int describe_lane(struct export *x, struct export_lane *lane)
{
	const struct view_lane *known = view_lane(x->view, lane->number);
	TrackDescriptor descriptor = TRACK_DESCRIPTOR__INIT;
	ThreadDescriptor thread = THREAD_DESCRIPTOR__INIT;
	struct described *described = lane->own;
	char name[EXPORT_LANE_NAME];
	struct perfetto_packet p;

	if (described && (!known || !strcmp(described->comm, known->comm)))
		return 0;
	if (!described)
		lane->own = described = calloc(1, sizeof(*described));
	if (!described)
		return -ENOMEM;
	perfetto_begin(&p, 0);
	if (known)
		snprintf(described->comm, sizeof(described->comm), "%s", known->comm);
	/* a thread of the kernel is a process of its own, as in /proc */
	if (known && known->tid > 0 && (known->pid >= 0 || known->kernel)) {
		thread.has_pid = thread.has_tid = true;
		thread.pid = known->pid >= 0 ? known->pid : known->tid;
		thread.tid = known->tid;
		thread.thread_name = perfetto_text(&p, known->comm);
		descriptor.thread = &thread;
	}
	return put_descriptor(x, &p, &descriptor, LANE_TRACK | lane->number,
			      export_lane_name(x, lane, name));
}

static int describe_track(struct export *x, uint64_t track, uint64_t parent, bool counter,
			  const char *name)
{
	TrackDescriptor descriptor = TRACK_DESCRIPTOR__INIT;
	CounterDescriptor unit = COUNTER_DESCRIPTOR__INIT;
	struct perfetto_packet p;

	perfetto_begin(&p, 0);
	if (parent) {
		descriptor.has_parent_uuid = true;
		descriptor.parent_uuid = parent;
	}
	if (counter) {
		unit.has_unit = true;
		unit.unit = COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
		descriptor.counter = &unit;
	}
	return put_descriptor(x, &p, &descriptor, track, name);
}

static int describe_hart(struct export *x, struct hart *hart, uint32_t source)
{
	unsigned long long id = export_hart(x, source);
	char name[EXPORT_LANE_NAME];
	int ret;

	if (hart->described)
		return 0;
	hart->described = true;
	snprintf(name, sizeof(name), "losses of hart %llu", id);
	ret = describe_track(x, LOSS_TRACK | source, LOSSES_TRACK, false, name);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "instructions of hart %llu", id);
	return describe_track(x, COUNTER_TRACK | source, 0, true, name);
}

/* NULL without memory */
static struct hart *hart_of(struct export *x, uint32_t source)
{
	struct perfetto *perfetto = x->own;

	if (source == RVTRACE_SOURCE_ALL)
		return &perfetto->all;
	if (export_grow(&perfetto->harts, &perfetto->hart_room, source,
			sizeof(*perfetto->harts)) ||
	    describe_hart(x, &perfetto->harts[source], source))
		return NULL;
	return &perfetto->harts[source];
}

/* What states of threads mean depends on the kernel; STATE_UNKNOWN is none since Linux 4.14. */
static int put_system(struct export *x)
{
	const struct decode *decode = x->view->decode;
	struct json_object *host = NULL, *kernel = NULL;
	SystemInfo system = SYSTEM_INFO__INIT;
	Utsname name = UTSNAME__INIT;
	struct perfetto_packet p;

	if (decode && decode->input.recording)
		json_object_object_get_ex(rvtrace_recording_metadata(decode->input.recording),
					  "host", &host);
	json_object_object_get_ex(host, "kernel", &kernel);
	if (!json_object_is_type(kernel, json_type_string))
		return 0;
	perfetto_begin(&p, 0);
	p.packet.has_timestamp = false;
	p.packet.system_info = &system;
	system.utsname = &name;
	name.sysname = "Linux";
	name.machine = "riscv64";
	name.release = perfetto_text(&p, json_object_get_string(kernel));
	return perfetto_put(x, packer_of(x), &p, name.release ? 0 : -ENOMEM);
}

static int begin(struct export *x)
{
	int ret;

	x->own = calloc(1, sizeof(struct perfetto));
	if (!x->own)
		return -ENOMEM;
	ret = perfetto_first(x, packer_of(x));
	if (!ret)
		ret = put_system(x);
	if (!ret)
		ret = describe_track(x, LOSSES_TRACK, 0, false, "losses");
	return ret ? ret : describe_track(x, LOSS_TRACK | UINT32_MAX, LOSSES_TRACK, false,
					  "losses of all harts");
}

/* A loss of a hart is over when it sends anything. */
static int end_loss(struct export *x, struct hart *hart, uint32_t source, uint64_t time)
{
	struct perfetto_packet p;

	if (!hart->loss)
		return 0;
	hart->loss = false;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_SLICE_END, LOSS_TRACK | source,
		    time > hart->lost ? time : hart->lost);
	return perfetto_put(x, packer_of(x), &p, 0);
}

static int put_counter(struct export *x, struct hart *hart, uint32_t source, uint64_t time,
		       uint64_t count)
{
	struct perfetto_packet p;

	hart->counted = time;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_COUNTER, COUNTER_TRACK | source, time);
	p.event.has_counter_value = true;
	p.event.counter_value = count;
	return perfetto_put(x, packer_of(x), &p, 0);
}

/* Whether something was executed after a loss. */
static bool tells_more(const struct rvtrace_call_event *event)
{
	return event->type != RVTRACE_CALL_GAP && event->type != RVTRACE_CALL_ITEM &&
	       !(event->type == RVTRACE_CALL_LEAVE && event->frame->flags & RVTRACE_CALL_CUT);
}

/* What comes before every event. */
static int prepare(struct export *x, const struct export_step *step)
{
	const struct rvtrace_call_event *event = step->event;
	struct perfetto *perfetto = x->own;
	uint64_t time = step->time.best;
	struct hart *hart = event ? hart_of(x, event->source) : NULL;
	int ret = describe_lane(x, step->lane);

	if (ret || !event)
		return ret;
	if (!hart)
		return -ENOMEM;
	if (!tells_more(event))
		return 0;
	ret = end_loss(x, hart, event->source, time);
	if (!ret)
		ret = end_loss(x, &perfetto->all, UINT32_MAX, time);
	/* without timestamps harts have no common time */
	if (!ret && x->unit && (!hart->counted || time >= hart->counted + COUNTER_EACH))
		ret = put_counter(x, hart, event->source, time, event->source_instructions);
	return ret;
}

static int enter(struct export *x, const struct export_step *step)
{
	const struct rvtrace_call_frame *frame = step->event->frame;
	char flags[EXPORT_REASON];
	struct perfetto_packet p;
	int ret = prepare(x, step);

	if (ret)
		return ret;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, LANE_TRACK | step->lane->number,
		    step->time.best);
	ret = perfetto_name(x, &p, step->frame->name);
	if (*export_flags(frame->flags, EXPORT_FLAGS_ENTER, flags))
		perfetto_annotate(&p, ANNOTATION_FLAGS, flags);
	if (step->frame->is_call)
		perfetto_number(&p, ANNOTATION_CALL, frame->id);
	perfetto_pointer(&p, ANNOTATION_ADDRESS, frame->address);
	perfetto_time(&p, &step->time, ANNOTATION_ENTERED_EARLIEST, ANNOTATION_ENTERED_LATEST);
	return perfetto_put(x, packer_of(x), &p, ret);
}

static int leave(struct export *x, const struct export_step *step)
{
	const struct rvtrace_call_frame *frame = step->event->frame;
	char flags[EXPORT_REASON];
	struct perfetto_packet p;
	int ret = prepare(x, step);

	if (ret)
		return ret;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_SLICE_END, LANE_TRACK | step->lane->number,
		    step->time.best);
	if (*export_flags(frame->flags, EXPORT_FLAGS_LEAVE, flags))
		perfetto_annotate(&p, ANNOTATION_ENDED, flags);
	perfetto_number(&p, ANNOTATION_INSTRUCTIONS, frame->instructions);
	perfetto_number(&p, ANNOTATION_OWN_INSTRUCTIONS, frame->own_instructions);
	perfetto_number(&p, ANNOTATION_OWN_TIME, step->frame->time);
	if (frame->resting.best)
		perfetto_number(&p, ANNOTATION_RESTING,
				view_span(x->view, frame->resting.best));
	if (frame->interrupted.best)
		perfetto_number(&p, ANNOTATION_INTERRUPTED,
				view_span(x->view, frame->interrupted.best));
	perfetto_time(&p, &step->time, ANNOTATION_LEFT_EARLIEST, ANNOTATION_LEFT_LATEST);
	return perfetto_put(x, packer_of(x), &p, 0);
}

static int put_switch(struct export *x, struct hart *hart, uint32_t source, uint64_t time,
		      int32_t tid, const char *comm)
{
	SchedSwitch change = SCHED_SWITCH__INIT;
	FtraceEvent event = FTRACE_EVENT__INIT, *events[] = { &event };
	FtraceEventBundle bundle = FTRACE_EVENT_BUNDLE__INIT;
	struct perfetto_packet p;

	perfetto_begin(&p, 0);
	p.packet.has_timestamp = false;
	p.packet.ftrace_events = &bundle;
	bundle.has_cpu = true;
	bundle.cpu = export_hart(x, source);
	bundle.n_event = 1;
	bundle.event = events;
	event.has_timestamp = event.has_pid = true;
	event.timestamp = time > hart->time ? time : hart->time;
	event.pid = hart->runs ? hart->tid : 0;
	event.sched_switch = &change;
	change.has_prev_pid = change.has_prev_prio = change.has_prev_state = true;
	change.has_next_pid = change.has_next_prio = true;
	change.prev_pid = event.pid;
	change.prev_comm = perfetto_text(&p, hart->runs ? hart->comm : "swapper");
	change.prev_prio = change.next_prio = PRIORITY;
	change.prev_state = event.pid ? STATE_UNKNOWN : 0;
	change.next_pid = tid;
	change.next_comm = perfetto_text(&p, tid ? comm : "swapper");
	hart->time = event.timestamp;
	hart->runs = tid;
	hart->tid = tid;
	snprintf(hart->comm, sizeof(hart->comm), "%s", comm);
	return perfetto_put(x, packer_of(x), &p, change.prev_comm && change.next_comm ? 0 : -ENOMEM);
}

/* A thread that rests mostly does so for another one, at the same time. */
static int put_rest(struct export *x, struct hart *hart, uint32_t source, uint64_t before)
{
	if (!hart->rests || hart->rested >= before)
		return 0;
	hart->rests = false;
	return put_switch(x, hart, source, hart->rested, 0, "");
}

static int run(struct export *x, const struct export_step *step)
{
	const struct view_lane *known = view_lane(x->view, step->lane->number);
	uint32_t source = step->event->source;
	int ret = prepare(x, step);
	struct hart *hart = ret ? NULL : hart_of(x, source);

	if (ret || !x->unit || !known || known->tid < 0)
		return ret;
	if (!hart)
		return -ENOMEM;
	ret = put_rest(x, hart, source, step->time.best);
	hart->rests = false;
	return ret ? ret : put_switch(x, hart, source, step->time.best, known->tid, known->comm);
}

static int rest(struct export *x, const struct export_step *step)
{
	struct hart *hart = hart_of(x, step->event->source);
	int ret = prepare(x, step);

	if (!hart)
		return -ENOMEM;
	if (hart->runs) {
		hart->rests = true;
		hart->rested = step->time.best;
	}
	return ret;
}

static int put_gap(struct export *x, const struct export_step *step, uint64_t track)
{
	const struct rvtrace_flow_item *item = step->event->item;
	uint32_t name = export_name_of_text(x, export_gap_name(view_is_loss(item)));
	char reason[EXPORT_REASON];
	struct perfetto_packet p;
	int ret;

	if (!name)
		return -ENOMEM;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track, step->time.best);
	ret = perfetto_name(x, &p, name);
	perfetto_annotate(&p, ANNOTATION_REASON, export_gap_reason(item, reason));
	if (item->source != RVTRACE_SOURCE_ALL)
		perfetto_number(&p, ANNOTATION_HART, export_hart(x, item->source));
	perfetto_time(&p, &step->time, ANNOTATION_ENTERED_EARLIEST, ANNOTATION_ENTERED_LATEST);
	return perfetto_put(x, packer_of(x), &p, ret);
}

static int gap(struct export *x, const struct export_step *step)
{
	int ret = prepare(x, step);

	return ret ? ret : put_gap(x, step, LANE_TRACK | step->lane->number);
}

static int gap_end(struct export *x, const struct export_step *step)
{
	struct perfetto_packet p;

	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_SLICE_END, LANE_TRACK | step->lane->number,
		    step->time.best);
	return perfetto_put(x, packer_of(x), &p, 0);
}

/* On the track of losses of its hart */
static int loss(struct export *x, const struct export_step *step)
{
	uint32_t source = step->event->source;
	struct hart *hart = hart_of(x, source);
	int ret;

	if (!hart)
		return -ENOMEM;
	ret = end_loss(x, hart, source, step->time.best);
	if (ret)
		return ret;
	hart->loss = true;
	hart->lost = step->time.best;
	return put_gap(x, step, LOSS_TRACK | source);
}

static int item(struct export *x, const struct export_step *step)
{
	const struct rvtrace_flow_item *it = step->event->item;
	char text[EXPORT_REASON];
	const char *name = export_item_name(it, text);
	uint32_t number;
	struct perfetto_packet p;
	int ret = name ? prepare(x, step) : 0;

	if (ret || !name)
		return ret;
	number = export_name_of_text(x, name);
	if (!number)
		return -ENOMEM;
	perfetto_event(&p, TRACK_EVENT__TYPE__TYPE_INSTANT, LANE_TRACK | step->lane->number,
		    step->time.best);
	ret = perfetto_name(x, &p, number);
	if (it->type == RVTRACE_FLOW_DATA)
		perfetto_pointer(&p, ANNOTATION_VALUE, it->data.value);
	if (it->type == RVTRACE_FLOW_REGISTER)
		perfetto_pointer(&p, ANNOTATION_VALUE, it->written.value);
	if (it->flags & RVTRACE_FLOW_HAS_ADDRESS)
		perfetto_pointer(&p, ANNOTATION_ADDRESS, it->address);
	perfetto_time(&p, &step->time, ANNOTATION_ENTERED_EARLIEST, ANNOTATION_ENTERED_LATEST);
	return perfetto_put(x, packer_of(x), &p, ret);
}

static int end(struct export *x)
{
	struct perfetto *perfetto = x->own;
	int ret = end_loss(x, &perfetto->all, UINT32_MAX, x->latest);

	for (size_t i = 0; i < perfetto->hart_room && !ret; i++) {
		ret = end_loss(x, &perfetto->harts[i], i, x->latest);
		if (!ret)
			ret = put_rest(x, &perfetto->harts[i], i, UINT64_MAX);
	}
	if (!ret && x->out->flushed + x->out->used > UI_BYTES)
		warn_text("the file has more than 2 GB: ui.perfetto.dev cannot open it without trace_processor; --from and --to make it smaller");
	return ret;
}

static void free_perfetto(struct export *x)
{
	struct perfetto *perfetto = x->own;

	if (!perfetto)
		return;
	free(perfetto->harts);
	free(perfetto->packer.packed);
	free(perfetto);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .binary = true,
	.begin = begin, .enter = enter, .leave = leave, .run = run, .rest = rest, .gap = gap,
	.gap_end = gap_end, .loss = loss, .item = item, .end = end, .free = free_perfetto,
};
