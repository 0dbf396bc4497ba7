/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl encode: its command line, and what it tells the encoders. */
#ifndef RVTRACE_TRACECTL_ENCODE_H
#define RVTRACE_TRACECTL_ENCODE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/etrace.h>

#include "tools/encode/cdl.h"
#include "tools/encode/debugspec.h"
#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"
#include "tools/tracectl/parse.h"

#define MAX_ENCODE_IMAGES	16

enum encode_format {
	ENCODE_NONE,
	ENCODE_NTRACE,
	ENCODE_ETRACE,
	ENCODE_CDL,
	ENCODE_DEBUGSPEC,
};

/**
 * struct encode_debugspec - debug specification: what the command line says
 * @option: name of an option given that it alone has, or NULL
 * @params: of the encoder
 * @buffer_size: 0: there are no synchronization points
 */
struct encode_debugspec {
	const char *option;
	struct debugspec_params params;
	uint32_t buffer_size;
};

/**
 * struct encode_options - what the command line says
 * @list: file with executed addresses, "-" is standard input
 * @output: file; NULL: standard output
 * @images: the program
 * @image_count: how many
 * @format: of the trace
 * @sifive: N-Trace as SiFive's encoders before N-Trace 1.0 have it
 * @param: E-Trace and CDL: file with parameters
 * @reference: choices of the reference encoders where the specification leaves them
 * @xlen: 32 or 64; 0: as the program says
 * @priv: privilege of a list that does not tell it
 * @ntrace: N-Trace: parameters
 * @modes: E-Trace: set of ETRACE_MODE(); -1: as the parameters say
 * @flow: E-Trace: of the encapsulation; -1: 0
 * @sync: what the periodic synchronization counts: values of both enum ntrace_sync_mode and
 *	enum etrace_sync_mode
 * @sync_interval: how many of them
 * @ntrace_option: name of an option given that N-Trace alone has, or NULL
 * @etrace_option: the same of E-Trace
 * @debugspec: debug specification
 */
struct encode_options {
	const char *list;
	const char *output;
	struct image_option images[MAX_ENCODE_IMAGES];
	unsigned int image_count;
	enum encode_format format;
	bool sifive;
	const char *param;
	bool reference;
	unsigned int xlen;
	uint8_t priv;
	struct ntrace_params ntrace;
	int modes;
	int flow;
	unsigned int sync;
	uint64_t sync_interval;
	const char *ntrace_option;
	const char *etrace_option;
	struct encode_debugspec debugspec;
};

/* Its input is a struct encode_options of zeros. */
extern const struct argp encode_argp;

/* Parameters for the encoder from those that a file told. */
struct etrace_params encode_etrace_params(const struct encode_options *options,
					  const struct rvtrace_etrace_params *params);

struct rvtrace_cdl_config;
struct cdl_params encode_cdl_params(const struct rvtrace_cdl_config *config);

/* Whether a line of the list begins as a data access does. */
bool encode_is_access(const char *line);

/* One that does. Return: NULL, or what is wrong with it. */
const char *encode_access(const char *line, struct ingress_access *access);

/* Options of the debug specification. Its input is a struct encode_debugspec. */
extern const struct argp encode_debugspec_argp;

/* What the instruction tells of its access. */
void encode_access_code(uint32_t bits, struct ingress_access *access);

#endif /* RVTRACE_TRACECTL_ENCODE_H */
