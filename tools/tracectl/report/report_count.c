// SPDX-License-Identifier: GPL-2.0
/* tracectl report: instructions by thread and by function. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct report *report_new(const struct report_scene *scene)
{
	struct report *report = calloc(1, sizeof(*report));

	if (report)
		report->scene = scene;
	return report;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	tdestroy(report->tree, free);
	free(report->rows);
	free(report);
}

/* That is how they are called, in whatever version of udev. */
static bool is_udev(const char *comm)
{
	static const char *const names[] = {
		"systemd-udevd", "(udev-worker)", "udevd", "udevadm", NULL,
	};

	for (const char *const *name = names; *name; name++)
		if (!strcmp(comm, *name))
			return true;
	return false;
}

/* rvtraced's helpers are its children. */
static bool is_recorder(const struct rvtrace_spaces *spaces, const struct rvtrace_space *space)
{
	while (space->role != RVTRACE_SPACE_RECORDER) {
		if (space->parent == space->index)
			return false;
		space = rvtrace_spaces_get(spaces, space->parent);
		if (!space)
			return false;
	}
	return true;
}

const struct rvtrace_space *report_program_of(const struct rvtrace_spaces *spaces, size_t process)
{
	const struct rvtrace_space *found = rvtrace_spaces_get(spaces, process), *space;

	for (size_t i = process + 1; (space = rvtrace_spaces_get(spaces, i)); i++)
		if (space->pid == found->pid && report_process_of(spaces, space) == process &&
		    space->from >= found->from)
			found = space;
	return found;
}

static const struct report_thread *thread_of(const struct report_scene *scene,
					     const struct report_row *row)
{
	for (size_t i = 0; i < scene->thread_count; i++) {
		const struct report_thread *thread = &scene->threads[i];

		if (thread->tid == row->tid && thread->process == row->process)
			return thread;
	}
	return NULL;
}

/* And its processes for one session, rvtraced-record and rvtraced-images */
static bool is_rvtraced(const char *comm)
{
	return !strncmp(comm, "rvtraced", strlen("rvtraced"));
}

void report_describe(const struct report_scene *scene, struct report_row *row)
{
	const struct report_thread *thread = thread_of(scene, row);
	const struct rvtrace_space *space;

	if (thread) {
		row->pid = thread->pid;
		memcpy(row->comm, thread->comm, sizeof(row->comm));
	}
	if (row->process == NO_PROCESS) {
		row->class = !row->tid ? REPORT_IDLE : thread && thread->kernel ? REPORT_KERNEL :
			     row->tid < 0 ? REPORT_UNKNOWN : REPORT_OTHER;
		if (thread && is_udev(thread->comm))
			row->class = REPORT_UDEV;
		else if (thread && is_rvtraced(thread->comm))
			row->class = REPORT_RECORDER;
		return;
	}
	space = report_program_of(scene->spaces, row->process);
	row->pid = space->pid;
	if (!thread)
		memcpy(row->comm, space->comm, sizeof(space->comm));
	row->class = space->role == RVTRACE_SPACE_COMMAND ? REPORT_COMMAND :
		     is_recorder(scene->spaces, space) || is_rvtraced(space->comm) ?
		     REPORT_RECORDER : is_udev(space->comm) ? REPORT_UDEV : REPORT_OTHER;
}

