// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Load and Store Address and Data of the debug specification's trace to accesses, and these to
 * their instructions.
 */
#include "flow_debugspec.h"

static bool is_load(unsigned int header)
{
	return header == RVTRACE_DEBUGSPEC_LOAD_ADDRESS || header == RVTRACE_DEBUGSPEC_LOAD_DATA;
}

static bool is_address(unsigned int header)
{
	return header == RVTRACE_DEBUGSPEC_LOAD_ADDRESS ||
	       header == RVTRACE_DEBUGSPEC_STORE_ADDRESS;
}

/* "CSR instructions": whether it reads (rd is not x0), or writes (rs1 or immediate is not 0). */
static bool csr_does(const uint8_t *code, const struct rvtrace_insn_access *access, bool load)
{
	uint32_t word = code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;

	if (access->subtype == RVTRACE_ETRACE_CSR_RW)
		return !load || word >> 7 & 0x1f;
	return load || word >> 15 & 0x1f;
}

/**
 * debugspec_makes_access() - whether an instruction emits such packets
 * @flow: the decoder
 * @which: DEBUGSPEC_LOAD ...
 * @code: the instruction
 * @size: its bytes
 *
 * Where addresses are traced, data without one are those of a CSR.
 */
bool debugspec_makes_access(const struct rvtrace_flow *flow, uint8_t which, const uint8_t *code,
			    size_t size)
{
	bool load = which & DEBUGSPEC_LOAD;
	unsigned int emit = load ? RVTRACE_DEBUGSPEC_EMIT_LOAD_ADDRESS :
				   RVTRACE_DEBUGSPEC_EMIT_STORE_ADDRESS;
	struct rvtrace_insn_access access;

	if (!rvtrace_insn_access(&flow->config.isa, code, size, &access))
		return false;
	if (access.kind == RVTRACE_INSN_CSR)
		return !(which & DEBUGSPEC_ADDRESS) && csr_does(code, &access, load);
	if (!(which & DEBUGSPEC_ADDRESS) && debugspec_emits(flow, emit))
		return false;
	return access.kind == RVTRACE_INSN_ATOMIC ||
	       access.kind == (load ? RVTRACE_INSN_LOADS : RVTRACE_INSN_STORES);
}

/* Data of as many bits as the access has. */
static uint64_t cut(uint64_t data, unsigned int size)
{
	return size < 3 ? data & ((1ull << (8 << size)) - 1) : data;
}

static void fill_data(struct rvtrace_flow_access *shown, const struct debugspec_access *access)
{
	if (!access->has_data)
		return;
	if (is_load(access->header) || shown->kind == RVTRACE_ETRACE_STORE) {
		shown->flags |= RVTRACE_ACCESS_HAS_DATA;
		shown->data[0] = cut(access->data, shown->size);
		shown->data[1] = shown->size > 3 && (int64_t)access->data < 0 ? UINT64_MAX : 0;
	} else {
		shown->flags |= RVTRACE_ACCESS_HAS_WRITTEN;
		shown->written = cut(access->data, shown->size);
	}
}

/* What the instruction tells. */
static void fill_insn(const struct rvtrace_flow *flow, struct rvtrace_flow_access *shown,
		      const struct rvtrace_insn_access *insn)
{
	static const uint8_t kinds[] = {
		[RVTRACE_INSN_LOADS] = RVTRACE_ETRACE_LOAD,
		[RVTRACE_INSN_STORES] = RVTRACE_ETRACE_STORE,
		[RVTRACE_INSN_ATOMIC] = RVTRACE_ETRACE_ATOMIC,
		[RVTRACE_INSN_CSR] = RVTRACE_ETRACE_CSR,
	};

	shown->kind = kinds[insn->kind];
	shown->subtype = insn->subtype;
	shown->flags &= ~RVTRACE_ACCESS_NO_SIZE;
	if (insn->kind == RVTRACE_INSN_CSR) {
		shown->size = flow->config.isa.xlen == 32 ? 2 : 3;
		shown->address = insn->csr;
		shown->flags |= RVTRACE_ACCESS_HAS_ADDRESS;
	} else if (insn->size == RVTRACE_INSN_SIZE_ANY) {
		shown->flags |= RVTRACE_ACCESS_NO_SIZE;
	} else {
		shown->size = insn->size;
	}
	if (insn->count != 1)
		shown->flags |= RVTRACE_ACCESS_MULTIPLE;
}

/* The item; @insn: by which instruction, NULL: nobody knows. */
static void show(struct rvtrace_flow *flow, const struct debugspec_insn *insn)
{
	struct debugspec_flow *d = flow->debugspec;
	const struct debugspec_access *access = &d->access;
	struct rvtrace_flow_access *shown = &d->shown[d->shown_count++ % DEBUGSPEC_SHOWN];
	uint64_t all = flow->config.isa.xlen == 32 ? UINT32_MAX : UINT64_MAX;
	struct rvtrace_insn_access of_insn;
	struct rvtrace_flow_item *item;

	*shown = (struct rvtrace_flow_access) {
		.kind = is_load(access->header) ? RVTRACE_ETRACE_LOAD : RVTRACE_ETRACE_STORE,
		.size = 3, .flags = RVTRACE_ACCESS_NO_SIZE,
	};
	if (access->has_address) {
		shown->flags |= RVTRACE_ACCESS_HAS_ADDRESS;
		shown->address = access->address;
		shown->known = access->known;
		if (access->known != all)
			shown->flags |= RVTRACE_ACCESS_PARTIAL;
	}
	if (insn && rvtrace_insn_access(&flow->config.isa, insn->code, insn->size, &of_insn))
		fill_insn(flow, shown, &of_insn);
	fill_data(shown, access);
	item = flow_event(flow, RVTRACE_FLOW_ACCESS);
	item->offset = access->offset;
	item->access = shown;
	if (insn)
		flow_event_address(item, insn->address);
}

