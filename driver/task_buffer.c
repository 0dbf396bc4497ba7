// SPDX-License-Identifier: GPL-2.0
/*
 * Records of tasks come from the scheduler, on all harts at once. Each hart keeps its own, with no
 * lock that others wait for. The sampler moves them to the record ring, the oldest of all first,
 * and so do readers. A hart whose buffer is full moves some itself, so none is lost for want of a
 * sampler: its own may come before older ones of other harts. Few are moved at a time, because
 * interrupts are off.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "records.h"
#include "rvtrace.h"
#include "task_buffer.h"

/* Records that a hart keeps; that are moved when it has no room, and by the sampler */
#define KEPT	64
#define SOME	8
#define MOST	32
/* Buffers that are looked at with interrupts off; those of all harts once at least */
#define LOOKS	64

/**
 * struct rvtrace_task_buffer - records of one hart
 * @head: how many were written [written by the hart, interrupts off]
 * @tail: how many were moved on [written with rvtrace_sink.lock held]
 * @record: number N is at N % KEPT
 */
struct rvtrace_task_buffer {
	u32 head;
	u32 tail;
	struct rvtrace_record_task record[KEPT];
};

/**
 * rvtrace_task_buffers_alloc() - make room for records of tasks, if there is none
 * @sink: the sink, to which no record of a task is written yet
 *
 * Return: 0; -ENOMEM
 */
int rvtrace_task_buffers_alloc(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (!sink->task_buffers)
		sink->task_buffers = alloc_percpu(struct rvtrace_task_buffer);
	return sink->task_buffers ? 0 : -ENOMEM;
}

/**
 * rvtrace_task_buffers_free() - give the room back
 * @sink: the sink, which nobody uses any more
 */
void rvtrace_task_buffers_free(struct rvtrace_sink *sink)
{
	free_percpu(sink->task_buffers);
}

/**
 * rvtrace_task_buffers_forget() - drop what was written for a reader before
 * @sink: the sink, locked
 */
void rvtrace_task_buffers_forget(struct rvtrace_sink *sink)
{
	struct rvtrace_task_buffer *buffer;
	unsigned int cpu;

	lockdep_assert_held(&sink->lock);
	for_each_possible_cpu(cpu) {
		buffer = per_cpu_ptr(sink->task_buffers, cpu);
		WRITE_ONCE(buffer->tail, READ_ONCE(buffer->head));
	}
}

static const struct rvtrace_record_task *buffer_first(struct rvtrace_task_buffer *buffer)
{
	/* Pairs with rvtrace_task_keep(). */
	if (smp_load_acquire(&buffer->head) == buffer->tail)
		return NULL;
	return &buffer->record[buffer->tail % KEPT];
}

static void buffer_move_first(struct rvtrace_sink *sink, struct rvtrace_task_buffer *buffer)
{
	if (sink->tasks)
		rvtrace_record_task(sink, &buffer->record[buffer->tail % KEPT]);
	/* The hart may write there again. */
	smp_store_release(&buffer->tail, buffer->tail + 1);
}

/* The buffer with the oldest record, or NULL. @until: out: no other has an older one. */
static struct rvtrace_task_buffer *buffers_oldest(struct rvtrace_sink *sink, u64 *until)
{
	struct rvtrace_task_buffer *buffer, *oldest = NULL;
	const struct rvtrace_record_task *record;
	u64 time = U64_MAX;
	unsigned int cpu;

	*until = U64_MAX;
	for_each_possible_cpu(cpu) {
		buffer = per_cpu_ptr(sink->task_buffers, cpu);
		record = buffer_first(buffer);
		if (!record)
			continue;
		if (record->header.time < time) {
			*until = time;
			time = record->header.time;
			oldest = buffer;
		} else if (record->header.time < *until) {
			*until = record->header.time;
		}
	}
	return oldest;
}

/* How often it may be looked for the oldest record with interrupts off */
static unsigned int buffers_scans(void)
{
	return clamp(LOOKS / nr_cpu_ids, 1U, 8U);
}

/* Move @most of them, from the oldest on. Return: whether there may be more. */
static bool buffers_move(struct rvtrace_sink *sink, unsigned int most)
{
	const struct rvtrace_record_task *record;
	struct rvtrace_task_buffer *oldest;
	unsigned int scans, n = 0;
	u64 until;

	for (scans = buffers_scans(); scans && n < most; scans--) {
		oldest = buffers_oldest(sink, &until);
		if (!oldest)
			return false;
		record = buffer_first(oldest);
		for (; record && record->header.time <= until && n < most; n++) {
			buffer_move_first(sink, oldest);
			record = buffer_first(oldest);
		}
	}
	return true;
}

/*
 * Room for a record of this hart: the oldest of all go, and one of its own at least. Of many harts
 * each would look at all, with interrupts off: there some of its own go.
 */
static void buffer_make_room(struct rvtrace_sink *sink, struct rvtrace_task_buffer *buffer)
{
	bool few = nr_cpu_ids <= LOOKS / SOME;
	unsigned int room = few ? 1 : SOME;

	raw_spin_lock(&sink->lock);
	if (few)
		buffers_move(sink, SOME);
	while (buffer->head - buffer->tail > KEPT - room)
		buffer_move_first(sink, buffer);
	rvtrace_publish_records(sink);
	raw_spin_unlock(&sink->lock);
}

/**
 * rvtrace_task_keep() - keep a record of this hart
 * @sink: a sink with buffers, under RCU
 * @record: the record
 */
void rvtrace_task_keep(struct rvtrace_sink *sink, const struct rvtrace_record_task *record)
{
	struct rvtrace_task_buffer *buffer;
	struct rvtrace_record_task *to;
	unsigned long flags;

	local_irq_save(flags);
	buffer = this_cpu_ptr(sink->task_buffers);
	/* What is written over was moved on: pairs with buffer_move_first(). */
	if (buffer->head - smp_load_acquire(&buffer->tail) == KEPT)
		buffer_make_room(sink, buffer);
	to = &buffer->record[buffer->head % KEPT];
	*to = *record;
	to->header.cpu = smp_processor_id();
	to->header.time = ktime_get_mono_fast_ns();
	to->header.position = READ_ONCE(sink->ring.head);
	/* Pairs with buffer_first(). */
	smp_store_release(&buffer->head, buffer->head + 1);
	local_irq_restore(flags);
}

/**
 * rvtrace_tasks_rounds() - calls of rvtrace_tasks_merge() that move all that harts keep
 *
 * Return: so many at most
 */
unsigned int rvtrace_tasks_rounds(void)
{
	return DIV_ROUND_UP(KEPT * num_possible_cpus(), buffers_scans());
}

/**
 * rvtrace_tasks_merge() - move records that harts kept to the record ring, the oldest first
 * @sink: the sink, locked
 *
 * Return: whether there may be more than can be moved with interrupts off
 */
bool rvtrace_tasks_merge(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&sink->lock);
	return sink->task_buffers && buffers_move(sink, MOST);
}
