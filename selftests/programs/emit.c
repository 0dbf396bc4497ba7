// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that emit events, and whose signal handlers do, as fast as they can.
 *
 *	rvtrace-emit THREADS EVENTS
 *
 * The value of an event is the number of its thread in the upper half, and in the lower one
 * how many this thread, or its handler, emitted before. Identifiers are the ends of each range
 * that a program may use, in turn; that of handlers is HANDLER. Prints, for each thread: number,
 * events, events of its handler.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rvtrace/stm.h>

#define HANDLER		0x200
#define PERIOD_NS	2000000

struct thread {
	pthread_t handle;
	pid_t tid;
	unsigned long events;
};

/* Of the handler: emitted from nowhere else. */
static __thread struct {
	rvtrace_stm_word tid;
	volatile unsigned long events;
} handler;

static pthread_barrier_t begin;

static void die(const char *what, int error)
{
	fprintf(stderr, "rvtrace-emit: %s: %s\n", what, strerror(error));
	exit(1);
}

static rvtrace_stm_word value_of(rvtrace_stm_word tid, unsigned long count)
{
	return tid << (sizeof(tid) * 4) | count;
}

static void on_signal(int signal)
{
	unsigned long count = handler.events;

	(void)signal;
	RVTRACE_STM_EVENT(HANDLER, value_of(handler.tid, count));
	RVTRACE_STM_EVENT(HANDLER, value_of(handler.tid, count + 1));
	handler.events = count + 2;
}

static void interrupt_now_and_then(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN };
	struct itimerspec when = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };

	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, timer) || timer_settime(*timer, 0, &when, NULL))
		die("timer", errno);
}

static void emit(rvtrace_stm_word tid, unsigned long count)
{
	rvtrace_stm_word value = value_of(tid, count);

	switch (count % 6) {
	case 0:
		RVTRACE_STM_EVENT(RVTRACE_STM_USER_FIRST, value);
		break;
	case 1:
		RVTRACE_STM_EVENT(RVTRACE_STM_USER_LAST, value);
		break;
	case 2:
		RVTRACE_STM_COM(RVTRACE_STM_COM_FIRST + 1, value);
		break;
	case 3:
		RVTRACE_STM_COM(RVTRACE_STM_COM_LAST, value);
		break;
	case 4:
		RVTRACE_STM_SYS(RVTRACE_STM_SYS_FIRST, value);
		break;
	case 5:
		RVTRACE_STM_SYS(RVTRACE_STM_SYS_LAST, value);
		break;
	}
}

static void *run(void *data)
{
	struct thread *thread = data;
	timer_t timer;
	unsigned long i;

	thread->tid = gettid();
	handler.tid = thread->tid;
	pthread_barrier_wait(&begin);
	interrupt_now_and_then(&timer);
	for (i = 0; i < thread->events; i++)
		emit(thread->tid, i);
	timer_delete(timer);
	flockfile(stdout);
	printf("%d %lu %lu\n", thread->tid, thread->events, handler.events);
	funlockfile(stdout);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, events, i;
	struct thread *threads;
	int err;

	events = count ? strtoul(argv[2], NULL, 10) : 0;
	if (!events) {
		fputs("usage: rvtrace-emit THREADS EVENTS\n", stderr);
		return 2;
	}
	threads = calloc(count, sizeof(*threads));
	if (!threads)
		die("threads", ENOMEM);
	if (sigaction(SIGRTMIN, &action, NULL))
		die("sigaction", errno);
	pthread_barrier_init(&begin, NULL, count);
	for (i = 0; i < count; i++) {
		threads[i].events = events;
		err = pthread_create(&threads[i].handle, NULL, run, &threads[i]);
		if (err)
			die("thread", err);
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i].handle, NULL);
	free(threads);
	return 0;
}
