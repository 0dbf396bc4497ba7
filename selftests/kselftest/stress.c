// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once: processes that read, map, poll, start, stop, configure,
 * unbind and bind, load and unload, with arguments right and wrong, while one
 * without any right tries the same. Afterwards nothing may be left of it.
 *
 *	ksft-stress [-t SECONDS] [-s SEED] [-p PROCESSES]
 */
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "stress.h"

#define PROCESSES_MAX	64
#define NOBODY		65534
#define RELOADER	1	/* number of the process that unloads the module */
#define RELOAD_PERIOD	15	/* seconds in between; less where it would not come about */
#define PATIENCE	120	/* seconds more, until everything was done */
#define LATE		60	/* seconds after which a process that does not end hangs */

static unsigned int seconds_to_run = 30;
static unsigned int seed = 1;
static unsigned int processes = 8;

static const char *const deed_names[DEEDS] = {
	"started", "stopped", "flushed", "configured", "resized", "shown", "opened", "mapped",
	"read", "consumed", "polled", "unbound", "bound", "unloaded", "loaded", "refused",
};

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static time_t next_reload(void)
{
	unsigned int half = seconds_to_run / 2 + 1;

	return time(NULL) + (half < RELOAD_PERIOD ? half : RELOAD_PERIOD);
}

static void __attribute__((noreturn)) work(unsigned int number)
{
	time_t next = next_reload();

	srandom(seed * PROCESSES_MAX + number);
	interrupt_every(1000 + 50 * number);
	while (!ended) {
		if (*pauses) {
			usleep(20000);
		} else if (number == RELOADER && time(NULL) >= next) {
			reload();
			next = next_reload();
		} else {
			act_randomly();
		}
		reap();
	}
	_exit(0);
}

static void __attribute__((noreturn)) try_in_vain(unsigned int number)
{
	bool got = setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		   setresuid(NOBODY, NOBODY, NOBODY);

	srandom(seed * PROCESSES_MAX + number);
	interrupt_every(1000);
	while (!ended && !got) {
		got = got_something();
		usleep(1000);
	}
	_exit(got);
}

static pid_t start_process(unsigned int number)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid && !number)
		try_in_vain(number);
	else if (!pid)
		work(number);
	return pid;
}

static bool still_runs(pid_t pid, int *status)
{
	for (unsigned int i = 0; i < LATE * 10; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return false;
		usleep(100000);
	}
	return true;
}

static void show_where(pid_t pid)
{
	char file[64], line[256];
	FILE *stack;

	snprintf(file, sizeof(file), "/proc/%d/stack", pid);
	stack = fopen(file, "r");
	while (stack && fgets(line, sizeof(line), stack))
		printf("# %s", line);
	if (stack)
		fclose(stack);
}

/* Stop them; how many did not end, or not well. */
static unsigned int end_processes(const pid_t *pids, unsigned int n)
{
	unsigned int bad = 0;
	int status;

	for (unsigned int i = 0; i < n; i++)
		kill(pids[i], SIGTERM);
	for (unsigned int i = 0; i < n; i++) {
		if (still_runs(pids[i], &status)) {
			printf("# process %u hangs:\n", i);
			show_where(pids[i]);
			kill(pids[i], SIGKILL);
		} else if (WIFEXITED(status) && !WEXITSTATUS(status)) {
			continue;
		} else {
			printf("# process %u ended with status %#x\n", i, status);
		}
		bad++;
	}
	return bad;
}

static bool all_was_done(void)
{
	for (unsigned int i = 0; i < DEEDS; i++)
		if (!deeds[i])
			return false;
	return true;
}

/* A slow machine gets more time, until everything was done at least once. */
static unsigned int run_for(unsigned int seconds)
{
	time_t until = time(NULL) + seconds;
	pid_t pids[PROCESSES_MAX];
	unsigned int n;

	for (n = 0; n < processes; n++)
		pids[n] = start_process(n);
	while (time(NULL) < until || (!all_was_done() && time(NULL) < until + PATIENCE))
		sleep(1);
	return end_processes(pids, processes);
}

/* Everything bound, as it is after boot, or not loaded at all. */
static bool settle(bool loaded)
{
	for (unsigned int i = 0; i < 100; i++) {
		put_sink("tracing", "0");
		if (unload() || errno == ENOENT)
			break;
		usleep(100000);
	}
	if (loaded && !load())
		return false;
	if (system("udevadm settle --timeout=300"))
		printf("# udevd does not settle\n");
	return loaded == find_sink() && loaded == !access("/sys/module/rvtrace", F_OK);
}

/**
 * struct usage - what of the kernel's memory is in use
 * @slabs: objects in all caches that modules take from with kmalloc()
 * @areas: entries of vmallocinfo
 * @free: MemFree, bytes
 */
