/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of the machine: trace, trace-NAME.
 */
#ifndef HW_RVTRACE_OPTIONS_H
#define HW_RVTRACE_OPTIONS_H

#include "hw/rvtrace/topology.h"
#include "tools/machine/model/profile.h"

/**
 * struct RVTraceOptions - as in tools/machine/README.md
 * @ring: 0: not given
 * @profile: NULL: not given
 * @debug_actions: used if @debug_actions_given
 */
typedef struct RVTraceOptions {
	bool trace;
	char *log;
	char *truth;
	bool calls;
	char *out;
	char *profile;
	uint32_t scontext;
	bool debug_actions_given;
	uint32_t debug_actions;
	uint32_t event_csr;
	bool event_hint;
	uint64_t buffer;
	uint64_t stm_buffer;
	uint64_t ring;
	uint64_t bus_offset;
	bool noncoherent;
	RVTraceBoard hardware;
} RVTraceOptions;

/* There is one machine. */
extern RVTraceOptions rvtrace_options;

/* Return: what components of @generation are, or NULL: of no hardware in particular. */
const struct profile *rvtrace_profile(enum tci generation);

/* Return: bit n: triggers of the harts may have action n. */
uint32_t rvtrace_debug_actions(void);

#endif
