/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data trace of E-Trace 2.0 (chapter "Data Trace Encoder Output Packets") and of the 2.0.5 draft
 * ("Data Trace of Multiple-Memory Access and Compare and Swap").
 */
#ifndef RVTRACE_ENCODE_ETRACE_DATA_H
#define RVTRACE_ENCODE_ETRACE_DATA_H

#include "tools/encode/etrace.h"

/* One access in its packet, if there is one for it with these parameters. */
void etrace_emit_access(struct etrace_encoder *enc, const struct ingress_access *access);

/* Keep an access of the instruction that is held. */
void etrace_hold_access(struct etrace_encoder *enc, const struct ingress_access *access);

/* The instruction that was held is reported: so are its accesses. */
void etrace_emit_held_accesses(struct etrace_encoder *enc);

/* A synchronization: addresses and data are full again. */
void etrace_restart_accesses(struct etrace_encoder *enc);

/* Return: NULL, or what is wrong with the parameters of data trace. */
const char *etrace_check_data(const struct etrace_params *params);

#endif /* RVTRACE_ENCODE_ETRACE_DATA_H */
