/* SPDX-License-Identifier: GPL-2.0 */
/* Options that contradict each other. */
#ifndef RVTRACE_TRACECTL_CONTRADICTIONS_H
#define RVTRACE_TRACECTL_CONTRADICTIONS_H

#include <stddef.h>

#define MAX_GIVEN	128

/**
 * struct given - options of the command line
 * @names: long ones, without dashes; each is there once
 * @values: the last value of each, or NULL
 * @count: of them
 */
struct given {
	const char *names[MAX_GIVEN];
	const char *values[MAX_GIVEN];
	size_t count;
};

void given_add(struct given *given, const char *name, const char *value);

/* Ends the program with an error if two options of @verb contradict each other. */
void refuse_contradictions(const char *verb, const struct given *given);

#endif /* RVTRACE_TRACECTL_CONTRADICTIONS_H */
