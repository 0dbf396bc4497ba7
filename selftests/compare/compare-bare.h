/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions that lack an image, by page: where an image would help. */
#ifndef RVTRACE_COMPARE_BARE_H
#define RVTRACE_COMPARE_BARE_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/spaces.h>

#include "selftests/compare/compare-core.h"

struct compare_bare_page;

/**
 * struct compare_bare - how many there are in which page of which address space
 * @pages: unsorted
 * @count: of them
 * @last: the one counted last
 *
 * Zeroed: none. free() @pages.
 */
struct compare_bare {
	struct compare_bare_page *pages;
	size_t count, last;
};

/**
 * compare_bare_count() - count an instruction
 * @bare: all so far
 * @step: the instruction
 * @space: number of its address space in the flow
 */
void compare_bare_count(struct compare_bare *bare, const struct truth_step *step, uint64_t space);

/**
 * compare_bare_print() - print adjoining pages as one line each, to stderr
 * @bare: all; sorted
 * @spaces: of the recording
 */
void compare_bare_print(struct compare_bare *bare, const struct rvtrace_spaces *spaces);

#endif /* RVTRACE_COMPARE_BARE_H */
