/* SPDX-License-Identifier: GPL-2.0 */
/* Moments as users are shown them and write them: seconds, of one clock in all verbs. */
#ifndef RVTRACE_TRACECTL_MOMENTS_H
#define RVTRACE_TRACECTL_MOMENTS_H

#include <stdint.h>

#include <rvtrace/recording.h>

#include "out.h"

#define MOMENT_WIDTH	16	/* of the column */

/*
 * CLOCK_MONOTONIC, ns, that moments count from: the first record, when the session began. Without
 * records, when the recording was made.
 */
uint64_t moments_start(struct rvtrace_recording *recording);

/* As 1.500000000, in a column. */
void print_moment(struct out *out, int64_t ns);

/* 1.5, 20ms, 300us, -1ns; a plain number is seconds. 0, -EINVAL or -ERANGE. */
int parse_moment(const char *text, int64_t *ns);

#endif /* RVTRACE_TRACECTL_MOMENTS_H */
