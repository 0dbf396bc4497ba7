/* SPDX-License-Identifier: GPL-2.0 */
/* What several threads decoded, as one piece, to compare with what one decoder yields. */
#ifndef RVTRACE_PARALLEL_FIXTURE_H
#define RVTRACE_PARALLEL_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/parallel.h>

#include "selftests/unit/random-program.h"

#define ELF	"selftests/vectors/ntrace/qsort/qsort.riscv"
#define ETRACE_PROGRAM	"multiply"
#define JOBS_MAX	4

/* Items, one after the other, blocks as items of their own. */
struct record {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

/* @parts: how many were committed with something in them; @fail_at: number of the failing commit */
struct result {
	struct record all;
	unsigned int parts;
	unsigned int commits;
	unsigned int fail_at;
	struct rvtrace_flow_stats stats[HARTS];
};

/* What a decoder counted of each hart. */
void take_stats(const struct rvtrace_flow *flow, struct rvtrace_flow_stats stats[HARTS]);

/* Append an item to a record. */
void record_item(struct record *r, const struct rvtrace_flow_item *item);

/* What commits to @result. */
struct rvtrace_parallel_handler parallel_handler(struct result *result);

/* Both are the same, and freed. Return: how many parts there were. */
unsigned int expect_same(struct result *together, struct result *alone);

/* The encoder of @ELF. */
struct ntrace_params qsort_params(bool history, unsigned int call_stack, uint64_t sync);

#endif /* RVTRACE_PARALLEL_FIXTURE_H */
