// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: RAM sinks raise no interrupt, so their write pointer is read often
 * enough that no lap goes unnoticed and readers wake in time.
 */
#include <linux/module.h>
#include <linux/property.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/ktime.h>

#include "chardev.h"
#include "compat.h"
#include "memory.h"
#include "ramsink.h"
#include "records.h"
#include "rvtrace.h"
#include "sampler.h"
#include "session.h"
#include "sram.h"
#include "task_buffer.h"
#include "tasks.h"
#include "timestamp.h"
#include "trace.h"

static int sampler_set_us(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 1, USEC_PER_SEC);
}

static const struct kernel_param_ops sampler_us_ops = {
	.set = sampler_set_us,
	.get = param_get_uint,
};

static unsigned int sample_min_us = 200;
module_param_cb(sample_min_us, &sampler_us_ops, &sample_min_us, 0644);
MODULE_PARM_DESC(sample_min_us, "Shortest time from a sample of a sink to the next, in us, 1 to 1000000");

static unsigned int sample_max_us = 10000;
module_param_cb(sample_max_us, &sampler_us_ops, &sample_max_us, 0644);
MODULE_PARM_DESC(sample_max_us, "Longest time from a sample of a sink to the next, in us, 1 to 1000000");

#define CLOCK_PERIOD	NSEC_PER_SEC
/* Bytes for which caches are told with interrupts off. */
#define SYNC_MOST	SZ_16K
/* Records wake a reader no more often. */
#define WAKE_PERIOD	(100 * NSEC_PER_MSEC)

/**
 * rvtrace_publish_locked() - bring the control page up to date
 * @sink: the sink, locked
 */
void rvtrace_publish_locked(struct rvtrace_sink *sink)
{
	struct rvtrace_control *control = sink->control;
	struct rvtrace_ring *ring = &sink->ring;

	lockdep_assert_held(&sink->lock);
	WRITE_ONCE(control->state, sink->state);
	WRITE_ONCE(control->mode, ring->fill ? RVTRACE_MODE_FILL : RVTRACE_MODE_STREAM);
	WRITE_ONCE(control->session, sink->session);
	WRITE_ONCE(control->session_start, ring->start);
	WRITE_ONCE(control->valid_from, ring->valid_from);
	WRITE_ONCE(control->tail, ring->tail);
	WRITE_ONCE(control->lost, ring->lost);
	WRITE_ONCE(control->records_tail, sink->records_tail);
	/* Readers that acquire the head see the bytes up to it. */
	smp_store_release(&control->head, ring->head);
	rvtrace_publish_records(sink);
}

/*
 * Let one piece of what landed be read: where caches have to be told, no more of them than
 * interrupts can be off for. What lies in two pieces, or came meanwhile, is left.
 *
 * Return: whether there is more
 */
static bool sampler_take_piece(struct rvtrace_sink *sink)
{
	struct rvtrace_ring *ring = &sink->ring;
	u64 offset, count;

	count = rvtrace_ring_next(ring, sink->memory.coherent ? ring->size : SYNC_MOST, &offset);
	if (!count)
		return false;
	if (!sink->memory.coherent)
		rvtrace_memory_sync(&sink->memory, offset, count);
	rvtrace_ring_take(ring, count);
	return ring->head < ring->landed;
}

/*
 * Let all be read that has landed by now, a piece at a time. Of the records of tasks that harts
 * keep, @rounds calls of rvtrace_tasks_merge() are moved at most.
 */
static void sampler_take(struct rvtrace_sink *sink, unsigned int rounds)
{
	u64 until = U64_MAX;
	bool more;

	do {
		rvtrace_sink_lock(sink);
		until = min(until, sink->ring.landed);
		more = rounds && rvtrace_tasks_merge(sink) && --rounds;
		more |= sampler_take_piece(sink) && sink->ring.head < until;
		rvtrace_publish_locked(sink);
		rvtrace_sink_unlock(sink);
		cond_resched();
	} while (more);
}

/* What the last sample kept is still there. */
static bool sampler_same(struct rvtrace_sink *sink)
{
	if (!sink->check_valid)
		return false;
	rvtrace_memory_sync(&sink->memory, sink->check_at, sizeof(sink->check));
	return !memcmp(sink->memory.virt + sink->check_at, sink->check, sizeof(sink->check));
}

/*
 * Keep bytes for the next sample, of the lap the pointer was read in: if what was
 * kept before is still there, or the wrap bit still clear, no lap was finished
 * since. Where one was counted already, one more does not matter.
 */
