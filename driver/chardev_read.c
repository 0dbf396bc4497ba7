// SPDX-License-Identifier: GPL-2.0
/* read() of /dev/rvtraceN, and what its reader has consumed. */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "chardev_read.h"
#include "compat.h"
#include "memory.h"
#include "records.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sink_sysfs.h"

/* A blocked read() returns what there is this long after the first byte. */
#define READ_PERIOD	msecs_to_jiffies(100)
/* Bytes copied between two looks at the hardware, at most. */
#define COPY_MAX	SZ_64K
/* Bytes copied with interrupts off, at most. */
#define COPY_AT_ONCE	SZ_1K
/* Tries to copy a piece before the hardware overwrites it; the last one with interrupts off. */
#define TAKE_TRIES	3

/**
 * rvtrace_consume_locked() - the reader needs nothing before a position any more
 * @sink: the sink, locked
 * @position: from the tail to the head
 *
 * Return: 0; -EINVAL for a position out of that range
 */
int rvtrace_consume_locked(struct rvtrace_sink *sink, u64 position)
{
	int ret = rvtrace_ring_consume(&sink->ring, position);

	if (ret)
		return ret;
	rvtrace_record_loss(sink);
	if (sink->state == RVTRACE_STATE_STOPPED && !rvtrace_ring_unread(&sink->ring))
		sink->state = RVTRACE_STATE_IDLE;
	rvtrace_publish_locked(sink);
	return 0;
}

/**
 * rvtrace_report_change() - tell those who poll the sink's files of another state
 * @sink: the sink, not locked
 * @before: its state before
 */
void rvtrace_report_change(struct rvtrace_sink *sink, u32 before)
{
	if (READ_ONCE(sink->state) != before)
		rvtrace_sink_notify(sink);
}

/**
 * rvtrace_readiness_locked() - what a reader finds
 * @sink: the sink, locked
 * @bytes: how many it wants
 *
 * It waits while a session is live, and before the first one after open(); a session that ended
 * is the end of file until the next begins.
 */
enum rvtrace_readiness rvtrace_readiness_locked(struct rvtrace_sink *sink, u64 bytes)
{
	u64 unread = rvtrace_ring_due(&sink->ring);

	switch (sink->state) {
	case RVTRACE_STATE_RUNNING:
		return unread >= bytes ? RVTRACE_DATA : RVTRACE_NO_NEWS;
	case RVTRACE_STATE_STOPPED:
		return unread ? RVTRACE_DATA : RVTRACE_FINISHED;
	case RVTRACE_STATE_GONE:
		return RVTRACE_FINISHED;
	default:
		return sink->session != sink->opened ? RVTRACE_FINISHED : RVTRACE_NO_NEWS;
	}
}

static enum rvtrace_readiness read_ready(struct rvtrace_sink *sink, u64 bytes, bool sample)
{
	enum rvtrace_readiness ready;

	if (sample)
		rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	ready = rvtrace_readiness_locked(sink, bytes);
	if (ready == RVTRACE_FINISHED)
		sink->ended = sink->session;
	sink->wanted = min(sink->wanted, bytes);
	rvtrace_sink_unlock(sink);
	return ready;
}

static bool read_has_news(struct rvtrace_sink *sink, u64 bytes)
{
	return read_ready(sink, bytes, false) != RVTRACE_NO_NEWS;
}

/*
 * Wait for the first byte, then for many rather than few: a reader that is traced
 * itself makes new bytes with every call. Nothing is locked meanwhile, so what was
 * seen here may be gone when the caller comes for it.
 */
static int read_wait(struct rvtrace_sink *sink, size_t count, bool nonblock)
{
	u64 enough = min_t(u64, count, sink->size / 8);
	enum rvtrace_readiness ready;
	long left;

	ready = read_ready(sink, nonblock ? 1 : enough, true);
	while (ready == RVTRACE_NO_NEWS) {
		if (nonblock)
			return -EAGAIN;
		left = wait_event_interruptible(sink->wait, read_has_news(sink, 1));
		if (!left)
			left = wait_event_interruptible_timeout(sink->wait,
								read_has_news(sink, enough),
								READ_PERIOD);
		if (left < 0)
			return left;
		ready = read_ready(sink, left ? enough : 1, true);
	}
	return ready == RVTRACE_DATA;
}

/* Where the next piece is, up to @count bytes. Return: how many */
static size_t read_piece_locked(struct rvtrace_sink *sink, size_t count, u64 *from, u64 *at)
{
	struct rvtrace_ring *ring = &sink->ring;

	lockdep_assert_held(&sink->lock);
	*from = rvtrace_ring_readable_from(ring);
	*at = rvtrace_ring_offset(ring, *from);
	count = min_t(u64, count, ring->head - *from);
	count = min_t(u64, count, ring->size - *at);
	return min(count, (size_t)(ring->size / 8));
}

/* The copied bytes are the reader's, unless the hardware overwrote them meanwhile. */
static bool read_keep_locked(struct rvtrace_sink *sink, u32 session, u64 from, size_t count)
{
	struct rvtrace_ring *ring = &sink->ring;

	rvtrace_sample_locked(sink);
	if (rvtrace_ring_readable_from(ring) == from &&
	    !rvtrace_consume_locked(sink, from + count)) {
		sink->reads = true;
		return true;
	}
	if (sink->session == session)
		rvtrace_ring_catch_up(ring);
	return false;
}

