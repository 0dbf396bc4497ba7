// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-switches TRIPS: two processes hand a token to each other through pipes. Prints the
 * nanoseconds of each handing over, which on one hart is a switch of tasks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "rvtrace-switches: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void take(int from)
{
	char token;

	if (read(from, &token, 1) != 1)
		die("read");
}

static void give(int to)
{
	if (write(to, "", 1) != 1)
		die("write");
}

int main(int argc, char **argv)
{
	unsigned long trips = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, i;
	int there[2], back[2], status;
	unsigned long long begin;
	pid_t child;

	if (!trips) {
		fprintf(stderr, "usage: rvtrace-switches TRIPS\n");
		return 2;
	}
	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	/* Who is left alone is told so. */
	close(child ? there[0] : there[1]);
	close(child ? back[1] : back[0]);
	if (!child) {
		for (i = 0; i < trips; i++) {
			take(there[0]);
			give(back[1]);
		}
		_exit(0);
	}
	begin = now();
	for (i = 0; i < trips; i++) {
		give(there[1]);
		take(back[0]);
	}
	printf("%.1f\n", (double)(now() - begin) / (2.0 * trips));
	if (waitpid(child, &status, 0) != child || status)
		die("the other process");
	return 0;
}
