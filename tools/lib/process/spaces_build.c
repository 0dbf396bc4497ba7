// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces, put together from what happened, in order of time. */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

#define WRITTEN_NS	2000000000ULL	/* the side band of all processors is written more often */
#define EXEC_NS		1000000		/* between the driver's two records of one exec */

/* Room for one more; NULL without memory. */
static void *grow(void *list, size_t size, size_t count, size_t *room)
{
	size_t more = *room ? 2 * *room : 4;
	void *bigger = list;

	if (count == *room) {
		bigger = realloc(list, more * size);
		if (bigger)
			*room = more;
	}
	return bigger;
}

static struct happening *add(struct rvtrace_spaces *s, uint64_t time)
{
	struct happening *h;

	h = grow(s->happenings, sizeof(*h), s->happening_count, &s->happening_room);
	if (!h)
		return NULL;
	s->happenings = h;
	h += s->happening_count;
	memset(h, 0, sizeof(*h));
	h->time = time;
	h->order = s->happening_count++;
	return h;
}

int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *process)
{
	struct json_object *member;
	struct happening *h;

	if (!json_object_is_type(process, json_type_object) ||
	    !json_object_object_get_ex(process, "pid", &member) ||
	    !json_object_object_get_ex(process, "maps", &member) ||
	    !json_object_is_type(member, json_type_array))
		return -EBADMSG;
	json_object_object_get_ex(process, "time", &member);
	h = add(spaces, json_object_get_int64(member));
	if (!h)
		return -ENOMEM;
	h->snapshot = json_object_get(process);
	return 0;
}

int rvtrace_spaces_add_sideband(struct rvtrace_spaces *spaces,
				const struct rvtrace_sideband *sideband)
{
	struct happening *h;
	size_t i;

	for (i = 0; i < sideband->count; i++) {
		if (sideband->events[i].type == RVTRACE_SIDEBAND_SWITCH)
			continue;
		h = add(spaces, sideband->events[i].time);
		if (!h)
			return -ENOMEM;
		h->event = &sideband->events[i];
	}
	spaces->lost += sideband->lost;
	rvtrace_switches_free(spaces->switches);
	spaces->switches = rvtrace_switches_new(sideband);
	return spaces->switches ? 0 : -ENOMEM;
}

int rvtrace_spaces_cut(struct rvtrace_spaces *spaces)
{
	uint64_t first, last;
	int ret = rvtrace_switches_cut(spaces->switches, &first, &last);

	spaces->told_until = last - first < WRITTEN_NS ? first : last - WRITTEN_NS;
	return ret;
}

int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record)
{
	struct happening *h = add(spaces, record->header.time);

	if (!h)
		return -ENOMEM;
	h->context = *record;
	return 0;
}

int rvtrace_spaces_add_task(struct rvtrace_spaces *spaces, const struct rvtrace_record_task *record)
{
	bool exec = record->event == RVTRACE_TASK_EXEC;
	struct happening *h;

	spaces->tasks = true;
	/* Threads are no spaces. */
	if (!exec && (record->event != RVTRACE_TASK_FORK || record->pid != record->tid))
		return 0;
	h = add(spaces, record->header.time);
	if (!h)
		return -ENOMEM;
	h->is_beginning = true;
	h->beginning = (struct beginning) {
		.exec = exec, .pid = record->pid, .parent = record->other,
	};
	memcpy(h->beginning.comm, record->comm, sizeof(record->comm));
	return 0;
}

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
	void *nodes = grow(s->nodes, sizeof(*s->nodes), s->count, &s->room);
	struct process *process = get_process(s, pid);
	struct node *old, *n;

	if (!nodes || !process)
		return NULL;
	s->nodes = nodes;
	old = process->count ? process->nodes[process->count - 1] : NULL;
	nodes = grow(process->nodes, sizeof(n), process->count, &process->room);
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

/* The kernel has no longer ones; it would be in every line of a listing. */
static const char *path_of(const char *text)
{
	return text && strnlen(text, PATH_MAX) < PATH_MAX ? text : "";
}

static uint8_t kind_of(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t size = strlen(path);

	if (!strcmp(path, "[vdso]"))
		return RVTRACE_MAP_VDSO;
	if (!*path || *path == '[' || !strcmp(path, "//anon"))
		return RVTRACE_MAP_ANONYMOUS;
	if (!strncmp(path, "/memfd:", 7) ||
	    (size >= sizeof(deleted) && !strcmp(path + size + 1 - sizeof(deleted), deleted)))
		return RVTRACE_MAP_DELETED;
	return RVTRACE_MAP_FILE;
}

