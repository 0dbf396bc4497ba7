// SPDX-License-Identifier: GPL-2.0
/* See flow-fixture.h. */
#include <string.h>

#include "flow-fixture.h"


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
	/* jal ra, 0x550; ...; as longjmp() ends: ld ra, 0(a0); ret; jal ra, 0x560; ld ra, 8(sp); ret */
	{ 0x540, 4, 0x010000ef }, { 0x550, 4, 0x00053083 }, { 0x554, 2, 0x8082 },
	{ 0x558, 4, 0x008000ef }, { 0x55c, 2, 0x0505 }, { 0x560, 4, 0x00813083 }, { 0x564, 2, 0x8082 },
	/* jal t0, 0x430; c.add; jr t0. jal ra, 0x430 */
	{ 0x420, 4, 0x010002ef }, { 0x424, 2, 0x0505 }, { 0x430, 2, 0x8282 }, { 0x440, 4, 0xff1ff0ef },
	/* a handler: jal ra, 0x580; sret; ret. What it interrupts: jal ra, 0x5a0; ...; ret */
	{ 0x570, 4, 0x010000ef }, { 0x574, 4, 0x10200073 }, { 0x580, 2, 0x8082 },
	{ 0x590, 4, 0x010000ef }, { 0x594, 2, 0x0505 }, { 0x596, 2, 0x8082 },
	{ 0x5a0, 2, 0x0505 }, { 0x5a2, 2, 0x0505 }, { 0x5a4, 2, 0x8082 },
	/* jal ra, 0x5b8; c.add; ld t3, 0(a0); cm.popret {ra}, 16 */
	{ 0x5b0, 4, 0x008000ef }, { 0x5b4, 2, 0x0505 }, { 0x5b8, 4, 0x00053e03 }, { 0x5bc, 2, 0xbe42 },
	/* jal ra, 0x5c8; c.add; jalr a5, to behind a call that somebody else has returned from */
	{ 0x5c0, 4, 0x008000ef }, { 0x5c4, 2, 0x0505 }, { 0x5c8, 2, 0x9782 },
	/* la ra, 0x614; c.j 0x620: save ra; jal ra, 0x640; load ra; ret. c.add; ret */
	{ 0x600, 4, 0x00000097 }, { 0x604, 4, 0x01408093 }, { 0x608, 2, 0xa821 },
	{ 0x614, 2, 0x0505 }, { 0x616, 2, 0x8082 },
	{ 0x620, 2, 0x1141 }, { 0x622, 2, 0xe406 }, { 0x624, 4, 0x01c000ef }, { 0x628, 2, 0x60a2 },
	{ 0x62a, 2, 0x8082 }, { 0x640, 2, 0x0505 }, { 0x642, 2, 0x8082 },
	/* jal ra, 0x660; c.add; save ra; mv ra, a0; c.add; load ra; ret */
	{ 0x650, 4, 0x010000ef }, { 0x654, 2, 0x0505 }, { 0x660, 2, 0xe406 }, { 0x662, 2, 0x80aa },
	{ 0x664, 2, 0x0505 }, { 0x666, 2, 0x60a2 }, { 0x668, 2, 0x8082 },
	/* as handlers of exceptions are returned to: jal ra, 0x680; load ra; add sp, sp, a4; ret */
	{ 0x670, 4, 0x010000ef }, { 0x680, 2, 0x60a2 }, { 0x682, 2, 0x913a }, { 0x684, 2, 0x8082 },
	/* as swapcontext() ends: jal ra, 0x6a0; ld ra, 0(t2); ld sp, 8(t2); jr t1. load ra; ret */
	{ 0x690, 4, 0x010000ef }, { 0x6a0, 4, 0x0003b083 }, { 0x6a4, 4, 0x0083b103 },
	{ 0x6a8, 2, 0x8302 }, { 0x6b0, 2, 0x60a2 }, { 0x6b2, 2, 0x8082 },
	/* as coroutines do: jal ra, 0x6f8; mv sp, a3; load ra; ret */
	{ 0x6f0, 4, 0x008000ef }, { 0x6f8, 2, 0x8136 }, { 0x6fa, 2, 0x60a2 }, { 0x6fc, 2, 0x8082 },
	/* jal ra, 0x720; c.add; open a frame, save ra; la ra, 0x738, which is kept: load ra; ret */
	{ 0x710, 4, 0x010000ef }, { 0x714, 2, 0x0505 }, { 0x720, 2, 0x1141 }, { 0x722, 2, 0xe406 },
	{ 0x724, 4, 0x00000097 }, { 0x728, 4, 0x01408093 }, { 0x72c, 2, 0xe006 }, { 0x72e, 2, 0x60a2 },
	{ 0x730, 2, 0x8082 },
	/* jalr a5, to 0x750; c.add; ret. jal t0, 0x760; jal ra, 0x770; load ra; ret */
	{ 0x740, 2, 0x9782 }, { 0x742, 2, 0x0505 }, { 0x744, 2, 0x8082 }, { 0x750, 4, 0x010002ef },
	{ 0x754, 4, 0x01c000ef }, { 0x758, 2, 0x60a2 }, { 0x75a, 2, 0x8082 },
	/* open a frame, save ra, add sp, sp, t1; jr t0. c.add; ret */
	{ 0x760, 2, 0x1141 }, { 0x762, 2, 0xe406 }, { 0x764, 2, 0x911a }, { 0x766, 2, 0x8282 },
	{ 0x770, 2, 0x0505 }, { 0x772, 2, 0x8082 },
	/* jal t0, 0x790; c.add; ld t0, 0(a0); jr t0 */
	{ 0x780, 4, 0x010002ef }, { 0x784, 2, 0x0505 }, { 0x790, 4, 0x00053283 }, { 0x794, 2, 0x8282 },
	/* as a kernel jumps to handlers: jal ra, 0x7a0; ret. ld t0, 0(t0); jr t0 */
	{ 0x798, 4, 0x008000ef }, { 0x79c, 2, 0x8082 }, { 0x7a0, 4, 0x0002b283 }, { 0x7a4, 2, 0x8282 },
	/* jal ra, 0x640; beq a0, a1, .+8; c.add; ret; ret. jal ra, 0x798; ret */
	{ 0x7b0, 4, 0xe91ff0ef }, { 0x7b4, 4, 0x00b50463 }, { 0x7b8, 2, 0x0505 }, { 0x7ba, 2, 0x8082 },
	{ 0x7bc, 2, 0x8082 }, { 0x7c0, 4, 0xfd9ff0ef }, { 0x7c4, 2, 0x8082 },
	/* jal ra, 0x7d0; c.add; ret. jal ra, 0x7d8; c.add; ret. ecall; ret */
	{ 0x7c8, 4, 0x008000ef }, { 0x7cc, 2, 0x0505 }, { 0x7ce, 2, 0x8082 },
	{ 0x7d0, 4, 0x008000ef }, { 0x7d4, 2, 0x0505 }, { 0x7d6, 2, 0x8082 },
	{ 0x7d8, 4, 0x00000073 }, { 0x7dc, 2, 0x8082 },
	/* a handler of a signal: c.add; ret. The vDSO: li a7, 139; ecall */
	{ 0x7e0, 2, 0x0505 }, { 0x7e2, 2, 0x8082 }, { 0x7e4, 4, 0x08b00893 }, { 0x7e8, 4, 0x00000073 },
	/* jal ra, 0x7a0; beq a0, a1, .+8; c.add; ret; c.jr a5. jal ra, 0x7ec */
	{ 0x7ec, 4, 0xfb5ff0ef }, { 0x7f0, 4, 0x00b50463 }, { 0x7f4, 2, 0x0505 }, { 0x7f6, 2, 0x8082 },
	{ 0x7f8, 2, 0x8782 }, { 0x7fa, 4, 0xff3ff0ef },
	/* as schedule(): jal ra, 0x810; auipc ra; jalr ra, 0x640. A new task: auipc ra; jalr ra, 0x5a0 */
	{ 0x800, 4, 0x010000ef }, { 0x804, 4, 0x00000097 }, { 0x808, 4, 0xe3c080e7 },
	{ 0x820, 4, 0x00000097 }, { 0x824, 4, 0xd80080e7 },
	/* as __switch_to(): ld ra, 0(a1); ld sp, 8(a1); mv tp, a1; ret */
	{ 0x810, 4, 0x0005b083 }, { 0x814, 4, 0x0085b103 }, { 0x818, 2, 0x822e }, { 0x81a, 2, 0x8082 },
	/* auipc ra; jalr ra, 0x640; c.add; ret */
	{ 0x6c0, 4, 0x00000097 }, { 0x6c4, 4, 0xf80080e7 }, { 0x6c8, 2, 0x0505 }, { 0x6ca, 2, 0x8082 },
	/* a large frame is left: jal ra, 0x6e0; c.add; add sp, sp, a4; load ra; ret */
	{ 0x6d0, 4, 0x010000ef }, { 0x6d4, 2, 0x0505 }, { 0x6e0, 2, 0x913a }, { 0x6e2, 2, 0x60a2 },
	{ 0x6e4, 2, 0x8082 },
};

