// SPDX-License-Identifier: LGPL-2.1-or-later
/* What identifiers of software trace events mean: see rvtrace/event_dictionary.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rvtrace.h>
#include <rvtrace/event.h>

#include "event_dictionary.h"

const char *rvtrace_event_kind_name(unsigned int kind)
{
	static const char *const names[] = {
		[RVTRACE_EVENT_KIND_EVENT] = "event", [RVTRACE_EVENT_KIND_COUNTER] = "counter",
		[RVTRACE_EVENT_KIND_CHARACTER] = "character",
		[RVTRACE_EVENT_KIND_STRING] = "string", [RVTRACE_EVENT_KIND_PAIR] = "pair",
		[RVTRACE_EVENT_KIND_NAME] = "name", [RVTRACE_EVENT_KIND_SWITCH] = "switch",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "";
}

static void free_member(struct dictionary_member *member)
{
	free(member->program);
	free(member->name);
	free(member->format);
	free(member);
}

static uint16_t last_id(const struct dictionary_member *member)
{
	return member->entry.id + (member->entry.kind == RVTRACE_EVENT_KIND_PAIR);
}

/* Identifiers are found in the order in which they were added, the last one first. */
static void link_member(struct rvtrace_event_dictionary *d, struct dictionary_member *member)
{
	unsigned int id;

	for (id = member->entry.id; id <= last_id(member); id++) {
		member->next[id & 1] = d->heads[id];
		d->heads[id] = member;
	}
}

static void unlink_member(struct rvtrace_event_dictionary *d, struct dictionary_member *member)
{
	unsigned int id;

	for (id = member->entry.id; id <= last_id(member); id++)
		d->heads[id] = member->next[id & 1];
}

void dictionary_truncate(struct rvtrace_event_dictionary *d, size_t count)
{
	while (d->count > count) {
		unlink_member(d, d->members[--d->count]);
		free_member(d->members[d->count]);
	}
}

static bool same_program(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static char *copy(const char *text, bool *failed)
{
	char *copied = text ? strdup(text) : NULL;

	*failed |= text && !copied;
	return copied;
}

static struct dictionary_member *copy_member(const struct rvtrace_event_entry *entry, bool builtin)
{
	struct dictionary_member *member = calloc(1, sizeof(*member));
	bool failed = false;

	if (!member)
		return NULL;
	member->builtin = builtin;
	member->program = copy(entry->program, &failed);
	member->name = copy(entry->name, &failed);
	member->format = copy(entry->format, &failed);
	member->entry = (struct rvtrace_event_entry) {
		.program = member->program, .name = member->name, .format = member->format,
		.id = entry->id, .kind = entry->kind,
	};
	if (!failed)
		return member;
	free_member(member);
	return NULL;
}

/* Members of the program, or all members that nothing may take the place of. */
static const char *conflict(const struct rvtrace_event_dictionary *d,
			    const struct rvtrace_event_entry *entry, unsigned int id)
{
	const struct dictionary_member *member;

	for (member = d->heads[id]; member; member = member->next[id & 1]) {
		if (member->builtin && member->entry.kind >= RVTRACE_EVENT_KIND_NAME)
			return "has a meaning by the specification";
		if (!member->builtin && same_program(member->program, entry->program))
			return "is defined already";
	}
	return NULL;
}

int dictionary_add(struct rvtrace_event_dictionary *d, const struct rvtrace_event_entry *entry,
		   bool builtin, const char **wrong)
{
	unsigned int id, last = entry->id + (entry->kind == RVTRACE_EVENT_KIND_PAIR);
	struct dictionary_member *member;

	*wrong = NULL;
	for (id = entry->id; !builtin && id <= last && !*wrong; id++)
		*wrong = conflict(d, entry, id);
	if (*wrong)
		return -EBADMSG;
	if (d->count == d->room) {
		size_t room = d->room ? 2 * d->room : 64;
		void *members = reallocarray(d->members, room, sizeof(*d->members));

		if (!members)
			return -ENOMEM;
		d->members = members;
		d->room = room;
	}
	member = copy_member(entry, builtin);
	if (!member)
		return -ENOMEM;
	member->entry.index = d->count;
	d->members[d->count++] = member;
	link_member(d, member);
	return 0;
}

struct rvtrace_event_dictionary *rvtrace_event_dictionary_new(uint16_t thread_switch,
							      bool stm_class)
{
	const struct rvtrace_event_entry builtin[] = {
		{ .id = RVTRACE_EVENT_ID_PRINT, .name = "print",
		  .kind = RVTRACE_EVENT_KIND_CHARACTER },
		{ .id = RVTRACE_EVENT_ID_THREAD_NAME, .name = "THREAD_NAME",
		  .kind = RVTRACE_EVENT_KIND_NAME },
		{ .id = thread_switch ? thread_switch : RVTRACE_EVENT_ID_THREAD_SWITCH,
		  .name = "THREAD_SWITCH", .kind = RVTRACE_EVENT_KIND_SWITCH },
	};
	struct rvtrace_event_dictionary *d = calloc(1, sizeof(*d));
	const char *wrong;
	size_t i;

	if (!d)
		return NULL;
	d->stm_class = stm_class;
	for (i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++) {
		if (!dictionary_add(d, &builtin[i], true, &wrong))
			continue;
		rvtrace_event_dictionary_free(d);
		return NULL;
	}
	return d;
}

void rvtrace_event_dictionary_free(struct rvtrace_event_dictionary *dictionary)
{
	if (!dictionary)
		return;
	dictionary_truncate(dictionary, 0);
	free(dictionary->members);
	free(dictionary);
}

const struct rvtrace_event_entry *
rvtrace_event_dictionary_get(const struct rvtrace_event_dictionary *dictionary, size_t index)
{
	return index < dictionary->count ? &dictionary->members[index]->entry : NULL;
}

/* The program's own, everybody's, the specification's */
static unsigned int rank(const struct dictionary_member *member, const char *program)
{
	if (!member->program)
		return member->builtin ? 1 : 2;
	return program && !strcmp(member->program, program) ? 3 : 0;
}

/* What programs and the kernel write to the driver's device of the STM class */
static const struct rvtrace_event_entry stm_class = {
	.id = RVTRACE_STM_CLASS, .name = "STM_CLASS", .kind = RVTRACE_EVENT_KIND_STRING,
};

const struct rvtrace_event_entry *
rvtrace_event_dictionary_find(const struct rvtrace_event_dictionary *dictionary,
			      const char *program, uint16_t id)
{
	const struct dictionary_member *member, *found = NULL;
	unsigned int best = 0, this;

	for (member = dictionary->heads[id]; member; member = member->next[id & 1]) {
		this = rank(member, program);
		if (this <= best)
			continue;
		best = this;
		found = member;
	}
	if (found)
		return &found->entry;
	return dictionary->stm_class && rvtrace_event_stm_class(id) ? &stm_class : NULL;
}
