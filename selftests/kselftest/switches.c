// SPDX-License-Identifier: GPL-2.0
/* Encoders that count calls, and synchronize where tasks switch. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "syncs.h"

#define MODE	ENCODER0 "inst_mode"
#define CHOICE	ENCODER0 "sync_on_switch"
#define ACTIVE	ENCODER0 "sync_on_switch_active"
#define SWAPS	100

/* Every test begins with the settings that the driver chose. */
static bool begin(const char *mode)
{
	if (!access(CHOICE, F_OK) && is_listed(get(MODE "_available"), mode) &&
	    !put(ENCODER0 "reset", "1") && !put(MODE, mode))
		return true;
	skip("no encoder that leaves returns out by counting calls");
	return false;
}

static void is_one_of_its_words(void)
{
	static const char *const wrong[] = { "0", "on", "restart off", "Restart", "autos" };

	if (!begin("history"))
		return;
	EXPECT(is(CHOICE, "auto"));
	EXPECT(is_listed(get(CHOICE "_available"), "restart"));
	EXPECT_EQ(put(CHOICE, "restart\n"), 0);
	EXPECT(is(CHOICE, "restart"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(put(CHOICE, wrong[i]), -EINVAL);
	EXPECT(is(CHOICE, "restart"));
	EXPECT(put(ACTIVE, "off") < 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(CHOICE, "auto"));
}

static void is_not_chosen_in_a_session(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (!begin("history"))
		return;
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT_EQ(put(CHOICE, "off"), -EBUSY);
	EXPECT(is_told(log, "encoder0: sync_on_switch: off not written, it is in a session"));
	EXPECT(is(CHOICE, "auto"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
}

/* What a session makes of the choice, also when it is over */
static void becomes(const char *mode, const char *choice, const char *active)
{
	EXPECT_EQ(put(MODE, mode), 0);
	EXPECT_EQ(put(CHOICE, choice), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT(is(ACTIVE, active));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT(is(ACTIVE, active));
}

static void is_what_the_mode_needs(void)
{
	if (!begin("history-optimized"))
		return;
	becomes("history-optimized", "restart", "restart");
	becomes("history-optimized", "off", "off");
	becomes("history", "auto", "off");
	becomes("history", "restart", "restart");
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* A child and its parent wait for each other, on one hart. */
static bool swap(unsigned int times)
{
	int there[2], back[2], status = 0;
	char c = 0;
	pid_t child;

	if (pipe(there) || pipe(back))
		return false;
	child = fork();
	for (unsigned int i = 0; !child && i < times; i++)
		if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
			_exit(1);
	if (!child)
		_exit(0);
	for (unsigned int i = 0; child > 0 && i < times; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
	for (unsigned int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/**
 * struct counted - of a session with many switches
 * @switches: of encoder0's hart, as records tell
 * @enabled: synchronizations because trace began
 * @events: those that a trigger asked for
 */
struct counted {
	unsigned int switches;
	unsigned int enabled;
	unsigned int events;
};

static bool count_session(struct counted *counted)
{
	uint32_t tasks = RVTRACE_TASKS_WANTED, cpu = get_number(ENCODER0 "cpus");
	const struct rvtrace_record_task *task;
	struct reader reader = {};
	uint64_t at, size = 0;
	bool complete = false;

	*counted = (struct counted) { };
	/* Room for records: those of the session before are there as long as its trace. */
	if (!reader_open(&reader) || ioctl(reader.fd, RVTRACE_IOC_TASKS, &tasks) ||
	    reader_consume(&reader, reader.control->head, NULL))
		return false;
	at = reader.control->records_head;
	if (!put(ENCODER0 "enable", "1") && swap(SWAPS) && !put(ENCODER0 "enable", "0")) {
		size = reader.control->head - reader.control->session_start;
		complete = size <= reader.control->data_size && !reader.control->records_lost;
	}
	while ((task = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_TASK)))
		if (task->event == RVTRACE_TASK_SWITCH && task->header.cpu == cpu)
			counted->switches++;
	if (complete) {
		counted->enabled = count_syncs_in(reader.data, size, SYNC_ENABLED);
		counted->events = count_syncs_in(reader.data, size, SYNC_EVENT);
	}
	printf("# %u switches, trace began %u times, %u triggers\n", counted->switches,
	       counted->enabled, counted->events);
	reader_close(&reader);
	return complete;
}

/* Records are there a little earlier than trace, and later: some switches more. */
static void restart_synchronizes_at_every_switch(void)
{
	struct counted c;

	if (!begin("history-optimized"))
		return;
	EXPECT_EQ(put(CHOICE, "restart"), 0);
	EXPECT(count_session(&c));
	EXPECT(c.switches >= 2 * SWAPS);
	EXPECT(c.enabled <= c.switches + 1);
	EXPECT(c.enabled + 20 > c.switches);
	EXPECT_EQ(c.events, 0);
	EXPECT_EQ(put(CHOICE, "off"), 0);
	EXPECT(count_session(&c));
	EXPECT(c.switches >= 2 * SWAPS);
	EXPECT_EQ(c.enabled, 1);
	EXPECT_EQ(c.events, 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* Whether triggers of the hart can, and not only firmware says that it has some */
static bool has_triggers(void)
{
	bool has = !put(CHOICE, "trigger") && !put(ENCODER0 "enable", "1") && is(ACTIVE, "trigger");

	put(ENCODER0 "enable", "0");
	if (!has)
		skip("no triggers that tell encoders");
	return has;
}

static void trigger_synchronizes_at_every_switch(void)
{
	struct counted c;

	if (!begin("history-optimized") || !has_triggers())
		return;
	EXPECT_EQ(put(CHOICE, "auto"), 0);
	EXPECT(count_session(&c));
	EXPECT(is(ACTIVE, "trigger"));
	EXPECT(c.switches >= 2 * SWAPS);
	EXPECT(c.events <= c.switches);
	EXPECT(c.events + 20 > c.switches);
	EXPECT_EQ(c.enabled, 1);
	/* They are given back. */
	EXPECT_EQ(put(CHOICE, "off"), 0);
	EXPECT(count_session(&c));
	EXPECT(c.switches >= 2 * SWAPS);
	EXPECT_EQ(c.events, 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* That is told, and something else done. */
static void triggers_that_cannot_are_not_used(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (!begin("history-optimized"))
		return;
	if (!is_listed(get(CHOICE "_available"), "trigger")) {
		EXPECT_EQ(put(CHOICE, "trigger"), -EINVAL);
		EXPECT(is(CHOICE, "auto"));
		becomes("history-optimized", "auto", "restart");
		return;
	}
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(CHOICE, "trigger"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	if (is(ACTIVE, "trigger")) {
		skip("they can");
		return;
	}
	EXPECT(is_told(log, "encoder0: no trigger where tasks switch: debug triggers cannot notify the encoder"));
	EXPECT(is(ACTIVE, "restart"));
	becomes("history-optimized", "auto", "restart");
	EXPECT(!is_told(log, "encoder0: no trigger"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* In a child that runs until it is killed: a hart that never stops to switch */
static pid_t swap_for_ever(void)
{
	pid_t child = fork();

	while (!child)
		if (!swap(SWAPS))
			_exit(1);
	return child;
}

static bool stop(pid_t child)
{
	int status;

	return !kill(child, SIGKILL) && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* From another hart, where there is one: the own one is not restarted while it reads. */
static void nobody_sees_it_stopped(void)
{
	cpu_set_t others, before;
	unsigned int seen = 0;
	pid_t child;

	if (!begin("history-optimized"))
		return;
	sched_getaffinity(0, sizeof(before), &before);
	EXPECT_EQ(put(CHOICE, "restart"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	child = swap_for_ever();
	CPU_ZERO(&others);
	CPU_SET(get_number(ENCODER0 "cpus") + 1, &others);
	if (sched_setaffinity(0, sizeof(others), &others)) {
		stop(child);
		put(ENCODER0 "enable", "0");
		skip("one hart");
		return;
	}
	for (unsigned int i = 0; i < 2000; i++)
		seen += !is(ENCODER0 "inst_tracing", "1");
	EXPECT_EQ(seen, 0);
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(is(ACTIVE, "restart"));
	EXPECT(stop(child));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void what_is_stopped_is_not_started(void)
{
	long long before;

	if (!begin("history-optimized"))
		return;
	EXPECT_EQ(put(CHOICE, "restart"), 0);
	EXPECT_EQ(put(ENCODER0 "wait_for_trigger", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT(is(ACTIVE, "restart"));
	before = get_number(of_sink("head"));
	EXPECT(swap(SWAPS));
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(get_number(of_sink("head")), before);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void harts_that_stall_are_not_restarted(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (!begin("history-optimized"))
		return;
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(ENCODER0 "inst_stall_en", "1"), 0);
	becomes("history-optimized", "restart", "off");
	EXPECT(is_told(log, "encoder0: not restarted where tasks switch: an encoder stalls its hart"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* Nor is it restarted where what stops it could be undone. */
static void what_others_may_stop_is_not_restarted(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (!begin("history-optimized"))
		return;
	if (access(ENCODER0 "xtrig_in_action0", F_OK) || put(ENCODER0 "xtrig_in_action0", "stop")) {
		skip("no external triggers");
		return;
	}
	lseek(log, 0, SEEK_END);
	becomes("history-optimized", "restart", "off");
	EXPECT(is_told(log, "encoder0: not restarted where tasks switch: an external trigger may stop it"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void sessions_end_while_tasks_switch(void)
{
	pid_t child;

	if (!begin("history-optimized"))
		return;
	EXPECT_EQ(put(CHOICE, "restart"), 0);
	child = swap_for_ever();
	for (unsigned int i = 0; i < 50; i++) {
		EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
		EXPECT(is(ENCODER0 "inst_tracing", "1"));
		EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
		EXPECT(is(ENCODER0 "active", "0"));
	}
	EXPECT(stop(child));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

#define HART1	"/sys/devices/system/cpu/cpu1/online"

/* What @choice becomes is so again when a hart comes back. */
static void survives_a_hart(const char *choice)
{
	char active[16];

	EXPECT(set_encoders("inst_mode", "history-optimized"));
	EXPECT(set_encoders("sync_on_switch", choice));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	snprintf(active, sizeof(active), "%s", get(ENCODER1 "sync_on_switch_active"));
	EXPECT(!strcmp(active, "trigger") || !strcmp(active, "restart"));
	for (unsigned int i = 0; i < 5; i++) {
		EXPECT_EQ(put(HART1, "0"), 0);
		EXPECT(is(ENCODER1 "inst_tracing", "0"));
		EXPECT_EQ(put(HART1, "1"), 0);
		EXPECT(is(ENCODER1 "inst_tracing", "1"));
		EXPECT(is(ENCODER1 "sync_on_switch_active", active));
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER1 "sync_on_switch_active", active));
}

static void harts_come_and_go(void)
{
	if (!begin("history-optimized"))
		return;
	if (access(HART1, W_OK) || !is(ENCODER1 "cpus", "1")) {
		skip("no second hart");
		return;
	}
	survives_a_hart("auto");
	survives_a_hart("restart");
	EXPECT(set_encoders("reset", "1"));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(is_one_of_its_words),
		TEST(is_not_chosen_in_a_session),
		TEST(is_what_the_mode_needs),
		TEST(restart_synchronizes_at_every_switch),
		TEST(trigger_synchronizes_at_every_switch),
		TEST(triggers_that_cannot_are_not_used),
		TEST(nobody_sees_it_stopped),
		TEST(what_is_stopped_is_not_started),
		TEST(harts_that_stall_are_not_restarted),
		TEST(what_others_may_stop_is_not_restarted),
		TEST(sessions_end_while_tasks_switch),
		TEST(harts_come_and_go),
	};

	run_on_encoder0();
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
