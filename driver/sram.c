// SPDX-License-Identifier: GPL-2.0
/*
 * SRAM of a RAM sink (TCI 0.9.4 chapter 6, 1.0 "Trace RAM Sink"): memory that
 * only the sink can address, read word by word through RP and Data.
 *
 * The ring is memory of the CPU's, to which what the hardware wrote is copied: at
 * the sampler's pace while it runs, where it can be read then, and when it is
 * drained. Readers see the same as with a ring in system memory.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "ramsink.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sram.h"
#include "trace.h"

#define WORD	RVTRACE_SRAM_WORD
/* Nobody has more of it; what keeps any address has none. */
#define SIZE_MAX_SRAM	SZ_1G

/**
 * rvtrace_sram_readable() - whether a component has SRAM whose trace can be read
 * @c: a component after discovery
 */
bool rvtrace_sram_readable(const struct rvtrace_component *c)
{
	return c->wanted[RVTRACE_HAS_SRAM_SINK] && c->kind->ram;
}

static int sram_write_read(struct rvtrace_component *c, u16 reg, u32 value, u32 *kept)
{
	int ret = regmap_write(c->regmap, reg, value);

	return ret ?: regmap_read(c->regmap, reg, kept);
}

static int sram_clear_upper_halves(struct rvtrace_component *c)
{
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	int ret;

	ret = rvtrace_ram_set(c, ram->base_high, "SRAM: ram_base_high", 0);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->limit_high, "SRAM: ram_limit_high", 0);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, ram->wp_high, "SRAM: ram_wp_high", 0);
	if (ret)
		return ret;
	return rvtrace_ram_set(c, ram->rp_high, "SRAM: ram_rp_high", 0);
}

/*
 * The last word: all ones in the limit become its address in 1.0, all ones in the
 * write pointer in 0.9.4, where the limit may ignore what is no address of it and
 * keep what it had, or not exist. A write pointer of 1.0 may take nothing but 0.
 */
static int sram_find_last(struct rvtrace_component *c, u32 base, u32 *last)
{
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u32 limit, wp;
	int ret;

	ret = sram_write_read(c, ram->limit, ~0U, &limit);
	if (ret)
		return ret;
	ret = sram_write_read(c, ram->wp, ~0U, &wp);
	if (ret)
		return ret;
	wp &= ~(WORD - 1);
	if (wp > base) {
		ret = sram_write_read(c, ram->limit, wp, &limit);
		if (ret)
			return ret;
	}
	*last = limit > base ? limit : wp;
	if (*last > base && *last - base < SIZE_MAX_SRAM && !(*last % WORD))
		return 0;
	dev_err(&c->dev, "SRAM: its end is unknown: ram_base %#x, ram_limit %#x, ram_wp %#x\n",
		base, limit, wp);
	return -EINVAL;
}

/* After the last word comes the first. */
static int sram_check_data(struct rvtrace_component *c, u32 base, u32 last)
{
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u32 word, rp;
	int ret;

	ret = rvtrace_ram_set(c, ram->rp, "SRAM: ram_rp", last);
	if (ret)
		return ret;
	ret = regmap_read(c->regmap, ram->data, &word);
	if (ret)
		return ret;
	ret = regmap_read(c->regmap, ram->rp, &rp);
	if (ret || rp == base)
		return ret;
	dev_err(&c->dev, "SRAM: reading ram_data moved ram_rp from %#x to %#x, not to %#x\n",
		last, rp, base);
	return -EINVAL;
}

/**
 * rvtrace_sram_setup() - learn how much SRAM there is, and begin at its first word
 * @sink: a sink whose owner is held, configured and not enabled
 *
 * Return: 0; -EINVAL when the registers are not those of SRAM; -ENOSPC when the ring
 * is smaller; an access error
 */
