/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Activity of each thread during a recording, from the driver's records of tasks. Times are
 * CLOCK_MONOTONIC in ns.
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
 * @id: unique id of the thread in the recording
 * @pid: process id
 * @tid: thread id; another thread of the recording may have the same id later
 * @kernel: a kernel thread; tid 0: the idle task of a CPU
 * @comm: its last name, with a NUL
 * @run_ns: time that it is known to have run
 * @switches: number of times that a CPU began to run it
 * @migrations: number of times that this was another CPU than before
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
 * struct rvtrace_threads_sum - totals of all threads
 * @records: number of records of tasks
 * @switches: number of these records that are switches
 * @gaps: number of losses of records
 * @unknown_ns: time after a loss, up to the next switch, added up over all CPUs
 */
struct rvtrace_threads_sum {
	uint64_t records;
	uint64_t switches;
	uint64_t gaps;
	uint64_t unknown_ns;
};

struct rvtrace_threads;

/**
 * rvtrace_threads_new() - create an empty collection
 *
 * Return: the threads; free them with rvtrace_threads_free(). NULL without memory.
 */
struct rvtrace_threads *rvtrace_threads_new(void);

/**
 * rvtrace_threads_free() - free the threads
 * @threads: the threads, or NULL (no effect)
 */
void rvtrace_threads_free(struct rvtrace_threads *threads);

/**
 * rvtrace_threads_add() - add a record
 * @threads: the threads
 * @record: any record; those of each CPU are in order of time. The end of the session is the end of
 *	the running stretches.
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_threads_add(struct rvtrace_threads *threads, const struct rvtrace_record *record);

/**
 * rvtrace_threads_get() - enumerate the threads, in the order of their first records
 * @threads: the threads
 * @index: from 0
 *
 * Return: the thread, valid until the next record is added; NULL after the last one.
 */
const struct rvtrace_thread *rvtrace_threads_get(const struct rvtrace_threads *threads,
						 size_t index);

/** rvtrace_threads_sum() - get the totals of all threads */
const struct rvtrace_threads_sum *rvtrace_threads_sum(const struct rvtrace_threads *threads);

RVTRACE_END_DECLS

#endif /* RVTRACE_THREADS_H */