/* At @index among those of a space; NULL without memory. */
static struct rvtrace_space_era *add_era(struct rvtrace_space *space, size_t index)
{
	struct rvtrace_space_era *eras = realloc(space->eras,
						 (space->era_count + 1) * sizeof(*eras));

	if (!eras)
		return NULL;
	space->eras = eras;
	memmove(eras + index + 1, eras + index, (space->era_count - index) * sizeof(*eras));
	space->era_count++;
	eras[index] = (struct rvtrace_space_era) { .until = UINT64_MAX };
	return &eras[index];
}

static struct rvtrace_space_layer *add_layer(struct rvtrace_spaces *s,
					     const struct rvtrace_space_era *era)
{
	struct rvtrace_space_layer *layer = calloc(1, sizeof(*layer));

	if (!layer)
		return NULL;
	layer->base = era->layer;
	layer->seen = era->count;
	layer->before = era->layer ? era->layer->before + era->count : 0;
	layer->next = s->layers;
	s->layers = layer;
	return layer;
}

/* Who else sees the layer sees no more of it than before. */
static int add_to_era(struct rvtrace_spaces *s, struct rvtrace_space_era *era,
		      const struct rvtrace_space_map *map)
{
	struct rvtrace_space_layer *layer = era->layer;
	void *maps;

	if (!layer || era->count != layer->count) {
		layer = add_layer(s, era);
		if (!layer)
			return -ENOMEM;
		era->layer = layer;
		era->count = 0;
	}
	maps = grow(layer->maps, sizeof(*map), layer->count, &layer->room);
	if (!maps)
		return -ENOMEM;
	layer->maps = maps;
	layer->maps[layer->count++] = *map;
	era->count++;
	return 0;
}

static int add_map(struct rvtrace_spaces *s, struct node *n, const struct rvtrace_space_map *map)
{
	struct rvtrace_space *space = &n->space;
	struct rvtrace_space_era *era = space->era_count ? &space->eras[space->era_count - 1] :
							   NULL;

	if (!era || era->until != UINT64_MAX)
		era = add_era(space, space->era_count);
	return era ? add_to_era(s, era, map) : -ENOMEM;
}

/* Return: bytes of the build id, 0 if @hex is NULL or not one. */
static size_t parse_build_id(const char *hex, uint8_t id[RVTRACE_BUILD_ID_MAX])
{
	unsigned int byte;
	size_t size;
	int used;

	for (size = 0; hex && *hex && size < RVTRACE_BUILD_ID_MAX; hex += 2, size++) {
		used = 0;
		if (sscanf(hex, "%2x%n", &byte, &used) != 1 || used != 2)
			return 0;
		id[size] = byte;
	}
	return hex && !*hex ? size : 0;
}

static uint64_t hex_member(struct json_object *object, const char *name)
{
	struct json_object *member = NULL;
	const char *text;

	json_object_object_get_ex(object, name, &member);
	text = json_object_get_string(member);
	return text ? strtoull(text, NULL, 0) : 0;
}

static const char *text_member(struct json_object *object, const char *name)
{
	struct json_object *member = NULL;

	json_object_object_get_ex(object, name, &member);
	return json_object_get_string(member);
}

static int add_snapshot_map(struct rvtrace_spaces *s, struct rvtrace_space_era *era,
			    struct json_object *entry, uint64_t from)
{
	struct rvtrace_space_map map = {
		.start = hex_member(entry, "start"),
		.end = hex_member(entry, "end"),
		.offset = hex_member(entry, "offset"),
		.from = from,
		.path = path_of(text_member(entry, "path")),
	};

	map.kind = kind_of(map.path);
	map.build_id_size = parse_build_id(text_member(entry, "build_id"), map.build_id);
	map.device = hex_member(entry, "device");
	map.inode = hex_member(entry, "inode");
	return add_to_era(s, era, &map);
}

static int add_snapshot(struct rvtrace_spaces *s, struct rvtrace_space_era *era,
			struct json_object *maps, uint64_t from)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < json_object_array_length(maps) && !ret; i++)
		ret = add_snapshot_map(s, era, json_object_array_get_idx(maps, i), from);
	return ret;
}

/* Maps older than all that are known. */
static int add_first(struct node *n, const struct rvtrace_space_era *first)
{
	struct rvtrace_space_era *era = add_era(&n->space, 0);

	if (!era)
		return -ENOMEM;
	*era = *first;
	return 0;
}

/* Processes forked before anything was known of their parent have what it has. */
static int add_to_children(struct node *parent, const struct rvtrace_space_era *first)
{
	struct node *left = parent, *child;
	int ret = 0;

	parent->pending = NULL;
	while (left && !ret) {
		child = left->child;
		left = left->pending;
		for (; child && !ret; child = child->sibling) {
			if (child->origin || child->snapshot)
				continue;
			ret = add_first(child, first);
			child->origin = true;
			child->pending = left;
			left = child;
		}
	}
	return ret;
}

