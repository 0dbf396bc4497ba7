// SPDX-License-Identifier: GPL-2.0
/*
 * Source ids: what tells encoders apart that share a sink (trTeSrcID and trTeSrcBits of TCI
 * 1.0). All have the same width, or nobody could say where the field ends. An encoder of
 * several harts (TCI 0.9.4 chapter 3) has one for each, from its own on, by hart id.
 */
#include <linux/bitmap.h>
#include <linux/list.h>

#include "discover.h"
#include "field.h"
#include "rvtrace.h"
#include "source.h"

/* Widest id of N-Trace */
#define SRC_BITS_MAX	12

/* Ids that others send. Protected by rvtrace_lock */
static DECLARE_BITMAP(source_used, 1 << SRC_BITS_MAX);

static bool source_sends_id(const struct rvtrace_component *c)
{
	return !c->wanted[RVTRACE_INHIBIT_SRC] && c->wanted[RVTRACE_SRC_BITS];
}

/* The first that sends none, or NULL. */
static struct rvtrace_component *source_find_silent(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (!source_sends_id(c))
			return c;
	return NULL;
}

static u32 source_id_count(const struct rvtrace_component *c)
{
	return max(c->hart_count, 1U);
}

static void source_use_ids(struct list_head *encoders, const struct rvtrace_component *except)
{
	struct rvtrace_component *c;
	u32 id;

	list_for_each_entry(c, encoders, stage) {
		id = c->wanted[RVTRACE_SRC_ID];
		if (c != except)
			bitmap_set(source_used, id,
				   min(source_id_count(c), (1U << SRC_BITS_MAX) - id));
	}
}

static u32 source_last_id(const struct rvtrace_component *c)
{
	return min(rvtrace_max(c, RVTRACE_SRC_ID), (1U << c->wanted[RVTRACE_SRC_BITS]) - 1);
}

/* Ids from @id on fit, and no other has one of them. */
static bool source_is_free(const struct rvtrace_component *c, u32 id)
{
	u32 end = id + source_id_count(c);

	return end <= source_last_id(c) + 1 && find_next_bit(source_used, end, id) >= end;
}

static bool source_is_unique(struct rvtrace_component *c, struct list_head *joining,
			     struct list_head *live)
{
	bitmap_zero(source_used, 1 << SRC_BITS_MAX);
	source_use_ids(joining, c);
	source_use_ids(live, c);
	return source_is_free(c, c->wanted[RVTRACE_SRC_ID]);
}

/* It may not be able to: then another may make room for it. */
static void source_make_unique(struct rvtrace_component *c, struct list_head *joining,
			       struct list_head *live)
{
	u32 id;

	if (source_is_unique(c, joining, live))
		return;
	for (id = 0; id <= source_last_id(c); id++) {
		if (source_is_free(c, id) && rvtrace_keeps(c, RVTRACE_SRC_ID, id)) {
			c->wanted[RVTRACE_SRC_ID] = id;
			return;
		}
	}
}

/* Ids of so many bits for all. Return: one that has none of its own, or NULL */
static struct rvtrace_component *source_give_ids(struct list_head *joining, struct list_head *live,
						 u32 bits)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, joining, stage) {
		c->wanted[RVTRACE_SRC_ID] = c->te.asked_src_id;
		c->wanted[RVTRACE_SRC_BITS] = bits;
	}
	list_for_each_entry(c, joining, stage)
		source_make_unique(c, joining, live);
	list_for_each_entry(c, joining, stage)
		if (!source_is_unique(c, joining, live))
			return c;
	return NULL;
}

static bool source_all_keep(struct list_head *encoders, u32 bits)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (!rvtrace_keeps(c, RVTRACE_SRC_BITS, bits))
			return false;
	return true;
}

/* The least width that one of them was set to. */
static u32 source_least_bits(struct list_head *encoders)
{
	struct rvtrace_component *c;
	u32 bits = SRC_BITS_MAX;

	list_for_each_entry(c, encoders, stage)
		bits = min(bits, c->wanted[RVTRACE_SRC_BITS]);
	return bits;
}

/**
 * rvtrace_sources_choose() - make encoders that share a sink distinguishable
 * @joining: encoders about to join a session
 * @live: encoders already in it, which stay as they are
 *
 * Encoders with one id get free ids where the field is writable. All get one width: that of
 * @live, else the least that one of @joining was set to, or more where ids need it. One that
 * is alone need not send any.
 *
 * Return: 0; -EINVAL when a decoder could not tell two of them apart
 */
int rvtrace_sources_choose(struct list_head *joining, struct list_head *live)
{
	struct rvtrace_component *c, *without = NULL;
	bool first = list_empty(live);
	u32 bits, last;

	list_for_each_entry(c, joining, stage) {
		c->te.asked_src_id = c->wanted[RVTRACE_SRC_ID];
		c->te.asked_src_bits = c->wanted[RVTRACE_SRC_BITS];
	}
	c = source_find_silent(joining) ?: source_find_silent(live);
	if (c) {
		if (first && list_is_singular(joining))
			return 0;
		dev_err(&c->dev, "cannot share a sink: it sends no source id\n");
		return -EINVAL;
	}
	bits = source_least_bits(first ? joining : live);
	last = first ? SRC_BITS_MAX : bits;
	for (; bits <= last; bits++) {
		if (!source_all_keep(joining, bits))
			continue;
		without = source_give_ids(joining, live, bits);
		if (!without)
			return 0;
	}
	c = without ?: list_first_entry(joining, struct rvtrace_component, stage);
	dev_err(&c->dev, "source id %u %s\n", c->te.asked_src_id, without ?
		"is taken or too wide" : "cannot be as wide as the others of its sink");
	return -EINVAL;
}

/**
 * rvtrace_sources_undo() - what was asked for, where no session came of it
 * @joining: encoders that rvtrace_sources_choose() was called for
 */
void rvtrace_sources_undo(struct list_head *joining)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, joining, stage) {
		c->wanted[RVTRACE_SRC_ID] = c->te.asked_src_id;
		c->wanted[RVTRACE_SRC_BITS] = c->te.asked_src_bits;
	}
}

/**
 * rvtrace_sources_report() - tell of ids that were set, and are others now
 * @joining: encoders that rvtrace_sources_choose() was called for, and that are in the session
 *
 * Who set an id looks for it in the trace.
 */
void rvtrace_sources_report(struct list_head *joining)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, joining, stage)
		if (c->wanted[RVTRACE_SRC_ID] != c->te.asked_src_id &&
		    c->te.asked_src_id != c->defaults[RVTRACE_SRC_ID])
			dev_info(&c->dev, "src_id: %u is taken or too wide, %u from now on\n",
				 c->te.asked_src_id, c->wanted[RVTRACE_SRC_ID]);
}
