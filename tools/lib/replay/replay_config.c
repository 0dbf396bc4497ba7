// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of streams, as recordings hold them: see rvtrace/replay.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/replay.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/text_file.h"
#include "tools/lib/flow/flow_format.h"
#include "tools/lib/recording/recording_internal.h"
#include "format.h"
#include "replay_internal.h"

static unsigned int xlen_of(struct json_object *metadata)
{
	struct json_object *host = NULL, *machine = NULL;
	const char *name;

	json_object_object_get_ex(metadata, "host", &host);
	json_object_object_get_ex(host, "machine", &machine);
	name = json_object_get_string(machine);
	return name && !strcmp(name, "riscv32") ? 32 : 64;
}

/* The format that all encoders have. Return: 0, -errno. */
static int format_of(const struct stream_sources *sources, const struct rvtrace_format **format,
		     struct rvtrace_failure *error)
{
	size_t i;

	/* As when the metadata was lost. */
	if (!sources->count)
		return fail(error, -EBADMSG, sources->name,
			    "nothing is known of its encoders (src_bits, inst_en_call_stack, inst_en_sequential_jump, inst_en_all_jumps, inst_extend_addr_msb): its .bin files decode in a row as raw trace, given these");
	for (i = 0; i < sources->count; i++) {
		*format = rvtrace_format_find(sources->list[i].format);
		if (!*format)
			return fail(error, -EPROTONOSUPPORT, sources->list[i].component,
				    "its trace format cannot be decoded");
		if (strcmp(sources->list[i].format, sources->list[0].format))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (format)");
	}
	return 0;
}

static int config_of(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		     struct rvtrace_failure *error)
{
	struct rvtrace_flow_config own = {
		.size = sizeof(own), .isa.xlen = xlen_of(sources->metadata),
	};
	const struct rvtrace_format *format = NULL;
	int ret;

	ret = format_of(sources, &format, error);
	if (!ret)
		ret = format->take(sources, &own, error);
	if (!ret && sources->count > 1 && !own.src_bits)
		return fail(error, -EBADMSG, sources->name,
			    "several encoders, but messages do not identify them (src_bits 0)");
	return ret ? ret : replay_errno(flow_config_give(config, &own), error);
}

int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_failure *error)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	const struct stream_sources sources = {
		.list = s->sources, .count = s->source_count, .name = s->name,
		.metadata = rvtrace_recording_metadata(recording),
	};

	return config_of(&sources, config, error);
}

int source_complain(const struct source_check *c, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return rvtrace_fail(c->error, EBADMSG, 0, "%.300s: %.100s: %s", c->path, c->component,
			    text);
}

/* What a file of parameters must say of an encoder; of recordings, what they say is taken. */
static int check_source(const struct source_check *c, struct json_object *source,
			bool *wants_machine)
{
	const char *name = json_string(source, "format");
	const struct rvtrace_format *format = rvtrace_format_find(name);
	char names[128];

	if (!json_object_is_type(source, json_type_object))
		return source_complain(c, "no object");
	if (!*name)
		return source_complain(c, "format is missing");
	if (!format) {
		format_names(names, sizeof(names));
		return source_complain(c, "format is %.40s, not %s", name, names);
	}
	*wants_machine |= format->wants_machine;
	return format->check ? format->check(c, source) : 0;
}

/* Where messages tell their encoders apart, each has a number of its own. */
static int check_numbers(struct source_check *c, struct json_object *sources)
{
	size_t count = json_object_array_length(sources), i, k;

	for (i = 0; i < count; i++) {
		struct json_object *source = json_object_array_get_idx(sources, i);

		for (k = 0; k < i && json_uint(source, "src_bits"); k++) {
			struct json_object *other = json_object_array_get_idx(sources, k);

			if (json_uint(source, "src_id") != json_uint(other, "src_id"))
				continue;
			c->component = json_string(source, "component");
			return source_complain(c, "src_id is that of %.100s",
					       json_string(other, "component"));
		}
	}
	return 0;
}

static int check_machine(const char *path, struct json_object *metadata,
			 struct rvtrace_failure *error)
{
	struct json_object *host = NULL;
	const char *machine;

	json_object_object_get_ex(metadata, "host", &host);
	machine = json_string(host, "machine");
	if (!*machine)
		return fail(error, -EBADMSG, path, "machine (of host) is missing");
	if (strcmp(machine, "riscv32") && strcmp(machine, "riscv64"))
		return fail(error, -EBADMSG, path,
			    "machine (of host) is neither riscv32 nor riscv64");
	return 0;
}

static int check_sources(const char *path, struct json_object *metadata,
			 struct json_object *sources, struct rvtrace_failure *error)
{
	struct source_check c = { .path = path, .error = error };
	bool wants_machine = false;
	size_t i;
	int ret;

	for (i = 0; i < json_object_array_length(sources); i++) {
		struct json_object *source = json_object_array_get_idx(sources, i);

		c.component = json_string(source, "component");
		if (!*c.component)
			c.component = "source";
		ret = check_source(&c, source, &wants_machine);
		if (ret)
			return ret;
	}
	ret = check_numbers(&c, sources);
	return ret || !wants_machine ? ret : check_machine(path, metadata, error);
}

/* The only sink of @metadata. Its encoders' number is what there is in @list; or -errno. */
static int load_sources(struct json_object *metadata, const char *path,
			struct rvtrace_recording_source **list,
			struct rvtrace_failure *error)
{
	struct json_object *sinks = json_array(metadata, "sinks"), *sources;
	size_t count, i;
	int ret;

	*list = NULL;
	if (!sinks)
		return fail(error, -EBADMSG, path, "no metadata of a recording: sinks is missing (parameters of E-Trace alone need --format etrace)");
	if (json_object_array_length(sinks) != 1)
		return fail(error, -EBADMSG, path, "not of exactly one sink");
	sources = json_array(json_object_array_get_idx(sinks, 0), "sources");
	count = sources ? json_object_array_length(sources) : 0;
	ret = sources ? check_sources(path, metadata, sources, error) : 0;
	if (ret)
		return ret;
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
			       struct rvtrace_failure *error)
{
	struct json_object *metadata = text_file_json(path, error);
	struct rvtrace_recording_source *list;
	struct stream_sources sources = { .name = path, .metadata = metadata };
	int ret;

	if (!metadata)
		return -errno;
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
