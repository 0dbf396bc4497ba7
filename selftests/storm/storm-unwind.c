// SPDX-License-Identifier: GPL-2.0
/* Jobs: functions that do not return to their caller, while signals come. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#include "storm.h"

#define DEPTH		12
#define TURNS		20
#define STACK		65536

static jmp_buf out;
static ucontext_t contexts[2];
static unsigned int turns, unwound;

/* Each depth in a frame of its own. It returns to its caller if @leave does so. */
static __attribute__((noinline)) unsigned int descend(unsigned int depth, void (*leave)(void))
{
	unsigned int sum = depth;

	if (depth)
		sum += descend(depth - 1, leave);
	else
		leave();
	return sum;
}

static void jump(void)
{
	longjmp(out, 1);
}

static __attribute__((noinline)) unsigned int jump_out(volatile unsigned int depth)
{
	if (setjmp(out))
		return depth;
	return descend(depth, jump);
}

static unsigned int sum_of_jumps(unsigned int depth)
{
	return depth ? jump_out(depth) + sum_of_jumps(depth - 1) : 0;
}

static void swap(void)
{
	turns++;
	swapcontext(&contexts[~turns & 1], &contexts[turns & 1]);
}

/* Every time from another depth than the other context. */
static void take_turns(void)
{
	unsigned int i;

	for (i = 0; i < TURNS; i++)
		descend((i * 5 + turns) % DEPTH, swap);
}

static bool contexts_take_turns(void)
{
	static char stack[STACK];

	turns = 0;
	if (getcontext(&contexts[1]))
		return false;
	contexts[1].uc_stack.ss_sp = stack;
	contexts[1].uc_stack.ss_size = sizeof(stack);
	contexts[1].uc_link = NULL;
	makecontext(&contexts[1], take_turns, 0);
	take_turns();
	return turns == 2 * TURNS;
}

static void count(void *unused)
{
	(void)unused;
	unwound++;
}

static void leave_thread(void)
{
	pthread_exit(NULL);
}

static __attribute__((noinline)) void leave_from(unsigned int depth)
{
	pthread_cleanup_push(count, NULL);
	if (depth)
		leave_from(depth - 1);
	else
		descend(DEPTH, leave_thread);
	pthread_cleanup_pop(0);
}

static void *thread(void *unused)
{
	(void)unused;
	leave_from(DEPTH);
	return NULL;
}

static bool threads_are_unwound(void)
{
	pthread_t id;

	unwound = 0;
	return !pthread_create(&id, NULL, thread, NULL) && !pthread_join(id, NULL) &&
	       unwound == DEPTH + 1;
}

static void on_tick(int signal)
{
	(void)signal;
}

static bool unwind(const struct storm *storm, uint32_t random)
{
	struct itimerval every = { .it_interval.tv_usec = 500, .it_value.tv_usec = 1 + random % 500 };
	bool good;

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &every, NULL);
	good = sum_of_jumps(DEPTH) == DEPTH * (DEPTH + 1) / 2 && contexts_take_turns() &&
	       threads_are_unwound();
	storm->totals->threads++;
	return good;
}

static bool run_unwinding(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, unwind, random);
}

const struct storm_job storm_unwind_jobs[] = {
	{ "unwinding", run_unwinding, false },
	{ }
};
