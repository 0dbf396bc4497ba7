// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of CDL compressed trace, and of the buffer it lies in: see rvtrace/cdl.h. */
#include <errno.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/cdl.h>

#include "tools/lib/base/json.h"
#include "tools/lib/base/sized.h"
#include "tools/lib/base/text_file.h"
#include "cdl_internal.h"

#define INTERVAL_MIN	64	/* two of the longest cycles, and some more */
#define INTERVAL_MAX	(1u << 30)

const char *rvtrace_cdl_config_check(const struct rvtrace_cdl_config *config)
{
	uint32_t interval = config->sync_interval;

	if (!all_zero(config->reserved, sizeof(config->reserved)))
		return "reserved is not 0";
	if (config->flavour > RVTRACE_CDL_RTL)
		return "flavour is neither doc nor rtl";
	if (config->xlen != 32 && config->xlen != 64)
		return "xlen is neither 32 nor 64";
	if (config->rv64 && config->xlen != 64)
		return "rv64 needs xlen 64";
	if (interval && (interval < INTERVAL_MIN || interval > INTERVAL_MAX || interval % 8))
		return "sync_interval is neither 0 nor a multiple of 8 from 64 to 1073741824";
	if (config->buffer > RVTRACE_CDL_OVERWRITE)
		return "buffer is not one of: stream, stop, overwrite";
	if (config->wrapped && config->buffer != RVTRACE_CDL_OVERWRITE)
		return "wrapped needs buffer overwrite";
	if (config->write && config->buffer == RVTRACE_CDL_STREAM)
		return "write needs buffer stop or overwrite";
	if (config->start & 1)
		return "start is odd";
	return NULL;
}

int rvtrace_cdl_replay(struct rvtrace_cdl_config *config, uint64_t size,
		       struct rvtrace_buffer_span spans[2])
{
	uint64_t interval = config->sync_interval;

	spans[0] = (struct rvtrace_buffer_span) { .size = size };
	spans[1] = (struct rvtrace_buffer_span) { 0 };
	if (config->buffer == RVTRACE_CDL_STREAM)
		return 0;
	if (config->write > size)
		return RVTRACE_ERR_INVALID;
	if (!config->wrapped) {
		spans[0].size = config->write;
		return 0;
	}
	if (interval && size * 2 % interval)
		return RVTRACE_ERR_INVALID;
	rvtrace_buffer_unwrap(size, config->write, spans);
	config->start = config->write * 2;
	config->anywhere = true;
	return 0;
}

/* What is read, and where errors go. */
struct reading {
	struct json_object *object;
	const char *name;
	struct rvtrace_failure *error;
};

static int complain(const struct reading *r, const char *member, const char *what)
{
	return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %s %s", r->name, member, what);
}

/* A number, or true or false for 1 or 0; what is not there stays as it is. */
static int get_number(const struct reading *r, const char *member, uint64_t max, uint64_t *value)
{
	struct json_object *found;
	int64_t number;

	if (!json_object_object_get_ex(r->object, member, &found))
		return 0;
	if (!json_object_is_type(found, json_type_int) &&
	    (max != 1 || !json_object_is_type(found, json_type_boolean)))
		return complain(r, member, "is not a number");
	number = json_object_get_int64(found);
	if (number < 0 || (uint64_t)number > max)
		return complain(r, member, "is out of range");
	*value = number;
	return 0;
}

static int get_flag(const struct reading *r, const char *member, bool *value)
{
	uint64_t number = *value;
	int ret = get_number(r, member, 1, &number);

	*value = number;
	return ret;
}

/* One of @count words; its index. */
static int get_word(const struct reading *r, const char *member, const char *const words[],
		    unsigned int count, uint8_t *value)
{
	struct json_object *found;
	const char *text;

	if (!json_object_object_get_ex(r->object, member, &found))
		return 0;
	text = json_object_get_string(found);
	for (unsigned int i = 0; i < count; i++) {
		if (!json_object_is_type(found, json_type_string) || strcmp(text, words[i]))
			continue;
		*value = i;
		return 0;
	}
	return complain(r, member, "has an invalid value");
}

