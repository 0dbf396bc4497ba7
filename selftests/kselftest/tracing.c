// SPDX-License-Identifier: GPL-2.0
/*
 * Trace that stops and starts by itself, or is not taken. Triggers are fired by
 * rvtrace-fault, on the emulated machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* What breaks the emulated machine, in words: tools/machine/README.md, tools/machine/model/fault.h */
#define FAULT_PAGES		0x11200000
#define FAULT_SIZE		0x4000
#define FAULT_SLOT		(64 / 4)
#define FAULT_FUNNEL0		(0x1000 / 4)
#define FAULT_CLEAR		(0x0c / 4)
#define  FAULT_ENABLE		2
#define FAULT_EVENTS		(0x18 / 4)
#define  FAULT_STAND_STILL	0x80000

/* External trigger @input of encoder 0 fires. */
static bool fire(unsigned int input)
{
	char command[128];

	snprintf(command, sizeof(command), "rvtrace-fault encoder0 events=in%u > /dev/null 2>&1",
		 input);
	return !system(command);
}

/* Input 0 stops trace, input 1 starts it. */
static bool set_triggers(const char *stop, const char *start, const char *enable)
{
	if (access(ENCODER0 "xtrig_in_action1", F_OK) || put(ENCODER0 "xtrig_in_action0", stop) ||
	    put(ENCODER0 "xtrig_in_action1", start))
		return false;
	return access(ENCODER0 "inst_trig_en", F_OK) || !put(ENCODER0 "inst_trig_en", enable);
}

static bool can_trigger(void)
{
	if (set_triggers("stop", "start", "1") && !system("rvtrace-fault encoder0 > /dev/null 2>&1"))
		return true;
	skip("no triggers that can be fired");
	return false;
}

static const struct rvtrace_record_tracing *next_record(const struct reader *reader, uint64_t *at)
{
	const struct rvtrace_record *record = NULL;

	for (int i = 0; i < 3000 && !record; i++) {
		record = reader_record(reader, at, RVTRACE_RECORD_TRACING);
		if (!record)
			usleep(10000);
	}
	return (const void *)record;
}

static void what_triggers_do_is_recorded(void)
{
	const struct rvtrace_record_tracing *record;
	struct reader reader = {};
	uint64_t at;

	if (!can_trigger())
		return;
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(fire(0));
	record = next_record(&reader, &at);
	EXPECT(record);
	EXPECT_EQ(record->encoder, 0);
	EXPECT_EQ(record->tracing, 0);
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	EXPECT(is(ENCODER0 "enable", "1"));
	EXPECT(fire(1));
	record = next_record(&reader, &at);
	EXPECT(record);
	EXPECT_EQ(record->tracing, 1);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_TRACING));
	reader_close(&reader);
	EXPECT(set_triggers("none", "none", "0"));
}

static void a_flush_does_not_start_what_a_trigger_stopped(void)
{
	struct reader reader = {};
	uint64_t at;

	if (!can_trigger())
		return;
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(fire(0));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "0"));
	EXPECT(next_record(&reader, &at));
	EXPECT(fire(1));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
	EXPECT(set_triggers("none", "none", "0"));
}

