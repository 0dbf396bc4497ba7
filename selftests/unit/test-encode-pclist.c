// SPDX-License-Identifier: GPL-2.0
/* Classification of instructions, and address lists as ingress blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tools/encode/pclist.h"

struct expectation {
	const char *text;
	uint32_t bits;
	uint8_t size;
	uint8_t itype;
};

/* N-Trace 1.0, table "Generating itype for different instructions" */
static const struct expectation expectations[] = {
	{ "addi a0, a0, 1", 0x00150513, 2, INGRESS_NONE },
	{ "ecall", 0x00000073, 2, INGRESS_NONE },
	{ "sret", 0x10200073, 2, INGRESS_TRAP_RETURN },
	{ "mret", 0x30200073, 2, INGRESS_TRAP_RETURN },
	{ "wfi", 0x10500073, 2, INGRESS_NONE },
	{ "beq a0, a1, .+8", 0x00b50463, 2, INGRESS_BRANCH_TAKEN },
	{ "bgeu a0, a1, .+8", 0x00b57463, 2, INGRESS_BRANCH_TAKEN },
	{ "jal ra", 0x000000ef, 2, INGRESS_DIRECT_CALL },
	{ "jal t0", 0x000002ef, 2, INGRESS_DIRECT_CALL },
	{ "j", 0x0000006f, 2, INGRESS_DIRECT_JUMP },
	{ "jal a0", 0x0000056f, 2, INGRESS_OTHER_DIRECT_JUMP },
	{ "jalr ra, a0", 0x000500e7, 2, INGRESS_INDIRECT_CALL },
	{ "jalr ra, ra", 0x000080e7, 2, INGRESS_INDIRECT_CALL },
	{ "jalr t0, t0", 0x000282e7, 2, INGRESS_INDIRECT_CALL },
	{ "jalr ra, t0", 0x000280e7, 2, INGRESS_COROUTINE_SWAP },
	{ "jalr t0, ra", 0x000082e7, 2, INGRESS_COROUTINE_SWAP },
	{ "ret", 0x00008067, 2, INGRESS_RETURN },
	{ "jr t0", 0x00028067, 2, INGRESS_RETURN },
	{ "jalr a0, ra", 0x00008567, 2, INGRESS_RETURN },
	{ "jr a0", 0x00050067, 2, INGRESS_INDIRECT_JUMP },
	{ "jalr a0, a1", 0x00058567, 2, INGRESS_OTHER_INDIRECT_JUMP },
	{ "c.nop", 0x0001, 1, INGRESS_NONE },
	{ "c.j", 0xa001, 1, INGRESS_DIRECT_JUMP },
	{ "c.beqz a0", 0xc101, 1, INGRESS_BRANCH_TAKEN },
	{ "c.bnez a0", 0xe101, 1, INGRESS_BRANCH_TAKEN },
	{ "c.jr ra", 0x8082, 1, INGRESS_RETURN },
	{ "c.jr t0", 0x8282, 1, INGRESS_RETURN },
	{ "c.jr a0", 0x8502, 1, INGRESS_INDIRECT_JUMP },
	{ "c.jalr a0", 0x9502, 1, INGRESS_INDIRECT_CALL },
	{ "c.jalr ra", 0x9082, 1, INGRESS_INDIRECT_CALL },
	{ "c.jalr t0", 0x9282, 1, INGRESS_COROUTINE_SWAP },
	{ "c.ebreak", 0x9002, 1, INGRESS_NONE },
	{ "c.mv a0, a1", 0x852e, 1, INGRESS_NONE },
	{ "c.add a0, a1", 0x952e, 1, INGRESS_NONE },
};

static void instructions_are_classified(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(expectations) / sizeof(*expectations); i++) {
		const struct expectation *want = &expectations[i];
		struct riscv_insn insn = riscv_classify(want->bits, 64);

		if (insn.size != want->size || insn.itype != want->itype)
			fail_msg("%s: size %u itype %u", want->text, insn.size,
				 insn.itype);
	}
}

static void c_jal_is_a_call_on_rv32_only(void **state)
{
	(void)state;
	assert_int_equal(riscv_classify(0x2001, 32).itype, INGRESS_DIRECT_CALL);
	assert_int_equal(riscv_classify(0x2001, 64).itype, INGRESS_NONE);
}

static void longer_instructions_have_their_size(void **state)
{
	(void)state;
	assert_int_equal(riscv_insn_size(0x001f), 3);
	assert_int_equal(riscv_insn_size(0x003f), 4);
	assert_int_equal(riscv_insn_size(0x007f), 5);
	assert_int_equal(riscv_insn_size(0x107f), 6);
}

