// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace packet layer: parameters from files. See rvtrace/etrace.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/error.h>

#include "tools/lib/base/text_file.h"
#include "etrace_config.h"


/**
 * struct reading - parameters while they are read
 * @where: file and, in .scf, line
 * @given: which parameters something was said of
 */
struct reading {
	const char *where;
	struct rvtrace_etrace_params *params;
	bool given[ETRACE_PARAMS_MAX];
	struct rvtrace_failure *error;
};

static void start(struct reading *r, const char *where, struct rvtrace_etrace_params *params,
		  struct rvtrace_failure *error)
{
	memset(r, 0, sizeof(*r));
	r->where = where;
	r->params = params;
	r->error = error;
	rvtrace_etrace_params_default(params);
}

static int take(struct reading *r, const char *name, uint64_t value)
{
	int index = etrace_param_find(name);
	const struct etrace_param *param;

	if (index < 0)
		return rvtrace_fail(r->error, EBADMSG, 0,
				    "%.300s: %.60s is not a parameter of E-Trace", r->where, name);
	param = etrace_param(index);
	if (!etrace_param_may_be(param, value))
		return rvtrace_fail(r->error, EBADMSG, 0,
				    "%.300s: %s is %" PRIu64 ", which is out of range (%u to %u)",
				    r->where, param->name, value, param->min, param->max);
	if (r->given[index] && etrace_param_get(r->params, param) != value)
		return rvtrace_fail(r->error, EBADMSG, 0,
				    "%.300s: %s is %" PRIu64 ", but was %u before", r->where,
				    param->name, value, etrace_param_get(r->params, param));
	etrace_param_set(r->params, param, value);
	r->given[index] = true;
	return 0;
}

/* A width is not needed of what is not there. */
static bool is_needed(const struct rvtrace_etrace_params *params, const char *name)
{
	if (!strcmp(name, "context_width"))
		return !params->nocontext;
	if (!strcmp(name, "time_width"))
		return !params->notime;
	return true;
}

/* All that must be said and is not, in one message. Return: 0 if there is none, or -EBADMSG. */
static int check_missing(const struct reading *r)
{
	const struct etrace_param *param;
	size_t i, count = 0, used = 0;
	char names[256] = "";

	for (i = 0; (param = etrace_param(i)); i++) {
		if (!param->required || r->given[i] || !is_needed(r->params, param->name))
			continue;
		used += snprintf(names + used, sizeof(names) - used, "%s%s", count ? ", " : "",
				 param->name);
		if (used >= sizeof(names))
			used = sizeof(names) - 1;
		count++;
	}
	if (!count)
		return 0;
	return rvtrace_fail(r->error, EBADMSG, 0, "%.240s: %s %s missing", r->where, names,
			    count > 1 ? "are" : "is");
}

static int finish(struct reading *r)
{
	const char *name, *why;
	int err = check_missing(r);

	if (err)
		return err;
	if (rvtrace_etrace_params_check(r->params, &name, &why))
		return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %s %s", r->where, name, why);
	if (!etrace_returns_are_possible(r->params))
		return rvtrace_fail(r->error, EBADMSG, 0,
				    "%.300s: mode_implicit_return is 1, but neither return_stack_size nor call_counter_size is 0, and iret_ext is",
				    r->where);
	return 0;
}

/* --- JSON --- */

static int read_object(struct json_object *object, const char *where,
		       struct rvtrace_etrace_params *params, struct rvtrace_failure *error)
{
	struct reading r;

	start(&r, where, params, error);
	json_object_object_foreach(object, name, value) {
		int64_t number = json_object_get_int64(value);
		int err;

		if (json_object_is_type(value, json_type_boolean))
			number = json_object_get_boolean(value);
		else if (!json_object_is_type(value, json_type_int) || number < 0)
			return rvtrace_fail(error, EBADMSG, 0, "%.300s: %.60s is not a number",
					    where, name);
		err = take(&r, name, number);
		if (err)
			return err;
	}
	return finish(&r);
}

