// SPDX-License-Identifier: GPL-2.0
/* The formats that have parameters, most of which are in the device tree alone. */
#include <stdio.h>
#include <string.h>

#include <rvtrace/cdl.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/recording.h>

#include "describe_format.h"
#include "device_tree.h"

/* Of a vendor's format as sysfs has it, and metadata if the device tree says nothing */
#define VENDOR	"vendor"

/* Names as in docs/formats.md. All but the first are numbers. */
static const char *const cdl[] = { "flavour", "xlen", "rv64", "sync_interval", NULL };
static const char *const debugspec[] = {
	"xlen", "compressed", "emit", "buffer_size", "literal", NULL
};

static int check_cdl(struct json_object *metadata, struct rvtrace_failure *error)
{
	struct rvtrace_cdl_config config;

	return rvtrace_cdl_config_from_json(metadata, "device tree, node cdl", &config, error);
}

static int check_debugspec(struct json_object *metadata, struct rvtrace_failure *error)
{
	struct rvtrace_debugspec_config config;

	return rvtrace_debugspec_config_from_json(metadata, "device tree, node debugspec", &config,
						  error);
}

static const struct describe_format formats[] = {
	{ .name = "etrace", .describe = describe_etrace, .check = describe_etrace_check,
	  .doubt = describe_etrace_doubt },
	{ .name = "cdl", .is_vendor = true, .properties = cdl, .check = check_cdl },
	{ .name = "debugspec", .is_vendor = true, .properties = debugspec, .ids_are_harts = true,
	  .check = check_debugspec },
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

static struct json_object *read_parameter(const char *encoder, const char *node,
					  const char *parameter)
{
	char text[DEVICE_TREE_TEXT_MAX];
	int64_t cell;

	if (!strcmp(parameter, "flavour"))
		return device_tree_text(encoder, node, parameter, text) ?
		       NULL : json_object_new_string(text);
	cell = device_tree_cell(encoder, node, parameter);
	return cell < 0 ? NULL : json_object_new_int64(cell);
}

static struct json_object *read_properties(const struct describe_format *format,
					   const char *encoder)
{
	struct json_object *object = json_object_new_object(), *value;
	const char *const *parameter;

	for (parameter = format->properties; *parameter; parameter++) {
		value = read_parameter(encoder, format->name, *parameter);
		if (value)
			json_object_object_add(object, *parameter, value);
	}
	if (json_object_object_length(object))
		return object;
	json_object_put(object);
	return NULL;
}

const struct describe_format *describe_parameters(const char *said, const char *encoder,
						  struct json_object *attributes,
						  struct json_object **parameters)
{
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		const struct describe_format *format = &formats[i];

		if (strcmp(said, format->is_vendor ? VENDOR : format->name))
			continue;
		*parameters = format->properties ? read_properties(format, encoder) :
						   format->describe(encoder, attributes);
		if (*parameters)
			return format;
	}
	return NULL;
}

struct json_object *describe_sources_of(struct json_object *metadata)
{
	struct json_object *sinks, *sources;

	json_object_object_get_ex(metadata, "sinks", &sinks);
	json_object_object_get_ex(json_object_array_get_idx(sinks, 0), "sources", &sources);
	return sources;
}

static bool has_format(struct json_object *metadata, const char *name)
{
	struct json_object *sources = describe_sources_of(metadata), *format;
	size_t i;

	for (i = 0; i < json_object_array_length(sources); i++)
		if (json_object_object_get_ex(json_object_array_get_idx(sources, i), "format",
					      &format) &&
		    !strcmp(json_object_get_string(format), name))
			return true;
	return false;
}

static int lack_nodes(struct rvtrace_failure *error)
{
	char nodes[128] = "";
	size_t i, used = 0;

	for (i = 0; i < FORMATS && used < sizeof(nodes); i++)
		if (formats[i].is_vendor)
			used += snprintf(nodes + used, sizeof(nodes) - used, "%s%s",
					 used ? " and " : "", formats[i].name);
	snprintf(error->text, sizeof(error->text),
		 "device tree: nodes %s, parameters of the vendor's format, are missing", nodes);
	return -1;
}

int describe_check(struct json_object *metadata, struct rvtrace_failure *error)
{
	size_t i;
	int ret;

	for (i = 0; i < FORMATS; i++) {
		ret = has_format(metadata, formats[i].name) ? formats[i].check(metadata, error) : 0;
		if (ret)
			return ret;
	}
	return has_format(metadata, VENDOR) ? lack_nodes(error) : 0;
}

void describe_doubt(struct json_object *metadata, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < FORMATS && !*text; i++)
		if (formats[i].doubt && has_format(metadata, formats[i].name))
			formats[i].doubt(metadata, describe_sources_of(metadata), text, size);
}
