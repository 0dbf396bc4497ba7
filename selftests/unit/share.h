/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests that try very many things need not try all of them again where it takes many
 * times as long: RVTRACE_SHARE=N in the environment leaves all but one of N out.
 */
#ifndef RVTRACE_SHARE_H
#define RVTRACE_SHARE_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_left_out(void)
{
	static unsigned int count;
	const char *share = getenv("RVTRACE_SHARE");
	unsigned int n = share ? strtoul(share, NULL, 10) : 1;

	return n > 1 && count++ % n;
}

#endif /* RVTRACE_SHARE_H */
