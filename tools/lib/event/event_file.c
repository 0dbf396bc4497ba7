// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files that tell what software trace events mean: see rvtrace/event_dictionary.h. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/lib/base/text_file.h"
#include "event_dictionary.h"

#define SCHEMA		1
#define NOTE_MAX	(16 << 20)

/* @place: what error texts call the object under way */
struct reading {
	const char *path;
	char place[48];	/* or "" */
	struct rvtrace_failure *error;
};

static int complain(const struct reading *r, const char *member, const char *what)
{
	return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %s%s %s", r->path, r->place, member,
			    what);
}

static int check_members(const struct reading *r, struct json_object *object,
			 const char *const known[])
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *member = json_object_iter_peek_name(&at);
		size_t i;

		for (i = 0; known[i] && strcmp(member, known[i]); i++)
			continue;
		if (!known[i])
			return rvtrace_fail(r->error, EBADMSG, 0, "%.300s: %s%.40s is not known",
					    r->path, r->place, member);
	}
	return 0;
}

static bool is_control(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return true;
	return false;
}

/* Text of 1 to @max characters; what is not there stays as it is. */
static int get_text(const struct reading *r, struct json_object *object, const char *member,
		    size_t max, const char **text)
{
	struct json_object *found;
	size_t length;

	if (!json_object_object_get_ex(object, member, &found))
		return 0;
	if (!json_object_is_type(found, json_type_string))
		return complain(r, member, "is not a text");
	*text = json_object_get_string(found);
	length = strlen(*text);
	if (!length || length > max || length != (size_t)json_object_get_string_len(found))
		return complain(r, member, length ? "is too long, or has a NUL" : "is empty");
	return is_control(*text) ? complain(r, member, "has a control character") : 0;
}

/* A number, or one as text: JSON has no hexadecimal ones. */
static int get_id(const struct reading *r, struct json_object *object, uint16_t *id)
{
	struct json_object *found;
	int64_t number;
	char *end;

	if (!json_object_object_get_ex(object, "id", &found))
		return complain(r, "id", "is missing");
	if (json_object_is_type(found, json_type_string)) {
		const char *text = json_object_get_string(found);

		errno = 0;
		number = strtoll(text, &end, 0);
		if (!isdigit((unsigned char)*text) || *end || errno)
			return complain(r, "id", "is not a number");
	} else if (json_object_is_type(found, json_type_int)) {
		number = json_object_get_int64(found);
	} else {
		return complain(r, "id", "is not a number");
	}
	if (number < 1 || number > UINT16_MAX)
		return complain(r, "id", "is not from 0x0001 to 0xffff");
	*id = number;
	return 0;
}

static int get_kind(const struct reading *r, struct json_object *object,
		    struct rvtrace_event_entry *entry)
{
	const char *text = "event";
	int ret = get_text(r, object, "kind", 16, &text);
	unsigned int kind;

	if (ret)
		return ret;
	for (kind = 0; kind < RVTRACE_EVENT_KIND_NAME; kind++)
		if (!strcmp(text, rvtrace_event_kind_name(kind)))
			break;
	if (kind == RVTRACE_EVENT_KIND_NAME)
		return complain(r, "kind", "is not one of: event, counter, character, string, pair");
	entry->kind = kind;
	if (kind == RVTRACE_EVENT_KIND_PAIR && entry->id % 2)
		return complain(r, "id", "of a pair is odd");
	return 0;
}

static int get_format(const struct reading *r, struct json_object *object,
		      struct rvtrace_event_entry *entry)
{
	const char *wrong;
	int ret = get_text(r, object, "format", RVTRACE_EVENT_FORMAT_MAX, &entry->format);

	if (ret || !entry->format)
		return ret;
	if (entry->kind == RVTRACE_EVENT_KIND_STRING || entry->kind == RVTRACE_EVENT_KIND_CHARACTER)
		return complain(r, "format", "does not suit this kind");
	wrong = rvtrace_event_format_check(entry->format);
	return wrong ? complain(r, "format", wrong) : 0;
}

static int add_event(const struct reading *r, struct rvtrace_event_dictionary *dictionary,
		     struct json_object *object, const char *program)
{
	static const char *const known[] = { "id", "name", "kind", "format", "note", NULL };
	struct rvtrace_event_entry entry = { .program = program };
	const char *wrong, *note = NULL;
	int ret;

	if (!json_object_is_type(object, json_type_object))
		return complain(r, "the event", "is not an object");
	ret = check_members(r, object, known);
	ret = ret ? ret : get_id(r, object, &entry.id);
	ret = ret ? ret : get_text(r, object, "name", RVTRACE_EVENT_NAME_MAX, &entry.name);
	if (!ret && !entry.name)
		ret = complain(r, "name", "is missing");
	ret = ret ? ret : get_kind(r, object, &entry);
	ret = ret ? ret : get_format(r, object, &entry);
	ret = ret ? ret : get_text(r, object, "note", NOTE_MAX, &note);
	if (ret)
		return ret;
	ret = dictionary_add(dictionary, &entry, false, &wrong);
	return ret == -EBADMSG ? complain(r, "id", wrong) : ret;
}

static int check_schema(const struct reading *r, struct json_object *object)
{
	struct json_object *found;

	if (!json_object_object_get_ex(object, "schema", &found))
		return complain(r, "schema", "is missing");
	if (!json_object_is_type(found, json_type_int) ||
	    json_object_get_int64(found) != SCHEMA)
		return complain(r, "schema", "is not 1");
	return 0;
}

static int add_events(struct reading *r, struct rvtrace_event_dictionary *dictionary,
		      struct json_object *object)
{
	static const char *const known[] = { "schema", "program", "events", NULL };
	const char *program = NULL;
	struct json_object *list;
	int ret;

	if (!json_object_is_type(object, json_type_object))
		return complain(r, "the file", "is not a JSON object");
	ret = check_schema(r, object);
	ret = ret ? ret : check_members(r, object, known);
	ret = ret ? ret : get_text(r, object, "program", RVTRACE_EVENT_PROGRAM_MAX, &program);
	if (ret)
		return ret;
	if (!json_object_object_get_ex(object, "events", &list) ||
	    !json_object_is_type(list, json_type_array))
		return complain(r, "events", "is not a list");
	for (size_t i = 0; i < json_object_array_length(list) && !ret; i++) {
		snprintf(r->place, sizeof(r->place), "events[%zu]: ", i);
		ret = add_event(r, dictionary, json_object_array_get_idx(list, i), program);
	}
	return ret;
}

int rvtrace_event_dictionary_parse(struct rvtrace_event_dictionary *dictionary, const char *text,
				   const char *name, struct rvtrace_failure *error)
{
	struct reading r = { .path = name, .error = error };
	size_t count = dictionary->count;
	struct json_object *object = text_json(text, name, error);
	int ret;

	if (!object)
		return -EBADMSG;
	ret = add_events(&r, dictionary, object);
	json_object_put(object);
	if (ret)
		dictionary_truncate(dictionary, count);
	if (ret == -ENOMEM)
		rvtrace_fail(error, ENOMEM, 0, "%.300s: %s", name, strerror(ENOMEM));
	return ret;
}

int rvtrace_event_dictionary_load(struct rvtrace_event_dictionary *dictionary, const char *path,
				  struct rvtrace_failure *error)
{
	char *text = text_file_read(path, error);
	int ret;

	if (!text)
		return -errno;
	ret = rvtrace_event_dictionary_parse(dictionary, text, path, error);
	free(text);
	return ret;
}
