/* SPDX-License-Identifier: GPL-2.0 */
/* What the comparison with the ground truth asks about address spaces. */
#ifndef RVTRACE_COMPARE_SPACES_H
#define RVTRACE_COMPARE_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/spaces.h>

/**
 * compare_space() - the address space that has a number in the flow
 * @spaces: all of them
 * @number: its index and 1, 0: not known
 *
 * Return: the address space, or NULL.
 */
const struct rvtrace_space *compare_space(const struct rvtrace_spaces *spaces, uint64_t number);

/**
 * compare_may_share() - whether two address spaces may be the same memory
 * @spaces: all of them
 * @a: one
 * @b: another
 *
 * The side band does not tell vfork() from fork(). A child of vfork() is an
 * address space of its own there, but runs in its parent's memory until it
 * executes a program; and so does the next child of that parent, though the
 * parent itself may have run on another hart in between.
 *
 * Return: true: one is the child of the other or was started by it, or both
 * were forked from the same one.
 */
bool compare_may_share(const struct rvtrace_spaces *spaces, const struct rvtrace_space *a,
		       const struct rvtrace_space *b);

#endif
