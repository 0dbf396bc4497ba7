// SPDX-License-Identifier: GPL-2.0
/*
 * The record ring: everything about the trace that is not a trace byte.
 *
 * What writes records is called with rvtrace_sink.lock held, some of it from the
 * scheduler: it neither sleeps nor wakes anybody.
 */
#include <linux/align.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "records.h"
#include "rvtrace.h"
#include "timestamp.h"
#include "trace.h"

LIST_HEAD(rvtrace_live);

/* Room that only sessions, losses and gaps may use, and room that tasks may not. */
#define RESERVE		SZ_16K
#define TASK_RESERVE	SZ_64K
/* So many bytes of tasks make a reader come. */
#define MANY		(RVTRACE_RECORDS_SIZE / 8)

static void *records_at(struct rvtrace_sink *sink, u64 position)
{
	return sink->records + (position & (RVTRACE_RECORDS_SIZE - 1));
}

/* What a record leaves free. */
static u32 records_reserve(u16 type)
{
	switch (type) {
	case RVTRACE_RECORD_TASK:
		return TASK_RESERVE;
	case RVTRACE_RECORD_ADDRESS_SPACE:
	case RVTRACE_RECORD_CLOCK:
	case RVTRACE_RECORD_CODE:
		return RESERVE;
	default:
		return 0;
	}
}

/* Append a record whose header has CPU, time and position. */
static void records_append(struct rvtrace_sink *sink, struct rvtrace_record *record, u16 type,
			   u32 size)
{
	u32 to_end = RVTRACE_RECORDS_SIZE - (sink->records_head & (RVTRACE_RECORDS_SIZE - 1));
	u32 pad = to_end < size ? to_end : 0;
	u32 room = RVTRACE_RECORDS_SIZE - (u32)(sink->records_head - sink->records_tail);

	lockdep_assert_held(&sink->lock);
	if (room < pad + size + records_reserve(type)) {
		sink->records_lost++;
		return;
	}
	if (pad) {
		struct rvtrace_record filler = {
			.size = pad,
			.type = RVTRACE_RECORD_PAD,
			.position = record->position,
		};

		memset(records_at(sink, sink->records_head), 0, pad);
		memcpy(records_at(sink, sink->records_head), &filler,
		       min_t(u32, pad, sizeof(filler)));
		sink->records_head += pad;
	}
	record->size = size;
	record->type = type;
	memcpy(records_at(sink, sink->records_head), record, size);
	sink->records_head += size;
	if (type != RVTRACE_RECORD_TASK)
		sink->records_others = sink->records_head;
}

/**
 * rvtrace_record() - append a record of now
 * @sink: the sink
 * @record: the record; its header is filled in here, the time unless it has one
 * @type: enum rvtrace_record_type
 * @size: its bytes, a multiple of 8
 * @position: data position it belongs to
 *
 * A record that finds no room is counted. Records that come by the thousand
 * leave room for those that say what was lost.
 */
void rvtrace_record(struct rvtrace_sink *sink, struct rvtrace_record *record,
		    u16 type, u32 size, u64 position)
{
	record->cpu = raw_smp_processor_id();
	record->position = position;
	if (!record->time)
		record->time = ktime_get_mono_fast_ns();
	records_append(sink, record, type, size);
}

/**
 * rvtrace_publish_records() - bring the control page up to date with the records
 * @sink: the sink, locked
 */
void rvtrace_publish_records(struct rvtrace_sink *sink)
{
	WRITE_ONCE(sink->control->records_lost, sink->records_lost);
	/* Readers that acquire their head see the records up to it. */
	smp_store_release(&sink->control->records_head, sink->records_head);
}

/**
 * rvtrace_records_many() - whether records fill the ring if no reader comes
 * @sink: the sink; only those of tasks come that fast
 *
 * Never for a reader that did not map them: it cannot consume them.
 */
bool rvtrace_records_many(const struct rvtrace_sink *sink)
{
	return sink->tasks && sink->reads_records &&
	       sink->records_head - sink->records_tail >= MANY;
}

/**
 * rvtrace_records_due() - whether there are records for which a reader comes
 * @sink: the sink
 *
 * None for a reader that did not map them. Not for each of tasks: the reader's own coming and
 * going makes some.
 */
bool rvtrace_records_due(const struct rvtrace_sink *sink)
{
	return (sink->reads_records && sink->records_others > sink->records_tail) ||
	       rvtrace_records_many(sink);
}

/**
 * rvtrace_records_begin_at() - whether a record that was not consumed yet begins at a position
 * @sink: the sink, not locked; its reader is, so that the tail stays
 * @position: byte position in the record ring, given by a reader; the head counts as well
 */
bool rvtrace_records_begin_at(struct rvtrace_sink *sink, u64 position)
{
	u64 begin = sink->records_tail, head;

	rvtrace_sink_lock(sink);
	head = sink->records_head;
	rvtrace_sink_unlock(sink);
	if (position > head)
		return false;
	while (begin < position)
		begin += ((const struct rvtrace_record *)records_at(sink, begin))->size;
	return begin == position;
}

/* What is left of records that were read. New ones may come meanwhile. */
static void records_wipe_room(struct rvtrace_sink *sink)
{
	u64 position = 0, end = sink->records_tail + RVTRACE_RECORDS_SIZE;
	u32 n;

	do {
		rvtrace_sink_lock(sink);
		position = max(position, sink->records_head);
		n = min_t(u64, end - position, PAGE_SIZE - position % PAGE_SIZE);
		memset(records_at(sink, position), 0, n);
		rvtrace_sink_unlock(sink);
		position += n;
	} while (position < end);
}

