// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's records of tasks on machines of 1 to 1024 harts: what is done with interrupts off
 * has a bound, whatever harts kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/types.h>

#include <linux/rvtrace.h>

/* In place of rvtrace.h: what the driver has of a sink, and how harts share it. Here is one thread. */
#define RVTRACE_H
#define READ_ONCE(value)		(value)
#define WRITE_ONCE(value, to)		((value) = (to))
#define smp_load_acquire(value)		(*(value))
#define smp_store_release(value, to)	(*(value) = (to))
#define lockdep_assert_held(lock)	((void)(lock))
#define raw_spin_lock(lock)		(*(lock) = true)
#define raw_spin_unlock(lock)		(*(lock) = false)

struct rvtrace_task_buffer;

struct rvtrace_sink {
	bool lock;
	bool tasks;
	struct rvtrace_task_buffer *task_buffers;
	struct {
		u64 head;
	} ring;
};

static bool rvtrace_lock;

#include "../../driver/task_buffer.c"

#define HARTS_MOST	1024
#define MOVED_MOST	32
#define LOOKED_MOST(harts)	((harts) > 64 ? (harts) : 64)

static const unsigned int machines[] = { 1, 2, 3, 4, 8, 9, 16, 63, 64, 65, 100, 512, HARTS_MOST };

unsigned int nr_cpu_ids;

static unsigned int hart, looked, moved, published;
static u64 now, last, seen[HARTS_MOST];
static bool in_order;

unsigned int smp_processor_id(void)
{
	return hart;
}

u64 ktime_get_mono_fast_ns(void)
{
	return ++now;
}

void looked_at(unsigned int cpu)
{
	assert_true(cpu < nr_cpu_ids);
	looked++;
}

void rvtrace_publish_records(struct rvtrace_sink *sink)
{
	assert_true(sink->lock);
	published++;
}

/* Records of each hart come in the order in which it wrote them, and none is missing. */
void rvtrace_record_task(struct rvtrace_sink *sink, const struct rvtrace_record_task *record)
{
	assert_true(sink->lock);
	assert_int_equal(record->id, seen[record->header.cpu]++);
	in_order &= record->header.time > last;
	last = record->header.time;
	moved++;
}

static void begin(struct rvtrace_sink *sink, unsigned int harts)
{
	nr_cpu_ids = harts;
	memset(seen, 0, sizeof(seen));
	last = 0;
	in_order = true;
	memset(sink, 0, sizeof(*sink));
	sink->tasks = true;
	assert_int_equal(rvtrace_task_buffers_alloc(sink), 0);
}

static void keep(struct rvtrace_sink *sink, unsigned int on, u64 id)
{
	const struct rvtrace_record_task record = { .id = id };

	hart = on;
	looked = 0;
	moved = 0;
	rvtrace_task_keep(sink, &record);
	assert_true(looked <= LOOKED_MOST(nr_cpu_ids));
	assert_true(moved <= MOVED_MOST);
}

/* Return: how often */
static unsigned int merge(struct rvtrace_sink *sink)
{
	unsigned int rounds = 0;
	bool more;

	do {
		looked = 0;
		moved = 0;
		sink->lock = true;
		more = rvtrace_tasks_merge(sink);
		sink->lock = false;
		assert_true(looked <= LOOKED_MOST(nr_cpu_ids));
		assert_true(moved <= MOVED_MOST);
		rounds++;
	} while (more);
	return rounds;
}

/* The sampler finds every buffer full: harts wrote by turns, or one after the other. */
static void of_full_buffers_few_are_looked_at_and_moved(void **state)
{
	struct rvtrace_sink sink;

	(void)state;
	for (size_t m = 0; m < 2 * ARRAY_SIZE(machines); m++) {
		begin(&sink, machines[m / 2]);
		for (unsigned int i = 0; i < KEPT * nr_cpu_ids; i++)
			if (m % 2)
				keep(&sink, i / KEPT, i % KEPT);
			else
				keep(&sink, i % nr_cpu_ids, i / nr_cpu_ids);
		/* One more says that there are none. */
		assert_true(merge(&sink) <= rvtrace_tasks_rounds() + 1);
		for (unsigned int i = 0; i < nr_cpu_ids; i++)
			assert_int_equal(seen[i], KEPT);
		assert_true(in_order);
		rvtrace_task_buffers_free(&sink);
	}
}

/* Only the harts that write records move them. */
static void a_hart_without_room_makes_some(void **state)
{
	struct rvtrace_sink sink;

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		begin(&sink, machines[m]);
		published = 0;
		for (unsigned int i = 0; i < 3 * KEPT; i++)
			for (unsigned int on = 0; on < nr_cpu_ids; on++)
				keep(&sink, on, i);
		assert_true(published);
		merge(&sink);
		for (unsigned int i = 0; i < nr_cpu_ids; i++)
			assert_int_equal(seen[i], 3 * KEPT);
		rvtrace_task_buffers_free(&sink);
	}
}

static void what_a_reader_before_asked_for_is_forgotten(void **state)
{
	struct rvtrace_sink sink;

	(void)state;
	begin(&sink, 3);
	for (unsigned int i = 0; i < 3; i++)
		keep(&sink, i, 0);
	sink.lock = true;
	rvtrace_task_buffers_forget(&sink);
	sink.lock = false;
	assert_int_equal(merge(&sink), 1);
	assert_int_equal(seen[0] + seen[1] + seen[2], 0);
	rvtrace_task_buffers_free(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_full_buffers_few_are_looked_at_and_moved),
		cmocka_unit_test(a_hart_without_room_makes_some),
		cmocka_unit_test(what_a_reader_before_asked_for_is_forgotten),
	};

	return cmocka_run_group_tests_name("task-buffer", tests, NULL, NULL);
}
