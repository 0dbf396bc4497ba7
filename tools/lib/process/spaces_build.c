// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces, put together from what happened, in order of time: forks, execs, exits, names. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

#define EXEC_NS		1000000		/* between the driver's two records of one exec */

static struct process *get_process(struct rvtrace_spaces *s, int32_t pid)
{
	struct process *process = calloc(1, sizeof(*process)), **found;

	if (!process)
		return NULL;
	process->pid = pid;
	found = tsearch(process, &s->processes, spaces_by_pid);
	if (!found || *found != process)
		free(process);
	return found ? *found : NULL;
}

/* A space of @pid from @time on; the one it had before ends. */
static struct node *new_node(struct rvtrace_spaces *s, int32_t pid, uint64_t time)
{
	void *nodes = spaces_grow(s->nodes, sizeof(*s->nodes), s->count, &s->room);
	struct process *process = get_process(s, pid);
	struct node *old, *n;

	if (!nodes || !process)
		return NULL;
	s->nodes = nodes;
	old = process->count ? process->nodes[process->count - 1] : NULL;
	nodes = spaces_grow(process->nodes, sizeof(n), process->count, &process->room);
	if (!nodes)
		return NULL;
	process->nodes = nodes;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	if (old && old->space.until > time)
		old->space.until = time;
	n->space.pid = pid;
	n->space.from = time;
	n->space.until = UINT64_MAX;
	n->space.index = s->count;
	n->space.parent = s->count;
	process->nodes[process->count++] = n;
	s->nodes[s->count++] = n;
	return n;
}

/* Nobody told how the process came that something is told of. */
static struct node *current_or_new(struct rvtrace_spaces *s, int32_t pid, uint64_t time)
{
	struct node *n = spaces_newest(s, pid);

	if (n && n->space.until == UINT64_MAX)
		return n;
	return new_node(s, pid, n ? time : 0);
}

static void set_comm(struct node *n, const char *comm)
{
	snprintf(n->space.comm, sizeof(n->space.comm), "%s", comm ? comm : "");
}

static int take_snapshot(struct rvtrace_spaces *s, struct json_object *process, uint64_t time)
{
	const char *role = spaces_text_member(process, "role");
	struct json_object *pid, *maps, *end = NULL;
	struct node *n;

	json_object_object_get_ex(process, "pid", &pid);
	json_object_object_get_ex(process, "maps", &maps);
	json_object_object_get_ex(process, "time_end", &end);
	n = current_or_new(s, json_object_get_int(pid), time);
	if (!n)
		return -ENOMEM;
	set_comm(n, spaces_text_member(process, "comm"));
	if (role && !strcmp(role, "command"))
		n->space.role = RVTRACE_SPACE_COMMAND;
	else if (role && !strcmp(role, "recorder"))
		n->space.role = RVTRACE_SPACE_RECORDER;
	n->doubtful_until = json_object_get_int64(end);
	return spaces_take_maps(s, n, maps, time);
}

static int do_fork(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *parent = spaces_newest(s, e->fork.ppid), *child;

	if (e->pid == e->fork.ppid) {	/* a thread */
		if (parent && parent->threads)
			parent->threads++;
		return 0;
	}
	child = new_node(s, e->pid, e->time);
	if (!child)
		return -ENOMEM;
	child->threads = 1;
	child->untold = UNTOLD_FORK;
	if (!parent)
		return 0;
	child->origin = parent->origin || parent->snapshot;
	child->space.parent = parent->space.index;
	set_comm(child, parent->space.comm);
	if (parent->space.role == RVTRACE_SPACE_COMMAND)
		child->space.role = RVTRACE_SPACE_COMMAND;
	child->sibling = parent->child;
	parent->child = child;
	return spaces_inherit(&child->space, &parent->space);
}

/* Maps that were read of a process that was about to become another program. */
static void drop_doubtful(struct node *n)
{
	size_t i;

	for (i = 0; i < n->space.era_count; i++)
		if (n->space.eras[i].until == UINT64_MAX)
			n->space.eras[i].until = 0;
}

static int do_exec(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *old = spaces_newest(s, e->pid), *n = new_node(s, e->pid, e->time);

	if (!n)
		return -ENOMEM;
	set_comm(n, e->name);
	n->origin = true;
	n->untold = UNTOLD_EXEC;
	n->threads = 1;
	if (!old)
		return 0;
	if (old->doubtful_until > e->time)
		drop_doubtful(old);
	n->space.role = old->space.role;
	n->space.parent = old->space.index;
	return 0;
}

/* Of an exec the driver may have told the number first. */
static void rename_contexts(struct rvtrace_spaces *s, const struct node *old, struct node *n,
			    uint64_t time)
{
	size_t i;

	for (i = s->context_count; i && s->contexts[i - 1].time + EXEC_NS > time; i--)
		if (s->contexts[i - 1].node == old)
			s->contexts[i - 1].node = n;
}

/*
 * What the driver tells of, the side band told before; or it missed that, as where it ends before
 * the trace: then what the process has mapped is not what it had.
 */
