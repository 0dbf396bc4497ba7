// SPDX-License-Identifier: GPL-2.0
/* Events of a hart without an operating system in the hint form of rvtrace/stm.h. */
#define RVTRACE_STM_FORM RVTRACE_STM_FORM_HINT
#include "include/rvtrace/stm.h"

typedef unsigned long word;

/* Identifiers with all of bits 15:12, and 11 */
void emit_hints(word i, word x)
{
	RVTRACE_STM_COUNTER(0x0123, i);
	RVTRACE_STM_EVENT(0x3fff, x);
	RVTRACE_STM_EVENT(0x1800, ~x);
	if (x & 1)
		RVTRACE_STM_COM(0x5a5a, x * 3);
	RVTRACE_STM_SYS(0xc001, i * x);
	RVTRACE_STM_SYS(0xffff, -x);
	/* No events: an identifier of 0, a register that none has, another destination */
	__asm__ volatile("slti zero, zero, 0\n\tslti zero, x16, 5\n\tslti t0, a0, 5" ::: "t0");
}
