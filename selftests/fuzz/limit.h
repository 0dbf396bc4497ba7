/* SPDX-License-Identifier: GPL-2.0 */
/* How long one input may take, and how much memory. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FUZZ_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FUZZ_SANITIZED
#endif

/*
 * SIGPROF after so many seconds of the processor, 0: none any more. Not of the clock, which goes on
 * where other programs run: decoders wait for nothing.
 */
static inline void limit_time(unsigned int seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* What a sanitizer reserves is not used. */
static inline void limit_memory(rlim_t bytes)
{
#ifdef FUZZ_SANITIZED
	(void)bytes;
#else
	const struct rlimit limit = { bytes, bytes };

	setrlimit(RLIMIT_AS, &limit);
#endif
}

#endif /* LIMIT_H */