struct fixture f;


int setup(void **state)
{
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
					   .privs = RVTRACE_PRIV_ANY };
	uint8_t bytes[0x900] = { 0 };
	struct rvtrace_code *code;

	(void)state;
	memset(&f, 0, sizeof(f));
	f.config.size = sizeof(f.config);
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

int teardown(void **state)
{
	(void)state;
	rvtrace_flow_free(f.flow);
	rvtrace_image_free(f.image);
	return 0;
}

void begin_message(unsigned int tcode, unsigned int src)
{
	nexus_begin(&f.msg);
	nexus_fixed(&f.msg, tcode, 6);
	nexus_fixed(&f.msg, src, f.config.src_bits);
}

void end_message(void)
{
	nexus_end(&f.msg);
	memcpy(f.stream + f.size, f.msg.bytes, f.msg.size);
	f.size += f.msg.size;
}

void put_sync(unsigned int src, unsigned int reason, uint32_t icnt, uint64_t address)
{
	begin_message(RVTRACE_NTRACE_PROG_TRACE_SYNC, src);
	nexus_fixed(&f.msg, reason, 4);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, address >> 1);
	end_message();
}

void put_direct(uint32_t icnt)
{
	begin_message(RVTRACE_NTRACE_DIRECT_BRANCH, 0);
	nexus_variable(&f.msg, icnt);
	end_message();
}

