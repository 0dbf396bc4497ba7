// SPDX-License-Identifier: GPL-2.0
/* Random programs, see random-program.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random-program.h"

uint64_t rnd(struct world *w, uint64_t below)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

bool world_emit(void *opaque, const uint8_t *message, size_t size)
{
	struct world *w = opaque;

	if (w->loss && !w->refuse && !rnd(w, w->loss))
		w->refuse = 1 + rnd(w, 20);
	if (w->refuse) {
		w->refuse--;
		return false;
	}
	if (w->size + size + 1 > w->room) {
		w->room = w->room ? w->room * 2 : 65536;
		w->stream = realloc(w->stream, w->room);
		assert_non_null(w->stream);
	}
	memcpy(w->stream + w->size, message, size);
	w->size += size;
	if (!rnd(w, 50))
		w->stream[w->size++] = w->is_etrace ? 0 : 0xff;	/* idle */
	return true;
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

static void end_block(struct hart *h, enum ingress_itype itype)
{
	const struct region *r = &h->world->regions[h->at.region];

	h->block.itype = itype;
	h->block.target = address_of(h);
	h->block.time = h->world->time_base + h->count;
	h->block.cycles = h->count;
	h->block.context.priv = r->priv;
	h->block.context.scontext = h->scontext;
	if (h->world->is_etrace) {
		h->block.notify = h->block.halfwords && !rnd(h->world, 100);
		h->block.cause = rnd(h->world, 16);
		h->block.tval = rnd(h->world, UINT32_MAX);
		h->block.accesses = h->accesses;
		if (h->world->port)
			h->world->port->block(h);
		else
			etrace_encoder_block(&h->etrace_encoder, &h->block);
		hart_respond(h);
	} else {
		ntrace_encoder_block(&h->encoder, &h->block);
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

/* From a trap on, or a branch, which may come twice: its outcome is reported. */
static void begin_straight(struct hart *h, bool branched)
{
	h->branched = branched && h->count;
	h->straight = h->count - h->branched;
	h->recalled = false;
}

/* With implicit exceptions, the first instruction is the handler. */
static unsigned int handler(struct world *w)
{
	if (w->etrace.modes & ETRACE_MODE(IMPLICIT_EXCEPTION))
		return 0;
	return rnd(w, INSNS - 2);
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
	if (h->world->params.filter_machine && r->priv == INGRESS_PRIV_M)
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

static bool behaves(const struct hart *h, const struct region *r)
{
	uint64_t address;

	if (!h->call_depth)
		return true;
	address = h->calls[h->call_depth - 1];
	if (address == address_of(h) || has_passed(h, address))
		return false;
	for (unsigned int i = 0; i < INSNS; i++)
		if (r->base + r->insns[i].offset == address)
			return true;
	return false;
}

/* Where a return goes: mostly to where the call came from. */
static unsigned int return_index(struct hart *h)
{
	const struct region *r = &h->world->regions[h->at.region];
	unsigned int i;

	if (h->call_depth && (must_behave(h->world) || rnd(h->world, 10))) {
		uint64_t address = h->calls[--h->call_depth];

		for (i = 0; i < INSNS; i++)
			if (r->base + r->insns[i].offset == address &&
			    !(h->world->is_etrace && has_passed(h, address)))
				return i;
	}
	do
		i = rnd(h->world, INSNS - 2);
	while (h->world->is_etrace && has_passed(h, r->base + r->insns[i].offset));
	return i;
}

static void push_call(struct hart *h, const struct region *r, const struct insn *insn)
{
	if (h->call_depth == 64)
		memmove(h->calls, h->calls + 1, --h->call_depth * sizeof(h->calls[0]));
	h->calls[h->call_depth++] = r->base + insn->offset + insn->size;
	h->recalled = h->returned > h->straight;
}

static void step(struct hart *h)
{
	struct world *w = h->world;
	const struct region *r = &w->regions[h->at.region];
	const struct insn *insn = &r->insns[h->at.index];
	bool loaded = h->loaded;

	if (h->depth < FRAMES && !rnd(w, 60)) {
		take_trap(h, rnd(w, 2) ? INGRESS_EXCEPTION : INGRESS_INTERRUPT);
		return;
	}
	/* Writes of scontext are rare, as they are in an operating system. */
	if ((insn->op == OP_XRET && !h->depth) ||
	    (insn->op == OP_CONTEXT && h->count < h->next_switch) ||
	    (insn->op == OP_RETURN && must_behave(w) && !behaves(h, r)) || irdepth_fails(h, insn)) {
		if (has_irdepth(w))
			begin_straight(h, false);
		h->loaded = false;
		h->at.index = handler(w);
		end_block(h, INGRESS_EXCEPTION);
		return;
	}
	if (insn->op == OP_ACCESS && hart_waits(h)) {
		if (h->block.halfwords)
			end_block(h, INGRESS_NONE);
		else
			hart_respond(h);
		return;
	}
	retire(h, r, insn);
	h->loaded = false;
	switch (insn->op) {
	case OP_LOAD:
		h->loaded = true;
		/* fall through */
	case OP_LINEAR:
		h->at.index++;
		if (w->single || !rnd(w, 30))
			end_block(h, INGRESS_NONE);
		break;
	case OP_ACCESS:
		hart_access(h, r, insn);
		h->at.index++;
		if (w->single || !rnd(w, 30) || h->block.access_count == BLOCK_ACCESSES)
			end_block(h, INGRESS_NONE);
		break;
	case OP_BRANCH:
		begin_straight(h, true);
		if (rnd(w, 3)) {
			h->at.index = insn->target;
			end_block(h, INGRESS_BRANCH_TAKEN);
		} else {
			h->at.index++;
			end_block(h, INGRESS_BRANCH_NOT_TAKEN);
		}
		break;
	case OP_JUMP:
		h->at.index = insn->target;
		end_block(h, rnd(w, 2) ? INGRESS_DIRECT_JUMP : INGRESS_OTHER_DIRECT_JUMP);
		break;
	case OP_CALL:
		push_call(h, r, insn);
		h->at.index = insn->target;
		end_block(h, INGRESS_DIRECT_CALL);
		break;
	case OP_INDIRECT:
		h->at.index = rnd(w, INSNS - 2);
		end_block(h, INGRESS_INDIRECT_JUMP);
		break;
	case OP_INDIRECT_CALL:
		push_call(h, r, insn);
		h->at.index = rnd(w, INSNS - 2);
		end_block(h, INGRESS_INDIRECT_CALL);
		break;
	case OP_RETURN:
		h->at.index = return_index(h);
		h->returned = h->count;
		end_block(h, INGRESS_RETURN);
		break;
	case OP_SWAP:
		if (w->is_etrace) {
			h->at.index = rnd(w, INSNS - 2);
		} else {
			h->at.index = return_index(h);
			push_call(h, r, insn);
		}
		end_block(h, INGRESS_COROUTINE_SWAP);
		break;
	case OP_SEQUENTIAL:
		h->at.index = insn->target;
		h->block.sequential = loaded;
		end_block(h, INGRESS_INDIRECT_JUMP);
		break;
	case OP_XRET:
		h->at = h->frames[--h->depth];
		if (w->regions[h->at.region].priv == 0)
			h->at.region = user_region(h);
		end_block(h, INGRESS_TRAP_RETURN);
		break;
	case OP_CONTEXT:
		h->next_switch = h->count + 40;
		h->scontext = (h->scontext + 1 + rnd(w, 2)) % 3;
		h->at.index++;
		end_block(h, INGRESS_NONE);
		break;
	}
}

static void random_params(struct world *w)
{
	struct ntrace_params *p = &w->params;

	p->history = rnd(w, 3);
	p->repeated_history = p->history && rnd(w, 2);
	p->repeat_branch = !p->history && rnd(w, 2);
	p->all_jumps = !rnd(w, 4);
	p->sequential_jump = rnd(w, 2);
	p->indirect_without_hist = rnd(w, 2);
	p->icnt_sync = !p->history && !rnd(w, 4);
	p->distinguish_traps = rnd(w, 4);
	p->extend_addr_msb = rnd(w, 2);
	p->ownership = rnd(w, 3);
	p->scontext = p->ownership;
	p->filter_machine = !rnd(w, 3);
	p->timestamp = true;
	p->call_stack = rnd(w, 2) ? rnd(w, 33) : 0;
	p->xlen = 64;
	p->src_bits = 1 + rnd(w, 12);
	p->timestamp_bits = rnd(w, 2) ? 64 : 40;
	p->timestamp_xor = rnd(w, 2);
	/* they begin again soon */
	w->time_base = p->timestamp_bits < 64 ? (1ull << 40) - rnd(w, STEPS / HARTS) : 0;
	p->icnt_bits = 5 + rnd(w, 16);
	p->hist_bits = 3 + rnd(w, 30);
	p->repeat_bits = 1 + rnd(w, 18);
	p->sync_mode = rnd(w, 4);
	p->sync_interval = 20 + rnd(w, 3000);
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
		etrace_encoder_init(&h->etrace_encoder, &w->etrace, world_emit, w);
		etrace_encoder_start(&h->etrace_encoder, address_of(h), &context, w->time_base, 0);
		return;
	}
	w->params.src = source;
	ntrace_encoder_init(&h->encoder, &w->params, world_emit, w);
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

static void run(struct world *w)
{
	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		h->world = w;
		h->truth = calloc(w->steps, sizeof(*h->truth));
		assert_non_null(h->truth);
		h->at.region = user_region(h);
		start(h, i);
		h->block.start = address_of(h);
	}
	for (unsigned int i = 0; i < w->steps; i++)
		step(&w->harts[rnd(w, HARTS)]);
	w->loss = 0;
	w->refuse = 0;
	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		if (h->block.halfwords)
			end_block(h, INGRESS_NONE);
		stop(h);
	}
}

static void add_region(struct rvtrace_image *image, const struct region *r)
{
	static const unsigned int privs[] = { RVTRACE_PRIV_U, RVTRACE_PRIV_S, 0, RVTRACE_PRIV_M };
	const struct insn *last = &r->insns[INSNS - 1];
	size_t size = last->offset + last->size;

	/* in two pieces that may meet in the middle of an instruction */
	for (unsigned int half = 0; half < 2; half++) {
		size_t offset = half ? size / 4 * 2 : 0;
		struct rvtrace_mapping mapping = {
			.size = UINT64_MAX,
			.address = r->base + offset,
			.space = r->space,
			.privs = privs[r->priv],
		};
		struct rvtrace_code *code;

		assert_int_equal(rvtrace_code_from_memory(r->code + offset,
							  half ? size - offset : size / 4 * 2,
							  "test", &code), 0);
		mapping.code = code;
		assert_int_equal(rvtrace_image_map(image, &mapping), 0);
		rvtrace_code_unref(code);
	}
}

static struct world *new_world(uint64_t seed, unsigned int loss, bool is_etrace)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->random = seed;
	w->xlen = 64;
	w->loss = loss;
	w->loss_possible = loss;
	w->steps = STEPS;
	w->is_etrace = is_etrace;
	world_make_code(w);
	random_params(w);
	assert_null(ntrace_params_check(&w->params));
	return w;
}

