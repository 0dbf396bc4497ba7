// SPDX-License-Identifier: GPL-2.0
/* Address spaces in the comparison with the ground truth: see compare-spaces.h. */
#include "selftests/compare/compare-spaces.h"

const struct rvtrace_space *compare_space(const struct rvtrace_spaces *spaces, uint64_t number)
{
	return number ? rvtrace_spaces_get(spaces, number - 1) : NULL;
}

/* A process that starts a program keeps its number, and the new memory is its own. */
static bool is_forked(const struct rvtrace_spaces *spaces, const struct rvtrace_space *space)
{
	return rvtrace_spaces_get(spaces, space->parent)->pid != space->pid;
}

bool compare_may_share(const struct rvtrace_spaces *spaces, const struct rvtrace_space *a,
		       const struct rvtrace_space *b)
{
	if (a->parent == b->index || b->parent == a->index)
		return true;
	return a->parent == b->parent && is_forked(spaces, a) && is_forked(spaces, b);
}
