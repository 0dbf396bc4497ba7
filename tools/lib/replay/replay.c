// SPDX-License-Identifier: LGPL-2.1-or-later
/* A recording's streams through the flow layer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rvtrace/replay.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/sized.h"
#include "tools/lib/flow/flow_format.h"
#include "tools/lib/process/resolver_internal.h"
#include "replay_internal.h"

#define BATCH	256		/* items read at a time */
#define PIECE	(256 * 1024)	/* bytes read at a time */

int replay_errno(int ret, struct rvtrace_failure *error)
{
	int code = ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM :
		   ret == RVTRACE_ERR_TOO_NEW ? -E2BIG : -EINVAL;

	return ret ? fail(error, code, "decoder", rvtrace_strerror(ret)) : 0;
}

int replay_handler_take(struct rvtrace_replay_handler *own,
			const struct rvtrace_replay_handler *theirs,
			struct rvtrace_failure *error)
{
	return replay_errno(sized_take(own, sizeof(*own), theirs, &own->data + 1), error);
}

static int drain(struct rvtrace_flow *flow, const struct rvtrace_replay_handler *handler,
		 struct rvtrace_failure *error)
{
	struct rvtrace_flow_item items[BATCH];
	int count, ret;

	while ((count = rvtrace_flow_read(flow, items, BATCH)) > 0) {
		ret = handler->items(handler->data, items, count);
		if (ret < 0)
			return ret;
	}
	return count < 0 ? replay_errno(count, error) : 0;
}

int replay_feed(struct rvtrace_flow *flow, const struct rvtrace_chunk *chunk,
		struct rvtrace_failure *error)
{
	uint64_t next = chunk->offset;
	int ret;

	switch (chunk->type) {
	case RVTRACE_CHUNK_DATA:
		ret = rvtrace_flow_feed(flow, chunk->data, chunk->length);
		break;
	case RVTRACE_CHUNK_OVERWRITTEN:
		next += chunk->length;
		/* fallthrough */
	case RVTRACE_CHUNK_LOST:
		ret = rvtrace_flow_lost(flow, chunk->length, next, 0);
		break;
	case RVTRACE_CHUNK_RESTART:
		ret = rvtrace_flow_restart(flow, chunk->restart);
		break;
	default:
		return 0;
	}
	return ret ? replay_errno(ret, error) : 0;
}

static int finish(struct rvtrace_flow *flow, const struct rvtrace_replay_handler *handler,
		  struct rvtrace_failure *error)
{
	int ret = rvtrace_flow_finish(flow);

	ret = ret ? replay_errno(ret, error) : drain(flow, handler, error);
	if (!ret && handler->end)
		handler->end(handler->data, flow);
	return ret;
}

struct playing {
	struct rvtrace_flow *flow;
	const struct rvtrace_replay_handler *handler;
	struct rvtrace_failure *error;
};

static int play_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	const struct playing *p = data;
	int ret = p->handler->chunk ? p->handler->chunk(p->handler->data, chunk) : 0;

	if (ret >= 0)
		ret = replay_feed(p->flow, chunk, p->error);
	if (ret >= 0)
		ret = drain(p->flow, p->handler, p->error);
	return ret < 0 ? ret : 0;
}

/* Where the stream has nothing but writes to registers to tell processes apart */
static int read_writes(struct rvtrace_recording *recording, size_t sink,
		       struct rvtrace_resolver *resolver, struct rvtrace_failure *error)
{
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	const struct flow_format *format = NULL;
	void *reader;
	int ret;

	if (!rvtrace_replay_config(recording, sink, &config, NULL))
		format = flow_format_of(&config);
	if (!format || !format->reader->next_write)
		return 0;
	ret = format->open(&config, &reader);
	if (ret)
		return replay_errno(ret, error);
	ret = resolver_read_writes(resolver, recording, sink, format->reader, reader, error);
	format->reader->free(reader);
	return ret;
}

int rvtrace_replay_resolver(struct rvtrace_recording *recording, size_t sink,
			    struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
			    struct rvtrace_resolver **out, struct rvtrace_failure *error)
{
	struct rvtrace_resolver *resolver;
	int ret = rvtrace_resolver_new(recording, sink, program, spaces, &resolver, error);

	if (ret)
		return ret;
	ret = read_writes(recording, sink, resolver, error);
	if (ret)
		rvtrace_resolver_free(resolver);
	else
		*out = resolver;
	return ret;
}

int rvtrace_replay(struct rvtrace_recording *recording, size_t sink,
		   struct rvtrace_program *program, struct rvtrace_resolver *resolver,
		   const struct rvtrace_replay_handler *handler,
		   struct rvtrace_failure *error)
{
	struct rvtrace_replay_handler own;
	struct playing playing = { .handler = &own, .error = error };
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	int ret = replay_handler_take(&own, handler, error);

	if (!ret)
		ret = rvtrace_replay_config(recording, sink, &config, error);
	if (ret)
		return ret;
	rvtrace_resolver_attach(resolver, &config);
	ret = rvtrace_flow_new(&config, program->image, &playing.flow);
	if (ret)
		return replay_errno(ret, error);
	ret = rvtrace_recording_each_chunk(recording, sink, play_chunk, &playing, error);
	if (!ret)
		ret = finish(playing.flow, &own, error);
	rvtrace_flow_free(playing.flow);
	return ret;
}

int rvtrace_replay_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			const struct rvtrace_image *image,
			const struct rvtrace_replay_handler *handler,
			struct rvtrace_failure *error)
{
	struct rvtrace_chunk chunk = { .type = RVTRACE_CHUNK_DATA };
	struct rvtrace_replay_handler own;
	struct playing playing = { .handler = &own, .error = error };
	int ret = replay_handler_take(&own, handler, error);
	uint8_t *buffer;
	ssize_t got;

	if (ret)
		return ret;
	buffer = malloc(PIECE);
	if (!buffer)
		return fail(error, -ENOMEM, name, "out of memory");
	ret = rvtrace_flow_new(config, image, &playing.flow);
	if (ret) {
		free(buffer);
		return replay_errno(ret, error);
	}
	chunk.data = buffer;
	while (!ret && (got = read(fd, buffer, PIECE)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			ret = fail(error, -errno, name, strerror(errno));
			break;
		}
		chunk.length = got;
		ret = play_chunk(&playing, &chunk);
		chunk.offset += got;
		chunk.position += got;
	}
	if (!ret)
		ret = finish(playing.flow, &own, error);
	rvtrace_flow_free(playing.flow);
	free(buffer);
	return ret;
}
