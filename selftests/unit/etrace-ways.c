// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#include "etrace-ways.h"
#include "share.h"

struct ways ways;
struct etrace_reports reports[KINDS];
struct ways_total ways_total;

enum kind kind_of(const struct etrace_params *p)
{
	if (!(p->modes & ETRACE_MODE(IMPLICIT_RETURN)))
		return NO_RETURNS;
	return p->irets ? IRETS : IRDEPTH;
}

static uint64_t pc_of(const struct step *step)
{
	return BASE + ways.program->insns[step->insn].offset;
}

/* The encoder's side */

static bool emit(void *opaque, const uint8_t *packet, size_t size)
{
	(void)opaque;
	assert_true(ways.size + size <= sizeof(ways.stream));
	memcpy(ways.stream + ways.size, packet, size);
	ways.size += size;
	return true;
}

static bool filter(void *opaque, const struct ingress_block *block)
{
	(void)opaque;
	(void)block;
	return ways.wanted;
}

static void retire(struct etrace_encoder *encoder, const struct step *step, uint64_t time)
{
	const struct insn *insn = &ways.program->insns[step->insn];
	struct ingress_block block = {
		.start = BASE + insn->offset,
		.halfwords = insn->size / 2,
		.last_size = insn->size / 2,
		.itype = insn->itype,
		.target = step->next,
		.time = time,
		.cycles = time,
		.notify = step->event == NOTIFY,
		.context.priv = INGRESS_PRIV_M,
	};

	if (insn->itype == INGRESS_BRANCH_TAKEN && step->next == block.start + insn->size)
		block.itype = INGRESS_BRANCH_NOT_TAKEN;
	if (step->event == SYNC)
		etrace_encoder_request_sync(encoder);
	ways.wanted = step->event != OFF;
	etrace_encoder_block(encoder, &block);
	if (step->event != EXCEPTION && step->event != INTERRUPT)
		return;
	block = (struct ingress_block) {
		.start = step->next,
		.itype = step->event == EXCEPTION ? INGRESS_EXCEPTION : INGRESS_INTERRUPT,
		.target = BASE + ways.program->handler,
		.time = time,
		.cycles = time,
		.cause = 5,
		.context.priv = INGRESS_PRIV_M,
	};
	etrace_encoder_block(encoder, &block);
}

static void encode(const struct path *path, struct pcs *pcs)
{
	const struct ingress_context context = { .priv = INGRESS_PRIV_M };
	struct etrace_encoder encoder;
	bool wanted = true;

	ways.size = 0;
	ways.wanted = true;
	pcs->count = 0;
	etrace_encoder_init(&encoder, &ways.params, emit, NULL);
	etrace_encoder_start(&encoder, BASE, &context, 0, 0);
	for (size_t i = 0; i < path->length; i++) {
		if (wanted)
			pcs->pc[pcs->count++] = pc_of(&path->steps[i]);
		retire(&encoder, &path->steps[i], i + 1);
		wanted = ways.wanted;
	}
	etrace_encoder_stop(&encoder, path->length);
}

/* The decoder's */

/* Return: false after an error, or with more than there can be. */
static bool take(const struct rvtrace_flow_item *item, struct pcs *pcs)
{
	struct rvtrace_insn_iter iter;

	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		rvtrace_insn_iter_init(&iter, item);
		while (rvtrace_insn_iter_next(&iter)) {
			if (pcs->count == sizeof(pcs->pc) / sizeof(pcs->pc[0]))
				return false;
			pcs->pc[pcs->count++] = iter.address;
		}
		return true;
	case RVTRACE_FLOW_ERROR:
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_OVERFLOW:
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_UNKNOWN:
		return false;
	}
	return true;
}

