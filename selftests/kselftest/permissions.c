// SPDX-License-Identifier: GPL-2.0
/* Who may read, start and learn what: users, groups, capabilities, descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "harness.h"

#define NOBODY	65534
#define SOCKET	"/run/rvtrace/rvtraced.sock"
#define DRIVER	"/sys/bus/platform/drivers/rvtrace_tci/"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define BIT(n)	(1ULL << (n))

/**
 * struct identity - who a process is
 * @uid: user, and group of the same number
 * @group: a supplementary group, or -1
 * @capabilities: those it has, and no others
 */
struct identity {
	uid_t uid;
	gid_t group;
	uint64_t capabilities;
};

static gid_t reader_group = -1;
static const struct identity nobody = { NOBODY, -1, 0 };

static bool set_capabilities(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = capabilities >> (32 * i);
		data[i].permitted = data[i].effective;
		data[i].inheritable = 0;
	}
	return !syscall(SYS_capset, &header, data);
}

static bool become(const struct identity *who)
{
	gid_t group = who->group;

	return !setgroups(group != (gid_t)-1, &group) && !prctl(PR_SET_KEEPCAPS, 1) &&
	       !setresgid(who->uid, who->uid, who->uid) &&
	       !setresuid(who->uid, who->uid, who->uid) && set_capabilities(who->capabilities);
}

/* Run a part of the test as somebody else, in a child. */
static bool as(const struct identity *who, void (*part)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!become(who))
			fail(__FILE__, __LINE__, "cannot become uid %d: %s", who->uid,
			     strerror(errno));
		else
			part();
		fflush(stdout);
		_exit(has_failed());
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool denied(int fd)
{
	int error = errno;

	if (fd >= 0)
		close(fd);
	return fd < 0 && error == EACCES;
}

static bool all_files(const char *folder, bool (*each)(const char *file))
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	char file[1024];
	bool good = directory;

	while (directory && (entry = readdir(directory))) {
		snprintf(file, sizeof(file), "%s%s", folder, entry->d_name);
		if (entry->d_type == DT_REG && !each(file)) {
			printf("# %s\n", file);
			good = false;
		}
	}
	if (directory)
		closedir(directory);
	return good;
}

/* Call @each with every file of the components and the sink. */
static bool all_attributes(bool (*each)(const char *file))
{
	bool good = all_files(of_sink(""), each);
	const char *folder;

	for (unsigned int i = 0; (folder = component(i)); i++)
		good &= all_files(folder, each);
	return good;
}

static bool cannot_be_written(const char *file)
{
	return denied(open(file, O_WRONLY)) && denied(open(file, O_RDWR));
}

static int look_for_addresses(const char *path, const struct stat *st, int type, struct FTW *where)
{
	char text[16384];
	ssize_t n;
	int fd;

	(void)where;
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text));
	close(fd);
	if (n > 0 && has_address(text, n))
		fail(__FILE__, __LINE__, "%s has an address", path);
	return 0;
}

static void looks_for_addresses(void)
{
	const char * const folders[] = {
		of_sink(""), "/sys/module/rvtrace", "/sys/kernel/debug",
	};
	const char *folder;

	for (unsigned int i = 0; (folder = component(i)); i++)
		nftw(folder, look_for_addresses, 16, FTW_PHYS);
	for (unsigned int i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		nftw(folders[i], look_for_addresses, 16, FTW_PHYS);
}

static void cannot_open_the_device(void)
{
	struct rvtrace_consume c = {};
	int fd, ret;
	char byte;

	EXPECT(denied(open(sink_device(), O_RDONLY)));
	EXPECT(denied(open(sink_device(), O_RDWR)));
	EXPECT(denied(open(sink_device(), O_WRONLY)));
	fd = open(sink_device(), O_PATH);
	EXPECT(fd >= 0);
	EXPECT(read(fd, &byte, 1) < 0 && errno == EBADF);
	EXPECT(ioctl(fd, RVTRACE_IOC_CONSUME, &c) < 0 && errno == EBADF);
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EBADF);
	ret = poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0);
	EXPECT(ret == 1);
	close(fd);
	EXPECT(mknod("/tmp/rvtrace-copy", S_IFCHR | 0666, get_number(of_sink("dev"))) < 0 &&
	       errno == EPERM);
}

/* They tell of the trace, or keep the hardware busy. */
static bool is_for_the_group(const char *file)
{
	static const char * const names[] = { "clock", "head", "tail", "lost", "rate",
					      "peak_rate", "timestamp_frequency" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(strrchr(file, '/') + 1, names[i]))
			return true;
	return false;
}

static bool is_readable_unless_for_the_group(const char *file)
{
	struct stat st;
	int fd = open(file, O_RDONLY);

	if (fd >= 0)
		close(fd);
	if (stat(file, &st))
		return false;
	return (fd >= 0) == (st.st_mode & 0444 && !is_for_the_group(file));
}

