/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl encode: its command line, and a list of executed addresses on its way to trace. */
#ifndef RVTRACE_TRACECTL_ENCODE_H
#define RVTRACE_TRACECTL_ENCODE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rvtrace/insn.h>
#include <rvtrace/program.h>

#include "tools/encode/ingress.h"
#include "tools/encode/pclist.h"
#include "tools/tracectl/parse.h"

#define MAX_ENCODE_IMAGES	16

#define MAX_ENCODE_ACCESSES	65536	/* of one block */

struct encode_format;

/**
 * struct encode_options - what the command line says; options of one format are in its file
 * @list: file with executed addresses, "-" is standard input
 * @output: file; NULL: standard output
 * @images: the program
 * @image_count: how many
 * @format: of the trace
 * @param: file with parameters
 * @reference: choices of the reference encoders where the specification leaves them
 * @xlen: 32 or 64; 0: as the program says
 * @priv: privilege of a list that does not tell it
 * @sync: what the periodic synchronization counts: values that the formats' own have, too
 * @sync_interval: how many of them
 */
struct encode_options {
	const char *list;
	const char *output;
	struct image_option images[MAX_ENCODE_IMAGES];
	unsigned int image_count;
	const struct encode_format *format;
	const char *param;
	bool reference;
	unsigned int xlen;
	uint8_t priv;
	unsigned int sync;
	uint64_t sync_interval;
};

/**
 * struct encode - a list that is encoded
 * @xlen: 0: neither the command line nor parameters nor a program said it yet
 * @address_width: what addresses have to fit into; 0: anything
 * @isa: what the programs say they use
 * @single: the hart retires one instruction at a time
 * @first: what the list begins with
 * @started: the encoder was
 * @table: the list has columns
 * @name: of the list
 * @time, @cycles: of the last block
 * @pc: of the last instruction
 * @accesses: since the last block
 * @write_error: errno
 */
struct encode {
	struct encode_options options;
	struct rvtrace_program *program;
	unsigned int xlen;
	unsigned int address_width;
	struct rvtrace_isa isa;
	bool single;
	struct pclist list;
	struct ingress_context first;
	bool started;
	bool table;
	const char *name;
	uint64_t line;
	uint64_t insns;
	uint64_t time;
	uint64_t cycles;
	uint64_t pc;
	struct ingress_access accesses[MAX_ENCODE_ACCESSES];
	uint32_t access_count;
	FILE *file;
	int write_error;
};

/* Its input is a struct encode_options of zeros. */
extern const struct argp encode_argp;

/* Where encoders put trace; @data is the struct encode. */
bool encode_write(void *data, const uint8_t *bytes, size_t size);

/* Whether a line of the list begins as a data access does. */
bool encode_is_access(const char *line);

/* One that does. Return: NULL, or what is wrong with it. */
const char *encode_access(const char *line, struct ingress_access *access);

/* What the instruction tells of its access. */
void encode_access_code(uint32_t bits, struct ingress_access *access);

#endif /* RVTRACE_TRACECTL_ENCODE_H */
