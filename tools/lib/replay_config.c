// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of streams, as recordings hold them: see rvtrace/replay.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/replay.h>

#include "fail.h"
#include "recording_internal.h"

/* Encoders whose trace is in one stream, and where what is said of them is from. */
struct sources {
	const struct rvtrace_recording_source *list;
	size_t count;
	const char *name;
	struct json_object *metadata;
};

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

static unsigned int xlen_of(struct json_object *metadata)
{
	struct json_object *host = NULL, *machine = NULL;
	const char *name;

	json_object_object_get_ex(metadata, "host", &host);
	json_object_object_get_ex(host, "machine", &machine);
	name = json_object_get_string(machine);
	return name && !strcmp(name, "riscv32") ? 32 : 64;
}

/* Widths that the sources have in common. */
static unsigned int time_bits(const struct sources *sources)
{
	const char *text = rvtrace_recording_attribute(&sources->list[0], "ts_width");
	uint64_t bits = text ? strtoull(text, NULL, 10) : 0;

	return bits <= 64 ? bits : 0;
}

static int config_ntrace(const struct sources *sources, struct rvtrace_flow_config *config,
			 struct rvtrace_recording_error *error)
{
	size_t i;

	config->time_bits = time_bits(sources);
	config->priv_by_address = config->isa.xlen == 64;
	for (i = 0; i < sources->count; i++) {
		const struct rvtrace_recording_source *source = &sources->list[i];
		struct rvtrace_flow_config mine = *config;

		mine.src_bits = is_on(source, "inhibit_src") ? 0 : source->src_bits;
		mine.implicit_return = is_on(source, "inst_en_call_stack");
		mine.sequential_jump = is_on(source, "inst_en_sequential_jump");
		mine.sifive = is_sifive(source);
		if (i && !same_config(&mine, config))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (generation, src_bits, inhibit_src, inst_en_call_stack, inst_en_sequential_jump)");
		/* where some say their privilege, addresses do not count */
		mine.priv_by_address &= !is_on(source, "context");
		*config = mine;
	}
	return 0;
}

static int config_etrace(const struct sources *sources, struct rvtrace_flow_config *config,
			 struct rvtrace_recording_error *error)
{
	struct rvtrace_etrace_params params;
	int ret = rvtrace_etrace_params_from_json(sources->metadata, sources->name, &params, error);

	if (!ret)
		rvtrace_flow_config_etrace(&params, config);
	return ret;
}

static int config_of(const struct sources *sources, struct rvtrace_flow_config *config,
		     struct rvtrace_recording_error *error)
{
	const char *format;
	size_t i;
	int ret;

	memset(config, 0, sizeof(*config));
	config->isa.xlen = xlen_of(sources->metadata);
	/* As when the metadata was lost. */
	if (!sources->count)
		return fail(error, -EBADMSG, sources->name,
			    "nothing is known of its encoders (src_bits, inst_en_call_stack, inst_en_sequential_jump): its .bin files decode in a row as raw trace, given these");
	format = sources->list[0].format;
	for (i = 0; i < sources->count; i++) {
		if (strcmp(sources->list[i].format, "ntrace") &&
		    strcmp(sources->list[i].format, "etrace"))
			return fail(error, -EPROTONOSUPPORT, sources->list[i].component,
				    "its trace format cannot be decoded");
		if (strcmp(sources->list[i].format, format))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (format)");
	}
	ret = strcmp(format, "etrace") ? config_ntrace(sources, config, error) :
	      config_etrace(sources, config, error);
	if (!ret && sources->count > 1 && !config->src_bits)
		return fail(error, -EBADMSG, sources->name,
			    "several encoders, but messages do not tell them apart (src_bits 0)");
	return ret;
}

int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_recording_error *error)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	const struct sources sources = {
		.list = s->sources, .count = s->source_count, .name = s->name,
		.metadata = rvtrace_recording_metadata(recording),
	};

	return config_of(&sources, config, error);
}

/* The only sink of @metadata. Its encoders' number is what there is in @list; or -errno. */
static int load_sources(struct json_object *metadata, const char *path,
			struct rvtrace_recording_source **list,
			struct rvtrace_recording_error *error)
{
	struct json_object *sinks = recording_json_array(metadata, "sinks"), *sources;
	size_t count, i;

	*list = NULL;
	if (!sinks)
		return fail(error, -EBADMSG, path, "no metadata of a recording: sinks is missing");
	if (json_object_array_length(sinks) != 1)
		return fail(error, -EBADMSG, path, "not of exactly one sink");
	sources = recording_json_array(json_object_array_get_idx(sinks, 0), "sources");
	count = sources ? json_object_array_length(sources) : 0;
	*list = calloc(count + 1, sizeof(**list));
	for (i = 0; *list && i < count; i++)
		if (recording_source_fill(&(*list)[i], json_object_array_get_idx(sources, i)))
			break;
	if (*list && i == count)
		return count;
	recording_sources_free(*list, *list ? i + 1 : 0);
	*list = NULL;
	return fail(error, -ENOMEM, path, "out of memory");
}

int rvtrace_replay_config_load(const char *path, struct rvtrace_flow_config *config,
			       struct rvtrace_recording_error *error)
{
	struct json_object *metadata = json_object_from_file(path);
	struct rvtrace_recording_source *list;
	struct sources sources = { .name = path, .metadata = metadata };
	int ret;

	if (!metadata)
		return fail(error, -EBADMSG, path, "cannot be read, or is no JSON");
	ret = load_sources(metadata, path, &list, error);
	if (ret >= 0) {
		sources.list = list;
		sources.count = ret;
		ret = config_of(&sources, config, error);
		recording_sources_free(list, sources.count);
	}
	json_object_put(metadata);
	return ret;
}