static void cannot_control(void)
{
	EXPECT(all_attributes(cannot_be_written));
	EXPECT(denied(open(DRIVER "unbind", O_WRONLY)));
	EXPECT(denied(open(DRIVER "bind", O_WRONLY)));
	EXPECT(syscall(SYS_delete_module, "rvtrace", O_NONBLOCK) < 0 && errno == EPERM);
}

static void is_without_any_right(void)
{
	cannot_open_the_device();
	cannot_control();
	EXPECT(all_attributes(is_readable_unless_for_the_group));
	EXPECT(denied(open("/sys/kernel/debug", O_RDONLY)));
	looks_for_addresses();
}

static void nobody_gets_nothing(void)
{
	EXPECT(as(&nobody, is_without_any_right));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(as(&nobody, is_without_any_right));
	EXPECT(is(of_sink("tracing"), "1"));
}

/* Root of a user namespace of its own is nobody here. */
static void is_root_elsewhere(void)
{
	if (unshare(CLONE_NEWUSER))
		return;
	cannot_open_the_device();
	cannot_control();
}

static void root_of_a_namespace_gets_nothing(void)
{
	EXPECT(as(&nobody, is_root_elsewhere));
}

static void reads_but_does_not_control(void)
{
	struct reader reader = {};
	uint32_t tasks = RVTRACE_TASKS_WANTED | RVTRACE_TASKS_ADDRESSES;
	const struct rvtrace_record_task *task;
	unsigned int count = 0;
	uint64_t records;
	char byte;

	EXPECT(reader_open(&reader));
	records = reader.control->records_tail;
	EXPECT(ioctl(reader.fd, RVTRACE_IOC_TASKS, &tasks) < 0 && errno == EPERM);
	EXPECT_EQ(read(reader.fd, &byte, 1), 1);
	EXPECT(reader_record(&reader, &records, RVTRACE_RECORD_SESSION_BEGIN));
	while ((task = (const void *)reader_record(&reader, &records, RVTRACE_RECORD_TASK))) {
		EXPECT_EQ(task->task, 0);
		count++;
	}
	EXPECT(count > 0);
	EXPECT(get_number(of_sink("head")) > 0);
	EXPECT(access(of_sink("clock"), R_OK) == 0);
	EXPECT(access(ENCODER0 "timestamp_frequency", R_OK) == 0);
	reader_close(&reader);
	cannot_control();
}

static void group_reads_but_does_not_control(void)
{
	uint32_t tasks = RVTRACE_TASKS_WANTED | RVTRACE_TASKS_ADDRESSES;
	struct identity member = { NOBODY, reader_group, 0 };
	const struct rvtrace_record_task *task;
	struct reader reader = {};
	uint64_t at;

	if (reader_group == (gid_t)-1) {
		skip("no group rvtrace");
		return;
	}
	/* What somebody left behind who may have addresses */
	EXPECT(reader_open(&reader));
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, &tasks), 0);
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	task = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_TASK);
	EXPECT(task && task->task);
	reader_close(&reader);
	EXPECT(as(&member, reads_but_does_not_control));
	EXPECT(is(of_sink("tracing"), "1"));
}

/* What root opened and the children inherit. */
static int tracing_fd = -1, device_fd = -1;

static int write_tracing(const char *value)
{
	return pwrite(tracing_fd, value, strlen(value), 0) < 0 ? -errno : 0;
}

static void is_refused(void)
{
	EXPECT_EQ(write_tracing("1"), -EPERM);
	EXPECT_EQ(write_tracing("0"), -EPERM);
}

static void starts_and_stops(void)
{
	EXPECT_EQ(write_tracing("1"), 0);
	EXPECT_EQ(write_tracing("0"), 0);
}

static void is_refused_as_root_elsewhere(void)
{
	if (!unshare(CLONE_NEWUSER))
		is_refused();
}

static void has_no_file_to_write_to(void)
{
	cannot_open_the_device();
	EXPECT(all_attributes(cannot_be_written));
}

static void start_needs_the_file_and_the_capability(void)
{
	struct identity perfmon = { NOBODY, -1, BIT(CAP_PERFMON) };
	struct identity admin = { NOBODY, -1, BIT(CAP_SYS_ADMIN) };
	struct identity other = { NOBODY, -1, ~(BIT(CAP_PERFMON) | BIT(CAP_SYS_ADMIN)) &
					      (BIT(CAP_PERFMON + 1) - 1) };

	tracing_fd = open(of_sink("tracing"), O_RDWR);
	EXPECT(tracing_fd >= 0);
	EXPECT(as(&perfmon, has_no_file_to_write_to));
	EXPECT(as(&perfmon, starts_and_stops));
	EXPECT(as(&admin, starts_and_stops));
	EXPECT(as(&nobody, is_refused));
	EXPECT(as(&nobody, is_refused_as_root_elsewhere));
	EXPECT(as(&other, is_refused));
	close(tracing_fd);
}

