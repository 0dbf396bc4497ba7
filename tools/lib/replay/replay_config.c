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
#include "tools/lib/packet/cdl_internal.h"
#include "tools/lib/recording/recording_internal.h"

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
	       a->sequential_jump == b->sequential_jump && a->all_jumps == b->all_jumps &&
	       a->extend_addr_msb == b->extend_addr_msb && a->sifive == b->sifive;
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

/* How an encoder reports branches; of a mode of the vendor's nobody knows. */
static uint8_t mode_of(const struct rvtrace_recording_source *source)
{
	const char *mode = rvtrace_recording_attribute(source, "inst_mode");

	if (mode && !strcmp(mode, "branch"))
		return RVTRACE_NTRACE_MODE_BRANCH;
	if (mode && !strcmp(mode, "history"))
		return RVTRACE_NTRACE_MODE_HISTORY;
	/* others than SiFive's say by themselves what they leave out */
	if (mode && !strcmp(mode, "history-optimized"))
		return is_sifive(source) ? RVTRACE_NTRACE_MODE_OPTIMIZED :
					   RVTRACE_NTRACE_MODE_HISTORY;
	return RVTRACE_NTRACE_MODE_UNKNOWN;
}

/* Encoders of one stream may differ in that. */
static void set_modes(const struct rvtrace_recording_source *source,
		      struct rvtrace_flow_config *config)
{
	size_t count = config->src_bits && source->cpu_count ? source->cpu_count : 1, i;
	size_t first = config->src_bits ? source->src_id : 0;

	for (i = first; i < first + count && i < RVTRACE_NTRACE_SOURCES; i++)
		config->modes[i] = mode_of(source);
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
		mine.all_jumps = is_on(source, "inst_en_all_jumps");
		mine.extend_addr_msb = is_on(source, "inst_extend_addr_msb");
		mine.sifive = is_sifive(source);
		if (i && !same_config(&mine, config))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (generation, src_bits, inhibit_src, inst_en_call_stack, inst_en_sequential_jump, inst_en_all_jumps, inst_extend_addr_msb)");
		/* where some say their privilege, addresses do not count */
		mine.priv_by_address &= !is_on(source, "context");
		set_modes(source, &mine);
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

/* One hart: the trace does not tell them apart, nor the privilege. */
static int config_cdl(const struct sources *sources, struct rvtrace_flow_config *config,
		      struct rvtrace_recording_error *error)
{
	struct rvtrace_cdl_config cdl;
	int ret = cdl_config_of_source(sources->metadata, sources->list[0].component,
				       sources->name, &cdl, error);

	if (ret)
		return ret;
	rvtrace_flow_config_cdl(&cdl, config);
	config->priv_by_address = config->isa.xlen == 64;
	return 0;
}

static int config_debugspec(const struct sources *sources, struct rvtrace_flow_config *config,
			    struct rvtrace_recording_error *error)
{
	struct rvtrace_debugspec_config params;
	int ret = rvtrace_debugspec_config_from_json(sources->metadata, sources->name, &params,
						     error);

	if (!ret)
		rvtrace_flow_config_debugspec(&params, config);
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
			    "nothing is known of its encoders (src_bits, inst_en_call_stack, inst_en_sequential_jump, inst_en_all_jumps, inst_extend_addr_msb): its .bin files decode in a row as raw trace, given these");
	format = sources->list[0].format;
	for (i = 0; i < sources->count; i++) {
		if (strcmp(sources->list[i].format, "ntrace") &&
		    strcmp(sources->list[i].format, "etrace") &&
		    strcmp(sources->list[i].format, "cdl") &&
		    strcmp(sources->list[i].format, "debugspec"))
			return fail(error, -EPROTONOSUPPORT, sources->list[i].component,
				    "its trace format cannot be decoded");
		if (strcmp(sources->list[i].format, format))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (format)");
	}
	if (!strcmp(format, "debugspec"))	/* has ids of harts */
		return config_debugspec(sources, config, error);
	if (!strcmp(format, "cdl"))
		ret = config_cdl(sources, config, error);
	else
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

#define MAX_SRC_BITS	12	/* N-Trace 1.0 */

/* What a file of parameters must say of an encoder; of recordings, what they say is taken. */
struct checking {
	const char *path;
	const char *component;
	struct rvtrace_recording_error *error;
};

__attribute__((format(printf, 2, 3)))
static int complain(const struct checking *c, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return rvtrace_fail(c->error, EBADMSG, 0, "%.300s: %.100s: %s", c->path, c->component,
			    text);
}

static int check_number(const struct checking *c, struct json_object *source, const char *name,
			uint64_t max)
{
	struct json_object *value;

	if (!json_object_object_get_ex(source, name, &value))
		return complain(c, "%s is missing", name);
	if (!json_object_is_type(value, json_type_int))
		return complain(c, "%s is no number", name);
	if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) > max)
		return complain(c, "%s is %.40s, which is out of range (0 to %llu)", name,
				json_object_get_string(value), (unsigned long long)max);
	return 0;
}

