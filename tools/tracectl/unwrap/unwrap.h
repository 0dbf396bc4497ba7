/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl unwrap: its parameters. */
#ifndef RVTRACE_TRACECTL_UNWRAP_H
#define RVTRACE_TRACECTL_UNWRAP_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/unwrap.h>

/**
 * struct unwrap_options - what the command line says
 * @input: file, "-" is standard input
 * @output: file; NULL: standard output
 * @pins: of @pib; its format is that of @atb, too
 * @pib: the input has pin samples
 * @atb: the input has formatter frames
 * @list: of @atb: sources, instead of the bytes of one
 * @id: of @atb: that one
 */
struct unwrap_options {
	const char *input;
	const char *output;
	struct rvtrace_pib_config pins;
	bool pib;
	bool etrace_told;	/* any that E-Trace alone has */
	bool atb;
	bool list;
	uint8_t id;
};

/* Its input is a struct unwrap_options, all 0 but the size of @pins. */
extern const struct argp unwrap_argp;

#endif /* RVTRACE_TRACECTL_UNWRAP_H */
