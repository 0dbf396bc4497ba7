/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures that programs and the library hand to each other, and that grow. Their first member is
 * `size`: what sizeof was when the caller was compiled. So either of the two may be the older one.
 *
 * New members go to the end, and 0 means what held without them. The last member ends where the
 * structure does. Padding there would become part of a new member, and callers leave it undefined.
 */
#ifndef SIZED_H
#define SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include <rvtrace/error.h>

/* Whether all @size bytes are 0. */
bool all_zero(const void *bytes, size_t size);

/**
 * sized_take() - copy a structure of the caller
 * @own: the library's. What the caller does not know is 0, its size is @own_size
 * @own_size: of @own
 * @theirs: the caller's
 * @first_end: in @own: where the first version ends, that is, after its last member
 *
 * Return: 0; RVTRACE_ERR_INVALID: smaller than the first version, or over 64 KiB; RVTRACE_ERR_TOO_NEW: the library
 * does not know all of it, and what it does not know is not 0.
 */
int sized_take(void *own, size_t own_size, const void *theirs, const void *first_end);

/**
 * sized_give() - fill a structure of the caller
 * @theirs: the caller's. It keeps its size, what the library does not know is 0
 * @own: the library's
 * @own_size: of @own
 * @first_end: in @own: where the first version ends, that is, after its last member
 *
 * Return: 0; RVTRACE_ERR_INVALID: smaller than the first version, nothing was filled;
 * RVTRACE_ERR_TOO_NEW: it was filled, but something that is not 0 had no room.
 */
int sized_give(void *theirs, const void *own, size_t own_size, const void *first_end);

#endif /* SIZED_H */
