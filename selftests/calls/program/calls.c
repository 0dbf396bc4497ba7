// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-calls ROUNDS [JOB...]: calls functions in every way there is; prints what came out, which
 * depends on ROUNDS alone.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftests/calls/program/program.h"

#define THREADS	4

/* Tail calls of each other, through pointers, and of a library */
static unsigned long odd(unsigned long n, unsigned long sum);

static __attribute__((noinline)) unsigned long even(unsigned long n, unsigned long sum)
{
	return n ? odd(n - 1, sum * 3 + 1) : sum;
}

static __attribute__((noinline)) unsigned long odd(unsigned long n, unsigned long sum)
{
	return n ? even(n - 1, sum + n) : sum;
}

static unsigned long (*const volatile either[])(unsigned long, unsigned long) = { even, odd };

static __attribute__((noinline)) unsigned long through_pointer(unsigned long n)
{
	return either[n & 1](n, 7);
}

static __attribute__((noinline)) size_t into_library(const char *text)
{
	return strlen(text);
}

static __attribute__((noinline)) size_t copy_into(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
	return into_library(to);
}

unsigned long work_tail_calls(unsigned int rounds)
{
	unsigned long sum = 0;
	char text[32];
	unsigned int i;

	for (i = 0; i < 20 * rounds; i++) {
		snprintf(text, sizeof(text), "%u", i * 7919);
		sum += through_pointer(i % 16) + into_library(text);
		sum += copy_into(text, "tail", 5);
	}
	return sum;
}

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

unsigned long work_callbacks(unsigned int rounds)
{
	unsigned int values[64], i, j, key;
	unsigned long sum = 0;

	for (i = 0; i < rounds; i++) {
		for (j = 0; j < 64; j++)
			values[j] = (j * 2654435761u + i) >> 8;
		qsort(values, 64, sizeof(values[0]), compare);
		key = values[i % 64];
		sum += (unsigned int *)bsearch(&key, values, 64, sizeof(key), compare) - values;
	}
	return sum;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static __attribute__((noinline)) unsigned long ackermann(unsigned long m, unsigned long n)
{
	if (!m)
		return n + 1;
	if (!n)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

static __attribute__((noinline)) unsigned long fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

unsigned long work_recursion(unsigned int rounds)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < rounds; i++)
		sum += fibonacci(least(10 + i / 4, 20)) + ackermann(2, i % 8);
	return sum;
}

struct worker {
	pthread_t thread;
	unsigned int number;
	unsigned int rounds;
	int from, to;
	unsigned long sum;
};

/* A token goes round; whoever has it goes to another hart. */
static void *work(void *data)
{
	struct worker *w = data;
	unsigned int i, harts = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t one;
	char token;

	for (i = 0; i < w->rounds; i++) {
		if (read(w->from, &token, 1) != 1)
			break;
		if (i % 3 == 0) {
			CPU_ZERO(&one);
			CPU_SET((w->number + i) % harts, &one);
			sched_setaffinity(0, sizeof(one), &one);
		}
		w->sum += fibonacci(5 + token % 4);
		syscall(SYS_gettid);
		token++;
		if (write(w->to, &token, 1) != 1)
			break;
	}
	return NULL;
}

unsigned long work_threads(unsigned int rounds)
{
	struct worker workers[THREADS] = { };
	unsigned long sum = 0;
	char token = 0;
	int pipes[THREADS][2], i;

	for (i = 0; i < THREADS; i++)
		if (pipe(pipes[i]))
			return 0;
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker) {
			.number = i, .rounds = 3 * rounds, .from = pipes[i][0],
			.to = pipes[(i + 1) % THREADS][1],
		};
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	if (write(pipes[0][1], &token, 1) != 1)
		return 0;
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].sum;
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	return sum;
}

/* A child that executes functions of its parent, and one that executes another program */
unsigned long work_processes(unsigned int rounds)
{
	unsigned int i, count = 1 + rounds / 16;
	unsigned long sum = 0;
	int status;
	pid_t pid;

	for (i = 0; i < count; i++) {
		pid = fork();
		if (!pid && i & 1)
			execl("/bin/true", "true", (char *)NULL);
		if (!pid)
			_exit(fibonacci(8));
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static const struct {
	const char *name;
	unsigned long (*work)(unsigned int rounds);
} jobs[] = {
	{ "recursion", work_recursion }, { "tail-calls", work_tail_calls },
	{ "callbacks", work_callbacks }, { "longjmp", work_longjmp },
	{ "signals", work_signals }, { "exceptions", work_exceptions },
	{ "coroutines", work_coroutines }, { "threads", work_threads },
	{ "processes", work_processes },
};

static int wanted(const char *name, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(name, *names))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	size_t i;

	if (!rounds) {
		fputs("usage: rvtrace-calls ROUNDS [JOB...]\n", stderr);
		return 2;
	}
	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		if (wanted(jobs[i].name, argv + 2))
			printf("%s %lu\n", jobs[i].name, jobs[i].work(rounds));
	return 0;
}
