/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode --raw --format debugspec: options of its own. */
#ifndef RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H
#define RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/flow.h>

#define DEBUGSPEC_BUFFER_MAX	(1ull << 40)

/**
 * struct debugspec_options - what the command line says
 * @parameter: an option of the stream's parameters that was given, NULL: none
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

/* Its input is a struct debugspec_options. */
extern const struct argp debugspec_argp;

/* A list of events, set of RVTRACE_DEBUGSPEC_EMIT_; who gave a wrong one is told. */
unsigned int debugspec_events(struct argp_state *state, const char *arg);

/* The options as parameters; @xlen 0: 64. */
void debugspec_config(const struct debugspec_options *options, unsigned int xlen,
		      struct rvtrace_flow_config *config);

#endif /* RVTRACE_TRACECTL_DECODE_DEBUGSPEC_H */