/* Records that nobody read yet, up to @head, and what is left of others under a pad */
static void records_wipe_unread(struct rvtrace_sink *sink, u64 head)
{
	const struct rvtrace_record *record;
	u64 position;

	for (position = sink->records_tail; position < head; position += record->size) {
		record = records_at(sink, position);
		if (record->type == RVTRACE_RECORD_TEXT) {
			struct rvtrace_record_text *text = records_at(sink, position);

			text->address = 0;
			text->size = 0;
		} else if (record->type == RVTRACE_RECORD_TASK) {
			((struct rvtrace_record_task *)records_at(sink, position))->task = 0;
		} else if ((record->type == RVTRACE_RECORD_CODE ||
			    record->type == RVTRACE_RECORD_PAD) &&
			   record->size > sizeof(*record)) {
			memset(records_at(sink, position) + sizeof(*record), 0,
			       record->size - sizeof(*record));
		}
	}
}

/**
 * rvtrace_records_reader() - records have another reader
 * @sink: the sink, not locked, whose records nobody reads now
 * @privileged: the reader, or nobody for now, may learn where the kernel is
 *
 * Records that nobody reads keep addresses until a reader comes that may not.
 */
void rvtrace_records_reader(struct rvtrace_sink *sink, bool privileged)
{
	u64 head;

	rvtrace_sink_lock(sink);
	sink->addresses = privileged;
	head = sink->records_head;
	rvtrace_sink_unlock(sink);
	if (privileged)
		return;
	records_wipe_room(sink);
	records_wipe_unread(sink, head);
}

/**
 * rvtrace_record_loss() - record the loss that is pending, if any
 * @sink: the sink
 */
void rvtrace_record_loss(struct rvtrace_sink *sink)
{
	struct rvtrace_ring *ring = &sink->ring;
	struct rvtrace_record_lost lost = {
		.start = ring->pending_start,
		.end = ring->counted,
		.flags = ring->lower_bound ? RVTRACE_LOST_AT_LEAST : 0,
	};

	if (!ring->pending)
		return;
	ring->pending = false;
	ring->lower_bound = false;
	trace_rvtrace_loss(sink->id, lost.start, lost.end, lost.flags);
	rvtrace_record(sink, &lost.header, RVTRACE_RECORD_LOST, sizeof(lost), lost.start);
}

/**
 * rvtrace_record_clock() - record one moment on the trace's clock and ours
 * @sink: a sink with a live session
 */
void rvtrace_record_clock(struct rvtrace_sink *sink)
{
	struct rvtrace_record_clock clock = {};
	struct rvtrace_moment moment;

	lockdep_assert_held(&sink->lock);
	if (!sink->clock || sink->paused)
		return;
	rvtrace_timestamp_moment(sink->clock, &moment);
	clock.header.time = moment.monotonic;
	clock.trace_time = moment.trace;
	clock.realtime = moment.realtime;
	rvtrace_record(sink, &clock.header, RVTRACE_RECORD_CLOCK, sizeof(clock),
		       sink->ring.head);
	sink->clocked = clock.header.time;
}

/**
 * rvtrace_record_address_space() - record what a value of scontext means
 * @sink: a sink with a live session
 * @context: the value
 * @pid: the process, 0 for kernel threads
 * @comm: name of the task, TASK_COMM_LEN bytes
 */
void rvtrace_record_address_space(struct rvtrace_sink *sink, u32 context, s32 pid,
				  const char *comm)
{
	struct rvtrace_record_address_space space = {
		.context = context,
		.pid = pid,
	};

	strscpy_pad(space.comm, comm, sizeof(space.comm));
	rvtrace_record(sink, &space.header, RVTRACE_RECORD_ADDRESS_SPACE, sizeof(space),
		       sink->ring.head);
}

/**
 * rvtrace_record_task() - record what a task did
 * @sink: a sink
 * @task: the record, with CPU, time and position
 */
void rvtrace_record_task(struct rvtrace_sink *sink, const struct rvtrace_record_task *task)
{
	struct rvtrace_record_task record = *task;
	u64 lost = sink->records_lost;

	if (sink->tasks_lost)
		record.flags |= RVTRACE_TASK_LOST;
	if (!sink->task_addresses || !sink->addresses)
		record.task = 0;
	records_append(sink, &record.header, RVTRACE_RECORD_TASK, sizeof(record));
	sink->tasks_lost = sink->records_lost != lost;
}

/**
 * rvtrace_record_text() - record that kernel text came or went
 * @sink: a sink with a live session
 * @text: the record
 */
void rvtrace_record_text(struct rvtrace_sink *sink, const struct rvtrace_record_text *text)
{
	struct rvtrace_record_text record = *text;

	if (!sink->addresses) {
		record.address = 0;
		record.size = 0;
	}
	rvtrace_record(sink, &record.header, RVTRACE_RECORD_TEXT, sizeof(record),
		       sink->ring.head);
}

/**
 * rvtrace_record_code() - record bytes of kernel text, for a reader who may have them
 * @sink: a sink with a live session
 * @code: the record; zeros follow its bytes up to a multiple of 8
 */
void rvtrace_record_code(struct rvtrace_sink *sink, struct rvtrace_record_code *code)
{
	code->header.time = 0;
	if (sink->addresses)
		rvtrace_record(sink, &code->header, RVTRACE_RECORD_CODE,
			       ALIGN(struct_size(code, bytes, code->length), 8), sink->ring.head);
}
