/* SPDX-License-Identifier: GPL-2.0 */
/* How often something is tried: a kernel that watches itself is slow. */
#ifndef RVTRACE_TESTS_SCALE_H
#define RVTRACE_TESTS_SCALE_H

#ifdef __KERNEL__
#define TRIES(n)	((n) / 10)
#define STEP(n)		((n) * 10)
#else
#define TRIES(n)	(n)
#define STEP(n)		(n)
#endif

#endif /* RVTRACE_TESTS_SCALE_H */