/*
 * What a process maps at @time replaces what was known of it. If nothing was, it has been so since
 * before anything was known.
 */
static int take_maps(struct rvtrace_spaces *s, struct node *n, struct json_object *maps,
		     uint64_t time)
{
	struct rvtrace_space_era era = { .until = UINT64_MAX }, *last;
	bool first = !n->origin && !n->snapshot;
	size_t i;
	int ret;

	for (i = 0; i < n->space.era_count; i++)
		if (n->space.eras[i].until == UINT64_MAX)
			n->space.eras[i].until = time;
	n->snapshot = true;
	ret = add_snapshot(s, &era, maps, first ? 0 : time);
	if (ret)
		return ret;
	if (first) {
		ret = add_first(n, &era);
		return ret ? ret : add_to_children(n, &era);
	}
	last = add_era(&n->space, n->space.era_count);
	if (!last)
		return -ENOMEM;
	*last = era;
	return 0;
}

static int take_snapshot(struct rvtrace_spaces *s, struct json_object *process, uint64_t time)
{
	const char *role = text_member(process, "role");
	struct json_object *pid, *maps, *end = NULL;
	struct node *n;

	json_object_object_get_ex(process, "pid", &pid);
	json_object_object_get_ex(process, "maps", &maps);
	json_object_object_get_ex(process, "time_end", &end);
	n = current_or_new(s, json_object_get_int(pid), time);
	if (!n)
		return -ENOMEM;
	set_comm(n, text_member(process, "comm"));
	if (role && !strcmp(role, "command"))
		n->space.role = RVTRACE_SPACE_COMMAND;
	else if (role && !strcmp(role, "recorder"))
		n->space.role = RVTRACE_SPACE_RECORDER;
	n->doubtful_until = json_object_get_int64(end);
	return take_maps(s, n, maps, time);
}

static int inherit(struct rvtrace_space *child, const struct rvtrace_space *parent)
{
	struct rvtrace_space_era *era;
	size_t i;

	for (i = 0; i < parent->era_count; i++) {
		if (parent->eras[i].until != UINT64_MAX)
			continue;
		era = add_era(child, child->era_count);
		if (!era)
			return -ENOMEM;
		*era = parent->eras[i];
	}
	return 0;
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
	return inherit(&child->space, &parent->space);
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
		.path = path_of(e->name),
		.build_id_size = e->mmap.build_id_size,
		.device = e->mmap.device,
		.inode = e->mmap.inode,
		.kind = kind_of(path_of(e->name)),
	};

	if (!n)
		return -ENOMEM;
	memcpy(map.build_id, e->mmap.build_id, sizeof(map.build_id));
	return add_map(s, n, &map);
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
	c = grow(s->contexts, sizeof(*c), s->context_count, &s->context_room);
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

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What it has from the beginning on is no change, however much that is. */
static size_t count_own(const struct rvtrace_space *space)
{
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	size_t count = 0;

	rvtrace_space_walk(&walk, space);
	while ((map = rvtrace_space_walk_next(&walk)) && map->from > space->from)
		count++;
	return count;
}

static int list_changes(struct rvtrace_space *space)
{
	size_t i, kept = 0, own = count_own(space), count = 0;
	struct rvtrace_space_walk walk;
	uint64_t *changes;

	changes = malloc((own + space->era_count + 1) * sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	rvtrace_space_walk(&walk, space);
	while (count < own)
		changes[count++] = rvtrace_space_walk_next(&walk)->from;
	for (i = 0; i < space->era_count; i++)
		if (space->eras[i].until != UINT64_MAX)
			changes[count++] = space->eras[i].until;
	qsort(changes, count, sizeof(*changes), by_value);
	for (i = 0; i < count; i++)
		if (changes[i] > space->from && (!kept || changes[i] != changes[kept - 1]))
			changes[kept++] = changes[i];
	space->changes = changes;
	space->change_count = kept;
	return 0;
}

static void count_maps(struct rvtrace_space *space)
{
	const struct rvtrace_space_era *era;

	for (size_t i = 0; i < space->era_count; i++) {
		era = &space->eras[i];
		if (era->layer)
			space->map_count += era->layer->before + era->count;
	}
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
	for (i = 0; i < spaces->count && !ret; i++) {
		count_maps(&spaces->nodes[i]->space);
		ret = list_changes(&spaces->nodes[i]->space);
	}
	return ret;
}
