// SPDX-License-Identifier: GPL-2.0
/* What a hart of a random program executes, see random-program.h. */
#include <string.h>

#include "random-program.h"

static bool hart_emit(void *opaque, const uint8_t *message, size_t size)
{
	return world_emit(((struct hart *)opaque)->world, message, size);
}

static int user_region(const struct hart *h)
{
	return USER1 + h->scontext % 3;
}

static uint64_t address_of(const struct hart *h)
{
	const struct region *r = &h->world->regions[h->at.region];

	return r->base + r->insns[h->at.index].offset;
}

bool hart_filter(void *opaque, const struct ingress_block *block)
{
	const struct hart *h = opaque;

	return h->wanted && (block->context.priv != INGRESS_PRIV_M ||
			     !h->world->params.filter_machine);
}

bool hart_is_traced(const struct hart *h, const struct region *r)
{
	return h->wanted && (r->priv != INGRESS_PRIV_M || !h->world->params.filter_machine);
}

/* From a trap on, or a branch, which may come twice: its outcome is reported. */
static void begin_straight(struct hart *h, bool branched)
{
	h->branched = branched && h->count;
	h->straight = h->count - h->branched;
	h->recalled = false;
}

/* The hart is elsewhere: whether that is traced. Where it begins to be, nothing has gone before. */
static void choose_filter(struct hart *h)
{
	struct world *w = h->world;
	bool wanted = true;

	if (w->filter == FILTER_TIME)
		wanted = h->wanted ? rnd(w, 60) : !rnd(w, 8);
	else if (w->filter == FILTER_ADDRESS)
		wanted = !(address_of(h) & w->filter_bit);
	if (wanted && !h->wanted)
		begin_straight(h, false);
	h->wanted = wanted;
}

static void request_sync(struct hart *h)
{
	if (!h->world->request || rnd(h->world, h->world->request))
		return;
	h->asked++;
	if (h->world->is_etrace)
		etrace_encoder_request_sync(&h->etrace_encoder);
	else
		ntrace_encoder_request_sync(&h->encoder, NTRACE_SYNC_EXTERNAL_TRIGGER);
}

static void end_block(struct hart *h, enum ingress_itype itype)
{
	const struct region *r = &h->world->regions[h->at.region];

	h->block.itype = itype;
	h->block.target = address_of(h);
	h->block.time = h->world->time_base + h->count;
	h->block.cycles = h->count;
	h->block.context.priv = r->priv;
	h->block.context.scontext = h->scontext;
	choose_filter(h);
	request_sync(h);
	if (h->world->is_etrace) {
		h->block.notify = h->block.halfwords && !rnd(h->world, h->world->notify);
		h->block.cause = rnd(h->world, 16);
		h->block.tval = rnd(h->world, UINT32_MAX);
		h->block.accesses = h->accesses;
		if (h->world->port)
			h->world->port->block(h);
		else
			etrace_encoder_block(&h->etrace_encoder, &h->block);
		hart_speak(h);
		hart_respond(h);
	} else {
		ntrace_encoder_block(&h->encoder, &h->block);
		hart_speak(h);
	}
	memset(&h->block, 0, sizeof(h->block));
	h->block.start = h->block.target = address_of(h);
}

/*
 * irdepth does not tell everything (2.0.5 draft, "Implicit Return", "Background"), least of all to
 * a decoder that looks at no later packet: which of two returns from the same depth is reported,
 * and whether the hart was at an address for the first time, unless there is a branch between
 * them. Programs trap instead.
 */
static bool has_irdepth(const struct world *w)
{
	return w->is_etrace && !w->etrace.irets && w->etrace.modes & ETRACE_MODE(IMPLICIT_RETURN);
}

static bool irdepth_fails(const struct hart *h, const struct insn *insn)
{
	if (!has_irdepth(h->world))
		return false;
	if (insn->op == OP_RETURN && h->recalled)
		return true;
	for (size_t i = h->straight + h->branched; i < h->count; i++)
		if (h->truth[i].pc == address_of(h))
			return true;
	return false;
}

/* With implicit exceptions, the first instruction is the handler. */
static unsigned int handler(struct world *w)
{
	if (w->etrace.modes & ETRACE_MODE(IMPLICIT_EXCEPTION))
		return 0;
	return rnd(w, w->insns - 2);
}

static void take_trap(struct hart *h, enum ingress_itype itype)
{
	struct world *w = h->world;
	bool firmware = h->at.region == FIRMWARE || !rnd(w, 4);

	h->frames[h->depth++] = h->at;
	h->at.region = firmware ? FIRMWARE : KERNEL;
	h->at.index = handler(w);
	h->loaded = false;
	if (has_irdepth(w))
		begin_straight(h, false);
	end_block(h, itype);
}