static uint8_t which_of(const struct debugspec_access *access)
{
	return (is_load(access->header) ? DEBUGSPEC_LOAD : DEBUGSPEC_STORE) |
	       (access->has_address ? DEBUGSPEC_ADDRESS : 0);
}

/* What the last instruction makes beside the access that was just taken. */
static void expect_more(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	bool load = is_load(flow->debugspec->access.header);
	struct rvtrace_insn_access insn;

	state->more = 0;
	if (!rvtrace_insn_access(&flow->config.isa, state->last.code, state->last.size, &insn))
		return;
	if (insn.kind == RVTRACE_INSN_ATOMIC ||
	    (insn.kind == RVTRACE_INSN_CSR && csr_does(state->last.code, &insn, false))) {
		state->more = load ? DEBUGSPEC_STORE : 0;
		state->left = 1;
	} else if (insn.kind != RVTRACE_INSN_CSR && insn.count != 1) {
		state->more = load ? DEBUGSPEC_LOAD : DEBUGSPEC_STORE;
		state->left = insn.count ? insn.count - 1 : 0;
	}
}

/* Whether it is one more of the last instruction. */
static bool continues(struct rvtrace_flow *flow, uint8_t which)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (!(state->more & which) ||
	    !debugspec_makes_access(flow, which, state->last.code, state->last.size))
		return false;
	if (state->left && !--state->left)
		state->more = 0;
	return true;
}

/**
 * debugspec_after_access() - the walk to the instruction that makes an access is over
 * @flow: the decoder
 */
void debugspec_after_access(struct rvtrace_flow *flow)
{
	show(flow, &debugspec_state(flow)->last);
	expect_more(flow);
}

/* Address and data, as many of them as there are, are together. */
static void attribute(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct debugspec_flow *d = flow->debugspec;
	uint8_t which;

	d->access = state->access;
	state->access.header = 0;
	which = which_of(&d->access);
	if (!debugspec_known(flow)) {
		show(flow, NULL);
		return;
	}
	if (continues(flow, which)) {
		show(flow, &state->last);
		return;
	}
	d->way = (struct debugspec_way) {
		.aim = AIM_ACCESS, .access = which,
		.branches = !debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_BRANCH),
	};
	if (debugspec_find(flow, &d->way) == FOUND)
		debugspec_walk_on(flow, AFTER_ACCESS);
	else
		show(flow, NULL);
}

/**
 * debugspec_resolve_access() - an address without its data, or data that were left
 * @flow: the decoder, whose packet is the next one of the current source
 *
 * Return: whether the packet is to be handled again.
 */
bool debugspec_resolve_access(struct rvtrace_flow *flow)
{
	const struct debugspec_access *access = &debugspec_state(flow)->access;
	unsigned int header = flow->debugspec->packet.header;

	if (!access->header)
		return false;
	if (header == RVTRACE_DEBUGSPEC_LOAD_DATA && is_load(access->header))
		return false;
	if (header == RVTRACE_DEBUGSPEC_STORE_DATA && !is_load(access->header))
		return false;
	attribute(flow);
	return true;
}

/**
 * debugspec_take_access() - the packet is of an access
 * @flow: the decoder
 */
void debugspec_take_access(struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;
	struct debugspec_access *access = &debugspec_state(flow)->access;
	bool load = is_load(packet->header);

	if (is_address(packet->header)) {
		*access = (struct debugspec_access) {
			.header = packet->header, .has_address = true, .address = packet->value,
			.known = packet->known, .offset = packet->offset,
		};
		if (debugspec_emits(flow, load ? RVTRACE_DEBUGSPEC_EMIT_LOAD_DATA :
				    RVTRACE_DEBUGSPEC_EMIT_STORE_DATA))
			return;
	} else {
		if (!access->header)
			*access = (struct debugspec_access) {
				.header = packet->header, .offset = packet->offset,
			};
		access->has_data = true;
		access->data = packet->value;
	}
	attribute(flow);
}

/**
 * debugspec_drop_access() - an address whose data never came
 * @flow: the decoder
 */
void debugspec_drop_access(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (!state->access.header)
		return;
	flow->debugspec->access = state->access;
	state->access.header = 0;
	/* hundreds of harts at once */
	if (flow->debugspec->shown_count - flow->debugspec->shown_since > DEBUGSPEC_SHOWN_MAX)
		flow_event(flow, RVTRACE_FLOW_ACCESSES_LOST);
	else
		show(flow, NULL);
}
