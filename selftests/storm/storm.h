/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The storm: hundreds of processes that do what makes address spaces hard to
 * follow. It is made of jobs; each makes processes of its own and checks what
 * they did. What a job does follows from its number alone.
 */
#ifndef RVTRACE_STORM_H
#define RVTRACE_STORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_LIBRARIES	4
#define STORM_FILES	4	/* files of code, each other code */
#define STORM_FILTERS	3
#define STORM_PIDS	(1 << 15)

/* Code that changes, or is in no file, lies here in every process. */
#define STORM_JIT	0x2000000000UL
#define STORM_JIT_SIZE	0x100000UL
/* Code of files that take each other's place lies here. */
#define STORM_FIXED	0x2010000000UL

/**
 * struct storm_totals - shared by all processes of the storm
 * @next: number of the next job
 * @processes: made so far
 * @reused: of them, with a process id that another one had before
 * @threads: created so far
 * @same_place: libraries or files that took the place of another one
 * @failed: jobs that did not do what they should
 * @pids: process ids seen
 */
struct storm_totals {
	atomic_uint next;
	atomic_uint processes;
	atomic_uint reused;
	atomic_uint threads;
	atomic_uint same_place;
	atomic_uint failed;
	atomic_uint pids[STORM_PIDS];
};

/**
 * struct storm - what every job knows
 * @directory: where files of the storm's own are; they stay when it has ended
 * @programs: where its programs and libraries are
 * @totals: shared
 * @libraries: opened in advance, or NULL
 * @filters: sockets with a filter attached, written to at [1]
 */
struct storm {
	const char *directory;
	const char *programs;
	struct storm_totals *totals;
	void *libraries[STORM_LIBRARIES];
	int filters[STORM_FILTERS][2];
};

/**
 * struct storm_job - a kind of job
 * @name: for messages
 * @run: does it; @random follows from its number. Returns false if anything was not as expected
 * @maps: it executes programs or maps code
 */
struct storm_job {
	const char *name;
	bool (*run)(const struct storm *storm, uint32_t random);
	bool maps;
};

extern const struct storm_job storm_process_jobs[], storm_code_jobs[], storm_thread_jobs[],
	storm_shell_jobs[], storm_unwind_jobs[];

/* storm-run.c: processes */

/**
 * storm_fork() - fork, counted
 * @storm: the storm
 *
 * Return: as fork().
 */
pid_t storm_fork(const struct storm *storm);

/** storm_count() - count a process made in another way than by storm_fork() */
void storm_count(const struct storm *storm, pid_t pid);

/** storm_wait() - whether process @pid, from now on gone, exited with @status */
bool storm_wait(pid_t pid, int status);

/** storm_call() - whether @function, in a child that exits with what it returns, returned true */
bool storm_call(const struct storm *storm, bool (*function)(const struct storm *, uint32_t),
		uint32_t random);

/** storm_path() - a new string: DIRECTORY/NAME-NUMBER */
char *storm_path(const char *directory, const char *name, unsigned int number);

/** storm_copy() - whether the content of file @from could be copied to @fd */
bool storm_copy(const char *from, int fd);

/* storm-code.c */

/** storm_prepare_files() - make the files of code; false: errno says why */
bool storm_prepare_files(const struct storm *storm);

/** storm_use_library() - whether library @number, opened as @handle, computes what it should */
bool storm_use_library(void *handle, unsigned int number, uint32_t random);

/* storm-filter.c */

/** storm_load_filters() - load BPF programs and attach them; false: errno says why */
bool storm_load_filters(struct storm *storm);

/** storm_use_filter() - whether the kernel's BPF program lets pass what it should */
bool storm_use_filter(const struct storm *storm, uint32_t random);

#endif /* RVTRACE_STORM_H */
