// SPDX-License-Identifier: GPL-2.0
/*
 * What a hart without an operating system says in its trace: events of every group by
 * rvtrace/stm.h and by each way to write its CSR, what is no event, and writes to tp by
 * instructions of each kind. events.py finds them in the program by themselves.
 */
#define RVTRACE_STM_FORM RVTRACE_STM_FORM_CSR
#include "include/uapi/linux/rvtrace.h"
#include "include/rvtrace/stm.h"

typedef unsigned long word;

#if __riscv_xlen == 64
#define LOAD	"ld"
#else
#define LOAD	"lw"
#endif

/* Nothing is emitted; QEMU's log has the registers behind each access to a CSR. */
#define LOOK	"\n\tcsrr zero, 0x8f0\n\tnop"

#define WRITE_TP(instruction, ...) \
	__asm__ volatile(instruction LOOK :: __VA_ARGS__ : "memory")

/* Values of those of the kernel's STM class would be put together to strings: none of them. */
static word identifier(word x)
{
	return (x & 0xf000) == RVTRACE_STM_CLASS ? x ^ 0x1000 : x;
}

static void switch_thread(word i, word x)
{
	switch (i % 10) {
	case 0:
		WRITE_TP("mv tp, %0", "r"(x));
		break;
	case 1:
		WRITE_TP(LOAD " tp, 0(%0)", "r"(&x));
		break;
	case 2:
		WRITE_TP("amoor.w tp, zero, (%0)", "r"(&x));
		break;
	case 3:
		WRITE_TP("mulhu tp, %0, %1", "r"(x), "r"(x ^ i));
		break;
	case 4:
		WRITE_TP("lui tp, 0xfffff", "r"(x));
		break;
	case 5:
		WRITE_TP("auipc tp, 0", "r"(x));
		break;
	case 6:
		WRITE_TP(".option push\n\t.option rvc\n\tc.addi tp, 3\n\t.option pop", "r"(x));
		break;
	case 7:
		WRITE_TP(".option push\n\t.option rvc\n\tc.mv tp, %0\n\t.option pop", "r"(x));
		break;
	case 8:
		/* An event, and tp is what the CSR read. */
		WRITE_TP("csrrw tp, 0x8f0, %0", "r"(identifier(x)));
		break;
	default:
		WRITE_TP("sltu tp, %0, %1", "r"(x), "r"(i));
	}
}

/* Identifier and value, whatever they are: also 0, which is no event */
static void say(word id, word value)
{
	register word a0 __asm__("a0") = value;

	__asm__ volatile("csrw 0x8f0, %0" :: "r"(id), "r"(a0) : "memory");
}

static void say_set(word id, word value)
{
	register word a0 __asm__("a0") = value;

	__asm__ volatile("csrs 0x8f0, %0\n\tcsrs 0x8f0, zero\n\tcsrwi 0x8f0, 21\n\tcsrsi 0x8f0, 9"
			 :: "r"(id), "r"(a0) : "memory");
}

#ifdef HINTS
void emit_hints(word i, word x);
#else
static void emit_hints(word i, word x)
{
	(void)i;
	(void)x;
}
#endif

#if defined(STM) && STM
/* The time, for that of the events in between */
static void tell_time(void)
{
	word now;

	__asm__ volatile("csrr %0, time" : "=r"(now));
	RVTRACE_STM_COUNTER(0x0120, now);
}
#else
static void tell_time(void)
{
}
#endif

void emit(word i, word x)
{
	word j;

	tell_time();
	RVTRACE_STM_COUNTER(0x0100, i);
	RVTRACE_STM_BEGIN(0x0102, i);
	say(identifier(x ^ i << 3), x * 0x10001);
	for (j = 0; j < i % 5; j++) {
		if (x >> j & 1)
			say(0x1000 + j, x);
	}
	if (i % 3 == 0)
		say_set(0x4001 + i, ~x);
	RVTRACE_STM_PUTCHAR('a' + i % 26);
	RVTRACE_STM_STRING(0x0111, "what the hart says");
	RVTRACE_STM_SYS(0xfffe, x);
	tell_time();
	switch_thread(i, x);
	say(i & 7, x);
	emit_hints(i, x);
	RVTRACE_STM_END(0x0102, i);
	tell_time();
}
