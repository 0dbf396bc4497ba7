// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-events.h"

#include "tools/encode/etrace-packets.h"

#define ID_BITS		16
#define ID_LOST		0	/* "Not used" by events */

static bool send(struct etrace_encoder *enc, uint16_t id, uint64_t value, uint64_t time)
{
	const struct etrace_params *p = &enc->params;
	struct etrace_payload payload = { .bits = 0 };

	enc->time = time;
	etrace_put(&payload, id, ID_BITS);
	/* A register's, which the address bus may be narrower than */
	etrace_put(&payload, value, p->iaddress_width <= 32 ? 32 : 64);
	return etrace_send(enc, &payload, p->src | p->src_event,
			   p->src_event ? p->type_inst : p->type_event, true);
}

void etrace_encoder_lose_event(struct etrace_encoder *enc)
{
	enc->events.lost++;
	enc->events.lost_total++;
}

void etrace_encoder_report_lost_events(struct etrace_encoder *enc, uint64_t time)
{
	uint64_t lost = enc->events.lost;

	if (lost > ETRACE_MAX_LOST)
		lost = ETRACE_MAX_LOST;
	if (lost && send(enc, ID_LOST, lost, time))
		enc->events.lost = 0;
}

static void emit(struct etrace_encoder *enc, const struct etrace_software_event *event)
{
	etrace_encoder_report_lost_events(enc, event->time);
	if (!send(enc, event->id, event->value, event->time))
		etrace_encoder_lose_event(enc);
}

void etrace_emit_held_events(struct etrace_encoder *enc)
{
	for (unsigned int i = 0; i < enc->events.held_count; i++)
		emit(enc, &enc->events.held[i]);
	enc->events.held_count = 0;
}

void etrace_drop_held_events(struct etrace_encoder *enc)
{
	for (; enc->events.held_count; enc->events.held_count--)
		etrace_encoder_lose_event(enc);
}

void etrace_encoder_event(struct etrace_encoder *enc, uint16_t id, uint64_t value, uint64_t time)
{
	const struct etrace_software_event event = { .id = id, .value = value, .time = time };
	struct etrace_events *events = &enc->events;

	if (!enc->held.valid || enc->held.trap) {
		emit(enc, &event);
	} else if (events->held_count == ETRACE_MAX_EVENTS) {
		etrace_encoder_lose_event(enc);
	} else {
		enc->held.notify = true;
		events->held[events->held_count++] = event;
	}
}

const char *etrace_events_check(const struct etrace_params *params)
{
	if (params->src_event >> params->src_bits)
		return "src_event does not fit into src_bits";
	if (params->src & params->src_event)
		return "src is that of software trace events";
	if (params->src_event)
		return NULL;
	if (params->type_bits < 2)
		return "software trace events need type_bits of 2 or more";
	if (params->type_event < 2 || params->type_event >> params->type_bits)
		return "type_event is less than 2, or does not fit into type_bits";
	if (params->type_event == params->type_inst ||
	    (params->data && params->type_event == params->type_data))
		return "software trace events need a type of their own";
	return NULL;
}