int rvtrace_sram_setup(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c = sink->owner;
	struct rvtrace_sram *sram = &sink->sram;
	u32 last;
	int ret;

	ret = sram_clear_upper_halves(c);
	if (ret)
		return ret;
	ret = sram_write_read(c, c->kind->ram->base, 0, &sram->base);
	if (ret)
		return ret;
	ret = sram_find_last(c, sram->base, &last);
	if (ret)
		return ret;
	ret = sram_check_data(c, sram->base, last);
	if (ret)
		return ret;
	ret = rvtrace_ram_set(c, c->kind->ram->wp, "SRAM: ram_wp", sram->base);
	if (ret)
		return ret;
	sram->size = last - sram->base + WORD;
	if (sram->size <= sink->size)
		return 0;
	dev_err(&c->dev, "SRAM: its %u bytes do not fit in buffer_size, %llu bytes\n", sram->size,
		sink->size);
	return -ENOSPC;
}

/**
 * rvtrace_sram_follow() - account for what the hardware wrote until now
 * @sink: a sink with a live session into SRAM, locked
 *
 * Return: false when its registers are not to be touched, or its pointer is wrong
 */
bool rvtrace_sram_follow(struct rvtrace_sink *sink)
{
	struct rvtrace_sram *sram = &sink->sram;
	u64 now = ktime_get_mono_fast_ns(), possible;
	u64 offset;
	bool wrap;

	lockdep_assert_held(&sink->lock);
	if (sink->state != RVTRACE_STATE_RUNNING || sink->paused)
		return false;
	possible = mul_u64_u64_div_u64(sink->rate.given, now - sram->followed, NSEC_PER_SEC);
	rvtrace_ram_pointer(sink, &offset, &wrap);
	sram->followed = now;
	if (!rvtrace_lap_follow(&sink->ring, &sram->lap, offset, wrap,
				sink->rate.given && possible < sram->lap.size)) {
		trace_rvtrace_sample(sink->id, offset, wrap, &sink->ring);
		return true;
	}
	sink->bad_pointer = true;
	return false;
}

/*
 * Read @count bytes in one piece. While it runs, the hardware may take no read
 * pointer, or not move it.
 */
static bool sram_read_words(struct rvtrace_sink *sink, u32 offset, void *words, u32 count)
{
	struct rvtrace_component *c = sink->owner;
	const struct rvtrace_ram_registers *ram = c->kind->ram;
	u32 from = sink->sram.base + offset, rp;
	u32 to = offset + count == sink->sram.lap.size ? sink->sram.base : from + count;

	if (!count)
		return true;
	if (sram_write_read(c, ram->rp, from, &rp) || rp != from)
		return false;
	/* One branch a word, not those of regmap: a hart that is traced traces this. */
	ioread32_rep(c->registers + ram->data, words, count / WORD);
	return !regmap_read(c->regmap, ram->rp, &rp) && rp == to;
}

/* What was copied last is still there, as far as is known. */
static bool sram_look(struct rvtrace_sink *sink, bool *same)
{
	struct rvtrace_lap *lap = &sink->sram.lap;
	u32 words[RVTRACE_RING_CHECK_LENGTH / WORD];
	u8 *bytes = (u8 *)words;
	u32 at = rvtrace_lap_offset(lap, sink->ring.head - lap->known);
	u32 first = min(lap->known, lap->size - at);

	if (!sram_read_words(sink, at, bytes, first) ||
	    !sram_read_words(sink, 0, bytes + first, lap->known - first))
		return false;
	*same = !memcmp(words, lap->check, lap->known);
	return true;
}

/* Once for each session: later reads would fail as well. */
static void sram_unreadable(struct rvtrace_sink *sink)
{
	struct rvtrace_sram *sram = &sink->sram;

	if (sink->ring.running) {
		sram->waits = true;
		return;
	}
	if (!sram->failed)
		dev_err(&sink->owner->dev,
			"SRAM: ram_rp does not follow although the hardware is stopped\n");
	sram->failed = true;
}

static void sram_deliver(struct rvtrace_sink *sink, u64 from, u32 count)
{
	struct rvtrace_ring *ring = &sink->ring;
	struct rvtrace_sram *sram = &sink->sram;
	u64 at = rvtrace_ring_offset(ring, from);
	u32 first = min((u64)count, ring->size - at);

	rvtrace_lap_make_room(ring, &sram->lap, from, count);
	rvtrace_publish_locked(sink);
	smp_wmb();	/* readers learn that bytes go before they do */
	memcpy(sink->memory.virt + at, sram->words, first);
	memcpy(sink->memory.virt, (u8 *)sram->words + first, count - first);
	rvtrace_lap_copied(ring, &sram->lap, sram->words, count);
	rvtrace_publish_locked(sink);
}

