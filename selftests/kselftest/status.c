// SPDX-License-Identifier: GPL-2.0
/*
 * What happened in a session is told until the next one, whatever clears it in the
 * hardware: a read (data trace of 0.9.4), a write (1.0, version 0), the next enabling.
 * rvtrace-fault makes it happen, on the emulated machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

#define OVERFLOW	ENCODER0 "inst_stall_or_overflow"
#define STALL		ENCODER0 "data_stall"
#define DROP		ENCODER0 "data_drop"
#define LOST		ENCODER0 "software_trace_lost"

/* Return: false where there is no data trace, or nothing to disturb it. */
static bool has_data(void)
{
	if (!access(ENCODER0 "data_trace", F_OK) &&
	    !system("rvtrace-fault encoder0 > /dev/null 2>&1"))
		return true;
	skip("no data trace, or nothing to disturb it");
	return false;
}

static bool happens(const char *event)
{
	char command[64];

	snprintf(command, sizeof(command), "rvtrace-fault encoder0 events=data-%s", event);
	return !system(command);
}

static bool data_lost(const char *stall, const char *drop)
{
	return is(STALL, stall) && is(DROP, drop);
}

static bool start(void)
{
	return !put(of_sink("tracing"), "1");
}

static bool flush(void)
{
	return !put(of_sink("flush"), "1");
}

static bool stop(void)
{
	return !put(of_sink("tracing"), "0");
}

/* Whoever reads it does not take it away from the next one. */
static void data_that_was_lost_is_told_again_and_again(void)
{
	if (!has_data())
		return;
	EXPECT(start());
	EXPECT(data_lost("0", "0"));
	EXPECT(happens("drop"));
	EXPECT(data_lost("0", "1"));
	EXPECT(data_lost("0", "1"));
	EXPECT(happens("stall"));
	EXPECT(data_lost("1", "1"));
	EXPECT(data_lost("1", "1"));
	EXPECT(stop());
}

static void data_lost_before_a_flush_is_told_after_it(void)
{
	if (!has_data())
		return;
	EXPECT(start());
	EXPECT(happens("stall"));
	EXPECT(flush());
	EXPECT(data_lost("1", "0"));
	EXPECT(happens("drop"));
	EXPECT(flush());
	EXPECT(flush());
	EXPECT(data_lost("1", "1"));
	EXPECT(stop());
}

static void lost_data_is_told_until_the_next_session(void)
{
	if (!has_data())
		return;
	EXPECT(start());
	EXPECT(happens("stall"));
	EXPECT(flush());
	EXPECT(happens("drop"));
	EXPECT(stop());
	EXPECT(data_lost("1", "1"));
	/* A setting that is tried on the hardware is no session. */
	EXPECT(!put(ENCODER0 "data_no_value", get(ENCODER0 "data_no_value")));
	EXPECT(!put(ENCODER0 "reset", "1"));
	EXPECT(data_lost("1", "1"));
	EXPECT(start());
	EXPECT(data_lost("0", "0"));
	EXPECT(flush());
	EXPECT(stop());
	EXPECT(data_lost("0", "0"));
}

/* What the memory behind the trace takes: next to nothing, or everything. */
static bool throttle(bool on)
{
	char command[128];

	snprintf(command, sizeof(command),
		 "for c in funnel0 funnel1 funnel2 ram0 ram1; do rvtrace-fault $c bandwidth=%d || exit; done > /dev/null",
		 on);
	return !system(command);
}

static bool overflows(void)
{
	if (!throttle(true))
		return false;
	burn(50);
	if (!throttle(false))
		return false;
	/* That messages were lost is told by the next one. */
	for (int i = 0; i < 100 && get_number(OVERFLOW) != 1; i++)
		burn(10);
	return is(OVERFLOW, "1");
}

static void an_overflow_is_told_until_the_next_session(void)
{
	if (system("rvtrace-fault encoder0 > /dev/null 2>&1")) {
		skip("nothing makes trace overflow");
		return;
	}
	EXPECT(run_on_encoder0());
	EXPECT(!put(ENCODER0 "reset", "1"));
	EXPECT(start());
	burn(10);
	EXPECT(is(OVERFLOW, "0"));
	EXPECT(overflows());
	EXPECT(is(OVERFLOW, "1"));
	EXPECT(flush());
	EXPECT(is(OVERFLOW, "1"));
	EXPECT(flush());
	EXPECT(stop());
	EXPECT(is(OVERFLOW, "1"));
	EXPECT(!put(ENCODER0 "reset", "1"));
	EXPECT(is(OVERFLOW, "1"));
	EXPECT(start());
	burn(10);
	EXPECT(is(OVERFLOW, "0"));
	EXPECT(stop());
	EXPECT(is(OVERFLOW, "0"));
}

/* An event of identifier 1, in the range of users */
static void emit(unsigned long value)
{
#ifdef __riscv
	register unsigned long a0 __asm__("a0") = value;

	__asm__ __volatile__("csrw 0x8f0, %0" : : "r"(1UL), "r"(a0));
#else
	(void)value;
#endif
}

/* Software writes more than goes out. */
static void lost_events_are_told_until_the_next_session(void)
{
	long long lost;

	if (access(LOST, F_OK) || system("rvtrace-fault encoder0 > /dev/null 2>&1")) {
		skip("no software trace port, or nothing makes trace overflow");
		return;
	}
	EXPECT(run_on_encoder0());
	EXPECT_EQ(put(ENCODER0 "software_trace_threads", "0"), 0);
	EXPECT(start());
	EXPECT(is(LOST, "0"));
	EXPECT(throttle(true));
	for (int i = 0; i < 100000; i++)
		emit(i);
	EXPECT(throttle(false));
	lost = get_number(LOST);
	printf("# %lld events were lost\n", lost);
	EXPECT(lost > 0 && lost <= 100000);
	EXPECT_EQ(get_number(LOST), lost);
	EXPECT(flush());
	EXPECT_EQ(get_number(LOST), lost);
	EXPECT(stop());
	EXPECT_EQ(get_number(LOST), lost);
	EXPECT(start());
	EXPECT(is(LOST, "0"));
	EXPECT(stop());
	EXPECT_EQ(put(ENCODER0 "software_trace_threads", "1"), 0);
}

/* To pins that are off */
static void a_refused_start_forgets_nothing(void)
{
	char sink[64];

	if (system("rvtrace-fault encoder0 > /dev/null 2>&1")) {
		skip("nothing makes trace overflow");
		return;
	}
	snprintf(sink, sizeof(sink), "%s", get(of_owner("sink")));
	EXPECT(run_on_encoder0());
	EXPECT(start());
	EXPECT(overflows());
	EXPECT(stop());
	if (put(of_owner("sink"), "pib")) {
		skip("the sink has no pins");
		return;
	}
	EXPECT_EQ(put(of_owner("pib_mode"), "off"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), -EINVAL);
	EXPECT(is(OVERFLOW, "1"));
	EXPECT_EQ(put(of_owner("sink"), sink), 0);
	EXPECT(is(OVERFLOW, "1"));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(data_that_was_lost_is_told_again_and_again),
		TEST(data_lost_before_a_flush_is_told_after_it),
		TEST(lost_data_is_told_until_the_next_session),
		TEST(an_overflow_is_told_until_the_next_session),
		TEST(lost_events_are_told_until_the_next_session),
		TEST(a_refused_start_forgets_nothing),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
