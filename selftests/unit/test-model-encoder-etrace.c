// SPDX-License-Identifier: GPL-2.0
/*
 * Trace encoders of the model that encode E-Trace: random programs on two harts go in as blocks,
 * registers say what is on, and what comes out is decoded to the instructions that retired.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "random-program.h"
#include "selftests/unit/etrace-decoder-params.h"
#include "tools/machine/model/encoder.h"

#define ITEMS		200
#define STEPS_EACH	6000

#define FULL_ADDRESS	RVTRACE_TE_INST_NO_ADDR_DIFF
#define NO_TRAP_ADDR	RVTRACE_TE_INST_NO_TRAP_ADDR
#define SEQUENTIAL	RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP
#define RETURNS		RVTRACE_TE_INST_EN_CALL_STACK
#define PREDICTION	RVTRACE_TE_INST_EN_BRANCH_PREDICTION
#define JUMP_CACHE	RVTRACE_TE_INST_EN_JUMP_TARGET_CACHE
#define ALL_FEATURES	(FULL_ADDRESS | NO_TRAP_ADDR | SEQUENTIAL | RETURNS | PREDICTION | \
			 JUMP_CACHE)

#define MODE(n)		((n) << 4)
#define SYNC(mode, max)	((uint32_t)(mode) << 16 | (uint32_t)(max) << 20)
#define FUNNEL		(8u << 28)
#define ON		(RVTRACE_TE_CONTROL_ENABLE | RVTRACE_TE_CONTROL_INST_TRACING)
#define OVERFLOW	RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW

/**
 * struct options - what is tried
 * @features: enabled
 * @control: more of teControl
 * @timed: timestamps are enabled
 * @change: what is not as te_config_init() has it
 */
struct options {
	const char *name;
	enum tci tci;
	uint32_t features;
	uint32_t control;
	bool timed;
	void (*change)(struct te_config *config);
};

/* An encoder, and the hart before it. @asked: -1: nothing */
struct bench {
	struct te_config config;
	struct te_model *te;
	struct world *world;
	uint64_t now;
	int asked;
};

/*
 * @full: blocks for which the funnel takes nothing; @fill: that begins at one block in so many;
 * @told: losses that support packets told; @gap: most packets from one synchronization to the next
 */
static struct {
	const struct options *options;
	struct bench benches[HARTS];
	unsigned int full;
	unsigned int fill;
	bool overflowed;
	uint64_t losses;
	size_t supports;
	size_t told;
	size_t gap;
} lab;

static void set_tracing(void *opaque, bool on)
{
	((struct bench *)opaque)->asked = on;
}

static uint64_t now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static bool send(void *opaque, const uint8_t *message, size_t size, bool wait)
{
	struct bench *b = opaque;

	return (wait || !lab.full) && world_emit(b->world, message, size);
}

static void advance(void *opaque, uint32_t halfwords)
{
	(void)opaque;
	(void)halfwords;
}

static const struct te_ops ops = {
	.set_tracing = set_tracing,
	.outlet.now = now,
	.timestamp = now,
	.schedule = schedule,
	.outlet.send = send,
	.outlet.advance = advance,
};

static uint32_t rd(const struct bench *b, uint32_t offset)
{
	return te_model_read(b->te, offset);
}

static void wr(const struct bench *b, uint32_t offset, uint32_t value)
{
	te_model_write(b->te, offset, value);
}

static uint32_t control(uint32_t more)
{
	/* 0 is E-Trace. */
	return RVTRACE_TE_CONTROL_ACTIVE | lab.options->control |
	       (lab.options->tci == TCI_0_9 ? FUNNEL : 0) | more;
}

/* What has other fields beside the features in 1.0 keeps them. */
static void set_features(const struct bench *b)
{
	uint32_t other = rd(b, RVTRACE_TE_INST_FEATURES) & 0xffff0000;

	wr(b, RVTRACE_TE_INST_FEATURES, other | lab.options->features);
	assert_int_equal(rd(b, RVTRACE_TE_INST_FEATURES), other | lab.options->features);
}

