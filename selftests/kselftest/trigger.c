// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers that start, stop and mark trace, and those that it fires. On the emulated
 * machine rvtrace-fault is what is connected to them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "syncs.h"

#define IN(n)	ENCODER0 "xtrig_in_action" #n
#define OUT(n)	ENCODER0 "xtrig_out_event" #n
#define GATE	ENCODER0 "inst_trig_en"
#define WAIT	ENCODER0 "wait_for_trigger"

static bool can_be(const char *file, const char *value)
{
	char available[128], *word, *rest;

	snprintf(available, sizeof(available), "%s_available", file);
	snprintf(available, sizeof(available), "%s", get(available));
	for (word = strtok_r(available, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, value))
			return true;
	return false;
}

static bool is_machine(void)
{
	return can_be(IN(0), "stop") && can_be(OUT(2), "stop") &&
	       !system("rvtrace-fault encoder0 > /dev/null 2>&1");
}

/* Every test begins and ends with triggers that do nothing. */
static bool begin(void)
{
	if (is_machine() && !put(ENCODER0 "reset", "1"))
		return true;
	skip("nothing is connected to triggers");
	return false;
}

static void fire(const char *event)
{
	char command[64];

	snprintf(command, sizeof(command), "rvtrace-fault encoder0 events=%s", event);
	EXPECT_EQ(system(command), 0);
}

/* How often output @n fired since the last call of forget(). */
static unsigned int fired(unsigned int n)
{
	FILE *out = popen("rvtrace-fault encoder0 | sed -n s/^fired=//p", "r");
	unsigned int all = 0;

	if (!out || fscanf(out, "%x", &all) != 1)
		fail(__FILE__, __LINE__, "rvtrace-fault does not say what fired");
	if (out)
		pclose(out);
	return all >> 4 * n & 15;
}

static void forget(void)
{
	EXPECT_EQ(system("rvtrace-fault encoder0 fired=0"), 0);
}

/* The hart of the encoder has to notice. */
static bool becomes(const char *file, const char *value)
{
	for (unsigned int i = 0; i < 2000 && strcmp(get(file), value); i++)
		burn(5);
	return is(file, value);
}

/* Of version 0 triggers are always obeyed. */
static void obey(bool on)
{
	if (!access(GATE, F_OK))
		EXPECT_EQ(put(GATE, on ? "1" : "0"), 0);
}

