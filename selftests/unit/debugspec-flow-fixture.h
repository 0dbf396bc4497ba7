/* SPDX-License-Identifier: GPL-2.0 */
/* The debug specification's trace over a few instructions, there and back. */
#ifndef RVTRACE_SELFTESTS_DEBUGSPEC_FLOW_FIXTURE_H
#define RVTRACE_SELFTESTS_DEBUGSPEC_FLOW_FIXTURE_H

#include <rvtrace/flow.h>

#include "debugspec-fixture.h"

#define BASE		0x1000u
#define HANDLER		0x2000u
#define LOOP		0x3000u
#define SEVERAL		0x4000u
#define MAX_ITEMS	64

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#define ALL		DEBUGSPEC_EMIT_ALL
#define FLOW		(DEBUGSPEC_EMITPC | DEBUGSPEC_EMITPRIV)
#define BRANCHES	(FLOW | DEBUGSPEC_EMITBRANCH)

/* From BASE on; all have 4 bytes, but in SEVERAL. */
static const uint32_t program[] = {
	0x00150513,	/* 00 addi x10, x10, 1 */
	0x00052583,	/* 04 lw x11, 0(x10) */
	0x00b52023,	/* 08 sw x11, 0(x10) */
	0x30051073,	/* 0c csrw mstatus, x10 */
	0x30002573,	/* 10 csrr x10, mstatus */
	0x00a5b62f,	/* 14 amoadd.d x12, x10, (x11) */
	0x00050463,	/* 18 beq x10, x0, 20 */
	0x00000073,	/* 1c ecall */
	0x0040006f,	/* 20 jal x0, 24 */
	0x000500e7,	/* 24 jalr x1, x10 */
	0x00100073,	/* 28 ebreak */
	0x00150513,	/* 2c addi x10, x10, 1 */
};

static const uint32_t handler[] = {
	0x00150513,	/* 00 addi x10, x10, 1 */
	0x30200073,	/* 04 mret */
};

static const uint32_t loop[] = {
	0x00150513,	/* 00 addi x10, x10, 1 */
	0x0040006f,	/* 04 jal x0, 08 */
	0x00150513,	/* 08 addi x10, x10, 1 */
	0xffdff06f,	/* 0c jal x0, 08 */
};

static const uint32_t several[] = {
	0x00a5b62f,	/* 00 amoadd.d x12, x10, (x11) */
	0x0001b852,	/* 04 cm.push {ra, s0}, -16; 06 c.nop */
	0x00b52023,	/* 08 sw x11, 0(x10) */
};

static struct {
	struct rvtrace_image *image;
	struct rvtrace_debugspec_config config;
	uint64_t trap_vector;
	uint64_t time;
	struct rvtrace_flow_item items[MAX_ITEMS];	/* an instruction is one, of BLOCKS */
	struct rvtrace_flow_access accesses[MAX_ITEMS];
	unsigned int count;
	unsigned int at;
} f;

static inline void add_code(uint64_t address, const uint32_t *words, size_t size)
{
	struct rvtrace_mapping mapping = {
		.address = address, .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(words, size, "test", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
}

static inline int setup(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	f.image = rvtrace_image_new();
	assert_non_null(f.image);
	add_code(BASE, program, sizeof(program));
	add_code(HANDLER, handler, sizeof(handler));
	add_code(LOOP, loop, sizeof(loop));
	add_code(SEVERAL, several, sizeof(several));
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	rvtrace_image_free(f.image);
	return 0;
}

static const struct ingress_context machine = { .priv = INGRESS_PRIV_M };

/* An encoder of such events, started at the first instruction of @start. */
static inline void start(unsigned int emit, bool literal)
{
	const struct debugspec_params params = {
		.xlen = 64, .emit = emit, .literal = literal,
	};

	f.count = 0;
	f.at = 0;
	begin_writing(&params, 0, false);
	f.config = (struct rvtrace_debugspec_config) {
		.xlen = 64, .emit = emit, .literal = literal,
	};
	debugspec_encoder_start(&written.encoder, &machine);
}

/* @insns instructions from @from on, and then @target; each time 5 later. */
static inline void run(uint64_t from, unsigned int insns, uint8_t itype, uint64_t target)
{
	const struct ingress_block block = {
		.start = from, .halfwords = 2 * insns, .last_size = insns ? 2 : 0, .itype = itype,
		.target = target, .context = machine, .time = f.time += 5,
	};

	debugspec_encoder_block(&written.encoder, &block);
}

static inline void stop(void)
{
	debugspec_encoder_stop(&written.encoder);
	debugspec_stream_flush(&written.stream);
}

static inline void take(const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	if (item->type != RVTRACE_FLOW_BLOCKS) {
		assert_true(f.count < MAX_ITEMS);
		f.items[f.count] = *item;
		if (item->type == RVTRACE_FLOW_ACCESS)
			f.accesses[f.count] = *item->access;
		f.count++;
		return;
	}
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		assert_true(f.count < MAX_ITEMS);
		f.items[f.count] = *item;
		f.items[f.count++].address = iter.address;
	}
}

static inline void decode_bytes(const uint8_t *bytes, size_t size)
{
	struct rvtrace_flow_item items[MAX_ITEMS];
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;
	int n;

	rvtrace_flow_config_debugspec(&f.config, &config);
	config.trap_vector[3] = f.trap_vector;
	config.isa.zcmp = true;
	assert_int_equal(rvtrace_flow_new(&config, f.image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, bytes, size), 0);
	while ((n = rvtrace_flow_read(flow, items, MAX_ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			take(&items[i]);
	assert_int_equal(n, 0);
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	while ((n = rvtrace_flow_read(flow, items, MAX_ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			take(&items[i]);
	rvtrace_flow_free(flow);
}

static inline void decode(void)
{
	stop();
	decode_bytes(written.bytes, written.size);
}

/* The next item that is no change of context, and no synchronization. */
static inline const struct rvtrace_flow_item *next(enum rvtrace_flow_type type)
{
	while (f.at < f.count && (f.items[f.at].type == RVTRACE_FLOW_CONTEXT ||
				  f.items[f.at].type == RVTRACE_FLOW_SYNC))
		f.at++;
	assert_true(f.at < f.count);
	assert_int_equal(f.items[f.at].type, type);
	return &f.items[f.at++];
}

/* Instructions in line, by their offsets. */
static inline void executed(uint64_t from, unsigned int insns)
{
	for (unsigned int i = 0; i < insns; i++)
		assert_int_equal(next(RVTRACE_FLOW_BLOCKS)->address, from + 4 * i);
}

static inline void ends_here(void)
{
	assert_int_equal(next(RVTRACE_FLOW_STOP)->stop.reason, RVTRACE_STOP_UNKNOWN);
	assert_int_equal(f.at, f.count);
}

/* How many packets with @header were written. */
static inline unsigned int count_of(unsigned int header)
{
	struct rvtrace_debugspec *reader = reader_of(&f.config, written.bytes, written.size);
	struct rvtrace_debugspec_packet packet;
	unsigned int count = 0;

	while (rvtrace_debugspec_next(reader, &packet) > 0)
		count += packet.header == header;
	rvtrace_debugspec_free(reader);
	return count;
}

#endif /* RVTRACE_SELFTESTS_DEBUGSPEC_FLOW_FIXTURE_H */
