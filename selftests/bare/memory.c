// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses of each kind by a hart without an operating system: loads and stores of every size,
 * with sign and without, also across words, floating point, LR and SC that succeed and that
 * fail (-D FAILS=0: none does), every atomic, and CSRs (of floating point, which user code may
 * use).
 */
#ifndef FAILS
#define FAILS	1
#endif

typedef unsigned long word;

#if __riscv_xlen == 64
#define WIDE(instruction)	instruction
#else
#define WIDE(instruction)
#endif

static unsigned char room[64] __attribute__((aligned(16)));

static word random_word(void)
{
	static unsigned int state = 1;

	state = state * 1103515245 + 12345;
	return (word)state * 0x10001u ^ state >> 5;
}

/* Loads and stores @bytes further on each time, so most are not aligned. */
static void plain(word bytes)
{
	unsigned char *at = room + bytes % 40;
	word x = random_word(), got;

	__asm__ volatile("sw %1, 0(%2)\n\tlw %0, 1(%2)\n\tsh %1, 3(%2)\n\tlh %0, 2(%2)\n\t"
			 "lhu %0, 3(%2)\n\tsb %1, 7(%2)\n\tlb %0, 7(%2)\n\tlbu %0, 0(%2)\n\t"
			 WIDE("sd %1, 5(%2)\n\tld %0, 3(%2)\n\tlwu %0, 6(%2)")
			 : "=&r"(got) : "r"(x), "r"(at) : "memory");
}

/* What it loads is where the next one loads from. */
static void chained(void)
{
	void *next = &next;

	__asm__ volatile(
#if __riscv_xlen == 64
			 "ld %0, 0(%0)\n\tld %0, 0(%0)"
#else
			 "lw %0, 0(%0)\n\tlw %0, 0(%0)"
#endif
			 : "+r"(next) : : "memory");
}

static void floating(void)
{
	__asm__ volatile(".option push\n\t.option arch, +d\n\t"
			 "flw ft0, 0(%0)\n\tfsw ft0, 20(%0)\n\tfld ft1, 8(%0)\n\tfsd ft1, 24(%0)\n\t"
			 ".option pop" : : "r"(room) : "memory");
}

static void reserved(void)
{
	word x = random_word(), got;

	__asm__ volatile("lr.w %0, (%2)\n\tsc.w %0, %1, (%2)"
			 : "=&r"(got) : "r"(x), "r"(room + 32) : "memory");
	/* There is no reservation any more. */
	if (FAILS)
		__asm__ volatile("sc.w %0, %0, (%1)"
				 : "=&r"(got) : "r"(room + 32) : "memory");
	__asm__ volatile(WIDE("lr.d %0, (%1)\n\tsc.d %0, %0, (%1)\n\t") "nop"
			 : "=&r"(got) : "r"(room + 40) : "memory");
}

#define ATOMIC(name)								\
	__asm__ volatile(name ".w %0, %0, (%1)\n\t" WIDE(name ".d %0, %0, (%1)")	\
			 : "+r"(x) : "r"(room + 48) : "memory")

static void atomic(void)
{
	word x = random_word();

	ATOMIC("amoswap");
	ATOMIC("amoadd");
	ATOMIC("amoand");
	x = random_word();
	ATOMIC("amoor");
	ATOMIC("amoxor");
	ATOMIC("amomax");
	x = random_word();
	ATOMIC("amomin");
	ATOMIC("amomaxu");
	x = random_word();
	ATOMIC("amominu");
}

/* fflags: what is read is what was written before. */
static void csrs(word i)
{
	word x = i & 31;

	__asm__ volatile("csrrw %0, fflags, %0\n\tcsrr %0, fflags\n\tcsrsi fflags, 9\n\t"
			 "csrrc %0, fflags, %0\n\tcsrw fflags, %1\n\tcsrrsi %0, fflags, 4\n\t"
			 "csrci fflags, 6"
			 : "+r"(x) : "r"(i & 21) : "memory");
}

void access_memory(word i)
{
	plain(i);
	chained();
	floating();
	reserved();
	atomic();
	csrs(i);
}
