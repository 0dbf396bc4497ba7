// SPDX-License-Identifier: GPL-2.0
/* Components that go while somebody uses them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#include "harness.h"

#define DEVICES	"/sys/bus/platform/devices/"
#define PAGE	4096
#define DRIVER	"/sys/bus/platform/drivers/rvtrace_tci/"
#define REGISTERS	"/sys/kernel/debug/rvtrace_tci/%s/registers"

static void module_in_use_cannot_be_removed(void)
{
	int fd = open(sink_device(), O_RDONLY);

	EXPECT(fd >= 0);
	EXPECT(syscall(SYS_delete_module, "rvtrace", O_NONBLOCK) < 0 && errno == EWOULDBLOCK);
	close(fd);
}

static void unbinding_the_sink_turns_readers_away(void)
{
	struct rvtrace_consume c = {};
	struct reader reader = {};
	struct pollfd p;
	char name[512], byte;

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(reader.control->state, RVTRACE_STATE_GONE);
	EXPECT_EQ(read(reader.fd, &byte, 1), 0);
	p = (struct pollfd){ .fd = reader.fd, .events = POLLIN };
	EXPECT_EQ(poll(&p, 1, 60000), 1);
	EXPECT(p.revents & POLLHUP);
	EXPECT(ioctl(reader.fd, RVTRACE_IOC_CONSUME, &c) < 0 && errno == ENODEV);
	EXPECT(is(ENCODER0 "enable", "0"));
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(put(ENCODER0 "enable", "1") < 0);
	EXPECT(is(ENCODER0 "sink_name", ""));
	reader_close(&reader);
	EXPECT(access(of_sink(""), F_OK));
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(sink_comes());
	EXPECT(is(ENCODER0 "sink_name", sink_name()));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void mapping_of_an_unbound_sink_shows_no_later_trace(void)
{
	struct reader reader = {};
	char name[512], tracing[512];
	uint64_t size, sum = 0;

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	EXPECT(reader_open(&reader));
	size = reader.control->data_size;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT(*(const uint64_t *)reader.data);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(reader.control->valid_from, reader.control->head);
	EXPECT(reader.control->lost > 0);
	/* It has another name, because the one of before is still open. */
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	snprintf(tracing, sizeof(tracing), "/sys/class/rvtrace_sink/%s/tracing",
		 get(ENCODER0 "sink_name"));
	EXPECT_EQ(put(tracing, "1"), 0);
	burn(10);
	EXPECT_EQ(put(tracing, "0"), 0);
	for (uint64_t i = 0; i < size; i += sizeof(uint64_t))
		sum |= *(const uint64_t *)(reader.data + i);
	EXPECT_EQ(sum, 0);
	EXPECT_EQ(reader.control->state, RVTRACE_STATE_GONE);
	reader_close(&reader);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(sink_comes());
}

#define CGROUPS	"/run/ksft-cgroups/"
#define CGROUP	CGROUPS "reader/"

/* What is charged to this process alone. Bytes, or -1 where nothing is. */
static long long begin_to_charge(void)
{
	if ((mkdir(CGROUPS, 0700) && errno != EEXIST) ||
	    mount("none", CGROUPS, "cgroup2", 0, NULL))
		return -1;
	if (put(CGROUPS "cgroup.subtree_control", "+memory") || mkdir(CGROUP, 0700) ||
	    put(CGROUP "cgroup.procs", "0"))
		return -1;
	return get_number(CGROUP "memory.current");
}

static void end_charging(void)
{
	put(CGROUPS "cgroup.procs", "0");
	rmdir(CGROUP);
	umount2(CGROUPS, MNT_DETACH);
	rmdir(CGROUPS);
}

static void zeros_in_its_place_are_charged_to_their_reader(void)
{
	struct reader reader = {};
	long long before, after;
	uint64_t size, sum = 0;
	char name[512];

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	EXPECT(reader_open(&reader));
	size = reader.control->data_size;
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	before = begin_to_charge();
	for (uint64_t i = 0; i < size; i += PAGE)
		sum += reader.data[i];
	after = get_number(CGROUP "memory.current");
	end_charging();
	reader_close(&reader);
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(sink_comes());
	EXPECT_EQ(sum, 0);
	if (before < 0 || size < 1 << 20) {
		skip("no cgroup that accounts memory, or a ring of less than a MiB");
		return;
	}
	/* The kernel charges some pages in advance. */
	EXPECT(after - before >= (long long)size - 64 * PAGE);
}

static void unbinding_wakes_a_blocked_reader(void)
{
	char name[512], byte;
	int status;
	pid_t pid;

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	pid = fork();
	if (!pid) {
		int fd = open(sink_device(), O_RDONLY);

		alarm(60);
		_exit(fd < 0 || read(fd, &byte, 1));
	}
	EXPECT(is_reading(pid));
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(sink_comes());
}

