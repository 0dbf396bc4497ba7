// SPDX-License-Identifier: GPL-2.0
/* tracectl events: what threads call themselves, by events THREAD_NAME. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

/* @thread: the value of THREAD_SWITCH */
struct thread_name {
	uint64_t thread;
	char *name;
};

static int by_thread(const void *a, const void *b)
{
	const struct thread_name *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void free_name(void *node)
{
	struct thread_name *name = node;

	free(name->name);
	free(name);
}

int events_name_thread(struct events *e, const struct rvtrace_event *event, const char *text)
{
	const struct thread_name like = { .thread = event->thread };
	struct thread_name **known, *name;
	char *copy;

	if (!(event->flags & RVTRACE_EVENT_HAS_THREAD))
		return 0;
	copy = strdup(text);
	known = copy ? tfind(&like, &e->names, by_thread) : NULL;
	if (known) {
		free((*known)->name);
		(*known)->name = copy;
		return 0;
	}
	name = malloc(sizeof(*name));
	if (name)
		*name = (struct thread_name) { .thread = event->thread, .name = copy };
	if (copy && name && tsearch(name, &e->names, by_thread))
		return 0;
	free(copy);
	free(name);
	return -ENOMEM;
}

const char *events_thread_name(const struct events *e, const struct rvtrace_event *event)
{
	const struct thread_name like = { .thread = event->thread };
	struct thread_name **known = NULL;

	if (event->flags & RVTRACE_EVENT_HAS_THREAD)
		known = tfind(&like, (void *const *)&e->names, by_thread);
	return known ? (*known)->name : NULL;
}

void events_forget_names(struct events *e)
{
	tdestroy(e->names, free_name);
	e->names = NULL;
}
