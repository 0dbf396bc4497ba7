// SPDX-License-Identifier: GPL-2.0
/* What software on a hart says in its trace, and in-circuit trace, see random-program.h. */
#include "random-program.h"

#define NO_OWNER	1	/* a bit that RVTRACE_OWNER_ID does not have */

static void speak_etrace(struct hart *h)
{
	struct world *w = h->world;

	h->said++;
	etrace_encoder_event(&h->etrace_encoder, 1 + rnd(w, UINT16_MAX), h->count, h->block.time);
}

/* In Sv48, as other 64-bit addresses may be taken for what is left of one */
static uint64_t address_of(const struct world *w, size_t number)
{
	int64_t address = (number + 1) * 0x9e3779b97f4a7c15ull;

	return w->xlen == 32 ? address & 0xfffffffe : address >> 16 & ~1ll;
}

/* The number of a message tells all of it. */
static struct ntrace_circuit circuit_of(const struct world *w, size_t number)
{
	static const struct ntrace_circuit kinds[] = {
		{ .source = NTRACE_CKSRC_CALL, .has_more = true },
		{ .source = NTRACE_CKSRC_EXCEPTION, .has_more = true, .more = UINT64_MAX },
		{ .source = NTRACE_CKSRC_PC_SAMPLE, .sync = true },
		{ .source = NTRACE_CKSRC_CONTROL, .where = 3 },
		{ .source = NTRACE_CKSRC_WATCHPOINT },
		{ .source = NTRACE_CKSRC_CALL, .has_more = true, .sync = true },
		{ .source = NTRACE_CKSRC_INTERRUPT, .has_more = true, .more = 7 },
		{ .source = NTRACE_CKSRC_EXTERNAL_TRIGGER },
		{ .source = NTRACE_CKSRC_CONTEXT },
		{ .source = NTRACE_CKSRC_CALL },
		{ .source = NTRACE_CKSRC_CONTROL, .where = 5, .sync = true },
	};
	struct ntrace_circuit circuit = kinds[number % (sizeof(kinds) / sizeof(kinds[0]))];

	if (circuit.source != NTRACE_CKSRC_CONTROL)
		circuit.where = address_of(w, number);
	if (circuit.source == NTRACE_CKSRC_CALL && circuit.has_more)
		circuit.more = address_of(w, number + 1000);
	return circuit;
}

const char *hart_check_circuit(struct hart *h, const struct rvtrace_flow_item *item)
{
	struct ntrace_circuit circuit = circuit_of(h->world, h->circuits_done++);
	bool has_address = circuit.source != NTRACE_CKSRC_CONTROL;

	if (item->circuit.source != circuit.source)
		return "of another source";
	if (item->circuit.has_value != (circuit.has_more || !has_address) ||
	    item->circuit.value != (has_address ? circuit.more : circuit.where))
		return "another value";
	if (!!(item->flags & RVTRACE_FLOW_HAS_ADDRESS) != has_address)
		return "an address where there is none, or none";
	return !has_address || item->address == circuit.where ? NULL : "another address";
}

/* No PROCESS of hardware: its FORMAT is 1. */
static uint32_t owner_of(const struct hart *h)
{
	return h->count << 2 | 1;
}

static void speak_sifive(struct hart *h)
{
	struct ntrace_circuit circuit;
	struct world *w = h->world;

	switch (rnd(w, 4)) {
	case 0:
		h->said++;
		ntrace_encoder_owner(&h->encoder, owner_of(h), h->block.time);
		break;
	case 1:
		h->said++;
		ntrace_encoder_auxiliary(&h->encoder, NO_OWNER | rnd(w, 2ull << rnd(w, 32)),
					 h->count, h->block.time);
		break;
	default:
		circuit = circuit_of(w, h->circuits++);
		ntrace_encoder_circuit(&h->encoder, &circuit, h->block.time);
		break;
	}
}

static void speak_ntrace(struct hart *h)
{
	struct world *w = h->world;

	if (w->sifive && rnd(w, 3)) {
		speak_sifive(h);
		return;
	}
	h->said++;
	ntrace_encoder_data(&h->encoder, NO_OWNER | rnd(w, 1 << 16), h->count, h->block.time,
			    rnd(w, 2));
}

void hart_speak(struct hart *h)
{
	struct world *w = h->world;

	if (!w->talks || !h->block.halfwords || h->block.itype != INGRESS_NONE ||
	    rnd(w, w->talks))
		return;
	if (w->is_etrace)
		speak_etrace(h);
	else
		speak_ntrace(h);
}

/* Without place_data, and where no image is, it is behind no less than what messages told. */
/* Until a message shows that branches are reported one by one, counts do not lead past them. */
static bool may_be_early(const struct hart *h)
{
	const struct world *w = h->world;

	return !w->params.place_data || (!w->has_mode && !w->params.history) || h->hidden ||
	       h->truth[h->done].hidden;
}

const char *hart_check_data(struct hart *h, const struct rvtrace_flow_item *item)
{
	bool owner = item->data.id == RVTRACE_OWNER_ID;
	uint64_t count = owner ? item->data.value >> 2 : item->data.value;

	h->heard++;
	if (owner && (item->data.value & 3) != 1)
		return "not what software wrote";
	if (count < h->done)
		return "too late";
	return count == h->done || owner || may_be_early(h) ? NULL : "too early";
}