static void config_init(struct te_config *config, const struct options *options)
{
	te_config_init(config, options->tci);
	config->formats = 1 << RVTRACE_FORMAT_ETRACE;
	config->inst_features = ALL_FEATURES;
	config->component.active_delay = 0;
	config->component.empty_delay = 0;
	if (options->change)
		options->change(config);
	assert_null(te_config_check(config));
}

static void port_start(struct hart *h, uint64_t pc, const struct ingress_context *context)
{
	struct bench *b = &lab.benches[h - h->world->harts];

	b->world = h->world;
	b->now = h->world->time_base;
	b->asked = -1;
	b->config.src_id = h - h->world->harts;
	b->te = te_model_new(&b->config, &ops, b);
	assert_non_null(b->te);
	wr(b, RVTRACE_TE_CONTROL, RVTRACE_TE_CONTROL_ACTIVE);
	set_features(b);
	if (lab.options->timed) {
		wr(b, RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE);
		wr(b, RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE | RVTRACE_TS_CONTROL_ENABLE |
		   RVTRACE_TS_TYPE_EXTERNAL << 4);
	}
	wr(b, RVTRACE_TE_CONTROL, control(ON));
	assert_int_equal(rd(b, RVTRACE_TE_CONTROL) & ~RVTRACE_TE_CONTROL_EMPTY, control(ON));
	assert_int_equal(b->asked, 1);
	te_model_started(b->te, pc, context, b->now, 0);
	assert_true(te_model_needs_sizes(b->te));
}

static void port_block(struct hart *h)
{
	struct bench *b = &lab.benches[h - h->world->harts];

	b->now = h->block.time;
	if (lab.full)
		lab.full--;
	else if (lab.fill && !rnd(h->world, lab.fill))
		lab.full = 1 + rnd(h->world, 600);
	te_model_retire(b->te, &h->block);
}

/* TCI 0.9.4 chapter 15: tracing, then the encoder; what is queued leaves. */
static void port_stop(struct hart *h, uint64_t pc)
{
	struct bench *b = &lab.benches[h - h->world->harts];
	struct te_stats stats;

	wr(b, RVTRACE_TE_CONTROL, control(RVTRACE_TE_CONTROL_ENABLE));
	assert_int_equal(b->asked, 0);
	assert_int_equal(rd(b, RVTRACE_TE_CONTROL) & RVTRACE_TE_CONTROL_EMPTY, 0);
	te_model_stopped(b->te, pc, b->now, h->count);
	lab.overflowed |= rd(b, RVTRACE_TE_CONTROL) & OVERFLOW;
	wr(b, RVTRACE_TE_CONTROL, control(0));
	te_model_tick(b->te);
	assert_int_equal(rd(b, RVTRACE_TE_CONTROL) & RVTRACE_TE_CONTROL_EMPTY,
			 RVTRACE_TE_CONTROL_EMPTY);
	te_model_stats(b->te, &stats);
	lab.losses += stats.overflows;
	te_model_free(b->te);
}

/* The decoder's side */

static struct rvtrace_etrace_params decoder_params(const struct te_config *config)
{
	struct etrace_params encoder = te_etrace_params(&config->etrace);
	struct rvtrace_etrace_params decoder;

	encoder.src_bits = config->src_bits;
	decoder = etrace_decoder_params(&encoder);
	decoder.sijump = config->etrace.sijump;
	return decoder;
}

static void check_insn(struct hart *h, const struct rvtrace_flow_item *item, uint64_t address)
{
	const struct truth *t = &h->truth[h->done];

	assert_true(h->done < h->count);
	if (address != t->pc)
		fail_msg("%s, hart %d: instruction %zu of %zu at %llx, not %llx", lab.options->name,
			 (int)(h - h->world->harts), h->done, h->count,
			 (unsigned long long)t->pc, (unsigned long long)address);
	assert_int_equal(item->priv, t->priv);
	if (!h->world->etrace.nocontext)
		assert_int_equal(item->context, t->scontext);
	h->done++;
}

/* After a loss, the time says how many instructions came before. */
static void check_sync(struct hart *h, const struct rvtrace_flow_item *item)
{
	if (!h->unknown || !(item->flags & RVTRACE_FLOW_FIRST))
		return;
	assert_true(item->time > h->done);
	h->missing += item->time - 1 - h->done;
	h->done = item->time - 1;
	h->unknown = false;
}

