// SPDX-License-Identifier: LGPL-2.1-or-later
/* A recording's streams through the flow layer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/replay.h>

#include "fail.h"

#define BATCH	256		/* items read at a time */
#define PIECE	(256 * 1024)	/* bytes read at a time */

static bool is_on(const struct rvtrace_recording_source *source, const char *name)
{
	const char *text = rvtrace_recording_attribute(source, name);

	return text && *text && strcmp(text, "0");
}

/* SiFive's own messages, before N-Trace 1.0. */
static bool is_sifive(const struct rvtrace_recording_source *source)
{
	const char *generation = rvtrace_recording_attribute(source, "generation");

	return generation && !strcmp(generation, "TCI 0");
}

static bool same_config(const struct rvtrace_flow_config *a, const struct rvtrace_flow_config *b)
{
	return a->src_bits == b->src_bits && a->implicit_return == b->implicit_return &&
	       a->sequential_jump == b->sequential_jump && a->sifive == b->sifive;
}

static unsigned int xlen_of(const struct rvtrace_recording *recording)
{
	struct json_object *host = NULL, *machine = NULL;
	const char *name;

	json_object_object_get_ex(rvtrace_recording_metadata(recording), "host", &host);
	json_object_object_get_ex(host, "machine", &machine);
	name = json_object_get_string(machine);
	return name && !strcmp(name, "riscv32") ? 32 : 64;
}

int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_recording_error *error)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	size_t i;

	memset(config, 0, sizeof(*config));
	config->isa.xlen = xlen_of(recording);
	config->time_bits = rvtrace_recording_timestamp_bits(recording, sink);
	config->priv_by_address = config->isa.xlen == 64;
	/* As when the metadata was lost. */
	if (!s->source_count)
		return fail(error, -EBADMSG, s->name,
			    "nothing is known of its encoders (src_bits, inst_en_call_stack, inst_en_sequential_jump): its .bin files decode in a row as raw trace, given these");
	for (i = 0; i < s->source_count; i++) {
		const struct rvtrace_recording_source *source = &s->sources[i];
		struct rvtrace_flow_config mine = *config;

		if (strcmp(source->format, "ntrace"))
			return fail(error, -EPROTONOSUPPORT, source->component,
				    "its trace format cannot be decoded");
		mine.src_bits = is_on(source, "inhibit_src") ? 0 : source->src_bits;
		mine.implicit_return = is_on(source, "inst_en_call_stack");
		mine.sequential_jump = is_on(source, "inst_en_sequential_jump");
		mine.sifive = is_sifive(source);
		if (i && !same_config(&mine, config))
			return fail(error, -EBADMSG, s->name,
				    "its encoders contradict each other (generation, src_bits, inhibit_src, inst_en_call_stack, inst_en_sequential_jump)");
		/* where some say their privilege, addresses do not count */
		mine.priv_by_address &= !is_on(source, "context");
		*config = mine;
	}
	if (s->source_count > 1 && !config->src_bits)
		return fail(error, -EBADMSG, s->name,
			    "several encoders, but messages do not tell them apart (src_bits 0)");
	return 0;
}

static int flow_errno(int ret, struct rvtrace_recording_error *error)
{
	return fail(error, ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : -EINVAL, "decoder",
		    rvtrace_strerror(ret));
}

static int drain(struct rvtrace_flow *flow, const struct rvtrace_replay_handler *handler,
		 struct rvtrace_recording_error *error)
{
	struct rvtrace_flow_item items[BATCH];
	int count, ret;

	while ((count = rvtrace_flow_read(flow, items, BATCH)) > 0) {
		ret = handler->items(handler->data, items, count);
		if (ret < 0)
			return ret;
	}
	return count < 0 ? flow_errno(count, error) : 0;
}

static int take_chunk(struct rvtrace_flow *flow, const struct rvtrace_chunk *chunk,
		      const struct rvtrace_replay_handler *handler,
		      struct rvtrace_recording_error *error)
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
	default:
		return 0;
	}
	return ret ? flow_errno(ret, error) : drain(flow, handler, error);
}

static int finish(struct rvtrace_flow *flow, const struct rvtrace_replay_handler *handler,
		  struct rvtrace_recording_error *error)
{
	int ret = rvtrace_flow_finish(flow);

	ret = ret ? flow_errno(ret, error) : drain(flow, handler, error);
	if (!ret && handler->end)
		handler->end(handler->data, flow);
	return ret;
}

static int play_chunk(struct rvtrace_flow *flow, const struct rvtrace_chunk *chunk,
		      const struct rvtrace_replay_handler *handler,
		      struct rvtrace_recording_error *error)
{
	int ret = handler->chunk ? handler->chunk(handler->data, chunk) : 0;

	return ret < 0 ? ret : take_chunk(flow, chunk, handler, error);
}

static int play(struct rvtrace_recording_stream *stream, struct rvtrace_flow *flow,
		const struct rvtrace_replay_handler *handler,
		struct rvtrace_recording_error *error)
{
	struct rvtrace_chunk chunk;
	int ret;

	while ((ret = rvtrace_recording_stream_next(stream, &chunk, error)) > 0) {
		ret = play_chunk(flow, &chunk, handler, error);
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? ret : finish(flow, handler, error);
}

int rvtrace_replay(struct rvtrace_recording *recording, size_t sink,
		   struct rvtrace_program *program, struct rvtrace_resolver *resolver,
		   const struct rvtrace_replay_handler *handler,
		   struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_flow_config config;
	struct rvtrace_flow *flow;
	int ret;

	ret = rvtrace_replay_config(recording, sink, &config, error);
	if (ret)
		return ret;
	rvtrace_resolver_attach(resolver, &config);
	ret = rvtrace_flow_new(&config, program->image, &flow);
	if (ret)
		return flow_errno(ret, error);
	ret = rvtrace_recording_stream_open(recording, sink, &stream, error);
	if (!ret) {
		ret = play(stream, flow, handler, error);
		rvtrace_recording_stream_free(stream);
	}
	rvtrace_flow_free(flow);
	return ret;
}

int rvtrace_replay_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			const struct rvtrace_image *image,
			const struct rvtrace_replay_handler *handler,
			struct rvtrace_recording_error *error)
{
	struct rvtrace_chunk chunk = { .type = RVTRACE_CHUNK_DATA };
	uint8_t *buffer = malloc(PIECE);
	struct rvtrace_flow *flow;
	ssize_t got;
	int ret;

	if (!buffer)
		return fail(error, -ENOMEM, name, "out of memory");
	ret = rvtrace_flow_new(config, image, &flow);
	if (ret) {
		free(buffer);
		return flow_errno(ret, error);
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
		ret = play_chunk(flow, &chunk, handler, error);
		chunk.offset += got;
		chunk.position += got;
	}
	if (!ret)
		ret = finish(flow, handler, error);
	rvtrace_flow_free(flow);
	free(buffer);
	return ret;
}
