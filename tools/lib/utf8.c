// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is a character, and what are only bytes: see utf8.h. */
#include <stdint.h>
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

size_t utf8_character(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	int count = following(*bytes), i;
	uint32_t character;

	if (count <= 0)
		return *bytes && !count;
	character = *bytes & (0x3f >> count);
	for (i = 1; i <= count; i++) {
		if (bytes[i] >> 6 != 2)
			return 0;
		character = character << 6 | (bytes[i] & 0x3f);
	}
	if (character < smallest[count] || character > 0x10ffff || character >> 11 == 0x1b)
		return 0;
	return count + 1;
}

char *utf8_json(const char *json)
{
	/* each byte becomes six at most */
	char *copy = malloc(strlen(json) * strlen(REPLACEMENT) + 1), *end = copy;

	while (copy && *json) {
		size_t size = utf8_character(json);

		if (size) {
			end = mempcpy(end, json, size);
			json += size;
		} else {
			end = stpcpy(end, REPLACEMENT);
			json++;
		}
	}
	if (copy)
		*end = 0;
	return copy;
}
