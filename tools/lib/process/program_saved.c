// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that no file holds, saved while it was there: deleted files, memfd, code of JIT compilers.
 * What a JIT compiler has written over is not told from what came later, and what was seen once
 * may have been: neither has an image.
 */
#include <errno.h>
#include <search.h>
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

static bool nearer(const struct rvtrace_space_map *a, const struct rvtrace_space_map *b,
		   uint64_t time)
{
	return !b || apart(a->from, time) < apart(b->from, time);
}

/* @best, or the mapping of @owner that was made nearer to the time of @file. */
static const struct rvtrace_space_map *nearest(const struct rvtrace_space *owner,
					       const struct rvtrace_program_file *file,
					       const struct rvtrace_space_map *best)
{
	const struct rvtrace_space_map *map, *own = NULL;
	struct rvtrace_space_walk walk;

	if (!owner)
		return best;
	rvtrace_space_walk(&walk, owner);
	while ((map = rvtrace_space_walk_next(&walk)))
		if (file->start - map->start < map->end - map->start &&
		    map->from < file->from + EVENT_NS &&
		    (!own || !nearer(own, map, file->from)))
			own = map;
	return own && nearer(own, best, file->from) ? own : best;
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

static bool all_zero(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

static int add_doubt(struct rvtrace_program_file *file, uint64_t start, uint64_t end)
{
	struct rvtrace_program_range *last = file->doubt_count ?
		&file->doubts[file->doubt_count - 1] : NULL, *doubts;

	if (last && last->end == start) {
		last->end = end;
		return 0;
	}
	doubts = realloc(file->doubts, (file->doubt_count + 1) * sizeof(*doubts));
	if (!doubts)
		return -ENOMEM;
	file->doubts = doubts;
	doubts[file->doubt_count++] = (struct rvtrace_program_range) { start, end };
	return 0;
}

/**
 * struct seen_page - what was saved of a page, piece after piece
 * @origin: the mapping that it is of
 * @pid: and the process
 * @number: of the page
 * @last: the newest piece that has it
 * @from: address of the first byte of the page in @last
 * @end: behind the last one
 * @rewritten: what an older piece had of it was written over
 */
struct seen_page {
	const struct rvtrace_space_map *origin;
	int pid;
	uint64_t number;
	const struct rvtrace_program_file *last;
	uint64_t from, end;
	bool rewritten;
};

static int compare_pages(const void *a, const void *b)
{
	const struct seen_page *x = a, *y = b;

	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The page as older pieces have it, added when there is none; NULL without memory. */
static struct seen_page *see_page(void **pages, const struct rvtrace_program_file *file,
				  uint64_t at)
{
	struct seen_page *page = calloc(1, sizeof(*page)), **found;

	if (!page)
		return NULL;
	page->origin = file->origin;
	page->pid = file->pid;
	page->number = at / PAGE;
	found = tsearch(page, pages, compare_pages);
	if (!found || *found != page)
		free(page);
	return found ? *found : NULL;
}

/*
 * Whether @page, in @file from @at to @end, may have been another when it ran. That of a file was
 * not, unless it was seen to be; memory has to be seen twice. A page that was not written over
 * has all that older pieces have of it: the newest one stands for them.
 */
static bool in_doubt(struct seen_page *page, const struct rvtrace_program_file *file, uint64_t at,
		     uint64_t end)
{
	const uint8_t *new = rvtrace_code_bytes(file->code, NULL) + (at - file->start), *old;
	bool doubt = file->origin->kind == RVTRACE_MAP_ANONYMOUS;

	if (page->last && page->from <= at && page->end >= end) {
		old = rvtrace_code_bytes(page->last->code, NULL) + (at - page->last->start);
		if (rewritten(old, new, end - at))
			page->rewritten = true;
		/* Nothing was there yet. */
		if (!all_zero(old, end - at))
			doubt = false;
	}
	page->last = file;
	page->from = at;
	page->end = end;
	return doubt || page->rewritten;
}

static int find_doubts(void **pages, struct rvtrace_program_file *file)
{
	uint64_t at = file->start, left = file->size, size;
	struct seen_page *page;
	int ret = 0;

	for (; left && !ret; at += size, left -= size) {
		size = PAGE - at % PAGE;
		if (size > left)
			size = left;
		page = see_page(pages, file, at);
		if (!page)
			return -ENOMEM;
		if (in_doubt(page, file, at, at + size))
			ret = add_doubt(file, at, at + size);
	}
	return ret;
}

int program_compare_saved(struct rvtrace_program *program, const struct rvtrace_spaces *spaces)
{
	void *pages = NULL;
	size_t i;
	int ret = 0;

	for (i = 0; i < program->file_count && !ret; i++) {
		struct rvtrace_program_file *file = program->files[i];

		if (!file->saved)
			continue;
		file->origin = origin_of(spaces, file);
		if (!file->origin)
			continue;
		if (program_load_code(file, NULL) || file->size > UINT64_MAX - file->start)
			file->origin = NULL;
		else
			ret = find_doubts(&pages, file);
	}
	tdestroy(pages, free);
	return ret;
}

/* Nothing is known of these addresses, as far as they are between @start and @last. */
static int unmap_part(struct rvtrace_program *program, uint64_t id, uint64_t from, uint64_t end,
		      uint64_t start, uint64_t last)
{
	if (from < start)
		from = start;
	if (end - 1 > last)
		end = last + 1;
	return from < end && rvtrace_image_unmap(program->image, id, from, end - from) ?
	       -ENOMEM : 0;
}

/* The part of a saved piece that lies in @map, at the address it has there. */
static int map_piece(struct rvtrace_program *program, struct rvtrace_program_file *file,
		     const struct rvtrace_space_map *map, uint64_t id, uint64_t first,
		     uint64_t last)
{
	struct rvtrace_mapping mapping = { .space = id, .privs = RVTRACE_PRIV_U };
	/* from an address of the process that it was taken from to one in @map */
	uint64_t shift = map->start - file->origin->start + file->origin->offset - map->offset;
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
	ret = program_map_part(program, &mapping, first, last);
	for (i = 0; i < file->doubt_count && !ret; i++)
		ret = unmap_part(program, id, file->doubts[i].start + shift,
				 file->doubts[i].end + shift, first, last);
	return ret;
}

int program_map_saved(struct rvtrace_program *program, const struct rvtrace_space_map *map,
		      uint64_t id, uint64_t start, uint64_t last)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < program->file_count && !ret; i++) {
		struct rvtrace_program_file *file = program->files[i];

		if (file->origin && same_memory(file->origin, map))
			ret = map_piece(program, file, map, id, start, last);
	}
	return ret;
}