/* Copy a piece to memory of ours. Return: bytes, which are the reader's; 0 if overtaken */
static size_t read_take(struct rvtrace_sink *sink, size_t count, u32 *session)
{
	u64 from, at;
	bool kept;

	rvtrace_sink_lock(sink);
	*session = sink->session;
	count = read_piece_locked(sink, min_t(size_t, count, COPY_MAX), &from, &at);
	rvtrace_sink_unlock(sink);
	if (!count)
		return 0;
	memcpy(sink->bounce, sink->memory.virt + at, count);
	rvtrace_sink_lock(sink);
	kept = read_keep_locked(sink, *session, from, count);
	rvtrace_sink_unlock(sink);
	return kept ? count : 0;
}

/*
 * The same, of a little, where this hart cannot do anything else in between: if it is traced,
 * what it does then may be more than the ring holds.
 */
static size_t read_take_at_once(struct rvtrace_sink *sink, size_t count, u32 *session)
{
	unsigned int tries = 2;
	bool kept = false;
	u64 from, at;
	size_t n;

	rvtrace_sink_lock(sink);
	*session = sink->session;
	rvtrace_sample_locked(sink);
	/* An overtaken reader catches up with the first try. */
	do {
		n = read_piece_locked(sink, min_t(size_t, count, COPY_AT_ONCE), &from, &at);
		if (!n)
			break;
		memcpy(sink->bounce, sink->memory.virt + at, n);
		kept = read_keep_locked(sink, *session, from, n);
	} while (!kept && --tries);
	rvtrace_sink_unlock(sink);
	return kept ? n : 0;
}

/* Bytes in memory of ours: they go to pages that user space may have to be asked for. */
static size_t read_bounce(struct rvtrace_sink *sink, size_t count, u32 *session)
{
	u32 state = READ_ONCE(sink->state);
	unsigned int tries = TAKE_TRIES;
	size_t taken = 0;

	mutex_lock(&sink->mapping);
	/* The memory may have gone. */
	while (sink->memory.virt && !taken && tries--)
		taken = tries ? read_take(sink, count, session) :
				read_take_at_once(sink, count, session);
	mutex_unlock(&sink->mapping);
	rvtrace_report_change(sink, state);
	return taken;
}

static void read_undelivered(struct rvtrace_sink *sink, u32 session, size_t count)
{
	rvtrace_sink_lock(sink);
	if (sink->session == session) {
		rvtrace_ring_undelivered(&sink->ring, count);
		rvtrace_record_loss(sink);
		rvtrace_publish_locked(sink);
	}
	rvtrace_sink_unlock(sink);
}

static size_t read_available(struct rvtrace_sink *sink, size_t count)
{
	u64 from, at;

	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	count = read_piece_locked(sink, min_t(size_t, count, COPY_MAX), &from, &at);
	rvtrace_sink_unlock(sink);
	return count;
}

/* A page at a time: of more, not all kernels before 6.15 say where they ended. Return: bytes */
static size_t read_fault_in(char __user *buf, size_t count)
{
	size_t done = 0, n;

	while (done < count) {
		n = min_t(size_t, count - done, PAGE_SIZE - offset_in_page(buf + done));
		if (fault_in_safe_writeable(buf + done, n))
			break;
		done += n;
	}
	return done;
}

/*
 * Copy what lies in one piece. 0 asks the caller to try again: the hardware was faster. 0 also
 * when there is nothing to copy. Pages of the buffer are faulted in first: what takes long must
 * not come between looking where the piece is and having it.
 */
static ssize_t read_copy_piece(struct rvtrace_sink *sink, char __user *buf, size_t count)
{
	u32 session;

	count = read_available(sink, count);
	if (!count)
		return 0;
	count = read_fault_in(buf, count);
	if (!count)
		return -EFAULT;
	count = read_bounce(sink, count, &session);
	if (!count || !copy_to_user(buf, sink->bounce, count))
		return count;
	read_undelivered(sink, session, count);
	return -EFAULT;
}

/* Copy what there is, piece by piece, so that the tail follows closely. */
static ssize_t read_copy_all(struct rvtrace_sink *sink, char __user *buf, size_t count)
{
	size_t done = 0;
	ssize_t n;

	do {
		cond_resched();
		n = read_copy_piece(sink, buf + done, count - done);
		if (n < 0)
			return done ?: n;
		done += n;
	} while (n && done < count);
	return done;
}

/* 0 when another thread was faster, or the memory went. */
static ssize_t read_now(struct rvtrace_sink *sink, char __user *buf, size_t count)
{
	ssize_t ret = 0;

	if (mutex_lock_interruptible(&sink->reader))
		return -ERESTARTSYS;
	if (!sink->bounce)
		sink->bounce = kvmalloc(COPY_MAX, GFP_KERNEL_ACCOUNT);
	if (!sink->bounce)
		ret = -ENOMEM;
	else if (READ_ONCE(sink->owner))
		ret = read_copy_all(sink, buf, count);
	mutex_unlock(&sink->reader);
	return ret;
}

/**
 * rvtrace_read() - read() of the device
 * @file: the device, open
 * @buf: memory of the reader
 * @count: bytes of it
 * @pos: not used
 *
 * Return: bytes, 0 at the end of a session; -EAGAIN; -EFAULT; -ENOMEM; -ERESTARTSYS
 */
ssize_t rvtrace_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct rvtrace_sink *sink = file->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	do {
		ret = read_wait(sink, count, file->f_flags & O_NONBLOCK);
		if (ret <= 0)
			break;
		ret = read_now(sink, buf, count);
		if (!ret && signal_pending(current))
			ret = -ERESTARTSYS;
	} while (!ret);
	return ret;
}
