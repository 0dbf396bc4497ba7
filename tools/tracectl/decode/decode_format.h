/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode: what differs between the formats that --format names. */
#ifndef RVTRACE_TRACECTL_DECODE_FORMAT_H
#define RVTRACE_TRACECTL_DECODE_FORMAT_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/error.h>
#include <rvtrace/event.h>
#include <rvtrace/flow_config.h>

struct packet_format;
struct raw_options;
struct trace_input;

/* Which options that are parameters of a stream, besides --xlen, go with a format. */
enum decode_parameters {
	PARAMETERS_ALL,
	PARAMETERS_IN_FILE,	/* --param says them */
	PARAMETERS_NONE,
};

/**
 * struct decode_format - a format; what is NULL or false there is not
 * @name: as --format has it
 * @title: as a text has it
 * @library: its name in the library, see rvtrace_format_find(); NULL: it has packets only
 * @sifive: SiFive's messages, before N-Trace 1.0
 * @width: what parameters call the width of addresses
 * @is_narrow: programs may be wider than addresses are
 * @needs_param: no --param, no decoding
 * @needs_no_program: the trace says all
 * @has_vectors: --stvec and --mtvec go with it
 * @parameters: options that go with it
 * @depth_max: the most that --implicit-return may say
 * @packets: reads its packets
 * @open: a reader of these for what the command line says; NULL: @packets has one
 * @set_events: what carries its software trace events, and the parameters of that; 0, a negative
 *	errno. NULL: nothing carries any
 * @set_config: what the command line says, where no file does
 * @own_option: an option that was given and goes with no other format; NULL: none was
 * @check: what else of the command line does not go together: argp_error()
 * @wraps: whether the file is a buffer as it lay in memory, by the command line or by @config: 1,
 *	0, a negative errno; NULL: it cannot be
 * @unwrap: what to read of a buffer of @size bytes, into @spans and @config. 0, a negative errno
 * @counts_places: places of synchronization are counted from the encoder's release from reset
 */
struct decode_format {
	const char *name;
	const char *title;
	const char *library;
	bool sifive;
	const char *width;
	bool is_narrow;
	bool needs_param;
	bool needs_no_program;
	bool has_vectors;
	enum decode_parameters parameters;
	int depth_max;
	const struct packet_format *packets;
	void *(*open)(const struct raw_options *raw);
	int (*set_events)(const struct trace_input *in, struct rvtrace_event_config *config,
			  struct rvtrace_failure *error);
	void (*set_config)(const struct raw_options *raw, struct rvtrace_flow_config *config);
	const char *(*own_option)(const struct raw_options *raw);
	void (*check)(struct argp_state *state, const struct trace_input *in);
	int (*wraps)(struct trace_input *in, struct rvtrace_failure *error);
	int (*unwrap)(struct trace_input *in, uint64_t size, struct rvtrace_failure *error);
	bool (*counts_places)(const struct rvtrace_flow_config *config);
};

extern const struct decode_format decode_ntrace;
extern const struct decode_format decode_sifive;
extern const struct decode_format decode_etrace;
extern const struct decode_format decode_cdl;
extern const struct decode_format decode_osd;
extern const struct decode_format decode_debugspec;

/* All formats, the default first, then NULL. */
extern const struct decode_format *const decode_formats[];

/* Options that the verb shares with others, and those of formats. */
extern const struct argp_child decode_children[];

/* That of a configuration; one has. */
const struct decode_format *decode_format_of(const struct rvtrace_flow_config *config);

/* --format: one of those for which @fits (NULL: of all); who gave another one is told. */
const struct decode_format *decode_format_option(struct argp_state *state, const char *option,
						 bool (*fits)(const struct decode_format *format),
						 const char *arg);

/* Those for which @fits, by name or title, with @last (" or ") before the last one; until called again */
const char *decode_format_list(bool (*fits)(const struct decode_format *format), bool titles,
			       const char *last);

/* An option of the command line, one that is a parameter, that @config contradicts; NULL: none. */
const char *decode_ntrace_contradiction(const struct raw_options *raw,
					const struct rvtrace_flow_config *config);

/* Options of one format go with no other one: argp_error(). */
void decode_check_own_options(struct argp_state *state, const struct trace_input *in);

#endif /* RVTRACE_TRACECTL_DECODE_FORMAT_H */