static struct json_object *get(struct json_object *object, const char *name, json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

static size_t length(struct json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

/* Parameters of one source of a recording; @found: they are not the first ones. */
static int read_source(struct json_object *source, const char *where, bool *found,
		       struct rvtrace_etrace_params *params, struct rvtrace_failure *error)
{
	struct json_object *object = get(source, "etrace", json_type_object);
	const char *component = json_object_get_string(get(source, "component", json_type_string));
	const char *format = json_object_get_string(get(source, "format", json_type_string));
	struct rvtrace_etrace_params own;
	char place[512];
	int err;

	if (!format || strcmp(format, "etrace"))
		return 0;
	snprintf(place, sizeof(place), "%.300s: %.100s", where, component ? component : "source");
	if (!object)
		return rvtrace_fail(error, EBADMSG, 0, "%.400s: parameters of E-Trace are missing",
				    place);
	err = read_object(object, place, &own, error);
	if (err)
		return err;
	if (*found && memcmp(&own, params, sizeof(own)))
		return rvtrace_fail(error, EBADMSG, 0,
				    "%.400s: parameters are not those of the source before", place);
	*params = own;
	*found = true;
	return 0;
}

static int read_metadata(struct json_object *sinks, const char *where,
			 struct rvtrace_etrace_params *params,
			 struct rvtrace_failure *error)
{
	bool found = false;
	size_t i, k;

	for (i = 0; i < length(sinks); i++) {
		struct json_object *sources = get(json_object_array_get_idx(sinks, i), "sources",
						  json_type_array);

		for (k = 0; k < length(sources); k++) {
			int err = read_source(json_object_array_get_idx(sources, k), where, &found,
					      params, error);

			if (err)
				return err;
		}
	}
	if (!found)
		return rvtrace_fail(error, EBADMSG, 0,
				    "%.300s: no source has parameters of E-Trace", where);
	return 0;
}

int rvtrace_etrace_params_from_json(struct json_object *object, const char *where,
				    struct rvtrace_etrace_params *params,
				    struct rvtrace_failure *error)
{
	struct json_object *sinks = get(object, "sinks", json_type_array);
	struct json_object *member = get(object, "etrace", json_type_object);

	if (!json_object_is_type(object, json_type_object))
		return rvtrace_fail(error, EBADMSG, 0, "%.300s: not a JSON object", where);
	if (sinks)
		return read_metadata(sinks, where, params, error);
	return read_object(member ? member : object, where, params, error);
}

struct json_object *rvtrace_etrace_params_to_json(const struct rvtrace_etrace_params *params)
{
	struct json_object *object = json_object_new_object();
	const struct etrace_param *param;
	size_t i;

	for (i = 0; object && (param = etrace_param(i)); i++) {
		unsigned int value = etrace_param_get(params, param);

		if (json_object_object_add(object, param->name, json_object_new_int(value))) {
			json_object_put(object);
			return NULL;
		}
	}
	return object;
}

/* --- .scf --- */

/* Without white space and comment, as both kinds of such files have it; empty: nothing is said. */
static void strip(char *line)
{
	char *to = line;

	line[strcspn(line, "#;")] = '\0';
	for (; *line; line++)
		if (!isspace((unsigned char)*line))
			*to++ = *line;
	*to = '\0';
}

static int read_line(struct reading *r, char *line)
{
	unsigned long long value;
	char *equals, *end;

	strip(line);
	if (!*line || *line == '[')
		return 0;
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: no name=value: %.60s", r->where,
				    line);
	*equals++ = '\0';
	errno = 0;
	value = strtoull(equals, &end, 0);
	if (errno || !isdigit((unsigned char)*equals) || *end)
		return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %.60s is not a number: %.60s",
				    r->where, line, equals);
	return take(r, line, value);
}

static int read_scf(const char *path, char *text, struct rvtrace_etrace_params *params,
		    struct rvtrace_failure *error)
{
	unsigned int number = 0;
	struct reading r;
	char where[512];
	char *line;
	int err;

	start(&r, where, params, error);
	params->infer_all_returns = 1;
	while ((line = strsep(&text, "\n"))) {
		snprintf(where, sizeof(where), "%.300s:%u", path, ++number);
		err = read_line(&r, line);
		if (err)
			return err;
	}
	r.where = path;
	return finish(&r);
}

static int read_json(const char *path, const char *text, struct rvtrace_etrace_params *params,
		     struct rvtrace_failure *error)
{
	struct json_object *object = text_json(text, path, error);
	int err;

	if (!object)
		return -EBADMSG;
	err = rvtrace_etrace_params_from_json(object, path, params, error);
	json_object_put(object);
	return err;
}

int rvtrace_etrace_params_load(const char *path, struct rvtrace_etrace_params *params,
			       struct rvtrace_failure *error)
{
	struct rvtrace_failure own;
	char *text;
	int err;

	if (!error)
		error = &own;
	text = text_file_read(path, error);
	if (!text)
		return -error->code;
	if (text[strspn(text, " \t\r\n")] == '{')
		err = read_json(path, text, params, error);
	else
		err = read_scf(path, text, params, error);
	free(text);
	return err;
}
