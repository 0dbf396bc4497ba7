/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report: who ran how long, and in which functions. */
#ifndef RVTRACE_TRACECTL_REPORT_H
#define RVTRACE_TRACECTL_REPORT_H

#include <rvtrace/spaces.h>
#include <rvtrace/threads.h>

#include "tools/tracectl/decode/decode.h"

struct json_object;

/* What kind of process it is. */
enum report_class {
	REPORT_COMMAND,		/* the recorded command, and what it started */
	REPORT_OTHER,
	REPORT_KERNEL,		/* kernel threads */
	REPORT_IDLE,
	REPORT_UDEV,
	REPORT_RECORDER,	/* rvtraced, tracectl record */
	REPORT_UNKNOWN,		/* neither process nor thread is known */
	REPORT_CLASSES
};

#define NO_PROCESS	SIZE_MAX

/**
 * struct report_thread - a thread that records tell of
 * @id: names it, and no other
 * @process: its process, as report_process_of() has it, or NO_PROCESS
 * @first, @last: when it was seen to run, ns
 * @run_ns: how long it ran
 * @comm: its name
 * @kernel: it is a kernel thread
 */
struct report_thread {
	uint64_t id;
	size_t process;
	int32_t pid;
	int32_t tid;
	uint64_t first;
	uint64_t last;
	uint64_t run_ns;
	char comm[17];
	bool kernel;
};

/**
 * struct report_scene - who was there, the same for all that count
 * @spaces: of the recording
 * @threads: ordered by tid, then by time
 * @begin, @end: of the records, ns; 0: there are none
 * @gaps: how often records of threads were lost
 * @unknown_ns: for how long, of all CPUs, nobody knows who ran
 * @records_lost: records the driver had no room for
 * @all: the user wants to see all classes
 * @shows: which classes are shown
 * @filter: what else is: processes and threads
 */
struct report_scene {
	const struct rvtrace_spaces *spaces;
	struct report_thread *threads;
	size_t thread_count;
	uint64_t begin;
	uint64_t end;
	uint64_t gaps;
	uint64_t unknown_ns;
	uint64_t records_lost;
	bool all;
	bool shows[REPORT_CLASSES];
	const struct decode_filter *filter;
};

/**
 * struct report_row - what a thread executed
 * @process: of it, or NO_PROCESS
 * @tid: -1: which thread of the process is not known
 * @kernel: of the instructions, those that were not of user mode
 * @no_image: 16-bit units of code without an image
 * @run_ns: how long it ran
 */
struct report_row {
	size_t process;
	int32_t pid;
	int32_t tid;
	enum report_class class;
	char comm[17];
	uint64_t instructions;
	uint64_t kernel;
	uint64_t no_image;
	uint64_t run_ns;
};

/* Who a source executed last. */
struct report_last {
	struct report_row *row;
	uint32_t source;
	uint32_t process;
	int32_t thread;
	bool user;
};

#define REPORT_LAST	64	/* a power of two */

/**
 * struct report - what is counted
 * @scene: who was there
 * @rows: of every thread
 * @tree: the same, to find them
 * @events: values of software trace
 * @unfollowed: 16-bit units executed in stretches of unknown flow
 */
struct report {
	const struct report_scene *scene;
	struct report_row **rows;
	void *tree;
	size_t row_count;
	uint64_t events;
	uint64_t unfollowed;
	struct report_last last[REPORT_LAST];
};

/* The space with which a process began that a space is of: it names that process and no other. */
size_t report_process_of(const struct rvtrace_spaces *spaces, const struct rvtrace_space *space);

/* The program that a process executed last. */
const struct rvtrace_space *report_program_of(const struct rvtrace_spaces *spaces, size_t process);

/* What is known of threads: 0 or a negative errno. Freed with report_scene_free(). */
int report_scene_load(struct report_scene *scene, struct rvtrace_recording *recording,
		      const struct rvtrace_spaces *spaces, struct rvtrace_failure *error);
void report_scene_free(struct report_scene *scene);

/* The thread with a number that ran at a time, or RVTRACE_TIME_NEWEST; NULL: there is none. */
const struct report_thread *report_thread_at(const struct report_scene *scene, int32_t tid,
					     uint64_t ns);

/* Whether a row, or a lane, is shown. */
bool report_shows(const struct report_scene *scene, enum report_class class, int32_t pid,
		  int32_t tid);

/* Class, name and process id of a row whose process and thread are known. */
void report_describe(const struct report_scene *scene, struct report_row *row);

/*
 * Counting: of an item, 0 or -ENOMEM; how long threads ran, whatever of them was decoded.
 */
struct report *report_new(const struct report_scene *scene);
void report_free(struct report *report);
int report_count(struct decode *d, const struct rvtrace_flow_item *item);
int report_add_times(struct report *report);

/* The row of a thread, made if it is new; NULL: no memory. */
struct report_row *report_row_of(struct report *report, size_t process, int32_t tid);

/* All sinks were decoded: the report. 0 or -ENOMEM. */
int report_print(struct decode *d);

/* The recorded command, an array of JSON, or NULL. */
struct json_object *report_command(const struct rvtrace_recording *recording);

#endif /* RVTRACE_TRACECTL_REPORT_H */
