/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of JSON objects, which may be absent or of another type. */
#ifndef RVTRACE_JSON_H
#define RVTRACE_JSON_H

#include <stdint.h>

#include <json-c/json.h>

/* The member if it has that type, else NULL. */
struct json_object *json_member(struct json_object *object, const char *key, enum json_type type);

/* "", 0 and NULL for what is absent or of another type. */
const char *json_string(struct json_object *object, const char *key);
uint64_t json_uint(struct json_object *object, const char *key);
struct json_object *json_array(struct json_object *object, const char *key);

#endif /* RVTRACE_JSON_H */
