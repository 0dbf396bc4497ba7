/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as users write them. */
#ifndef SIZE_H
#define SIZE_H

#include <stdint.h>

/*
 * 64k, 4M, 1G, 2T: powers of 1024; a plain number is bytes. Returns 0, -EINVAL, or -ERANGE for what
 * 64 bits do not hold.
 */
int size_parse(const char *text, uint64_t *bytes);

#endif /* SIZE_H */
