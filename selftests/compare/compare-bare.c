// SPDX-License-Identifier: GPL-2.0
/* Instructions that lack an image, by page: see compare-bare.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftests/compare/compare-bare.h"
#include "selftests/compare/compare-spaces.h"

#define PAGE	4096

/* Instructions without an image in one page of one address space. */
struct compare_bare_page {
	uint64_t space;
	uint64_t page;
	uint64_t instructions;
	unsigned int priv;
};

void compare_bare_count(struct compare_bare *bare, const struct truth_step *step, uint64_t space)
{
	uint64_t page = step->pc / PAGE;
	struct compare_bare_page *pages;
	size_t i, n;

	if (step->priv)
		space = 0;
	for (n = 0, i = bare->last; n < bare->count; n++, i = (i + 1) % bare->count)
		if (bare->pages[i].page == page && bare->pages[i].space == space)
			break;
	if (n == bare->count) {
		pages = realloc(bare->pages, (n + 1) * sizeof(*pages));
		if (!pages)
			return;
		bare->pages = pages;
		pages[n] = (struct compare_bare_page) {
			.space = space, .page = page, .priv = step->priv,
		};
		bare->count++;
		i = n;
	}
	bare->pages[i].instructions++;
	bare->last = i;
}

static int by_space_and_page(const void *a, const void *b)
{
	const struct compare_bare_page *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

static const char *path_of(const struct rvtrace_space *space, uint64_t address)
{
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;

	if (!space)
		return "";
	rvtrace_space_walk(&walk, space);
	while ((map = rvtrace_space_walk_next(&walk)))
		if (address >= map->start && address < map->end)
			return map->path;
	return "";
}

void compare_bare_print(struct compare_bare *bare, const struct rvtrace_spaces *spaces)
{
	const struct compare_bare_page *page, *last;
	const struct rvtrace_space *space;
	size_t i, end;
	uint64_t sum;

	if (!bare->count)
		return;
	qsort(bare->pages, bare->count, sizeof(*bare->pages), by_space_and_page);
	for (i = 0; i < bare->count; i = end) {
		page = &bare->pages[i];
		last = page;
		space = compare_space(spaces, page->space);
		sum = page->instructions;
		for (end = i + 1; end < bare->count && bare->pages[end].space == page->space &&
		     bare->pages[end].page == last->page + 1; end++) {
			last = &bare->pages[end];
			sum += last->instructions;
		}
		fprintf(stderr, "without image: 0x%" PRIx64 "-0x%" PRIx64 " %c, %" PRIu64
			" instructions, process %d (%s) %s\n", page->page * PAGE,
			(last->page + 1) * PAGE, "US?M"[page->priv & 3], sum,
			space ? space->pid : -1, space ? space->comm : "",
			path_of(space, page->page * PAGE));
	}
}
