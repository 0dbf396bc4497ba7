// SPDX-License-Identifier: GPL-2.0
/* Timestamp unit (TCI 0.9.4 chapter 7). */
#include <linux/clk.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/property.h>

#include "access.h"
#include "activate.h"
#include "csr.h"
#include "discover.h"
#include "graph.h"
#include "rvtrace.h"
#include "timestamp.h"
#include "wait.h"

/* Two clocks are read again until they were read within this time, but not for ever. */
#define APART_NS	1000
#define TRIES		8

/* How long a frequency is measured. */
#define MEASURE_NS	(50 * NSEC_PER_MSEC)

/* No counter is faster than 2^32 Hz. */
#define FASTEST_BITS	32

/* Counters that begin within this time are one clock. */
#define TOGETHER_NS	5000

/**
 * rvtrace_timestamp_init() - find out what clocks the timestamp unit
 * @c: a component that is being probed
 *
 * Return: 0, also when the device tree does not say; -EPROBE_DEFER; the clock's
 * error
 */
int rvtrace_timestamp_init(struct rvtrace_component *c)
{
	struct clk *clock;
	u32 frequency;

	if (!c->kind->timestamp)
		return 0;
	clock = devm_clk_get_optional(c->parent, NULL);
	if (IS_ERR(clock))
		return dev_err_probe(c->parent, PTR_ERR(clock), "clock of the timestamp unit\n");
	c->ts.source = clock;
	if (!clock && !device_property_read_u32(c->parent, "clock-frequency", &frequency))
		c->ts.clock = frequency;
	return 0;
}

/**
 * rvtrace_timestamp_power_get() - switch on what clocks the timestamp unit
 * @c: a component that is about to be accessed
 *
 * The rate of a clock is known while it is on.
 *
 * Return: 0, also where there is no such clock; the clock's error
 */
int rvtrace_timestamp_power_get(struct rvtrace_component *c)
{
	int ret = clk_prepare_enable(c->ts.source);

	if (!ret && c->ts.source)
		c->ts.clock = clk_get_rate(c->ts.source);
	return ret;
}

/**
 * rvtrace_timestamp_power_put() - undo rvtrace_timestamp_power_get()
 * @c: the component
 */
void rvtrace_timestamp_power_put(struct rvtrace_component *c)
{
	clk_disable_unprepare(c->ts.source);
}

/**
 * rvtrace_timestamp_defaults() - let the timestamp count
 * @c: a component after discovery
 */
void rvtrace_timestamp_defaults(struct rvtrace_component *c)
{
	if (!c->kind->timestamp)
		return;
	/* The last one that there is: clocks that all harts share first. */
	if (c->wanted[RVTRACE_TS_TYPE] == RVTRACE_TS_TYPE_NONE) {
		rvtrace_prefer(c, RVTRACE_TS_TYPE, RVTRACE_TS_TYPE_SLAVE);
		rvtrace_prefer(c, RVTRACE_TS_TYPE, RVTRACE_TS_TYPE_INTERNAL);
		rvtrace_prefer(c, RVTRACE_TS_TYPE, RVTRACE_TS_TYPE_EXTERNAL);
	}
	rvtrace_prefer(c, RVTRACE_TS_COUNT, 1);
	/* Nothing without RVTRACE_TS_ENABLE */
	rvtrace_prefer(c, RVTRACE_TS_BRANCH, RVTRACE_TS_BRANCH_ALL);
	rvtrace_prefer(c, RVTRACE_TS_INSTRUMENTATION, 1);
	rvtrace_prefer(c, RVTRACE_TS_OWNERSHIP, 1);
}

static bool timestamp_has_unit(const struct rvtrace_component *c)
{
	return c->kind->timestamp && c->wanted[RVTRACE_TS_ACTIVE];
}

/**
 * rvtrace_timestamp_release() - release the timestamp unit from reset
 * @c: a component that is held
 *
 * Return: 0 or an access error
 */
