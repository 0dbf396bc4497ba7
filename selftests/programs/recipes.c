// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-recipes: what docs/cookbook.md asks about.
 *
 * A process with the number 1000 touches pages and writes. Its threads 1001 and 1002 take a lock:
 * in each round 1001 holds it on hart 1 while 1002 waits for it on hart 0. The counts below are all
 * that they do of it, so that answers can be checked.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBER		1000	/* of the process */
#define TRIES		50	/* at a number that another one may take */
#define TAKEN		99	/* exit status */
#define WRITES		40
#define PAGES		64
#define ROUNDS		20
#define HELD		60000	/* steps */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, done;
static volatile uint64_t sum;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* The next process or thread gets this number, unless another one comes first. */
static void set_next_number(int number)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!file || fprintf(file, "%d", number - 1) < 0 || fclose(file))
		fail("/proc/sys/kernel/ns_last_pid");
}

static void stay_on(int hart)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(hart, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static __attribute__((noinline)) void write_lines(FILE *file)
{
	static char text[4096];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i < WRITES; i++)
		if (write(fileno(file), text, sizeof(text)) != sizeof(text))
			fail("write");
}

static __attribute__((noinline)) void touch_pages(volatile char *pages, size_t size)
{
	for (int i = 0; i < PAGES; i++)
		pages[i * size] = 1;
}

static __attribute__((noinline)) void hold_lock(void)
{
	pthread_mutex_lock(&lock);
	sem_post(&held);
	for (int i = 0; i < HELD; i++)
		sum += i;
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
}

static void hold(void)
{
	pthread_setname_np(pthread_self(), "holder");
	stay_on(1);
	for (int i = 0; i < ROUNDS; i++) {
		hold_lock();
		sem_wait(&done);
	}
}

static void take(void)
{
	pthread_setname_np(pthread_self(), "waiter");
	stay_on(0);
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&held);
		wait_for_lock();
		sem_post(&done);
	}
}

/* What a thread does, if it has the number that it should have */
struct turn {
	void (*work)(void);
	pid_t wanted, got;
	sem_t started;
	pthread_t thread;
};

static void *take_turn(void *arg)
{
	struct turn *turn = arg;
	const bool mine = gettid() == turn->wanted;

	turn->got = gettid();
	sem_post(&turn->started);
	if (mine)
		turn->work();
	return NULL;
}

static void start(struct turn *turn)
{
	sem_init(&turn->started, 0, 0);
	for (int i = 0; i < TRIES; i++) {
		set_next_number(turn->wanted);
		if (pthread_create(&turn->thread, NULL, take_turn, turn))
			fail("pthread_create");
		sem_wait(&turn->started);
		if (turn->got == turn->wanted)
			return;
		pthread_join(turn->thread, NULL);
	}
	errno = EEXIST;
	fail("the number of a thread");
}

static void work(void)
{
	static struct turn turns[] = {
		{ .work = hold, .wanted = NUMBER + 1 }, { .work = take, .wanted = NUMBER + 2 },
	};
	const size_t size = sysconf(_SC_PAGESIZE);
	FILE *file = tmpfile();
	char *pages;

	pages = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!file || pages == MAP_FAILED)
		fail("rvtrace-recipes");
	touch_pages(pages, size);
	write_lines(file);
	sem_init(&held, 0, 0);
	sem_init(&done, 0, 0);
	for (int i = 0; i < 2; i++)
		start(&turns[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(turns[i].thread, NULL);
}

int main(void)
{
	int status;
	pid_t pid;

	for (int i = 0; i < TRIES; i++) {
		set_next_number(NUMBER);
		pid = fork();
		if (pid < 0)
			fail("fork");
		if (!pid) {
			if (getpid() != NUMBER)
				_exit(TAKEN);
			work();
			return EXIT_SUCCESS;
		}
		if (waitpid(pid, &status, 0) != pid)
			fail("waitpid");
		if (!WIFEXITED(status) || WEXITSTATUS(status) != TAKEN)
			return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	}
	errno = EEXIST;
	fail("the number of the process");
}