static void check_item(struct world *w, const struct rvtrace_flow_item *item)
{
	struct hart *h = &w->harts[item->source % HARTS];
	struct rvtrace_insn_iter iter;

	assert_true(item->source < HARTS);
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		assert_false(h->unknown);
		rvtrace_insn_iter_init(&iter, item);
		while (rvtrace_insn_iter_next(&iter))
			check_insn(h, item, iter.address);
		break;
	case RVTRACE_FLOW_SYNC:
		check_sync(h, item);
		break;
	case RVTRACE_FLOW_OVERFLOW:
		h->unknown = true;
		break;
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_UNKNOWN:
		fail_msg("%s: item of type %d", lab.options->name, item->type);
		break;
	case RVTRACE_FLOW_ERROR:
		fail_msg("%s: at %llu: %s", lab.options->name, (unsigned long long)item->offset,
			 rvtrace_strerror(item->error.code));
		break;
	default:
		break;
	}
}

static void decode(struct world *w, const struct rvtrace_etrace_params *params)
{
	struct rvtrace_image *image = world_image(w);
	struct rvtrace_flow_item items[ITEMS];
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;
	int n;

	rvtrace_flow_config_etrace(params, &config);
	config.trap_vector[0] = w->regions[USER1].base;
	config.trap_vector[1] = w->regions[KERNEL].base;
	config.trap_vector[3] = w->regions[FIRMWARE].base;
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, w->stream, w->size), 0);
	for (int finished = 0; finished < 2; finished++) {
		while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
			for (int i = 0; i < n; i++)
				check_item(w, &items[i]);
		assert_int_equal(n, 0);
		if (!finished)
			assert_int_equal(rvtrace_flow_finish(flow), 0);
	}
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
}

static uint16_t modes_of(uint32_t features)
{
	return (features & FULL_ADDRESS ? RVTRACE_ETRACE_FULL_ADDRESS : 0) |
	       (features & NO_TRAP_ADDR ? RVTRACE_ETRACE_IMPLICIT_EXCEPTION : 0) |
	       (features & SEQUENTIAL ? RVTRACE_ETRACE_SIJUMP : 0) |
	       (features & RETURNS ? RVTRACE_ETRACE_IMPLICIT_RETURN : 0) |
	       (features & PREDICTION ? RVTRACE_ETRACE_BRANCH_PREDICTION : 0) |
	       (features & JUMP_CACHE ? RVTRACE_ETRACE_JUMP_TARGET_CACHE : 0);
}

/* Each hart's trace begins and ends with a support packet that says so, and how it encodes. */
static void read_packets(const struct world *w, const struct rvtrace_etrace_params *params)
{
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	bool on[HARTS] = { false };
	size_t since[HARTS] = { 0 };

	lab.supports = 0;
	lab.told = 0;
	lab.gap = 0;
	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, w->stream, w->size), 0);
	while (rvtrace_etrace_next(reader, &packet) == 1) {
		const struct rvtrace_etrace_te_inst *inst = &packet.inst;
		bool sync = inst->format == RVTRACE_ETRACE_SYNC;
		bool support = sync && inst->subformat == RVTRACE_ETRACE_SUPPORT;

		assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_INST);
		assert_true(packet.srcid < HARTS);
		assert_int_equal(packet.extend, lab.options->timed && params->timestamp_width);
		assert_true(support || on[packet.srcid]);
		if (support) {
			on[packet.srcid] = inst->ienable;
			assert_int_equal(inst->modes & ~RVTRACE_ETRACE_RESYNC_DISABLED,
					 modes_of(lab.options->features));
		}
		since[packet.srcid] = sync ? 0 : since[packet.srcid] + 1;
		if (since[packet.srcid] > lab.gap)
			lab.gap = since[packet.srcid];
		lab.supports += support;
		lab.told += support && inst->qual_status == RVTRACE_ETRACE_TRACE_LOST;
	}
	for (unsigned int i = 0; i < HARTS; i++)
		assert_false(on[i]);
	rvtrace_etrace_free(reader);
}

