// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events in packets of Open SoC Debug. */
#include "tools/lib/base/time_bits.h"
#include "event_internal.h"

#define TIME_BITS	32

static int take_packet(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_osd_packet *p = &r->osd_packet;
	struct source *source;

	if (p->item != RVTRACE_OSD_ITEM_STM && p->item != RVTRACE_OSD_ITEM_OVERFLOW)
		return 0;
	source = event_source(r, p->src);
	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	*event = (struct rvtrace_event) { .offset = p->offset, .source = p->src };
	if (p->item == RVTRACE_OSD_ITEM_OVERFLOW) {
		event->value = p->missed;
		return event_lose(r, source, event);
	}
	source->time = r->timed || r->config.time_near ?
		       nearest_time(r->latest, p->timestamp, TIME_BITS) : p->timestamp;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	r->latest = source->time;
	r->timed = true;
	event->id = p->id;
	event->value = p->value;
	event->width = p->width;
	return event_end(r, source, event);
}

static unsigned int time_bits(const struct rvtrace_event_config *config)
{
	(void)config;
	return TIME_BITS;
}

static int read_packet(struct rvtrace_events *r)
{
	int ret = rvtrace_osd_next(r->reader, &r->osd_packet);

	r->offset = r->osd_packet.offset;
	r->size = r->osd_packet.size;
	return ret;
}

const struct event_carrier event_osd_carrier = {
	.packets = &osd_reader,
	.time_bits = time_bits,
	.read = read_packet,
	.take = take_packet,
};
