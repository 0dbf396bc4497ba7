// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON that carries its own checksum: the last member of an object. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <xxhash.h>

#include "seal.h"

#define SEAL_FORMAT	",\"xxh64\":\"%016" PRIx64 "\"}"
#define SEAL_LENGTH	28
#define AT_FORMAT	",\"at\":%lld"
#define AT_MAX		32

/*
 * In memory an empty object takes some 900 bytes, of which a file has 3. No file of a recording
 * has one in fewer than 32 bytes.
 */
#define PARTS_MAX	4096
#define PART_BYTES	32

char *seal_object(struct json_object *object, bool pretty, long long at, size_t *length)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE | (pretty ? JSON_C_TO_STRING_PRETTY : 0);
	const char *json;
	size_t used;
	char *text;

	/* What was read from a file has the seal of that file. */
	json_object_object_del(object, "xxh64");
	if (at >= 0)
		json_object_object_del(object, "at");
	json = json_object_to_json_string_length(object, flags, length);
	used = json ? *length : 0;
	text = json ? malloc(used + AT_MAX + SEAL_LENGTH + 2) : NULL;
	if (!text)
		return NULL;
	/* The members alone: the brace comes with the seal. */
	while (used && strchr("} \n", json[used - 1]) && used > 1)
		if (json[--used] == '}')
			break;
	while (used > 1 && strchr(" \n", json[used - 1]))
		used--;
	memcpy(text, json, used);
	if (at >= 0)
		used += sprintf(text + used, AT_FORMAT, at);
	used += sprintf(text + used, SEAL_FORMAT, XXH64(text, used, 0));
	text[used++] = '\n';
	text[used] = 0;
	*length = used;
	return text;
}

bool seal_holds(const char *text, size_t length)
{
	char seal[SEAL_LENGTH + 1];

	if (length <= SEAL_LENGTH || memchr(text, 0, length))
		return false;
	length -= SEAL_LENGTH;
	snprintf(seal, sizeof(seal), SEAL_FORMAT, XXH64(text, length, 0));
	return !memcmp(text + length, seal, SEAL_LENGTH);
}

bool seal_is_plausible(const char *text, size_t length)
{
	bool string = false;
	size_t parts = 0, i;

	for (i = 0; i < length; i++) {
		if (text[i] == '"')
			string = !string;
		else if (string)
			i += text[i] == '\\';
		else
			parts += text[i] == '{' || text[i] == '[';
	}
	return parts <= PARTS_MAX + length / PART_BYTES;
}

struct json_object *seal_parse(const char *text, size_t length)
{
	struct json_tokener *tokener = seal_is_plausible(text, length) ? json_tokener_new() : NULL;
	struct json_object *object = NULL;

	if (!tokener)
		return NULL;
	object = json_tokener_parse_ex(tokener, text, length);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    !json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		object = NULL;
	}
	json_tokener_free(tokener);
	return object;
}