int rvtrace_timestamp_release(struct rvtrace_component *c)
{
	return timestamp_has_unit(c) ? rvtrace_activate(c, RVTRACE_TS_ACTIVE) : 0;
}

/**
 * rvtrace_timestamp_ready() - wait until the timestamp unit is out of reset
 * @c: the component
 * @deadline: wait no longer
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_timestamp_ready(struct rvtrace_component *c, ktime_t deadline)
{
	if (!timestamp_has_unit(c))
		return 0;
	return rvtrace_poll(c, RVTRACE_TS_ACTIVE, 1, "release of the timestamp unit", deadline);
}

/**
 * rvtrace_timestamp_configure() - release the timestamp unit and wait for it
 * @c: a component that is held
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_timestamp_configure(struct rvtrace_component *c)
{
	int ret = rvtrace_timestamp_release(c);

	return ret ?: rvtrace_timestamp_ready(c, rvtrace_deadline());
}

static bool timestamp_has_counter(const struct rvtrace_component *c)
{
	return timestamp_has_unit(c) && c->wanted[RVTRACE_TS_TYPE] != RVTRACE_TS_TYPE_NONE;
}

/*
 * The time that trace messages carry now. The counter is two registers: read
 * until the upper one did not change, which it does not twice in a row.
 */
static u64 timestamp_read(struct rvtrace_component *c)
{
	unsigned int lower, upper, again, i;

	if (!timestamp_has_counter(c))
		return rvtrace_time();
	if (regmap_read(c->regmap, c->kind->timestamp->upper, &again))
		return 0;
	for (i = 0, upper = ~again; i < TRIES && again != upper; i++) {
		upper = again;
		if (regmap_read(c->regmap, c->kind->timestamp->lower, &lower) ||
		    regmap_read(c->regmap, c->kind->timestamp->upper, &again))
			return 0;
	}
	return (u64)upper << 32 | lower;
}

/* Return: the time in which the clocks were read. */
static u64 timestamp_read_clocks(struct rvtrace_component *c, struct rvtrace_moment *moment)
{
	u64 before, apart;

	before = ktime_get_mono_fast_ns();
	moment->trace = timestamp_read(c);
	apart = ktime_get_mono_fast_ns() - before;
	moment->monotonic = before + apart / 2;
	moment->realtime = ktime_get_real_fast_ns() - apart / 2;
	return apart;
}

/**
 * rvtrace_timestamp_moment() - what several clocks say at one moment
 * @c: an encoder that is held; without a timestamp unit the time CSR is read
 * @moment: out
 *
 * May be called in any context. Interrupts, hypervisors and slow registers come
 * between two reads: CLOCK_MONOTONIC is read on both sides, and the tightest of
 * some tries counts.
 */
void rvtrace_timestamp_moment(struct rvtrace_component *c, struct rvtrace_moment *moment)
{
	struct rvtrace_moment now;
	u64 apart, least = U64_MAX;
	unsigned int i;

	for (i = 0; i < TRIES && least > APART_NS; i++) {
		apart = timestamp_read_clocks(c, &now);
		if (apart >= least)
			continue;
		least = apart;
		*moment = now;
	}
}

static u64 timestamp_elapsed(const struct rvtrace_component *c, u64 from, u64 to)
{
	u32 width = c->wanted[RVTRACE_TS_WIDTH];

	return (to - from) & (width && width < 64 ? GENMASK_ULL(width - 1, 0) : U64_MAX);
}

/* How far a counter came since a moment */
struct timestamp_progress {
	u64 ticks;
	u64 ns;
};

/* Settings that a measured frequency holds for. */
static u32 timestamp_settings(const struct rvtrace_component *c)
{
	return c->wanted[RVTRACE_TS_TYPE] << 16 | c->wanted[RVTRACE_TS_PRESCALE] << 8 |
	       c->wanted[RVTRACE_TS_COUNT] << 1 | 1;
}

