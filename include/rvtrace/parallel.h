/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoding of one stream by several threads, with the same result as by one thread.
 *
 * The stream is cut into segments. One decoder per segment starts at the first synchronizations of
 * its segment, without knowledge of the earlier stream. The decoder of the previous segment
 * continues up to there. If both are then in the same state, the rest of the segment is what one
 * decoder alone would yield. Otherwise the decoder of the previous segment continues, and the items
 * of the segment's own decoder are dropped. So cuts affect only time and the boundaries of runs of
 * blocks.
 */
#ifndef RVTRACE_PARALLEL_H
#define RVTRACE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/flow.h>
#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/resolver.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_parallel_counts - statistics of the segments
 * @size: sizeof(struct rvtrace_parallel_counts), see rvtrace/rvtrace.h
 * @segments: number of segments, 1 with one thread
 * @again: segments decoded twice, because their own decoder did not reach the same state
 */
struct rvtrace_parallel_counts {
	size_t size;
	uint64_t segments;
	uint64_t again;
};

/**
 * struct rvtrace_parallel_handler - receiver of the items
 * @size: sizeof(struct rvtrace_parallel_handler), see rvtrace/rvtrace.h
 * @part_new: creates the state for the items of a segment, which thread number @worker yields;
 *	NULL: no memory
 * @items: receives items in stream order, valid during the call. Several threads call it at once,
 *	each with its own part. A positive result: the part is full and waits for its commit. A
 *	negative result ends the decoding, which returns it
 * @commit: commits the items of @part; all earlier items are committed already. Called in stream
 *	order, by one thread at a time. @part is empty afterwards, and may receive more items. A
 *	negative result ends the decoding, which returns it
 * @part_free: frees a part, which is not used afterwards; uncommitted items are dropped
 * @end: called after the last commit with the decoder, for its statistics; may be NULL
 * @counts: filled after the last commit, 0 until then, except its size; may be NULL
 * @data: passed to the functions
 */
struct rvtrace_parallel_handler {
	size_t size;
	void *(*part_new)(void *data, unsigned int worker);
	int (*items)(void *part, const struct rvtrace_flow_item *items, size_t count);
	int (*commit)(void *data, void *part);
	void (*part_free)(void *part);
	void (*end)(void *data, const struct rvtrace_flow *flow);
	struct rvtrace_parallel_counts *counts;
	void *data;
};

/**
 * struct rvtrace_parallel_worker - images and resolver of a thread
 * @program: the images; with a resolver, not shared with another thread
 * @resolver: resolver for this program, or NULL
 */
struct rvtrace_parallel_worker {
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
};

/**
 * rvtrace_parallel_possible() - whether more than one thread can decode a stream
 * @config: its parameters
 *
 * Return: false if one thread decodes the stream for any number of jobs, or if the parameters are
 * invalid.
 */
bool rvtrace_parallel_possible(const struct rvtrace_flow_config *config);

/**
 * rvtrace_parallel_file() - decode a file that contains only a stream
 * @fd: the file, read to its end
 * @name: name of the file in error texts
 * @config: parameters of the stream, without a resolver
 * @workers: one for each thread, with the same images
 * @jobs: number of threads that decode, at least 1
 * @segment: bytes of a segment; 0: the best size
 * @handler: receives the items
 * @error: filled on failure, may be NULL
 *
 * One thread decodes E-Trace whose packets have a type (type_width), with or without data trace. In
 * effect, one thread also decodes E-Trace whose encoder keeps calls or jump targets across a
 * synchronization: infer_all_returns, resynchronization disabled, a jump target cache that is not
 * refilled.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also for @config or @handler, -EINVAL for its
 * counts, see rvtrace/rvtrace.h.
 */
int rvtrace_parallel_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			  const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			  size_t segment, const struct rvtrace_parallel_handler *handler,
			  struct rvtrace_failure *error);

/**
 * rvtrace_parallel_replay() - decode a sink's stream
 * @recording: the recording, which no other thread reads during the call
 * @sink: index of the sink
 * @workers: one for each thread, with resolvers of the sink
 * @jobs: number of threads that decode, at least 1
 * @segment: bytes of a segment; 0: the best size
 * @handler: receives the items
 * @error: filled on failure, may be NULL
 *
 * Yields the items of rvtrace_replay(). One thread decodes the formats that one thread decodes in
 * rvtrace_parallel_file().
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also for @handler, -EINVAL for its counts, see
 * rvtrace/rvtrace.h.
 */
int rvtrace_parallel_replay(struct rvtrace_recording *recording, size_t sink,
			    const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			    size_t segment, const struct rvtrace_parallel_handler *handler,
			    struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_PARALLEL_H */
