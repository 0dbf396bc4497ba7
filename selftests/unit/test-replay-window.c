// SPDX-License-Identifier: GPL-2.0
/* Recordings: what is decoded of some time is what all of it says of that time, and little else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <cmocka.h>

#include <rvtrace/replay.h>

#include "selftests/unit/loops-fixture.h"
#include "selftests/unit/parallel-fixture.h"
#include "selftests/unit/recording_helpers.h"

#define START_NS	5000000000ull	/* of the trace */
#define TICK_NS		1000
#define STEP		100		/* ticks from one block to the next */
#define END		2000000		/* ticks */
#define SLEEP		500000		/* of the second hart, from there */
#define WAKE		1700000		/* to there */
#define STOP		600000		/* of the second hart, in another recording */
#define START		700000		/* again, which is written LATE ticks later */
#define LATE		100000
#define DRAIN		1000		/* bytes */
#define DELAY_NS	1000000		/* from a message to the disk */

static uint64_t written_ns;	/* 0: now */

/* In place of the C library's: the recorder writes when the trace was made. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!written_ns)
		return syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec) { written_ns / 1000000000, written_ns % 1000000000 };
	return 0;
}

/**
 * struct made - a recording under way
 * @bytes, @size: that were traced and not written yet
 * @position: in the stream
 */
struct made {
	char path[64];
	struct rvtrace_recorder *recorder;
	uint8_t bytes[2 * DRAIN];
	size_t size;
	uint64_t position;
	struct loops loops;
};

static struct json_object *source_of(unsigned int hart)
{
	struct json_object *source = json_object_new_object(), *harts = json_object_new_array();
	struct json_object *attributes = json_object_new_object();

	json_object_array_add(harts, json_object_new_int(hart));
	json_object_object_add(source, "component", json_object_new_string("encoder"));
	json_object_object_add(source, "cpus", json_object_get(harts));
	json_object_object_add(source, "harts", harts);
	json_object_object_add(source, "src_id", json_object_new_int(hart));
	json_object_object_add(source, "src_bits", json_object_new_int(1));
	json_object_object_add(source, "format", json_object_new_string("ntrace"));
	json_object_object_add(attributes, "generation", json_object_new_string("TCI 1.0"));
	json_object_object_add(attributes, "context", json_object_new_string("1"));
	json_object_object_add(attributes, "ts_width", json_object_new_string("40"));
	json_object_object_add(attributes, "timestamp_frequency",
			       json_object_new_string("1000000 measured"));
	json_object_object_add(source, "attributes", attributes);
	return source;
}

static void begin(struct made *m)
{
	struct json_object *metadata = test_metadata("s0"), *sinks, *sources;
	int fd;

	*m = (struct made) { .path = "/tmp/rvtrace-window-XXXXXX" };
	assert_non_null(mkdtemp(m->path));
	fd = rvtrace_recording_directory(m->path, NULL);
	assert_int_equal(rvtrace_recorder_new(fd, m->path, NULL, &m->recorder, NULL), 0);
	assert_int_equal(rvtrace_recorder_add_sink(m->recorder, "s0", NULL), 0);
	sources = json_object_new_array();
	for (unsigned int i = 0; i < LOOP_HARTS; i++)
		json_object_array_add(sources, source_of(i));
	json_object_object_get_ex(metadata, "sinks", &sinks);
	json_object_object_add(json_object_array_get_idx(sinks, 0), "sources", sources);
	assert_int_equal(rvtrace_recorder_begin(m->recorder, metadata, NULL), 0);
	json_object_put(metadata);
}

static void drain(struct made *m)
{
	struct iovec iov = { m->bytes, m->size };

	if (m->size)
		assert_int_equal(rvtrace_recorder_write(m->recorder, 0, m->position, &iov, 1, NULL),
				 0);
	m->position += m->size;
	m->size = 0;
}

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct made *m = opaque;

	memcpy(m->bytes + m->size, message, size);
	m->size += size;
	if (m->size > DRAIN)
		drain(m);
	return true;
}

static void mark_clock(struct made *m, uint64_t ticks)
{
	struct rvtrace_record_clock record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_CLOCK,
			    .time = START_NS + ticks * TICK_NS },
		.trace_time = ticks,
	};

	assert_int_equal(rvtrace_recorder_records(m->recorder, 0, &record, sizeof(record), NULL),
			 0);
}

static void sleep_and_wake(struct made *m, uint64_t time)
{
	if (time < SLEEP || time >= WAKE)
		loops_step(&m->loops, 1, LOOP_1, time + 1);
}

/* Its encoder keeps back what it says once it has started again. */
static void stop_and_start(struct made *m, uint64_t time)
{
	if (time < STOP)
		loops_step(&m->loops, 1, LOOP_1, time + 1);
	else if (time == STOP)
		loops_stop(&m->loops, 1, time + 1);
	else if (time == START + LATE)
		loops_restart(&m->loops, 1, START + 1);
	if (time >= START + LATE)
		loops_step(&m->loops, 1, LOOP_1, time - LATE + 2);
}