/* The component whose clock an encoder's timestamp follows: a slave's is behind it. */
static struct rvtrace_component *timestamp_clock_of(struct rvtrace_component *c)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	unsigned int n, i;

	if (c->wanted[RVTRACE_TS_TYPE] != RVTRACE_TS_TYPE_SLAVE ||
	    rvtrace_graph_path(c, false, path, &n))
		return c;
	for (i = 1; i < n; i++)
		if (timestamp_has_counter(path[i]) &&
		    path[i]->wanted[RVTRACE_TS_TYPE] != RVTRACE_TS_TYPE_SLAVE)
			return path[i];
	return c;
}

static bool timestamp_is_internal(const struct rvtrace_component *c)
{
	u32 type = c->wanted[RVTRACE_TS_TYPE];

	return timestamp_has_counter(c) &&
	       (type == RVTRACE_TS_TYPE_INTERNAL || type == RVTRACE_TS_TYPE_INTERNAL_CORE);
}

/*
 * Counters that @encoders take their time from, each once; those that count already only
 * if @all. Returns whether there are such.
 */
static bool timestamp_collect(struct list_head *encoders, struct list_head *counters, bool all)
{
	struct rvtrace_component *encoder, *c;
	bool begun = false;

	list_for_each_entry(encoder, encoders, stage) {
		c = encoder->paused ? NULL : timestamp_clock_of(encoder);
		if (!c || !timestamp_is_internal(c))
			continue;
		begun |= c->ts.begun;
		if ((all || !c->ts.begun) && list_empty(&c->ts.stage))
			list_add_tail(&c->ts.stage, counters);
	}
	return begun;
}

/* Whether one of @encoders traces, or is about to. */
static bool timestamp_any_takes_part(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (!c->paused)
			return true;
	return false;
}

/* Nothing comes between the writes, or they are made again. */
static void timestamp_reset_together(struct list_head *counters)
{
	struct rvtrace_component *c;
	u64 before, apart = U64_MAX;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < TRIES && apart > TOGETHER_NS; i++) {
		local_irq_save(flags);
		before = ktime_get_mono_fast_ns();
		list_for_each_entry(c, counters, ts.stage)
			writel(c->ts.image,
			       c->registers + c->kind->fields[RVTRACE_TS_COUNT].reg);
		apart = ktime_get_mono_fast_ns() - before;
		local_irq_restore(flags);
	}
}

static int timestamp_begin_together(struct list_head *counters)
{
	struct rvtrace_component *c;
	int ret;

	list_for_each_entry(c, counters, ts.stage) {
		ret = rvtrace_image(c, RVTRACE_TS_COUNT, &c->ts.image);
		if (ret)
			return ret;
		c->ts.image |= c->kind->timestamp->reset;
	}
	timestamp_reset_together(counters);
	return 0;
}

/**
 * rvtrace_timestamp_begin() - make the timestamps of a session one clock
 * @joining: encoders that are configured and not enabled, and so is what is behind them
 * @live: other encoders of the session, or the same list
 *
 * Where encoders follow more than one internal counter, as behind several funnels of
 * version 0, all are set to 0 within 5 us, or as near as some tries bring them. While
 * nothing traces, so are those that count already, if one of them does not. A counter that
 * joins others of encoders that trace cannot be set to what they say: one line in the
 * kernel's log tells.
 *
 * Return: 0; 1: what is about to trace begins to count at 0, and nothing else traces; an
 * access error
 */
