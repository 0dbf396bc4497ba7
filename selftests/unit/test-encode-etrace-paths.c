// SPDX-License-Identifier: GPL-2.0
/*
 * Every way through a small program, with every few events on it: through the E-Trace encoder, and
 * back. Events are traps, notifications, synchronizations that a trigger asks for, and filters that
 * leave out an instruction. The decoder must give what retired, in each configuration.
 *
 * irdepth does not tell everything (2.0.5 draft, "Implicit Return", "Background"): ways of which it
 * does not are left out with it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#include "etrace-decoder-params.h"
#include "etrace-reports.h"
#include "small-programs.h"
#include "share.h"

#define STEPS_MAX	128
#define STREAM_MAX	2048
#define CALLS_MAX	STEPS_MAX

/*
 * What happens when an instruction has retired. SYNC: just before, a synchronization is asked for;
 * OFF: the next one is not traced.
 */
enum event { NOTHING, EXCEPTION, INTERRUPT, NOTIFY, SYNC, OFF, EVENTS };

struct step {
	uint8_t insn;
	uint8_t event;
	uint64_t next;		/* where the instruction leads */
};

struct path {
	struct step steps[STEPS_MAX];
	size_t length;
	uint64_t calls[CALLS_MAX];
	size_t depth;
	uint64_t epc[STEPS_MAX];
	size_t traps;
	unsigned int events;
};

struct pcs {
	uint64_t pc[STEPS_MAX + 2];
	size_t count;
};

static struct {
	const struct program *program;
	struct etrace_params params;
	struct rvtrace_etrace_params decoder;
	struct rvtrace_image *image;
	size_t length;
	unsigned int events;
	uint8_t stream[STREAM_MAX];
	size_t size;
	bool wanted;
	bool some;		/* only those that irdepth tells */
	size_t paths;
	size_t left_out;
} t;

/* Kinds of implicit returns */
enum kind { NO_RETURNS, IRDEPTH, IRETS, KINDS };

static struct etrace_reports reports[KINDS];
static struct {
	size_t ways;
	size_t left_out;
} total;

static enum kind kind_of(const struct etrace_params *p)
{
	if (!(p->modes & ETRACE_MODE(IMPLICIT_RETURN)))
		return NO_RETURNS;
	return p->irets ? IRETS : IRDEPTH;
}

static uint64_t pc_of(const struct step *step)
{
	return BASE + t.program->insns[step->insn].offset;
}

/* The encoder's side */

static bool emit(void *opaque, const uint8_t *packet, size_t size)
{
	(void)opaque;
	assert_true(t.size + size <= sizeof(t.stream));
	memcpy(t.stream + t.size, packet, size);
	t.size += size;
	return true;
}

static bool filter(void *opaque, const struct ingress_block *block)
{
	(void)opaque;
	(void)block;
	return t.wanted;
}

