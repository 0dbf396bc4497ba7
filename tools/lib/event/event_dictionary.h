/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dictionary of software trace events (event_dictionary.c), and its files (event_file.c). */
#ifndef EVENT_DICTIONARY_H
#define EVENT_DICTIONARY_H

#include <stdbool.h>

#include <rvtrace/event_dictionary.h>

/*
 * @entry: its texts are the following ones
 * @next: of those with the same even, or odd, identifier, the one added before
 * @builtin: it is the specification's
 */
struct dictionary_member {
	struct rvtrace_event_entry entry;
	char *program;
	char *name;
	char *format;
	struct dictionary_member *next[2];
	bool builtin;
};

/*
 * @heads: of each identifier, the one added last
 * @stm_class: those of the kernel's STM class mean it
 */
struct rvtrace_event_dictionary {
	struct dictionary_member **members;
	size_t count;
	size_t room;
	struct dictionary_member *heads[0x10000];
	bool stm_class;
};

/* Adds a copy: 0, -ENOMEM, -EBADMSG: it cannot be, and @wrong says why. */
int dictionary_add(struct rvtrace_event_dictionary *dictionary,
		   const struct rvtrace_event_entry *entry, bool builtin, const char **wrong);

/* Takes back all but the first @count. */
void dictionary_truncate(struct rvtrace_event_dictionary *dictionary, size_t count);

#endif /* EVENT_DICTIONARY_H */
