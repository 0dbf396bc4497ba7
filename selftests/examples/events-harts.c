// SPDX-License-Identifier: GPL-2.0
/*
 * What harts did at the same time, from their traces: threads on harts 0 and 1 hand a number to
 * each other, and mark when they have it. Their timestamps tell the order of what happened on both.
 *
 *	tracectl record -o harts.rvtrace -- example-harts 1000
 *	tracectl events --dictionary events.json harts.rvtrace
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <rvtrace/stm.h>

#define EVENT_TOKEN	0x102

static atomic_uint token;
static unsigned int last;

/* Even numbers are for hart 0, odd ones for hart 1. */
static void *run(void *data)
{
	unsigned int hart = (uintptr_t)data;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(hart, &cpus);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus)) {
		fprintf(stderr, "example-harts: there is no hart %u\n", hart);
		exit(1);
	}
	for (unsigned int number = hart; number < last; number += 2) {
		while (atomic_load(&token) != number)
			;
		RVTRACE_STM_COUNTER(EVENT_TOKEN, number);
		atomic_store(&token, number + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	last = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (!last) {
		fputs("usage: example-harts NUMBERS\n", stderr);
		return 2;
	}
	if (pthread_create(&other, NULL, run, (void *)1))
		return 1;
	run(NULL);
	pthread_join(other, NULL);
	return 0;
}