static int by_thread(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct report_row *append_row(struct report *report, const struct report_row *key)
{
	struct report_row *row = malloc(sizeof(*row)), **rows;

	rows = reallocarray(report->rows, report->row_count + 1, sizeof(*rows));
	if (rows)
		report->rows = rows;
	if (!row || !rows) {
		free(row);
		return NULL;
	}
	*row = *key;
	report_describe(report->scene, row);
	if (!tsearch(row, &report->tree, by_thread)) {
		free(row);
		return NULL;
	}
	return rows[report->row_count++] = row;
}

struct report_row *report_row_of(struct report *report, size_t process, int32_t tid)
{
	const struct report_row key = { .process = process, .pid = -1, .tid = tid };
	struct report_row **found = tfind(&key, &report->tree, by_thread);

	return found ? *found : append_row(report, &key);
}

/* The first thread of a number. */
static size_t first_of(const struct report_scene *scene, int32_t tid)
{
	size_t low = 0, high = scene->thread_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (scene->threads[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct report_thread *report_thread_at(const struct report_scene *scene, int32_t tid,
					     uint64_t ns)
{
	const struct report_thread *found = NULL;

	for (size_t i = first_of(scene, tid);
	     i < scene->thread_count && scene->threads[i].tid == tid; i++)
		if (!found || scene->threads[i].first <= ns)
			found = &scene->threads[i];
	return found;
}

/* The thread of an item; of several with its number, the one that ran then. */
static const struct report_thread *find_thread(const struct decode *d,
					       const struct rvtrace_flow_item *item)
{
	return report_thread_at(d->report->scene, item->thread,
				rvtrace_resolver_ns(d->resolver, item));
}

/*
 * The kernel executes for a thread, in whichever address space that leaves in place: a kernel
 * thread has none of its own. User code is the address space's: near a switch the clocks may say
 * another thread.
 */
static struct report_row *find_row(struct decode *d, const struct rvtrace_flow_item *item,
				   bool user)
{
	const struct rvtrace_space *space = rvtrace_resolver_space(d->resolver, item);
	size_t process = space && space->pid ? report_process_of(d->input.spaces, space) :
					       NO_PROCESS;
	const struct report_thread *thread = NULL;

	if (item->thread >= 0)
		thread = find_thread(d, item);
	if (!thread)
		return report_row_of(d->report, process, item->thread);
	if (user && process != NO_PROCESS && thread->process != process)
		return report_row_of(d->report, process, -1);
	return report_row_of(d->report, thread->process, thread->tid);
}

static bool is_user(const struct rvtrace_flow_item *item)
{
	return item->flags & RVTRACE_FLOW_HAS_PRIV ? !item->priv : !(item->address >> 63);
}

static struct report_row *row_of(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct report_last *last = &d->report->last[item->source & (REPORT_LAST - 1)];
	bool user = is_user(item);

	if (last->row && last->source == item->source && last->process == item->process &&
	    last->thread == item->thread && last->user == user)
		return last->row;
	*last = (struct report_last) {
		.row = find_row(d, item, user), .source = item->source,
		.process = item->process, .thread = item->thread, .user = user,
	};
	return last->row;
}

/* Software says something; who runs is nothing that a program says. */
static bool is_event(const struct decode *d, const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_DATA && item->data.id != RVTRACE_OWNER_ID &&
	       item->data.id != rvtrace_recording_thread_switch(d->input.recording, d->input.sink);
}

int report_count(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct report *report = d->report;
	uint64_t instructions = item->type == RVTRACE_FLOW_BLOCKS ? item->blocks.instructions :
				item->type == RVTRACE_FLOW_RANGE ? item->range.instructions : 0;
	struct report_row *row;
	bool kernel;

	report->events += is_event(d, item);
	if (item->type == RVTRACE_FLOW_UNFOLLOWED)
		report->unfollowed += item->unfollowed.halfwords;
	if (item->source >= MAX_SOURCES || (!instructions && item->type != RVTRACE_FLOW_NO_IMAGE))
		return 0;
	row = row_of(d, item);
	if (!row)
		return -ENOMEM;
	if (item->type == RVTRACE_FLOW_NO_IMAGE) {
		row->no_image += item->no_image.halfwords;
		return 0;
	}
	kernel = !is_user(item);
	row->instructions += instructions;
	row->kernel += kernel ? instructions : 0;
	return 0;
}

bool report_shows(const struct report_scene *scene, enum report_class class, int32_t pid,
		  int32_t tid)
{
	return scene->shows[class] && filter_has_process(scene->filter, pid) &&
	       filter_has_thread(scene->filter, tid);
}

int report_add_times(struct report *report)
{
	for (size_t i = 0; i < report->scene->thread_count; i++) {
		const struct report_thread *thread = &report->scene->threads[i];
		struct report_row *row = report_row_of(report, thread->process, thread->tid);

		if (!row)
			return -ENOMEM;
		row->run_ns += thread->run_ns;
	}
	return 0;
}
