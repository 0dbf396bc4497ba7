// SPDX-License-Identifier: GPL-2.0
/* tracectl events: what threads call themselves, by events THREAD_NAME. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

/*
 * @tid: the thread, -1: not known
 * @thread: the value of THREAD_SWITCH, if the event had one; else 0
 * @comm: what the kernel called it then, "" where that is not known: another one, as behind
 *	an exec, calls it otherwise
 */
struct thread_name {
	int32_t tid;
	uint64_t thread;
	char comm[16];
	char *name;
};

static int by_thread(const void *a, const void *b)
{
	const struct thread_name *x = a, *y = b;

	if (x->tid >= 0 || y->tid >= 0)
		return (x->tid > y->tid) - (x->tid < y->tid);
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void free_name(void *node)
{
	struct thread_name *name = node;

	free(name->name);
	free(name);
}

/* Idle threads have no number of their own. Return: whether it is known who it is. */
static bool identify(const struct event_view *view, struct thread_name *name)
{
	*name = (struct thread_name) { .tid = view->task.tid > 0 ? view->task.tid : -1 };
	if (view->event->flags & RVTRACE_EVENT_HAS_THREAD)
		name->thread = view->event->thread;
	memcpy(name->comm, view->task.comm, sizeof(name->comm));
	return name->tid >= 0 || name->thread;
}

int events_name_thread(struct events *e, const struct event_view *view, const char *text)
{
	struct thread_name **known, *name, who;

	if (!identify(view, &who))
		return 0;
	who.name = strdup(text);
	if (!who.name)
		return -ENOMEM;
	known = tfind(&who, &e->names, by_thread);
	if (known) {
		free((*known)->name);
		**known = who;
		return 0;
	}
	name = malloc(sizeof(*name));
	if (name)
		*name = who;
	if (name && tsearch(name, &e->names, by_thread))
		return 0;
	free(who.name);
	free(name);
	return -ENOMEM;
}

/* Numbers and addresses of threads come again. */
static bool is_another(const struct thread_name *known, const struct thread_name *who)
{
	return strcmp(known->comm, who->comm) ||
	       (known->thread && who->thread && known->thread != who->thread);
}

const char *events_thread_name(const struct events *e, const struct event_view *view)
{
	struct thread_name **known, who;

	if (!identify(view, &who))
		return NULL;
	known = tfind(&who, (void *const *)&e->names, by_thread);
	return known && !is_another(*known, &who) ? (*known)->name : NULL;
}

void events_forget_names(struct events *e)
{
	tdestroy(e->names, free_name);
	e->names = NULL;
}