int rvtrace_timestamp_begin(struct list_head *joining, struct list_head *live)
{
	struct rvtrace_component *c, *next;
	bool alone = live == joining || !timestamp_any_takes_part(live);
	LIST_HEAD(counters);
	bool begun, begins;
	int ret = 0;

	begun = timestamp_collect(joining, &counters, false);
	if (!alone) {
		begun |= timestamp_collect(live, &counters, false);
	} else if (begun && !list_empty(&counters)) {
		timestamp_collect(joining, &counters, true);
		begun = false;
	}
	begins = !begun && !list_empty(&counters);
	if (begins && !list_is_singular(&counters))
		ret = timestamp_begin_together(&counters);
	list_for_each_entry_safe(c, next, &counters, ts.stage) {
		if (begun)
			dev_warn_ratelimited(&c->dev, "its timestamps do not match the session, which began earlier\n");
		else
			dev_dbg(&c->dev, "its timestamps begin\n");
		c->ts.begun = !ret;
		list_del_init(&c->ts.stage);
	}
	return ret ?: begins && alone;
}

/* The counter says less than before, or stands at 0. */
static int timestamp_reset_counter(struct rvtrace_component *c)
{
	u64 before, after = 0;
	LIST_HEAD(counters);
	unsigned int i;
	int ret;

	for (i = 0; i < TRIES; i++) {
		usleep_range(100, 200);
		before = timestamp_read(c);
		list_add(&c->ts.stage, &counters);
		ret = timestamp_begin_together(&counters);
		list_del_init(&c->ts.stage);
		if (ret)
			return ret;
		after = timestamp_read(c);
		if (!before || after < before)
			return 0;
	}
	dev_err(&c->dev, "timestamp: a reset left it at %llu\n", after);
	return -EIO;
}

/**
 * rvtrace_timestamp_reset() - set an internal counter to 0
 * @c: the component
 *
 * Sessions that follow several of them begin with that. In one, time would go back.
 *
 * Return: 0; -EBUSY while the component is part of a session; -ENODATA without an internal
 * counter; -EIO when it goes on; -ETIMEDOUT or an access error
 */
int rvtrace_timestamp_reset(struct rvtrace_component *c)
{
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		dev_err_ratelimited(&c->dev, "timestamp: not reset, it is in a session\n");
		return -EBUSY;
	}
	if (!timestamp_is_internal(c)) {
		dev_err_ratelimited(&c->dev, "timestamp: not reset, it is not an internal counter\n");
		return -ENODATA;
	}
	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	ret = rvtrace_timestamp_configure(c);
	if (ret)
		goto release;
	ret = rvtrace_configure(c);
	if (ret)
		goto release;
	ret = timestamp_reset_counter(c);
release:
	err = rvtrace_release(c);
	return ret ?: err;
}

/* What a counter went on in @ns, from what it shows of that and what came before. */
static u64 timestamp_unwrap(const struct rvtrace_component *c,
			    const struct timestamp_progress *before, u64 shown, u64 ns)
{
	u32 width = c->wanted[RVTRACE_TS_WIDTH];
	s64 beyond;

	if (!width || width >= 63 || !before->ns)
		return shown;
	beyond = mul_u64_u64_div_u64(before->ticks, ns, before->ns) - shown + BIT_ULL(width - 1);
	return beyond > 0 ? shown + (beyond >> width << width) : shown;
}

/*
 * What timestamp_unwrap() makes of @ns, with clocks that were not read at one moment, is not a lap
 * off.
 */
static bool timestamp_is_sure(const struct rvtrace_component *c,
			      const struct timestamp_progress *before, u64 ns)
{
	u32 width = c->wanted[RVTRACE_TS_WIDTH];
	u64 off;

	if (!width || width >= 63 || !before->ns)
		return true;
	off = mul_u64_u64_div_u64(before->ticks, 2 * APART_NS, before->ns);
	return mul_u64_u64_div_u64(off, ns, before->ns) < BIT_ULL(width - 1);
}

/* The first step must not be longer than the fastest counter of its width takes to wrap. */
static int timestamp_first_step(struct rvtrace_component *c, u64 wraps, struct rvtrace_moment *from,
				struct timestamp_progress *progress)
{
	struct rvtrace_moment to;
	unsigned long flags;
	unsigned int i;
	u64 begin, ns;

