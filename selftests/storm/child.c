// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-storm-child work SEED: compute and exit with the result.
 * rvtrace-storm-child wait SEED: the same, once a byte was written to stdout
 *	and one read from stdin.
 * rvtrace-storm-child thread SEED: a second thread executes "work SEED".
 *
 * Linked dynamically, statically, and without build id.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "announce.h"
#include "work.h"

static char **arguments;

/* Nothing of this page has run before the file is gone. */
static __attribute__((noinline, aligned(4096))) int late_work(uint32_t seed)
{
	return work(seed + 1);
}

static int wait_and_work(uint32_t seed)
{
	char byte = 0;

	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		return 100;
	return late_work(seed);
}

static void *sleep_on(void *data)
{
	pause();
	return data;
}

static void *execute(void *data)
{
	arguments[1] = "work";
	execv("/proc/self/exe", arguments);
	return data;
}

static int execute_in_thread(void)
{
	pthread_t threads[3];
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, i < 2 ? sleep_on : execute,
				   NULL))
			return 100;
	pthread_join(threads[2], NULL);
	return 100;
}

int main(int argc, char **argv)
{
	uint32_t seed;

	if (argc != 3)
		return 101;
	arguments = argv;
	seed = strtoul(argv[2], NULL, 10);
	announce_pid();
	if (!strcmp(argv[1], "wait"))
		return wait_and_work(seed);
	if (!strcmp(argv[1], "thread"))
		return execute_in_thread();
	return work(seed);
}
