// SPDX-License-Identifier: GPL-2.0
/* Jobs: threads and signals. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"
#include "work.h"

#define THREADS		4
#define TICKS		3

static volatile sig_atomic_t taken;
static volatile char *volatile nowhere = (char *)8;
static sigjmp_buf out;

static void *compute(void *data)
{
	uint32_t *seed = data;

	*seed = work(*seed);
	return NULL;
}

/* A thread may fork, too. */
static void *fork_and_compute(void *data)
{
	uint32_t *seed = data;
	pid_t pid = fork();

	if (!pid)
		_exit(work(*seed));
	if (!storm_wait(pid, work(*seed)))
		*seed = 100;
	return compute(data);
}

static bool use_threads(const struct storm *storm, uint32_t random)
{
	uint32_t seeds[THREADS];
	pthread_t threads[THREADS];
	bool good = true;
	int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < THREADS; i++) {
			seeds[i] = random + i;
			good &= !pthread_create(&threads[i], NULL, i ? compute : fork_and_compute,
						&seeds[i]);
		}
		for (i = 0; i < THREADS && good; i++) {
			pthread_join(threads[i], NULL);
			good = (int)seeds[i] == work(random + i);
		}
		storm->totals->threads += THREADS;
		storm->totals->processes++;
	}
	return good;
}

static bool run_threads(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, use_threads, random);
}

/* Exits while its threads still run. */
static bool leave_threads(const struct storm *storm, uint32_t random)
{
	static uint32_t seed;
	pthread_t thread;
	int i;

	seed = random;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, compute, &seed) ||
		    pthread_detach(thread))
			return false;
	storm->totals->threads += THREADS;
	return true;
}

static bool run_left_threads(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, leave_threads, random);
}

static void on_signal(int number)
{
	(void)number;
	taken++;
}

static void on_fault(int number)
{
	siglongjmp(out, number);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static bool take_faults(void)
{
	static char stack[65536];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	volatile int faults = 0;

	if (sigaltstack(&other, NULL) < 0)
		return false;
	handle(SIGSEGV, on_fault, SA_ONSTACK);
	handle(SIGILL, on_fault, SA_ONSTACK);
	if (!sigsetjmp(out, 1))
		*nowhere = 1;
	faults++;
	if (sigsetjmp(out, 1) != SIGILL)
		asm volatile("unimp");
	return ++faults == 2;
}

static bool take_timers(void)
{
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { };
	struct itimerspec once = { .it_value.tv_nsec = 500000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	sigset_t blocked, old;
	timer_t timer;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &blocked, &old);
	taken = 0;
	handle(SIGALRM, on_signal, 0);
	handle(SIGUSR2, on_signal, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &once, NULL) ||
	    setitimer(ITIMER_REAL, &every, NULL))
		return false;
	while (taken < TICKS)
		sigsuspend(&old);
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	timer_delete(timer);
	return true;
}

/* A child that waits for ever, and is killed. */
static bool kill_child(const struct storm *storm, int number)
{
	pid_t pid = storm_fork(storm);
	int status;

	if (!pid)
		for (;;)
			pause();
	return pid > 0 && !kill(pid, number) && waitpid(pid, &status, 0) == pid &&
	       WIFSIGNALED(status) && WTERMSIG(status) == number;
}

static bool use_signals(const struct storm *storm, uint32_t random)
{
	int i;

	taken = 0;
	handle(SIGUSR1, on_signal, 0);
	for (i = 0; i < 5; i++)
		raise(SIGUSR1);
	return taken == 5 && take_faults() && take_timers() &&
	       kill_child(storm, random & 1 ? SIGKILL : SIGTERM);
}

static bool run_signals(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, use_signals, random);
}

static bool is_fault(long returned)
{
	return returned < 0 && errno == EFAULT;
}

/* That nothing is mapped there the kernel finds out by faults of its own, which it goes on after. */
static bool give_bad_addresses(const struct storm *storm, uint32_t random)
{
	void *bad = (void *)nowhere;
	struct stat status;
	int ends[2];

	(void)storm;
	(void)random;
	return !pipe(ends) && is_fault(write(ends[1], bad, 8)) && write(ends[1], "1", 1) == 1 &&
	       is_fault(read(ends[0], bad, 1)) && is_fault(stat(bad, &status)) &&
	       is_fault(syscall(SYS_futex, bad, FUTEX_WAIT, 0, NULL)) &&
	       is_fault(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad));
}

static bool run_bad_addresses(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, give_bad_addresses, random);
}

const struct storm_job storm_thread_jobs[] = {
	{ "threads", run_threads, false },
	{ "threads left", run_left_threads, false },
	{ "signals", run_signals, false },
	{ "bad addresses", run_bad_addresses, false },
	{ }
};
