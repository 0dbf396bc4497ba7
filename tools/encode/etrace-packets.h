/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Composing the packets of E-Trace; etrace.c decides which are due.
 *
 * All that send return false when a packet was lost: nothing goes out until that is reported.
 */
#ifndef RVTRACE_ENCODE_ETRACE_PACKETS_H
#define RVTRACE_ENCODE_ETRACE_PACKETS_H

#include "tools/encode/etrace-payload.h"
#include "tools/encode/etrace.h"

/**
 * struct etrace_report - what a packet of format 0, 1 or 2 tells beside branches
 * @pc: the reported instruction
 * @discon: it is where an uninferable discontinuity went
 * @notify: it is reported because a trigger asked for it
 * @updiscon: it is where an uninferable discontinuity went, and format 3 follows
 * @irreport: @irdepth is valid
 * @irdepth: irdepth or irets
 */
struct etrace_report {
	uint64_t pc;
	bool discon;
	bool notify;
	bool updiscon;
	bool irreport;
	uint32_t irdepth;
};

static inline bool etrace_has_mode(const struct etrace_encoder *enc, enum etrace_mode mode)
{
	return enc->params.modes >> mode & 1;
}

/* Format 3, subformat 0, or 1 with the handler's address if a trap is pending. */
bool etrace_emit_sync(struct etrace_encoder *enc, const struct etrace_event *cur);

/* Format 3, subformat 1, with thaddr 0. */
bool etrace_emit_trap_alone(struct etrace_encoder *enc, const struct etrace_event *trap,
			    uint64_t address);

/* Format 3, subformat 2. */
bool etrace_emit_context(struct etrace_encoder *enc, const struct ingress_context *context);

/* Format 3, subformat 3. */
bool etrace_emit_support(struct etrace_encoder *enc, bool enable,
			 enum etrace_qual_status qual_status);

/* Formats 0, 1 or 2 with an address. */
bool etrace_emit_address(struct etrace_encoder *enc, const struct etrace_report *report);

/* The branches alone: they fill the map, or one was predicted wrong. */
bool etrace_emit_branches(struct etrace_encoder *enc);

/* One payload in its encapsulation, with srcID @src. */
bool etrace_send(struct etrace_encoder *enc, struct etrace_payload *payload, uint16_t src,
		 uint8_t type, bool compress);

#endif /* RVTRACE_ENCODE_ETRACE_PACKETS_H */
