// SPDX-License-Identifier: LGPL-2.1-or-later
/* Code that executed without an image: see rvtrace/missing.h. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/missing.h>

struct rvtrace_missing {
	void *tree;
	struct rvtrace_missing_range **ranges;
	size_t count, room;
	bool sorted;
};

struct rvtrace_missing *rvtrace_missing_new(void)
{
	return calloc(1, sizeof(struct rvtrace_missing));
}

void rvtrace_missing_free(struct rvtrace_missing *missing)
{
	if (!missing)
		return;
	tdestroy(missing->tree, free);
	free(missing->ranges);
	free(missing);
}

/* What has a mapping is told by it, the rest by process. */
static int by_identity(const void *a, const void *b)
{
	const struct rvtrace_missing_range *x = a, *y = b;
	int order = (x->kind > y->kind) - (x->kind < y->kind);

	if (!order)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	if (!order)
		order = strcmp(x->comm, y->comm);
	if (order || x->kind >= RVTRACE_MISSING_UNMAPPED)
		return order;
	order = strcmp(x->path, y->path);
	if (!order)
		order = strcmp(x->build_id, y->build_id);
	if (!order)
		order = (x->start > y->start) - (x->start < y->start);
	return order ? order : (x->end > y->end) - (x->end < y->end);
}

static int by_bytes(const void *a, const void *b)
{
	const struct rvtrace_missing_range *x = *(void *const *)a, *y = *(void *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return by_identity(x, y);
}

static uint8_t kind_of_map(const struct rvtrace_space_map *map)
{
	switch (map->kind) {
	case RVTRACE_MAP_DELETED:
		return RVTRACE_MISSING_DELETED;
	case RVTRACE_MAP_ANONYMOUS:
		return RVTRACE_MISSING_ANONYMOUS;
	default:
		return RVTRACE_MISSING_FILE;
	}
}

static void describe_map(struct rvtrace_missing_range *range, const struct rvtrace_space_map *map)
{
	size_t i;

	range->kind = kind_of_map(map);
	range->start = map->start;
	range->end = map->end;
	if (map->kind != RVTRACE_MAP_ANONYMOUS)
		range->path = map->path;
	for (i = 0; i < map->build_id_size; i++)
		sprintf(range->build_id + 2 * i, "%02x", map->build_id[i]);
}

static void describe(struct rvtrace_missing_range *range, const struct rvtrace_resolver *resolver,
		     const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = resolver ? rvtrace_resolver_space(resolver, item) : NULL;
	const struct rvtrace_space_map *map;

	*range = (struct rvtrace_missing_range) {
		.kind = RVTRACE_MISSING_UNKNOWN, .path = "", .pid = -1,
		.start = item->address, .end = item->address,
	};
	if (space) {
		range->pid = space->pid;
		snprintf(range->comm, sizeof(range->comm), "%s", space->comm);
	}
	if (!(item->flags & RVTRACE_FLOW_HAS_ADDRESS))
		return;
	if (item->flags & RVTRACE_FLOW_HAS_PRIV && item->priv) {
		range->kind = item->priv == 1 ? RVTRACE_MISSING_KERNEL : RVTRACE_MISSING_MACHINE;
		return;
	}
	range->kind = RVTRACE_MISSING_UNMAPPED;
	map = resolver ? rvtrace_resolver_map(resolver, item, item->address) : NULL;
	if (map)
		describe_map(range, map);
}

static struct rvtrace_missing_range *append(struct rvtrace_missing *m,
					    const struct rvtrace_missing_range *key)
{
	struct rvtrace_missing_range *range;

	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 64;
		void *ranges = realloc(m->ranges, room * sizeof(*m->ranges));

		if (!ranges)
			return NULL;
		m->ranges = ranges;
		m->room = room;
	}
	range = malloc(sizeof(*range));
	if (!range)
		return NULL;
	*range = *key;
	if (!tsearch(range, &m->tree, by_identity)) {
		free(range);
		return NULL;
	}
	m->ranges[m->count++] = range;
	m->sorted = false;
	return range;
}

int rvtrace_missing_add(struct rvtrace_missing *missing, const struct rvtrace_resolver *resolver,
			const struct rvtrace_flow_item *item)
{
	struct rvtrace_missing_range key, *range, **found;

	describe(&key, resolver, item);
	found = tfind(&key, &missing->tree, by_identity);
	range = found ? *found : append(missing, &key);
	if (!range)
		return -ENOMEM;
	if (key.start < range->start)
		range->start = key.start;
	if (key.end > range->end)
		range->end = key.end;
	range->bytes += 2 * item->no_image.halfwords;
	range->stretches++;
	return 0;
}

const struct rvtrace_missing_range *rvtrace_missing_get(struct rvtrace_missing *missing,
							size_t index)
{
	if (!missing->sorted && missing->count)
		qsort(missing->ranges, missing->count, sizeof(*missing->ranges), by_bytes);
	missing->sorted = true;
	return index < missing->count ? missing->ranges[index] : NULL;
}

const char *rvtrace_missing_kind_name(unsigned int kind)
{
	static const char *const names[] = {
		[RVTRACE_MISSING_FILE] = "file",
		[RVTRACE_MISSING_DELETED] = "deleted",
		[RVTRACE_MISSING_ANONYMOUS] = "anonymous",
		[RVTRACE_MISSING_UNMAPPED] = "unmapped",
		[RVTRACE_MISSING_KERNEL] = "kernel",
		[RVTRACE_MISSING_MACHINE] = "machine",
		[RVTRACE_MISSING_UNKNOWN] = "unknown",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}
