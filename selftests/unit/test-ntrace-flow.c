// SPDX-License-Identifier: GPL-2.0
/* Flow layer: N-Trace messages built by hand over code built by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>
#include <rvtrace/ntrace.h>

#include "tools/encode/nexus.h"

#define MAX_ITEMS	64

/*
 * N-Trace 1.0 "Example of I-CNT Handling in BTM mode", and more behind it.
 *
 *	0x100 c.add		0x114 c.ebreak		0x400 jal ra, 0x410	0x500 auipc t2, 0
 *	0x102 beq 0x200		0x200 c.add		0x404 c.add		0x504 jalr 0x20(t2)
 *	0x106 add		0x202 c.ebreak		0x406 c.j 0x406		0x520 mret
 *	0x10a beq 0x300		0x300 add		0x410 c.add		0x524 csrw scontext
 *	0x10e c.add		0x304 c.ebreak		0x412 ret		0x528 c.add
 *	0x110 add						0x52a c.jr a5
 */
static const struct {
	uint16_t address;
	uint8_t size;
	uint32_t word;
} program[] = {
	{ 0x100, 2, 0x0505 }, { 0x102, 4, 0x0e000f63 }, { 0x106, 4, 0x00150513 },
	{ 0x10a, 4, 0x1e000b63 }, { 0x10e, 2, 0x0505 }, { 0x110, 4, 0x00150513 },
	{ 0x114, 2, 0x9002 }, { 0x200, 2, 0x0505 }, { 0x202, 2, 0x9002 },
	{ 0x300, 4, 0x00150513 }, { 0x304, 2, 0x9002 }, { 0x400, 4, 0x010000ef },
	{ 0x404, 2, 0x0505 }, { 0x406, 2, 0xa001 }, { 0x410, 2, 0x0505 },
	{ 0x412, 2, 0x8082 }, { 0x500, 4, 0x00000397 }, { 0x504, 4, 0x02038067 },
	{ 0x520, 4, 0x30200073 }, { 0x524, 4, 0x5a851073 }, { 0x528, 2, 0x0505 },
	{ 0x52a, 2, 0x8782 },
};

struct fixture {
	struct rvtrace_flow_config config;
	struct rvtrace_image *image;
	struct rvtrace_flow *flow;
	struct nexus_message msg;
	uint8_t stream[512];
	size_t size;
	struct rvtrace_flow_item items[MAX_ITEMS];
	int count;
};

static struct fixture f;

static int setup(void **state)
{
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
					   .privs = RVTRACE_PRIV_ANY };
	uint8_t bytes[0x600] = { 0 };
	struct rvtrace_code *code;

	(void)state;
	memset(&f, 0, sizeof(f));
	f.config.isa.xlen = 64;
	for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		for (unsigned int b = 0; b < program[i].size; b++)
			bytes[program[i].address + b] = program[i].word >> (8 * b);
	f.image = rvtrace_image_new();
	rvtrace_code_from_memory(bytes, sizeof(bytes), "program", &code);
	mapping.code = code;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(code);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_flow_free(f.flow);
	rvtrace_image_free(f.image);
	return 0;
}

static void begin(unsigned int tcode, unsigned int src)
{
	nexus_begin(&f.msg);
	nexus_fixed(&f.msg, tcode, 6);
	nexus_fixed(&f.msg, src, f.config.src_bits);
}

static void end(void)
{
	nexus_end(&f.msg);
	memcpy(f.stream + f.size, f.msg.bytes, f.msg.size);
	f.size += f.msg.size;
}

static void put_sync(unsigned int src, unsigned int reason, uint32_t icnt, uint64_t address)
{
	begin(RVTRACE_NTRACE_PROG_TRACE_SYNC, src);
	nexus_fixed(&f.msg, reason, 4);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, address >> 1);
	end();
}

static void put_direct(uint32_t icnt)
{
	begin(RVTRACE_NTRACE_DIRECT_BRANCH, 0);
	nexus_variable(&f.msg, icnt);
	end();
}