static void retire(struct etrace_encoder *encoder, const struct step *step, uint64_t time)
{
	const struct insn *insn = &t.program->insns[step->insn];
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
	t.wanted = step->event != OFF;
	etrace_encoder_block(encoder, &block);
	if (step->event != EXCEPTION && step->event != INTERRUPT)
		return;
	block = (struct ingress_block) {
		.start = step->next,
		.itype = step->event == EXCEPTION ? INGRESS_EXCEPTION : INGRESS_INTERRUPT,
		.target = BASE + t.program->handler,
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

	t.size = 0;
	t.wanted = true;
	pcs->count = 0;
	etrace_encoder_init(&encoder, &t.params, emit, NULL);
	etrace_encoder_start(&encoder, BASE, &context, 0, 0);
	for (size_t i = 0; i < path->length; i++) {
		if (wanted)
			pcs->pc[pcs->count++] = pc_of(&path->steps[i]);
		retire(&encoder, &path->steps[i], i + 1);
		wanted = t.wanted;
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
	struct rvtrace_flow_config config;
	struct rvtrace_flow_item items[16];
	struct rvtrace_flow *flow;
	bool right = true;
	int n;

	pcs->count = 0;
	rvtrace_flow_config_etrace(&t.decoder, &config);
	config.trap_vector[3] = BASE + t.program->handler;
	assert_int_equal(rvtrace_flow_new(&config, t.image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, t.stream, t.size), 0);
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

static unsigned int insn_at(uint64_t pc)
{
	unsigned int i = 0;

	while (BASE + t.program->insns[i].offset != pc)
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

		if (event && path->events == t.events)
			break;
		with.steps[path->length - 1].event = event;
		with.events += event != NOTHING;
		if (event == EXCEPTION || event == INTERRUPT) {
			with.epc[with.traps++] = next;
			walk(&with, BASE + t.program->handler);
		} else {
			walk(&with, next);
		}
	}
}

/* A counter of calls alone is for programs that return to where they were called from. */
static bool must_behave(void)
{
	return t.params.modes & ETRACE_MODE(IMPLICIT_RETURN) && !t.params.return_stack_size;
}

static void walk_return(struct path *path)
{
	uint64_t called = path->depth ? path->calls[--path->depth] : 0;

	if (called)
		walk_on(path, called);
	if (called && must_behave())
		return;
	for (size_t i = 0; i < sizeof(t.program->returns) / sizeof(t.program->returns[0]); i++)
		if (called != BASE + t.program->returns[i])
			walk_on(path, BASE + t.program->returns[i]);
}

/* One more instruction; @path: the way to @pc */
static void walk(const struct path *path, uint64_t pc)
{
	struct path longer = *path;
	unsigned int i = insn_at(pc);
	const struct insn *insn = &t.program->insns[i];
	uint64_t behind = pc + insn->size;

	visit(path);
	if (path->length == t.length)
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
		for (size_t j = 0; j < sizeof(t.program->jumps) / sizeof(t.program->jumps[0]); j++)
			walk_on(&longer, BASE + t.program->jumps[j]);
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

static void check(const struct path *path)
{
	struct pcs executed, decoded;
	bool right;

	encode(path, &executed);
	right = decode(&decoded);
	etrace_reports_add(&reports[kind_of(&t.params)], &t.decoder, t.stream, t.size);
	t.paths++;
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
		uint8_t itype = t.program->insns[step->insn].itype;

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
	if (t.some && !irdepth_tells(path))
		t.left_out++;
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

	for (insn = t.program->insns; insn->size; insn++)
		memcpy(bytes + insn->offset, &insn->word, insn->size);
	t.image = rvtrace_image_new();
	assert_non_null(t.image);
	assert_int_equal(rvtrace_code_from_memory(bytes, sizeof(bytes), "code", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(t.image, &mapping), 0);
	rvtrace_code_unref(code);
}

/* Return: parameters, to be changed: no option is on. */
static struct etrace_params *begin(const struct program *program)
{
	memset(&t, 0, sizeof(t));
	t.program = program;
	make_image();
	t.params = (struct etrace_params) {
		.iaddress_width = 32,
		.iaddress_lsb = 1,
		.nocontext = true,
		.notime = true,
		.ecause_width = 4,
		.privilege_width = 2,
		.standard_support = true,
		.filter = filter,
	};
	return &t.params;
}

static bool is_full(void)
{
	const char *scale = getenv("RVTRACE_SCALE");

	return scale && !strcmp(scale, "full");
}

static void begin_ways(void)
{
	assert_null(etrace_params_check(&t.params));
	t.decoder = etrace_decoder_params(&t.params);
}

/* All ways that begin with @path, of up to @length more instructions with up to @events. */
static void go_from(const struct path *path, size_t length, unsigned int events)
{
	t.length = path->length + length;
	t.events = events;
	t.paths = 0;
	t.left_out = 0;
	walk(path, path->length ? path->steps[path->length - 1].next : BASE);
	total.ways += t.paths;
	total.left_out += t.left_out;
}

static void go(size_t length, unsigned int events)
{
	go_from(&(struct path){ .length = 0 }, length, events);
}

static void go_all(void)
{
	begin_ways();
	go(is_full() ? 15 : 12, 0);
	go(is_full() ? 11 : 7, 1);
	go(is_full() ? 8 : 5, 2);
	go(is_full() ? 6 : 3, 3);
	rvtrace_image_free(t.image);
}

/* What else is on; the last one is none */
enum option { FULL_ADDRESS, EARLY_FILTER, PERIODIC, PREDICTION, CACHE, IMPLICIT_TRAPS, NO_OPTION };

static void set_option(struct etrace_params *p, enum option option)
{
	switch (option) {
	case FULL_ADDRESS:
		p->modes |= ETRACE_MODE(FULL_ADDRESS);
		break;
	case EARLY_FILTER:
		p->early_filter = true;
		break;
	case PERIODIC:
		p->sync_mode = ETRACE_SYNC_PACKETS;
		p->sync_interval = 2;
		break;
	case PREDICTION:
		p->modes |= ETRACE_MODE(BRANCH_PREDICTION);
		p->bpred_size = 1;
		break;
	case CACHE:
		p->modes |= ETRACE_MODE(JUMP_TARGET_CACHE);
		p->cache_size = 2;
		break;
	case IMPLICIT_TRAPS:
		p->modes |= ETRACE_MODE(IMPLICIT_EXCEPTION);
		break;
	case NO_OPTION:
		break;
	}
}

/* With a return stack and a counter of so many */
static void try_returns(bool irets, unsigned int stack, unsigned int counter)
{
	static const struct program *const programs[] = { &loop, &calls, &branches };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (unsigned int option = 0; option <= (unsigned int)NO_OPTION; option++) {
			struct etrace_params *p = begin(programs[i]);

			if (stack || counter)
				p->modes |= ETRACE_MODE(IMPLICIT_RETURN);
			p->irets = irets;
			p->return_stack_size = stack;
			p->call_counter_size = counter;
			set_option(p, (enum option)option);
			t.some = kind_of(p) == IRDEPTH && t.program == &calls;
			go_all();
		}
	if (is_full())
		print_message("# %zu ways, %zu left out: 0 differences\n", total.ways,
			      total.left_out);
	memset(&total, 0, sizeof(total));
}

static void without_implicit_returns(void **state)
{
	(void)state;
	try_returns(false, 0, 0);
}

static void with_irets_and_a_return_stack(void **state)
{
	(void)state;
	try_returns(true, 1, 0);
}

static void with_irets_and_a_counter(void **state)
{
	(void)state;
	try_returns(true, 0, 3);
}

static void with_irets_and_counters_in_the_stack(void **state)
{
	(void)state;
	try_returns(true, 1, 2);
}

static void with_irdepth_and_a_return_stack(void **state)
{
	(void)state;
	try_returns(false, 1, 0);
}

static void with_irdepth_and_a_counter(void **state)
{
	(void)state;
	try_returns(false, 0, 3);
}

/* Ways that are too long, or that irdepth tells by chance */

static void step(struct path *path, uint16_t offset, enum event event, uint16_t next)
{
	path->steps[path->length++] = (struct step) {
		.insn = insn_at(BASE + offset), .event = event, .next = BASE + next,
	};
}

/* What failed did not lead where it was expected to: it is the second return. */
static void return_that_failed_led_elsewhere(void **state)
{
	struct etrace_params *p = begin(&calls);
	struct path path = { .length = 0 };

	(void)state;
	p->modes = ETRACE_MODE(IMPLICIT_RETURN);
	p->return_stack_size = 1;
	begin_ways();
	for (uint16_t at = 0; at <= 6; at += 6) {
		step(&path, at, NOTHING, 0x14);
		step(&path, 0x14, NOTHING, 0x16);
		step(&path, 0x16, NOTHING, 0x04);
		step(&path, 0x04, NOTHING, 0x06);
	}
	check(&path);
	rvtrace_image_free(t.image);
}

/* A trap follows a branch that is synchronized at; neither makes the predictor forget. */
static void branch_before_a_trap_is_learned(void **state)
{
	struct etrace_params *p = begin(&branches);
	struct path path = { .length = 0 };

	(void)state;
	p->modes = ETRACE_MODE(BRANCH_PREDICTION);
	p->bpred_size = 1;
	begin_ways();
	step(&path, 0x00, INTERRUPT, 0x02);
	step(&path, 0x08, INTERRUPT, 0x00);
	step(&path, 0x08, NOTHING, 0x0a);
	step(&path, 0x0a, NOTHING, 0x00);
	for (unsigned int i = 0; i < 32; i++) {
		step(&path, 0x00, NOTHING, 0x02);
		step(&path, 0x02, NOTHING, 0x04);
		step(&path, 0x04, NOTHING, 0x00);
	}
	check(&path);
	rvtrace_image_free(t.image);
}

/* More branches than a map has, all of them predicted, and then everything */
static void behind_a_count_of_branches(void **state)
{
	(void)state;
	for (enum kind kind = IRDEPTH; kind <= IRETS; kind++) {
		struct etrace_params *p = begin(&counted);
		struct path path = { .length = 0 };

		p->modes = ETRACE_MODE(IMPLICIT_RETURN) | ETRACE_MODE(BRANCH_PREDICTION);
		p->irets = kind == IRETS;
		p->return_stack_size = 1;
		p->bpred_size = 1;
		begin_ways();
		for (unsigned int i = 0; i < 33; i++) {
			step(&path, 0x00, NOTHING, 0x08);
			step(&path, 0x08, NOTHING, 0x04);
			step(&path, 0x04, i ? NOTHING : INTERRUPT, 0x00);
			if (i)
				continue;
			step(&path, 0x0c, NOTHING, 0x0e);
			step(&path, 0x0e, NOTHING, 0x00);
		}
		t.some = kind == IRDEPTH;
		go_from(&path, is_full() ? 6 : 5, 2);
		rvtrace_image_free(t.image);
	}
}

/* A set of combinations of notify, updiscon and irreport, by their value with notify first */
static unsigned int combinations(enum kind kind, enum etrace_report_format format)
{
	unsigned int set = 0;

	for (unsigned int i = 0; i < 8; i++)
		if (reports[kind].count[format][i >> 2][i >> 1 & 1][i & 1])
			set |= 1u << i;
	return set;
}

/*
 * Of the ways before. What is notified is no target of a jump, so updiscon says nothing there, but
 * for a return that was inferred (irets). An index has neither notify nor updiscon.
 */
static void fields_were_there_in_every_combination(void **state)
{
	static const struct {
		uint8_t there[REPORTS];		/* at least */
		uint8_t never;
	} of[KINDS] = {
		[NO_RETURNS] = { { [REPORT_COUNT] = 0x01, [REPORT_INDEX] = 0x01,
				   [REPORT_DELTA] = 0x15, [REPORT_ADDRESS] = 0x15 }, 0xea },
		[IRDEPTH] = { { [REPORT_COUNT] = 0x1b, [REPORT_INDEX] = 0x03,
				[REPORT_DELTA] = 0x1f, [REPORT_ADDRESS] = 0x3f }, 0xc0 },
		[IRETS] = { { [REPORT_COUNT] = 0xbb, [REPORT_INDEX] = 0x03,
			      [REPORT_DELTA] = 0xbf, [REPORT_ADDRESS] = 0xbf }, 0x40 },
	};

	(void)state;
	for (enum kind kind = NO_RETURNS; kind < KINDS; kind++)
		for (enum etrace_report_format i = REPORT_COUNT; i < REPORTS; i++) {
			unsigned int set = combinations(kind, i);

			if (!getenv("RVTRACE_SHARE"))	/* of some ways, not all are */
				assert_int_equal(set & of[kind].there[i], of[kind].there[i]);
			assert_int_equal(set & of[kind].never, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_implicit_returns),
		cmocka_unit_test(with_irets_and_a_return_stack),
		cmocka_unit_test(with_irets_and_a_counter),
		cmocka_unit_test(with_irets_and_counters_in_the_stack),
		cmocka_unit_test(with_irdepth_and_a_return_stack),
		cmocka_unit_test(with_irdepth_and_a_counter),
		cmocka_unit_test(return_that_failed_led_elsewhere),
		cmocka_unit_test(branch_before_a_trap_is_learned),
		cmocka_unit_test(behind_a_count_of_branches),
		cmocka_unit_test(fields_were_there_in_every_combination),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
