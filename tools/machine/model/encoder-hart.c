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

static bool push(struct te_model *te, const uint8_t *message, size_t size)
{
	if (te->choked)
		return false;
	if (te->fifo.used + size > te->fifo.size)
		te_drain(te, false);
	if (te->fifo.used + size > te->fifo.size &&
	    te->fields[TE_STALL]) {
		/* The hart stands still until the next stage caught up. */
		te->fields[TE_OVERFLOW] = 1;
		te->stats.stalls++;
		if (te->ops->stalled)
			te->ops->stalled(te->opaque, te->fifo.used);
		te_drain(te, true);
	}
	if (!fifo_push(&te->fifo, message, size)) {
		te->choked = true;
		te->stats.overflows++;
		return false;
	}
	return true;
}

bool te_emit(void *opaque, const uint8_t *message, size_t size)
{
	struct te_model *te = opaque;

	if (!push(te, message, size))
		return false;
	te->stats.messages++;
	te->stats.bytes += size;
	/* "when an overflow message is generated": MDO of byte 0 is TCODE */
	if (message[0] >> 2 == NTRACE_ERROR)
		te->fields[TE_OVERFLOW] = 1;
	return true;
}

/* The hart */

/* The queue is emptied first: the last messages always fit. */
static void end_trace(struct te_model *te, uint64_t pc, uint64_t time,
		      uint64_t cycles)
{
	te_drain(te, true);
	te->choked = false;
	ntrace_encoder_stop(&te->ntrace, pc, time, cycles,
			    NTRACE_EVCODE_DISABLED);
}

void te_model_started(struct te_model *te, uint64_t pc,
		      const struct ingress_context *context, uint64_t time,
		      uint64_t cycles)
{
	struct ntrace_params params;

	if (!te->asked || !te->wanted)
		return;
	te->asked = false;
	time = timestamp_of(&te->timestamp, time, cycles);
	/* Stopped and started again before the hart noticed. */
	if (te->hart)
		end_trace(te, pc, time, cycles);
	params = te_ntrace_params(te);
	ntrace_encoder_init(&te->ntrace, &params, te_emit, te);
	memset(&te->filter, 0, sizeof(te->filter));
	te->hart = true;
	ntrace_encoder_start(&te->ntrace, pc, context, time, cycles,
			     NTRACE_SYNC_ENABLE);
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
	end_trace(te, pc, timestamp_of(&te->timestamp, time, cycles),
		  cycles);
	component_start_flush(&te->component);
}

void te_model_retire(struct te_model *te, const struct ingress_block *block)
{
	struct ingress_block timed;

	if (!te->hart)
		return;
	timed = *block;
	if (te->ntrace.params.timestamp)
		timed.time = timestamp_of(&te->timestamp, block->time,
					  block->cycles);
	te->halfwords += block->halfwords;
	ntrace_encoder_block(&te->ntrace, &timed);
	if (above_half(te))
		te_drain(te, false);
	if (te->choked && !above_half(te))
		te->choked = false;
}
