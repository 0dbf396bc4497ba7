// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files that people or programs wrote: see text_file.h. */
#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#define TEXT_MAX	(16 * 1024 * 1024)	/* bytes; devices that never end are none */

/* Return: 0, or a negative errno */
static int read_text(FILE *file, char *text)
{
	size_t size = fread(text, 1, TEXT_MAX + 1, file);

	if (ferror(file))
		return -errno;
	if (!size || memchr(text, '\0', size))
		return -EBADMSG;
	if (size > TEXT_MAX)
		return -EFBIG;
	text[size] = '\0';
	return 0;
}

/**
 * text_file_read() - all of a file
 * @path: it
 * @error: filled when it cannot be read, is empty or larger than 16 MiB, or has a NUL; or
 *	NULL
 *
 * Return: what it says, and a NUL, to be freed; NULL after an error, whose number is in errno
 */
char *text_file_read(const char *path, struct rvtrace_failure *error)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(TEXT_MAX + 1) : NULL;
	int ret = text ? read_text(file, text) : -errno;

	if (file)
		fclose(file);
	if (!ret)
		return text;
	free(text);
	rvtrace_fail(error, -ret, 0, "%.300s: %s", path,
		     ret == -EBADMSG ? "not a text" : strerror(-ret));
	errno = -ret;
	return NULL;
}

/* Return: where a string ends whose quotation mark is at @quote */
static const char *end_of_string(const char *quote)
{
	const char *end = quote + 1;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	return end;
}

/* A string that is the name of a member goes to those of its object. Return: was it there? */
static bool is_given_twice(struct json_object *names, const char *quote, const char *end,
			   char **name)
{
	if (!names || end[1 + strspn(end + 1, " \t\r\n")] != ':')
		return false;
	*name = strndup(quote + 1, end - quote - 1);
	if (!*name || json_object_object_get_ex(names, *name, NULL))
		return *name;
	json_object_object_add(names, *name, NULL);
	free(*name);
	*name = NULL;
	return false;
}

/*
 * json-c lets the last of two members with one name hold, without a word.
 *
 * @text: valid JSON. Return: such a name, to be freed, or NULL
 */
static char *name_given_twice(const char *text)
{
	struct json_object *names[JSON_TOKENER_DEFAULT_DEPTH + 1] = { NULL };
	unsigned int depth = 0;
	char *name = NULL;

	for (; *text && !name; text++) {
		const char *quote = text;

		if (*text == '{') {
			names[++depth] = json_object_new_object();
		} else if (*text == '}') {
			json_object_put(names[depth--]);
		} else if (*text == '"') {
			text = end_of_string(quote);
			if (is_given_twice(names[depth], quote, text, &name))
				break;
		}
	}
	while (depth)
		json_object_put(names[depth--]);
	return name;
}

static struct json_object *only_once(struct json_object *object, const char *text,
				     const char *name, struct rvtrace_failure *error)
{
	char *twice = name_given_twice(text);

	if (!twice)
		return object;
	rvtrace_fail(error, EBADMSG, 0, "%.300s: %.100s is given twice", name, twice);
	free(twice);
	json_object_put(object);
	return NULL;
}

/**
 * text_json() - a text of JSON, and nothing behind it
 * @text: it
 * @name: of where it is from, for messages
 * @error: filled where it is no JSON, or null, or a member is there twice; or NULL
 *
 * Return: what it says, to be put; NULL after an error
 */
struct json_object *text_json(const char *text, const char *name,
			      struct rvtrace_failure *error)
{
	struct json_tokener *tokener = json_tokener_new();
	const char *problem = "null", *behind;
	struct json_object *object;

	if (!tokener) {
		rvtrace_fail(error, ENOMEM, 0, "%.300s: out of memory", name);
		return NULL;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	/* with the NUL, which ends what is not complete */
	object = json_tokener_parse_ex(tokener, text, strlen(text) + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		problem = json_tokener_error_desc(json_tokener_get_error(tokener));
	behind = text + json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (object && behind[strspn(behind, " \t\r\n")]) {
		json_object_put(object);
		object = NULL;
		problem = "more text follows";
	}
	if (!object)
		rvtrace_fail(error, EBADMSG, 0, "%.300s: not JSON: %s", name, problem);
	return object ? only_once(object, text, name, error) : NULL;
}

/**
 * text_file_json() - a file of JSON
 * @path: it
 * @error: filled as text_file_read() does, or where it is no JSON; or NULL
 *
 * Return: what it says, to be put; NULL after an error, whose number is in errno
 */
struct json_object *text_file_json(const char *path, struct rvtrace_failure *error)
{
	char *text = text_file_read(path, error);
	struct json_object *object;

	if (!text)
		return NULL;
	object = text_json(text, path, error);
	free(text);
	if (!object)
		errno = EBADMSG;
	return object;
}