/* Not what the session started counts, but what triggers did since, seen or not. */
static void a_flush_does_not_start_what_triggers_started_and_stopped(void)
{
	const struct rvtrace_record_tracing *record;
	struct reader reader = {};
	uint64_t at;

	if (!can_trigger())
		return;
	EXPECT_EQ(put(ENCODER0 "wait_for_trigger", "1"), 0);
	EXPECT(reader_open(&reader));
	/* The stop is not seen before the flush, or it is: each of some times. */
	for (int i = 0; i < 8; i++) {
		at = reader.control->records_head;
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		EXPECT(fire(1));
		record = next_record(&reader, &at);
		EXPECT(record);
		EXPECT_EQ(record->tracing, 1);
		EXPECT(fire(0));
		EXPECT_EQ(put(of_sink("flush"), "1"), 0);
		EXPECT(is(ENCODER0 "inst_tracing", "0"));
		record = next_record(&reader, &at);
		EXPECT(record);
		EXPECT_EQ(record->tracing, 0);
		EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	}
	reader_close(&reader);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void a_stop_shortly_before_the_end_is_recorded(void)
{
	const struct rvtrace_record *end;
	const struct rvtrace_record_tracing *record;
	struct reader reader = {};
	uint64_t at, ended;

	if (!can_trigger())
		return;
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	ended = at;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(fire(0));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	record = next_record(&reader, &at);
	EXPECT(record);
	EXPECT_EQ(record->tracing, 0);
	end = reader_record(&reader, &ended, RVTRACE_RECORD_SESSION_END);
	EXPECT(end);
	EXPECT(at < ended);
	reader_close(&reader);
	EXPECT(set_triggers("none", "none", "0"));
}

static void who_polls_inst_tracing_is_told(void)
{
	struct pollfd file = { .events = POLLPRI };
	char value[8];

	if (!can_trigger())
		return;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	file.fd = open(ENCODER0 "inst_tracing", O_RDONLY | O_CLOEXEC);
	EXPECT(file.fd >= 0);
	EXPECT_EQ(read(file.fd, value, sizeof(value)), 2);
	EXPECT_EQ(poll(&file, 1, 0), 0);
	EXPECT(fire(0));
	EXPECT_EQ(poll(&file, 1, 60000), 1);
	close(file.fd);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(set_triggers("none", "none", "0"));
}

/* Of version 0, triggers of the hart are always obeyed: nothing is set that says so. */
static void what_triggers_of_the_hart_do_is_recorded(void)
{
	const struct rvtrace_record_tracing *record;
	struct reader reader = {};
	uint64_t at;

	if (!can_trigger())
		return;
	EXPECT(set_triggers("none", "none", "1"));
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(!system("rvtrace-fault encoder0 events=debug-stop"));
	record = next_record(&reader, &at);
	EXPECT(record);
	EXPECT_EQ(record->tracing, 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
	EXPECT(set_triggers("none", "none", "0"));
}

/* Return: error of the session that ended last, or 1 when none did. */
static int end_of_session(const struct reader *reader, uint64_t *at)
{
	const struct rvtrace_record_session_end *end =
		(const void *)reader_record(reader, at, RVTRACE_RECORD_SESSION_END);

	return end ? end->error : 1;
}

/* Whether a component says it: of nested funnels not the encoder, but who leads to funnel 0. */
static bool is_sink_error(void)
{
	char file[512];

	for (unsigned int i = 0; component(i); i++) {
		snprintf(file, sizeof(file), "%ssink_error", component(i));
		if (!access(file, F_OK) && get_number(file) == 1)
			return true;
	}
	return false;
}

/* The sink is a component of its own. */
static bool has_ram_sink(void)
{
	return !strcmp(get(of_sink("component")), "ramsink0");
}

static uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/* Return: after how many milliseconds the session is over; 10000 and more: it goes on. */
static uint64_t ends_after(void)
{
	uint64_t since = milliseconds();

	while (get_number(of_sink("tracing")) && milliseconds() - since < 10000)
		usleep(1000);
	return milliseconds() - since;
}

/* In how many milliseconds it was noticed last */
static uint64_t noticed;

/* @name: as rvtrace-fault calls the component. Its Enable goes; harts stall for it or not. */
static void end_session(const char *name, const char *stalls)
{
	struct reader reader = {};
	char command[64];
	uint64_t at;

	EXPECT_EQ(put(ENCODER0 "inst_stall_en", stalls), 0);
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	snprintf(command, sizeof(command), "rvtrace-fault %s clear=enable", name);
	EXPECT(!system(command));
	noticed = ends_after();
	EXPECT(noticed < 10000);
	EXPECT(is(ENCODER0 "enable", "0"));
	EXPECT_EQ(end_of_session(&reader, &at), -EPIPE);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(end_of_session(&reader, &at), 0);
	reader_close(&reader);
	EXPECT_EQ(put(ENCODER0 "inst_stall_en", "0"), 0);
}

/* A machine that is busy with others gets some attempts. */
static void session_ends_soon(const char *name, const char *stalls)
{
	int tries = 5;

	do
		end_session(name, stalls);
	while (!has_failed() && noticed > 200 && --tries);
	EXPECT(has_failed() || noticed <= 200);
}

static void a_session_ends_whose_sink_or_funnel_stops(void)
{
	static const char *const choices[] = { "0", "1" };

	if (system("rvtrace-fault funnel0 > /dev/null 2>&1") ||
	    !is_listed(get(ENCODER0 "inst_stall_en_available"), "1")) {
		skip("nothing to break, or no encoder that lets harts stall");
		return;
	}
	for (size_t i = 0; i < 2 && !has_failed(); i++) {
		session_ends_soon("funnel0", choices[i]);
		/* Else the sink is in the page of the funnel. */
		if (!has_failed() && has_ram_sink())
			session_ends_soon("ram0", choices[i]);
	}
}

/* How long the driver waited at most, in ms */
static uint64_t waited;

/*
 * For the hart of encoder 1, whose trace the funnel takes no more. It is done without another process,
 * because the kernel waits for all harts where one begins or ends, or is asked for the first time. If
 * nothing lets the hart go, the machine hangs.
 */
static void wait_for_a_hart_that_stands_still(volatile uint32_t *encoder1, volatile uint32_t *funnel0,
					      unsigned int ms)
{
	uint32_t wanted = RVTRACE_TASKS_WANTED, no = 0;
	struct reader reader = {};
	uint64_t at, since;

	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, &wanted), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(150 + ms);
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, &no), 0);
	since = milliseconds();
	funnel0[FAULT_CLEAR] = FAULT_ENABLE;
	encoder1[FAULT_EVENTS] = FAULT_STAND_STILL;
	/* The driver asks all harts what they run, with a lock that it needs to end the session. */
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, &wanted), 0);
	since = milliseconds() - since;
	waited = since > waited ? since : waited;
	EXPECT(ends_after() < 10000);
	EXPECT_EQ(end_of_session(&reader, &at), -EPIPE);
	/* It stalls its hart in the next session. */
	EXPECT_EQ(put(ENCODER1 "inst_stall_en", "1"), 0);
	reader_close(&reader);
}

