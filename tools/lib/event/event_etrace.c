// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events in E-Trace packets. */
#include "tools/lib/base/time_bits.h"
#include "tools/lib/packet/etrace_internal.h"
#include "event_internal.h"

static void take_now(struct rvtrace_events *r, struct source *source)
{
	unsigned int bits = etrace_time_bits(&r->config.etrace);
	const struct rvtrace_etrace_packet *p = &r->etrace_packet;

	if (!p->has_now)
		return;
	/* Where times are less than whole, the first is the nearest. */
	if (!(source->known & RVTRACE_EVENT_HAS_TIME))
		source->time_offset = bits < 64 ?
			nearest_time(r->latest, p->now, bits) - p->now : 0;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	source->time = nearest_time(r->latest, p->now + source->time_offset, r->config.time_bits);
	r->latest = source->time;
}

/* Support packets tell no context; where packets were lost, that may have changed. */
static void take_inst(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_etrace_te_inst *inst = &r->etrace_packet.inst;
	int priv = etrace_privilege(inst->privilege);

	if (inst->format != RVTRACE_ETRACE_SYNC)
		return;
	if (inst->subformat == RVTRACE_ETRACE_SUPPORT) {
		if (inst->qual_status == RVTRACE_ETRACE_TRACE_LOST)
			source->known &= ~(RVTRACE_EVENT_HAS_PRIV | RVTRACE_EVENT_HAS_CONTEXT);
		return;
	}
	source->known &= ~RVTRACE_EVENT_HAS_PRIV;
	if (r->config.etrace.privilege_width && priv >= 0) {
		source->priv = priv;
		source->known |= RVTRACE_EVENT_HAS_PRIV;
	}
	if (inst->has_context) {
		source->context = inst->context;
		source->known |= RVTRACE_EVENT_HAS_CONTEXT;
	}
}

static int take_packet(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_etrace_packet *p = &r->etrace_packet;
	struct source *source = event_source(r, p->srcid);

	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	take_now(r, source);
	if (p->kind == RVTRACE_ETRACE_TE_INST)
		take_inst(r, source);
	if (p->kind != RVTRACE_ETRACE_EVENT)
		return 0;
	*event = (struct rvtrace_event) {
		.offset = p->offset, .source = p->srcid, .id = p->event.id,
		.value = p->event.value,
		.width = r->config.etrace.iaddress_width <= 32 ? 32 : 64,
	};
	return p->event.id ? event_end(r, source, event) : event_lose(r, source, event);
}

static unsigned int time_bits(const struct rvtrace_event_config *config)
{
	return etrace_time_bits(&config->etrace);
}

static int read_packet(struct rvtrace_events *r)
{
	int ret = rvtrace_etrace_next(r->reader, &r->etrace_packet);

	r->offset = r->etrace_packet.offset;
	r->size = r->etrace_packet.size;
	return ret;
}

const struct event_carrier event_etrace_carrier = {
	.packets = &etrace_reader,
	.time_bits = time_bits,
	.read = read_packet,
	.take = take_packet,
};
