/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One stream decoded by several threads, with the result of one.
 *
 * The stream is cut into segments. Each is decoded from its first synchronizations on, by a decoder
 * that knows nothing of what came before; the decoder of the segment before goes on up to there.
 * Where both then are in the same state, what follows is what one decoder alone would have yielded.
 * Where they are not, the decoder of the segment before goes on, and what the other one did is
 * dropped. So cuts are of no consequence but for time, and for runs of blocks, which may be cut in
 * other places.
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
 * struct rvtrace_parallel_counts - how well a stream could be cut
 * @size: sizeof(struct rvtrace_parallel_counts), see rvtrace/rvtrace.h
 * @segments: how many there were, 1 with one thread
 * @again: how many of them were decoded twice, as their own decoder did not get to the same state
 */
struct rvtrace_parallel_counts {
	size_t size;
	uint64_t segments;
	uint64_t again;
};

/**
 * struct rvtrace_parallel_handler - who takes the items
 * @size: sizeof(struct rvtrace_parallel_handler), see rvtrace/rvtrace.h
 * @part_new: state for items of a segment, which thread number @worker yields; NULL: no
 *	memory
 * @items: items in stream order, valid during the call; several threads call it at once, each with
 *	a part of its own. A positive result: the part has so much that it waits for its commit. A
 *	negative result ends the decoding, which returns it
 * @commit: everything before the items of @part was committed, and these are to be: called in
 *	stream order, by one thread at a time. @part is empty then, and may get more items. A
 *	negative result as with @items
 * @part_free: of no use any more; uncommitted items are dropped
 * @end: told after the last commit, for the statistics of the decoder; may be NULL
 * @counts: filled after the last commit, 0 until then, but for its size; may be NULL
 * @data: for them
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
 * struct rvtrace_parallel_worker - what a thread decodes with
 * @program: the images; with a resolver, no other thread's
 * @resolver: with this program, or NULL
 */
struct rvtrace_parallel_worker {
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
};

/**
 * rvtrace_parallel_possible() - whether more than one thread can decode a stream
 * @config: its parameters
 *
 * Return: false: however many there are, one does; also if the parameters cannot be.
 */
bool rvtrace_parallel_possible(const struct rvtrace_flow_config *config);

/**
 * rvtrace_parallel_file() - decode a file that holds nothing but a stream
 * @fd: the file, read to its end
 * @name: what error texts call it
 * @config: parameters of the stream, without a resolver
 * @workers: one for each thread, all of which know the same
 * @jobs: how many threads decode, at least 1
 * @segment: bytes of a segment; 0: what is best
 * @handler: takes the items
 * @error: filled on failure, may be NULL
 *
 * E-Trace whose packets have a type (type_width), with data trace or without, is decoded by one
 * thread. So is, in effect, E-Trace whose encoder remembers calls or jump targets beyond a
 * synchronization: infer_all_returns, resynchronization disabled, a jump target cache that is not
 * filled anew.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also of @config or @handler, -EINVAL of its counts, see
 * rvtrace/rvtrace.h.
 */
int rvtrace_parallel_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			  const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			  size_t segment, const struct rvtrace_parallel_handler *handler,
			  struct rvtrace_failure *error);

/**
 * rvtrace_parallel_replay() - decode a sink's stream
 * @recording: the recording, which nobody else reads meanwhile
 * @sink: index of the sink
 * @workers: one for each thread, with resolvers of the sink
 * @jobs: how many threads decode, at least 1
 * @segment: bytes of a segment; 0: what is best
 * @handler: takes the items
 * @error: filled on failure, may be NULL
 *
 * Yields what rvtrace_replay() does. One thread decodes what one does in rvtrace_parallel_file().
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also of @handler, -EINVAL of its counts, see
 * rvtrace/rvtrace.h.
 */
int rvtrace_parallel_replay(struct rvtrace_recording *recording, size_t sink,
			    const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			    size_t segment, const struct rvtrace_parallel_handler *handler,
			    struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_PARALLEL_H */
