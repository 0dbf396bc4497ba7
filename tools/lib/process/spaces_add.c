// SPDX-License-Identifier: LGPL-2.1-or-later
/* What happened to address spaces, in any order. */
#include <errno.h>
#include <string.h>

#include <json-c/json.h>

#include "spaces_internal.h"

#define WRITTEN_NS	2000000000ULL	/* the side band of all processors is written more often */

static struct happening *add(struct rvtrace_spaces *s, uint64_t time)
{
	struct happening *h;

	h = spaces_grow(s->happenings, sizeof(*h), s->happening_count, &s->happening_room);
	if (!h)
		return NULL;
	s->happenings = h;
	h += s->happening_count;
	memset(h, 0, sizeof(*h));
	h->time = time;
	h->order = s->happening_count++;
	return h;
}

int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *process)
{
	struct json_object *member;
	struct happening *h;

	if (!json_object_is_type(process, json_type_object) ||
	    !json_object_object_get_ex(process, "pid", &member) ||
	    !json_object_object_get_ex(process, "maps", &member) ||
	    !json_object_is_type(member, json_type_array))
		return -EBADMSG;
	json_object_object_get_ex(process, "time", &member);
	h = add(spaces, json_object_get_int64(member));
	if (!h)
		return -ENOMEM;
	h->snapshot = json_object_get(process);
	return 0;
}

int rvtrace_spaces_add_sideband(struct rvtrace_spaces *spaces,
				const struct rvtrace_sideband *sideband)
{
	struct happening *h;
	size_t i;

	for (i = 0; i < sideband->count; i++) {
		if (sideband->events[i].type == RVTRACE_SIDEBAND_SWITCH)
			continue;
		h = add(spaces, sideband->events[i].time);
		if (!h)
			return -ENOMEM;
		h->event = &sideband->events[i];
	}
	spaces->lost += sideband->lost;
	rvtrace_switches_free(spaces->switches);
	spaces->switches = rvtrace_switches_new(sideband);
	return spaces->switches ? 0 : -ENOMEM;
}

int rvtrace_spaces_cut(struct rvtrace_spaces *spaces)
{
	uint64_t first, last;
	int ret = rvtrace_switches_cut(spaces->switches, &first, &last);

	spaces->told_until = last - first < WRITTEN_NS ? first : last - WRITTEN_NS;
	return ret;
}

int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record)
{
	struct happening *h = add(spaces, record->header.time);

	if (!h)
		return -ENOMEM;
	h->context = *record;
	return 0;
}

int rvtrace_spaces_add_task(struct rvtrace_spaces *spaces, const struct rvtrace_record_task *record)
{
	bool exec = record->event == RVTRACE_TASK_EXEC;
	struct happening *h;

	spaces->tasks = true;
	/* Threads are no spaces. */
	if (!exec && (record->event != RVTRACE_TASK_FORK || record->pid != record->tid))
		return 0;
	h = add(spaces, record->header.time);
	if (!h)
		return -ENOMEM;
	h->is_beginning = true;
	h->beginning = (struct beginning) {
		.exec = exec, .pid = record->pid, .parent = record->other,
	};
	memcpy(h->beginning.comm, record->comm, sizeof(record->comm));
	return 0;
}
