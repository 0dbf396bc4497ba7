/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON that carries its own checksum: docs/formats.md. */
#ifndef SEAL_H
#define SEAL_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/*
 * A line, or with @pretty a document, that ends in the seal and a newline; NULL
 * without memory. A line begins at @at of its file; a document passes -1. The seal
 * that @object was read with, if any, is removed from it.
 */
char *seal_object(struct json_object *object, bool pretty, long long at, size_t *length);

/* Whether @text, without its newline, is what was sealed. */
bool seal_holds(const char *text, size_t length);

/* Whether @text has no more objects and lists than anybody writes: each takes much memory. */
bool seal_is_plausible(const char *text, size_t length);

/* The object in @text; NULL if it is none, or not plausible. */
struct json_object *seal_parse(const char *text, size_t length);

#endif /* SEAL_H */
