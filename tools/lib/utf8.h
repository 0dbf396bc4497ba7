/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files and tasks are bytes; JSON has characters. */
#ifndef RVTRACE_UTF8_H
#define RVTRACE_UTF8_H

#include <stddef.h>

/**
 * utf8_character() - the character that a text begins with
 * @text: up to a NUL
 *
 * Return: its bytes, 1 to 4; 0 if they are none, as at the end.
 */
size_t utf8_character(const char *text);

/**
 * utf8_json() - JSON that is UTF-8
 * @json: a document in whose strings there may be bytes that are no characters
 *
 * Return: the document with U+FFFD for each of them, to be freed; NULL without memory.
 */
char *utf8_json(const char *json);

#endif /* RVTRACE_UTF8_H */