struct world *world_new(uint64_t seed, unsigned int loss)
{
	struct world *w = new_world(seed, loss, false);

	run(w);
	return w;
}

struct world *world_new_etrace(uint64_t seed, unsigned int loss, unsigned int steps)
{
	struct world *w = new_world(seed, loss, true);

	w->steps = steps;
	world_random_etrace(w);
	run(w);
	return w;
}

struct world *world_new_port(uint64_t seed, unsigned int steps, const struct etrace_params *params,
			     bool filter_machine, const struct world_port *port, void *opaque)
{
	struct world *w = new_world(seed, 0, true);

	w->steps = steps;
	w->etrace = *params;
	w->params.filter_machine = filter_machine;
	w->time_base = 0;
	w->single = port->single;
	w->port = port;
	w->opaque = opaque;
	run(w);
	return w;
}

void world_free(struct world *w)
{
	for (unsigned int i = 0; i < HARTS; i++) {
		free(w->harts[i].truth);
		free(w->harts[i].access_truth);
	}
	free(w->stream);
	free(w);
}

uint64_t world_done(const struct world *w, uint64_t time)
{
	uint64_t lap = w->params.timestamp_bits < 64 ? 1ull << w->params.timestamp_bits : 0;

	return (time - w->time_base) & (w->damaged ? lap - 1 : UINT64_MAX);
}