static void a_session_ends_while_the_driver_waits_for_a_hart(void)
{
	volatile uint32_t *faults;
	int memory;

	if (system("rvtrace-fault funnel0 > /dev/null 2>&1") ||
	    access(ENCODER1 "inst_stall_en", F_OK) ||
	    get_number(ENCODER1 "cpus") == get_number(ENCODER0 "cpus") ||
	    !is_listed(get(ENCODER1 "inst_stall_en_available"), "1")) {
		skip("nothing to break, or no second encoder that lets harts stall");
		return;
	}
	memory = open("/dev/mem", O_RDWR | O_SYNC);
	faults = mmap(NULL, FAULT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, FAULT_PAGES);
	EXPECT(faults != MAP_FAILED);
	EXPECT(run_on_encoder0());
	EXPECT_EQ(put(ENCODER1 "inst_stall_en", "1"), 0);
	for (unsigned int i = 0; i < 5 && !has_failed(); i++)
		wait_for_a_hart_that_stands_still(faults + FAULT_SLOT, faults + FAULT_FUNNEL0, 3 * i);
	printf("# %llu ms\n", (unsigned long long)waited);
	EXPECT(has_failed() || waited >= 2);
	EXPECT_EQ(put(ENCODER1 "inst_stall_en", "0"), 0);
}

/* No funnel and no sink takes its trace: what stops is the encoder. */
static void a_session_ends_whose_encoder_is_the_sink_and_stops(void)
{
	char before[32];

	if (system("rvtrace-fault encoder0 > /dev/null 2>&1") ||
	    !is_listed(get(ENCODER0 "sink_available"), "sram")) {
		skip("nothing to break, or no encoder that has a sink");
		return;
	}
	snprintf(before, sizeof(before), "%s", get(ENCODER0 "sink"));
	EXPECT_EQ(put(ENCODER0 "sink", "sram"), 0);
	EXPECT(find_sink());
	EXPECT(is(of_sink("component"), "encoder0"));
	session_ends_soon("encoder0", "0");
	EXPECT_EQ(put(ENCODER0 "sink", before), 0);
	EXPECT(find_sink());
}