/* A page that is not there: who touches it waits until serve_page(). */
static void *absent_page(int *faults)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range.len = PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*faults = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (*faults < 0 || page == MAP_FAILED)
		return NULL;
	range.range.start = (uintptr_t)page;
	if (ioctl(*faults, UFFDIO_API, &api) || ioctl(*faults, UFFDIO_REGISTER, &range))
		return NULL;
	return page;
}

static bool serve_page(int faults, void *page)
{
	struct uffdio_zeropage zero = { .range = { .start = (uintptr_t)page, .len = PAGE } };

	return !ioctl(faults, UFFDIO_ZEROPAGE, &zero);
}

struct copy {
	int fd;
	void *to;
	ssize_t count;
};

static void *copy(void *argument)
{
	struct copy *c = argument;

	c->count = read(c->fd, c->to, PAGE);
	return NULL;
}

/* A process that writes to a file, or is killed by its alarm */
static pid_t put_in_background(const char *file, const char *value, unsigned int seconds)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	alarm(seconds);
	put(file, value);
	_exit(0);
}

static bool finishes(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The same, if it does so within a minute. */
static bool finishes_soon(pid_t pid)
{
	siginfo_t info = {};

	for (int i = 0; i < 6000 && !info.si_pid; i++, usleep(10000))
		if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT))
			return false;
	return info.si_pid == pid && finishes(pid);
}

/*
 * Who reads @fd waits for its page, as where its buffer is of a file system that does not answer,
 * and stops nobody who unbinds @name. @count: out: bytes read once the page came; -1: none
 */
static void read_while_unbound(int fd, const char *name, ssize_t *count)
{
	struct pollfd fault = { .events = POLLIN };
	struct copy c = { .fd = fd, .count = -1 };
	bool begun, unbound, others, served;
	pthread_t thread;
	pid_t pid;

	c.to = absent_page(&fault.fd);
	if (!c.to) {
		skip("the kernel has no userfaultfd()");
		return;
	}
	EXPECT_EQ(pthread_create(&thread, NULL, copy, &c), 0);
	begun = poll(&fault, 1, 60000) == 1;
	pid = put_in_background(DRIVER "unbind", name, 0);
	unbound = finishes_soon(pid);
	others = finishes(put_in_background(ENCODER0 "reset", "1", 60));
	served = serve_page(fault.fd, c.to);
	pthread_join(thread, NULL);
	EXPECT(begun);
	EXPECT(unbound);
	EXPECT(others);
	EXPECT(served);
	close(fault.fd);
	munmap(c.to, PAGE);
	*count = c.count;
}

static void reader_that_waits_for_its_page_stops_nobody(void)
{
	struct reader reader = {};
	ssize_t count = -1;
	char name[512];

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	read_while_unbound(reader.fd, name, &count);
	if (count >= 0) {
		EXPECT_EQ(count, 0);
		EXPECT_EQ(reader.control->state, RVTRACE_STATE_GONE);
		EXPECT_EQ(put(DRIVER "bind", name), 0);
	}
	reader_close(&reader);
	EXPECT(sink_comes());
}

static void nor_does_one_of_registers(void)
{
	char name[512], path[512];
	ssize_t count = -1;
	int fd;

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	snprintf(path, sizeof(path), REGISTERS, get(of_sink("component")));
	fd = open(path, O_RDONLY);
	if (fd < 0) {
		skip("the kernel has no debugfs");
		return;
	}
	read_while_unbound(fd, name, &count);
	if (count >= 0) {
		EXPECT(count > 0);
		EXPECT_EQ(put(DRIVER "bind", name), 0);
	}
	close(fd);
	EXPECT(sink_comes());
}

/* The next sink has the same memory. */
static bool has_reserved_memory(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), DEVICES "%s/of_node/memory-region", name);
	return !access(path, F_OK);
}

/* What the next reader of the same memory records is not seen through the pipe. */
static void pages_of_an_unbound_sink_are_still_held(void)
{
	struct iovec page = { .iov_len = PAGE };
	struct reader reader = {};
	char name[512];
	int pipes[2], fd;

	EXPECT(device_name(get(of_sink("component")), name, sizeof(name)));
	EXPECT_EQ(pipe(pipes), 0);
	EXPECT(reader_open(&reader));
	page.iov_base = (void *)reader.data;
	EXPECT_EQ(vmsplice(pipes[1], &page, 1, 0), PAGE);
	reader_close(&reader);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(sink_comes());
	fd = open(sink_device(), O_RDONLY);
	if (has_reserved_memory(name)) {
		EXPECT(fd < 0 && errno == EBUSY);
		EXPECT_EQ(put(of_sink("tracing"), "1"), -EBUSY);
	}
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	fd = open(sink_device(), O_RDONLY);
	EXPECT(fd >= 0);
	close(fd);
}

static void unbinding_an_encoder_ends_the_session_and_keeps_its_trace(void)
{
	const struct rvtrace_record_session_end *end;
	struct reader reader = {};
	char name[512], byte;
	uint64_t at;

	EXPECT(device_name("encoder0", name, sizeof(name)));
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT_EQ(reader.control->state, RVTRACE_STATE_STOPPED);
	end = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END);
	EXPECT(end);
	EXPECT_EQ(end->error, -ENODEV);
	EXPECT(reader.control->head > reader.control->session_start);
	EXPECT_EQ(read(reader.fd, &byte, 1), 1);
	reader_close(&reader);
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(comes(ENCODER0 "enable"));
	EXPECT(is(ENCODER0 "sink_name", sink_name()));
}