static void direct_jumps_have_their_offset(void **state)
{
	(void)state;
	/* jal ra from 0x800017fc to 0x800015d4 */
	assert_int_equal(riscv_classify(0xdd9ff0ef, 64).offset, -0x228);
	/* c.j from 0x80001800 to 0x800017dc */
	assert_int_equal(riscv_classify(0xbff1, 64).offset, -0x24);
	/* c.jal from 0x2001059e to 0x200104ec */
	assert_int_equal(riscv_classify(0x37b9, 32).offset, -0xb2);
	/* bne a1, a2, .-0x864; bgeu a0, a1, .+0xffe; c.bnez a3, .-0xfa */
	assert_int_equal(riscv_classify(0xf8c59e63, 64).offset, -0x864);
	assert_int_equal(riscv_classify(0x7eb57fe3, 64).offset, 0xffe);
	assert_int_equal(riscv_classify(0xf299, 64).offset, -0xfa);
}

static void constants_and_jump_registers_are_named(void **state)
{
	(void)state;
	assert_int_equal(riscv_classify(0x00000517, 64).constant, 10);	/* auipc a0 */
	assert_int_equal(riscv_classify(0x000002b7, 64).constant, 5);	/* lui t0 */
	assert_int_equal(riscv_classify(0x6505, 64).constant, 10);	/* c.lui a0 */
	assert_int_equal(riscv_classify(0x6141, 64).constant, 0);	/* c.addi16sp */
	assert_int_equal(riscv_classify(0x00050067, 64).jump_register, 10);
	assert_int_equal(riscv_classify(0x8502, 64).jump_register, 10);
}

/* Code at 0x1000, and the blocks that came out. */
struct bench {
	struct pclist list;
	const uint16_t *code;
	size_t size;
	struct ingress_block blocks[8];
	size_t count;
};

static bool fetch(void *opaque, uint64_t address, uint32_t *bits)
{
	struct bench *b = opaque;
	uint64_t i = (address - 0x1000) / 2;

	if (address < 0x1000 || i >= b->size)
		return false;
	*bits = b->code[i];
	if (i + 1 < b->size)
		*bits |= (uint32_t)b->code[i + 1] << 16;
	return true;
}

static void take(void *opaque, const struct ingress_block *block)
{
	struct bench *b = opaque;

	assert_true(b->count < 8);
	b->blocks[b->count++] = *block;
}

static void begin(struct bench *b, const uint16_t *code, size_t size)
{
	memset(b, 0, sizeof(*b));
	b->code = code;
	b->size = size / sizeof(*code);
	pclist_init(&b->list, 64, fetch, take, b);
}

static void check(const struct ingress_block *block, uint64_t start,
		  uint32_t halfwords, uint8_t itype, uint64_t target)
{
	assert_int_equal(block->start, start);
	assert_int_equal(block->halfwords, halfwords);
	assert_int_equal(block->itype, itype);
	assert_int_equal(block->target, target);
}

static void blocks_end_where_the_flow_can_change(void **state)
{
	static const uint16_t code[] = {
		0x0001,			/* 1000 c.nop */
		0xc501,			/* 1002 c.beqz a0, 100a */
		0x0513, 0x0015,		/* 1004 addi a0, a0, 1 */
		0xbfed,			/* 1008 c.j 1002 */
		0x8082,			/* 100a c.jr ra */
	};
	static const uint64_t pcs[] = {
		0x1000, 0x1002, 0x1004, 0x1008, 0x1002, 0x100a, 0x1000, 0x1002,
	};
	struct bench b;
	size_t i;

	(void)state;
	begin(&b, code, sizeof(code));
	for (i = 0; i < sizeof(pcs) / sizeof(*pcs); i++)
		assert_true(pclist_add(&b.list, pcs[i]));
	pclist_end(&b.list);
	assert_int_equal(b.count, 5);
	check(&b.blocks[0], 0x1000, 2, INGRESS_BRANCH_NOT_TAKEN, 0x1004);
	check(&b.blocks[1], 0x1004, 3, INGRESS_DIRECT_JUMP, 0x1002);
	check(&b.blocks[2], 0x1002, 1, INGRESS_BRANCH_TAKEN, 0x100a);
	check(&b.blocks[3], 0x100a, 1, INGRESS_RETURN, 0x1000);
	check(&b.blocks[4], 0x1000, 2, INGRESS_BRANCH_NOT_TAKEN, 0x1004);
	assert_int_equal(b.blocks[4].cycles, 9);
}

/* How the last instruction went on is not known. */
static void end_at(uint16_t last, uint32_t halfwords, uint8_t itype,
		   uint64_t target)
{
	const uint16_t code[] = { 0x0001, last };
	struct bench b;

	begin(&b, code, sizeof(code));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_true(pclist_add(&b.list, 0x1002));
	assert_int_equal(pclist_end(&b.list), halfwords == 2);
	assert_int_equal(b.count, 1);
	check(&b.blocks[0], 0x1000, halfwords, itype, target);
}

static void list_may_end_in_a_jump(void **state)
{
	(void)state;
	end_at(0x0001, 2, INGRESS_NONE, 0x1004);
	end_at(0xa001, 2, INGRESS_DIRECT_JUMP, 0x1002);
	end_at(0xc101, 2, INGRESS_BRANCH_NOT_TAKEN, 0x1004);
	end_at(0x8082, 1, INGRESS_NONE, 0x1002);
}