static bool decode(struct pcs *pcs)
{
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow_item items[16];
	struct rvtrace_flow *flow;
	bool right = true;
	int n;

	pcs->count = 0;
	rvtrace_flow_config_etrace(&ways.decoder, &config);
	config.trap_vector[3] = BASE + ways.program->handler;
	assert_int_equal(rvtrace_flow_new(&config, ways.image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, ways.stream, ways.size), 0);
	for (int finished = 0; finished < 2; finished++) {
		while ((n = rvtrace_flow_read(flow, items, 16)) > 0)
			for (int i = 0; i < n; i++)
				right = right && take(&items[i], pcs);
		assert_int_equal(n, 0);
		if (!finished)
			assert_int_equal(rvtrace_flow_finish(flow), 0);
	}
	rvtrace_flow_free(flow);
	return right;
}

/* Ways */

unsigned int insn_at(uint64_t pc)
{
	unsigned int i = 0;

	while (BASE + ways.program->insns[i].offset != pc)
		i++;
	return i;
}

static void visit(const struct path *path);
static void walk(const struct path *path, uint64_t pc);

/* The last step leads to @next: with nothing, or with each event that may yet be. */
static void walk_on(struct path *path, uint64_t next)
{
	struct step *step = &path->steps[path->length - 1];

	step->next = next;
	for (unsigned int event = NOTHING; event < EVENTS; event++) {
		struct path with = *path;

		if (event && path->events == ways.events)
			break;
		with.steps[path->length - 1].event = event;
		with.events += event != NOTHING;
		if (event == EXCEPTION || event == INTERRUPT) {
			with.epc[with.traps++] = next;
			walk(&with, BASE + ways.program->handler);
		} else {
			walk(&with, next);
		}
	}
}

/* A counter of calls alone is for programs that return to where they were called from. */
static bool must_behave(void)
{
	return ways.params.modes & ETRACE_MODE(IMPLICIT_RETURN) && !ways.params.return_stack_size;
}

static void walk_return(struct path *path)
{
	uint64_t called = path->depth ? path->calls[--path->depth] : 0;

	if (called)
		walk_on(path, called);
	if (called && must_behave())
		return;
	for (size_t i = 0; i < sizeof(ways.program->returns) / sizeof(ways.program->returns[0]); i++)
		if (called != BASE + ways.program->returns[i])
			walk_on(path, BASE + ways.program->returns[i]);
}

/* One more instruction; @path: the way to @pc */
static void walk(const struct path *path, uint64_t pc)
{
	struct path longer = *path;
	unsigned int i = insn_at(pc);
	const struct insn *insn = &ways.program->insns[i];
	uint64_t behind = pc + insn->size;

	visit(path);
	if (path->length == ways.length)
		return;
	longer.steps[longer.length++].insn = i;
	switch (insn->itype) {
	case INGRESS_BRANCH_TAKEN:
		walk_on(&longer, BASE + insn->target);
		walk_on(&longer, behind);
		break;
	case INGRESS_DIRECT_CALL:
		longer.calls[longer.depth++] = behind;
		/* fall through */
	case INGRESS_DIRECT_JUMP:
		walk_on(&longer, BASE + insn->target);
		break;
	case INGRESS_INDIRECT_JUMP:
		for (size_t j = 0; j < sizeof(ways.program->jumps) / sizeof(ways.program->jumps[0]); j++)
			walk_on(&longer, BASE + ways.program->jumps[j]);
		break;
	case INGRESS_RETURN:
		walk_return(&longer);
		break;
	case INGRESS_TRAP_RETURN:
		if (longer.traps)
			walk_on(&longer, longer.epc[--longer.traps]);
		break;
	default:
		walk_on(&longer, behind);
		break;
	}
}

static void print(const char *what, const struct pcs *pcs)
{
	print_error("%s:", what);
	for (size_t i = 0; i < pcs->count; i++)
		print_error(" %llx", (unsigned long long)pcs->pc[i]);
	print_error("\n");
}