static int do_beginning(struct rvtrace_spaces *s, const struct beginning *b, uint64_t time)
{
	struct node *n = spaces_newest(s, b->pid), *parent = spaces_newest(s, b->parent), *old;
	char comm[sizeof(b->comm) + 1];
	struct rvtrace_sideband_event e = {
		.time = time, .pid = b->pid, .tid = b->pid, .name = comm, .fork.ppid = -1,
	};
	int ret = 0;

	/* Of a thread that is not the first of its process, the number says nothing. */
	if (parent && parent->space.until == UINT64_MAX)
		e.fork.ppid = b->parent;

	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(b->comm), b->comm);
	if (!n || n->untold != (b->exec ? UNTOLD_EXEC : UNTOLD_FORK))
		ret = b->exec ? do_exec(s, &e) : do_fork(s, &e);
	old = n;
	n = spaces_newest(s, b->pid);
	if (n)
		n->untold = UNTOLD_NOTHING;
	if (old && n != old && b->exec)
		rename_contexts(s, old, n, time);
	return ret;
}

static int do_exit(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *n = spaces_newest(s, e->pid);

	if (n && n->threads && !--n->threads)
		n->space.until = e->time;
	return 0;
}

static int do_mmap(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *n = current_or_new(s, e->pid, e->time);
	struct rvtrace_space_map map = {
		.start = e->mmap.address,
		.end = e->mmap.address + e->mmap.size,
		.offset = e->mmap.offset,
		.from = e->time,
		.path = spaces_path_of(e->name),
		.build_id_size = e->mmap.build_id_size,
		.device = e->mmap.device,
		.inode = e->mmap.inode,
		.kind = spaces_kind_of(spaces_path_of(e->name)),
	};

	if (!n)
		return -ENOMEM;
	memcpy(map.build_id, e->mmap.build_id, sizeof(map.build_id));
	return spaces_add_map(s, n, &map);
}

static int do_comm(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *n = current_or_new(s, e->pid, e->time);

	if (n && e->pid == e->tid)
		set_comm(n, e->name);
	return n ? 0 : -ENOMEM;
}

static int do_event(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	switch (e->type) {
	case RVTRACE_SIDEBAND_FORK:
		return do_fork(s, e);
	case RVTRACE_SIDEBAND_EXEC:
		return do_exec(s, e);
	case RVTRACE_SIDEBAND_EXIT:
		return do_exit(s, e);
	case RVTRACE_SIDEBAND_COMM:
		return do_comm(s, e);
	case RVTRACE_SIDEBAND_MMAP:
		return do_mmap(s, e);
	default:
		return 0;
	}
}

/*
 * Where neither side band nor driver tells of programs that begin, another number may be another
 * program, and is taken for one: it may also be that numbers are used again.
 */
static struct node *named_by(struct rvtrace_spaces *s,
			     const struct rvtrace_record_address_space *record)
{
	struct node *n = current_or_new(s, record->pid, record->header.time);
	char comm[sizeof(record->comm) + 1];
	const struct rvtrace_sideband_event e = {
		.time = record->header.time, .pid = record->pid, .tid = record->pid, .name = comm,
	};

	if (n && n->named && n->context != record->context && !s->tasks &&
	    record->header.time > s->told_until) {
		snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(record->comm), record->comm);
		n = do_exec(s, &e) ? NULL : spaces_newest(s, record->pid);
	}
	if (n) {
		n->context = record->context;
		n->named = true;
	}
	return n;
}

static int do_context(struct rvtrace_spaces *s, const struct rvtrace_record_address_space *record)
{
	struct node *n = named_by(s, record);
	struct context *c;

	if (!n)
		return -ENOMEM;
	if (!n->space.comm[0])
		snprintf(n->space.comm, sizeof(n->space.comm), "%.15s", record->comm);
	c = spaces_grow(s->contexts, sizeof(*c), s->context_count, &s->context_room);
	if (!c)
		return -ENOMEM;
	s->contexts = c;
	c[s->context_count] = (struct context) {
		.context = record->context, .time = record->header.time,
		.order = s->context_count, .node = n,
	};
	s->context_count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_context(const void *a, const void *b)
{
	const struct context *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int rvtrace_spaces_resolve(struct rvtrace_spaces *spaces)
{
	const struct happening *h;
	size_t i;
	int ret = 0;

	if (spaces->happening_count)
		qsort(spaces->happenings, spaces->happening_count, sizeof(*h), by_time);
	for (i = 0; i < spaces->happening_count && !ret; i++) {
		h = &spaces->happenings[i];
		if (h->snapshot)
			ret = take_snapshot(spaces, h->snapshot, h->time);
		else if (h->event)
			ret = do_event(spaces, h->event);
		else if (h->is_beginning)
			ret = do_beginning(spaces, &h->beginning, h->time);
		else
			ret = do_context(spaces, &h->context);
	}
	if (spaces->context_count)
		qsort(spaces->contexts, spaces->context_count, sizeof(*spaces->contexts),
		      by_context);
	for (i = 0; i < spaces->count && !ret; i++)
		ret = spaces_finish_maps(&spaces->nodes[i]->space);
	return ret;
}
