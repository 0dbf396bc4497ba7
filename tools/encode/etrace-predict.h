/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an E-Trace encoder predicts, in step with the decoder: branches, targets of jumps, returns
 * (chapter "Optional and run-time configurable modes").
 */
#ifndef RVTRACE_ENCODE_ETRACE_PREDICT_H
#define RVTRACE_ENCODE_ETRACE_PREDICT_H

#include "tools/encode/etrace.h"

/* As after a synchronization packet. */
void etrace_forget(struct etrace_encoder *enc);
void etrace_forget_targets(struct etrace_encoder *enc);

/* A branch retired. @reported: a synchronization packet tells whether it was taken. */
void etrace_branch(struct etrace_encoder *enc, const struct etrace_event *branch, bool reported);

/* Return: all unreported branches went as predicted, and a map cannot hold them. */
bool etrace_counts_branches(const struct etrace_encoder *enc);

unsigned int etrace_cache_index(const struct etrace_encoder *enc, uint64_t address);
bool etrace_cache_hit(const struct etrace_encoder *enc, uint64_t address);
void etrace_cache_store(struct etrace_encoder *enc, uint64_t address);

void etrace_call(struct etrace_encoder *enc, uint64_t address);

/* What a return is */
enum etrace_return {
	ETRACE_RETURN_UNKNOWN,	/* nothing is expected */
	ETRACE_RETURN_INFERRED,
	ETRACE_RETURN_FAILED,	/* not where it was expected to */
};

/* A return retired. @depth: set to the calls that were open before it. */
enum etrace_return etrace_return_to(struct etrace_encoder *enc, uint64_t target, uint32_t *depth);

/* Return: a return to @target will not be where it is expected to. */
bool etrace_return_fails(const struct etrace_encoder *enc, uint64_t target);

/* Return: calls that were not returned from. */
uint32_t etrace_depth(const struct etrace_encoder *enc);

#endif /* RVTRACE_ENCODE_ETRACE_PREDICT_H */
