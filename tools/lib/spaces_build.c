// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces, put together from what happened, in order of time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

/* Room for one more; NULL without memory. */
static void *grow(void *list, size_t size, size_t count, size_t *room)
{
	size_t more = *room ? 2 * *room : 16;
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

int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record)
{
	struct happening *h = add(spaces, record->header.time);

	if (!h)
		return -ENOMEM;
	h->context = *record;
	return 0;
}

/* A space of @pid from @time on; the one it had before ends. */
static struct node *new_node(struct rvtrace_spaces *s, int32_t pid, uint64_t time)
{
	struct node **bucket = &s->buckets[(uint32_t)pid % PID_BUCKETS], *old, *n;
	void *nodes = grow(s->nodes, sizeof(*s->nodes), s->count, &s->room);

	if (!nodes)
		return NULL;
	s->nodes = nodes;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	old = spaces_newest(s, pid);
	if (old && old->space.until > time)
		old->space.until = time;
	n->space.pid = pid;
	n->space.from = time;
	n->space.until = UINT64_MAX;
	n->space.index = s->count;
	n->space.parent = s->count;
	n->older = *bucket;
	*bucket = n;
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

static int add_map(struct node *n, const struct rvtrace_space_map *map)
{
	void *maps = grow(n->space.maps, sizeof(*map), n->space.map_count, &n->map_room);

	if (!maps)
		return -ENOMEM;
	n->space.maps = maps;
	n->space.maps[n->space.map_count++] = *map;
	return 0;
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

static int add_snapshot_map(struct node *n, struct json_object *entry, uint64_t from)
{
	const char *path = text_member(entry, "path");
	struct rvtrace_space_map map = {
		.start = hex_member(entry, "start"),
		.end = hex_member(entry, "end"),
		.offset = hex_member(entry, "offset"),
		.from = from,
		.until = UINT64_MAX,
		.path = path ? path : "",
	};

	map.kind = kind_of(map.path);
	map.build_id_size = parse_build_id(text_member(entry, "build_id"), map.build_id);
	return add_map(n, &map);
}

static int add_snapshot(struct node *n, struct json_object *maps, uint64_t from)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < json_object_array_length(maps) && !ret; i++)
		ret = add_snapshot_map(n, json_object_array_get_idx(maps, i), from);
	return ret;
}

/* Processes forked before anything was known of their parent have what it has. */
static int add_to_children(struct rvtrace_spaces *s, const struct node *parent,
			   struct json_object *maps)
{
	struct node *n;
	size_t i;
	int ret = 0;

	for (i = parent->space.index + 1; i < s->count && !ret; i++) {
		n = s->nodes[i];
		if (n->space.parent != parent->space.index || n->origin || n->snapshot)
			continue;
		ret = add_snapshot(n, maps, 0);
		if (!ret)
			ret = add_to_children(s, n, maps);
		n->origin = true;
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
	bool first = !n->origin && !n->snapshot;
	size_t i;
	int ret;

	for (i = 0; i < n->space.map_count; i++)
		if (n->space.maps[i].until == UINT64_MAX)
			n->space.maps[i].until = time;
	n->doubtful = n->space.map_count;
	n->snapshot = true;
	ret = add_snapshot(n, maps, first ? 0 : time);
	return ret || !first ? ret : add_to_children(s, n, maps);
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

static int do_fork(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *parent = spaces_newest(s, e->fork.ppid), *child;
	size_t i;
	int ret = 0;

	if (e->pid == e->fork.ppid) {	/* a thread */
		if (parent && parent->threads)
			parent->threads++;
		return 0;
	}
	child = new_node(s, e->pid, e->time);
	if (!child)
		return -ENOMEM;
	child->threads = 1;
	if (!parent)
		return 0;
	child->origin = parent->origin || parent->snapshot;
	child->space.parent = parent->space.index;
	set_comm(child, parent->space.comm);
	if (parent->space.role == RVTRACE_SPACE_COMMAND)
		child->space.role = RVTRACE_SPACE_COMMAND;
	for (i = 0; i < parent->space.map_count && !ret; i++)
		if (parent->space.maps[i].until == UINT64_MAX)
			ret = add_map(child, &parent->space.maps[i]);
	return ret;
}

/* Maps that were read of a process that was about to become another program. */
static void drop_doubtful(struct node *n)
{
	size_t i;

	for (i = n->doubtful; i < n->space.map_count; i++)
		n->space.maps[i].until = n->space.maps[i].from;
}

static int do_exec(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *old = spaces_newest(s, e->pid), *n = new_node(s, e->pid, e->time);

	if (!n)
		return -ENOMEM;
	set_comm(n, e->name);
	n->origin = true;
	n->threads = 1;
	if (!old)
		return 0;
	if (old->doubtful_until > e->time)
		drop_doubtful(old);
	n->space.role = old->space.role;
	n->space.parent = old->space.index;
	return 0;
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
		.until = UINT64_MAX,
		.path = e->name,
		.build_id_size = e->mmap.build_id_size,
		.device = e->mmap.device,
		.inode = e->mmap.inode,
		.kind = kind_of(e->name),
	};

	if (!n)
		return -ENOMEM;
	memcpy(map.build_id, e->mmap.build_id, sizeof(map.build_id));
	return add_map(n, &map);
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

static int do_context(struct rvtrace_spaces *s, const struct rvtrace_record_address_space *record)
{
	struct node *n = current_or_new(s, record->pid, record->header.time);
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

/* Nearly sorted: only what was read of a process is older than what came before it. */
static void sort_maps(struct rvtrace_space *space)
{
	size_t i, k;

	for (i = 1; i < space->map_count; i++) {
		struct rvtrace_space_map map = space->maps[i];

		for (k = i; k && space->maps[k - 1].from > map.from; k--)
			space->maps[k] = space->maps[k - 1];
		space->maps[k] = map;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int list_changes(struct rvtrace_space *space)
{
	size_t i, kept = 0, count = 0;
	uint64_t *changes;

	changes = malloc((2 * space->map_count + 1) * sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	for (i = 0; i < space->map_count; i++) {
		changes[count++] = space->maps[i].from;
		if (space->maps[i].until != UINT64_MAX)
			changes[count++] = space->maps[i].until;
	}
	qsort(changes, count, sizeof(*changes), by_value);
	for (i = 0; i < count; i++)
		if (changes[i] > space->from && (!kept || changes[i] != changes[kept - 1]))
			changes[kept++] = changes[i];
	space->changes = changes;
	space->change_count = kept;
	return 0;
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
		else
			ret = do_context(spaces, &h->context);
	}
	if (spaces->context_count)
		qsort(spaces->contexts, spaces->context_count, sizeof(*spaces->contexts),
		      by_context);
	for (i = 0; i < spaces->count && !ret; i++) {
		sort_maps(&spaces->nodes[i]->space);
		ret = list_changes(&spaces->nodes[i]->space);
	}
	return ret;
}
