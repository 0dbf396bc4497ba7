/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an encoder is made of that traces in a format of its vendor (teFormat 7). */
#ifndef RVTRACE_MODEL_VENDOR_CONFIG_H
#define RVTRACE_MODEL_VENDOR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* Which format that is */
enum te_vendor {
	TE_VENDOR_NONE,		/* there is none */
	TE_VENDOR_CDL,		/* CDL compressed trace */
	TE_VENDOR_DEBUGSPEC,	/* trace module of the debug specification of 2017 */
	TE_VENDORS
};

/**
 * struct te_vendor_config - what the hardware does; no register says or changes it
 * @format: enum te_vendor
 * @full: values have all their nybbles, not as many as they need
 * @cdl_flavour: CDL: 0 as its text has it, 1 as its hardware has it
 * @cdl_interval: CDL: nybbles between places of synchronization; 0: none
 * @cdl_threads: CDL: what is written to tp (x4) is told, but by M-mode, whose firmware swaps it at
 *	every trap
 * @emit: debug specification: bits 16 to 23 of register "trace", shifted down
 * @buffer: debug specification: bytes of the buffer that the trace goes to, of which 8
 *	synchronization points are made; 0: it has none
 * @compressed: debug specification: PC values begin with bit 1, not with bit 2
 */
struct te_vendor_config {
	uint32_t format;
	bool full;
	uint32_t cdl_flavour;
	uint32_t cdl_interval;
	bool cdl_threads;
	uint32_t emit;
	uint32_t buffer;
	bool compressed;
};

#endif /* RVTRACE_MODEL_VENDOR_CONFIG_H */
