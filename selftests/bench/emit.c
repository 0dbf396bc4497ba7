// SPDX-License-Identifier: GPL-2.0
/*
 * In place of selftests/bare/events.c: a function that uses a macro of rvtrace/stm.h,
 * for event-costs.py to count.
 *
 * -D EMIT=the use of it, whose value is `value`; nothing: what the function costs without;
 * VALUE=what that is of i, which differs from call to call; FORM=RVTRACE_STM_FORM_*
 */
#define RVTRACE_STM_FORM FORM
#include "include/rvtrace/stm.h"

typedef unsigned long word;

void emit(word i, word x);

/* All that it executes is in here. */
void __attribute__((noinline, flatten)) emit(word i, word x)
{
	register word value __asm__("a0") = VALUE;

	(void)x;
	__asm__ volatile("" : "+r"(value));
	EMIT;
}
