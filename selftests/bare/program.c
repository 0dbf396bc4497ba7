// SPDX-License-Identifier: GPL-2.0
/*
 * A program for a hart without an operating system: it turns on its own encoder (TCI 0.9) and
 * runs calls, recursion, switch tables, jumps through pointers, exceptions behind instructions
 * of either size, and timer interrupts, in M- and U-mode, between the markers of the ground
 * truth. Trace leaves through the pins of funnel 0. That is of TCI 0.9; in 1.0, the pins have a
 * page of their own, and the rest that is used here is where it was.
 *
 * -D FEATURES=teInstFeatures, MODE=teInstMode, CONTROL=more of teControl, TIMED=1: timestamps,
 * PIB=where the pins are, ROUNDS=n
 *
 * -D TRIGGERS=2 or 6: trace is left to triggers of the hart of that type (mcontrol, mcontrol6),
 * which begin it at go(), end it at halt() and have it say where it is at tell().
 *
 * -D RING=bytes: trace goes into a ring in memory, which leaves through the serial port, see
 * ring.c; the markers are around all that is traced.
 *
 * -D EVENTS=software trace register, PORT=where it is: each round emits events, see events.c.
 *
 * -D STM=bytes of memory: events are packets, too, see stm.c; THREAD_ID=identifier of
 * THREAD_SWITCH, STM_ROUNDS=n: they are taken out every n rounds, and not only at the end.
 *
 * -D MEMORY=1: each round accesses memory in all ways, see memory.c. FAILS=0: no SC fails, as one
 * would behind an interrupt that comes between LR and SC: there are none.
 */
#include "include/uapi/linux/rvtrace_regs.h"

#ifndef FAILS
#define FAILS		1
#endif
#ifndef FEATURES
#define FEATURES	0
#endif
#ifndef MODE
#define MODE		RVTRACE_INST_MODE_HISTORY_OPTIMIZED
#endif
#ifndef CONTROL
#define CONTROL		0
#endif
#ifndef TIMED
#define TIMED		0
#endif
#ifndef ROUNDS
#define ROUNDS		40
#endif
#ifndef TRIGGERS
#define TRIGGERS	0
#endif

#ifndef EVENTS
#define EVENTS		0
#endif
#ifndef PORT
#define PORT		0
#endif
#ifndef STM
#define STM		0
#endif
#ifndef THREAD_ID
#define THREAD_ID	0x8000
#endif
#ifndef STM_ROUNDS
#define STM_ROUNDS	0
#endif
#ifndef MEMORY
#define MEMORY		0
#endif

#ifndef RING
#define RING		0
#endif

#define ENCODER		0x11000000ul
#define FUNNEL		0x11100000ul
#ifndef PIB
#define PIB		(FUNNEL + RVTRACE_PIB_CONTROL)
#endif
#define STM_MODULE	0x111c0000ul
#define MTIME		0x200bff8ul
#define MTIMECMP	0x2004000ul
#define POWER		0x100000ul
#define POWER_OFF	0x5555
#define POWER_FAIL	0x13333		/* with status 1 */

#define MIE_TIMER	128ul
#define MSTATUS_MIE	8ul
#define COUNTEREN_TM	2ul
#define MSTATUS_FS	0x6000ul
#define LEAVE		77

/* Triggers (RISC-V Debug Specification, chapter "Sdtrig") */
#define TRIGGER_EXECUTE	4ul
#define TRIGGER_U	8ul
#define TRIGGER_M	64ul
#define TRIGGER_ACTION	12
#define TRIGGER_TYPE	(8 * sizeof(word) - 4)
#define TRACE_ON	2
#define TRACE_OFF	3
#define TRACE_NOTIFY	4
#define TELLS		8

#define ENCODER_ON	(RVTRACE_TE_CONTROL_ACTIVE | (MODE) << 4 | 8u << 28 | (CONTROL))
#define FUNNEL_ON	(RVTRACE_TF_CONTROL_ACTIVE | (RING ? 7u : 6u) << 28)
#define PIB_ON		(RVTRACE_PIB_CONTROL_ACTIVE | 5u << 4)

typedef unsigned long word;

extern unsigned int period;
void to_user(void);
void emit(word i, word x);
void access_memory(word i);
_Bool stm_begin(word stm, unsigned int size, unsigned int thread_switch);
void stm_drain(word stm, unsigned int size);
void stm_end(word stm, unsigned int size);
void ring_begin(word funnel, word size);
void ring_print(word funnel, word size);

static volatile word result;

