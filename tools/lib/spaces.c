// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces: what was mapped, over time, by whom. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/spaces.h>

#include "spaces_internal.h"

#define PID_BUCKETS	1024

/* A space under construction. */
struct node {
	struct rvtrace_space space;
	size_t map_room;
	/*
	 * A process gets one value per program. A second one before an exec is
	 * that of the program it is about to start: the new memory is in use
	 * before the kernel tells of the exec.
	 */
	uint32_t next_context;
	bool has_next_context;
	struct node *older;	/* in its bucket */
};

/* Something that happened at a time. */
struct happening {
	uint64_t time;
	size_t order;
	struct json_object *snapshot;			/* either a process of maps.json, */
	const struct rvtrace_sideband_event *event;	/* or an event, */
	struct rvtrace_record_address_space context;	/* or a record */
};

struct rvtrace_spaces {
	struct node *buckets[PID_BUCKETS];	/* newest space of a process first */
	struct node **nodes;
	size_t count, room;
	struct node **by_context;
	size_t context_count;
	struct happening *happenings;
	size_t happening_count, happening_room;
	struct json_object *maps;
	uint64_t lost;
	/* of rvtrace_spaces_load() */
	struct rvtrace_sideband sideband;
	void *sideband_bytes;
};

struct rvtrace_spaces *rvtrace_spaces_new(void)
{
	return calloc(1, sizeof(struct rvtrace_spaces));
}

void rvtrace_spaces_free(struct rvtrace_spaces *spaces)
{
	size_t i;

	if (!spaces)
		return;
	for (i = 0; i < spaces->count; i++) {
		free(spaces->nodes[i]->space.maps);
		free(spaces->nodes[i]);
	}
	free(spaces->nodes);
	free(spaces->by_context);
	free(spaces->happenings);
	json_object_put(spaces->maps);
	rvtrace_sideband_free(&spaces->sideband);
	free(spaces->sideband_bytes);
	free(spaces);
}

void spaces_own_sideband(struct rvtrace_spaces *spaces, const struct rvtrace_sideband *sideband,
			 void *bytes)
{
	spaces->sideband = *sideband;
	spaces->sideband_bytes = bytes;
}

static struct happening *add(struct rvtrace_spaces *s, uint64_t time)
{
	struct happening *h;

	if (s->happening_count == s->happening_room) {
		size_t room = s->happening_room ? 2 * s->happening_room : 256;

		h = realloc(s->happenings, room * sizeof(*h));
		if (!h)
			return NULL;
		s->happenings = h;
		s->happening_room = room;
	}
	h = &s->happenings[s->happening_count];
	memset(h, 0, sizeof(*h));
	h->time = time;
	h->order = s->happening_count++;
	return h;
}

static int bad_maps(struct rvtrace_recording_error *error, size_t index)
{
	return rvtrace_fail(error, EBADMSG, 0,
			    "images/maps.json: process %zu: not an object with pid, comm and maps",
			    index);
}

int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *maps,
			    struct rvtrace_recording_error *error)
{
	struct json_object *process, *member;
	struct happening *h;
	size_t i;

	if (!json_object_is_type(maps, json_type_array))
		return bad_maps(error, 0);
	for (i = 0; i < json_object_array_length(maps); i++) {
		process = json_object_array_get_idx(maps, i);
		if (!json_object_is_type(process, json_type_object) ||
		    !json_object_object_get_ex(process, "pid", &member) ||
		    !json_object_object_get_ex(process, "maps", &member) ||
		    !json_object_is_type(member, json_type_array))
			return bad_maps(error, i);
		json_object_object_get_ex(process, "time", &member);
		h = add(spaces, json_object_get_int64(member));
		if (!h)
			return -ENOMEM;
		h->snapshot = process;
	}
	json_object_put(spaces->maps);
	spaces->maps = json_object_get(maps);
	return 0;
}

