// SPDX-License-Identifier: LGPL-2.1-or-later
/* What address spaces have mapped, and up to when. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

/* The kernel has no longer ones; it would be in every line of a listing. */
const char *spaces_path_of(const char *text)
{
	return text && strnlen(text, PATH_MAX) < PATH_MAX ? text : "";
}

uint8_t spaces_kind_of(const char *path)
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
	maps = spaces_grow(layer->maps, sizeof(*map), layer->count, &layer->room);
	if (!maps)
		return -ENOMEM;
	layer->maps = maps;
	layer->maps[layer->count++] = *map;
	era->count++;
	if (map->kind == RVTRACE_MAP_VDSO && !map->offset)
		era->vdso = map->start;
	return 0;
}

int spaces_add_map(struct rvtrace_spaces *s, struct node *n, const struct rvtrace_space_map *map)
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

const char *spaces_text_member(struct json_object *object, const char *name)
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
		.path = spaces_path_of(spaces_text_member(entry, "path")),
	};

	map.kind = spaces_kind_of(map.path);
	map.build_id_size = parse_build_id(spaces_text_member(entry, "build_id"), map.build_id);
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
int spaces_take_maps(struct rvtrace_spaces *s, struct node *n, struct json_object *maps,
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

int spaces_inherit(struct rvtrace_space *child, const struct rvtrace_space *parent)
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

int spaces_finish_maps(struct rvtrace_space *space)
{
	const struct rvtrace_space_era *era;

	for (size_t i = 0; i < space->era_count; i++) {
		era = &space->eras[i];
		if (era->layer)
			space->map_count += era->layer->before + era->count;
		if (era->vdso)
			space->vdso = era->vdso;
	}
	return list_changes(space);
}
