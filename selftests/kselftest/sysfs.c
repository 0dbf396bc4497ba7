// SPDX-License-Identifier: GPL-2.0
/*
 * Files of components: values, what is refused, what is read-only.
 *
 *	ksft-sysfs [-q]	quick: what is listed and single bits, not every small number
 */
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
	EXPECT_EQ(put(ENCODER0 "inst_mode", "0\n"), 0);
	EXPECT(is(ENCODER0 "inst_mode", "off"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "0x6"), 0);
	EXPECT(is(ENCODER0 "inst_mode", "history"));
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
}

static unsigned int choices;
static bool quick;

/* What each component does is tried with the first of many. */
static bool tries_every_number(const char *file)
{
	return !quick && !is_one_of_many(file);
}

static void each_choice(void (*each)(const char *file, const char *available))
{
	char folder[512];

	choices = 0;
	for (unsigned int i = 0; component(i); i++) {
		snprintf(folder, sizeof(folder), "%s", component(i));
		each_choice_in(folder, each);
	}
}

/* Fields too wide for a list have those that can be 0 and 1; others are wired. */
static bool is_set_of_bits(const char *available)
{
	return !strncmp(available, "0x", 2);
}

static void keeps(const char *file, const char *value)
{
	int ret = put(file, value);

	choices++;
	if (ret)
		fail(__FILE__, __LINE__, "%s: '%s': %d", file, value, ret);
	EXPECT(is(file, value));
}

/* Each value that is listed, then numbers: what is kept is listed, nothing else is kept. */
static void write_list(const char *file, const char *list)
{
	char before[64], copy[512], number[16], *value, *rest;
	unsigned int kept = 0, listed = 0;

	snprintf(before, sizeof(before), "%s", get(file));
	snprintf(copy, sizeof(copy), "%s", list);
	for (value = strtok_r(copy, " ", &rest); value; value = strtok_r(NULL, " ", &rest)) {
		keeps(file, value);
		listed++;
	}
	for (unsigned int i = 0; i <= 64 && tries_every_number(file); i++) {
		snprintf(number, sizeof(number), "%u", i);
		if (!takes(file, number))
			continue;
		EXPECT(is_listed(list, get(file)));
		kept++;
	}
	/* Numbers mean the same as names, or nothing. */
	EXPECT(kept == listed || !kept);
	EXPECT_EQ(put(file, before), 0);
	refuses(file, "65536");
	refuses(file, "4294967295");
	refuses(file, "no-such-value");
}

/* What the bus reserves, though the register would keep it. */
static bool is_reserved(const char *file, unsigned long value)
{
	return !strcmp(strrchr(file, '/'), "/atb_id") && (value < 1 || value > 0x6f);
}

static void write_number(const char *file, unsigned long mask, unsigned long value)
{
	unsigned long wired = get_number(file) & ~mask;
	char number[24];

	snprintf(number, sizeof(number), "%lu", value);
	if ((value & ~mask) != wired || is_reserved(file, value))
		refuses(file, number);
	else
		keeps(file, number);
}

static void write_bits(const char *file, const char *available)
{
	unsigned long mask = strtoul(available, NULL, 0), before = get_number(file);

	for (unsigned int bit = 0; bit < 32; bit++)
		write_number(file, mask, 1UL << bit);
	for (unsigned long value = 0; value < 256 && tries_every_number(file); value++)
		write_number(file, mask, value);
	for (unsigned int bit = 8; bit < 32 && tries_every_number(file); bit++)
		write_number(file, mask, (mask & 0xffff) | 1UL << bit);
	write_number(file, mask, mask);
	write_number(file, mask, UINT32_MAX);
	if (!is_reserved(file, before))
		write_number(file, mask, before);
}

/* Has to do with the clock that only parallel modes have (TCI 0.9.4 chapter 12). */
static void write_ref_center(const char *file, const char *available)
{
	char mode[1024];

	snprintf(mode, sizeof(mode), "%.*spib_mode", (int)(strrchr(file, '/') + 1 - file), file);
	if (!is_listed(available, "1"))
		return write_list(file, available);
	keeps(mode, "swt-uart");
	refuses(file, "1");
	keeps(mode, "parallel-4");
	keeps(file, "1");
	refuses(mode, "swt-uart");
	write_list(file, available);
	keeps(file, "0");
	keeps(mode, "off");
}