static void actions_and_events_have_names(void)
{
	if (!begin())
		return;
	EXPECT_EQ(put(IN(0), "start"), 0);
	EXPECT_EQ(put(IN(0), "3"), 0);
	EXPECT(is(IN(0), "stop"));
	EXPECT_EQ(put(IN(0), "5"), -EINVAL);
	EXPECT_EQ(put(IN(0), "halt"), -EINVAL);
	EXPECT(is(IN(0), "stop"));
	EXPECT_EQ(put(IN(7), "sync"), 0);
	EXPECT(is(IN(7), "sync"));
	EXPECT(is(IN(6), "none"));
	EXPECT_EQ(put(OUT(7), "start,stop"), 0);
	EXPECT(is(OUT(7), "start,stop"));
	EXPECT_EQ(put(OUT(7), "2"), 0);
	EXPECT(is(OUT(7), "stop"));
	EXPECT_EQ(put(OUT(7), "8"), -EINVAL);
	EXPECT_EQ(put(OUT(7), "sync"), -EINVAL);
	EXPECT(is(OUT(7), "stop"));
	EXPECT(is(OUT(0), "none"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(IN(7), "none"));
	EXPECT(is(OUT(7), "none"));
}

static void external_triggers_stop_and_start_trace(void)
{
	if (!begin())
		return;
	obey(true);
	EXPECT_EQ(put(IN(0), "stop"), 0);
	EXPECT_EQ(put(IN(3), "start"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	fire("in1");
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	fire("in0");
	EXPECT(becomes(ENCODER0 "inst_tracing", "0"));
	fire("in3");
	EXPECT(becomes(ENCODER0 "inst_tracing", "1"));
	fire("in0");
	EXPECT(becomes(ENCODER0 "inst_tracing", "0"));
	EXPECT_EQ(put(IN(0), "none"), -EBUSY);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void debug_triggers_stop_and_start_trace(void)
{
	if (!begin())
		return;
	obey(true);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	fire("debug-stop");
	EXPECT(becomes(ENCODER0 "inst_tracing", "0"));
	fire("debug-start");
	EXPECT(becomes(ENCODER0 "inst_tracing", "1"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void trace_can_wait_for_a_trigger(void)
{
	long long before;

	if (!begin())
		return;
	obey(true);
	EXPECT_EQ(put(IN(1), "start"), 0);
	EXPECT_EQ(put(WAIT, "2"), -EINVAL);
	EXPECT_EQ(put(WAIT, "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	before = get_number(of_sink("head"));
	burn(20);
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	EXPECT_EQ(put(WAIT, "0"), -EBUSY);
	EXPECT_EQ(get_number(of_sink("head")), before);
	fire("in1");
	EXPECT(becomes(ENCODER0 "inst_tracing", "1"));
	burn(20);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT(get_number(of_sink("head")) > before);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(WAIT, "0"));
}

static void debug_triggers_are_not_obeyed_unless_asked_for(void)
{
	if (!begin())
		return;
	if (access(GATE, F_OK)) {
		skip("they are always obeyed");
		return;
	}
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	fire("debug-stop");
	burn(20);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
}

/* Bytes that reach memory until none more come */
static long long settled(void)
{
	long long before = -1, now = get_number(of_sink("head"));

	for (unsigned int i = 0; i < 200 && before != now; i++) {
		usleep(50000);
		before = now;
		now = get_number(of_sink("head"));
	}
	return before == now ? now : -1;
}

static void nothing_is_traced_while_a_trigger_has_stopped_trace(void)
{
	long long stopped;

	if (!begin())
		return;
	obey(true);
	EXPECT_EQ(put(IN(0), "stop"), 0);
	EXPECT_EQ(put(IN(1), "start"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	burn(20);
	fire("in0");
	EXPECT(becomes(ENCODER0 "inst_tracing", "0"));
	stopped = settled();
	EXPECT(stopped >= 0);
	burn(50);
	EXPECT_EQ(settled(), stopped);
	fire("in1");
	EXPECT(becomes(ENCODER0 "inst_tracing", "1"));
	burn(20);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT(get_number(of_sink("head")) > stopped);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

/* Return: how many messages say that it happened */
static unsigned int syncs_after(const char *event, unsigned int sync)
{
	if (put(ENCODER0 "enable", "1"))
		return -1;
	burn(5);
	if (event)
		fire(event);
	burn(5);
	put(ENCODER0 "enable", "0");
	return count_syncs(sync);
}

static void triggers_mark_a_place_in_the_trace(void)
{
	if (!begin())
		return;
	EXPECT_EQ(put(IN(2), "sync"), 0);
	EXPECT_EQ(syncs_after(NULL, SYNC_EXTERNAL), 0);
	EXPECT_EQ(syncs_after("in0", SYNC_EXTERNAL), 0);
	EXPECT_EQ(syncs_after("in2", SYNC_EXTERNAL), 1);
	EXPECT_EQ(syncs_after("in2", SYNC_EVENT), 0);
	EXPECT_EQ(syncs_after("debug-sync", SYNC_EVENT), 1);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void outputs_fire_when_trace_starts_and_stops(void)
{
	if (!begin())
		return;
	obey(true);
	EXPECT_EQ(put(IN(0), "stop"), 0);
	EXPECT_EQ(put(IN(1), "start"), 0);
	EXPECT_EQ(put(OUT(0), "start"), 0);
	EXPECT_EQ(put(OUT(1), "stop"), 0);
	EXPECT_EQ(put(OUT(2), "start,stop"), 0);
	forget();
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT_EQ(fired(0), 1);
	EXPECT_EQ(fired(1), 0);
	EXPECT_EQ(fired(2), 1);
	EXPECT_EQ(fired(3), 0);
	fire("in0");
	EXPECT(becomes(ENCODER0 "inst_tracing", "0"));
	EXPECT_EQ(fired(1), 1);
	fire("in1");
	EXPECT(becomes(ENCODER0 "inst_tracing", "1"));
	EXPECT_EQ(fired(0), 2);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(fired(0), 2);
	EXPECT_EQ(fired(1), 2);
	EXPECT_EQ(fired(2), 4);
	EXPECT_EQ(fired(3), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	forget();
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(fired(2), 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(actions_and_events_have_names),
		TEST(external_triggers_stop_and_start_trace),
		TEST(debug_triggers_stop_and_start_trace),
		TEST(trace_can_wait_for_a_trigger),
		TEST(debug_triggers_are_not_obeyed_unless_asked_for),
		TEST(nothing_is_traced_while_a_trigger_has_stopped_trace),
		TEST(triggers_mark_a_place_in_the_trace),
		TEST(outputs_fire_when_trace_starts_and_stops),
	};

	run_on_encoder0();
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