/* At a time, the address space is that of the last instruction that retired. */
static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	const struct world *w = data;
	const struct hart *h = &w->harts[query->source % HARTS];
	uint64_t done = world_done(w, query->time);

	if (!query->has_time || !done || done > h->count)
		done = 1;
	place->user = h->truth[done - 1].scontext;
	place->process = place->user;
	place->from = query->time;
	place->until = query->time + 1;
	return 0;
}

struct rvtrace_flow_config world_config(struct world *w)
{
	struct rvtrace_flow_config config = {
		.isa.xlen = w->params.xlen,
		.src_bits = w->params.src_bits,
		.extend_addr_msb = w->params.extend_addr_msb,
		.implicit_return = w->params.call_stack,
		.sequential_jump = w->params.sequential_jump,
		.all_jumps = w->params.all_jumps,
		.time_bits = w->params.timestamp_bits,
		.time_near = w->time_base,
		.sifive = w->params.timestamp_xor,
	};

	if (!w->params.ownership) {
		config.priv_by_address = true;
		config.resolve = resolve;
		config.resolve_data = w;
	}
	return config;
}

struct rvtrace_image *world_image(const struct world *w)
{
	struct rvtrace_image *image = rvtrace_image_new();

	assert_non_null(image);
	for (unsigned int i = 0; i < REGIONS; i++) {
		struct region r = w->regions[i];

		/* Without contexts there is one address space. */
		if (w->is_etrace && w->etrace.nocontext && r.space != RVTRACE_SPACE_ANY) {
			r.hidden = r.space;
			r.space = RVTRACE_SPACE_ANY;
		}
		if (!r.hidden)
			add_region(image, &r);
	}
	return image;
}