static void put_indirect(unsigned int btype, uint32_t icnt, uint64_t uaddr, uint64_t hist)
{
	begin(hist ? RVTRACE_NTRACE_INDIRECT_BRANCH_HIST : RVTRACE_NTRACE_INDIRECT_BRANCH, 0);
	nexus_fixed(&f.msg, btype, 2);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, uaddr >> 1);
	if (hist)
		nexus_variable(&f.msg, hist);
	end();
}

static void put_correlation(uint32_t icnt, uint64_t hist)
{
	begin(RVTRACE_NTRACE_PROG_TRACE_CORRELATION, 0);
	nexus_fixed(&f.msg, 4, 4);
	nexus_fixed(&f.msg, hist != 0, 2);
	nexus_variable(&f.msg, icnt);
	if (hist)
		nexus_variable(&f.msg, hist);
	end();
}

static void put_resource_full(unsigned int rcode, uint64_t rdata, uint32_t repeat)
{
	begin(RVTRACE_NTRACE_RESOURCE_FULL, 0);
	nexus_fixed(&f.msg, rcode, 4);
	nexus_variable(&f.msg, rdata);
	if (rcode == 2)
		nexus_variable(&f.msg, repeat);
	end();
}

static void put_variable(unsigned int tcode, uint64_t value)
{
	begin(tcode, 0);
	nexus_variable(&f.msg, value);
	end();
}

static void put_ownership(unsigned int priv, uint64_t scontext)
{
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 | priv << 2 | scontext << 5);
}

static void read_items(void)
{
	int n;

	f.count = 0;
	while ((n = rvtrace_flow_read(f.flow, f.items + f.count, MAX_ITEMS - f.count)) > 0)
		f.count += n;
	assert_int_equal(n, 0);
}

/* Decodes what was put. */
static void decode(void)
{
	if (!f.flow)
		assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	read_items();
}

static void is_block(int i, uint64_t address, uint32_t size, uint32_t instructions)
{
	assert_true(i < f.count);
	assert_int_equal(f.items[i].type, RVTRACE_FLOW_BLOCK);
	assert_int_equal(f.items[i].address, address);
	assert_int_equal(f.items[i].block.size, size);
	assert_int_equal(f.items[i].block.instructions, instructions);
}

static const struct rvtrace_flow_item *is_type(int i, enum rvtrace_flow_type type)
{
	assert_true(i < f.count);
	assert_int_equal(f.items[i].type, type);
	return &f.items[i];
}

static void is_error(int i, int code)
{
	assert_int_equal(is_type(i, RVTRACE_FLOW_ERROR)->error.code, code);
}

static void is_gap(int i, uint64_t address, uint64_t halfwords)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_NO_IMAGE);

	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, address);
	assert_int_equal(item->no_image.halfwords, halfwords);
}

static void is_stop(int i, uint64_t address)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_STOP);

	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, address);
	assert_int_equal(i + 1, f.count);
}

/* The three runs of "Example of I-CNT Handling in BTM mode". */
static void branch_messages(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_direct(3);
	put_correlation(1, 0);
	put_sync(0, 3, 0, 0x100);
	put_direct(7);
	put_correlation(2, 0);
	put_sync(0, 3, 0, 0x100);
	put_correlation(10, 0);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_SYNC)->sync.reason, 3);
	assert_true(f.items[0].flags & RVTRACE_FLOW_FIRST);
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x200, 2, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_STOP)->address, 0x202);
	is_block(5, 0x100, 6, 2);
	is_block(6, 0x106, 8, 2);
	is_block(7, 0x300, 4, 1);
	assert_int_equal(is_type(8, RVTRACE_FLOW_STOP)->address, 0x304);
	is_block(10, 0x100, 6, 2);
	is_block(11, 0x106, 8, 2);
	is_block(12, 0x10e, 6, 2);
	is_stop(13, 0x114);
}

/* "Example of I-CNT Handling in HTM mode". */
static void history_messages(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_correlation(4, 0x3);
	put_sync(0, 3, 0, 0x100);
	put_correlation(9, 0x5);
	put_sync(0, 3, 0, 0x100);
	put_correlation(10, 0x4);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x200, 2, 1);
	is_block(5, 0x100, 6, 2);
	is_block(6, 0x106, 8, 2);
	is_block(7, 0x300, 4, 1);
	is_block(10, 0x100, 6, 2);
	is_block(11, 0x106, 8, 2);
	is_block(12, 0x10e, 6, 2);
	is_stop(13, 0x114);
}