static void sampler_keep(struct rvtrace_sink *sink, const struct rvtrace_ring_reading *reading)
{
	u8 bytes[RVTRACE_RING_CHECK_LENGTH];
	bool wrap = false;
	u64 at, offset;

	if (!rvtrace_ring_check_at(&sink->ring, &at)) {
		sink->check_valid = false;
		return;
	}
	rvtrace_memory_sync(&sink->memory, at, sizeof(bytes));
	memcpy(bytes, sink->memory.virt + at, sizeof(bytes));
	rmb();	/* what tells that they are not too new is read after them */
	if (reading->same)
		wrap = !sampler_same(sink);
	else if (!reading->wrap)
		rvtrace_ram_pointer(sink, &offset, &wrap);
	sink->check_valid = !wrap;
	sink->check_at = at;
	memcpy(sink->check, bytes, sizeof(bytes));
}

/* Trace that the hardware wrote in this lap and that is not in memory yet. */
static void sampler_find_unlanded(struct rvtrace_sink *sink, struct rvtrace_ring_reading *reading)
{
	u64 end;

	reading->looked = rvtrace_ring_look_at(&sink->ring, reading->offset, reading->wrap,
					       &end);
	if (!reading->looked)
		return;
	rvtrace_memory_sync(&sink->memory, end - reading->looked, reading->looked);
	reading->unlanded = rvtrace_ring_unlanded(sink->memory.virt + end, reading->looked,
						  sink->width);
}

/**
 * rvtrace_sample_locked() - account for what the hardware wrote until now
 * @sink: the sink, locked; without a live session, or in a pause, nothing happens
 *
 * The pointer is read before the bytes behind the last head are compared: if
 * they were overwritten in between, a lap too much is counted, never one too
 * few. Not all of what it wrote can be read yet: rvtrace_sample().
 */
void rvtrace_sample_locked(struct rvtrace_sink *sink)
{
	struct rvtrace_ring *ring = &sink->ring;
	struct rvtrace_ring_reading reading = {};

	lockdep_assert_held(&sink->lock);
	if (sink->state != RVTRACE_STATE_RUNNING || sink->off_chip || sink->paused)
		return;
	if (sink->sram.used) {
		rvtrace_sram_follow(sink);
		return;
	}
	rvtrace_ram_pointer(sink, &reading.offset, &reading.wrap);
	reading.same = sampler_same(sink);
	reading.drained = rvtrace_ram_drained(sink);
	if (!reading.drained)
		sampler_find_unlanded(sink, &reading);
	if (rvtrace_ring_sample(ring, &reading)) {
		sink->bad_pointer = true;
		return;
	}
	trace_rvtrace_sample(sink->id, reading.offset, reading.wrap, ring);
	sampler_take_piece(sink);
	sampler_keep(sink, &reading);
	rvtrace_publish_locked(sink);
}

/**
 * rvtrace_sample() - account for what the hardware wrote until now, all of which can be read then
 * @sink: the sink, not locked; without a live session, or in a pause, nothing happens
 *
 * Moves a few records of tasks only: the sampler moves the rest.
 *
 * Context: may sleep.
 */
void rvtrace_sample(struct rvtrace_sink *sink)
{
	rvtrace_sink_lock(sink);
	rvtrace_sample_locked(sink);
	rvtrace_sink_unlock(sink);
	sampler_take(sink, 1);
}

/**
 * rvtrace_sample_all() - the same, with all records of tasks
 * @sink: the sink, not locked
 *
 * Context: may sleep.
 */
void rvtrace_sample_all(struct rvtrace_sink *sink)
{
	rvtrace_sink_lock(sink);
	rvtrace_sample_locked(sink);
	rvtrace_sink_unlock(sink);
	sampler_take(sink, rvtrace_tasks_rounds());
}

static bool sampler_reader_due(struct rvtrace_sink *sink, u64 now)
{
	bool records = rvtrace_records_due(sink) && now - sink->last_wake >= WAKE_PERIOD;

	if (rvtrace_ring_due(&sink->ring) < sink->wanted && !records &&
	    !rvtrace_records_many(sink))
		return false;
	/* Those who go on waiting ask again. */
	sink->wanted = U64_MAX;
	sink->last_wake = now;
	return true;
}

static u64 sampler_lap_size(const struct rvtrace_sink *sink)
{
	return sink->sram.used ? sink->sram.lap.size : sink->ring.size;
}

