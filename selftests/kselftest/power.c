// SPDX-License-Identifier: GPL-2.0
/* Harts that go offline and come back, and what keeps them from idling. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define HART1	"/sys/devices/system/cpu/cpu1/online"
#define DRIVER	"/sys/bus/platform/drivers/rvtrace_tci/"
#define TRACING	"/sys/kernel/tracing/"

/* Files whose choices were tried */
static unsigned int chosen;

/* What is traced of hart 1 from here on. */
static void burn_on_hart1(void)
{
	cpu_set_t all, hart1;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&hart1);
	CPU_SET(1, &hart1);
	sched_setaffinity(0, sizeof(hart1), &hart1);
	burn(20);
	sched_setaffinity(0, sizeof(all), &all);
}

/* Which has a name of its own choice when others came before it. */
static int encoders_of_hart1(void)
{
	char file[512];
	int count = 0;

	for (unsigned int i = 0; component(i); i++) {
		snprintf(file, sizeof(file), "%scpus", component(i));
		count += !strcmp(get(file), "1");
	}
	return count;
}

static bool encoder_of_hart1_comes(void)
{
	for (int i = 0; i < 3000 && !encoders_of_hart1(); i++)
		usleep(10000);
	return encoders_of_hart1();
}

/* Bytes that hart 1 alone adds to the ring, brought to memory. */
static long long traced_of_hart1(void)
{
	long long head;

	put(of_sink("flush"), "1");
	head = get_number(of_sink("head"));
	burn_on_hart1();
	put(of_sink("flush"), "1");
	return get_number(of_sink("head")) - head;
}

static bool is_suspended(const char *status)
{
	for (int i = 0; i < 3000 && strcmp(get(status), "suspended"); i++)
		usleep(10000);
	return is(status, "suspended");
}

/* Without a power domain the state of the device is all that can be seen of it. */
static void components_have_power_in_a_session_alone(void)
{
	static const char *const statuses[] = {
		ENCODER0 "../power/runtime_status", FUNNEL "../power/runtime_status",
	};

	for (size_t i = 0; i < 2; i++)
		EXPECT(is_suspended(statuses[i]));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (size_t i = 0; i < 2; i++)
		EXPECT(is(statuses[i], "active"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	for (size_t i = 0; i < 2; i++)
		EXPECT(is_suspended(statuses[i]));
}

/* Else each of them would switch the power domain of the component on and off. */
static void settings_in_a_row_do_not_cycle_power(void)
{
	static const char status[] = ENCODER0 "../power/runtime_status";
	static const char delay[] = ENCODER0 "../power/autosuspend_delay_ms";

	EXPECT(is_suspended(status));
	EXPECT_EQ(put(delay, "60000"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "off"), 0);
	EXPECT(is(status, "active"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT_EQ(put(delay, "100"), 0);
	EXPECT(is_suspended(status));
}

static void hart_that_goes_pauses_its_encoder(void)
{
	long long head;

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(ENCODER0 "enable", "1"));
	EXPECT(is(ENCODER1 "enable", "0"));
	EXPECT(is(ENCODER1 "active", "0"));
	EXPECT(is(ENCODER1 "inst_tracing", "0"));
	head = get_number(of_sink("head"));
	burn(20);
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(get_number(of_sink("head")) > head);
	EXPECT(is(ENCODER1 "enable", "0"));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "enable", "1"));
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	EXPECT(traced_of_hart1() > 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER1 "enable", "0"));
}

static void gap_says_which_encoder_and_how_long(void)
{
	const struct rvtrace_record_gap *gap;
	struct reader reader = {};
	uint64_t at;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	at = reader.control->records_tail;
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_GAP));
	usleep(20000);
	EXPECT_EQ(put(HART1, "1"), 0);
	gap = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_GAP);
	EXPECT(gap);
	EXPECT_EQ(gap->reason, RVTRACE_GAP_CPU_OFFLINE);
	EXPECT_EQ(gap->encoder, 1);
	EXPECT(gap->duration >= 20000000);
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_GAP));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

