/* SPDX-License-Identifier: GPL-2.0 */
/* window.c: components of which not all registers are there */
#ifndef RVTRACE_WINDOW_H
#define RVTRACE_WINDOW_H

#include <linux/types.h>

struct rvtrace_component;

/*
 * What every component must have. Behind it are filters, blocks that may be in its page, and
 * what is the vendor's.
 */
#define RVTRACE_WINDOW_MIN	0x100

int rvtrace_window_limit(struct rvtrace_component *c, u64 size);
void rvtrace_window_free(struct rvtrace_component *c);

#endif /* RVTRACE_WINDOW_H */
