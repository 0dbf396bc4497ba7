// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events in N-Trace messages: of software trace ports, and of stimulus registers (SiFive). */
#include <stdlib.h>

#include "tools/lib/base/time_bits.h"
#include "event_internal.h"

#define OWNER_CHANNEL	15	/* its words are not of rvtrace/stm.h */

/* IDTAG of a stimulus register: its byte offset */
#define TAG_MAX		(4 * RVTRACE_EVENT_CHANNELS - 1)
#define LANE_WORD	0
#define LANE_ID		2

/* Stimulus registers */

static void push(struct stack *stack, uint32_t word)
{
	stack->words[stack->top] = word;
	stack->top = (stack->top + 1) % RVTRACE_EVENT_WORDS;
	if (stack->count < RVTRACE_EVENT_WORDS)
		stack->count++;
}

static uint32_t pop(struct stack *stack)
{
	stack->top = (stack->top + RVTRACE_EVENT_WORDS - 1) % RVTRACE_EVENT_WORDS;
	stack->count--;
	return stack->words[stack->top];
}

/*
 * The last words that were written; the least significant ones came first. Where there are fewer,
 * nothing tells which of the value they are.
 */
static void take_words(struct stack *stack, struct rvtrace_event *event)
{
	unsigned int want = event->width / 32;
	uint64_t value = 0;

	if (stack->count < want) {
		event->flags |= RVTRACE_EVENT_INCOMPLETE;
		want = stack->count;
	}
	while (want--)
		value = value << 32 | pop(stack);
	event->value = value;
}

static int stimulus(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	unsigned int channel = m->id / 4, lane = m->id % 4;

	if (m->id > TAG_MAX)
		return RVTRACE_ERR_FIELD;
	event->channel = channel;
	if (channel == OWNER_CHANNEL || (lane != LANE_WORD && lane != LANE_ID)) {
		event->type = RVTRACE_EVENT_STIMULUS;
		event->lane = lane;
		event->value = m->data;
		event->width = lane == LANE_WORD ? 32 : lane == LANE_ID ? 16 : 8;
		event_begin(r, source, event);
		return m->data >> event->width ? RVTRACE_ERR_FIELD : 1;
	}
	if (!source->stacks) {
		source->stacks = calloc(RVTRACE_EVENT_CHANNELS, sizeof(*source->stacks));
		if (!source->stacks)
			return RVTRACE_ERR_NO_MEMORY;
	}
	if (lane == LANE_WORD) {
		if (m->data > UINT32_MAX)
			return RVTRACE_ERR_FIELD;
		push(&source->stacks[channel], m->data);
		return 0;
	}
	if (m->data > UINT16_MAX)
		return RVTRACE_ERR_FIELD;
	event->id = m->data;
	event->width = r->config.ntrace.xlen;
	take_words(&source->stacks[channel], event);
	return event_end(r, source, event);
}

/* Messages */

/* "Timestamp Reporting", as the flow layer has it */
static void take_time(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	bool absolute = m->has_sync || m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC;
	uint64_t time = m->tstamp;

	if (!m->has_tstamp || (!absolute && !(source->known & RVTRACE_EVENT_HAS_TIME)))
		return;
	if (!absolute)
		time = r->config.ntrace.sifive ? source->time ^ time : source->time + time;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	source->time = nearest_time(r->latest, time, r->config.time_bits);
	r->latest = source->time;
}

static void take_context(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_ntrace_message *m = &r->message;

	if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE ||
	    m->format == RVTRACE_NTRACE_PROCESS_RESERVED)
		return;
	source->priv = m->priv;
	source->known |= RVTRACE_EVENT_HAS_PRIV;
	if (m->format != RVTRACE_NTRACE_PROCESS_SCONTEXT)
		return;
	source->context = m->context;
	source->known |= RVTRACE_EVENT_HAS_CONTEXT;
}

/* Where an encoder tells what it lost, and that is no event, none was. */
static int take_loss(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	uint8_t gone = RVTRACE_EVENT_HAS_PRIV | RVTRACE_EVENT_HAS_CONTEXT;

	if (r->config.carrier == RVTRACE_EVENT_PORT && m->ecode &&
	    !(m->ecode & RVTRACE_NTRACE_ECODE_DATA)) {
		source->known &= ~gone;
		return 0;
	}
	event_forget(source, gone | RVTRACE_EVENT_HAS_THREAD);
	event_begin(r, source, event);
	event->type = RVTRACE_EVENT_LOST;
	event->flags |= RVTRACE_EVENT_AT_LEAST;
	return 1;
}

static int take_port(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;

	if (m->id > UINT16_MAX ||
	    (r->config.ntrace.xlen == 32 && m->data > UINT32_MAX))
		return RVTRACE_ERR_FIELD;
	event->id = m->id;
	event->value = m->data;
	event->width = r->config.ntrace.xlen;
	return event_end(r, source, event);
}

static int take_message(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	struct source *source = event_source(r, m->src);

	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	*event = (struct rvtrace_event) { .offset = m->offset, .source = m->src };
	take_time(r, source);
	switch (m->tcode) {
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		if (r->config.carrier == RVTRACE_EVENT_PORT)
			return take_port(r, source, event);
		return stimulus(r, source, event);
	case RVTRACE_NTRACE_OWNERSHIP:
		take_context(r, source);
		return 0;
	case RVTRACE_NTRACE_ERROR:
		return take_loss(r, source, event);
	}
	return 0;
}

static unsigned int time_bits(const struct rvtrace_event_config *config)
{
	return config->time_bits;
}

static int read_message(struct rvtrace_events *r)
{
	int ret = rvtrace_ntrace_next(r->reader, &r->message);

	r->offset = r->message.offset;
	r->size = r->message.size;
	return ret;
}

const struct event_carrier event_ntrace_carrier = {
	.packets = &ntrace_reader,
	.time_bits = time_bits,
	.read = read_message,
	.take = take_message,
};