static int check_members(const struct reading *r)
{
	static const char *const known[] = {
		"flavour", "xlen", "rv64", "sync_interval", "unverified", "buffer", "write",
		"wrapped",
	};
	struct json_object_iterator at = json_object_iter_begin(r->object);
	struct json_object_iterator end = json_object_iter_end(r->object);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *member = json_object_iter_peek_name(&at);
		size_t i;

		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(member, known[i]))
				break;
		if (i == sizeof(known) / sizeof(known[0]))
			return complain(r, member, "is not a parameter of CDL");
	}
	return 0;
}

static int get_all(const struct reading *r, unsigned int width, struct rvtrace_cdl_config *config)
{
	static const char *const flavours[] = { "doc", "rtl" };
	static const char *const buffers[] = { "stream", "stop", "overwrite" };
	uint64_t xlen = width, interval = 0;
	const char *wrong;
	int ret;

	if (!json_object_object_get_ex(r->object, "flavour", NULL))
		return complain(r, "flavour", "is missing");
	ret = get_word(r, "flavour", flavours, 2, &config->flavour);
	ret = ret ? ret : get_number(r, "xlen", 64, &xlen);
	ret = ret ? ret : get_flag(r, "rv64", &config->rv64);
	ret = ret ? ret : get_number(r, "sync_interval", INTERVAL_MAX, &interval);
	ret = ret ? ret : get_flag(r, "unverified", &config->unverified);
	ret = ret ? ret : get_word(r, "buffer", buffers, 3, &config->buffer);
	ret = ret ? ret : get_number(r, "write", INT64_MAX, &config->write);
	ret = ret ? ret : get_flag(r, "wrapped", &config->wrapped);
	if (ret)
		return ret;
	config->xlen = xlen;
	config->sync_interval = interval;
	wrong = rvtrace_cdl_config_check(config);
	return wrong ? rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %s", r->name, wrong) : 0;
}

/* The encoder of CDL in the metadata of a recording, by its @component, if not NULL. */
static int find_source(struct reading *r, const char *component)
{
	struct json_object *sinks, *list, *source, *found = NULL;

	json_object_object_get_ex(r->object, "sinks", &sinks);
	for (size_t i = 0; i < json_object_array_length(sinks); i++) {
		list = json_array(json_object_array_get_idx(sinks, i), "sources");
		for (size_t k = 0; list && k < json_object_array_length(list); k++) {
			source = json_object_array_get_idx(list, k);
			if (strcmp(json_string(source, "format"), "cdl") ||
			    (component &&
			     strcmp(json_string(source, "component"), component)))
				continue;
			if (found)
				return complain(r, "cdl", "of more than one encoder");
			found = source;
		}
	}
	if (!json_object_object_get_ex(found, "cdl", NULL))
		return complain(r, "cdl", "is missing");
	r->object = found;
	return 0;
}

int cdl_config_of_source(struct json_object *object, const char *component, const char *name,
			 struct rvtrace_cdl_config *config, struct rvtrace_failure *error)
{
	struct reading r = { .object = object, .name = name, .error = error };
	struct json_object *member, *host = NULL;
	unsigned int width = 32;
	int ret = 0;

	memset(config, 0, sizeof(*config));
	if (!json_object_is_type(object, json_type_object))
		return rvtrace_fail(error, EBADMSG, 0, "%.300s: not a JSON object", name);
	if (json_object_object_get_ex(object, "sinks", &member) &&
	    json_object_is_type(member, json_type_array)) {
		json_object_object_get_ex(object, "host", &host);
		width = strcmp(json_string(host, "machine"), "riscv32") ? 64 : 32;
		ret = find_source(&r, component);
	}
	if (ret)
		return ret;
	if (json_object_object_get_ex(r.object, "cdl", &member)) {
		if (!json_object_is_type(member, json_type_object))
			return complain(&r, "cdl", "is not an object");
		r.object = member;
	}
	ret = check_members(&r);
	return ret ? ret : get_all(&r, width, config);
}

int rvtrace_cdl_config_from_json(struct json_object *object, const char *name,
				 struct rvtrace_cdl_config *config,
				 struct rvtrace_failure *error)
{
	return cdl_config_of_source(object, NULL, name, config, error);
}

int rvtrace_cdl_config_load(const char *path, struct rvtrace_cdl_config *config,
			    struct rvtrace_failure *error)
{
	struct json_object *object = text_file_json(path, error);
	int ret;

	if (!object)
		return -errno;
	ret = rvtrace_cdl_config_from_json(object, path, config, error);
	json_object_put(object);
	return ret;
}
