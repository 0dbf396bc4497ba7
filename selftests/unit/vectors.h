/* SPDX-License-Identifier: GPL-2.0 */
/* The lists of executed instructions in selftests/vectors, encoded. */
#ifndef RVTRACE_SELFTESTS_VECTORS_H
#define RVTRACE_SELFTESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"
#include "tools/encode/pclist.h"

#define VECTORS "selftests/vectors/ntrace/"
#define ETRACE_VECTORS "selftests/vectors/etrace/"

struct vector_file {
	uint8_t *bytes;
	size_t size;
};

/* @out: @size bytes of messages */
struct vector_run {
	struct vector_file elf;
	struct vector_file rom;		/* at 0x1000 */
	struct ntrace_encoder enc;
	struct etrace_encoder etrace;
	uint8_t *out;
	size_t size;
	size_t room;
	bool started;
};

struct vector_file vector_read(const char *path);

/* Encode t1 (params->xlen 32) or qsort (64); the caller frees @run. */
void vector_encode(struct vector_run *run, const struct ntrace_params *params);
/* Encode the list of @program, which tells traps, too; the caller frees @run. */
void vector_encode_etrace(struct vector_run *run, const struct etrace_params *params,
			  const char *program);
void vector_free(struct vector_run *run);

/* What was encoded is what @path holds. */
void vector_compare(const struct vector_run *run, const char *path);

#endif /* RVTRACE_SELFTESTS_VECTORS_H */
