/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks of each CPU over time, from the driver's records of tasks, or from the context switches of
 * the side band. Times are CLOCK_MONOTONIC in ns.
 */
#ifndef RVTRACE_SWITCHES_H
#define RVTRACE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/sideband.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_stretch - an interval in which a CPU runs a task
 * @from: start
 * @until: first time after the interval; UINT64_MAX: no known end
 * @known: the task is known. It is unknown before the first switch, and after a loss of events up
 *	to the next switch
 * @pid: process id; 0: idle
 * @tid: task id
 */
struct rvtrace_stretch {
	uint64_t from;
	uint64_t until;
	bool known;
	int32_t pid;
	int32_t tid;
};

struct rvtrace_switches;

/**
 * rvtrace_switches_new() - make the switches of a side band
 * @sideband: the events, in order of time; not needed afterwards. NULL: none
 *
 * Return: the switches; free them with rvtrace_switches_free(). NULL without memory.
 */
struct rvtrace_switches *rvtrace_switches_new(const struct rvtrace_sideband *sideband);

/**
 * rvtrace_switches_cut() - report that the side band ends before the trace does
 * @switches: the switches of a side band
 * @first: filled: the earliest of the CPUs' last events; 0: there are no events
 * @last: filled: the last event of all CPUs
 *
 * The task of a CPU is unknown after its last event.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_switches_cut(struct rvtrace_switches *switches, uint64_t *first, uint64_t *last);

/**
 * rvtrace_switches_free() - free the switches
 * @switches: the switches, or NULL (no effect)
 */
void rvtrace_switches_free(struct rvtrace_switches *switches);

/**
 * rvtrace_switches_add_task() - add a record of the driver
 * @switches: the switches, made without a side band
 * @task: the record; those of each CPU are in order of time
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_switches_add_task(struct rvtrace_switches *switches,
			      const struct rvtrace_record_task *task);

/**
 * rvtrace_switches_scheduled() - whether the switches have the time of the scheduler's decision
 * @switches: the switches
 *
 * The driver's records have: it writes them before the kernel switches from one task to the next.
 * The side band records switches afterwards.
 */
bool rvtrace_switches_scheduled(const struct rvtrace_switches *switches);

/** rvtrace_switches_any() - whether the task of any CPU is known at any time */
bool rvtrace_switches_any(const struct rvtrace_switches *switches);

/**
 * rvtrace_switches_begun() - count the stretches of a CPU that began up to a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: the time
 *
 * Return: their number; the last one of them contains @ns.
 */
size_t rvtrace_switches_begun(const struct rvtrace_switches *switches, unsigned int cpu,
			      uint64_t ns);

/**
 * rvtrace_switches_at() - find the task of a CPU at a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: the time
 * @stretch: filled: the stretch that contains @ns
 *
 * Return: true if the task is known.
 */
bool rvtrace_switches_at(const struct rvtrace_switches *switches, unsigned int cpu, uint64_t ns,
			 struct rvtrace_stretch *stretch);

/* Two clocks are paired with at most this error. */
#define RVTRACE_SWITCHES_NEAR_NS	50000

/**
 * rvtrace_switches_of_task() - find when a task ran on a CPU near a time
 * @switches: the switches
 * @cpu: the CPU
 * @task: the value that the hart wrote to tp, rvtrace_record_task.task
 * @ns: the time
 * @stretch: filled: the stretch of that task that contains @ns, else one that ended less than
 *	RVTRACE_SWITCHES_NEAR_NS before it or begins less than that after it
 *
 * Return: true if there is one.
 */
bool rvtrace_switches_of_task(const struct rvtrace_switches *switches, unsigned int cpu,
			      uint64_t task, uint64_t ns, struct rvtrace_stretch *stretch);

/**
 * rvtrace_switches_get() - enumerate the stretches of a CPU
 * @switches: the switches
 * @cpu: the CPU
 * @index: from 0
 * @stretch: filled
 *
 * Return: true if there is a stretch with that number.
 */
bool rvtrace_switches_get(const struct rvtrace_switches *switches, unsigned int cpu, size_t index,
			  struct rvtrace_stretch *stretch);

/**
 * rvtrace_switches_name() - get the name of the task of a CPU at a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: a time at which the task is known
 *
 * Return: its name, at most 15 characters, owned by @switches; NULL: the side band does not report
 * it, and only the driver's records have it.
 */
const char *rvtrace_switches_name(const struct rvtrace_switches *switches, unsigned int cpu,
				  uint64_t ns);

RVTRACE_END_DECLS

#endif /* RVTRACE_SWITCHES_H */
