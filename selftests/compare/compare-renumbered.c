// SPDX-License-Identifier: GPL-2.0
/* Threads that got another number: see compare-renumbered.h. */
#include <errno.h>
#include <stdlib.h>

#include "selftests/compare/compare-renumbered.h"

static int add(struct compare_renumbered *list, int32_t from, int32_t to)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		void *changes = realloc(list->changes, room * sizeof(*list->changes));

		if (!changes)
			return -ENOMEM;
		list->changes = changes;
		list->room = room;
	}
	list->changes[list->count][0] = from;
	list->changes[list->count++][1] = to;
	return 0;
}

int compare_renumbered_load(struct compare_renumbered *list, struct rvtrace_recording *recording,
			    struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record_task *task;
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(recording, 0, &records, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		task = (const void *)record;
		if (record->type != RVTRACE_RECORD_TASK || task->event != RVTRACE_TASK_EXEC ||
		    task->other == task->tid)
			continue;
		ret = add(list, task->other, task->tid);
		if (ret)
			break;
	}
	rvtrace_recording_records_free(records);
	return ret;
}

bool compare_renumbered(const struct compare_renumbered *list, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if ((uint64_t)list->changes[i][0] == from && (uint64_t)list->changes[i][1] == to)
			return true;
	return false;
}
