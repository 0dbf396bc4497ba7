/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who ran when on which CPU, from the driver's records of tasks, or from the context
 * switches of the side band. Times are CLOCK_MONOTONIC in ns.
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
 * struct rvtrace_stretch - a task on a CPU
 * @from: since when
 * @until: the first time at which that is over; UINT64_MAX: never known to be
 * @known: the task is known; not so before the first switch, and after events
 *	were lost, up to the next one
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
 * rvtrace_switches_new() - the switches of a side band
 * @sideband: the events, in order of time; not needed afterwards. NULL: none
 *
 * Return: the switches, rvtrace_switches_free() them; NULL without memory.
 */
struct rvtrace_switches *rvtrace_switches_new(const struct rvtrace_sideband *sideband);

/**
 * rvtrace_switches_cut() - the side band ends before the trace does
 * @switches: the switches of a side band
 * @first: filled: the earliest last event of a CPU; 0: there are none
 * @last: filled: the last event of all
 *
 * Who runs on a CPU is not known after its last event.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_switches_cut(struct rvtrace_switches *switches, uint64_t *first, uint64_t *last);

/**
 * rvtrace_switches_free() - free the switches
 * @switches: the switches; NULL: nothing is done
 */
void rvtrace_switches_free(struct rvtrace_switches *switches);

/**
 * rvtrace_switches_add_task() - one more record of the driver
 * @switches: the switches, of no side band
 * @task: the record; those of each CPU come in order of time
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_switches_add_task(struct rvtrace_switches *switches,
			      const struct rvtrace_record_task *task);

/**
 * rvtrace_switches_scheduled() - whether they are told where the scheduler decides
 * @switches: the switches
 *
 * Those of the driver are: it records them before the kernel changes from one task to the other. The
 * side band does so behind that.
 */
bool rvtrace_switches_scheduled(const struct rvtrace_switches *switches);

/** rvtrace_switches_any() - whether it is known of any CPU who ran */
bool rvtrace_switches_any(const struct rvtrace_switches *switches);

/**
 * rvtrace_switches_begun() - stretches of a CPU that began up to a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: the time
 *
 * Return: how many; the last one of them is that around @ns.
 */
size_t rvtrace_switches_begun(const struct rvtrace_switches *switches, unsigned int cpu,
			      uint64_t ns);

/**
 * rvtrace_switches_at() - who ran on a CPU at a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: the time
 * @stretch: filled: the stretch around @ns
 *
 * Return: whether the task is known.
 */
bool rvtrace_switches_at(const struct rvtrace_switches *switches, unsigned int cpu, uint64_t ns,
			 struct rvtrace_stretch *stretch);

/* Clocks are paired to within this time. */
#define RVTRACE_SWITCHES_NEAR_NS	50000

/**
 * rvtrace_switches_of_task() - when a task ran on a CPU about a time
 * @switches: the switches
 * @cpu: the CPU
 * @task: what the hart wrote to tp, rvtrace_record_task.task
 * @ns: the time
 * @stretch: filled: the stretch of that task around @ns, or else one that ended less than
 *	RVTRACE_SWITCHES_NEAR_NS before it or begins less than that behind it
 *
 * Return: whether there is one.
 */
bool rvtrace_switches_of_task(const struct rvtrace_switches *switches, unsigned int cpu,
			      uint64_t task, uint64_t ns, struct rvtrace_stretch *stretch);

/**
 * rvtrace_switches_get() - stretches of a CPU, one after the other
 * @switches: the switches
 * @cpu: the CPU
 * @index: from 0 on
 * @stretch: filled
 *
 * Return: whether there is one of that number.
 */
bool rvtrace_switches_get(const struct rvtrace_switches *switches, unsigned int cpu, size_t index,
			  struct rvtrace_stretch *stretch);

/**
 * rvtrace_switches_name() - what the task is called that ran on a CPU at a time
 * @switches: the switches
 * @cpu: the CPU
 * @ns: a time at which the task is known
 *
 * Return: its name, at most 15 characters, which belongs to @switches; NULL: the side band
 * does not tell, only the driver's records do.
 */
const char *rvtrace_switches_name(const struct rvtrace_switches *switches, unsigned int cpu,
				  uint64_t ns);

RVTRACE_END_DECLS

#endif /* RVTRACE_SWITCHES_H */
