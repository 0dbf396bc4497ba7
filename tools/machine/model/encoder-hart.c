// SPDX-License-Identifier: GPL-2.0-or-later
/* The way of the trace through an encoder: from the hart to the next stage. */
#include <string.h>

#include "tools/machine/model/encoder-internal.h"

/* Passing messages on */

/* teStopOnWrap: nothing more can be stored, so nothing is left to flush. */
static void clear_enable_if_full(struct te_model *te)
{
	if (!te->enabled || !outlet_is_full(&te->outlet))
		return;
	te->fields[TE_ENABLE] = 0;
	te->fields[TE_DATA_ENABLE] = 0;
	te->enabled = false;
	te_update(te);
}

static bool pass_on(struct te_model *te, const uint8_t *message, size_t size,
		    bool wait)
{
	bool taken = outlet_put(&te->outlet, message, size, wait);

	if (outlet_take_error(&te->outlet))
		te->fields[TE_SINK_ERROR] = 1;
	clear_enable_if_full(te);
	return taken;
}

static void advance(struct te_model *te)
{
	if (te->halfwords)
		outlet_advance(&te->outlet, te->halfwords);
	te->halfwords = 0;
}

void te_drain(struct te_model *te, bool wait)
{
	uint8_t message[255];
	size_t size;

	advance(te);
	while ((size = fifo_peek(&te->fifo, message))) {
		if (!pass_on(te, message, size, wait))
			return;
		fifo_pop(&te->fifo);
	}
}

static bool above_half(const struct te_model *te)
{
	return te->fifo.used > te->fifo.size / 2;
}

bool te_waits(const struct te_model *te)
{
	return (te->fields[TE_STALL] || te->protocol->lossless) && !te->urgent;
}

bool te_model_stalls(const struct te_model *te)
{
	return te->fields[TE_STALL] || te->fields[TE_DATA_STALL_ENABLE];
}

static bool make_room(struct te_model *te, size_t size)
{
	if (te->choked)
		return false;
	if (te->fifo.used + size > te->fifo.size)
		te_drain(te, false);
	if (te->fifo.used + size > te->fifo.size && te_waits(te)) {
		/* The hart stands still until the next stage caught up. */
		te->fields[TE_OVERFLOW] = 1;
		te->stats.stalls++;
		if (te->ops->stalled)
			te->ops->stalled(te->opaque, te->fifo.used);
		te_drain(te, true);
	}
	if (te->fifo.used + size > te->fifo.size) {
		te->choked = true;
		te->stats.overflows++;
		return false;
	}
	return true;
}

bool te_make_room(struct te_model *te, size_t size)
{
	bool room = make_room(te, size);

	te->lost |= !room;
	return room;
}

bool te_emit(void *opaque, const uint8_t *message, size_t size)
{
	struct te_model *te = opaque;

	if (!te_make_room(te, size))
		return false;
	fifo_push(&te->fifo, message, size);
	te->stats.messages++;
	te->stats.bytes += size;
	te->recorded += size;
	/* "when an overflow message is generated": first of all, the loss is told. */
	if (te->lost)
		te->fields[TE_OVERFLOW] = 1;
	te->lost = false;
	return true;
}

/* The hart */

uint64_t te_time_of(const struct te_model *te, uint64_t time, uint64_t cycles)
{
	if (te->timed)
		return timestamp_of(&te->timestamp, time, cycles);
	return te->protocol->own_time ? time : 0;
}

void te_prepare(struct te_model *te)
{
	te->protocol = te_protocol_of(&te->config, te->fields[TE_FORMAT]);
	te->timed = timestamp_enabled(&te->timestamp);
	te->lost = false;
	te->protocol->init(te);
}

/* The queue is emptied first: the last messages always fit. */
static void end_trace(struct te_model *te, uint64_t pc, uint64_t time,
		      uint64_t cycles)
{
	te_drain(te, true);
	te->choked = false;
	te->protocol->stop(te, pc, time, cycles);
}

void te_model_started(struct te_model *te, uint64_t pc,
		      const struct ingress_context *context, uint64_t time,
		      uint64_t cycles)
{
	if (!te->asked || !te->wanted)
		return;
	te->asked = false;
	/* Stopped and started again before the hart noticed. */
	if (te->hart)
		end_trace(te, pc, te_time_of(te, time, cycles), cycles);
	te_prepare(te);
	memset(&te->filter, 0, sizeof(te->filter));
	te->hart = true;
	te->protocol->start(te, pc, context, te_time_of(te, time, cycles), cycles);
}

bool te_model_needs_sizes(const struct te_model *te)
{
	return te->hart && te->protocol->needs_sizes;
}

bool te_model_needs_instructions(const struct te_model *te)
{
	return te->hart && te->protocol->needs_instructions;
}

bool te_model_needs_accesses(const struct te_model *te)
{
	return te->hart && te->protocol->needs_accesses && te->protocol->needs_accesses(te);
}

void te_model_stopped(struct te_model *te, uint64_t pc, uint64_t time,
		      uint64_t cycles)
{
	if (!te->asked || te->wanted)
		return;
	te->asked = false;
	if (!te->hart)
		return;
	te->hart = false;
	end_trace(te, pc, te_time_of(te, time, cycles), cycles);
	component_start_flush(&te->component);
}

void te_model_retire(struct te_model *te, struct ingress_block *block)
{
	if (!te->hart)
		return;
	block->time = te_time_of(te, block->time, block->cycles);
	te->halfwords += block->halfwords;
	te->protocol->block(te, block);
	te_catch_up(te, block->time);
	if (above_half(te))
		te_drain(te, false);
	if (te->choked && !above_half(te))
		te->choked = false;
}