static enum hrtimer_restart sampler_timer(struct hrtimer *timer)
{
	struct rvtrace_sink *sink = container_of(timer, struct rvtrace_sink, timer);
	u64 begun = ktime_get_mono_fast_ns(), now, period, took;
	unsigned long flags;
	bool due, full, more;

	/* Who has it may stand still for its trace, and this hart is to let it go: guard.c. */
	if (!raw_spin_trylock_irqsave(&sink->lock, flags)) {
		hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
		return HRTIMER_RESTART;
	}
	now = ktime_get_mono_fast_ns();
	more = rvtrace_tasks_merge(sink);
	rvtrace_publish_records(sink);
	rvtrace_sample_locked(sink);
	period = rvtrace_rate_period(&sink->rate, sampler_lap_size(sink), sink->ring.pointer,
				     now - sink->sampled);
	sink->sampled = now;
	if (now - sink->clocked >= CLOCK_PERIOD) {
		rvtrace_record_clock(sink);
		rvtrace_publish_locked(sink);
	}
	due = sampler_reader_due(sink, now);
	full = rvtrace_ring_full(&sink->ring);
	raw_spin_unlock_irqrestore(&sink->lock, flags);

	rvtrace_sram_due(sink);
	if (due)
		wake_up_interruptible(&sink->wait);
	if (full) {
		schedule_work(&sink->full);
		return HRTIMER_NORESTART;
	}
	/* What leaves the chip has records only. */
	if (more)
		period = sample_min_us * (u64)NSEC_PER_USEC;
	else if (sink->off_chip)
		period = WAKE_PERIOD;
	else
		period = clamp_t(u64, period, sample_min_us * (u64)NSEC_PER_USEC,
				 max(sample_max_us, sample_min_us) * (u64)NSEC_PER_USEC);
	/* Half of this hart's time at most, however long this takes: it may be traced. */
	took = ktime_get_mono_fast_ns() - begun;
	period = max(period, took);
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), max_t(u64, period, NSEC_PER_USEC)));
	return HRTIMER_RESTART;
}

static void sampler_stop_full(struct work_struct *work)
{
	struct rvtrace_sink *sink = container_of(work, struct rvtrace_sink, full);
	bool full;

	mutex_lock(&rvtrace_lock);
	rvtrace_sink_lock(sink);
	full = sink->state == RVTRACE_STATE_RUNNING && rvtrace_ring_full(&sink->ring);
	rvtrace_sink_unlock(sink);
	if (full)
		rvtrace_session_stop(sink, 0);
	mutex_unlock(&rvtrace_lock);
}

/**
 * rvtrace_sampler_init() - prepare a sink for sampling
 * @sink: the sink
 */
