/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of files and tasks are bytes; JSON has characters, and what is shown to people must not
 * command their terminal or look like another line.
 */
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

#define UTF8_VISIBLE_MAX	17	/* \xNN for each byte of a character, and a NUL */

/**
 * utf8_visible() - the first character of a text, for people
 * @text: up to a NUL
 * @shown: the character; \xNN for each byte of a control (C0, DEL, C1, line separators, what
 *	changes the direction of text), and for a byte that is no character
 *
 * Return: bytes of @text that it stands for; 0 at the end.
 */
size_t utf8_visible(const char *text, char shown[UTF8_VISIBLE_MAX]);

/**
 * utf8_copy_visible() - a text for people
 * @copy: filled, with as many whole characters as there is room for
 * @room: bytes at @copy, one at least
 * @text: up to a NUL
 *
 * Return: @copy.
 */
char *utf8_copy_visible(char *copy, size_t room, const char *text);

/**
 * utf8_json_character() - the same for a string of JSON
 * @text: up to a NUL
 * @shown: the character; \uNNNN for a control; U+FFFD for a byte that is no character. Quotes and
 *	backslashes are as they are.
 *
 * Return: bytes of @text that it stands for; 0 at the end.
 */
size_t utf8_json_character(const char *text, char shown[UTF8_VISIBLE_MAX]);

/**
 * utf8_json() - JSON that is UTF-8 and can be shown
 * @json: a document in whose strings there may be bytes that are no characters
 *
 * Return: the document with U+FFFD for each of them, and controls as \uNNNN, to be freed; NULL
 * without memory.
 */
char *utf8_json(const char *json);

#endif /* RVTRACE_UTF8_H */