/* What a trigger did to its data trace, and that some was dropped. */
static void hart_that_comes_back_finds_data_trace_as_it_was(void)
{
	if (access(ENCODER1 "data_trace", F_OK) ||
	    system("rvtrace-fault encoder1 > /dev/null 2>&1")) {
		skip("no data trace, or no triggers that can be fired");
		return;
	}
	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
	EXPECT_EQ(put(ENCODER1 "data_trig_enable", "1"), 0);
	if (!access(ENCODER1 "data_enable", F_OK))
		EXPECT_EQ(put(ENCODER1 "data_enable", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER1 "data_tracing", "0"));
	EXPECT(!system("rvtrace-fault encoder1 events=debug-start,data-drop"));
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT(is(ENCODER1 "data_tracing", "0"));
	EXPECT(is(ENCODER1 "data_drop", "1"));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "data_tracing", "1"));
	EXPECT(is(ENCODER1 "data_drop", "1"));
	EXPECT(is(ENCODER1 "data_stall", "0"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER1 "data_drop", "1"));
	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
}

static void session_takes_a_hart_in_when_it_comes(void)
{
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(ENCODER1 "enable", "0"));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	EXPECT(traced_of_hart1() > 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void session_ends_without_a_hart(void)
{
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "enable", "0"));
	EXPECT(is(ENCODER1 "active", "0"));
}

/* Nothing of its trace is on its way then. */
static void last_encoder_of_a_session_may_wait(void)
{
	long long head;

	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	burn_on_hart1();
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(ENCODER1 "enable", "0"));
	head = get_number(of_sink("head"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT_EQ(get_number(of_sink("head")), head);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "enable", "1"));
	EXPECT_EQ(put(ENCODER1 "enable", "0"), 0);
	EXPECT(is(of_sink("tracing"), "0"));
}

static void who_joins_a_session_that_waits_has_its_clock(void)
{
	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(get_number(of_sink("clock")) > 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

/* A counter of its own has lost what it counted, and nothing else traces. */
static void timestamps_that_restart_are_recorded(void)
{
	const struct rvtrace_record *restart;
	const struct rvtrace_record_clock *clock;
	struct reader reader = {};
	uint64_t at, first, before;
	int ret;

	ret = put(ENCODER1 "ts_type", "internal");
	if (ret == -EINVAL || ret == -ENOENT)
		return skip("encoders have no timestamp counters");
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(put(ENCODER1 "ts_enable", "1"), 0);
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	burn_on_hart1();
	before = get_number(of_sink("clock"));
	at = reader.control->records_tail;
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_RESTART));
	first = reader.control->records_head;
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	at = first;
	restart = reader_record(&reader, &at, RVTRACE_RECORD_RESTART);
	EXPECT(restart);
	while ((clock = (const void *)reader_record(&reader, &first, RVTRACE_RECORD_CLOCK)))
		EXPECT_EQ(clock->trace_time < before, first > at);
	clock = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_CLOCK);
	EXPECT(clock);
	EXPECT_EQ(clock->header.position, restart->position);
	EXPECT_EQ(put(ENCODER1 "enable", "0"), 0);

	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_RESTART));
	reader_close(&reader);
	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
}

static void encoder_without_a_hart_is_not_accessed(void)
{
	long long session = get_number(of_sink("session"));
	char mode[64];

	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
	snprintf(mode, sizeof(mode), "%s", get(ENCODER1 "inst_mode"));
	EXPECT(strcmp(mode, "off"));
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(ENCODER1 "enable", "1"), -ENODEV);
	EXPECT_EQ(get_number(of_sink("session")), session);
	EXPECT(is(ENCODER1 "active", "0"));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "inst_mode", mode));
}

