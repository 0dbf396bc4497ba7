// SPDX-License-Identifier: LGPL-2.1-or-later
/* Members of JSON objects: see json.h. */
#include "json.h"

struct json_object *json_member(struct json_object *object, const char *key,
				enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *json_string(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

uint64_t json_uint(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_int);

	return value ? json_object_get_uint64(value) : 0;
}

struct json_object *json_array(struct json_object *object, const char *key)
{
	return json_member(object, key, json_type_array);
}
