// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of the debug specification's trace in files: see rvtrace/debugspec.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/debugspec.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/json.h"
#include "tools/lib/base/text_file.h"

#define BUFFER_MAX	(1ull << 40)

/* @required: it has no default */
static const struct {
	const char *name;
	uint64_t max;
	uint64_t value;
	bool required;
} known[] = {
	{ "xlen", 64, 0, true },
	{ "compressed", 1, 0, true },
	{ "emit", RVTRACE_DEBUGSPEC_EMIT_ALL, RVTRACE_DEBUGSPEC_EMIT_ALL, false },
	{ "several_harts", 1, 0, false },
	{ "literal", 1, 0, false },
	{ "buffer_size", BUFFER_MAX, 0, false },
};

enum { XLEN, COMPRESSED, EMIT, SEVERAL_HARTS, LITERAL, BUFFER_SIZE, KNOWN };

static int complain(struct rvtrace_failure *error, const char *path, const char *name,
		    const char *what)
{
	return rvtrace_fail(error, EBADMSG, 0, "%.300s: debugspec: %.100s %s", path, name, what);
}

static int find(const char *name)
{
	for (int i = 0; i < KNOWN; i++)
		if (!strcmp(name, known[i].name))
			return i;
	return -1;
}

/* Everything that is in @object must be known. */
static int read_values(struct json_object *object, const char *path, uint64_t values[KNOWN],
		       struct rvtrace_failure *error)
{
	bool said[KNOWN] = { false };

	json_object_object_foreach(object, name, value) {
		int i = find(name);

		if (i < 0)
			return complain(error, path, name, "is not a parameter");
		if (!json_object_is_type(value, json_type_int) ||
		    json_object_get_int64(value) < 0 ||
		    json_object_get_uint64(value) > known[i].max)
			return complain(error, path, name, "is out of range");
		values[i] = json_object_get_uint64(value);
		said[i] = true;
	}
	for (int i = 0; i < KNOWN; i++) {
		if (!said[i] && known[i].required)
			return complain(error, path, known[i].name, "is missing");
		if (!said[i])
			values[i] = known[i].value;
	}
	return 0;
}

static int read_object(struct json_object *object, const char *path,
		       struct rvtrace_debugspec_config *params,
		       struct rvtrace_failure *error)
{
	uint64_t values[KNOWN];
	int ret;

	if (!json_object_is_type(object, json_type_object))
		return fail(error, -EBADMSG, path, "debugspec is not an object");
	ret = read_values(object, path, values, error);
	if (ret)
		return ret;
	if (values[XLEN] != 32 && values[XLEN] != 64)
		return complain(error, path, "xlen", "is neither 32 nor 64");
	if (!values[EMIT])
		return complain(error, path, "emit", "is 0");
	*params = (struct rvtrace_debugspec_config) {
		.xlen = values[XLEN], .compressed = values[COMPRESSED], .emit = values[EMIT],
		.several_harts = values[SEVERAL_HARTS], .literal = values[LITERAL],
	};
	if (values[BUFFER_SIZE] && rvtrace_debugspec_buffer(params, values[BUFFER_SIZE], 0))
		return complain(error, path, "buffer_size", "is not a multiple of 32");
	return 0;
}

/* The sources of a recording whose format it is; they share a stream. */
static int read_sink(struct json_object *sink, const char *path,
		     struct rvtrace_debugspec_config *params,
		     struct rvtrace_failure *error)
{
	struct json_object *sources = json_array(sink, "sources"), *object;
	size_t count = sources ? json_object_array_length(sources) : 0;
	uint64_t size = json_uint(sink, "data_size");
	struct rvtrace_debugspec_config other;
	bool found = false, sized = false;
	uint64_t id = 0;
	int ret;

	for (size_t i = 0; i < count; i++) {
		struct json_object *source = json_object_array_get_idx(sources, i);

		if (!json_object_object_get_ex(source, "debugspec", &object))
			continue;
		ret = read_object(object, path, &other, error);
		if (ret)
			return ret;
		if (found && memcmp(&other, params, sizeof(other)))
			return fail(error, -EBADMSG, path,
				    "its encoders contradict each other (debugspec)");
		*params = other;
		id = json_uint(source, "src_id");
		found = true;
		sized |= json_object_object_get_ex(object, "buffer_size", NULL);
	}
	if (!found)
		return fail(error, -EBADMSG, path,
			    "has no parameters of the debug specification's trace (debugspec)");
	if (!sized && size && rvtrace_debugspec_buffer(params, size, 0))
		return complain(error, path, "data_size", "is not a multiple of 32");
	params->several_harts |= count > 1;
	if (count == 1 && id < RVTRACE_DEBUGSPEC_HARTS)
		params->first_hart = id;
	return 0;
}

int rvtrace_debugspec_config_from_json(struct json_object *object, const char *path,
				       struct rvtrace_debugspec_config *params,
				       struct rvtrace_failure *error)
{
	struct json_object *sinks, *inner;

	memset(params, 0, sizeof(*params));
	if (!json_object_is_type(object, json_type_object))
		return fail(error, -EBADMSG, path, "not a JSON object");
	if (json_object_object_get_ex(object, "debugspec", &inner))
		return read_object(inner, path, params, error);
	sinks = json_array(object, "sinks");
	if (!sinks)
		return read_object(object, path, params, error);
	if (json_object_array_length(sinks) != 1)
		return fail(error, -EBADMSG, path, "not of exactly one sink");
	return read_sink(json_object_array_get_idx(sinks, 0), path, params, error);
}

int rvtrace_debugspec_config_load(const char *path, struct rvtrace_debugspec_config *params,
				  struct rvtrace_failure *error)
{
	struct json_object *object = text_file_json(path, error);
	int ret;

	if (!object)
		return -errno;
	ret = rvtrace_debugspec_config_from_json(object, path, params, error);
	json_object_put(object);
	return ret;
}