/* "Examples of I-CNT Field Full Generation", both ways. */
static void full_instruction_counts(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(0, 7, 0);
	put_correlation(3, 0x4);
	put_sync(0, 3, 0, 0x100);
	put_sync(0, 4, 7, 0x10e);
	put_correlation(3, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_block(3, 0x10e, 6, 2);
	is_type(4, RVTRACE_FLOW_STOP);
	is_block(6, 0x100, 6, 2);
	is_block(7, 0x106, 8, 2);
	assert_int_equal(is_type(8, RVTRACE_FLOW_SYNC)->sync.reason, 4);
	is_block(9, 0x10e, 6, 2);
	is_stop(10, 0x114);
}

/* I-CNT of 1, 5 and 0 are correct in the example: traps. */
static void traps_end_blocks_anywhere(void **state)
{
	const struct rvtrace_flow_item *trap;

	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0x100 ^ 0x300, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_INTERRUPT, 0, 0x300 ^ 0x100, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_TRAP, 5, 0x100 ^ 0x520, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 2, 0x520 ^ 0x10a, 0);
	put_correlation(0, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	trap = is_type(2, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x102);
	assert_int_equal(trap->trap.target, 0x300);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_EXCEPTION);
	trap = is_type(3, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x300);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_INTERRUPT);
	is_block(4, 0x100, 6, 2);
	is_block(5, 0x106, 4, 1);
	trap = is_type(6, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x10a);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_UNKNOWN);
	is_block(7, 0x520, 4, 1);
	trap = is_type(8, RVTRACE_FLOW_TRAP_RETURN);
	assert_int_equal(trap->address, 0x520);
	assert_int_equal(trap->trap.target, 0x10a);
	is_stop(9, 0x10a);
}

/* I-CNT of 4, 6 and 9 are incorrect in the example. */
static void counts_that_end_inside_an_instruction_are_errors(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 4, 0x100 ^ 0x300, 0);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_error(2, RVTRACE_ERR_ICNT);
	assert_int_equal(f.items[2].address, 0x106);
	is_gap(3, 0x106, 1);
	is_type(4, RVTRACE_FLOW_TRAP);
	assert_false(f.items[4].flags & RVTRACE_FLOW_HAS_ADDRESS);
	/* the address is still good */
	is_block(5, 0x300, 4, 1);
	is_stop(6, 0x304);
}

static void histories_are_walked_ahead_of_the_count(void **state)
{
	(void)state;
	/* 0x100: not taken, taken to 0x300; back by a jump; the same three times */
	put_sync(0, 3, 0, 0x100);
	put_resource_full(1, 0x4, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	assert_int_equal(f.count, 3);
	f.size = 0;
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 8, 0x100 ^ 0x200, 1);
	put_correlation(1, 1);
	decode();
	is_block(0, 0x10e, 2, 1);
	assert_int_equal(is_type(1, RVTRACE_FLOW_TRAP)->address, 0x110);
	is_block(2, 0x200, 2, 1);
	is_stop(3, 0x202);
}

static void too_much_or_too_little_history_is_an_error(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 7, 0x100 ^ 0x300, 0x2);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x300 ^ 0x100, 0x3);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_error(3, RVTRACE_ERR_JUMP);
	is_type(4, RVTRACE_FLOW_TRAP);
	is_block(5, 0x300, 4, 1);
	is_error(6, RVTRACE_ERR_HISTORY);
}

static void a_loop_without_an_exit_is_an_error(void **state)
{
	struct rvtrace_flow_item items[64];
	int n, type = 0;

	(void)state;
	put_sync(0, 3, 0, 0x404);
	put_resource_full(1, 0x3, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	while ((n = rvtrace_flow_read(f.flow, items, 64)) > 0)
		type = items[n - 1].type;
	assert_int_equal(type, RVTRACE_FLOW_ERROR);
}

static void repeated_branches(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 2);
	put_correlation(0, 0);
	decode();
	for (int i = 0; i < 3; i++) {
		is_block(1 + 2 * i, 0x100, 2, 1);
		assert_int_equal(is_type(2 + 2 * i, RVTRACE_FLOW_TRAP)->trap.target, 0x100);
	}
	is_stop(7, 0x100);
}

