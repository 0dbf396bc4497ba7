// SPDX-License-Identifier: GPL-2.0
/* tracectl report: the threads that records tell of. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report.h"

/* While records are read. */
struct reader {
	struct report_scene *scene;
	struct rvtrace_threads *threads;
	void *tree;		/* struct report_thread, by id */
};

size_t report_process_of(const struct rvtrace_spaces *spaces, const struct rvtrace_space *space)
{
	const struct rvtrace_space *parent;

	while (space->parent != space->index) {
		parent = rvtrace_spaces_get(spaces, space->parent);
		if (!parent || parent->pid != space->pid)
			break;
		space = parent;
	}
	return space->index;
}

static int by_id(const void *a, const void *b)
{
	const struct report_thread *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_tid(const void *a, const void *b)
{
	const struct report_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* It runs: by now its process is known, whoever had the number before. */
static int see(struct reader *r, const struct rvtrace_record_task *task)
{
	struct report_thread key = { .id = task->id }, *thread, **found;
	const struct rvtrace_space *space;

	found = tfind(&key, &r->tree, by_id);
	thread = found ? *found : malloc(sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	if (!found) {
		*thread = (struct report_thread) { .id = task->id, .first = task->header.time };
		if (!tsearch(thread, &r->tree, by_id)) {
			free(thread);
			return -ENOMEM;
		}
	}
	thread->last = task->header.time;
	space = rvtrace_spaces_of_process(r->scene->spaces, task->pid, thread->last);
	thread->process = space && task->pid ? report_process_of(r->scene->spaces, space) :
					       NO_PROCESS;
	return 0;
}

static int take(struct reader *r, const struct rvtrace_record *record)
{
	const struct rvtrace_record_task *task = (const void *)record;
	struct report_scene *scene = r->scene;

	if (record->type != RVTRACE_RECORD_TASK && record->type != RVTRACE_RECORD_SESSION_END)
		return 0;
	if (rvtrace_threads_add(r->threads, record))
		return -ENOMEM;
	if (!scene->begin)
		scene->begin = record->time;
	if (record->time > scene->end)
		scene->end = record->time;
	if (record->type != RVTRACE_RECORD_TASK ||
	    (task->event != RVTRACE_TASK_RUNS && task->event != RVTRACE_TASK_SWITCH &&
	     task->event != RVTRACE_TASK_EXEC))
		return 0;
	return see(r, task);
}

static int read_sink(struct reader *r, struct rvtrace_recording *recording, size_t sink,
		     struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(recording, sink, &records, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		ret = take(r, record);
		if (ret)
			break;
	}
	rvtrace_recording_records_free(records);
	return ret;
}

static int collect(struct reader *r)
{
	const struct rvtrace_threads_sum *sum = rvtrace_threads_sum(r->threads);
	struct report_scene *scene = r->scene;
	const struct rvtrace_thread *thread;
	size_t count = 0;

	while (rvtrace_threads_get(r->threads, count))
		count++;
	scene->threads = calloc(count + 1, sizeof(*scene->threads));
	if (!scene->threads)
		return -ENOMEM;
	for (size_t i = 0; (thread = rvtrace_threads_get(r->threads, i)); i++) {
		struct report_thread key = { .id = thread->id }, *copy, **found;

		found = tfind(&key, &r->tree, by_id);
		if (!found)
			continue;	/* it was created, and never ran */
		copy = &scene->threads[scene->thread_count++];
		*copy = **found;
		copy->pid = thread->pid;
		copy->tid = thread->tid;
		copy->run_ns = thread->run_ns;
		copy->kernel = thread->kernel;
		memcpy(copy->comm, thread->comm, sizeof(copy->comm));
	}
	qsort(scene->threads, scene->thread_count, sizeof(*scene->threads), by_tid);
	scene->gaps = sum->gaps;
	scene->unknown_ns = sum->unknown_ns;
	return 0;
}

/* Records of all kinds that the driver had no room for. */
static uint64_t records_lost(const struct rvtrace_recording *recording)
{
	struct json_object *sinks, *lost;
	uint64_t count = 0;

	if (!json_object_object_get_ex(rvtrace_recording_metadata(recording), "sinks", &sinks) ||
	    !json_object_is_type(sinks, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(sinks); i++)
		if (json_object_object_get_ex(json_object_array_get_idx(sinks, i), "records_lost",
					      &lost))
			count += json_object_get_uint64(lost);
	return count;
}

int report_scene_load(struct report_scene *scene, struct rvtrace_recording *recording,
		      const struct rvtrace_spaces *spaces, struct rvtrace_failure *error)
{
	struct reader r = { .scene = scene, .threads = rvtrace_threads_new() };
	int ret = r.threads ? 0 : -ENOMEM;

	scene->spaces = spaces;
	/* One sink tells of all harts. */
	for (size_t sink = 0; !ret && !rvtrace_threads_sum(r.threads)->records &&
	     sink < rvtrace_recording_sink_count(recording); sink++) {
		scene->begin = 0;
		scene->end = 0;
		ret = read_sink(&r, recording, sink, error);
	}
	if (!ret)
		ret = collect(&r);
	scene->records_lost = records_lost(recording);
	tdestroy(r.tree, free);
	rvtrace_threads_free(r.threads);
	return ret;
}

void report_scene_free(struct report_scene *scene)
{
	free(scene->threads);
	scene->threads = NULL;
}
