// SPDX-License-Identifier: GPL-2.0
/* Files of components: values, what is refused, what is read-only. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "harness.h"

static void names_and_numbers_mean_the_same(void)
{
	EXPECT_EQ(put(ENCODER0 "inst_mode", "history"), 0);
	EXPECT(is(ENCODER0 "inst_mode", "history"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "3\n"), 0);
	EXPECT(is(ENCODER0 "inst_mode", "branch"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "0x7"), 0);
	EXPECT(is(ENCODER0 "inst_mode", "history-optimized"));
}

static void illegal_value_is_refused_and_the_old_one_kept(void)
{
	EXPECT_EQ(put(ENCODER0 "inst_mode", "history"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "no-such-mode"), -EINVAL);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "5"), -EINVAL);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "8"), -EINVAL);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "-1"), -EINVAL);
	EXPECT_EQ(put(ENCODER0 "inst_mode", ""), 0); /* nothing was written */
	EXPECT(is(ENCODER0 "inst_mode", "history"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "history-optimized"), 0);
}

/* Call @each for every file in encoder0 that lists values. */
static void each_list(void (*each)(const char *file, const char *list))
{
	DIR *dir = opendir(ENCODER0);
	struct dirent *entry;
	char file[512], list[512];
	char *end;

	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), ENCODER0 "%s", entry->d_name);
		end = strstr(file, "_available");
		if (!end)
			continue;
		snprintf(list, sizeof(list), "%s", get(file));
		*end = '\0';
		each(file, list);
	}
	if (dir)
		closedir(dir);
}

/* Fields too wide for a list have those that can be set. */
static bool is_set_of_bits(const char *list)
{
	return !strncmp(list, "0x", 2);
}

static unsigned int lists;

static void write_all(const char *file, const char *list)
{
	char before[64], copy[512], *value, *rest;

	lists++;
	snprintf(before, sizeof(before), "%s", get(file));
	snprintf(copy, sizeof(copy), "%s", list);
	for (value = strtok_r(copy, " ", &rest); value; value = strtok_r(NULL, " ", &rest)) {
		EXPECT_EQ(put(file, value), 0);
		if (is_set_of_bits(list))
			EXPECT_EQ(get_number(file), strtoull(value, NULL, 0));
		else
			EXPECT(is(file, value));
	}
	EXPECT_EQ(put(file, before), 0);
}

static void every_available_value_can_be_chosen(void)
{
	lists = 0;
	each_list(write_all);
	EXPECT(lists >= 15);
}

static void write_others(const char *file, const char *list)
{
	char before[64], number[8];
	unsigned int kept = 0, listed = 1;
	const char *p;

	snprintf(before, sizeof(before), "%s", get(file));
	for (p = list; *p; p++)
		listed += *p == ' ';
	if (is_set_of_bits(list))
		listed = 1 << __builtin_popcount(strtoull(list, NULL, 0) & 255);
	for (unsigned int value = 0; value < 256; value++) {
		snprintf(number, sizeof(number), "%u", value);
		kept += !put(file, number);
	}
	EXPECT_EQ(kept, listed);
	EXPECT_EQ(put(file, before), 0);
}

static void no_other_value_can_be_chosen(void)
{
	each_list(write_others);
}

static void read_only_files_refuse_writes(void)
{
	EXPECT(put(ENCODER0 "empty", "0") < 0);
	EXPECT(put(ENCODER0 "inst_tracing", "1") < 0);
	EXPECT(put(ENCODER0 "active", "1") < 0);
	EXPECT(put(ENCODER0 "impl", "0") < 0);
	EXPECT(put(FUNNEL "enable", "1") < 0);
	EXPECT(put(SINK "head", "0") < 0);
	EXPECT(put(SINK "state", "idle") < 0);
}

static void components_are_in_reset_outside_sessions(void)
{
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(FUNNEL "active", "0"));
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	EXPECT(is(ENCODER0 "active", "1"));
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(is(FUNNEL "active", "1"));
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	EXPECT(is(ENCODER0 "empty", "1"));
	EXPECT(is(FUNNEL "active", "0"));
}

static void configuration_survives_sessions(void)
{
	EXPECT_EQ(put(ENCODER0 "sync_max", "5"), 0);
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	EXPECT(is(ENCODER0 "sync_max", "5"));
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
	EXPECT(is(ENCODER0 "sync_max", "5"));
	EXPECT_EQ(put(ENCODER0 "sync_max", "8"), 0);
}

static void configuration_is_busy_in_a_session(void)
{
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "branch"), -EBUSY);
	EXPECT_EQ(put(FUNNEL "stop_on_wrap", "1"), -EBUSY);
	EXPECT_EQ(put(SINK "mode", "fill"), -EBUSY);
	EXPECT_EQ(put(SINK "buffer_size", "65536"), -EBUSY);
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
}

static void mode_is_stop_on_wrap(void)
{
	EXPECT(is(SINK "mode", "stream"));
	EXPECT(is(FUNNEL "stop_on_wrap", "0"));
	EXPECT_EQ(put(SINK "mode", "fill"), 0);
	EXPECT(is(FUNNEL "stop_on_wrap", "1"));
	EXPECT_EQ(put(FUNNEL "stop_on_wrap", "0"), 0);
	EXPECT(is(SINK "mode", "stream"));
	EXPECT_EQ(put(SINK "mode", "snapshot"), -EINVAL);
	EXPECT_EQ(put(SINK "mode", "7"), -EINVAL);
}