/* Of both harts, synchronized every @sync messages. */
static void make(struct made *m, uint64_t sync, void (*second)(struct made *m, uint64_t time))
{
	begin(m);
	loops_start(&m->loops, sync, emit, m);
	mark_clock(m, 0);
	for (uint64_t time = STEP; time < END; time += STEP) {
		written_ns = START_NS + time * TICK_NS + DELAY_NS;
		loops_step(&m->loops, 0, LOOP_0, time);
		second(m, time);
	}
	mark_clock(m, END);
	drain(m);
	written_ns = 0;
	assert_int_equal(rvtrace_recorder_finish(m->recorder, NULL), 0);
	rvtrace_recorder_free(m->recorder);
}

/**
 * struct seen - what was decoded
 * @from, @to: what of it counts
 * @record: that
 * @bytes: of the stream that were read
 */
struct seen {
	uint64_t from;
	uint64_t to;
	struct record record;
	uint64_t bytes;
};

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct seen *seen = data;

	for (size_t i = 0; i < count; i++)
		if (items[i].flags & RVTRACE_FLOW_HAS_TIME && items[i].time >= seen->from &&
		    items[i].time <= seen->to)
			record_item(&seen->record, &items[i]);
	return 0;
}

static int take_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	struct seen *seen = data;

	if (chunk->type == RVTRACE_CHUNK_DATA)
		seen->bytes += chunk->length;
	return 0;
}

/**
 * struct opened - the recording to be decoded
 */
struct opened {
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
};

static void open_made(const struct made *m, struct opened *o)
{
	assert_int_equal(rvtrace_recording_open(m->path, &o->recording, NULL), 0);
	assert_int_equal(rvtrace_spaces_load(o->recording, &o->spaces, NULL), 0);
	o->program = rvtrace_program_new();
	assert_non_null(o->program);
	loops_map(o->program->image);
	assert_int_equal(rvtrace_replay_resolver(o->recording, 0, o->program, o->spaces, &o->resolver,
					      NULL), 0);
}

static void close_made(const struct made *m, struct opened *o)
{
	rvtrace_resolver_free(o->resolver);
	rvtrace_program_free(o->program);
	rvtrace_spaces_free(o->spaces);
	rvtrace_recording_free(o->recording);
	remove_tree(m->path);
}

/* Return: which part of the stream was read, in percent. */
static unsigned int compare_window(struct opened *o, uint64_t from, uint64_t to, bool empty)
{
	struct seen all = { .from = from, .to = to }, window = { .from = from, .to = to };
	struct rvtrace_replay_handler handler = {
		.size = sizeof(handler), .items = take_items, .chunk = take_chunk,
	};

	handler.data = &all;
	assert_int_equal(rvtrace_replay(o->recording, 0, o->program, o->resolver, &handler, NULL),
			 0);
	handler.data = &window;
	assert_int_equal(rvtrace_replay_window(o->recording, 0, o->program, o->resolver, from, to,
					       &handler, NULL), 0);
	assert_int_equal(!all.record.size, empty);
	assert_int_equal(window.record.size, all.record.size);
	if (!empty)
		assert_memory_equal(window.record.bytes, all.record.bytes, all.record.size);
	free(all.record.bytes);
	free(window.record.bytes);
	return 100 * window.bytes / all.bytes;
}

static void a_window_is_read_alone(void **state)
{
	struct opened o;
	struct made m;

	(void)state;
	make(&m, 20, sleep_and_wake);
	open_made(&m, &o);
	assert_in_range(compare_window(&o, 0, 10000, false), 0, 20);
	assert_in_range(compare_window(&o, 300000, 310000, false), 1, 20);
	assert_in_range(compare_window(&o, 1950000, UINT64_MAX, false), 1, 20);
	assert_in_range(compare_window(&o, 3 * END, UINT64_MAX, true), 0, 20);
	close_made(&m, &o);
}

/* The second hart is where it was long before. */
static void who_sleeps_is_looked_for_earlier(void **state)
{
	struct opened o;
	struct made m;

	(void)state;
	make(&m, 20, sleep_and_wake);
	open_made(&m, &o);
	compare_window(&o, SLEEP - 1000, SLEEP + 10000, false);
	compare_window(&o, SLEEP + 100000, SLEEP + 110000, false);
	compare_window(&o, WAKE - 5000, WAKE + 500, false);
	compare_window(&o, SLEEP + 100000, WAKE + 5000, false);
	/* not long: not all of it */
	assert_in_range(compare_window(&o, SLEEP + 30000, SLEEP + 40000, false), 1, 90);
	close_made(&m, &o);
}

/* The first hart is behind the window before the second one, stopped until then, tells of it. */
static void who_starts_late_is_waited_for(void **state)
{
	struct opened o;
	struct made m;

	(void)state;
	make(&m, 20, stop_and_start);
	open_made(&m, &o);
	assert_in_range(compare_window(&o, STOP - 10000, STOP + 10000, false), 1, 99);
	compare_window(&o, STOP + 10000, START + 10000, false);
	compare_window(&o, START - 1000, START + 1000, false);
	compare_window(&o, START + LATE / 2, START + LATE / 2 + 10, false);
	close_made(&m, &o);
}

static void without_synchronizations_all_is_read(void **state)
{
	struct opened o;
	struct made m;

	(void)state;
	make(&m, 0, sleep_and_wake);
	open_made(&m, &o);
	assert_in_range(compare_window(&o, 1950000, UINT64_MAX, false), 100, 400);
	close_made(&m, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_read_alone),
		cmocka_unit_test(who_sleeps_is_looked_for_earlier),
		cmocka_unit_test(who_starts_late_is_waited_for),
		cmocka_unit_test(without_synchronizations_all_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
