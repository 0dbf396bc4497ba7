// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once: processes that read, map, poll, start, stop, configure,
 * unbind and bind, load and unload, with arguments right and wrong, while one
 * without any right tries the same. Afterwards nothing may be left of it.
 *
 *	ksft-stress [-t SECONDS] [-s SEED] [-p PROCESSES]
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define COMPONENTS	"/sys/bus/rvtrace/devices/*"
#define SINKS		"/sys/class/rvtrace_sink/*"
#define DEVICES		"/dev/rvtrace*"
#define BOUND		"/sys/bus/platform/drivers/rvtrace/*.*"
#define DRIVER		"/sys/bus/platform/drivers/rvtrace/"
#define REGISTERS	"/sys/kernel/debug/rvtrace/*/registers"

#define PROCESSES_MAX	64
#define NOBODY		65534
#define RELOADER	1	/* number of the process that unloads the module */
#define RELOAD_PERIOD	15	/* seconds in between */
#define PATIENCE	120	/* seconds more, until everything was done */
#define LATE		60	/* seconds after which a process that does not end hangs */

static unsigned int seconds_to_run = 30;
static unsigned int seed = 1;
static unsigned int processes = 8;

/* How often what succeeded, of all processes. */
enum deed {
	STARTED, STOPPED, FLUSHED, CONFIGURED, RESIZED, SHOWN, OPENED, MAPPED, READ, CONSUMED,
	POLLED, UNBOUND, BOUND_AGAIN, UNLOADED, LOADED, REFUSED, DEEDS
};

static const char *const deed_names[DEEDS] = {
	"started", "stopped", "flushed", "configured", "resized", "shown", "opened", "mapped",
	"read", "consumed", "polled", "unbound", "bound", "unloaded", "loaded", "refused",
};

static unsigned long *deeds;
/* Somebody tries to unload, which needs a moment when nobody uses the module. */
static volatile bool *pause_others;
static volatile sig_atomic_t ended;

static void count(enum deed deed, bool done)
{
	if (done)
		__atomic_add_fetch(&deeds[deed], 1, __ATOMIC_RELAXED);
}

