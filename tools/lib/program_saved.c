// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that no file holds, saved while it was there: deleted files, memfd, code of JIT compilers.
 * What a JIT compiler has written over is not told from what came later, so it has no image.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program_internal.h"

#define PAGE	4096ULL

/*
 * Who saves a piece is told of the mapping by an event of its own, some time before or after the
 * one in the side band.
 */
#define EVENT_NS	10000000ULL

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* @best, or the mapping of @owner that was made nearer to the time of @file. */
static const struct rvtrace_space_map *nearest(const struct rvtrace_space *owner,
					       const struct rvtrace_program_file *file,
					       const struct rvtrace_space_map *best)
{
	size_t i;

	for (i = 0; owner && i < owner->map_count; i++) {
		const struct rvtrace_space_map *map = &owner->maps[i];

		if (file->start - map->start >= map->end - map->start ||
		    map->from >= file->from + EVENT_NS)
			continue;
		if (!best || apart(map->from, file->from) < apart(best->from, file->from))
			best = map;
	}
	return best;
}

/* The mapping that a saved piece was taken from, in the process that it was taken from. */
static const struct rvtrace_space_map *origin_of(const struct rvtrace_spaces *spaces,
						 const struct rvtrace_program_file *file)
{
	const struct rvtrace_space_map *map;

	map = nearest(rvtrace_spaces_of_process(spaces, file->pid, file->from), file, NULL);
	return nearest(rvtrace_spaces_of_process(spaces, file->pid, file->from + EVENT_NS), file,
		       map);
}

/* Whether two mappings show the same bytes: inherited by a fork, or of one file. */
static bool same_memory(const struct rvtrace_space_map *a, const struct rvtrace_space_map *b)
{
	if (a->start == b->start && a->from == b->from && !strcmp(a->path, b->path))
		return true;
	return a->kind == RVTRACE_MAP_DELETED && b->kind == a->kind && a->build_id_size &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* Whether something was written over what was there, rather than beside it. */
static bool rewritten(const uint8_t *before, const uint8_t *after, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (before[i] && before[i] != after[i])
			return true;
	return false;
}

static int add_changed(struct rvtrace_program_file *file, uint64_t start, uint64_t end)
{
	struct rvtrace_program_range *last = file->changed_count ?
		&file->changed[file->changed_count - 1] : NULL, *changed;

	if (last && last->end == start) {
		last->end = end;
		return 0;
	}
	changed = realloc(file->changed, (file->changed_count + 1) * sizeof(*changed));
	if (!changed)
		return -ENOMEM;
	file->changed = changed;
	changed[file->changed_count++] = (struct rvtrace_program_range) { start, end };
	return 0;
}

/* Page by page, what @after has other than @before. */
static int compare(struct rvtrace_program_file *before, struct rvtrace_program_file *after)
{
	uint64_t end = before->start + before->size, at, next;
	const uint8_t *old, *new;
	int ret = 0;

	if (program_load_code(before, NULL) || program_load_code(after, NULL))
		return 0;
	old = rvtrace_code_bytes(before->code, NULL);
	new = rvtrace_code_bytes(after->code, NULL);
	if (after->start + after->size < end)
		end = after->start + after->size;
	at = before->start > after->start ? before->start : after->start;
	for (; at < end && !ret; at = next) {
		next = (at | (PAGE - 1)) + 1;
		if (next > end)
			next = end;
		if (rewritten(old + (at - before->start), new + (at - after->start), next - at))
			ret = add_changed(after, at, next);
	}
	return ret;
}

int program_compare_saved(struct rvtrace_program *program, const struct rvtrace_spaces *spaces)
{
	const struct rvtrace_space_map *origin;
	size_t i, k;
	int ret = 0;

	for (i = 0; i < program->file_count; i++) {
		struct rvtrace_program_file *after = program->files[i];

		origin = after->saved ? origin_of(spaces, after) : NULL;
		for (k = 0; origin && k < i && !ret; k++) {
			struct rvtrace_program_file *before = program->files[k];

			if (before->saved && before->pid == after->pid &&
			    origin_of(spaces, before) == origin)
				ret = compare(before, after);
		}
	}
	return ret;
}

/* The part of a saved piece that lies in @map, at the address it has there. */
static int map_piece(struct rvtrace_program *program, struct rvtrace_program_file *file,
		     const struct rvtrace_space_map *origin, const struct rvtrace_space_map *map,
		     uint64_t id)
{
	struct rvtrace_mapping mapping = { .space = id, .privs = RVTRACE_PRIV_U };
	/* from an address of the process that it was taken from to one in @map */
	uint64_t shift = map->start - origin->start + origin->offset - map->offset;
	uint64_t size = map->end - map->start, begin, end;
	size_t i;
	int ret;

	if (program_load_code(file, NULL))
		return 0;
	begin = file->start + shift - map->start;
	if (begin >= size && -begin >= file->size)
		return 0;
	end = begin + file->size;
	if (begin >= size) {
		mapping.offset = -begin;
		begin = 0;
	}
	mapping.code = file->code;
	mapping.address = map->start + begin;
	mapping.size = (end < size ? end : size) - begin;
	ret = program_map_piece(program, &mapping);
	for (i = 0; i < file->changed_count && !ret; i++)
		ret = rvtrace_image_unmap(program->image, id, file->changed[i].start + shift,
					  file->changed[i].end - file->changed[i].start) ?
		      -ENOMEM : 0;
	return ret;
}

int program_map_saved(struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
		      const struct rvtrace_space_map *map, uint64_t id)
{
	const struct rvtrace_space_map *origin;
	size_t i;
	int ret = 0;

	for (i = 0; i < program->file_count && !ret; i++) {
		if (!program->files[i]->saved)
			continue;
		origin = origin_of(spaces, program->files[i]);
		if (origin && same_memory(origin, map))
			ret = map_piece(program, program->files[i], origin, map, id);
	}
	return ret;
}
