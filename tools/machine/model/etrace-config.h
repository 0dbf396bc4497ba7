/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an encoder of E-Trace is made of. */
#ifndef RVTRACE_MODEL_ETRACE_CONFIG_H
#define RVTRACE_MODEL_ETRACE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct te_etrace_config - what the hardware can do
 *
 * Names of E-Trace 2.0, chapter "Parameters and Discovery", without _p. Sizes are powers of two; 0:
 * there is none, and the feature that needs it cannot be enabled.
 * @iaddress_width: 32 or 64; that of N-Trace, too
 * @iaddress_lsb: 0 to 2
 * @bpred_size: of the branch predictor
 * @cache_size: of the jump target cache
 * @return_stack_size: of the return stack
 * @call_counter_size: of the counter of nested calls
 * @context_width: 1 to 32
 * @nocontext: packets have no context
 * @time_width: 1 to 64
 * @notime: packets have no time
 * @ecause_width: 1 to 32
 * @privilege_width: 1 to 3
 * @f0s_width: 0 to 2
 * @sijump: trTeInstEnSequentialJump is implemented
 *
 * Encapsulation 1.0:
 * @timestamp_width: bits of timestamp while timestamps are enabled, 0 to 64 in steps of 8
 * @type_width: 0 to 8
 * @type_inst: type of instruction trace
 * @type_event: type of software trace events, of an encoder that has a port for
 *	them; there are none while @type_width is less than 2
 * @event_srcid_bit: instead of that: the bit of srcID that is set in their packets; there are
 *	none while teSrcBits has less. 255: they have @type_event. That of teSrcID means nothing
 * @sign_padding: as in struct etrace_params
 *
 * What the specification leaves open:
 * @ctype: how the hart has writes of scontext reported: 0 not, 1 imprecisely, 2 precisely, 3 as a
 *	discontinuity
 * @protocol_minor: trTeProtocolMinor: 0: E-Trace 2.0, 1: the standard support packet of the 2.0.5
 *	draft
 * @iret_ext: irets instead of irdepth (2.0.5 draft)
 */
struct te_etrace_config {
	uint32_t iaddress_width;
	uint32_t iaddress_lsb;
	uint32_t bpred_size;
	uint32_t cache_size;
	uint32_t return_stack_size;
	uint32_t call_counter_size;
	uint32_t context_width;
	bool nocontext;
	uint32_t time_width;
	bool notime;
	uint32_t ecause_width;
	uint32_t privilege_width;
	uint32_t f0s_width;
	bool sijump;
	uint32_t timestamp_width;
	uint32_t type_width;
	uint32_t type_inst;
	uint32_t type_event;
	uint32_t event_srcid_bit;
	bool sign_padding;
	uint32_t ctype;
	uint32_t protocol_minor;
	bool iret_ext;
};

/* Whether packets have room to say that they are events: a type, or a bit of srcID. */
bool te_etrace_has_events(const struct te_etrace_config *config);

struct etrace_params;

/* How such an encoder encodes, apart from what registers say. */
struct etrace_params te_etrace_params(const struct te_etrace_config *config);

#endif /* RVTRACE_MODEL_ETRACE_CONFIG_H */
