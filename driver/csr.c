// SPDX-License-Identifier: GPL-2.0
/*
 * CSRs of the hart: scontext, time, and that of software trace; and what its firmware is
 * asked. Elsewhere than on RISC-V the driver only compiles.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "csr.h"
#include "rvtrace.h"

#ifdef CONFIG_RISCV
#include <asm/asm-extable.h>
#include <asm/csr.h>
#include <asm/sbi.h>
#include <asm/timex.h>

#define CSR_SCONTEXT	0x5a8

/* Exchange scontext; *@absent when the hart traps, which is not an error. */
static unsigned long csr_try_swap(unsigned long value, bool *absent)
{
	unsigned long old = 0, missing = 1;

	asm volatile("1:	csrrw	%0, " __stringify(CSR_SCONTEXT) ", %2\n"
		     "	li	%1, 0\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+&r" (old), "+&r" (missing)
		     : "r" (value)
		     : "memory");
	*absent = missing;
	return old;
}

static void csr_probe_hart(void *data)
{
	atomic_t *bits = data;
	unsigned long old, kept = 0;
	bool absent;

	old = csr_try_swap(~0UL, &absent);
	if (!absent)
		kept = csr_try_swap(old, &absent);
	atomic_and(lower_32_bits(kept), bits);
}

/**
 * rvtrace_scontext_probe() - which bits of scontext every hart keeps
 *
 * Return: mask of at most 32 bits; 0 when a hart does not have it
 */
u32 rvtrace_scontext_probe(void)
{
	atomic_t bits = ATOMIC_INIT(-1);

	on_each_cpu(csr_probe_hart, &bits, 1);
	return atomic_read(&bits);
}

/**
 * rvtrace_scontext_write() - write this hart's scontext unless it holds @value
 * @value: only bits that rvtrace_scontext_probe() returned
 *
 * What it holds is read, not remembered: a hart may have been off meanwhile. One
 * that came online after the probe may lack it, and then nothing happens.
 */
void rvtrace_scontext_write(u32 value)
{
	unsigned long now;

	asm volatile("1:	csrr	%0, " __stringify(CSR_SCONTEXT) "\n"
		     "	beq	%0, %1, 2f\n"
		     "	csrw	" __stringify(CSR_SCONTEXT) ", %1\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "=&r" (now)
		     : "r" ((unsigned long)value)
		     : "memory");
}

/**
 * rvtrace_time() - the time CSR
 *
 * Return: ticks of the timebase
 */
u64 rvtrace_time(void)
{
	return get_cycles64();
}

/**
 * rvtrace_event_write() - emit an event by the CSR of software trace
 * @id: its identifier
 * @value: its value
 *
 * Nothing happens on a hart that has no such CSR.
 */
notrace void rvtrace_event_write(u16 id, unsigned long value)
{
	register unsigned long a0 asm("a0") = value;

	asm volatile("1:	csrw	" __stringify(RVTRACE_EVENT_CSR) ", %0\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     :: "r" ((unsigned long)id), "r" (a0)
		     : "memory");
}

/*
 * Traps lead to a place nearby, as where KVM reads memory of a guest: they are taken with
 * interrupts off, where nothing is in the CSRs of a trap that anybody needs. There is one such
 * instruction: the function is neither inlined nor cloned.
 */
static noinline __noclone unsigned long csr_break(bool execute, bool *broke)
{
	unsigned long at, status, vector, trapped = 0;

	asm volatile("	la	%[at], 1f\n"
		     "	beqz	%[execute], 4f\n"
		     "	csrr	%[status], sstatus\n"
		     "	la	%[vector], 2f\n"
		     "	csrrw	%[vector], stvec, %[vector]\n"
		     "1:	nop\n"
		     "	j	3f\n"
		     "	.balign	4\n"
		     "2:	li	%[trapped], 1\n"
		     "3:	csrw	stvec, %[vector]\n"
		     "	csrw	sstatus, %[status]\n"
		     "4:\n"
		     : [at] "=&r" (at), [status] "=&r" (status), [vector] "=&r" (vector),
		       [trapped] "+&r" (trapped)
		     : [execute] "r" ((unsigned long)execute)
		     : "memory");
	*broke = trapped;
	return at;
}

/**
 * rvtrace_break_address() - where an instruction is at which a breakpoint does no harm
 */
unsigned long rvtrace_break_address(void)
{
	bool broke;

	return csr_break(false, &broke);
}

/**
 * rvtrace_breaks() - execute the instruction at rvtrace_break_address()
 *
 * Context: interrupts are off.
 *
 * Return: whether there was a breakpoint
 */
bool rvtrace_breaks(void)
{
	bool broke;

	csr_break(true, &broke);
	return broke;
}
#else
unsigned long rvtrace_break_address(void)
{
	return 0;
}

bool rvtrace_breaks(void)
{
	return false;
}

u32 rvtrace_scontext_probe(void)
{
	return 0;
}

void rvtrace_scontext_write(u32 value)
{
}

u64 rvtrace_time(void)
{
	return 0;
}

void rvtrace_event_write(u16 id, unsigned long value)
{
}
#endif

#ifdef CONFIG_RISCV_SBI
#define CSR_SBI_DBTR	0x44425452	/* "DBTR" */

/**
 * rvtrace_dbtr_probe() - whether the firmware has SBI's debug triggers extension
 */
bool rvtrace_dbtr_probe(void)
{
	return sbi_probe_extension(CSR_SBI_DBTR) > 0;
}

/**
 * rvtrace_dbtr_call() - call SBI's debug triggers extension, for this hart
 * @function: which of its functions
 * @a: its first argument
 * @b: its second one
 * @value: out: what it returns, or NULL
 *
 * Return: 0 or SBI's error
 */
long rvtrace_dbtr_call(unsigned int function, unsigned long a, unsigned long b,
		       unsigned long *value)
{
	struct sbiret ret = sbi_ecall(CSR_SBI_DBTR, function, a, b, 0, 0, 0, 0);

	if (value)
		*value = ret.value;
	return ret.error;
}
#else
bool rvtrace_dbtr_probe(void)
{
	return false;
}

long rvtrace_dbtr_call(unsigned int function, unsigned long a, unsigned long b,
		       unsigned long *value)
{
	return -1;
}
#endif