/* Trace of before would go to the ring of this session. */
static void a_session_begins_with_a_sink_that_is_empty(void)
{
	const char *name = has_ram_sink() ? "ram0" : "funnel0";
	char command[64];

	snprintf(command, sizeof(command), "rvtrace-fault %s stuck=empty 2> /dev/null", name);
	if (system(command)) {
		skip("nothing to break");
		return;
	}
	EXPECT_EQ(put(of_sink("tracing"), "1"), -ETIMEDOUT);
	snprintf(command, sizeof(command), "rvtrace-fault %s stuck=none", name);
	EXPECT(!system(command));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void readers_learn_that_trace_was_not_taken(void)
{
	struct reader reader = {};
	uint64_t at;

	if (access(ENCODER0 "sink_error", F_OK) || system("rvtrace-fault funnel0 > /dev/null 2>&1")) {
		skip("no encoder that says so, or nothing to break");
		return;
	}
	EXPECT(run_on_encoder0());
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT(is(ENCODER0 "sink_error", "0"));
	EXPECT(!is_sink_error());
	/* The funnel drops what comes; that it stopped may be seen before the encoder says so. */
	EXPECT(!system("rvtrace-fault funnel0 clear=enable"));
	burn(20);
	EXPECT(ends_after() < 10000);
	EXPECT(is_sink_error());
	EXPECT_EQ(end_of_session(&reader, &at), -EPIPE);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT(!is_sink_error());
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(!is_sink_error());
	EXPECT_EQ(end_of_session(&reader, &at), 0);
	reader_close(&reader);
}

static void data_is_traced_where_that_is_asked_for(void)
{
	if (access(ENCODER0 "data_trace", F_OK)) {
		skip("no data trace");
		return;
	}
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	if (!access(ENCODER0 "data_enable", F_OK))
		EXPECT_EQ(put(ENCODER0 "data_enable", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "data_tracing", "0"));
	EXPECT_EQ(put(ENCODER0 "data_trace", "1"), -EBUSY);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(ENCODER0 "data_trace", "2"), -EINVAL);
	EXPECT_EQ(put(ENCODER0 "data_trace", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "data_tracing", "1"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(is(ENCODER0 "data_tracing", "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER0 "data_trace", "1"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(ENCODER0 "data_trace", "0"));
}

static bool can_trigger_data(void)
{
	if (!access(ENCODER0 "data_trace", F_OK) &&
	    !system("rvtrace-fault encoder0 > /dev/null 2>&1"))
		return true;
	skip("no data trace, or no triggers that can be fired");
	return false;
}

/* Of trace of data and of instructions, which obeys triggers of the hart. */
static bool begin_data(const char *data_trace, const char *data_obeys, const char *inst_obeys)
{
	if (put(ENCODER0 "reset", "1") || put(ENCODER0 "data_trace", data_trace) ||
	    put(ENCODER0 "data_trig_enable", data_obeys) ||
	    put(ENCODER0 "inst_trig_en", inst_obeys))
		return false;
	if (!access(ENCODER0 "data_enable", F_OK) && put(ENCODER0 "data_enable", "1"))
		return false;
	return !put(of_sink("tracing"), "1");
}

static bool traces(const char *instructions, const char *data)
{
	return is(ENCODER0 "inst_tracing", instructions) && is(ENCODER0 "data_tracing", data);
}

static bool end_data(void)
{
	return !put(of_sink("tracing"), "0") && !put(ENCODER0 "reset", "1");
}

static bool hit(const char *event)
{
	char command[64];

	snprintf(command, sizeof(command), "rvtrace-fault encoder0 events=debug-%s", event);
	return !system(command);
}

static void a_flush_does_not_start_data_that_a_trigger_stopped(void)
{
	if (!can_trigger_data())
		return;
	EXPECT(begin_data("1", "1", "0"));
	EXPECT(traces("1", "1"));
	EXPECT(hit("stop"));
	EXPECT(traces("1", "0"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "0"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "0"));
	EXPECT(hit("start"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "1"));
	EXPECT(hit("stop"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	/* The next session begins as it was told to. */
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(traces("1", "1"));
	EXPECT(end_data());
}

static void a_flush_does_not_stop_data_that_a_trigger_started(void)
{
	if (!can_trigger_data())
		return;
	EXPECT(begin_data("0", "1", "0"));
	EXPECT(traces("1", "0"));
	EXPECT(hit("start"));
	EXPECT(traces("1", "1"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "1"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "1"));
	EXPECT(hit("stop"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("1", "0"));
	EXPECT(end_data());
}

static void data_goes_on_after_a_flush_without_instructions(void)
{
	if (!can_trigger_data())
		return;
	EXPECT(begin_data("1", "0", "1"));
	EXPECT(hit("stop"));
	EXPECT(traces("0", "1"));
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(traces("0", "1"));
	EXPECT(hit("start"));
	EXPECT(traces("1", "1"));
	EXPECT(end_data());
}

static const struct test tests[] = {
	TEST(what_triggers_do_is_recorded),
	TEST(a_flush_does_not_start_what_a_trigger_stopped),
	TEST(a_flush_does_not_start_what_triggers_started_and_stopped),
	TEST(a_stop_shortly_before_the_end_is_recorded),
	TEST(who_polls_inst_tracing_is_told),
	TEST(what_triggers_of_the_hart_do_is_recorded),
	TEST(a_session_ends_whose_sink_or_funnel_stops),
	TEST(a_session_ends_while_the_driver_waits_for_a_hart),
	TEST(a_session_ends_whose_encoder_is_the_sink_and_stops),
	TEST(a_session_begins_with_a_sink_that_is_empty),
	TEST(readers_learn_that_trace_was_not_taken),
	TEST(data_is_traced_where_that_is_asked_for),
	TEST(a_flush_does_not_start_data_that_a_trigger_stopped),
	TEST(a_flush_does_not_stop_data_that_a_trigger_started),
	TEST(data_goes_on_after_a_flush_without_instructions),
};

int main(void)
{
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