static void write_choices(const char *file, const char *available)
{
	if (!strcmp(strrchr(file, '/'), "/pib_ref_center"))
		write_ref_center(file, available);
	else if (is_set_of_bits(available))
		write_bits(file, available);
	else
		write_list(file, available);
}

static void what_is_available_can_be_chosen_and_nothing_else(void)
{
	each_choice(write_choices);
	printf("# %u values were chosen\n", choices);
	EXPECT(choices >= 60);
}

static void read_only_files_refuse_writes(void)
{
	EXPECT(put(ENCODER0 "empty", "0") < 0);
	EXPECT(put(ENCODER0 "inst_tracing", "1") < 0);
	EXPECT(put(ENCODER0 "active", "1") < 0);
	EXPECT(put(ENCODER0 "impl", "0") < 0);
	EXPECT(put(FUNNEL "enable", "1") < 0);
	EXPECT(put(of_sink("head"), "0") < 0);
	EXPECT(put(of_sink("state"), "idle") < 0);
}

/* Nothing holds a component: the driver says so without a look at the hardware. */
static void none_is_held(void)
{
	static const struct {
		const char *name, *value;
	} files[] = {
		{ "active", "0" }, { "enable", "0" }, { "empty", "1" }, { "sink_error", "0" },
	};
	const char *folder;
	char file[1024];

	for (unsigned int i = 0; (folder = component(i)); i++) {
		for (size_t j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
			snprintf(file, sizeof(file), "%s%s", folder, files[j].name);
			if (!access(file, F_OK) && !is(file, files[j].value))
				fail(__FILE__, __LINE__, "%s is %s", file, get(file));
		}
	}
}

static void components_are_in_reset_outside_sessions(void)
{
	none_is_held();
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(FUNNEL "active", "0"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "active", "1"));
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(is(FUNNEL "active", "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	none_is_held();
}

static void configuration_survives_sessions(void)
{
	EXPECT_EQ(put(ENCODER0 "inst_stall_en", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "inst_stall_en", "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER0 "inst_stall_en", "1"));
	EXPECT_EQ(put(ENCODER0 "inst_stall_en", "0"), 0);
}

static void configuration_is_busy_in_a_session(void)
{
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "branch"), -EBUSY);
	EXPECT_EQ(put(of_owner("stop_on_wrap"), "1"), -EBUSY);
	EXPECT_EQ(put(of_sink("mode"), "fill"), -EBUSY);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), -EBUSY);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