/*
 * Return: whether there may be more to copy. What came meanwhile is left to the next
 * time: where this hart is traced, copying that would make as much again, for ever.
 */
static bool sram_copy_some(struct rvtrace_sink *sink)
{
	struct rvtrace_sram *sram = &sink->sram;
	/* Not all of it, or the read pointer would seem to stand still. */
	u32 most = min_t(u32, sizeof(sram->words), sram->lap.size - WORD);
	bool same, unsure, more;
	u32 count = 0;
	u64 from = 0, end;

	rvtrace_sink_lock(sink);
	more = rvtrace_sram_follow(sink);
	end = sink->ring.pointer;
	if (more) {
		sink->ring.running = !rvtrace_ram_drained(sink);
		count = rvtrace_lap_next(&sink->ring, &sram->lap, most, &from);
	}
	unsure = sram->lap.unsure;
	rvtrace_sink_unlock(sink);
	/* A pointer that is where it was may have gone round. */
	if (!more || (!count && !unsure))
		return false;

	if (!sram_read_words(sink, rvtrace_lap_offset(&sram->lap, from), sram->words, count) ||
	    !sram_look(sink, &same)) {
		sram_unreadable(sink);
		return false;
	}
	rvtrace_sink_lock(sink);
	more = rvtrace_sram_follow(sink);
	if (more && rvtrace_lap_verify(&sink->ring, &sram->lap, from, same)) {
		sram_deliver(sink, from, count);
		more = from + count < end;
	}
	rvtrace_sink_unlock(sink);
	return more;
}

/**
 * rvtrace_sram_copy() - copy what the hardware wrote to the ring
 * @sink: a sink; nothing happens without a live session into SRAM
 *
 * Not much more than a lap, also if the hardware is as fast as this. Sleeps.
 */
void rvtrace_sram_copy(struct rvtrace_sink *sink)
{
	struct rvtrace_sram *sram = &sink->sram;
	u32 rounds;

	if (!sram->used)
		return;
	mutex_lock(&sram->copying);
	rounds = 2 * (sram->lap.size / sizeof(sram->words)) + 8;
	while (rounds-- && sram_copy_some(sink))
		cond_resched();
	mutex_unlock(&sram->copying);
}

static void sram_copy_work(struct work_struct *work)
{
	u64 begin = ktime_get_mono_fast_ns();

	rvtrace_sram_copy(container_of(work, struct rvtrace_sink, sram.work));
	/*
	 * A pause as long: the hart that copies may be traced, and always has something
	 * new to copy then. What is overwritten meanwhile is counted.
	 */
	fsleep(div_u64(ktime_get_mono_fast_ns() - begin, NSEC_PER_USEC));
}

/**
 * rvtrace_sram_init() - prepare a sink for copying
 * @sink: the sink
 */
void rvtrace_sram_init(struct rvtrace_sink *sink)
{
	mutex_init(&sink->sram.copying);
	INIT_WORK(&sink->sram.work, sram_copy_work);
}

/**
 * rvtrace_sram_begin() - begin a session
 * @sink: a sink whose RAM block was set up and whose ring was begun, locked
 */
void rvtrace_sram_begin(struct rvtrace_sink *sink)
{
	struct rvtrace_sram *sram = &sink->sram;

	rvtrace_lap_begin(&sink->ring, &sram->lap, sram->size);
	sram->followed = ktime_get_mono_fast_ns();
	sram->waits = false;
	sram->failed = false;
}

/**
 * rvtrace_sram_due() - copy soon, unless the hardware has to be stopped for that
 * @sink: a sink with a live session; any context
 */
void rvtrace_sram_due(struct rvtrace_sink *sink)
{
	if (sink->sram.used && !READ_ONCE(sink->sram.waits))
		queue_work(system_highpri_wq, &sink->sram.work);
}

/**
 * rvtrace_sram_quiet() - wait until nobody copies
 * @sink: a sink that is paused, or whose sampling has ended
 */
void rvtrace_sram_quiet(struct rvtrace_sink *sink)
{
	cancel_work_sync(&sink->sram.work);
}