/* With what discovery found alone. */
static void choose(const char *file, const char *available)
{
	char before[512], number[24], last[64];
	unsigned long bits = strtoul(available, NULL, 0);
	int listed = 1, taken = 0;

	/* The bus reserves some that hardware keeps; what is no field has no number. */
	if (strstr(file, "atb_id") || strstr(file, "/route") || strstr(file, "/sync_on_switch"))
		return;
	snprintf(before, sizeof(before), "%s", get(file));
	snprintf(last, sizeof(last), "%s",
		 strrchr(available, ' ') ? strrchr(available, ' ') + 1 : available);
	if (strncmp(available, "0x", 2)) {
		if (!takes(file, last) || !is(file, last))
			fail(__FILE__, __LINE__, "%s: %s is %s", file, last, get(file));
		for (int i = 0; i < 64; i++) {
			snprintf(number, sizeof(number), "%d", i);
			taken += takes(file, number);
		}
		for (const char *c = available; *c; c++)
			listed += *c == ' ';
		if (taken != listed)
			fail(__FILE__, __LINE__, "%s (%s): took %d numbers", file, available, taken);
	} else {
		for (int i = 0; i < 32; i++) {
			snprintf(number, sizeof(number), "%llu", get_number(file) ^ 1UL << i);
			if (takes(file, number) != (bits >> i & 1))
				fail(__FILE__, __LINE__, "%s (%s): %s", file, available, number);
		}
	}
	EXPECT_EQ(put(file, before), 0);
	chosen++;
}

static void what_is_available_is_known_without_a_hart(void)
{
	static const char *const units[] = { "filter", "comparator" };
	char folder[512];

	chosen = 0;
	EXPECT_EQ(put(HART1, "0"), 0);
	each_choice_in(ENCODER1, choose);
	for (int i = 0; i < 4; i++) {
		snprintf(folder, sizeof(folder), ENCODER1 "%s%d/", units[i / 2], i % 2);
		each_choice_in(folder, choose);
	}
	EXPECT_EQ(put(HART1, "1"), 0);
	printf("# %u files\n", chosen);
	EXPECT(chosen > 5);
	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	EXPECT_EQ(put(ENCODER1 "enable", "0"), 0);
}

