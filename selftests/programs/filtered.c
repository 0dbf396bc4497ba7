// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-filtered [--wait] [ROUNDS]: a program of which a filter lets through a part.
 *
 * That part is a section of its own, at the same addresses in every run, which is
 * entered by calls alone. One thread for each CPU runs it, with the markers of the ground
 * truth in it, and calls out of it and is called back from there.
 *
 * --wait: begin when SIGUSR1 comes, and run for a moment now and then before.
 *
 * rvtrace-filtered --range: print START-END of the section.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS	64
#define SORTED		64

#define FILTERED	__attribute__((noinline, section("filtered")))

/* Of the linker */
extern const char __start_filtered[], __stop_filtered[];

struct worker {
	pthread_t thread;
	int cpu;
	unsigned long rounds;
	uint64_t sum;
	int error;
};

#ifdef __riscv
#define MARKER(imm)	asm volatile("slti x0, x0, " #imm ::: "memory")
#else
#define MARKER(imm)	asm volatile("" ::: "memory")
#endif

FILTERED static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

FILTERED static uint64_t recurse(uint64_t n)
{
	return n < 2 ? n : recurse(n - 1) + (recurse(n - 2) ^ n);
}

/* Signals, system calls and page faults come in between. */
FILTERED static uint64_t work(unsigned long rounds)
{
	uint64_t values[SORTED], random = 88172645463325252ULL, sum = 0;

	MARKER(0x7a5);
	while (rounds--) {
		for (unsigned int i = 0; i < SORTED; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			values[i] = random;
		}
		qsort(values, SORTED, sizeof(values[0]), compare_u64);
		sum += values[0] + recurse(9) + syscall(SYS_gettid) + syscall(SYS_sched_yield);
	}
	MARKER(0x7a6);
	return sum;
}

static void *run(void *data)
{
	struct worker *w = data;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(w->cpu, &one);
	w->error = sched_setaffinity(0, sizeof(one), &one);
	if (!w->error)
		w->sum = work(w->rounds);
	return NULL;
}

static void wait_for_signal(void)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	while (sigtimedwait(&signals, NULL, &moment) != SIGUSR1)
		;
}

static int run_all(unsigned long rounds)
{
	static struct worker workers[MAX_THREADS];
	int i, count = sysconf(_SC_NPROCESSORS_ONLN), error = 0;

	for (i = 0; i < count && i < MAX_THREADS; i++) {
		workers[i] = (struct worker) { .cpu = i, .rounds = rounds };
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			return 1;
	}
	for (i = 0; i < count && i < MAX_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		error |= workers[i].error;
	}
	return !!error;
}

int main(int argc, char **argv)
{
	int next = 1;

	if (argc > 1 && !strcmp(argv[1], "--range")) {
		printf("%p-%p\n", (const void *)__start_filtered, (const void *)__stop_filtered);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--wait")) {
		wait_for_signal();
		next++;
	}
	return run_all(argc > next ? strtoul(argv[next], NULL, 10) : 100);
}