static volatile unsigned int *reg(word address)
{
	return (volatile unsigned int *)address;
}

static void set(word address, unsigned int value)
{
	*reg(address) = value;
}

static void wait_for(word address, unsigned int bit)
{
	while (!(*reg(address) & bit))
		;
}

/* The machine does not stop at once, and what goes on may be anything. */
static void fail(void)
{
	set(POWER, POWER_FAIL);
	for (;;)
		;
}

/* What is traced as it was not asked for is no test. */
static void must_have(word address, unsigned int value)
{
	if (~*reg(address) & value)
		fail();
}

static word fibonacci(word n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static word __attribute__((noinline)) triple(word x)
{
	return x * 3 + 1;
}

static word __attribute__((noinline)) fold(word x)
{
	return x ^ (x >> 3);
}

static word __attribute__((noinline)) either(word x)
{
	return x & 1 ? triple(x) : fold(x);
}

static word (*const volatile table[])(word) = { triple, fold, either, fold };

static word __attribute__((noinline)) choose(word x)
{
	switch (x % 9) {
	case 0:
		return x + 5;
	case 1:
		return triple(x);
	case 2:
		return x * 7;
	case 3:
		return fold(x) + 1;
	case 4:
		return x - 9;
	case 5:
		return either(x);
	case 6:
		return x << 2;
	case 7:
		return x ^ 99;
	default:
		return 1;
	}
}

/*
 * Exceptions at instructions of 2 and 4 bytes, behind instructions of 2 and 4 bytes; what U-mode
 * may not write, M-mode does: scontext
 */
static void __attribute__((noinline)) except(word i)
{
	if (i % 8 == 0)
		__asm__ volatile("ecall");
	if (i % 16 == 3)
		__asm__ volatile(".half 0\n\tnop" ::: "memory");
	if (i % 16 == 5)
		__asm__ volatile(".option push\n\t.option norvc\n\taddi t3, t3, 1\n\t"
				 ".option pop\n\tebreak\n" ::: "memory", "t3");
	if (i % 16 == 7)
		__asm__ volatile(".option push\n\t.option rvc\n\tc.addi t3, 1\n\t"
				 ".option pop\n\tcsrr t3, 0x7ff\n" ::: "memory", "t3");
	if (i % 16 == 9)
		__asm__ volatile("csrw 0x5a8, %0" :: "r"(i));
}

void __attribute__((noinline)) nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

/* A call and a jump that the instruction before each leads, as those that are far away */
static void __attribute__((noinline)) lead(void)
{
	__asm__ volatile(".option push\n\t.option norelax\n\tcall nothing\n\ttail 1f\n\t"
			 "nop\n1:\n\t.option pop" ::: "memory", "ra", "t1");
}

static void __attribute__((noinline)) work(word rounds)
{
	word x = 12345, i, j;

	for (i = 0; i < rounds; i++) {
		x = table[x & 3](x) + choose(x);
		for (j = 0; j < (x & 15); j++)
			x += j & 1 ? j : x >> 1;
		except(i);
		if (EVENTS || STM)
			emit(i, x);
		if (STM_ROUNDS && i % STM_ROUNDS == STM_ROUNDS - 1)
			stm_drain(STM_MODULE, STM);
		if (MEMORY)
			access_memory(i);
		if (i % 4 == 1)
			lead();
		if (i % 32 == 9)
			x += fibonacci(6);
	}
	result = x;
}

static void spin(void)
{
	for (int i = 0; i < 1000; i++)
		result++;
}

static void activate(word address)
{
	set(address, 1);
	wait_for(address, 1);
}

/* Of the ground truth */
#define MARK(imm) \
	__asm__ volatile(".option push\n\t.option norvc\n\tslti x0, x0, " #imm \
			 "\n\t.option pop" ::: "memory")
#define MARK_BEGIN()	MARK(0x7a5)
#define MARK_END()	MARK(0x7a6)

static void begin(void)
{
	activate(ENCODER);
	activate(FUNNEL);
	activate(PIB);
	set(PIB, PIB_ON);
	set(PIB, PIB_ON | RVTRACE_PIB_CONTROL_ENABLE);
	set(FUNNEL, FUNNEL_ON);
	if (RING)
		ring_begin(FUNNEL, RING);
	set(FUNNEL, FUNNEL_ON | RVTRACE_TF_CONTROL_ENABLE);
	set(ENCODER + RVTRACE_TE_INST_FEATURES, FEATURES);
	must_have(ENCODER + RVTRACE_TE_INST_FEATURES, FEATURES);
	if (TIMED) {
		set(ENCODER + RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE);
		set(ENCODER + RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE |
		    RVTRACE_TS_CONTROL_ENABLE | RVTRACE_TS_TYPE_EXTERNAL << 4);
	}
	if (EVENTS) {
		set(ENCODER + PORT, EVENTS);
		must_have(ENCODER + PORT, EVENTS);
	}
	if (STM) {
		if (!stm_begin(STM_MODULE, STM, THREAD_ID))
			fail();
		__asm__ volatile("csrs mcounteren, %0\n\tcsrs scounteren, %0"
				 :: "r"(COUNTEREN_TM));
	}
	if (MEMORY)
		__asm__ volatile("csrs mstatus, %0" :: "r"(MSTATUS_FS));
	set(ENCODER, ENCODER_ON);
	must_have(ENCODER, (MODE) << 4 | (CONTROL));
	set(MTIMECMP + 4, 0);
	set(MTIMECMP, *reg(MTIME) + period);
	if (FAILS)
		__asm__ volatile("csrs mie, %0" :: "r"(MIE_TIMER));
	__asm__ volatile("csrs mstatus, %0" :: "r"(MSTATUS_MIE));
	if (RING)
		MARK_BEGIN();
	set(ENCODER, ENCODER_ON | RVTRACE_TE_CONTROL_ENABLE |
	    (TRIGGERS ? 0 : RVTRACE_TE_CONTROL_INST_TRACING));
	spin();
}

/* The last that is traced */
void __attribute__((noinline)) quit(void)
{
	set(ENCODER, ENCODER_ON | RVTRACE_TE_CONTROL_ENABLE);
}

static void end(void)
{
	quit();
	spin();
	if (RING)
		MARK_END();
	set(ENCODER, ENCODER_ON);
	wait_for(ENCODER, RVTRACE_TE_CONTROL_EMPTY);
	set(FUNNEL, FUNNEL_ON);
	wait_for(FUNNEL, RVTRACE_TF_CONTROL_EMPTY);
	set(PIB, PIB_ON);
	if (RING)
		ring_print(FUNNEL, RING);
	if (STM)
		stm_end(STM_MODULE, STM);
	set(POWER, POWER_OFF);
}

/* In M-mode; the way into U-mode is to_user(). */
static void __attribute__((noinline)) leave_user(void)
{
	register word a7 __asm__("a7") = LEAVE;

	__asm__ volatile("ecall" :: "r"(a7) : "memory");
}

void __attribute__((noinline)) go(void)
{
	__asm__ volatile("" ::: "memory");
}

void __attribute__((noinline)) halt(void)
{
	__asm__ volatile("" ::: "memory");
}

void __attribute__((noinline)) tell(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Trigger @n does @action before @at is executed. */
static void set_trigger(word n, word action, void (*at)(void))
{
	word control = (word)TRIGGERS << TRIGGER_TYPE | action << TRIGGER_ACTION |
		       TRIGGER_M | TRIGGER_U | TRIGGER_EXECUTE, kept;

	__asm__ volatile("csrw tselect, %0" :: "r"(n));
	__asm__ volatile("csrw tdata1, zero");
	__asm__ volatile("csrw tdata2, %0" :: "r"(at));
	__asm__ volatile("csrw tdata1, %0" :: "r"(control));
	__asm__ volatile("csrr %0, tdata1" : "=r"(kept));
	if (kept != control)
		fail();
}

static void run_triggered(void)
{
	word i;

	set_trigger(0, TRACE_ON, go);
	set_trigger(1, TRACE_OFF, halt);
	for (i = 0; i < 4; i++) {
		work(ROUNDS / 4);
		if (i & 1)
			to_user();
		go();
		work(ROUNDS);
		halt();
		if (i & 1)
			leave_user();
	}
	go();
	set_trigger(1, TRACE_NOTIFY, tell);
	for (i = 0; i < TELLS; i++) {
		tell();
		work(3);
	}
	set_trigger(1, TRACE_OFF, halt);
	halt();
}

static void run(void)
{
	work(ROUNDS);
	to_user();
	work(ROUNDS);
	leave_user();
	work(ROUNDS / 2);
	__asm__ volatile("csrc mie, %0" :: "r"(MIE_TIMER));
	work(ROUNDS / 2);
}

int main(void)
{
	begin();
	if (!RING)
		MARK_BEGIN();
	if (TRIGGERS)
		run_triggered();
	else
		run();
	if (!RING)
		MARK_END();
	end();
	for (;;)
		;
}
