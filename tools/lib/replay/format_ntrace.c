// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of N-Trace, and of SiFive's messages before it, in the metadata of recordings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/recording/recording_internal.h"
#include "format.h"

#define MAX_SRC_BITS	12	/* N-Trace 1.0 */

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

static bool counts_returns(const struct rvtrace_recording_source *source)
{
	const char *mode = rvtrace_recording_attribute(source, "inst_implicit_return_mode");

	return mode && !strcmp(mode, "1");
}

static bool same_messages(const struct rvtrace_flow_ntrace *a, const struct rvtrace_flow_ntrace *b)
{
	return a->implicit_return == b->implicit_return && a->sequential_jump == b->sequential_jump &&
	       a->all_jumps == b->all_jumps && a->extend_addr_msb == b->extend_addr_msb &&
	       a->sifive == b->sifive && a->count_returns == b->count_returns;
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
		config->ntrace.modes[i] = mode_of(source);
}

/* Widths that the sources have in common. */
static unsigned int time_bits(const struct stream_sources *sources)
{
	const char *text = rvtrace_recording_attribute(&sources->list[0], "ts_width");
	uint64_t bits = text ? strtoull(text, NULL, 10) : 0;

	return bits <= 64 ? bits : 0;
}

static int take(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	size_t i;

	config->time_bits = time_bits(sources);
	config->priv_by_address = config->isa.xlen == 64;
	for (i = 0; i < sources->count; i++) {
		const struct rvtrace_recording_source *source = &sources->list[i];
		struct rvtrace_flow_config mine = *config;

		mine.src_bits = is_on(source, "inhibit_src") ? 0 : source->src_bits;
		mine.ntrace.implicit_return = is_on(source, "inst_en_call_stack");
		mine.ntrace.count_returns = counts_returns(source);
		mine.ntrace.sequential_jump = is_on(source, "inst_en_sequential_jump");
		mine.ntrace.all_jumps = is_on(source, "inst_en_all_jumps");
		mine.ntrace.extend_addr_msb = is_on(source, "inst_extend_addr_msb");
		mine.ntrace.sifive = is_sifive(source);
		if (i && (mine.src_bits != config->src_bits ||
			  !same_messages(&mine.ntrace, &config->ntrace)))
			return fail(error, -EBADMSG, sources->name,
				    "its encoders contradict each other (generation, src_bits, inhibit_src, inst_en_call_stack, inst_implicit_return_mode, inst_en_sequential_jump, inst_en_all_jumps, inst_extend_addr_msb)");
		/* where some say their privilege, addresses do not count */
		mine.priv_by_address &= !is_on(source, "context");
		set_modes(source, &mine);
		*config = mine;
	}
	return 0;
}

static int check_number(const struct source_check *c, struct json_object *source, const char *name,
			uint64_t max)
{
	struct json_object *value;

	if (!json_object_object_get_ex(source, name, &value))
		return source_complain(c, "%s is missing", name);
	if (!json_object_is_type(value, json_type_int))
		return source_complain(c, "%s is not a number", name);
	if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) > max)
		return source_complain(c, "%s is %.40s, which is out of range (0 to %llu)", name,
				       json_object_get_string(value), (unsigned long long)max);
	return 0;
}

static int check_attribute(const struct source_check *c, struct json_object *attributes,
			   const char *name, uint64_t max)
{
	const char *text = json_string(attributes, name);
	unsigned long long value;
	char *end;

	if (!json_object_object_get_ex(attributes, name, NULL))
		return 0;	/* the encoder does not have it */
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || value > max)
		return source_complain(c, "%s is \"%.40s\", not a number from 0 to %llu", name, text,
				       (unsigned long long)max);
	return 0;
}

/* As the driver names it, or the number of one that it has no name for. */
static int check_mode(const struct source_check *c, struct json_object *attributes)
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
	return source_complain(c, "inst_mode is \"%.40s\", not off, event, branch, history, history-optimized, vendor or a number from 0 to 7",
			       text);
}

static int check_attributes(const struct source_check *c, struct json_object *source)
{
	static const struct {
		const char *name;
		uint64_t max;
	} known[] = {
		{ "inst_en_call_stack", 1 }, { "inst_implicit_return_mode", 3 }, { "inst_en_sequential_jump", 1 },
		{ "inst_en_all_jumps", 1 }, { "inst_extend_addr_msb", 1 },
		{ "inhibit_src", 1 }, { "context", 1 }, { "ts_width", 64 },
	};
	struct json_object *attributes;
	size_t i;
	int ret = 0;

	if (!json_object_object_get_ex(source, "attributes", &attributes))
		return source_complain(c, "attributes is missing");
	if (!json_object_is_type(attributes, json_type_object))
		return source_complain(c, "attributes is not an object");
	if (!*json_string(attributes, "generation"))
		return source_complain(c, "generation is missing");
	for (i = 0; i < sizeof(known) / sizeof(known[0]) && !ret; i++)
		ret = check_attribute(c, attributes, known[i].name, known[i].max);
	return ret ? ret : check_mode(c, attributes);
}

static int check(const struct source_check *c, struct json_object *source)
{
	int ret = check_number(c, source, "src_bits", MAX_SRC_BITS);
	uint64_t bits = ret ? 0 : json_uint(source, "src_bits");

	if (!ret && bits)
		ret = check_number(c, source, "src_id", (1 << bits) - 1);
	return ret ? ret : check_attributes(c, source);
}

const struct rvtrace_format format_ntrace = {
	.name = "ntrace",
	.flow = RVTRACE_FLOW_FORMAT_NTRACE,
	.wants_machine = true,
	.take = take,
	.check = check,
};
