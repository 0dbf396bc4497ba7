/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoding of a recording: feeds its streams to the flow layer, with all information that the
 * recording has about them.
 */
#ifndef RVTRACE_REPLAY_H
#define RVTRACE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/flow.h>
#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/resolver.h>
#include <rvtrace/spaces.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_replay_handler - receiver of the items
 * @size: sizeof(struct rvtrace_replay_handler), see rvtrace/rvtrace.h
 * @items: receives items in stream order, valid during the call; a negative result ends the replay,
 *	which returns it
 * @chunk: called with every chunk of the stream before its items; may be NULL
 * @end: called after the last item with the decoder, for its statistics; may be NULL
 * @data: passed to all of them
 */
struct rvtrace_replay_handler {
	size_t size;
	int (*items)(void *data, const struct rvtrace_flow_item *items, size_t count);
	int (*chunk)(void *data, const struct rvtrace_chunk *chunk);
	void (*end)(void *data, const struct rvtrace_flow *flow);
	void *data;
};

/**
 * rvtrace_replay_config() - make the parameters of a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @config: filled from the attributes of its encoders, except its size
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EPROTONOSUPPORT (a format that cannot be decoded), -EBADMSG (encoders of one stream
 * that contradict each other, or without known parameters), -EINVAL, -E2BIG (for @config, see
 * rvtrace/rvtrace.h).
 */
int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_failure *error);

/**
 * rvtrace_replay_config_load() - make the parameters from a copy of the metadata alone
 * @path: metadata.json of a recording of one sink
 * @config: filled, except its size
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: as rvtrace_replay_config(); -EBADMSG also if the file has other contents.
 */
int rvtrace_replay_config_load(const char *path, struct rvtrace_flow_config *config,
			       struct rvtrace_failure *error);

/**
 * rvtrace_replay_resolver() - create the resolver that a sink's stream needs
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images, loaded; changed by the resolver
 * @spaces: its address spaces
 * @out: the resolver; free it with rvtrace_resolver_free() before @program and @spaces
 * @error: filled on failure, may be NULL
 *
 * Return: as rvtrace_resolver_new().
 */
int rvtrace_replay_resolver(struct rvtrace_recording *recording, size_t sink,
			    struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
			    struct rvtrace_resolver **out, struct rvtrace_failure *error);

/**
 * rvtrace_replay() - decode a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images
 * @resolver: resolver of the sink, for this program
 * @handler: receives the items
 * @error: filled on failure, may be NULL
 *
 * Bytes that were lost, or may have been overwritten, become items of type RVTRACE_FLOW_LOST.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also for @handler, see rvtrace/rvtrace.h.
 */
int rvtrace_replay(struct rvtrace_recording *recording, size_t sink,
		   struct rvtrace_program *program, struct rvtrace_resolver *resolver,
		   const struct rvtrace_replay_handler *handler,
		   struct rvtrace_failure *error);

/**
 * rvtrace_replay_window() - decode a range of time of a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images
 * @resolver: resolver of the sink, for this program
 * @from: first time, as in items; 0: from the start of the stream
 * @to: last time; UINT64_MAX: up to the end of the stream
 * @handler: receives the items; some of them are earlier or later
 * @error: filled on failure, may be NULL
 *
 * The items of that time are those of rvtrace_replay(). With N-Trace, decoding begins at a place
 * from the index of the recording, so early that each source is synchronized before @from. It
 * begins at the start of the stream with other formats, without a known clock, and if timestamps
 * restart. It ends when all sources, stopped ones included, are after @to, or when one of them is a
 * second after it. Statistics cover the trace that was decoded from @from on.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also for @handler, see rvtrace/rvtrace.h.
 */
int rvtrace_replay_window(struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_program *program, struct rvtrace_resolver *resolver,
			  uint64_t from, uint64_t to,
			  const struct rvtrace_replay_handler *handler,
			  struct rvtrace_failure *error);

/**
 * rvtrace_replay_file() - decode a file that contains only a stream
 * @fd: the file, read to its end
 * @name: name of the file in error texts
 * @config: parameters of the stream
 * @image: its images
 * @handler: receives the items; each piece read is a chunk of RVTRACE_CHUNK_DATA
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also for @config or @handler, see
 * rvtrace/rvtrace.h.
 */
int rvtrace_replay_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			const struct rvtrace_image *image,
			const struct rvtrace_replay_handler *handler,
			struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_REPLAY_H */
