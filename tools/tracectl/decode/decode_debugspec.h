/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode --raw --format debugspec: options of its own. */
#ifndef RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H
#define RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H

#include <argp.h>

#define DEBUGSPEC_BUFFER_MAX	(1ull << 40)

extern const struct argp debugspec_argp;

/* A list of events, set of RVTRACE_DEBUGSPEC_EMIT_; who gave a wrong one is told. */
unsigned int debugspec_events(struct argp_state *state, const char *arg);

#endif /* RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H */