void check(const struct path *path)
{
	struct pcs executed, decoded;
	bool right;

	encode(path, &executed);
	right = decode(&decoded);
	etrace_reports_add(&reports[kind_of(&ways.params)], &ways.decoder, ways.stream, ways.size);
	ways.paths++;
	if (right && executed.count == decoded.count &&
	    !memcmp(executed.pc, decoded.pc, executed.count * sizeof(executed.pc[0])))
		return;
	print("executed", &executed);
	print("decoded", &decoded);
	for (size_t i = 0; i < path->length; i++)
		print_error("%llx: event %d, then %llx\n",
			    (unsigned long long)pc_of(&path->steps[i]), path->steps[i].event,
			    (unsigned long long)path->steps[i].next);
	fail_msg("they differ");
}

/*
 * Between two branches, or traps, irdepth tells one return, unless a call came before another, and
 * one visit of an instruction.
 */
static bool irdepth_tells(const struct path *path)
{
	bool returned = false, recalled = false;
	size_t since = 0;

	for (size_t i = 0; i < path->length; i++) {
		const struct step *step = &path->steps[i];
		uint8_t itype = ways.program->insns[step->insn].itype;

		for (size_t j = since; j < i; j++)
			if (path->steps[j].insn == step->insn)
				return false;
		if (itype == INGRESS_RETURN && recalled)
			return false;
		returned |= itype == INGRESS_RETURN;
		recalled |= returned && itype == INGRESS_DIRECT_CALL;
		if (itype == INGRESS_BRANCH_TAKEN || step->event == EXCEPTION ||
		    step->event == INTERRUPT) {
			since = i + 1;
			returned = false;
			recalled = false;
		}
	}
	return true;
}

static void visit(const struct path *path)
{
	if (ways.some && !irdepth_tells(path))
		ways.left_out++;
	else if (!is_left_out())
		check(path);
}

static void make_image(void)
{
	const struct insn *insn;
	struct rvtrace_mapping mapping = {
		.address = BASE, .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	uint8_t bytes[0x40] = { 0 };
	struct rvtrace_code *code;

	for (insn = ways.program->insns; insn->size; insn++)
		memcpy(bytes + insn->offset, &insn->word, insn->size);
	ways.image = rvtrace_image_new();
	assert_non_null(ways.image);
	assert_int_equal(rvtrace_code_from_memory(bytes, sizeof(bytes), "code", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(ways.image, &mapping), 0);
	rvtrace_code_unref(code);
}

struct etrace_params *begin(const struct program *program)
{
	memset(&ways, 0, sizeof(ways));
	ways.program = program;
	make_image();
	ways.params = (struct etrace_params) {
		.iaddress_width = 32,
		.iaddress_lsb = 1,
		.nocontext = true,
		.notime = true,
		.ecause_width = 4,
		.privilege_width = 2,
		.standard_support = true,
		.filter = filter,
	};
	return &ways.params;
}

bool is_full(void)
{
	const char *scale = getenv("RVTRACE_SCALE");

	return scale && !strcmp(scale, "full");
}

void begin_ways(void)
{
	assert_null(etrace_params_check(&ways.params));
	ways.decoder = etrace_decoder_params(&ways.params);
}

void go_from(const struct path *path, size_t length, unsigned int events)
{
	ways.length = path->length + length;
	ways.events = events;
	ways.paths = 0;
	ways.left_out = 0;
	walk(path, path->length ? path->steps[path->length - 1].next : BASE);
	ways_total.ways += ways.paths;
	ways_total.left_out += ways.left_out;
}

static void go(size_t length, unsigned int events)
{
	go_from(&(struct path){ .length = 0 }, length, events);
}

void end_ways(void)
{
	rvtrace_image_free(ways.image);
}

void go_all(void)
{
	begin_ways();
	go(is_full() ? 15 : 12, 0);
	go(is_full() ? 11 : 7, 1);
	go(is_full() ? 8 : 5, 2);
	go(is_full() ? 6 : 3, 3);
	end_ways();
}