#define SETTINGS	4096

/* What was chosen for every field of encoder 0 that has a choice */
static char settings[SETTINGS];

static void add_setting(const char *file, const char *available)
{
	size_t used = strlen(settings);

	(void)available;
	snprintf(settings + used, sizeof(settings) - used, "%s %s\n",
		 strrchr(file, '/') + 1, get(file));
}

static const char *all_settings(void)
{
	settings[0] = '\0';
	each_choice_in(ENCODER0, add_setting);
	return settings;
}

/* A folder has no order that lasts. */
static bool same_settings(const char *before)
{
	static char now[SETTINGS];
	char *line, *rest;

	snprintf(now, sizeof(now), "%s", all_settings());
	if (strlen(now) != strlen(before))
		return false;
	for (line = strtok_r(now, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strstr(before, line))
			continue;
		printf("# %s\n", line);
		return false;
	}
	return true;
}

/* As firmware or a debugger may leave an encoder: it traces, with settings of theirs. */
static bool scribble(const char *name)
{
	static const unsigned int offsets[] = {
		0x008, 0x00c, 0x040, 0x050, 0x054, 0x058, 0x060, 0x064, 0x300,
	};
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	volatile uint32_t *page = fd < 0 ? MAP_FAILED :
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     strtoull(name, NULL, 16));
	bool active;

	if (fd >= 0)
		close(fd);
	if (page == MAP_FAILED)
		return false;
	page[0] = 1;
	for (int i = 0; i < 100 && !(page[0] & 1); i++)
		usleep(1000);
	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		page[offsets[i] / 4] = ~0U;
	page[0] = 3;
	active = page[0] & 1;
	munmap((void *)page, 4096);
	return active;
}

static void what_others_left_in_an_encoder_is_reset(void)
{
	static char before[SETTINGS];
	char name[512];

	EXPECT(device_name("encoder0", name, sizeof(name)));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	snprintf(before, sizeof(before), "%s", all_settings());
	EXPECT(*before);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	if (!scribble(name))
		skip("registers cannot be written through /dev/mem");
	EXPECT_EQ(put(DRIVER "bind", name), 0);
	EXPECT(comes(ENCODER0 "enable"));
	EXPECT(same_settings(before));
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void module_with_a_session_cannot_be_removed(void)
{
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(syscall(SYS_delete_module, "rvtrace", O_NONBLOCK) < 0 && errno == EWOULDBLOCK);
	burn(10);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(syscall(SYS_delete_module, "rvtrace", O_NONBLOCK), 0);
	EXPECT(access(of_sink(""), F_OK));
	EXPECT_EQ(system("modprobe rvtrace"), 0);
	EXPECT(sink_comes());
	EXPECT(is(of_sink("state"), "idle"));
}

/* A platform device that nobody drives, and that is no part of the trace hardware */
static bool undriven_device(char *name, size_t size)
{
	DIR *devices = opendir(DEVICES);
	struct dirent *entry;
	char path[512];
	bool found = false;

	while (devices && !found && (entry = readdir(devices))) {
		snprintf(path, sizeof(path), DEVICES "%s/driver", entry->d_name);
		found = *entry->d_name != '.' && !strstr(entry->d_name, "trace") &&
			access(path, F_OK);
		if (found)
			snprintf(name, size, "%s", entry->d_name);
	}
	if (devices)
		closedir(devices);
	return found;
}

static void device_of_another_sort_is_refused(void)
{
	char name[256], override[512];

	if (!undriven_device(name, sizeof(name))) {
		skip("every platform device has a driver");
		return;
	}
	snprintf(override, sizeof(override), DEVICES "%s/driver_override", name);
	EXPECT_EQ(put(override, "rvtrace_tci"), 0);
	EXPECT(is(override, "rvtrace_tci"));
	EXPECT_EQ(put(DRIVER "bind", name), -ENODEV);
	EXPECT_EQ(put(override, "\n"), 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(module_in_use_cannot_be_removed),
		TEST(unbinding_the_sink_turns_readers_away),
		TEST(mapping_of_an_unbound_sink_shows_no_later_trace),
		TEST(zeros_in_its_place_are_charged_to_their_reader),
		TEST(unbinding_wakes_a_blocked_reader),
		TEST(reader_that_waits_for_its_page_stops_nobody),
		TEST(nor_does_one_of_registers),
		TEST(pages_of_an_unbound_sink_are_still_held),
		TEST(unbinding_an_encoder_ends_the_session_and_keeps_its_trace),
		TEST(what_others_left_in_an_encoder_is_reset),
		TEST(device_of_another_sort_is_refused),
		TEST(module_with_a_session_cannot_be_removed),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