static void buffer_size_has_limits(void)
{
	char size[32];

	snprintf(size, sizeof(size), "%lld", get_number(SINK "buffer_size_max") + 4096);
	EXPECT_EQ(put(SINK "buffer_size", size), -EINVAL);
	EXPECT_EQ(put(SINK "buffer_size", "0"), -EINVAL);
	EXPECT_EQ(put(SINK "buffer_size", "4097"), -EINVAL);
	EXPECT_EQ(put(SINK "buffer_size", "12288"), 0);
	EXPECT(is(SINK "buffer_size", "12288"));
}

static void components_know_their_sink_and_cpu(void)
{
	EXPECT(is(ENCODER0 "sink_name", "rvtrace0"));
	EXPECT(is(FUNNEL "sink_name", "rvtrace0"));
	EXPECT(is(SINK "component", "funnel0"));
	EXPECT(strlen(get(ENCODER0 "cpus")) > 0);
	EXPECT_EQ(get_number(ENCODER0 "impl") & RVTRACE_ABI_VERSION, 1);
}

/* A file to poll() for changes. */
static int watch(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	char value[64];

	return fd < 0 || read(fd, value, sizeof(value)) < 0 ? -1 : fd;
}

/* What a watched file became; empty when it did not change. */
static const char *changed(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLPRI };
	static char value[64];
	ssize_t n;

	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLPRI))
		return "";
	n = pread(fd, value, sizeof(value) - 1, 0);
	value[n < 0 ? 0 : n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return value;
}

static void state_and_session_can_be_polled(void)
{
	int state = watch(SINK "state"), session = watch(SINK "session"), device;
	long long number = get_number(SINK "session");
	char buffer[65536];

	EXPECT(state >= 0 && session >= 0);
	EXPECT(!strcmp(changed(state), "") && !strcmp(changed(session), ""));
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	EXPECT(!strcmp(changed(state), "running"));
	EXPECT_EQ(atoll(changed(session)), number + 1);
	EXPECT(!strcmp(changed(state), "") && !strcmp(changed(session), ""));
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
	EXPECT(!strcmp(changed(state), "stopped"));
	device = open(DEVICE, O_RDONLY);
	EXPECT(device >= 0);
	while (read(device, buffer, sizeof(buffer)) > 0)
		;
	EXPECT(!strcmp(changed(state), "idle"));
	close(device);
	close(session);
	close(state);
}

/* The next uevent of the sink; false when there is none. */
static bool next_uevent(int fd, char *event, size_t size)
{
	ssize_t n;

	while ((n = recv(fd, event, size - 1, MSG_DONTWAIT)) > 0) {
		event[n] = '\0';
		if (!strncmp(event, "change@", 7) && strstr(event, "/rvtrace_sink/rvtrace0"))
			return true;
	}
	return false;
}

static const char *member(const char *event, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (const char *p = event; p < event + size && *p; p += strlen(p) + 1)
		if (!strncmp(p, name, length) && p[length] == '=')
			return p + length + 1;
	return "";
}

static void uevents_tell_when_a_session_begins_and_ends(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	static const char *const states[] = { "running", "stopped" };
	char event[4096];

	EXPECT(fd >= 0);
	EXPECT_EQ(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
	for (int i = 0; i < 2; i++) {
		memset(event, 0, sizeof(event));
		EXPECT(next_uevent(fd, event, sizeof(event)));
		EXPECT(!strcmp(member(event, sizeof(event), "RVTRACE_STATE"), states[i]));
		EXPECT_EQ(atoll(member(event, sizeof(event), "RVTRACE_SESSION")),
			  get_number(SINK "session"));
	}
	close(fd);
}

static void no_file_shows_a_kernel_pointer(void)
{
	static const char * const dirs[] = { ENCODER0, FUNNEL, SINK };
	char file[512];

	EXPECT_EQ(put(SINK "tracing", "1"), 0);
	for (unsigned int i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		DIR *dir = opendir(dirs[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			snprintf(file, sizeof(file), "%s%s", dirs[i], entry->d_name);
			if (strstr(get(file), "ffffff"))
				fail(__FILE__, __LINE__, "%s: %s", file, get(file));
		}
		if (dir)
			closedir(dir);
	}
	EXPECT_EQ(put(SINK "tracing", "0"), 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(names_and_numbers_mean_the_same),
		TEST(illegal_value_is_refused_and_the_old_one_kept),
		TEST(every_available_value_can_be_chosen),
		TEST(no_other_value_can_be_chosen),
		TEST(read_only_files_refuse_writes),
		TEST(components_are_in_reset_outside_sessions),
		TEST(configuration_survives_sessions),
		TEST(configuration_is_busy_in_a_session),
		TEST(mode_is_stop_on_wrap),
		TEST(buffer_size_has_limits),
		TEST(components_know_their_sink_and_cpu),
		TEST(state_and_session_can_be_polled),
		TEST(uevents_tell_when_a_session_begins_and_ends),
		TEST(no_file_shows_a_kernel_pointer),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