static void nothing_to_repeat_is_an_error(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 2);
	decode();
	is_error(1, RVTRACE_ERR_REPEAT);
}

static void implicit_returns(void **state)
{
	(void)state;
	f.config.implicit_return = true;
	put_sync(0, 3, 0, 0x400);
	put_correlation(2 + 2 + 1, 1);
	decode();
	is_block(1, 0x400, 4, 1);
	is_block(2, 0x410, 4, 2);
	is_block(3, 0x404, 2, 1);
	is_stop(4, 0x406);
}

static void a_return_without_its_call_is_an_error(void **state)
{
	(void)state;
	f.config.implicit_return = true;
	put_sync(0, 3, 0, 0x410);
	put_correlation(2 + 1, 1);
	decode();
	is_block(1, 0x410, 4, 2);
	is_error(2, RVTRACE_ERR_JUMP);
}

static void indirect_jumps_need_their_message(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x410);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 2, 0x410 ^ 0x404, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 1, 0x404 ^ 0x410, 0);
	decode();
	is_block(1, 0x410, 4, 2);
	is_block(2, 0x404, 2, 1);
	is_error(3, RVTRACE_ERR_JUMP);
}

static void sequential_jumps(void **state)
{
	(void)state;
	f.config.sequential_jump = true;
	put_sync(0, 3, 0, 0x500);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 4 + 2, 0x500 ^ 0x100, 1);
	put_correlation(1, 1);
	decode();
	is_block(1, 0x500, 8, 2);
	is_block(2, 0x520, 4, 1);
	is_type(3, RVTRACE_FLOW_TRAP_RETURN);
	is_block(4, 0x100, 2, 1);
	is_stop(5, 0x102);
}

static void table_jumps(void **state)
{
	static const uint8_t code[] = { 0x16, 0xa0 };	/* cm.jt 5 */
	uint8_t table[6 * 8] = { [5 * 8] = 0x00, 0x02 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
					   .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *c, *t;

	(void)state;
	f.config.isa.zcmt = true;
	f.config.jvt = 0x2000;
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	rvtrace_code_from_memory(table, sizeof(table), "table", &t);
	mapping.code = c;
	mapping.address = 0x1000;
	rvtrace_image_map(f.image, &mapping);
	mapping.code = t;
	mapping.address = 0x2000;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	rvtrace_code_unref(t);
	put_sync(0, 3, 0, 0x1000);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x1000, 2, 1);
	is_block(2, 0x200, 2, 1);
	is_stop(3, 0x202);
}

/* Code without an image is counted; the next address needs none. */
static void no_image_until_the_next_address(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x8000);
	put_resource_full(1, 0x155, 0);
	put_resource_full(0, 100, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 23, 0x8000 ^ 0x8100, 0x3);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 0, 0x8100 ^ 0x100, 1);
	put_correlation(1, 1);
	decode();
	is_gap(1, 0x8000, 123);
	assert_true(f.items[1].no_image.complete);
	/* nothing executed at 0x8100 */
	assert_int_equal(is_type(2, RVTRACE_FLOW_TRAP)->trap.target, 0x100);
	assert_int_equal(f.items[2].address, 0x8100);
	is_block(3, 0x100, 2, 1);
	is_stop(4, 0x102);
}

static void a_space_has_its_own_code(void **state)
{
	static const uint8_t code[] = { 0x05, 0x05, 0x05, 0x05, 0x02, 0x90 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x100, .space = 7,
					   .privs = RVTRACE_PRIV_U };
	struct rvtrace_code *c;

	(void)state;
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	mapping.code = c;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	put_sync(0, 3, 0, 0x100);
	put_ownership(0, 7);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 3 << 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0, 0);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_CONTEXT)->context, 7);
	assert_int_equal(f.items[1].priv, 0);
	is_block(2, 0x100, 4, 2);
	assert_int_equal(f.items[2].context, 7);
	is_type(3, RVTRACE_FLOW_TRAP);
	assert_int_equal(is_type(4, RVTRACE_FLOW_CONTEXT)->priv, 3);
	assert_int_equal(f.items[4].context, 7);
	is_block(5, 0x100, 6, 2);
	assert_int_equal(f.items[5].priv, 3);
}

