// SPDX-License-Identifier: LGPL-2.1-or-later
/* What SiFive's encoders report beside the flow: in-circuit trace and samples of the PC. */
#include "tools/lib/packet/narrow_address.h"
#include "flow_ntrace.h"

/* Is CKDATA[0] an address, without its lowest bit? */
static bool is_place(const struct rvtrace_ntrace_message *m)
{
	switch (m->cksrc) {
	case RVTRACE_NTRACE_CKSRC_CONTROL:
		return m->ckdf;		/* alone it is the code */
	case RVTRACE_NTRACE_CKSRC_EXTERNAL_TRIGGER:
	case RVTRACE_NTRACE_CKSRC_CALL:
	case RVTRACE_NTRACE_CKSRC_EXCEPTION:
	case RVTRACE_NTRACE_CKSRC_INTERRUPT:
	case RVTRACE_NTRACE_CKSRC_CONTEXT:
	case RVTRACE_NTRACE_CKSRC_WATCHPOINT:
	case RVTRACE_NTRACE_CKSRC_PC_SAMPLE:
		return true;
	}
	return false;
}

/* Addresses of messages that follow are XORed with this one. */
static void refer(struct rvtrace_flow *flow, uint64_t address)
{
	flow->source->reference = flow_address(flow, extend_narrow(address));
}

/* The target of a call is XORed with its address. */
static void in_circuit_trace(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_CIRCUIT);
	struct source *source = flow->source;
	uint64_t before = m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE ? source->reference : 0;
	bool place = is_place(m);

	item->circuit.source = m->cksrc;
	item->circuit.has_value = m->ckdf >= place;
	if (item->circuit.has_value)
		item->circuit.value = m->ckdata[place];
	if (!place)
		return;
	refer(flow, before ^ m->ckdata[0] << 1);
	flow_event_address(item, source->reference);
	if (m->cksrc == RVTRACE_NTRACE_CKSRC_CALL && m->ckdf) {
		refer(flow, source->reference ^ m->ckdata[1] << 1);
		item->circuit.value = source->reference;
	}
}

/* ProgTraceSync of an encoder that samples says where the hart is, not how it got there. */
static void sample(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_CIRCUIT);
	struct source *source = flow->source;

	item->circuit.source = RVTRACE_NTRACE_CKSRC_PC_SAMPLE;
	refer(flow, flow->message.address);
	flow_event_address(item, source->reference);
	source->stats.syncs++;
	if (source->synced)
		source->balance += flow->message.icnt;
}

/**
 * flow_sifive_handle() - report what only SiFive's encoders send
 * @flow: the decoder, of SiFive's dialect, with a message
 *
 * Return: whether the message is such a one.
 */
bool flow_sifive_handle(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;

	if (m->has_sync && m->sync == RVTRACE_NTRACE_SYNC_PC_SAMPLE)
		sample(flow);
	else if (m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE ||
		 m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC)
		in_circuit_trace(flow);
	else
		return false;
	return true;
}
