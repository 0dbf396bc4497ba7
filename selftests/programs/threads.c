// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that switch, fork, execute other programs, get other names, and end: what a
 * record of who ran has to keep apart.
 *
 *	rvtrace-threads THREADS SECONDS
 *
 * Of two threads and more, each of these happens some times, however slow the machine is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEAST	4	/* times that each happens */

static time_t until;
static unsigned int count;
static atomic_uint forks, execs, renames;

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void die(const char *what)
{
	fprintf(stderr, "rvtrace-threads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *begin_program(void *data)
{
	(void)data;
	execl("/bin/true", "true", NULL);
	_exit(1);
}

/* A child that ends at once, executes a program, or has a thread that does. */
static void beget(unsigned int kind)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	if (pid < 0)
		die("fork");
	if (!pid) {
		if (kind % 3 == 1)
			begin_program(NULL);
		if (kind % 3 == 2 && !pthread_create(&thread, NULL, begin_program, NULL))
			pthread_join(thread, NULL);
		_exit(0);
	}
	forks++;
	execs += kind % 3 != 0;
	if (waitpid(pid, &status, 0) != pid || status)
		die("a child");
}

static bool is_over(void)
{
	return seconds() >= until &&
	       (count < 2 || (forks >= LEAST && execs >= LEAST && renames >= LEAST));
}

static void *live(void *data)
{
	unsigned int number = (size_t)data, i;
	struct timespec pause = { .tv_nsec = 1000000 + 100000 * (number % 50) };
	char name[16];

	for (i = 0; !is_over(); i++) {
		nanosleep(&pause, NULL);
		if (number % 8 == 0)
			beget(i);
		if (number % 8 == 1) {
			snprintf(name, sizeof(name), "t %u %u", number, i);
			prctl(PR_SET_NAME, name);
			renames++;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *threads;
	unsigned int i;

	count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	threads = calloc(count, sizeof(*threads));
	if (!count || !threads) {
		fprintf(stderr, "usage: rvtrace-threads THREADS SECONDS\n");
		return 2;
	}
	until = seconds() + strtoul(argv[2], NULL, 10);
	for (i = 0; i < count; i++) {
		errno = pthread_create(&threads[i], NULL, live, (void *)(size_t)i);
		if (errno)
			die("pthread_create");
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%u threads, %u forks, %u programs, %u names\n", count, forks, execs, renames);
	return 0;
}
