/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which packet an instruction calls for, and when the next resynchronization is due. */
#ifndef RVTRACE_ENCODE_ETRACE_REPORT_H
#define RVTRACE_ENCODE_ETRACE_REPORT_H

#include "tools/encode/etrace.h"

/* States of chapter "Resynchronisation" */
enum { SYNC_NOT_DUE = 1, SYNC_BRANCHES = 2, SYNC_NOW = 3 };

/* Whether an instruction is told in full, as one in @b comes after one in @a. */
bool etrace_needs_sync(const struct etrace_encoder *enc, const struct ingress_context *a,
		       const struct ingress_context *b);

/* An instruction was told in full. */
void etrace_restart_sync(struct etrace_encoder *enc, uint64_t cycles);

/* An instruction retired. */
void etrace_count_sync(struct etrace_encoder *enc, const struct etrace_event *cur);

/* Emits the packet for @cur, if any, before @next; NULL: nothing that is traced. */
void etrace_report(struct etrace_encoder *enc, const struct etrace_event *cur,
		   const struct etrace_event *next);

#endif /* RVTRACE_ENCODE_ETRACE_REPORT_H */