/* What programs may do depends on it. */
static struct etrace_params program_params(const struct te_config *config, uint32_t features)
{
	return (struct etrace_params) {
		.modes = (features & RETURNS ? ETRACE_MODE(IMPLICIT_RETURN) : 0) |
			 (features & NO_TRAP_ADDR ? ETRACE_MODE(IMPLICIT_EXCEPTION) : 0),
		.iaddress_width = config->etrace.iaddress_width,
		.return_stack_size = config->etrace.return_stack_size,
		.nocontext = config->etrace.nocontext,
	};
}

/* Return: how many instructions were not decoded. */
static size_t round_trip(const struct options *options, uint64_t seed, bool single)
{
	const struct world_port port = { single, port_start, port_block, port_stop };
	struct rvtrace_etrace_params params;
	struct te_config config;
	struct etrace_params may;
	size_t missing = 0;
	struct world *w;

	lab.options = options;
	lab.overflowed = false;
	lab.losses = 0;
	config_init(&config, options);
	for (unsigned int i = 0; i < HARTS; i++)
		lab.benches[i].config = config;
	may = program_params(&config, options->features);
	w = world_new_port(seed, STEPS_EACH, &may, config.filter_machine, &port, NULL);
	params = decoder_params(&config);
	assert_int_equal(rvtrace_etrace_params_check(&params, NULL, NULL), 0);
	read_packets(w, &params);
	decode(w, &params);
	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		assert_true(h->count > STEPS_EACH / HARTS / 4);
		missing += h->missing + h->count - h->done;
		assert_true(h->unknown || h->done == h->count);
	}
	world_free(w);
	return missing;
}

/* The options */

static void draft(struct te_config *config)
{
	config->etrace.protocol_minor = 1;
	config->etrace.iret_ext = true;
}

static void call_counter(struct te_config *config)
{
	draft(config);
	config->etrace.return_stack_size = 0;
	config->etrace.call_counter_size = 5;
}

static void counting_stack(struct te_config *config)
{
	draft(config);
	config->etrace.return_stack_size = 2;
	config->etrace.call_counter_size = 3;
}

static void small_tables(struct te_config *config)
{
	config->etrace.bpred_size = 1;
	config->etrace.cache_size = 1;
}

static void bare(struct te_config *config)
{
	config->etrace.nocontext = true;
	config->etrace.notime = true;
	config->etrace.timestamp_width = 0;
	config->src_bits = 1;
}

static void widths(struct te_config *config)
{
	config->etrace.context_width = 2;
	config->etrace.time_width = 16;
	config->etrace.ecause_width = 4;
	config->etrace.privilege_width = 2;
	config->etrace.iaddress_lsb = 0;
	config->etrace.f0s_width = 2;
	config->etrace.type_width = 2;
	config->etrace.type_inst = 2;
	config->etrace.sign_padding = true;
	config->src_bits = 11;
}

static void narrow(struct te_config *config)
{
	draft(config);
	config->etrace.iaddress_width = 32;
}

static void whole_timestamps(struct te_config *config)
{
	config->etrace.timestamp_width = 64;
	config->etrace.notime = true;
}

static void machine_filtered(struct te_config *config)
{
	config->filter_machine = true;
}