static void retire(struct hart *h, const struct region *r, const struct insn *insn)
{
	struct truth *t = &h->truth[h->count];

	h->block.halfwords += insn->size / 2;
	h->block.last_size = insn->size / 2;
	if (!hart_is_traced(h, r))
		return;
	h->count++;
	t->pc = r->base + insn->offset;
	t->priv = r->priv;
	t->scontext = h->scontext;
	t->hidden = r->hidden;
	t->halfwords = insn->size / 2;
}

/*
 * A counter of calls alone works for programs that behave: a return goes to where the last call
 * came from, or does not retire.
 */
static bool must_behave(const struct world *w)
{
	return w->is_etrace && !w->etrace.return_stack_size &&
	       w->etrace.modes & ETRACE_MODE(IMPLICIT_RETURN);
}

/* Whether the hart has been there since the last branch. */
static bool has_passed(const struct hart *h, uint64_t address)
{
	for (size_t i = h->straight; i < h->count; i++)
		if (h->truth[i].pc == address)
			return true;
	return false;
}

/* Whether the return at hand may lead there; if returns are inferred, not to where it has been. */
static bool may_return_to(const struct hart *h, uint64_t address)
{
	const struct world *w = h->world;

	if (!w->is_etrace || !(w->etrace.modes & ETRACE_MODE(IMPLICIT_RETURN)))
		return true;
	return address != address_of(h) && !has_passed(h, address);
}

/* The instruction there; w->insns: there is none. */
static unsigned int index_of(const struct world *w, const struct region *r, uint64_t address)
{
	unsigned int i = 0;

	while (i < w->insns && r->base + r->insns[i].offset != address)
		i++;
	return i;
}

/* Where a return goes: mostly to where the call came from. w->insns: it must not retire. */
static unsigned int return_index(struct hart *h)
{
	struct world *w = h->world;
	const struct region *r = &w->regions[h->at.region];
	unsigned int from = rnd(w, w->insns - 2);

	if (h->call_depth && (must_behave(w) || rnd(w, 10))) {
		uint64_t address = h->calls[h->call_depth - 1];
		unsigned int i = index_of(w, r, address);

		if (i < w->insns && may_return_to(h, address)) {
			h->call_depth--;
			return i;
		}
		if (must_behave(w))
			return w->insns;
		h->call_depth--;
	}
	for (unsigned int i = 0; i < w->insns - 2; i++) {
		unsigned int index = (from + i) % (w->insns - 2);

		if (may_return_to(h, r->base + r->insns[index].offset))
			return index;
	}
	return w->insns;
}

static void push_call(struct hart *h, const struct region *r, const struct insn *insn)
{
	if (h->call_depth == 64)
		memmove(h->calls, h->calls + 1, --h->call_depth * sizeof(h->calls[0]));
	h->calls[h->call_depth++] = r->base + insn->offset + insn->size;
	h->recalled = h->returned > h->straight;
}

/*
 * Whether an instruction traps rather than retires. Writes of scontext are rare, as they are in an
 * operating system, and traced: who looks up address spaces knows the times of what is traced
 * alone. @back: where a return goes.
 */
static bool must_trap(struct hart *h, const struct insn *insn, unsigned int *back)
{
	const struct world *w = h->world;

	if ((insn->op == OP_XRET && !h->depth) ||
	    (insn->op == OP_CONTEXT && (h->count < h->next_switch || !h->wanted)) ||
	    irdepth_fails(h, insn))
		return true;
	if (insn->op != OP_RETURN && (insn->op != OP_SWAP || w->is_etrace))
		return false;
	*back = return_index(h);
	return *back == w->insns;
}

static void trap_where_it_is(struct hart *h)
{
	if (has_irdepth(h->world))
		begin_straight(h, false);
	h->loaded = false;
	h->at.index = handler(h->world);
	end_block(h, INGRESS_EXCEPTION);
}

static void go_straight(struct hart *h)
{
	struct world *w = h->world;

	h->at.index++;
	if (w->single || !rnd(w, 30) || h->block.access_count >= BLOCK_ACCESSES)
		end_block(h, INGRESS_NONE);
}

static void jump(struct hart *h, unsigned int target, enum ingress_itype itype)
{
	h->at.index = target;
	end_block(h, itype);
}

static void branch(struct hart *h, const struct insn *insn)
{
	begin_straight(h, true);
	if (rnd(h->world, 256) < insn->taken)
		jump(h, insn->target, INGRESS_BRANCH_TAKEN);
	else
		jump(h, h->at.index + 1, INGRESS_BRANCH_NOT_TAKEN);
}