struct usage {
	long slabs;
	long areas;
	long free;
};

static long sum_of_slabs(void)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	char line[512], name[64];
	long sum = 0, active;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &active) == 2 &&
		    (!strncmp(name, "kmalloc-", 8) || strstr(name, "kernfs")))
			sum += active;
	if (file)
		fclose(file);
	return sum;
}

static long lines_of(const char *name)
{
	FILE *file = fopen(name, "r");
	long lines = 0;

	for (int c; file && (c = getc(file)) != EOF; )
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static long free_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

/* Else slabs that a CPU keeps would count as used. */
static void shrink_slabs(void)
{
	glob_t found;

	if (!glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			put(found.gl_pathv[i], "1");
	globfree(&found);
}

/*
 * With the module unloaded and caches dropped; what is freed late is waited for, and so are
 * processes of udev, which end when nothing happens for seconds.
 */
static bool measure(struct usage *usage)
{
	long least = LONG_MAX, now;

	if (!settle(false))
		return false;
	for (int i = 0, calm = 0; i < 20 && calm < 4; i++) {
		sync();
		if (put("/proc/sys/vm/drop_caches", "3"))
			return false;
		sleep(1);
		shrink_slabs();
		now = sum_of_slabs();
		calm = now < least ? 0 : calm + 1;
		least = now < least ? now : least;
	}
	*usage = (struct usage){
		.slabs = least,
		.areas = lines_of("/proc/vmallocinfo"),
		.free = free_memory(),
	};
	printf("# %ld objects, %ld areas, %ld KiB free\n", usage->slabs, usage->areas,
	       usage->free / 1024);
	return true;
}

/* Shared, as each test is a process */
static struct usage *before;

/* What is allocated once, by whoever does something for the first time, is no leak. */
static void warm_up(void)
{
	EXPECT_EQ(run_for(seconds_to_run / 10 + 5), 0);
	EXPECT(measure(before));
	memset(deeds, 0, DEEDS * sizeof(*deeds));
	EXPECT(settle(true));
}

/* On a busy machine some of it may not have had its turn. */
static void everything_at_once(void)
{
	printf("# seed %u, %u processes, %u s\n", seed, processes, seconds_to_run);
	for (int i = 0; i < 5 && !all_was_done(); i++)
		EXPECT_EQ(run_for(seconds_to_run), 0);
}

static void everything_was_done(void)
{
	for (unsigned int i = 0; i < DEEDS; i++) {
		printf("# %s: %lu\n", deed_names[i], deeds[i]);
		if (!deeds[i])
			fail(__FILE__, __LINE__, "nothing was ever %s", deed_names[i]);
	}
}

/*
 * One lost object or area per sink bound is more than the noise of the other
 * processes of the machine (udevd's workers, stacks that are kept for the next
 * task): some hundred objects, a few areas.
 */
static void nothing_is_left(void)
{
	long cycles = deeds[BOUND_AGAIN] + deeds[LOADED];
	struct usage after;

	EXPECT(measure(&after));
	EXPECT(after.slabs - before->slabs < 300 + cycles / 2);
	EXPECT(after.areas - before->areas < 16 + cycles / 4);
	EXPECT(before->free - after.free < (16 << 20));
}

static void a_normal_session_works(void)
{
	static char buffer[65536];
	struct reader reader = {};
	uint64_t total = 0;
	ssize_t n;

	EXPECT(settle(true));
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while ((n = read(reader.fd, buffer, sizeof(buffer))) > 0)
		total += n;
	EXPECT_EQ(n, 0);
	EXPECT_EQ(total + reader.control->lost,
		  reader.control->head - reader.control->session_start);
	EXPECT(total > 0);
	reader_close(&reader);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(warm_up),
		TEST(everything_at_once),
		TEST(everything_was_done),
		TEST(nothing_is_left),
		TEST(a_normal_session_works),
	};
	int option;

	while ((option = getopt(argc, argv, "t:s:p:")) > 0) {
		if (option == 't')
			seconds_to_run = atoi(optarg);
		else if (option == 's')
			seed = atoi(optarg);
		else if (option == 'p')
			processes = atoi(optarg);
		else
			return EXIT_FAILURE;
	}
	if (processes < 2 || processes > PROCESSES_MAX) {
		fprintf(stderr, "%s: 2 to %d processes\n", argv[0], PROCESSES_MAX);
		return EXIT_FAILURE;
	}
	deeds = mmap(NULL, (DEEDS + 1) * sizeof(*deeds), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	before = mmap(NULL, sizeof(*before), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (deeds == MAP_FAILED || before == MAP_FAILED)
		return EXIT_FAILURE;
	pauses = &deeds[DEEDS];
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