/* What counts is an encoder's own unit, or that of the funnel which it is a slave of. */
static void internal_counters_can_be_reset(void)
{
	bool own;
	char type[64];

	snprintf(type, sizeof(type), "%s", get(ENCODER0 "ts_type"));
	EXPECT(strcmp(type, "internal"));
	EXPECT_EQ(put(ENCODER0 "ts_reset", "1"), -ENODATA);
	own = !put(ENCODER0 "ts_type", "internal");
	EXPECT(own || is(FUNNEL "ts_type", "internal"));
	EXPECT_EQ(own ? put(ENCODER0 "ts_reset", "0") : put(FUNNEL "ts_reset", "0"), -EINVAL);
	EXPECT_EQ(own ? put(ENCODER0 "ts_reset", "1") : put(FUNNEL "ts_reset", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(own ? put(ENCODER0 "ts_reset", "1") : put(FUNNEL "ts_reset", "1"), -EBUSY);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(ENCODER0 "ts_type", type), 0);
}

static void mode_is_stop_on_wrap(void)
{
	EXPECT(is(of_sink("mode"), "stream"));
	EXPECT(is(of_owner("stop_on_wrap"), "0"));
	EXPECT_EQ(put(of_sink("mode"), "fill"), 0);
	EXPECT(is(of_owner("stop_on_wrap"), "1"));
	EXPECT_EQ(put(of_owner("stop_on_wrap"), "0"), 0);
	EXPECT(is(of_sink("mode"), "stream"));
	EXPECT_EQ(put(of_sink("mode"), "snapshot"), -EINVAL);
	EXPECT_EQ(put(of_sink("mode"), "7"), -EINVAL);
}

static void buffer_size_has_limits(void)
{
	char size[32];

	snprintf(size, sizeof(size), "%lld", get_number(of_sink("buffer_size_max")) + 4096);
	EXPECT_EQ(put(of_sink("buffer_size"), size), -EINVAL);
	EXPECT_EQ(put(of_sink("buffer_size"), "0"), -EINVAL);
	EXPECT_EQ(put(of_sink("buffer_size"), "4097"), -EINVAL);
	EXPECT_EQ(put(of_sink("buffer_size"), "12288"), 0);
	EXPECT(is(of_sink("buffer_size"), "12288"));
}

static void components_know_their_sink_and_cpu(void)
{
	EXPECT(is(ENCODER0 "sink_name", sink_name()));
	EXPECT(is(FUNNEL "sink_name", sink_name()));
	EXPECT(is(of_owner("sink_name"), sink_name()));
	EXPECT(strlen(get(ENCODER0 "cpus")) > 0);
}

/* Of the generation that the device tree names: versions are those of its own registers. */
static void components_know_their_generation(void)
{
	char generation[16];
	const char *folder;
	char file[1024];

	snprintf(generation, sizeof(generation), "%s", get(ENCODER0 "generation"));
	EXPECT(!strncmp(generation, "TCI ", 4));
	for (unsigned int i = 0; (folder = component(i)); i++) {
		snprintf(file, sizeof(file), "%sgeneration", folder);
		EXPECT(is(file, generation));
		snprintf(file, sizeof(file), "%simpl", folder);
		EXPECT_EQ(get_number(file) & 15, !!strcmp(generation, "TCI 0"));
	}
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
	int state = watch(of_sink("state")), session = watch(of_sink("session")), device;
	long long number = get_number(of_sink("session"));
	char buffer[65536];

	EXPECT(state >= 0 && session >= 0);
	EXPECT(!strcmp(changed(state), "") && !strcmp(changed(session), ""));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(!strcmp(changed(state), "running"));
	EXPECT_EQ(atoll(changed(session)), number + 1);
	EXPECT(!strcmp(changed(state), "") && !strcmp(changed(session), ""));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(!strcmp(changed(state), "stopped"));
	device = open(sink_device(), O_RDONLY);
	EXPECT(device >= 0);
	while (read(device, buffer, sizeof(buffer)) > 0)
		;
	EXPECT(!strcmp(changed(state), "idle"));
	close(device);
	close(session);
	close(state);
}

/* A uevent of the driver: of a sink, or of a component. */
static bool next_uevent(int fd, char *event, size_t size)
{
	ssize_t n;

	while ((n = recv(fd, event, size - 1, MSG_DONTWAIT)) > 0) {
		event[n] = '\0';
		if (strstr(event, "/rvtrace_sink/") || strstr(event, "/encoder") ||
		    strstr(event, "/funnel"))
			return true;
	}
	return false;
}

/* udev would be woken, and traced, for nothing. */
static void sessions_make_no_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	char event[4096];

	EXPECT(fd >= 0);
	EXPECT_EQ(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	if (next_uevent(fd, event, sizeof(event)))
		fail(__FILE__, __LINE__, "%s", event);
	/* It would have been there: one is when somebody asks for it. */
	EXPECT_EQ(put(of_sink("uevent"), "change"), 0);
	EXPECT(next_uevent(fd, event, sizeof(event)));
	close(fd);
}

static void shows_no_kernel_pointer(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	const char *text;
	char file[1024];

	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s%s", folder, entry->d_name);
		text = get(file);
		if (has_address(text, strlen(text)))
			fail(__FILE__, __LINE__, "%s: %s", file, text);
	}
	if (dir)
		closedir(dir);
}

static void no_file_shows_a_kernel_pointer(void)
{
	char folder[512];

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	shows_no_kernel_pointer(of_sink(""));
	for (unsigned int i = 0; component(i); i++) {
		snprintf(folder, sizeof(folder), "%s", component(i));
		shows_no_kernel_pointer(folder);
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

int main(int argc, char *argv[])
{
	static const struct test tests[] = {
		TEST(names_and_numbers_mean_the_same),
		TEST(illegal_value_is_refused_and_the_old_one_kept),
		TEST(what_is_available_can_be_chosen_and_nothing_else),
		TEST(read_only_files_refuse_writes),
		TEST(components_are_in_reset_outside_sessions),
		TEST(configuration_survives_sessions),
		TEST(configuration_is_busy_in_a_session),
		TEST(internal_counters_can_be_reset),
		TEST(mode_is_stop_on_wrap),
		TEST(buffer_size_has_limits),
		TEST(components_know_their_sink_and_cpu),
		TEST(components_know_their_generation),
		TEST(state_and_session_can_be_polled),
		TEST(sessions_make_no_uevents),
		TEST(no_file_shows_a_kernel_pointer),
	};

	quick = argc > 1 && !strcmp(argv[1], "-q");
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
