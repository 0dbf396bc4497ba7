/* SPDX-License-Identifier: GPL-2.0 */
/* csr.c: the only code that knows the architecture */
#ifndef RVTRACE_CSR_H
#define RVTRACE_CSR_H

#include <linux/types.h>

#define RVTRACE_EVENT_CSR	0x8f0	/* "Software Trace Module", "Core Interface" */
u32 rvtrace_scontext_probe(void);
void rvtrace_scontext_write(u32 value);
u64 rvtrace_time(void);
void rvtrace_event_write(u16 id, unsigned long value);

unsigned long rvtrace_break_address(void);
bool rvtrace_breaks(void);
bool rvtrace_dbtr_probe(void);
long rvtrace_dbtr_call(unsigned int function, unsigned long a, unsigned long b,
		       unsigned long *value);

#endif /* RVTRACE_CSR_H */
