// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is a character, and what are only bytes: see utf8.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define REPLACEMENT	"\\ufffd"

/* Bytes that follow the first one; the smallest character of so many. */
static const uint32_t smallest[] = { 0, 0x80, 0x800, 0x10000 };

static int following(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first >> 5 == 6)
		return 1;
	if (first >> 4 == 14)
		return 2;
	return first >> 3 == 30 ? 3 : -1;
}

/*
 * What moves the cursor, commands a terminal, ends a line or changes the order of what follows:
 * controls, line separators, directions.
 */
static const struct {
	uint32_t first;
	uint32_t last;
} controls[] = {
	{ 0, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f }, { 0x2028, 0x202e },
	{ 0x2066, 0x206f },
};

static size_t decode(const char *text, uint32_t *character)
{
	const unsigned char *bytes = (const unsigned char *)text;
	int count = following(*bytes), i;

	*character = *bytes;
	if (count <= 0)
		return *bytes && !count;
	*character &= 0x3f >> count;
	for (i = 1; i <= count; i++) {
		if (bytes[i] >> 6 != 2)
			return 0;
		*character = *character << 6 | (bytes[i] & 0x3f);
	}
	if (*character < smallest[count] || *character > 0x10ffff || *character >> 11 == 0x1b)
		return 0;
	return count + 1;
}

size_t utf8_character(const char *text)
{
	uint32_t character;

	return decode(text, &character);
}

static bool is_control(uint32_t character)
{
	size_t i;

	for (i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (character >= controls[i].first && character <= controls[i].last)
			return true;
	return false;
}

size_t utf8_visible(const char *text, char shown[UTF8_VISIBLE_MAX])
{
	uint32_t character;
	size_t size = decode(text, &character), i;

	if (size && !is_control(character)) {
		memcpy(shown, text, size);
		shown[size] = 0;
		return size;
	}
	/* bytes of what is no character, and all of a control */
	size = size || !*text ? size : 1;
	*shown = 0;
	for (i = 0; i < size; i++)
		sprintf(shown + 4 * i, "\\x%02x", (unsigned char)text[i]);
	return size;
}

char *utf8_copy_visible(char *copy, size_t room, const char *text)
{
	char shown[UTF8_VISIBLE_MAX], *end = copy;
	size_t size;

	*copy = 0;
	while ((size = utf8_visible(text, shown)) && strlen(shown) < room - (end - copy)) {
		end = stpcpy(end, shown);
		text += size;
	}
	return copy;
}

size_t utf8_json_character(const char *text, char shown[UTF8_VISIBLE_MAX])
{
	uint32_t character;
	size_t size = decode(text, &character);

	if (!size) {
		strcpy(shown, REPLACEMENT);
		return *text != 0;
	}
	if (is_control(character)) {
		sprintf(shown, "\\u%04x", character);
		return size;
	}
	memcpy(shown, text, size);
	shown[size] = 0;
	return size;
}

char *utf8_json(const char *json)
{
	/* each byte becomes six at most */
	char *copy = malloc(strlen(json) * strlen(REPLACEMENT) + 1), *end = copy;

	while (copy && *json) {
		char shown[UTF8_VISIBLE_MAX];
		size_t size = utf8_json_character(json, shown);

		/* strings have no others: between them stand those of the layout */
		if ((unsigned char)*json < ' ')
			*end++ = *json;
		else
			end = stpcpy(end, shown);
		json += size;
	}
	if (copy)
		*end = 0;
	return copy;
}