static void configures_but_does_not_start(void)
{
	EXPECT_EQ(put(ENCODER0 "inst_mode", "history"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), -EPERM);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), -EPERM);
}

static void root_without_the_capability_is_told(void)
{
	struct identity bare = { 0, -1, 0 };
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	EXPECT(log >= 0);
	lseek(log, 0, SEEK_END);
	EXPECT(as(&bare, configures_but_does_not_start));
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT(is_told(log, "CAP_PERFMON"));
	close(log);
}

static void uses_the_descriptor_it_got(void)
{
	struct reader reader = { .fd = device_fd };
	char byte;

	EXPECT_EQ(read(device_fd, &byte, 1), 1);
	reader.control = mmap(NULL, 4096, PROT_READ, MAP_SHARED, device_fd, RVTRACE_MMAP_CONTROL);
	EXPECT(reader.control != MAP_FAILED);
	EXPECT(reader.control->head > 0);
	EXPECT(denied(open(sink_device(), O_RDONLY)));
}

/* Who opened it had the right and chose to share it. */
static void descriptor_of_the_device_carries_the_right(void)
{
	device_fd = open(sink_device(), O_RDONLY);
	EXPECT(device_fd >= 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(as(&nobody, uses_the_descriptor_it_got));
	close(device_fd);
}

/* The daemon; 0 when there is none to run. */
static pid_t start_daemon(void)
{
	pid_t pid = fork();

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		execlp("rvtraced", "rvtraced", "--foreground", NULL);
		_exit(127);
	}
	for (int i = 0; i < 1200 && access(SOCKET, F_OK); i++) {
		usleep(50000);
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return 0;
	}
	return pid;
}

static int connect_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;

	close(fd);
	return ret;
}

static void cannot_reach_the_daemon(void)
{
	EXPECT_EQ(connect_daemon(), -EACCES);
}

/* Until the ring is full at most: a slow machine loses nothing. */
static void records_through_the_daemon(void)
{
	char directory[] = "/tmp/rvtrace-XXXXXX", command[256];
	struct stat st;

	EXPECT(mkdtemp(directory));
	EXPECT_EQ(connect_daemon(), 0);
	snprintf(command, sizeof(command),
		 "tracectl record --sink=%s --sink-mode=fill -o %s/r -- true > %s/log 2>&1",
		 sink_name(), directory, directory);
	if (system(command)) {
		snprintf(command, sizeof(command), "sed 's/^/# /' %s/log", directory);
		fail(__FILE__, __LINE__, "tracectl record: %d", system(command));
	}
	snprintf(command, sizeof(command), "%s/r/metadata.json", directory);
	EXPECT(!stat(command, &st) && st.st_uid == NOBODY && st.st_size);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	EXPECT_EQ(system(command), 0);
}

static void daemon_serves_the_group_and_nobody_else(void)
{
	struct identity member = { NOBODY, reader_group, 0 };
	bool refused, recorded;
	pid_t daemon;

	if (reader_group == (gid_t)-1) {
		skip("no group rvtrace");
		return;
	}
	/* The daemon records in a process that it confines. */
	if (prctl(PR_GET_SECCOMP)) {
		skip("no seccomp in this kernel");
		return;
	}
	daemon = start_daemon();
	if (!daemon) {
		skip("no rvtraced");
		return;
	}
	refused = as(&nobody, cannot_reach_the_daemon);
	recorded = as(&member, records_through_the_daemon);
	kill(daemon, SIGTERM);
	waitpid(daemon, NULL, 0);
	EXPECT(refused);
	EXPECT(recorded);
}

static void log_has_no_address(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char line[2048];
	ssize_t n;

	EXPECT(fd >= 0);
	while ((n = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[n > 0 ? n : 0] = '\0';
		if (strstr(line, "rvtrace") && has_address(line, strlen(line)))
			fail(__FILE__, __LINE__, "%s", line);
	}
	close(fd);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(nobody_gets_nothing),
		TEST(root_of_a_namespace_gets_nothing),
		TEST(group_reads_but_does_not_control),
		TEST(start_needs_the_file_and_the_capability),
		TEST(root_without_the_capability_is_told),
		TEST(descriptor_of_the_device_carries_the_right),
		TEST(daemon_serves_the_group_and_nobody_else),
		TEST(log_has_no_address),
	};
	struct group *group = getgrnam("rvtrace");

	if (group)
		reader_group = group->gr_gid;
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