void rvtrace_sampler_init(struct rvtrace_sink *sink)
{
	u32 kbps;

	hrtimer_setup(&sink->timer, sampler_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	INIT_WORK(&sink->full, sampler_stop_full);
	rvtrace_sram_init(sink);
	if (!device_property_read_u32(sink->owner->parent, "riscv,peak-bandwidth-kBps", &kbps))
		sink->rate.given = kbps * 1000ULL;
}

/* Clear @offset to @end of the ring where old trace may be. */
static void sampler_clear(struct rvtrace_sink *sink, u64 offset, u64 end)
{
	end = min(end, sink->dirty);
	if (offset < end)
		rvtrace_memory_clear(&sink->memory, offset, end - offset);
}

/**
 * rvtrace_sampler_forget() - clear what nobody may read any more
 * @sink: a sink; nothing happens while a session is live
 *
 * Of the last session, that is all but what was not consumed: the next reader
 * gets that.
 */
void rvtrace_sampler_forget(struct rvtrace_sink *sink)
{
	struct rvtrace_ring *ring = &sink->ring;
	u64 from, to;

	lockdep_assert_held(&rvtrace_lock);
	if (sink->state == RVTRACE_STATE_IDLE) {
		sampler_clear(sink, 0, sink->dirty);
		sink->dirty = 0;
	}
	if (sink->state != RVTRACE_STATE_STOPPED || !rvtrace_ring_unread(ring))
		return;
	from = rvtrace_ring_offset(ring, rvtrace_ring_readable_from(ring));
	to = rvtrace_ring_offset(ring, ring->head);
	if (from < to) {
		sampler_clear(sink, 0, from);
		sampler_clear(sink, to, sink->dirty);
	} else {
		sampler_clear(sink, to, from);
	}
}

/**
 * rvtrace_sampler_begin() - begin a session
 * @sink: a sink whose RAM block was set up
 * @clock: encoder whose timestamp is paired with clocks
 */
void rvtrace_sampler_begin(struct rvtrace_sink *sink, struct rvtrace_component *clock)
{
	struct rvtrace_record_session_begin begin = {};
	bool fill = sink->owner->wanted[RVTRACE_STOP_ON_WRAP] && !sink->off_chip;

	rvtrace_sink_lock(sink);
	rvtrace_record_loss(sink);
	begin.discarded = rvtrace_ring_begin(&sink->ring, sink->size ?: PAGE_SIZE,
					     sink->sram.used ? RVTRACE_SRAM_WORD : sink->width,
					     fill);
	if (sink->sram.used)
		rvtrace_sram_begin(sink);
	begin.session = ++sink->session;
	begin.mode = fill ? RVTRACE_MODE_FILL : RVTRACE_MODE_STREAM;
	trace_rvtrace_session_begin(sink->id, begin.session, fill);
	sink->state = RVTRACE_STATE_RUNNING;
	sink->records_lost = 0;
	sink->tasks_lost = false;
	sink->check_valid = false;
	sink->bad_pointer = false;
	sink->rewound = false;
	rvtrace_rate_begin(&sink->rate, sink->ring.start);
	sink->sampled = ktime_get_mono_fast_ns();
	sink->clock = clock;
	rvtrace_record(sink, &begin.header, RVTRACE_RECORD_SESSION_BEGIN, sizeof(begin),
		       sink->ring.start);
	rvtrace_record_clock(sink);
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);

	/* Who still reads the last session is told that it is gone before it is. */
	smp_wmb();
	sampler_clear(sink, 0, sink->dirty);
	if (!sink->off_chip)
		sink->dirty = sink->size;
	list_add_rcu(&sink->live, &rvtrace_live);
	rvtrace_tasks_begin(sink);

	wake_up_interruptible(&sink->wait);
	hrtimer_start(&sink->timer, ns_to_ktime(NSEC_PER_USEC * sample_min_us),
		      HRTIMER_MODE_REL);
}

/**
 * rvtrace_sampler_rates() - how fast trace comes
 * @sink: the sink
 * @rates: out: of the live session, and the highest of all
 */
void rvtrace_sampler_rates(struct rvtrace_sink *sink, struct rvtrace_rate *rates)
{
	rvtrace_sink_lock(sink);
	*rates = sink->rate;
	if (sink->state != RVTRACE_STATE_RUNNING)
		rates->recent = 0;
	rvtrace_sink_unlock(sink);
}

/**
 * rvtrace_sampler_pause() - account for everything, then leave the hardware alone
 * @sink: a sink with a live session that was drained
 *
 * Return: true when the ring is full and its session over; it is paused all the same
 */
bool rvtrace_sampler_pause(struct rvtrace_sink *sink)
{
	bool full;

	rvtrace_sram_copy(sink);
	rvtrace_sink_lock(sink);
	rvtrace_sample_locked(sink);
	sink->paused++;
	full = rvtrace_ring_full(&sink->ring);
	rvtrace_sink_unlock(sink);
	sampler_take(sink, rvtrace_tasks_rounds());
	rvtrace_sram_quiet(sink);
	return full;
}

/**
 * rvtrace_sampler_rewind() - the hardware forgot where it was in the ring
 * @sink: a paused sink, whose RAM block is about to be set up again
 *
 * That it had wrapped cannot be written to the hardware.
 *
 * Return: where it writes next, as an offset from the first byte of the ring or SRAM
 */
u64 rvtrace_sampler_rewind(struct rvtrace_sink *sink)
{
	u64 offset;

	rvtrace_sink_lock(sink);
	if (sink->sram.used)
		rvtrace_lap_rewind(&sink->ring, &sink->sram.lap);
	sink->rewound = sink->ring.wrapped;
	offset = sink->sram.used ? 0 : rvtrace_ring_offset(&sink->ring, sink->ring.pointer);
	rvtrace_sink_unlock(sink);
	return offset;
}

/**
 * rvtrace_sampler_resume() - what was paused is about to trace again
 * @sink: a sink whose hardware is where it was in the ring, if it was paused
 * @clock: an encoder whose timestamp is paired with clocks from now on; NULL: as before
 *
 * Records that timestamps restart, if they do, before any pair of the new count.
 */