static int check_attribute(const struct checking *c, struct json_object *attributes,
			   const char *name, uint64_t max)
{
	const char *text = json_string(attributes, name);
	unsigned long long value;
	char *end;

	if (!json_object_object_get_ex(attributes, name, NULL))
		return 0;	/* the encoder does not have it */
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || value > max)
		return complain(c, "%s is \"%.40s\", not a number from 0 to %llu", name, text,
				(unsigned long long)max);
	return 0;
}

/* As the driver names it, or the number of one that it has no name for. */
static int check_mode(const struct checking *c, struct json_object *attributes)
{
	static const char *const names[] = {
		"off", "event", "branch", "history", "history-optimized", "vendor",
	};
	const char *text = json_string(attributes, "inst_mode");
	size_t i;

	if (!json_object_object_get_ex(attributes, "inst_mode", NULL))
		return 0;	/* it is not known */
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return 0;
	if (*text >= '0' && *text <= '7' && !text[1])
		return 0;
	return complain(c, "inst_mode is \"%.40s\", not off, event, branch, history, history-optimized, vendor or a number from 0 to 7",
			text);
}

static int check_attributes(const struct checking *c, struct json_object *source)
{
	static const struct {
		const char *name;
		uint64_t max;
	} known[] = {
		{ "inst_en_call_stack", 1 }, { "inst_en_sequential_jump", 1 },
		{ "inst_en_all_jumps", 1 }, { "inst_extend_addr_msb", 1 },
		{ "inhibit_src", 1 }, { "context", 1 }, { "ts_width", 64 },
	};
	struct json_object *attributes;
	size_t i;
	int ret = 0;

	if (!json_object_object_get_ex(source, "attributes", &attributes))
		return complain(c, "attributes is missing");
	if (!json_object_is_type(attributes, json_type_object))
		return complain(c, "attributes is no object");
	if (!*json_string(attributes, "generation"))
		return complain(c, "generation is missing");
	for (i = 0; i < sizeof(known) / sizeof(known[0]) && !ret; i++)
		ret = check_attribute(c, attributes, known[i].name, known[i].max);
	return ret ? ret : check_mode(c, attributes);
}

static int check_source(const struct checking *c, struct json_object *source)
{
	const char *format = json_string(source, "format");
	uint64_t bits;
	int ret;

	if (!json_object_is_type(source, json_type_object))
		return complain(c, "no object");
	if (!*format)
		return complain(c, "format is missing");
	if (!strcmp(format, "etrace") || !strcmp(format, "cdl") || !strcmp(format, "debugspec"))
		return 0;
	if (strcmp(format, "ntrace"))
		return complain(c, "format is %.40s, not ntrace, etrace, cdl or debugspec", format);
	ret = check_number(c, source, "src_bits", MAX_SRC_BITS);
	bits = ret ? 0 : json_uint(source, "src_bits");
	if (!ret && bits)
		ret = check_number(c, source, "src_id", (1 << bits) - 1);
	return ret ? ret : check_attributes(c, source);
}

/* Where messages tell their encoders apart, each has a number of its own. */
static int check_numbers(struct checking *c, struct json_object *sources)
{
	size_t count = json_object_array_length(sources), i, k;

	for (i = 0; i < count; i++) {
		struct json_object *source = json_object_array_get_idx(sources, i);

		for (k = 0; k < i && json_uint(source, "src_bits"); k++) {
			struct json_object *other = json_object_array_get_idx(sources, k);

			if (json_uint(source, "src_id") != json_uint(other, "src_id"))
				continue;
			c->component = json_string(source, "component");
			return complain(c, "src_id is that of %.100s",
					json_string(other, "component"));
		}
	}
	return 0;
}

static int check_machine(const char *path, struct json_object *metadata,
			 struct rvtrace_recording_error *error)
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
			 struct json_object *sources, struct rvtrace_recording_error *error)
{
	struct checking c = { .path = path, .error = error };
	bool ntrace = false;
	size_t i;
	int ret;

	for (i = 0; i < json_object_array_length(sources); i++) {
		struct json_object *source = json_object_array_get_idx(sources, i);

		c.component = json_string(source, "component");
		if (!*c.component)
			c.component = "source";
		ret = check_source(&c, source);
		if (ret)
			return ret;
		ntrace |= !strcmp(json_string(source, "format"), "ntrace");
	}
	ret = check_numbers(&c, sources);
	return ret || !ntrace ? ret : check_machine(path, metadata, error);
}

/* The only sink of @metadata. Its encoders' number is what there is in @list; or -errno. */
static int load_sources(struct json_object *metadata, const char *path,
			struct rvtrace_recording_source **list,
			struct rvtrace_recording_error *error)
{
	struct json_object *sinks = json_array(metadata, "sinks"), *sources;
	size_t count, i;
	int ret;

	*list = NULL;
	if (!sinks)
		return fail(error, -EBADMSG, path, "no metadata of a recording: sinks is missing (parameters of E-Trace alone go with --format etrace)");
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
			       struct rvtrace_recording_error *error)
{
	struct json_object *metadata = text_file_json(path, error);
	struct rvtrace_recording_source *list;
	struct sources sources = { .name = path, .metadata = metadata };
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