	for (i = 0; i < TRIES; i++) {
		local_irq_save(flags);
		begin = ktime_get_mono_fast_ns();
		timestamp_read_clocks(c, from);
		timestamp_read_clocks(c, &to);
		ns = ktime_get_mono_fast_ns() - begin;
		local_irq_restore(flags);
		progress->ticks = timestamp_elapsed(c, from->trace, to.trace);
		progress->ns = to.monotonic - from->monotonic;
		/* Nothing is told by two reads within a tick of the kernel's clock. */
		if (ns <= wraps && progress->ns)
			return 0;
	}
	return -ENODATA;
}

/* Twice as long in each step, so that the one before says how often the counter wraps. */
static int timestamp_measure_counter(struct rvtrace_component *c)
{
	u32 width = c->wanted[RVTRACE_TS_WIDTH] ?: 64;
	u64 wraps = width < FASTEST_BITS ? NSEC_PER_SEC >> (FASTEST_BITS - width) : NSEC_PER_SEC;
	struct timestamp_progress progress = {};
	struct rvtrace_moment from, to;
	int ret = 0;
	u64 ns;

	rvtrace_timestamp_moment(c, &from);
	if (wraps < 2 * MEASURE_NS)
		ret = timestamp_first_step(c, wraps, &from, &progress);
	while (!ret && progress.ns < MEASURE_NS) {
		fsleep(div_u64(progress.ns ?: MEASURE_NS, NSEC_PER_USEC) + 1);
		rvtrace_timestamp_moment(c, &to);
		ns = to.monotonic - from.monotonic;
		if (!timestamp_is_sure(c, &progress, ns))
			ret = -ENODATA;
		progress.ticks = timestamp_unwrap(c, &progress,
						  timestamp_elapsed(c, from.trace, to.trace), ns);
		progress.ns = ns;
	}
	if (ret)
		dev_warn_ratelimited(&c->dev, "timestamp: wraps too soon to be measured, without clock-frequency in the device tree\n");
	else
		c->ts.frequency = mul_u64_u64_div_u64(progress.ticks, NSEC_PER_SEC, progress.ns);
	return ret;
}

static int timestamp_measure(struct rvtrace_component *c)
{
	int ret;

	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	if (c->phase == RVTRACE_PHASE_IDLE) {
		ret = rvtrace_timestamp_configure(c);
		if (ret)
			goto release;
		ret = rvtrace_configure(c);
		if (ret)
			goto release;
	}
	ret = timestamp_measure_counter(c);
	if (ret)
		goto release;
	c->ts.settings = timestamp_settings(c);
release:
	rvtrace_release(c);
	return ret;
}

/**
 * rvtrace_timestamp_frequency() - ticks of the timestamp in a second
 * @c: an encoder
 * @hz: out
 * @measured: out: measured, not known from the device tree
 *
 * Sleeps while it measures, once for every setting of the timestamp unit.
 *
 * Return: 0; -ENODATA without a timestamp that counts, or with one of so few bits that it
 * cannot be measured; -ETIMEDOUT or an access error
 */
int rvtrace_timestamp_frequency(struct rvtrace_component *c, u64 *hz, bool *measured)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (!timestamp_has_counter(c))
		return -ENODATA;
	c = timestamp_clock_of(c);
	*measured = !c->ts.clock;
	if (c->ts.clock) {
		*hz = c->ts.clock;
		/* "Internal timestamp only", of the core's clock as well */
		if (timestamp_is_internal(c))
			*hz >>= 2 * c->wanted[RVTRACE_TS_PRESCALE];
		return 0;
	}
	if (c->ts.settings != timestamp_settings(c)) {
		ret = timestamp_measure(c);
		if (ret)
			return ret;
	}
	*hz = c->ts.frequency;
	return *hz ? 0 : -ENODATA;
}