void rvtrace_sampler_resume(struct rvtrace_sink *sink, struct rvtrace_component *clock)
{
	struct rvtrace_record restart = {};

	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	if (sink->paused)
		sink->paused--;
	if (clock)
		sink->clock = clock;
	rvtrace_sample_locked(sink);
	sink->resumed = sink->ring.landed;
	if (sink->restarted) {
		rvtrace_record(sink, &restart, RVTRACE_RECORD_RESTART, sizeof(restart),
			       sink->resumed);
		rvtrace_record_clock(sink);
		/* Readers know of them before they see trace from there on. */
		rvtrace_publish_locked(sink);
		sink->restarted = false;
	}
	rvtrace_sink_unlock(sink);
}

/**
 * rvtrace_sampler_gap() - record that harts ran untraced until now
 * @sink: a sink with a live session that was resumed
 * @reason: enum rvtrace_gap_reason
 * @encoder: number of the encoder that was paused, or RVTRACE_GAP_ALL
 * @since: ktime_get_boottime_ns() at the beginning
 */
void rvtrace_sampler_gap(struct rvtrace_sink *sink, u32 reason, u32 encoder, u64 since)
{
	struct rvtrace_record_gap gap = {
		.reason = reason,
		.encoder = encoder,
		.duration = ktime_get_boottime_ns() - since,
	};

	rvtrace_sink_lock(sink);
	rvtrace_record(sink, &gap.header, RVTRACE_RECORD_GAP, sizeof(gap), sink->resumed);
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);
	wake_up_interruptible(&sink->wait);
}

/**
 * rvtrace_sampler_tracing() - record that an encoder stopped or started by itself
 * @sink: a sink with a live session
 * @encoder: its number
 * @tracing: it traces now
 */
void rvtrace_sampler_tracing(struct rvtrace_sink *sink, u32 encoder, bool tracing)
{
	struct rvtrace_record_tracing record = {
		.encoder = encoder,
		.tracing = tracing,
	};

	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	rvtrace_record(sink, &record.header, RVTRACE_RECORD_TRACING, sizeof(record),
		       sink->ring.head);
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);
	wake_up_interruptible(&sink->wait);
}

/*
 * Trace that was written, but its sink never said that it landed, or the ring had no
 * room for it.
 */
static void sampler_record_unlanded(struct rvtrace_sink *sink)
{
	struct rvtrace_record_lost lost = { .start = sink->ring.head };
	u64 missing = rvtrace_ring_end(&sink->ring);

	if (!missing)
		return;
	lost.end = lost.start + missing;
	rvtrace_record(sink, &lost.header, RVTRACE_RECORD_LOST, sizeof(lost), lost.start);
}

/**
 * rvtrace_sampler_end() - end a session
 * @sink: a sink that was drained and whose owner is still held
 * @error: why it ended early, or 0
 *
 * Return: what the end of the session says: @error; -EIO when trace was not taken
 */
int rvtrace_sampler_end(struct rvtrace_sink *sink, int error)
{
	struct rvtrace_record_session_end end = {};

	lockdep_assert_held(&rvtrace_lock);
	list_del_rcu(&sink->live);
	synchronize_rcu();
	rvtrace_tasks_end(sink);
	hrtimer_cancel(&sink->timer);
	rvtrace_sram_quiet(sink);
	rvtrace_sram_copy(sink);
	rvtrace_sink_lock(sink);
	sink->ring.running = false;
	rvtrace_sink_unlock(sink);
	rvtrace_sample_all(sink);
	rvtrace_sink_lock(sink);
	rvtrace_record_loss(sink);
	sampler_record_unlanded(sink);
	sink->paused = 0;
	end.session = sink->session;
	end.error = error ?: sink->bad_pointer || sink->sram.failed || sink->sink_error ? -EIO : 0;
	end.lost = sink->ring.lost;
	trace_rvtrace_session_end(sink->id, end.session, end.error, end.lost);
	sink->clock = NULL;
	sink->state = rvtrace_ring_unread(&sink->ring) ? RVTRACE_STATE_STOPPED :
							 RVTRACE_STATE_IDLE;
	rvtrace_record(sink, &end.header, RVTRACE_RECORD_SESSION_END, sizeof(end),
		       sink->ring.head);
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);

	wake_up_interruptible(&sink->wait);
	rvtrace_log_loss(sink);
	if (sink->bad_pointer)
		dev_err(&sink->dev, "write pointer was outside the ring\n");
	return end.error;
}