static void a_written_context_holds_from_its_instruction_on(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x524);
	put_ownership(1, 1);
	put_ownership(1, 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 4, 0x524 ^ 0x100, 0);
	decode();
	is_type(1, RVTRACE_FLOW_CONTEXT);
	is_block(2, 0x524, 4, 1);
	assert_int_equal(f.items[2].context, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_CONTEXT)->context, 2);
	is_block(4, 0x528, 4, 2);
	assert_int_equal(f.items[4].context, 2);
}

static void a_state_can_be_given(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 0, 1, 9), 0);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 1, 1, 9), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 0, 2, 9), RVTRACE_ERR_INVALID);
	put_sync(0, 3, 0, 0x100);
	put_correlation(1, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	assert_int_equal(f.items[1].priv, 1);
	assert_int_equal(f.items[1].context, 9);
}

static void times_are_absolute_at_sync_and_added_after(void **state)
{
	(void)state;
	begin(RVTRACE_NTRACE_PROG_TRACE_SYNC, 0);
	nexus_fixed(&f.msg, 5, 4);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0x100 >> 1);
	nexus_variable(&f.msg, 1000);
	end();
	begin(RVTRACE_NTRACE_DIRECT_BRANCH, 0);
	nexus_variable(&f.msg, 3);
	nexus_variable(&f.msg, 50);
	end();
	put_correlation(1, 0);
	decode();
	assert_int_equal(f.items[0].time, 1000);
	is_block(1, 0x100, 6, 2);
	assert_true(f.items[1].flags & RVTRACE_FLOW_HAS_TIME);
	assert_int_equal(f.items[1].time, 1050);
	assert_int_equal(f.items[1].offset, 6);
}

static void sources_are_independent(void **state)
{
	struct rvtrace_flow_stats stats;

	(void)state;
	f.config.src_bits = 2;
	put_sync(1, 3, 0, 0x200);
	put_sync(0, 3, 0, 0x100);
	begin(RVTRACE_NTRACE_PROG_TRACE_CORRELATION, 1);
	nexus_fixed(&f.msg, 4, 4);
	nexus_fixed(&f.msg, 0, 2);
	nexus_variable(&f.msg, 1);
	end();
	put_correlation(1, 0);
	decode();
	is_block(2, 0x200, 2, 1);
	assert_int_equal(f.items[2].source, 1);
	is_block(4, 0x100, 2, 1);
	assert_int_equal(f.items[4].source, 0);
	rvtrace_flow_stats(f.flow, 1, &stats);
	assert_int_equal(stats.instructions, 1);
	assert_int_equal(stats.messages, 2);
	rvtrace_flow_stats(f.flow, 3, &stats);
	assert_int_equal(stats.messages, 0);
}

static void sync_at_another_address_is_an_error_and_believed(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_sync(0, 2, 1, 0x300);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	is_error(2, RVTRACE_ERR_ADDRESS);
	is_type(3, RVTRACE_FLOW_SYNC);
	is_block(4, 0x300, 4, 1);
	is_stop(5, 0x304);
}

static void after_an_overflow_nothing_counts_until_sync(void **state)
{
	struct rvtrace_flow_stats stats;

	(void)state;
	put_sync(0, 3, 0, 0x100);
	begin(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_PROGRAM);
	end();
	put_direct(3);
	put_sync(0, 7, 0, 0x300);
	put_correlation(2, 0);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_OVERFLOW)->overflow.code, 4);
	assert_int_equal(f.items[1].address, 0x100);
	assert_true(is_type(2, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	is_block(3, 0x300, 4, 1);
	is_stop(4, 0x304);
	rvtrace_flow_stats(f.flow, 0, &stats);
	assert_int_equal(stats.skipped, 1);
	assert_int_equal(stats.overflows, 1);
}

static void missing_bytes_are_reported(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(0, 20, 0);
	f.stream[f.size++] = 28 << 2;		/* cut */
	decode();
	assert_int_equal(rvtrace_flow_lost(f.flow, 400, 500, RVTRACE_LOST_ALIGNED), 0);
	read_items();
	is_gap(0, 0x100, 20);
	assert_false(f.items[0].no_image.complete);
	assert_int_equal(is_type(1, RVTRACE_FLOW_LOST)->lost.bytes, 400);
	assert_int_equal(f.items[1].source, RVTRACE_SOURCE_ALL);
	f.size = 0;
	put_sync(0, 2, 9, 0x300);
	put_correlation(2, 0);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_SYNC)->offset, 500);
	is_block(1, 0x300, 4, 1);
}

