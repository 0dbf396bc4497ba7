// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-storm [OPTION...] DIRECTORY: hundreds of processes between the
 * markers of the ground truth.
 *
 *   --processes N          at least so many (500)
 *   --workers N            so many jobs at a time (4)
 *   --beside COMMAND       run by the shell meanwhile
 *   --no-mapping-changes   between the markers nothing is executed or mapped
 *
 * DIRECTORY must be on a file system that programs may be executed from; what
 * the storm leaves there is still what was executed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "announce.h"
#include "storm.h"
#include "tools/tracectl/record/mark.h"

#define MAX_JOBS	32
#define MAX_WORKERS	64

struct options {
	unsigned int processes;
	unsigned int workers;
	char *beside;
	bool maps;
};

static const struct storm_job *jobs[MAX_JOBS];
static unsigned int job_count;

static void choose_jobs(bool maps)
{
	static const struct storm_job *const lists[] = {
		storm_process_jobs, storm_code_jobs, storm_thread_jobs, storm_shell_jobs,
		storm_unwind_jobs,
	};
	const struct storm_job *job;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (job = lists[i]; job->run; job++)
			if (maps || !job->maps)
				jobs[job_count++] = job;
}

static void work_off(const struct storm *storm, unsigned int processes)
{
	struct storm_totals *t = storm->totals;
	const struct storm_job *job;
	unsigned int n;

	/* Every kind twice, at least. */
	while (n = t->next++, t->processes < processes || n < 2 * job_count) {
		job = jobs[n % job_count];
		if (job->run(storm, n / job_count * 2654435761u + n % job_count))
			continue;
		fprintf(stderr, "rvtrace-storm: job %u, %s: failed: %s\n", n, job->name,
			strerror(errno));
		t->failed++;
	}
}

static bool run_workers(const struct storm *storm, const struct options *o)
{
	pid_t pids[MAX_WORKERS];
	unsigned int i;
	bool good = true;

	for (i = 0; i < o->workers; i++) {
		pids[i] = storm_fork(storm);
		if (!pids[i]) {
			work_off(storm, o->processes);
			_exit(0);
		}
	}
	for (i = 0; i < o->workers; i++)
		good &= storm_wait(pids[i], 0);
	return good;
}

static bool open_libraries(struct storm *storm)
{
	unsigned int i;
	char *path;

	for (i = 0; i < STORM_LIBRARIES; i++) {
		path = storm_path(storm->programs, "rvtrace-storm-library", i + 1);
		storm->libraries[i] = path ? dlopen(path, RTLD_NOW) : NULL;
		free(path);
		if (!storm->libraries[i] || !storm_use_library(storm->libraries[i], i, 1))
			return false;
	}
	return true;
}

static bool prepare(struct storm *storm, bool maps)
{
	storm->totals = mmap(NULL, sizeof(*storm->totals), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return storm->totals != MAP_FAILED && storm_prepare_files(storm) &&
	       open_libraries(storm) && (maps || storm_load_filters(storm));
}

static pid_t start_beside(const struct storm *storm, const char *command)
{
	pid_t pid = storm_fork(storm);

	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	return pid;
}

static bool run(struct storm *storm, const struct options *o)
{
	pid_t beside = 0;
	bool good;

	if (mark_cpus(true) < 0)
		return false;
	announce_pid();
	if (o->beside)
		beside = start_beside(storm, o->beside);
	good = (!o->maps || storm_load_filters(storm)) && run_workers(storm, o);
	good &= !o->beside || storm_wait(beside, 0);
	announce_pid();
	return mark_cpus(false) >= 0 && good;
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value || value > max) {
		fprintf(stderr, "rvtrace-storm: %s: not a number from 1 to %u\n", text, max);
		exit(2);
	}
	return value;
}

static int usage(void)
{
	fprintf(stderr, "Usage: rvtrace-storm [--processes N] [--workers N] [--beside COMMAND] "
		"[--no-mapping-changes] DIRECTORY\n");
	return 2;
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "processes", required_argument, NULL, 'p' },
		{ "workers", required_argument, NULL, 'w' },
		{ "beside", required_argument, NULL, 'b' },
		{ "no-mapping-changes", no_argument, NULL, 'n' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'p')
			o->processes = number(optarg, STORM_PIDS);
		else if (c == 'w')
			o->workers = number(optarg, MAX_WORKERS);
		else if (c == 'b')
			o->beside = optarg;
		else if (c == 'n')
			o->maps = false;
		else
			return false;
	}
	return argc - optind == 1 && (o->maps || !o->beside);
}

int main(int argc, char **argv)
{
	struct options options = { .processes = 500, .workers = 4, .maps = true };
	struct storm storm = { 0 };
	struct storm_totals *t;
	char self[4096] = "";
	bool good;

	if (!parse_options(argc, argv, &options))
		return usage();
	storm.directory = argv[optind];
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	storm.programs = dirname(self);
	choose_jobs(options.maps);
	if (!prepare(&storm, options.maps)) {
		fprintf(stderr, "rvtrace-storm: cannot prepare: %s\n", strerror(errno));
		return 1;
	}
	good = run(&storm, &options);
	t = storm.totals;
	printf("storm: %u processes, %u reused process ids, %u threads, %u in the same place, "
	       "%u failed, jit 0x%lx-0x%lx\n", t->processes, t->reused, t->threads, t->same_place,
	       t->failed, STORM_JIT, STORM_JIT + STORM_JIT_SIZE);
	return !good || t->failed;
}
