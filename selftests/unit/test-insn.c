// SPDX-License-Identifier: GPL-2.0
/* Instruction classifier; the encodings are the GNU assembler's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <rvtrace/error.h>
#include <rvtrace/insn.h>

static const struct rvtrace_isa rv64 = { .xlen = 64 };
static const struct rvtrace_isa rv32 = { .xlen = 32 };
static const struct rvtrace_isa rv64_zc = { .xlen = 64, .zcmp = true, .zcmt = true };

struct expected {
	uint32_t word;
	uint8_t size;
	uint8_t kind;
	int32_t offset;
};

static int decode(const struct rvtrace_isa *isa, uint64_t word, size_t size,
		  struct rvtrace_insn *insn)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = word >> (8 * i);
	return rvtrace_insn_decode(isa, bytes, size, insn);
}

static void check(const struct rvtrace_isa *isa, const struct expected *e)
{
	struct rvtrace_insn insn;

	assert_int_equal(decode(isa, e->word, 4, &insn), 0);
	assert_int_equal(insn.size, e->size);
	assert_int_equal(insn.kind, e->kind);
	assert_int_equal(insn.offset, e->offset);
}

#define CHECK(isa, table)							\
	do {									\
		for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)	\
			check(isa, &(table)[i]);				\
	} while (0)

static void linear_instructions(void **state)
{
	static const struct expected table[] = {
		{ 0x0505, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.addi */
		{ 0x852e, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.mv */
		{ 0x952e, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.add */
		{ 0x9002, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.ebreak */
		{ 0xa42a, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.fsdsp */
		{ 0xbe42, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.fsdsp, not cm.popret */
		{ 0x2505, 2, RVTRACE_INSN_LINEAR, 0 },		/* c.addiw, not c.jal */
		{ 0x00000073, 4, RVTRACE_INSN_LINEAR, 0 },	/* ecall */
		{ 0x10500073, 4, RVTRACE_INSN_LINEAR, 0 },	/* wfi */
		{ 0x12000073, 4, RVTRACE_INSN_LINEAR, 0 },	/* sfence.vma */
		{ 0x0000100f, 4, RVTRACE_INSN_LINEAR, 0 },	/* fence.i */
		{ 0x10551073, 4, RVTRACE_INSN_LINEAR, 0 },	/* csrw stvec */
		{ 0x5a802573, 4, RVTRACE_INSN_LINEAR, 0 },	/* csrr scontext */
		{ 0x5a806073, 4, RVTRACE_INSN_LINEAR, 0 },	/* csrsi scontext, 0 */
	};

	(void)state;
	CHECK(&rv64, table);
}

static void branches(void **state)
{
	static const struct expected table[] = {
		{ 0x7eb50fe3, 4, RVTRACE_INSN_BRANCH, 4094 },
		{ 0x80b51063, 4, RVTRACE_INSN_BRANCH, -4096 },
		{ 0x00b54463, 4, RVTRACE_INSN_BRANCH, 8 },
		{ 0xcd7d, 2, RVTRACE_INSN_BRANCH, 254 },
		{ 0xf101, 2, RVTRACE_INSN_BRANCH, -256 },
	};

	(void)state;
	CHECK(&rv64, table);
	CHECK(&rv32, table);
}

static void direct_jumps(void **state)
{
	static const struct expected table[] = {
		{ 0x7ffff0ef, 4, RVTRACE_INSN_CALL, 0xffffe },
		{ 0x800002ef, 4, RVTRACE_INSN_CALL, -0x100000 },
		{ 0x0100006f, 4, RVTRACE_INSN_JUMP, 16 },
		{ 0x0100036f, 4, RVTRACE_INSN_JUMP, 16 },
		{ 0xaffd, 2, RVTRACE_INSN_JUMP, 2046 },
		{ 0xb001, 2, RVTRACE_INSN_JUMP, -2048 },
	};
	static const struct expected table32[] = {
		{ 0x2801, 2, RVTRACE_INSN_CALL, 16 },
		{ 0x3001, 2, RVTRACE_INSN_CALL, -2048 },
	};

	(void)state;
	CHECK(&rv64, table);
	CHECK(&rv32, table32);
}

/* N-Trace 1.0, table "Generating itype for different instructions". */
static void indirect_jumps(void **state)
{
	static const struct expected table[] = {
		{ 0x000500e7, 4, RVTRACE_INSN_INDIRECT_CALL, 0 },	/* jalr ra, a0 */
		{ 0x004502e7, 4, RVTRACE_INSN_INDIRECT_CALL, 0 },	/* jalr t0, 4(a0) */
		{ 0x000080e7, 4, RVTRACE_INSN_INDIRECT_CALL, 0 },	/* jalr ra, ra */
		{ 0x9502, 2, RVTRACE_INSN_INDIRECT_CALL, 0 },		/* c.jalr a0 */
		{ 0x9082, 2, RVTRACE_INSN_INDIRECT_CALL, 0 },		/* c.jalr ra */
		{ 0x00008067, 4, RVTRACE_INSN_RETURN, 0 },		/* jalr zero, ra */
		{ 0x00028067, 4, RVTRACE_INSN_RETURN, 0 },		/* jalr zero, t0 */
		{ 0x00008367, 4, RVTRACE_INSN_RETURN, 0 },		/* jalr t1, ra */
		{ 0x8082, 2, RVTRACE_INSN_RETURN, 0 },			/* c.jr ra */
		{ 0x8282, 2, RVTRACE_INSN_RETURN, 0 },			/* c.jr t0 */
		{ 0x00050067, 4, RVTRACE_INSN_INDIRECT_JUMP, 0 },	/* jalr zero, a0 */
		{ 0x00050367, 4, RVTRACE_INSN_INDIRECT_JUMP, 0 },	/* jalr t1, a0 */
		{ 0x8502, 2, RVTRACE_INSN_INDIRECT_JUMP, 0 },		/* c.jr a0 */
		{ 0x008280e7, 4, RVTRACE_INSN_SWAP, 0 },		/* jalr ra, 8(t0) */
		{ 0x000082e7, 4, RVTRACE_INSN_SWAP, 0 },		/* jalr t0, ra */
		{ 0x9282, 2, RVTRACE_INSN_SWAP, 0 },			/* c.jalr t0 */
	};

	(void)state;
	CHECK(&rv64, table);
}

static void privileged_instructions(void **state)
{
	static const struct expected table[] = {
		{ 0x30200073, 4, RVTRACE_INSN_TRAP_RETURN, 0 },		/* mret */
		{ 0x10200073, 4, RVTRACE_INSN_TRAP_RETURN, 0 },		/* sret */
		{ 0x70200073, 4, RVTRACE_INSN_TRAP_RETURN, 0 },		/* mnret */
		{ 0x5a851073, 4, RVTRACE_INSN_CONTEXT_WRITE, 0 },	/* csrw scontext */
		{ 0x5a80e073, 4, RVTRACE_INSN_CONTEXT_WRITE, 0 },	/* csrsi scontext, 1 */
		{ 0x5a805073, 4, RVTRACE_INSN_CONTEXT_WRITE, 0 },	/* csrwi scontext, 0 */
	};

	(void)state;
	CHECK(&rv64, table);
}

static void zcmp_and_zcmt(void **state)
{
	static const struct expected table[] = {
		{ 0xb842, 2, RVTRACE_INSN_LINEAR, 0 },		/* cm.push */
		{ 0xba42, 2, RVTRACE_INSN_LINEAR, 0 },		/* cm.pop */
		{ 0xbc42, 2, RVTRACE_INSN_RETURN, 0 },		/* cm.popretz */
		{ 0xbe42, 2, RVTRACE_INSN_RETURN, 0 },		/* cm.popret */
		{ 0xa016, 2, RVTRACE_INSN_TABLE_JUMP, 5 },	/* cm.jt 5 */
		{ 0xa082, 2, RVTRACE_INSN_TABLE_CALL, 32 },	/* cm.jalt 32 */
	};

	(void)state;
	CHECK(&rv64_zc, table);
}

static void lengths(void **state)
{
	struct rvtrace_insn insn;

	(void)state;
	assert_int_equal(rvtrace_insn_size(0x001f), 6);
	assert_int_equal(rvtrace_insn_size(0x003f), 8);
	assert_int_equal(rvtrace_insn_size(0x007f), 10);
	assert_int_equal(rvtrace_insn_size(0x607f), 22);
	assert_int_equal(rvtrace_insn_size(0x707f), 0);
	assert_int_equal(decode(&rv64, 0x707f, 8, &insn), RVTRACE_ERR_INSTRUCTION);
	assert_int_equal(decode(&rv64, 0x001f, 8, &insn), 0);
	assert_int_equal(insn.kind, RVTRACE_INSN_CUSTOM);
	assert_int_equal(decode(&rv64, 0x0b, 4, &insn), 0);
	assert_int_equal(insn.kind, RVTRACE_INSN_CUSTOM);
	assert_int_equal(decode(&rv64, 0x30200073, 2, &insn), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(insn.size, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_instructions),
		cmocka_unit_test(branches),
		cmocka_unit_test(direct_jumps),
		cmocka_unit_test(indirect_jumps),
		cmocka_unit_test(privileged_instructions),
		cmocka_unit_test(zcmp_and_zcmt),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
