// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces: see rvtrace/spaces.h. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

struct rvtrace_spaces *rvtrace_spaces_new(void)
{
	struct rvtrace_spaces *spaces = calloc(1, sizeof(*spaces));

	if (spaces)
		spaces->told_until = UINT64_MAX;
	return spaces;
}

static void layers_free(struct rvtrace_space_layer *layer)
{
	struct rvtrace_space_layer *next;

	for (; layer; layer = next) {
		next = layer->next;
		free(layer->maps);
		free(layer);
	}
}

static void process_free(void *process)
{
	free(((struct process *)process)->nodes);
	free(process);
}

void rvtrace_spaces_free(struct rvtrace_spaces *spaces)
{
	size_t i;

	if (!spaces)
		return;
	tdestroy(spaces->processes, process_free);
	layers_free(spaces->layers);
	for (i = 0; i < spaces->count; i++) {
		free(spaces->nodes[i]->space.eras);
		free(spaces->nodes[i]->space.changes);
		free(spaces->nodes[i]);
	}
	for (i = 0; i < spaces->happening_count; i++)
		json_object_put(spaces->happenings[i].snapshot);
	free(spaces->nodes);
	free(spaces->contexts);
	free(spaces->happenings);
	rvtrace_switches_free(spaces->switches);
	rvtrace_sideband_free(&spaces->sideband);
	free(spaces->sideband_bytes);
	free(spaces);
}

void *spaces_grow(void *list, size_t size, size_t count, size_t *room)
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

int spaces_by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process *find_process(const struct rvtrace_spaces *spaces, int32_t pid)
{
	struct process *const *found = tfind(&(struct process) { .pid = pid },
					     (void *const *)&spaces->processes, spaces_by_pid);

	return found ? *found : NULL;
}

struct node *spaces_newest(const struct rvtrace_spaces *spaces, int32_t pid)
{
	const struct process *process = find_process(spaces, pid);

	return process ? process->nodes[process->count - 1] : NULL;
}

/* Number of names given up to @ns to values up to @context. */
static size_t count_names(const struct rvtrace_spaces *s, uint32_t context, uint64_t ns)
{
	size_t low = 0, high = s->context_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct context *c = &s->contexts[middle];

		if (c->context < context || (c->context == context && c->time <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct rvtrace_space *rvtrace_spaces_of_context(const struct rvtrace_spaces *spaces,
						      uint32_t context, uint64_t ns,
						      uint64_t *until)
{
	size_t next = count_names(spaces, context, ns), i = next ? next - 1 : 0;
	const struct context *c = spaces->contexts;

	/* Before it is first named it names nothing: the clocks disagree a little. */
	if (next < spaces->context_count && c[next].context == context &&
	    (!next || c[i].context != context))
		i = next++;
	if (i >= spaces->context_count || c[i].context != context)
		return NULL;
	if (until)
		*until = next < spaces->context_count && c[next].context == context ?
			 c[next].time : UINT64_MAX;
	return &c[i].node->space;
}

bool rvtrace_spaces_name_contexts(const struct rvtrace_spaces *spaces)
{
	return spaces->context_count;
}

const struct rvtrace_space *rvtrace_spaces_of_process(const struct rvtrace_spaces *spaces,
						      int32_t pid, uint64_t ns)
{
	const struct process *process = find_process(spaces, pid);
	size_t low = 0, high = process ? process->count : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (process->nodes[middle]->space.from <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &process->nodes[low - 1]->space : NULL;
}

const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index)
{
	return index < spaces->count ? &spaces->nodes[index]->space : NULL;
}

const struct rvtrace_space_map *rvtrace_space_map_at(const struct rvtrace_space *space,
						     uint64_t address, uint64_t ns)
{
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;

	rvtrace_space_walk_at(&walk, space, ns);
	while ((map = rvtrace_space_walk_next(&walk)))
		if (address - map->start < map->end - map->start)
			return map;
	return NULL;
}

void rvtrace_space_walk(struct rvtrace_space_walk *walk, const struct rvtrace_space *space)
{
	*walk = (struct rvtrace_space_walk) {
		.space = space, .all = true, .eras = space->era_count,
	};
}

void rvtrace_space_walk_at(struct rvtrace_space_walk *walk, const struct rvtrace_space *space,
			   uint64_t ns)
{
	*walk = (struct rvtrace_space_walk) {
		.space = space, .ns = ns, .eras = space->era_count,
	};
}

/* To the newest map that is left; false: there is none. */
static bool walk_on(struct rvtrace_space_walk *walk)
{
	while (!walk->left) {
		const struct rvtrace_space_era *era;

		if (walk->layer) {
			walk->left = walk->layer->seen;
			walk->layer = walk->layer->base;
			continue;
		}
		if (!walk->eras)
			return false;
		era = &walk->space->eras[--walk->eras];
		if (walk->all || era->until == UINT64_MAX || walk->ns < era->until) {
			walk->layer = era->layer;
			walk->left = era->count;
		}
	}
	return true;
}

const struct rvtrace_space_map *rvtrace_space_walk_next(struct rvtrace_space_walk *walk)
{
	const struct rvtrace_space_map *map;

	while (walk_on(walk)) {
		map = &walk->layer->maps[--walk->left];
		if (walk->all || map->from <= walk->ns)
			return map;
	}
	return NULL;
}

int spaces_each_map(const struct rvtrace_spaces *spaces,
		    int (*take)(void *data, const struct rvtrace_space_map *map), void *data)
{
	const struct rvtrace_space_layer *layer;
	int ret = 0;
	size_t i;

	for (layer = spaces->layers; layer; layer = layer->next)
		for (i = 0; i < layer->count && !ret; i++)
			ret = take(data, &layer->maps[i]);
	return ret;
}

const struct rvtrace_switches *rvtrace_spaces_switches(const struct rvtrace_spaces *spaces)
{
	return spaces->switches;
}

const struct rvtrace_sideband *rvtrace_spaces_sideband(const struct rvtrace_spaces *spaces)
{
	return &spaces->sideband;
}

uint64_t rvtrace_spaces_sideband_lost(const struct rvtrace_spaces *spaces)
{
	return spaces->lost;
}