static void return_from_trap(struct hart *h)
{
	h->at = h->frames[--h->depth];
	if (h->world->regions[h->at.region].priv == 0)
		h->at.region = user_region(h);
	end_block(h, INGRESS_TRAP_RETURN);
}

static void write_context(struct hart *h)
{
	h->next_switch = h->count + 40;
	h->scontext = (h->scontext + 1 + rnd(h->world, 2)) % 3;
	h->at.index++;
	end_block(h, INGRESS_NONE);
}

/* It has retired. @back: where it leads if it is a return; @loaded: so had the one before it */
static void go_on(struct hart *h, const struct region *r, const struct insn *insn,
		  unsigned int back, bool loaded)
{
	struct world *w = h->world;

	if (insn->accesses)
		hart_access(h, r, insn);
	switch (insn->op) {
	case OP_ACCESS:
	case OP_LOAD:
	case OP_LINEAR:
		go_straight(h);
		break;
	case OP_BRANCH:
		branch(h, insn);
		break;
	case OP_JUMP:
		jump(h, insn->target, rnd(w, 2) ? INGRESS_DIRECT_JUMP : INGRESS_OTHER_DIRECT_JUMP);
		break;
	case OP_CALL:
		push_call(h, r, insn);
		jump(h, insn->target, INGRESS_DIRECT_CALL);
		break;
	case OP_INDIRECT:
		jump(h, rnd(w, w->insns - 2), INGRESS_INDIRECT_JUMP);
		break;
	case OP_INDIRECT_CALL:
		push_call(h, r, insn);
		jump(h, rnd(w, w->insns - 2), INGRESS_INDIRECT_CALL);
		break;
	case OP_RETURN:
		h->returned = h->count;
		jump(h, back, INGRESS_RETURN);
		break;
	case OP_SWAP:
		if (!w->is_etrace)
			push_call(h, r, insn);
		jump(h, w->is_etrace ? rnd(w, w->insns - 2) : back, INGRESS_COROUTINE_SWAP);
		break;
	case OP_SEQUENTIAL:
		h->block.sequential = loaded;
		jump(h, insn->target, INGRESS_INDIRECT_JUMP);
		break;
	case OP_XRET:
		return_from_trap(h);
		break;
	case OP_CONTEXT:
		write_context(h);
		break;
	}
}

void hart_step(struct hart *h)
{
	struct world *w = h->world;
	const struct region *r = &w->regions[h->at.region];
	const struct insn *insn = &r->insns[h->at.index];
	unsigned int back = w->insns;
	bool loaded = h->loaded;

	if (h->depth < FRAMES && !rnd(w, 60)) {
		take_trap(h, rnd(w, 2) ? INGRESS_EXCEPTION : INGRESS_INTERRUPT);
		return;
	}
	if (must_trap(h, insn, &back)) {
		trap_where_it_is(h);
		return;
	}
	if (insn->accesses && hart_waits(h)) {
		if (h->block.halfwords)
			end_block(h, INGRESS_NONE);
		else
			hart_respond(h);
		return;
	}
	retire(h, r, insn);
	h->loaded = insn->op == OP_LOAD;
	go_on(h, r, insn, back, loaded);
}

static void start(struct hart *h, unsigned int source)
{
	struct world *w = h->world;
	struct ingress_context context = { 0 };

	if (w->is_etrace && w->etrace.nocontext)
		h->next_switch = SIZE_MAX;
	if (w->port) {
		w->port->start(h, address_of(h), &context);
		return;
	}
	if (w->is_etrace) {
		w->etrace.src = source;
		etrace_encoder_init(&h->etrace_encoder, &w->etrace, hart_emit, h);
		etrace_encoder_start(&h->etrace_encoder, address_of(h), &context, w->time_base, 0);
		return;
	}
	w->params.src = source;
	ntrace_encoder_init(&h->encoder, &w->params, hart_emit, h);
	ntrace_encoder_start(&h->encoder, address_of(h), &context, w->time_base, 0,
			     NTRACE_SYNC_ENABLE);
}

static void stop(struct hart *h)
{
	uint64_t time = h->world->time_base + h->count;

	if (h->world->port)
		h->world->port->stop(h, address_of(h));
	else if (h->world->is_etrace)
		etrace_encoder_stop(&h->etrace_encoder, time);
	else
		ntrace_encoder_stop(&h->encoder, address_of(h), time, h->count,
				    NTRACE_EVCODE_DISABLED);
}

void hart_begin(struct hart *h, unsigned int source)
{
	h->at.region = user_region(h);
	choose_filter(h);
	start(h, source);
	h->block.start = address_of(h);
}

void hart_end(struct hart *h)
{
	if (h->block.halfwords)
		end_block(h, INGRESS_NONE);
	stop(h);
}
