// SPDX-License-Identifier: GPL-2.0
/* Jobs: processes and programs. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storm.h"
#include "work.h"

#define TREE_WIDTH	2
#define TREE_DEPTH	3
#define CROWD		10
#define LIFE_US		100000

/* Arguments of a child program. */
struct child {
	char *path;
	char seed[16];
	char *argv[4];
};

static void set_child(struct child *child, const struct storm *storm, const char *program,
		      char *what, uint32_t seed)
{
	if (asprintf(&child->path, "%s/%s", storm->programs, program) < 0)
		abort();
	snprintf(child->seed, sizeof(child->seed), "%u", seed);
	child->argv[0] = child->path;
	child->argv[1] = what;
	child->argv[2] = child->seed;
	child->argv[3] = NULL;
}

static bool fork_and_exec(const struct storm *storm, const char *program, char *what,
			  uint32_t seed)
{
	struct child child;
	pid_t pid;

	set_child(&child, storm, program, what, seed);
	pid = storm_fork(storm);
	if (!pid) {
		execv(child.path, child.argv);
		_exit(127);
	}
	free(child.path);
	return storm_wait(pid, work(seed));
}

static bool run_exec(const struct storm *storm, uint32_t random)
{
	static const char *const programs[] = {
		"rvtrace-storm-child", "rvtrace-storm-static", "rvtrace-storm-plain",
	};

	return fork_and_exec(storm, programs[random % 3], "work", random);
}

static bool run_exec_in_thread(const struct storm *storm, uint32_t random)
{
	static const char *const programs[] = { "rvtrace-storm-child", "rvtrace-storm-static" };

	storm->totals->threads += 3;
	return fork_and_exec(storm, programs[random % 2], "thread", random);
}

static bool run_vfork(const struct storm *storm, uint32_t random)
{
	struct child child;
	pid_t pid;

	set_child(&child, storm, "rvtrace-storm-child", "work", random);
	pid = vfork();
	if (!pid) {
		execv(child.path, child.argv);
		_exit(127);
	}
	storm_count(storm, pid);
	free(child.path);
	return storm_wait(pid, work(random));
}

static bool run_spawn(const struct storm *storm, uint32_t random)
{
	struct child child;
	pid_t pid;

	set_child(&child, storm, "rvtrace-storm-child", "work", random);
	if (posix_spawn(&pid, child.path, NULL, NULL, child.argv, environ))
		return false;
	storm_count(storm, pid);
	free(child.path);
	return storm_wait(pid, work(random));
}

static int grow(const struct storm *storm, int depth, uint32_t seed)
{
	pid_t pids[TREE_WIDTH];
	int i, result = work(seed);

	for (i = 0; i < TREE_WIDTH && depth; i++) {
		pids[i] = storm_fork(storm);
		if (!pids[i])
			_exit(grow(storm, depth - 1, seed + i + 1));
	}
	while (i--)
		if (!storm_wait(pids[i], work(seed + i + 1)))
			return 100;
	return result;
}

static bool run_tree(const struct storm *storm, uint32_t random)
{
	return grow(storm, TREE_DEPTH, random) == work(random);
}

/* A crowd of children that all exit at once. */
static bool run_crowd(const struct storm *storm, uint32_t random)
{
	pid_t pids[CROWD];
	bool good = true;
	int i, fds[2];
	char byte;

	if (pipe(fds) < 0)
		return false;
	for (i = 0; i < CROWD; i++) {
		pids[i] = storm_fork(storm);
		if (!pids[i]) {
			close(fds[1]);
			_exit(read(fds[0], &byte, 1) ? 100 : work(random + i));
		}
	}
	close(fds[0]);
	close(fds[1]);
	for (i = 0; i < CROWD; i++)
		good &= storm_wait(pids[i], work(random + i));
	return good;
}

/* A program that waits, between two pipes, for the second half of its life. */
struct waiting {
	pid_t pid;
	int to, from;
};

static bool start_waiting(const struct storm *storm, struct waiting *waiting, int program,
			  struct child *child)
{
	int to[2], from[2];

	if (program < 0 || pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return false;
	waiting->pid = storm_fork(storm);
	if (!waiting->pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		fexecve(program, child->argv, environ);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	waiting->to = to[1];
	waiting->from = from[0];
	return waiting->pid > 0;
}

/* Long enough that whoever wants to save what it executes can. */
static bool is_waiting(const struct waiting *waiting)
{
	char byte;

	return read(waiting->from, &byte, 1) == 1 && !usleep(LIFE_US);
}

static bool finish_waiting(const struct waiting *waiting, uint32_t seed)
{
	char byte = 0;
	bool good = write(waiting->to, &byte, 1) == 1 && storm_wait(waiting->pid, work(seed + 1));

	close(waiting->to);
	close(waiting->from);
	return good;
}

/* A program in memory, started from there; every second one without build id. */
static bool run_memory_file(const struct storm *storm, uint32_t random)
{
	int fd = memfd_create("storm", MFD_CLOEXEC);
	struct waiting waiting;
	struct child child;
	bool good;

	set_child(&child, storm, random & 1 ? "rvtrace-storm-plain" : "rvtrace-storm-static",
		  "wait", random);
	good = storm_copy(child.path, fd) && start_waiting(storm, &waiting, fd, &child) &&
	       is_waiting(&waiting) && finish_waiting(&waiting, random);
	free(child.path);
	close(fd);
	return good;
}

/* Opens a copy of @program that no other process executes. */
static int open_copy(const char *program, const char *copy)
{
	int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	bool good = fd >= 0 && storm_copy(program, fd);

	close(fd);
	return good ? open(copy, O_RDONLY | O_CLOEXEC) : -1;
}

/* A program whose file is gone before half of it has run. */
static bool run_deleted(const struct storm *storm, uint32_t random)
{
	char *copy = storm_path(storm->directory, "gone", getpid());
	struct waiting waiting;
	struct child child;
	bool good;
	int fd;

	set_child(&child, storm, random & 1 ? "rvtrace-storm-plain" : "rvtrace-storm-child",
		  "wait", random);
	fd = copy ? open_copy(child.path, copy) : -1;
	good = start_waiting(storm, &waiting, fd, &child) && is_waiting(&waiting) &&
	       !unlink(copy) && finish_waiting(&waiting, random);
	close(fd);
	free(child.path);
	free(copy);
	return good;
}

/* From hart to hart. */
static bool migrate(const struct storm *storm, uint32_t random)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;
	int i;

	(void)storm;
	for (i = 0; i < 8; i++) {
		CPU_ZERO(&set);
		CPU_SET((random + i) % cpus, &set);
		if (sched_setaffinity(0, sizeof(set), &set) < 0 || work(i) != work(i))
			return false;
	}
	return true;
}

static bool run_migration(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, migrate, random);
}

static bool run_filter(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, storm_use_filter, random);
}

const struct storm_job storm_process_jobs[] = {
	{ "exec", run_exec, true },
	{ "exec in a thread", run_exec_in_thread, true },
	{ "vfork", run_vfork, true },
	{ "spawn", run_spawn, true },
	{ "tree", run_tree, false },
	{ "crowd", run_crowd, false },
	{ "memory file", run_memory_file, true },
	{ "deleted file", run_deleted, true },
	{ "migration", run_migration, false },
	{ "filter", run_filter, false },
	{ }
};