void put_indirect(unsigned int btype, uint32_t icnt, uint64_t uaddr, uint64_t hist)
{
	begin_message(hist ? RVTRACE_NTRACE_INDIRECT_BRANCH_HIST : RVTRACE_NTRACE_INDIRECT_BRANCH, 0);
	nexus_fixed(&f.msg, btype, 2);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, uaddr >> 1);
	if (hist)
		nexus_variable(&f.msg, hist);
	end_message();
}

void put_correlation(uint32_t icnt, uint64_t hist)
{
	begin_message(RVTRACE_NTRACE_PROG_TRACE_CORRELATION, 0);
	nexus_fixed(&f.msg, 4, 4);
	nexus_fixed(&f.msg, hist != 0, 2);
	nexus_variable(&f.msg, icnt);
	if (hist)
		nexus_variable(&f.msg, hist);
	end_message();
}

void put_resource_full(unsigned int rcode, uint64_t rdata, uint32_t repeat)
{
	begin_message(RVTRACE_NTRACE_RESOURCE_FULL, 0);
	nexus_fixed(&f.msg, rcode, 4);
	nexus_variable(&f.msg, rdata);
	if (rcode == 2)
		nexus_variable(&f.msg, repeat);
	end_message();
}

void put_variable(unsigned int tcode, uint64_t value)
{
	begin_message(tcode, 0);
	nexus_variable(&f.msg, value);
	end_message();
}

void put_ownership(unsigned int priv, uint64_t scontext)
{
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 | priv << 2 | scontext << 5);
}

/* Blocks become items of their own, so that tests can name them. */
static void keep_item(const struct rvtrace_flow_item *item)
{
	bool blocks = item->type == RVTRACE_FLOW_BLOCKS;
	uint32_t count = blocks ? item->blocks.count : 1;

	for (uint32_t i = 0; i < count; i++) {
		assert_true(f.count < MAX_ITEMS);
		f.items[f.count] = *item;
		if (blocks) {
			f.blocks[f.count] = item->blocks.list[i];
			f.items[f.count].address = f.blocks[f.count].address;
		}
		f.count++;
	}
}

void read_items(void)
{
	struct rvtrace_flow_item items[MAX_ITEMS];
	int n;

	f.count = 0;
	while ((n = rvtrace_flow_read(f.flow, items, MAX_ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			keep_item(&items[i]);
	assert_int_equal(n, 0);
}

/* Decodes what was put. */
void decode(void)
{
	if (!f.flow)
		assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	read_items();
}

void is_block(int i, uint64_t address, uint32_t size, uint32_t instructions)
{
	assert_true(i < f.count);
	assert_int_equal(f.items[i].type, RVTRACE_FLOW_BLOCKS);
	assert_int_equal(f.items[i].address, address);
	assert_int_equal(f.blocks[i].size, size);
	assert_int_equal(f.blocks[i].instructions, instructions);
}

const struct rvtrace_flow_item *is_type(int i, enum rvtrace_flow_type type)
{
	assert_true(i < f.count);
	assert_int_equal(f.items[i].type, type);
	return &f.items[i];
}

void is_error(int i, int code)
{
	assert_int_equal(is_type(i, RVTRACE_FLOW_ERROR)->error.code, code);
}

void is_gap(int i, uint64_t address, uint64_t halfwords)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_NO_IMAGE);

	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, address);
	assert_int_equal(item->no_image.halfwords, halfwords);
}

void is_unfollowed(int i, uint64_t halfwords)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_UNFOLLOWED);

	assert_false(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->unfollowed.halfwords, halfwords);
}

void is_tail(int i, uint64_t address, uint64_t halfwords)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_TAIL);

	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, address);
	assert_int_equal(item->tail.halfwords, halfwords);
}

void is_stop(int i, uint64_t address)
{
	const struct rvtrace_flow_item *item = is_type(i, RVTRACE_FLOW_STOP);

	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, address);
	assert_int_equal(i + 1, f.count);
}
