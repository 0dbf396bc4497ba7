// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-workload [--threads N] [--rounds N]: a mix of what programs do.
 *
 * Every thread sorts, hashes, recurses, calls through pointers, makes system
 * calls, takes signals and page faults, and hands tokens to the next thread
 * through pipes, which switches contexts. The result depends on the arguments
 * alone; it is printed so that a run can be checked.
 */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS	64
#define SORTED		600
#define PAGES		8

struct worker {
	pthread_t thread;
	unsigned int index;
	unsigned long rounds;
	int from, to;		/* token ring: read end, next one's write end */
	uint64_t random;
	uint64_t sum;
	int error;
};

static _Thread_local volatile sig_atomic_t signals_taken;

static void on_signal(int signal)
{
	(void)signal;
	signals_taken++;
}

static uint64_t next_random(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t do_sort(struct worker *w)
{
	uint64_t values[SORTED];
	size_t i;

	for (i = 0; i < SORTED; i++)
		values[i] = next_random(w);
	qsort(values, SORTED, sizeof(values[0]), compare_u64);
	return values[0] ^ values[SORTED / 2] ^ values[SORTED - 1];
}

static uint64_t do_hash(struct worker *w)
{
	uint64_t hash = 0xcbf29ce484222325ULL, data = next_random(w);
	int i;

	for (i = 0; i < 4000; i++) {
		hash = (hash ^ (data & 0xff)) * 0x100000001b3ULL;
		data = data >> 8 | data << 56;
	}
	return hash;
}

static uint64_t ackermann(uint64_t m, uint64_t n)
{
	if (!m)
		return n + 1;
	if (!n)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

static uint64_t do_recursion(struct worker *w)
{
	return ackermann(2, 20 + next_random(w) % 8);
}

static uint64_t do_syscalls(struct worker *w)
{
	uint64_t ok = 0;
	int i;

	for (i = 0; i < 20; i++)
		ok += syscall(SYS_getppid) > 0;
	return ok + w->index;
}

static uint64_t do_signal(struct worker *w)
{
	int before = signals_taken;

	w->error |= pthread_kill(pthread_self(), SIGUSR1);
	return signals_taken - before;
}

static uint64_t do_faults(struct worker *w)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	uint64_t sum = 0;
	unsigned char *p;

	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		w->error = 1;
		return 0;
	}
	for (i = 0; i < PAGES; i++)
		p[i * page] = i + w->index;
	for (i = 0; i < PAGES; i++)
		sum += p[i * page];
	munmap(p, PAGES * page);
	return sum;
}

/* Takes the token from the thread before and hands it to the next one. */
static uint64_t do_token(struct worker *w)
{
	uint64_t token;

	if (read(w->from, &token, sizeof(token)) != sizeof(token)) {
		w->error = 1;
		return 0;
	}
	token++;
	if (write(w->to, &token, sizeof(token)) != sizeof(token))
		w->error = 1;
	return 1;
}

static uint64_t (*const jobs[])(struct worker *) = {
	do_sort, do_hash, do_recursion, do_syscalls, do_signal, do_faults,
};

static void *run(void *arg)
{
	struct worker *w = arg;
	unsigned long round;
	size_t i;

	for (round = 0; round < w->rounds; round++) {
		for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
			w->sum = w->sum * 31 + jobs[(i + next_random(w)) % 6](w);
		w->sum += do_token(w);
	}
	return NULL;
}

static int connect_ring(struct worker *workers, unsigned int threads)
{
	uint64_t token = 0;
	unsigned int i;
	int fds[2];

	for (i = 0; i < threads; i++) {
		if (pipe(fds) < 0)
			return -1;
		workers[i].from = fds[0];
		workers[(i + threads - 1) % threads].to = fds[1];
	}
	/* Two tokens, so that two harts have work at a time. */
	for (i = 0; i < 2; i++)
		if (write(workers[(threads - 1 + i * threads / 2) % threads].to,
			  &token, sizeof(token)) != sizeof(token))
			return -1;
	return 0;
}

static int run_all(unsigned int threads, unsigned long rounds)
{
	static struct worker workers[MAX_THREADS];
	uint64_t sum = 0;
	unsigned int i;

	if (connect_ring(workers, threads) < 0) {
		perror("rvtrace-workload: pipe");
		return 1;
	}
	for (i = 0; i < threads; i++) {
		workers[i].index = i;
		workers[i].rounds = rounds;
		workers[i].random = 0x9e3779b97f4a7c15ULL * (i + 1);
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i])) {
			fprintf(stderr, "rvtrace-workload: cannot start thread %u\n", i);
			exit(1);
		}
	}
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].error) {
			fprintf(stderr, "rvtrace-workload: thread %u failed\n", i);
			return 1;
		}
		sum ^= workers[i].sum + i;
	}
	printf("%u threads, %lu rounds, checksum %016llx\n", threads, rounds,
	       (unsigned long long)sum);
	return 0;
}

static unsigned long number(const char *text, unsigned long max, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value || value > max) {
		fprintf(stderr, "rvtrace-workload: --%s %s: not a number from 1 to %lu\n",
			what, text, max);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "rounds", required_argument, NULL, 'r' },
		{ }
	};
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned long threads = 4, rounds = 20;
	int c;

	while ((c = getopt_long(argc, argv, "t:r:", options, NULL)) != -1) {
		if (c == 't') {
			threads = number(optarg, MAX_THREADS, "threads");
		} else if (c == 'r') {
			rounds = number(optarg, 10000000, "rounds");
		} else {
			fprintf(stderr, "Usage: rvtrace-workload [--threads N] [--rounds N]\n");
			return 2;
		}
	}
	sigaction(SIGUSR1, &action, NULL);
	return run_all(threads, rounds);
}
