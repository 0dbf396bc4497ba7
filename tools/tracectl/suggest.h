/* SPDX-License-Identifier: GPL-2.0 */
/* The name that was probably meant. */
#ifndef RVTRACE_TRACECTL_SUGGEST_H
#define RVTRACE_TRACECTL_SUGGEST_H

#include <stddef.h>

#include <rvtrace/device.h>

#define SUGGESTION_TEXT	128

/**
 * struct suggestion - the nearest of the names that there are
 * @word: what was given
 * @length: of it
 * @best: the nearest one, NULL: none is near
 * @distance: of that: characters left out, added, changed or swapped
 */
struct suggestion {
	const char *word;
	size_t length;
	const char *best;
	unsigned int distance;
};

/* Of @word, which need not end in a NUL. */
struct suggestion suggest(const char *word, size_t length);
/* One more name, which outlives the suggestion. */
void suggest_name(struct suggestion *s, const char *name);
/* ", did you mean NAME?", or nothing: into @text, which it returns. */
const char *suggest_text(const struct suggestion *s, char text[SUGGESTION_TEXT]);

/* Says that @name is no @what, which devices of @kinds (bits) are; and which one may be meant. */
void no_such_device(const struct rvtrace_devices *devices, unsigned int kinds, const char *what,
		    const char *name);

#endif /* RVTRACE_TRACECTL_SUGGEST_H */
