/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl encode: what differs between the formats that --format names. */
#ifndef RVTRACE_TRACECTL_ENCODE_FORMAT_H
#define RVTRACE_TRACECTL_ENCODE_FORMAT_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct encode;
struct encode_options;
struct ingress_block;

/* As help texts have them */
#define ENCODE_FORMATS	"ntrace|sifive|etrace|cdl|debugspec"

/**
 * struct encode_format - a format; what is NULL or false there is not
 * @name: as --format has it
 * @title: as a text has it; a dialect has that of its format, and follows it
 * @has_param: --param goes with it
 * @has_xlen: --xlen goes with it
 * @own_option: name of an option that was given and goes with no format of another @own_option
 * @check: what else of the command line does not go together: argp_error()
 * @load: what parameters say, before programs are read; an exit status, after a message
 * @prepare: the encoder, when it is known what the programs say; the same
 * @start: the first instruction is at @pc
 * @block: a block retired
 * @stop: nothing more will
 * @accesses: what it takes that data accesses are traced, as a text has it
 * @check_accesses: NULL, or why they are not; with @accesses
 */
struct encode_format {
	const char *name;
	const char *title;
	bool has_param;
	bool has_xlen;
	const char *const *own_option;
	void (*check)(struct argp_state *state, const struct encode_options *o);
	int (*load)(struct encode *e);
	int (*prepare)(struct encode *e);
	void (*start)(struct encode *e, uint64_t pc);
	void (*block)(struct encode *e, const struct ingress_block *block);
	void (*stop)(struct encode *e);
	const char *accesses;
	const char *(*check_accesses)(void);
};

extern const struct encode_format encode_ntrace;
extern const struct encode_format encode_sifive;
extern const struct encode_format encode_etrace;
extern const struct encode_format encode_cdl;
extern const struct encode_format encode_debugspec;

/* Options of formats. Their input is a struct encode_options. */
extern const struct argp encode_ntrace_argp;
extern const struct argp encode_etrace_argp;
extern const struct argp encode_debugspec_argp;

/* Options that the verb shares with others, and those of formats. */
extern const struct argp_child encode_children[];

/* --format; who gave an unknown one is told. */
const struct encode_format *encode_format_option(struct argp_state *state, const char *arg);

/* "A, B or C" of all; until another list is asked for */
const char *encode_format_names(void);

/* Options that the format does not have: argp_error(). */
void encode_check_format(struct argp_state *state, const struct encode_options *o);

/* Why accesses are not traced that format or parameters lack; until another list is asked for */
const char *encode_no_accesses(void);

#endif /* RVTRACE_TRACECTL_ENCODE_FORMAT_H */
