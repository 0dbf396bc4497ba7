// SPDX-License-Identifier: GPL-2.0
/* Processes of sessions that cannot end: see remains.h. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "members.h"
#include "remains.h"

struct remains {
	LIST_ENTRY(remains) entry;
	uid_t uid;
	int end;
};

static void forget(struct remains *remains)
{
	LIST_REMOVE(remains, entry);
	close(remains->end);
	free(remains);
}

/* Nobody writes anything. */
static bool has_ended(const struct remains *remains)
{
	struct pollfd other = { .fd = remains->end };

	return poll(&other, 1, 0) > 0;
}

int remains_count(struct remains_list *list, uid_t uid)
{
	struct remains *remains, *next;
	int count = 0;

	for (remains = LIST_FIRST(list); remains; remains = next) {
		next = LIST_NEXT(remains, entry);
		if (has_ended(remains))
			forget(remains);
		else
			count += members_same(remains->uid, uid);
	}
	return count;
}

int remains_watch(struct remains_list *list, uid_t uid, int end)
{
	struct remains *remains = malloc(sizeof(*remains));

	/* Those that are over are in nobody's way. */
	remains_count(list, uid);
	if (!remains)
		return -ENOMEM;
	remains->uid = uid;
	remains->end = end;
	LIST_INSERT_HEAD(list, remains, entry);
	return 0;
}

void remains_free(struct remains_list *list)
{
	while (!LIST_EMPTY(list))
		forget(LIST_FIRST(list));
}
