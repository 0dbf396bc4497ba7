/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each thread did during a recording, from the driver's records of tasks. Times
 * are CLOCK_MONOTONIC in ns.
 */
#ifndef RVTRACE_THREADS_H
#define RVTRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rvtrace.h>
#include <rvtrace/decls.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_thread - a thread
 * @id: names it, and no other of the recording
 * @pid: process id
 * @tid: thread id; another thread of the recording may have it as well, later
 * @kernel: a kernel thread; tid 0: what a CPU runs when there is nothing to do
 * @comm: the name it had last, with a NUL
 * @run_ns: how long it is known to have run
 * @switches: how often a CPU took it up
 * @migrations: how often that was another CPU than the one before
 * @forked: it was created during the recording
 * @exited: it ended
 */
struct rvtrace_thread {
	uint64_t id;
	int32_t pid;
	int32_t tid;
	bool kernel;
	char comm[17];
	uint64_t run_ns;
	uint64_t switches;
	uint64_t migrations;
	bool forked;
	bool exited;
};

/**
 * struct rvtrace_threads_sum - of all threads
 * @records: records of tasks there were
 * @switches: of those, switches
 * @gaps: how often some were lost
 * @unknown_ns: of all CPUs, time after a loss and up to the next switch
 */
struct rvtrace_threads_sum {
	uint64_t records;
	uint64_t switches;
	uint64_t gaps;
	uint64_t unknown_ns;
};

struct rvtrace_threads;

/**
 * rvtrace_threads_new() - no thread yet
 *
 * Return: the threads, rvtrace_threads_free() them; NULL without memory.
 */
struct rvtrace_threads *rvtrace_threads_new(void);

/**
 * rvtrace_threads_free() - free the threads
 * @threads: the threads; NULL: nothing is done
 */
void rvtrace_threads_free(struct rvtrace_threads *threads);

/**
 * rvtrace_threads_add() - what one more record tells
 * @threads: the threads
 * @record: any record; those of each CPU come in order of time. The end of the session
 *	is the end of what runs.
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_threads_add(struct rvtrace_threads *threads, const struct rvtrace_record *record);

/**
 * rvtrace_threads_get() - one after the other, in the order in which they were met
 * @threads: the threads
 * @index: from 0
 *
 * Return: the thread, valid until the next record is added; NULL when there is no more.
 */
const struct rvtrace_thread *rvtrace_threads_get(const struct rvtrace_threads *threads,
						 size_t index);

/** rvtrace_threads_sum() - of all threads */
const struct rvtrace_threads_sum *rvtrace_threads_sum(const struct rvtrace_threads *threads);

RVTRACE_END_DECLS

#endif /* RVTRACE_THREADS_H */