static void empty_list_has_no_block(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, NULL, 0);
	pclist_end(&b.list);
	assert_int_equal(b.count, 0);
}

static void impossible_step_is_an_exception(void **state)
{
	static const uint16_t code[] = { 0x0001, 0x0001, 0x0001, 0x0001 };
	struct bench b;

	(void)state;
	begin(&b, code, sizeof(code));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_true(pclist_add(&b.list, 0x1006));
	pclist_end(&b.list);
	assert_int_equal(b.count, 2);
	check(&b.blocks[0], 0x1000, 1, INGRESS_EXCEPTION, 0x1006);
}

/* Of the instruction where a direct jump leads, and a branch that is not taken */
static void impossible_jump_is_an_exception_behind_it(void **state)
{
	static const uint16_t code[] = {
		0xa011,		/* 1000 c.j 1004 */
		0x0001,
		0xc501,		/* 1004 c.beqz a0, 100c */
		0x0001, 0x0001, 0x0001, 0x0001,
	};
	struct bench b;

	(void)state;
	begin(&b, code, sizeof(code));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_true(pclist_add(&b.list, 0x1008));
	assert_true(pclist_add(&b.list, 0x100a));
	assert_true(pclist_add(&b.list, 0x1004));
	assert_true(pclist_add(&b.list, 0x100a));
	assert_true(pclist_end(&b.list));
	assert_int_equal(b.count, 6);
	check(&b.blocks[0], 0x1000, 1, INGRESS_DIRECT_JUMP, 0x1004);
	check(&b.blocks[1], 0x1004, 0, INGRESS_EXCEPTION, 0x1008);
	check(&b.blocks[2], 0x1008, 2, INGRESS_EXCEPTION, 0x1004);
	check(&b.blocks[3], 0x1004, 1, INGRESS_BRANCH_NOT_TAKEN, 0x1006);
	check(&b.blocks[4], 0x1006, 0, INGRESS_EXCEPTION, 0x100a);
}

static void missing_code_is_refused(void **state)
{
	static const uint16_t code[] = { 0x0001 };
	struct bench b;

	(void)state;
	begin(&b, code, sizeof(code));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_false(pclist_add(&b.list, 0x1002));
	pclist_end(&b.list);
	assert_int_equal(b.count, 1);
}

static void constant_right_before_its_jump_is_sequential(void **state)
{
	static const uint16_t code[] = {
		0x6505,		/* 1000 c.lui a0, 1 */
		0x8502,		/* 1002 c.jr a0 */
		0x6505,		/* 1004 c.lui a0, 1 */
		0x0001,		/* 1006 c.nop */
		0x8502,		/* 1008 c.jr a0 */
		0x6585,		/* 100a c.lui a1, 1 */
		0x8502,		/* 100c c.jr a0 */
	};
	static const uint64_t pcs[] = {
		0x1000, 0x1002, 0x1004, 0x1006, 0x1008, 0x100a, 0x100c, 0x1000,
	};
	struct bench b;
	size_t i;

	(void)state;
	begin(&b, code, sizeof(code));
	for (i = 0; i < sizeof(pcs) / sizeof(*pcs); i++)
		assert_true(pclist_add(&b.list, pcs[i]));
	pclist_end(&b.list);
	assert_int_equal(b.count, 4);
	assert_true(b.blocks[0].sequential);
	assert_false(b.blocks[1].sequential);
	assert_false(b.blocks[2].sequential);
}

static void trap_between_is_not_sequential(void **state)
{
	static const uint16_t code[] = {
		0x6505,		/* 1000 c.lui a0, 1 */
		0x0001,		/* 1002 c.nop */
		0x8502,		/* 1004 c.jr a0 */
	};
	struct bench b;

	(void)state;
	begin(&b, code, sizeof(code));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_true(pclist_add(&b.list, 0x1004));
	assert_true(pclist_add(&b.list, 0x1000));
	assert_int_equal(b.count, 2);
	assert_int_equal(b.blocks[0].itype, INGRESS_EXCEPTION);
	assert_false(b.blocks[1].sequential);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_classified),
		cmocka_unit_test(c_jal_is_a_call_on_rv32_only),
		cmocka_unit_test(longer_instructions_have_their_size),
		cmocka_unit_test(direct_jumps_have_their_offset),
		cmocka_unit_test(constants_and_jump_registers_are_named),
		cmocka_unit_test(blocks_end_where_the_flow_can_change),
		cmocka_unit_test(list_may_end_in_a_jump),
		cmocka_unit_test(empty_list_has_no_block),
		cmocka_unit_test(impossible_step_is_an_exception),
		cmocka_unit_test(impossible_jump_is_an_exception_behind_it),
		cmocka_unit_test(missing_code_is_refused),
		cmocka_unit_test(constant_right_before_its_jump_is_sequential),
		cmocka_unit_test(trap_between_is_not_sequential),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