static unsigned int below(unsigned int n)
{
	return random() % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* One of the files that match a pattern; false without any. */
static bool pick(const char *pattern, char *file, size_t size)
{
	glob_t found;
	bool any = !glob(pattern, 0, NULL, &found) && found.gl_pathc;

	if (any)
		snprintf(file, size, "%s", found.gl_pathv[below(found.gl_pathc)]);
	globfree(&found);
	return any;
}

/* A random attribute of a component or a sink. */
static bool pick_attribute(char *file, size_t size)
{
	char pattern[300], directory[256];

	if (!pick(one_in(3) ? SINKS : COMPONENTS, directory, sizeof(directory)))
		return false;
	snprintf(pattern, sizeof(pattern), "%s/[!dpu]*", directory);
	return pick(pattern, file, size);
}

/* Mostly what might be meant, sometimes anything. */
static void random_value(char *value, size_t size)
{
	static const char *const values[] = {
		"0", "1", "2", "3", "5", "stream", "fill", "branch", "history", "off", "4096",
		"65536", "1048576", "messages", "ntrace", "external", "internal", "", "\n", "-1",
		"0x7", "4294967296", "99999999999999999999", "1 1", "on", "history optimized",
	};
	size_t length = below(one_in(50) ? size : 12);

	if (!one_in(8)) {
		snprintf(value, size, "%s", values[below(sizeof(values) / sizeof(values[0]))]);
		return;
	}
	for (size_t i = 0; i < length; i++)
		value[i] = 1 + below(255);
	value[length] = '\0';
}

static void write_attribute(void)
{
	char file[512], value[5000];

	if (!pick_attribute(file, sizeof(file)))
		return;
	random_value(value, sizeof(value));
	count(CONFIGURED, !put(file, value));
}

static void show_attribute(void)
{
	char file[512];

	if (pick_attribute(file, sizeof(file)))
		count(SHOWN, strncmp(get(file), "error", 5));
}

static void show_registers(void)
{
	char file[512];

	if (pick(REGISTERS, file, sizeof(file)))
		count(SHOWN, strncmp(get(file), "error", 5));
}

static bool put_sink(const char *name, const char *value)
{
	char sink[256], file[300];

	if (!pick(SINKS, sink, sizeof(sink)))
		return false;
	snprintf(file, sizeof(file), "%s/%s", sink, name);
	return !put(file, value);
}

static void start(void)
{
	count(STARTED, put_sink("tracing", "1"));
}

static void stop(void)
{
	count(STOPPED, put_sink("tracing", "0"));
}

static void flush(void)
{
	count(FLUSHED, put_sink("flush", "1"));
}

static void switch_encoder(void)
{
	char file[512];

	if (pick("/sys/bus/rvtrace/devices/encoder*/enable", file, sizeof(file)))
		count(CONFIGURED, !put(file, one_in(2) ? "1" : "0"));
}

static void resize(void)
{
	char value[32];

	snprintf(value, sizeof(value), "%u", (1 + below(64)) * 4096U);
	count(RESIZED, put_sink("buffer_size", one_in(4) ? "16777216" : value));
}

static void unbind(void)
{
	char device[256];

	if (!pick(BOUND, device, sizeof(device)))
		return;
	count(UNBOUND, !put(DRIVER "unbind", strrchr(device, '/') + 1));
}

/* Whatever is not bound; what is fails. */
static void bind_again(void)
{
	glob_t found;

	if (!glob("/sys/bus/platform/devices/*.trace-*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			count(BOUND_AGAIN,
			      !put(DRIVER "bind", strrchr(found.gl_pathv[i], '/') + 1));
	globfree(&found);
}

static bool load(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execlp("modprobe", "modprobe", "-q", "rvtrace", NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !status;
}

static bool unload(void)
{
	return !syscall(SYS_delete_module, "rvtrace", O_NONBLOCK);
}

static void reload(void)
{
	bool gone = unload();

	*pause_others = true;
	for (unsigned int i = 0; i < 40 && !gone && !ended; i++) {
		usleep(50000);
		put_sink("tracing", "0");
		gone = unload();
	}
	*pause_others = false;
	count(UNLOADED, gone);
	usleep(below(20000));
	count(LOADED, load());
}

static void read_some(int fd)
{
	static char buffer[300000];
	ssize_t n = read(fd, one_in(50) ? NULL : buffer, below(sizeof(buffer)));

	count(READ, n > 0);
}

static void touch(const volatile uint8_t *p, size_t size)
{
	volatile uint8_t sum = 0;

	for (unsigned int i = 0; i < 50; i++)
		sum += p[below(size)];
}

static void map_some(int fd)
{
	static const uint64_t offsets[] = {
		RVTRACE_MMAP_CONTROL, RVTRACE_MMAP_RECORDS, RVTRACE_MMAP_DATA, RVTRACE_MMAP_DATA,
		4096, RVTRACE_MMAP_DATA + 4096,
	};
	size_t size = one_in(3) ? 4096 : (1 + below(one_in(3) ? 4096 : 64)) * 4096UL;
	int protection = one_in(10) ? PROT_READ | PROT_WRITE : PROT_READ;
	int flags = one_in(10) ? MAP_PRIVATE : one_in(4) ? MAP_SHARED | MAP_POPULATE : MAP_SHARED;
	uint64_t offset = offsets[below(sizeof(offsets) / sizeof(offsets[0]))];
	uint8_t *p = mmap(NULL, size, protection, flags, fd, offset);

	count(MAPPED, p != MAP_FAILED);
	if (p == MAP_FAILED)
		return;
	touch(p, 4096);
	if (offset == RVTRACE_MMAP_DATA && one_in(4))
		madvise(p, 4096, MADV_DONTNEED);
	if (one_in(4))
		usleep(below(50000));
	if (one_in(4) && !fork()) {
		touch(p, 4096);
		_exit(0);
	}
	touch(p, 4096);
	munmap(p, size);
}

static void consume_some(int fd)
{
	struct rvtrace_consume c = {
		.position = random(),
		.records_position = one_in(2) ? below(1 << 20) * 8UL : 0,
		.reserved = one_in(10),
	};
	const struct rvtrace_control *control = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd,
						     RVTRACE_MMAP_CONTROL);

	if (control != MAP_FAILED && !one_in(4)) {
		c.position = control->head;
		c.records_position = control->records_head;
	}
	count(CONSUMED, !ioctl(fd, RVTRACE_IOC_CONSUME, one_in(20) ? NULL : &c));
	if (control != MAP_FAILED)
		munmap((void *)control, 4096);
}

static void command(int fd)
{
	uint64_t watermark = below(1 << 20);

	ioctl(fd, RVTRACE_IOC_WATERMARK, &watermark);
	if (one_in(4))
		ioctl(fd, random(), &watermark);
}

static void poll_some(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };

	count(POLLED, poll(&p, 1, below(50)) > 0);
}

static void interrupted(int number)
{
	(void)number;
}

static void end(int number)
{
	(void)number;
	ended = 1;
}

/* Nothing may wait for longer than until the next signal. */
static void interrupt_every(unsigned int ms)
{
	struct itimerval timer = { .it_interval = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
				   .it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 } };
	struct sigaction action = { .sa_handler = interrupted };
	struct sigaction last = { .sa_handler = end };

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &last, NULL);
	signal(SIGCHLD, SIG_DFL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void share(int fd)
{
	pid_t pid = fork();

	if (pid)
		return;
	/* A child has no timer of its own yet. */
	interrupt_every(500);
	read_some(fd);
	consume_some(fd);
	_exit(0);
}

static void use_device(void)
{
	static void (*const uses[])(int fd) = {
		read_some, read_some, read_some, map_some, map_some, consume_some, consume_some,
		command, poll_some, share,
	};
	char device[256];
	int fd;

	if (!pick(DEVICES, device, sizeof(device)))
		return;
	fd = open(device, (one_in(4) ? O_RDWR : O_RDONLY) | (one_in(3) ? 0 : O_NONBLOCK));
	count(OPENED, fd >= 0);
	if (fd < 0)
		return;
	for (unsigned int i = below(20); i && !ended && !*pause_others; i--)
		uses[below(sizeof(uses) / sizeof(uses[0]))](fd);
	close(fd);
}

static void watch_state(void)
{
	char sink[256], file[300], value[32];
	int fd;

	if (!pick(SINKS, sink, sizeof(sink)))
		return;
	snprintf(file, sizeof(file), "%s/state", sink);
	fd = open(file, O_RDONLY);
	if (fd < 0)
		return;
	count(SHOWN, read(fd, value, sizeof(value)) > 0);
	count(POLLED, poll(&(struct pollfd){ .fd = fd, .events = POLLPRI }, 1, below(50)) > 0);
	close(fd);
}

static const struct {
	void (*act)(void);
	unsigned int share;
} acts[] = {
	{ use_device, 60 }, { write_attribute, 30 }, { show_attribute, 30 }, { start, 20 },
	{ stop, 8 }, { flush, 8 }, { switch_encoder, 10 }, { resize, 10 }, { watch_state, 5 },
	{ show_registers, 3 }, { unbind, 2 }, { bind_again, 8 },
};

static void act_randomly(void)
{
	unsigned int total = 0, chosen, i;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		total += acts[i].share;
	chosen = below(total);
	for (i = 0; chosen >= acts[i].share; i++)
		chosen -= acts[i].share;
	acts[i].act();
}

/* What somebody without any right got; false if nothing. */
static bool got_something(void)
{
	static const char *const secrets[] = { SINKS "/clock", SINKS "/head", SINKS "/tail",
					       SINKS "/lost", REGISTERS,
					       "/sys/module/rvtrace/sections/.text" };
	char file[512], value[5000];

	if (pick(DEVICES, file, sizeof(file)) && open(file, O_RDONLY) >= 0)
		goto got;
	if (pick(secrets[below(6)], file, sizeof(file)) && open(file, O_RDONLY) >= 0)
		goto got;
	random_value(value, sizeof(value));
	if (*value && pick_attribute(file, sizeof(file)) && !put(file, value))
		goto got;
	snprintf(file, sizeof(file), DRIVER "unbind");
	if (!put(file, "11100000.trace-funnel") || unload())
		goto got;
	count(REFUSED, true);
	return false;
got:
	printf("# uid %d could open or write %s\n", getuid(), file);
	return true;
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void __attribute__((noreturn)) work(unsigned int number)
{
	time_t next = time(NULL) + RELOAD_PERIOD;

	srandom(seed * PROCESSES_MAX + number);
	interrupt_every(1000 + 50 * number);
	while (!ended) {
		if (*pause_others) {
			usleep(20000);
		} else if (number == RELOADER && time(NULL) >= next) {
			reload();
			next = time(NULL) + RELOAD_PERIOD;
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
	return loaded == !access(SINK, F_OK) && loaded == !access("/sys/module/rvtrace", F_OK);
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

static struct usage before;

/* What is allocated once, by whoever does something for the first time, is no leak. */
static void warm_up(void)
{
	EXPECT_EQ(run_for(seconds_to_run / 10 + 5), 0);
	EXPECT(measure(&before));
	memset(deeds, 0, DEEDS * sizeof(*deeds));
	EXPECT(settle(true));
}

static bool everything_done(void)
{
	for (unsigned int i = 0; i < DEEDS; i++)
		if (!deeds[i])
			return false;
	return true;
}

/* On a busy machine some of it may not have had its turn. */
static void everything_at_once(void)
{
	printf("# seed %u, %u processes, %u s\n", seed, processes, seconds_to_run);
	for (int i = 0; i < 5 && !everything_done(); i++)
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
	EXPECT(after.slabs - before.slabs < 300 + cycles / 2);
	EXPECT(after.areas - before.areas < 16 + cycles / 4);
	EXPECT(before.free - after.free < (16 << 20));
}

static void a_normal_session_works(void)
{
	static char buffer[65536];
	struct reader reader = {};
	uint64_t total = 0;
	ssize_t n;

	EXPECT(settle(true));
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	burn(20);
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
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
	if (deeds == MAP_FAILED)
		return EXIT_FAILURE;
	pause_others = (bool *)&deeds[DEEDS];
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
