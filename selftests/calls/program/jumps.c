// SPDX-License-Identifier: GPL-2.0
/* Functions that do not return to their caller, or that nobody called: see work.h. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "selftests/calls/program/program.h"

#define DEPTH	10
#define STACK	65536
#define CIRCLE	3	/* coroutines beside the first */

static sigjmp_buf out;
static volatile unsigned long taken;

/* Each depth in a frame of its own */
static __attribute__((noinline)) unsigned long descend(unsigned int depth, void (*leaf)(void))
{
	unsigned long sum = depth;

	if (depth)
		sum += descend(depth - 1, leaf);
	else
		leaf();
	return sum;
}

static __attribute__((noinline)) void count(void)
{
	taken++;
}

static void on_signal(int signal)
{
	(void)signal;
	descend(3, count);
}

/* A handler that another signal interrupts */
static void on_outer(int signal)
{
	(void)signal;
	raise(SIGUSR2);
	descend(2, count);
}

static void on_jump(int signal)
{
	descend(1, count);
	siglongjmp(out, signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void raise_usr1(void)
{
	raise(SIGUSR1);
}

/* Signals of the program itself, nested ones, on a stack of their own, and those of a timer */
unsigned long work_signals(unsigned int rounds)
{
	static char stack[STACK];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct itimerval every = { .it_interval.tv_usec = 700, .it_value.tv_usec = 300 };
	struct itimerval never = { };
	unsigned long sum = 0;
	unsigned int i;

	sigaltstack(&other, NULL);
	handle(SIGUSR2, on_signal, 0);
	handle(SIGALRM, on_signal, SA_RESTART);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; i < 4 * rounds; i++) {
		handle(SIGUSR1, i & 1 ? on_outer : on_signal, i & 2 ? SA_ONSTACK : 0);
		sum += descend(DEPTH, raise_usr1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return sum;
}

static void jump(void)
{
	siglongjmp(out, 1);
}

static __attribute__((noinline)) unsigned long jump_out(volatile unsigned int depth,
							void (*leaf)(void))
{
	if (sigsetjmp(out, 1))
		return depth;
	return descend(depth, leaf);
}

/* Out of functions that were called, out of signal handlers, from any depth */
unsigned long work_longjmp(unsigned int rounds)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < 8 * rounds; i++) {
		handle(SIGUSR1, on_jump, i & 4 ? SA_ONSTACK : 0);
		sum += jump_out(i % DEPTH, i & 1 ? raise_usr1 : jump);
	}
	return sum;
}

static ucontext_t contexts[CIRCLE + 1];
static unsigned int turn, turns;

static void swap(void)
{
	unsigned int from = turn;

	turn = (turn + 1) % (CIRCLE + 1);
	turns++;
	swapcontext(&contexts[from], &contexts[turn]);
}

/*
 * Coroutines in code of their own: what waits at the same place cannot be told apart by where
 * control goes.
 */
#define COROUTINE(name, number)							\
static __attribute__((noinline)) unsigned long name##_descend(unsigned int depth)	\
{										\
	unsigned long sum = depth * (number);					\
										\
	if (depth)								\
		sum += name##_descend(depth - 1);				\
	else									\
		swap();								\
	return sum;								\
}										\
										\
static void name(void)								\
{										\
	for (;;)								\
		name##_descend((turns * 5) % DEPTH);				\
}

COROUTINE(first, 3)
COROUTINE(second, 5)
COROUTINE(third, 7)

/* Coroutines go on in turn, each from another depth. */
unsigned long work_coroutines(unsigned int rounds)
{
	static void (*const coroutines[])(void) = { first, second, third };
	static char stacks[CIRCLE][STACK];
	unsigned int i;

	turn = 0;
	turns = 0;
	for (i = 1; i <= CIRCLE; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i - 1];
		contexts[i].uc_stack.ss_size = STACK;
		contexts[i].uc_link = NULL;
		makecontext(&contexts[i], coroutines[i - 1], 0);
	}
	for (i = 0; i < 4 * rounds; i++)
		descend(i % DEPTH, swap);
	return turns;
}
