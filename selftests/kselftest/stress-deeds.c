// SPDX-License-Identifier: GPL-2.0
/* What one process of ksft-stress does at a time. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "stress.h"

#define COMPONENTS	"/sys/bus/rvtrace_tci/devices/*"
#define SINKS		"/sys/class/rvtrace_sink/*"
#define DEVICES		"/dev/rvtrace*"
#define BOUND		"/sys/bus/platform/drivers/rvtrace_tci/*.*"
#define DRIVER		"/sys/bus/platform/drivers/rvtrace_tci/"
#define REGISTERS	"/sys/kernel/debug/rvtrace_tci/*/registers"

unsigned long *deeds;
volatile unsigned long *pauses;
volatile sig_atomic_t ended;

static void count(enum deed deed, bool done)
{
	if (done)
		__atomic_add_fetch(&deeds[deed], 1, __ATOMIC_RELAXED);
}

static void pause_others(void)
{
	__atomic_add_fetch(pauses, 1, __ATOMIC_RELAXED);
}

static void others_go_on(void)
{
	__atomic_sub_fetch(pauses, 1, __ATOMIC_RELAXED);
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

bool put_sink(const char *name, const char *value)
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

	if (pick("/sys/bus/rvtrace_tci/devices/encoder*/enable", file, sizeof(file)))
		count(CONFIGURED, !put(file, one_in(2) ? "1" : "0"));
}

/* Stop and read what is there, but not for ever if somebody starts it again meanwhile. */
static void empty(const char *sink)
{
	static char buffer[300000];
	char file[300];
	int fd;

	snprintf(file, sizeof(file), "%s/tracing", sink);
	put(file, "0");
	snprintf(file, sizeof(file), "/dev/%s", strrchr(sink, '/') + 1);
	fd = open(file, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	for (unsigned int i = 0; i < 64 && !ended && read(fd, buffer, sizeof(buffer)) > 0; i++)
		;
	close(fd);
}

/* A buffer is hardly ever idle: sometimes the others wait until it is. */
static void resize(void)
{
	char sink[256], file[300], value[32] = "16777216";
	bool done;

	if (!pick(SINKS, sink, sizeof(sink)))
		return;
	snprintf(file, sizeof(file), "%s/buffer_size", sink);
	if (!one_in(4))
		snprintf(value, sizeof(value), "%u", (1 + below(64)) * 4096U);
	done = !put(file, value);
	if (!done && one_in(4)) {
		pause_others();
		for (unsigned int i = 0; i < 20 && !done && !ended; i++) {
			usleep(50000);
			empty(sink);
			done = !put(file, value);
		}
		others_go_on();
	}
	count(RESIZED, done);
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

bool load(void)
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

bool unload(void)
{
	return !syscall(SYS_delete_module, "rvtrace", O_NONBLOCK);
}

void reload(void)
{
	bool gone = unload();

	pause_others();
	for (unsigned int i = 0; i < 40 && !gone && !ended; i++) {
		usleep(50000);
		put_sink("tracing", "0");
		gone = unload();
	}
	others_go_on();
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

void interrupt_every(unsigned int ms)
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
	for (unsigned int i = below(20); i && !ended && !*pauses; i--)
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

void act_randomly(void)
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
bool got_something(void)
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
