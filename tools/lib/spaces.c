// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces: see rvtrace/spaces.h. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

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

struct node *spaces_newest(const struct rvtrace_spaces *spaces, int32_t pid)
{
	struct node *n = spaces->buckets[(uint32_t)pid % PID_BUCKETS];

	while (n && n->space.pid != pid)
		n = n->older;
	return n;
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
	const struct node *n = spaces_newest(spaces, pid);

	while (n && (n->space.pid != pid || n->space.from > ns))
		n = n->older;
	return n ? &n->space : NULL;
}

const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index)
{
	return index < spaces->count ? &spaces->nodes[index]->space : NULL;
}

const struct rvtrace_space_map *rvtrace_space_map_at(const struct rvtrace_space *space,
						     uint64_t address, uint64_t ns)
{
	size_t i;

	for (i = space->map_count; i-- > 0; ) {
		const struct rvtrace_space_map *map = &space->maps[i];

		if (address - map->start < map->end - map->start &&
		    rvtrace_space_map_holds(map, ns))
			return map;
	}
	return NULL;
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
