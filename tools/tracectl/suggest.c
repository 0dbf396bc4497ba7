// SPDX-License-Identifier: GPL-2.0
/* Names that were probably meant: see suggest.h. */
#include <stdio.h>
#include <string.h>

#include "suggest.h"

#define NAME_MAX_LENGTH	40	/* longer ones are not typed by hand */

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Characters left out, added, changed, or swapped with the next one. */
static unsigned int distance_of(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int rows[3][NAME_MAX_LENGTH + 1], *two = rows[0], *one = rows[1], *row = rows[2];

	for (size_t j = 0; j <= m; j++)
		one[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *oldest = two;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(one[j] + 1, row[j - 1] + 1,
				       one[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two[j - 2] + 1 < row[j])
				row[j] = two[j - 2] + 1;
		}
		two = one;
		one = row;
		row = oldest;
	}
	return one[m];
}

struct suggestion suggest(const char *word, size_t length)
{
	unsigned int distance = length / 3;

	return (struct suggestion) {
		.word = word, .length = length, .distance = distance ? distance : 1,
	};
}

/* More than a third of a word in error is another word. */
void suggest_name(struct suggestion *s, const char *name)
{
	size_t length = strlen(name);
	unsigned int distance;

	if (!s->length || s->length > NAME_MAX_LENGTH || length > NAME_MAX_LENGTH)
		return;
	/* the beginning of a name may be all that was typed */
	if (s->length >= 2 && length > s->length && !strncmp(s->word, name, s->length))
		distance = 1;
	else
		distance = distance_of(s->word, s->length, name, length);
	if (distance > s->distance || (s->best && distance == s->distance) || distance >= length)
		return;
	s->best = name;
	s->distance = distance;
}

const char *suggest_text(const struct suggestion *s, char text[SUGGESTION_TEXT])
{
	text[0] = 0;
	if (s->best)
		snprintf(text, SUGGESTION_TEXT, ", did you mean %s?", s->best);
	return text;
}
