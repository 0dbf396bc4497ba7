/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bit of RVTraceCPU.tb that only translation and the ingress port know. */
#ifndef HW_RVTRACE_INSNS_H
#define HW_RVTRACE_INSNS_H

#define RVTRACE_INSNS	16	/* each instruction is a block of its own */

#endif