static void a_cut_stream_is_reported(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	f.stream[f.size++] = 28 << 2;
	decode();
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
	read_items();
	is_error(0, RVTRACE_ERR_TRUNCATED);
	assert_int_equal(f.items[0].offset, f.size - 1);
	assert_int_equal(f.items[0].error.size, 1);
	assert_int_equal(f.count, 1);
}

static void a_damaged_message_unsynchronizes_every_source(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	f.stream[f.size++] = 3 << 2;
	f.stream[f.size++] = 2;
	f.stream[f.size++] = 7;
	put_direct(3);
	put_sync(0, 2, 0, 0x300);
	put_correlation(2, 0);
	decode();
	is_error(1, RVTRACE_ERR_MSEO);
	assert_int_equal(f.items[1].offset, 4);
	assert_true(is_type(2, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	is_block(3, 0x300, 4, 1);
}

static void software_trace_and_unknown_messages(void **state)
{
	(void)state;
	begin(RVTRACE_NTRACE_DATA_ACQUISITION, 0);
	nexus_variable(&f.msg, 4);
	nexus_variable(&f.msg, 0x48);
	end();
	put_variable(57, 1);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_DATA)->data.id, 4);
	assert_int_equal(f.items[0].data.value, 0x48);
	assert_int_equal(is_type(1, RVTRACE_FLOW_UNKNOWN)->unknown.tcode, 57);
}

static void images_may_come_while_decoding(void **state)
{
	static const uint8_t code[] = { 0x05, 0x05, 0x05, 0x05 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x8000,
					   .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *c;

	(void)state;
	put_sync(0, 3, 0, 0x8000);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	decode();
	is_gap(1, 0x8000, 1);
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	mapping.code = c;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	f.size = 0;
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	is_block(0, 0x8000, 4, 2);
}

static void busy_while_items_wait(void **state)
{
	struct rvtrace_flow_item item;

	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_correlation(1, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_flow_lost(f.flow, 0, 0, 0), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 1);
	assert_int_equal(rvtrace_flow_finish(f.flow), RVTRACE_ERR_BUSY);
	while (rvtrace_flow_read(f.flow, &item, 1) > 0)
		;
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(branch_messages),
		TEST(history_messages),
		TEST(full_instruction_counts),
		TEST(traps_end_blocks_anywhere),
		TEST(counts_that_end_inside_an_instruction_are_errors),
		TEST(histories_are_walked_ahead_of_the_count),
		TEST(too_much_or_too_little_history_is_an_error),
		TEST(a_loop_without_an_exit_is_an_error),
		TEST(repeated_branches),
		TEST(nothing_to_repeat_is_an_error),
		TEST(implicit_returns),
		TEST(a_return_without_its_call_is_an_error),
		TEST(indirect_jumps_need_their_message),
		TEST(sequential_jumps),
		TEST(table_jumps),
		TEST(no_image_until_the_next_address),
		TEST(a_space_has_its_own_code),
		TEST(a_written_context_holds_from_its_instruction_on),
		TEST(a_state_can_be_given),
		TEST(times_are_absolute_at_sync_and_added_after),
		TEST(sources_are_independent),
		TEST(sync_at_another_address_is_an_error_and_believed),
		TEST(after_an_overflow_nothing_counts_until_sync),
		TEST(missing_bytes_are_reported),
		TEST(a_cut_stream_is_reported),
		TEST(a_damaged_message_unsynchronizes_every_source),
		TEST(software_trace_and_unknown_messages),
		TEST(images_may_come_while_decoding),
		TEST(busy_while_items_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