int rvtrace_spaces_add_sideband(struct rvtrace_spaces *spaces,
				const struct rvtrace_sideband *sideband)
{
	struct happening *h;
	size_t i;

	for (i = 0; i < sideband->count; i++) {
		h = add(spaces, sideband->events[i].time);
		if (!h)
			return -ENOMEM;
		h->event = &sideband->events[i];
	}
	spaces->lost += sideband->lost;
	return 0;
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

static struct node **bucket(struct rvtrace_spaces *s, int32_t pid)
{
	return &s->buckets[(uint32_t)pid % PID_BUCKETS];
}

static struct node *current_node(struct rvtrace_spaces *s, int32_t pid)
{
	struct node *n = *bucket(s, pid);

	while (n && n->space.pid != pid)
		n = n->older;
	return n;
}

static struct node *new_node(struct rvtrace_spaces *s, int32_t pid)
{
	struct node *n;

	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		void *nodes = realloc(s->nodes, room * sizeof(*s->nodes));

		if (!nodes)
			return NULL;
		s->nodes = nodes;
		s->room = room;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->space.pid = pid;
	n->older = *bucket(s, pid);
	*bucket(s, pid) = n;
	s->nodes[s->count++] = n;
	return n;
}

static struct node *current_or_new(struct rvtrace_spaces *s, int32_t pid)
{
	struct node *n = current_node(s, pid);

	return n ? n : new_node(s, pid);
}

static void set_comm(struct node *n, const char *comm)
{
	snprintf(n->space.comm, sizeof(n->space.comm), "%s", comm ? comm : "");
}

static int add_map(struct node *n, const struct rvtrace_space_map *map)
{
	if (n->space.map_count == n->map_room) {
		size_t room = n->map_room ? 2 * n->map_room : 8;
		void *maps = realloc(n->space.maps, room * sizeof(*map));

		if (!maps)
			return -ENOMEM;
		n->space.maps = maps;
		n->map_room = room;
	}
	n->space.maps[n->space.map_count++] = *map;
	return 0;
}

size_t spaces_parse_build_id(const char *hex, uint8_t id[RVTRACE_BUILD_ID_MAX])
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

static int take_snapshot(struct rvtrace_spaces *s, struct json_object *process)
{
	struct json_object *member, *maps, *entry;
	const char *role = text_member(process, "role"), *path;
	struct rvtrace_space_map map;
	struct node *n;
	size_t i;
	int ret;

	json_object_object_get_ex(process, "pid", &member);
	n = current_or_new(s, json_object_get_int(member));
	if (!n)
		return -ENOMEM;
	set_comm(n, text_member(process, "comm"));
	if (role && !strcmp(role, "command"))
		n->space.role = RVTRACE_SPACE_COMMAND;
	else if (role && !strcmp(role, "recorder"))
		n->space.role = RVTRACE_SPACE_RECORDER;
	json_object_object_get_ex(process, "maps", &maps);
	for (i = 0; i < json_object_array_length(maps); i++) {
		entry = json_object_array_get_idx(maps, i);
		path = text_member(entry, "path");
		map = (struct rvtrace_space_map) {
			.start = hex_member(entry, "start"),
			.end = hex_member(entry, "end"),
			.offset = hex_member(entry, "offset"),
			.path = path ? path : "",
		};
		map.build_id_size = spaces_parse_build_id(text_member(entry, "build_id"),
							  map.build_id);
		ret = add_map(n, &map);
		if (ret)
			return ret;
	}
	return 0;
}

static int do_fork(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *parent, *child;
	size_t i;
	int ret;

	if (e->pid == e->fork.ppid)	/* a thread */
		return 0;
	parent = current_node(s, e->fork.ppid);
	child = new_node(s, e->pid);
	if (!child)
		return -ENOMEM;
	if (!parent)
		return 0;
	set_comm(child, parent->space.comm);
	if (parent->space.role == RVTRACE_SPACE_COMMAND)
		child->space.role = RVTRACE_SPACE_COMMAND;
	for (i = 0; i < parent->space.map_count; i++) {
		ret = add_map(child, &parent->space.maps[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int do_exec(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct node *old = current_node(s, e->pid), *n = new_node(s, e->pid);

	if (!n)
		return -ENOMEM;
	set_comm(n, e->name);
	if (!old)
		return 0;
	n->space.role = old->space.role;
	if (old->has_next_context) {
		n->space.context = old->next_context;
		n->space.has_context = true;
		old->has_next_context = false;
	}
	return 0;
}

static int do_event(struct rvtrace_spaces *s, const struct rvtrace_sideband_event *e)
{
	struct rvtrace_space_map map;
	struct node *n;

	switch (e->type) {
	case RVTRACE_SIDEBAND_FORK:
		return do_fork(s, e);
	case RVTRACE_SIDEBAND_EXEC:
		return do_exec(s, e);
	case RVTRACE_SIDEBAND_COMM:
		n = current_or_new(s, e->pid);
		if (n && e->pid == e->tid)
			set_comm(n, e->name);
		return n ? 0 : -ENOMEM;
	case RVTRACE_SIDEBAND_MMAP:
		n = current_or_new(s, e->pid);
		if (!n)
			return -ENOMEM;
		map = (struct rvtrace_space_map) {
			.start = e->mmap.address,
			.end = e->mmap.address + e->mmap.size,
			.offset = e->mmap.offset,
			.path = e->name,
			.build_id_size = e->mmap.build_id_size,
		};
		memcpy(map.build_id, e->mmap.build_id, sizeof(map.build_id));
		return add_map(n, &map);
	default:
		return 0;
	}
}

static int do_context(struct rvtrace_spaces *s, const struct rvtrace_record_address_space *record)
{
	struct node *n = current_or_new(s, record->pid);

	if (!n)
		return -ENOMEM;
	if (!n->space.comm[0])
		snprintf(n->space.comm, sizeof(n->space.comm), "%.15s", record->comm);
	if (!n->space.has_context) {
		n->space.context = record->context;
		n->space.has_context = true;
	} else if (n->space.context != record->context) {
		n->next_context = record->context;
		n->has_next_context = true;
	}
	return 0;
}

/* A second value that no exec followed names the same program again. */
static int keep_second_contexts(struct rvtrace_spaces *s)
{
	size_t i, count = s->count;
	struct node *n, *again;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		n = s->nodes[i];
		if (!n->has_next_context)
			continue;
		again = new_node(s, n->space.pid);
		if (!again)
			return -ENOMEM;
		set_comm(again, n->space.comm);
		again->space.role = n->space.role;
		again->space.context = n->next_context;
		again->space.has_context = true;
		for (size_t k = 0; k < n->space.map_count && !ret; k++)
			ret = add_map(again, &n->space.maps[k]);
	}
	return ret;
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
	const struct node *x = *(void *const *)a, *y = *(void *const *)b;

	return x->space.context < y->space.context ? -1 : x->space.context > y->space.context;
}

static int index_contexts(struct rvtrace_spaces *s)
{
	size_t i;

	s->by_context = malloc((s->count + 1) * sizeof(*s->by_context));
	if (!s->by_context)
		return -ENOMEM;
	for (i = 0; i < s->count; i++)
		if (s->nodes[i]->space.has_context)
			s->by_context[s->context_count++] = s->nodes[i];
	qsort(s->by_context, s->context_count, sizeof(*s->by_context), by_context);
	return 0;
}

int rvtrace_spaces_resolve(struct rvtrace_spaces *spaces)
{
	const struct happening *h;
	size_t i;
	int ret = 0;

	qsort(spaces->happenings, spaces->happening_count, sizeof(*spaces->happenings), by_time);
	for (i = 0; i < spaces->happening_count && !ret; i++) {
		h = &spaces->happenings[i];
		if (h->snapshot)
			ret = take_snapshot(spaces, h->snapshot);
		else if (h->event)
			ret = do_event(spaces, h->event);
		else
			ret = do_context(spaces, &h->context);
	}
	if (!ret)
		ret = keep_second_contexts(spaces);
	return ret ? ret : index_contexts(spaces);
}

const struct rvtrace_space *rvtrace_spaces_find(const struct rvtrace_spaces *spaces,
						uint32_t context)
{
	struct node wanted = { .space.context = context }, *key = &wanted, **found;

	found = bsearch(&key, spaces->by_context, spaces->context_count,
			sizeof(*spaces->by_context), by_context);
	return found ? &(*found)->space : NULL;
}

const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index)
{
	return index < spaces->count ? &spaces->nodes[index]->space : NULL;
}

uint64_t rvtrace_spaces_sideband_lost(const struct rvtrace_spaces *spaces)
{
	return spaces->lost;
}