static void settings_without_a_hart_are_written_when_it_comes(void)
{
	long long off, on;
	char mode[64];

	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
	snprintf(mode, sizeof(mode), "%s", get(ENCODER1 "inst_mode"));
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(ENCODER1 "inst_mode", "off"), 0);
	EXPECT(is(ENCODER1 "inst_mode", "off"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(ENCODER1 "inst_mode", mode), -EBUSY);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(is(ENCODER1 "enable", "1"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	/* No instruction, though the encoder may say what it is set to, and which tasks run. */
	off = traced_of_hart1();
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);

	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(ENCODER1 "inst_mode", mode), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	on = traced_of_hart1();
	printf("# %lld bytes, not %lld\n", off, on);
	EXPECT(on > 1024 && off < on / 4);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void unbound_without_a_hart(void)
{
	char name[512];

	EXPECT(device_name("encoder1", name, sizeof(name)));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(put(DRIVER "unbind", name), 0);
	EXPECT(is(of_sink("tracing"), "0"));
	put(DRIVER "bind", name);
	EXPECT(access(ENCODER1, F_OK));
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(comes(ENCODER1 "enable"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(traced_of_hart1() > 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void module_comes_and_goes_without_a_hart(void)
{
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(system("modprobe -r rvtrace"), 0);
	EXPECT_EQ(system("modprobe rvtrace"), 0);
	EXPECT(sink_comes());
	EXPECT(!encoders_of_hart1());
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(encoder_of_hart1_comes());
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(system("modprobe -r rvtrace"), 0);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT_EQ(system("modprobe rvtrace"), 0);
	EXPECT(comes(ENCODER1 "enable"));
	EXPECT(sink_comes());
}

/* How many lines from here on the kernel's log has with some words. */
static int said(int log, const char *words)
{
	char line[8192];
	int count = 0;
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		if (strstr(line, words))
			count++;
	}
	return count;
}

/* The kernel probes it again whenever a driver is bound to something. */
static void encoder_that_waits_for_its_hart_says_so_once(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK), count = encoders_of_hart1();
	char name[512];

	EXPECT(log >= 0);
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(system("modprobe -r rvtrace"), 0);
	EXPECT_EQ(system("modprobe rvtrace"), 0);
	EXPECT(comes(ENCODER0 "enable"));
	EXPECT(device_name("encoder0", name, sizeof(name)));
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(put(DRIVER "unbind", name), 0);
		EXPECT_EQ(put(DRIVER "bind", name), 0);
		usleep(200000);
	}
	EXPECT_EQ(said(log, "probe deferred until one of its harts is online"), count);
	close(log);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT(encoder_of_hart1_comes());
	EXPECT_EQ(system("modprobe -r rvtrace"), 0);
	EXPECT_EQ(system("modprobe rvtrace"), 0);
	EXPECT(comes(ENCODER1 "enable"));
	EXPECT(sink_comes());
}

static void harts_come_and_go_while_sessions_do(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		for (int i = 0; i < 20; i++) {
			if (put(HART1, "0") || put(HART1, "1"))
				_exit(1);
		}
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		put(of_sink("flush"), "1");
		EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	}
	EXPECT_EQ(status, 0);
	EXPECT(is(HART1, "1"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	EXPECT(traced_of_hart1() > 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

/* How often the kernel's own trace has a word. */
static int count(const char *word)
{
	char line[512];
	FILE *file = fopen(TRACING "trace", "r");
	int n = 0;

	while (file && fgets(line, sizeof(line), file))
		n += strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return n;
}

#define QOS	TRACING "events/power/dev_pm_qos_"

static void harts_do_not_idle_deeply_while_they_are_traced(void)
{
	if (access(QOS "add_request/enable", F_OK)) {
		skip("the kernel does not trace requests for latency");
		return;
	}
	EXPECT_EQ(put(QOS "add_request/enable", "1"), 0);
	EXPECT_EQ(put(QOS "remove_request/enable", "1"), 0);
	EXPECT_EQ(put(TRACING "trace", "\n"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(count("add_request: device=cpu0 type=DEV_PM_QOS_RESUME_LATENCY new_value=0"), 1);
	EXPECT_EQ(count("add_request: device=cpu1 type=DEV_PM_QOS_RESUME_LATENCY new_value=0"), 1);
	EXPECT_EQ(count("remove_request"), 0);
	EXPECT_EQ(put(HART1, "0"), 0);
	EXPECT_EQ(count("remove_request: device=cpu1"), 1);
	EXPECT_EQ(put(HART1, "1"), 0);
	EXPECT_EQ(count("add_request: device=cpu1"), 2);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(count("add_request: device=cpu"), 3);
	EXPECT_EQ(count("remove_request: device=cpu"), 3);
	put(QOS "add_request/enable", "0");
	put(QOS "remove_request/enable", "0");
}

static void encoder_has_the_number_of_its_hart(void)
{
	char first[512], second[512];

	EXPECT(device_name("encoder0", first, sizeof(first)));
	EXPECT(device_name("encoder1", second, sizeof(second)));
	EXPECT_EQ(put(DRIVER "unbind", first), 0);
	EXPECT_EQ(put(DRIVER "unbind", second), 0);
	EXPECT_EQ(put(DRIVER "bind", second), 0);
	EXPECT(is(ENCODER1 "cpus", "1"));
	EXPECT_EQ(put(DRIVER "bind", first), 0);
	EXPECT(is(ENCODER0 "cpus", "0"));
}

static const struct test tests[] = {
	TEST(encoder_has_the_number_of_its_hart),
	TEST(components_have_power_in_a_session_alone),
	TEST(settings_in_a_row_do_not_cycle_power),
	TEST(hart_that_goes_pauses_its_encoder),
	TEST(gap_says_which_encoder_and_how_long),
	TEST(hart_that_comes_back_finds_data_trace_as_it_was),
	TEST(session_takes_a_hart_in_when_it_comes),
	TEST(session_ends_without_a_hart),
	TEST(last_encoder_of_a_session_may_wait),
	TEST(who_joins_a_session_that_waits_has_its_clock),
	TEST(timestamps_that_restart_are_recorded),
	TEST(encoder_without_a_hart_is_not_accessed),
	TEST(what_is_available_is_known_without_a_hart),
	TEST(settings_without_a_hart_are_written_when_it_comes),
	TEST(unbound_without_a_hart),
	TEST(module_comes_and_goes_without_a_hart),
	TEST(encoder_that_waits_for_its_hart_says_so_once),
	TEST(harts_come_and_go_while_sessions_do),
	TEST(harts_do_not_idle_deeply_while_they_are_traced),
};

int main(void)
{
	int status;

	if (access(HART1, F_OK) || access(ENCODER1, F_OK)) {
		printf("TAP version 13\n1..0 # SKIP no second hart that can go offline\n");
		return 4;
	}
	put(HART1, "1");
	status = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	put(HART1, "1");
	return status;
}