static const struct options table[] = {
	{ "baseline, 0.9", TCI_0_9, 0, MODE(7), false, NULL },
	{ "baseline, 1.0", TCI_1_0, 0, MODE(6), false, NULL },
	{ "full addresses", TCI_0_9, FULL_ADDRESS, MODE(7), false, NULL },
	{ "no handler addresses", TCI_0_9, NO_TRAP_ADDR, MODE(7), false, NULL },
	{ "sequential jumps", TCI_1_0, SEQUENTIAL, MODE(6), false, NULL },
	{ "branch prediction", TCI_1_0, PREDICTION, MODE(6), false, NULL },
	{ "jump target cache", TCI_0_9, JUMP_CACHE, MODE(7), false, NULL },
	{ "small tables", TCI_0_9, PREDICTION | JUMP_CACHE, MODE(7), false, small_tables },
	{ "standard support packet", TCI_1_0, PREDICTION | JUMP_CACHE, MODE(6), false, draft },
	{ "return stack", TCI_1_0, RETURNS, MODE(6), false, draft },
	{ "call counter", TCI_0_9, RETURNS, MODE(7), false, call_counter },
	{ "counting return stack", TCI_0_9, RETURNS, MODE(7), false, counting_stack },
	{ "timestamps", TCI_1_0, 0, MODE(6), true, NULL },
	{ "whole timestamps", TCI_0_9, 0, MODE(7), true, whole_timestamps },
	{ "packets counted", TCI_0_9, PREDICTION, MODE(7) | SYNC(1, 0), true, NULL },
	{ "cycles counted", TCI_1_0, JUMP_CACHE, MODE(6) | SYNC(2, 2), false, NULL },
	{ "half-words counted", TCI_0_9, 0, MODE(7) | SYNC(3, 4), false, NULL },
	{ "neither context nor time", TCI_1_0, PREDICTION, MODE(6) | SYNC(1, 4), true, bare },
	{ "other widths", TCI_1_0, JUMP_CACHE, MODE(6) | SYNC(1, 3), true, widths },
	{ "RV32", TCI_1_0, SEQUENTIAL | RETURNS | PREDICTION | JUMP_CACHE, MODE(6), false, narrow },
	{ "without M-mode", TCI_0_9, SEQUENTIAL, MODE(7), false, machine_filtered },
	{ "everything", TCI_1_0, SEQUENTIAL | RETURNS | PREDICTION | JUMP_CACHE,
	  MODE(6) | SYNC(1, 6), true, draft },
};

static void what_retired_is_decoded(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		for (uint64_t seed = 1; seed <= 4; seed++) {
			assert_int_equal(round_trip(&table[i], seed, seed % 2), 0);
			assert_false(lab.overflowed);
			assert_int_equal(lab.told, 0);
			/* one each at start and stop; filters have more to say */
			if (table[i].change != machine_filtered)
				assert_int_equal(lab.supports, 2 * HARTS);
		}
}

/* Traps synchronize, too; then it counts from the beginning. */
static void synchronizations_are_as_frequent_as_asked(void **state)
{
	static const struct options often = {
		"often", TCI_0_9, 0, MODE(7) | SYNC(1, 0), false, NULL
	};
	static const struct options seldom = {
		"seldom", TCI_1_0, 0, MODE(6) | SYNC(1, 2), false, NULL
	};

	(void)state;
	assert_int_equal(round_trip(&often, 1, true), 0);
	assert_in_range(lab.gap, 14, 18);
	assert_int_equal(round_trip(&seldom, 1, true), 0);
	assert_in_range(lab.gap, 30, 66);
}

static void tiny_queue(struct te_config *config)
{
	whole_timestamps(config);
	config->fifo_size = 252;
}

static void what_is_lost_is_told(void **state)
{
	static const struct options options = {
		"losses", TCI_0_9, PREDICTION, MODE(7) | SYNC(1, 4), true, tiny_queue
	};
	size_t missing = 0;
	uint64_t losses = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		lab.fill = 400;
		missing += round_trip(&options, seed, true);
		lab.fill = 0;
		lab.full = 0;
		assert_int_equal(lab.overflowed, lab.losses > 0);
		assert_int_equal(lab.told, lab.losses);
		losses += lab.losses;
	}
	assert_true(missing > 0);
	assert_true(losses > 20);
}

static void stalling_loses_nothing(void **state)
{
	static const struct options options = {
		"stalls", TCI_0_9, 0, MODE(7) | RVTRACE_TE_CONTROL_INST_STALL_EN, true, tiny_queue
	};

	(void)state;
	lab.fill = 400;
	assert_int_equal(round_trip(&options, 1, true), 0);
	lab.fill = 0;
	lab.full = 0;
	assert_int_equal(lab.losses, 0);
	assert_true(lab.overflowed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_retired_is_decoded),
		cmocka_unit_test(synchronizations_are_as_frequent_as_asked),
		cmocka_unit_test(what_is_lost_is_told),
		cmocka_unit_test(stalling_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
