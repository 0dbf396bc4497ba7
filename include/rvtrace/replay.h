/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoding of a recording: its streams fed to the flow layer with everything
 * the recording knows about them.
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
 * struct rvtrace_replay_handler - who takes the items
 * @size: sizeof(struct rvtrace_replay_handler), see rvtrace/rvtrace.h
 * @items: items in stream order, valid during the call; a negative result
 *	ends the replay, which returns it
 * @chunk: told of every chunk of the stream before its items; may be NULL
 * @end: told after the last item, for the statistics of the decoder; may be NULL
 * @data: for all of them
 */
struct rvtrace_replay_handler {
	size_t size;
	int (*items)(void *data, const struct rvtrace_flow_item *items, size_t count);
	int (*chunk)(void *data, const struct rvtrace_chunk *chunk);
	void (*end)(void *data, const struct rvtrace_flow *flow);
	void *data;
};

/**
 * rvtrace_replay_config() - parameters of a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @config: filled from the attributes of its encoders, but for its size
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EPROTONOSUPPORT (a format that cannot be decoded), -EBADMSG
 * (encoders of one stream that contradict each other, or of which nothing is known), -EINVAL,
 * -E2BIG (@config, see rvtrace/rvtrace.h).
 */
int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_failure *error);

/**
 * rvtrace_replay_config_load() - the same from a copy of the metadata alone
 * @path: metadata.json of a recording of one sink
 * @config: filled, but for its size
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: as rvtrace_replay_config(); -EBADMSG as well if it is no such file.
 */
int rvtrace_replay_config_load(const char *path, struct rvtrace_flow_config *config,
			       struct rvtrace_failure *error);

/**
 * rvtrace_replay_resolver() - the resolver of a sink, as its stream needs it
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images, loaded; changed by the resolver
 * @spaces: its address spaces
 * @out: the resolver; rvtrace_resolver_free() it before @program and @spaces
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
 * @resolver: of the sink, with this program
 * @handler: takes the items
 * @error: filled on failure, may be NULL
 *
 * Bytes that were lost, or may have been overwritten, become items of type
 * RVTRACE_FLOW_LOST.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also of @handler, see rvtrace/rvtrace.h.
 */
int rvtrace_replay(struct rvtrace_recording *recording, size_t sink,
		   struct rvtrace_program *program, struct rvtrace_resolver *resolver,
		   const struct rvtrace_replay_handler *handler,
		   struct rvtrace_failure *error);

/**
 * rvtrace_replay_window() - decode what a sink's stream says of some time
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images
 * @resolver: of the sink, with this program
 * @from: the first time, as items have it; 0: from the start of the stream
 * @to: the last time; UINT64_MAX: up to its end
 * @handler: takes the items, of which some are earlier or later
 * @error: filled on failure, may be NULL
 *
 * Items of that time are those of rvtrace_replay(). Of N-Trace, decoding begins where the index of
 * the recording says, so early that each source is synchronized before @from; of other formats, and
 * where no clock is known or timestamps restart, at the start. It ends when all sources, also those
 * that are stopped, are behind @to, or one of them is by a second. Statistics are of what was
 * decoded from @from on.
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also of @handler, see rvtrace/rvtrace.h.
 */
int rvtrace_replay_window(struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_program *program, struct rvtrace_resolver *resolver,
			  uint64_t from, uint64_t to,
			  const struct rvtrace_replay_handler *handler,
			  struct rvtrace_failure *error);

/**
 * rvtrace_replay_file() - decode a file that holds nothing but a stream
 * @fd: the file, read to its end
 * @name: what error texts call it
 * @config: parameters of the stream
 * @image: its images
 * @handler: takes the items; each piece read is a chunk of RVTRACE_CHUNK_DATA
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno; -EINVAL, -E2BIG: also of @config or @handler, see
 * rvtrace/rvtrace.h.
 */
int rvtrace_replay_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			const struct rvtrace_image *image,
			const struct rvtrace_replay_handler *handler,
			struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_REPLAY_H */
