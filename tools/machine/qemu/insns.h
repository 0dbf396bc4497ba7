/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bits of RVTraceCPU.tb that only translation and the ingress port know, and how the one tells
 * the other of accesses.
 */
#ifndef HW_RVTRACE_INSNS_H
#define HW_RVTRACE_INSNS_H

#define RVTRACE_INSNS		16	/* each instruction is a block of its own */
#define RVTRACE_ACCESSES	32	/* with what it loaded and stored */

/* What an access is: enum ingress_dtype, 2^n bytes, RVTRACE_ACCESS_* */
#define RVTRACE_ACCESS(dtype, size, flags)	((dtype) | (size) << 8 | (flags) << 16)

#define RVTRACE_ACCESS_UNREAD	1	/* CSR */
#define RVTRACE_ACCESS_UNWRITTEN	2	/* CSR */
#define RVTRACE_ACCESS_UNSIGNED	4	/* maximum and minimum */

#endif
