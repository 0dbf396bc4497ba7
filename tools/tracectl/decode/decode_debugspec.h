/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode --raw --format debugspec: options of its own. */
#ifndef RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H
#define RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#define DEBUGSPEC_BUFFER_MAX	(1ull << 40)

/**
 * struct debugspec_options - what the command line says of the format's parameters
 * @parameter: an option that was given, NULL: none
 * @emit: set of RVTRACE_DEBUGSPEC_EMIT_; 0: not given
 * @buffer_size: 0: not given
 */
struct debugspec_options {
	const char *parameter;
	unsigned int emit;
	bool no_compressed;
	bool several_harts;
	bool literal;
	uint64_t buffer_size;
};

/* Its input is struct debugspec_options. */
extern const struct argp debugspec_argp;

/* A list of events, set of RVTRACE_DEBUGSPEC_EMIT_; who gave a wrong one is told. */
unsigned int debugspec_events(struct argp_state *state, const char *arg);

#endif /* RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H */
