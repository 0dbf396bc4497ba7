// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces of a recording: its side band, maps.jsonl and records. */
#include <errno.h>

#include <json-c/json.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/recording/recording_internal.h"
#include "spaces_internal.h"

static int load_process(void *data, struct json_object *process, uint64_t offset)
{
	int ret = rvtrace_spaces_add_maps(data, process);

	(void)offset;
	return ret == -EBADMSG ? 0 : ret;	/* of a later version */
}

static int load_sideband(struct rvtrace_recording *recording, struct rvtrace_spaces *spaces,
			 struct rvtrace_failure *error)
{
	size_t size;
	int ret;

	ret = rvtrace_recording_sideband(recording, &spaces->sideband_bytes, &size, error);
	if (ret || !size)
		return ret;
	ret = rvtrace_sideband_parse(spaces->sideband_bytes, size, &spaces->sideband, error);
	if (!ret)
		ret = rvtrace_spaces_add_sideband(spaces, &spaces->sideband);
	if (!ret && recording_cut(recording))
		ret = rvtrace_spaces_cut(spaces);
	return ret;
}

struct loading {
	struct rvtrace_spaces *spaces;
	struct rvtrace_switches *switches;	/* as the driver tells them */
	bool tasks;				/* they are wanted */
};

static int load_task(const struct loading *loading, const struct rvtrace_record_task *record)
{
	int ret = rvtrace_spaces_add_task(loading->spaces, record);

	return ret ? ret : rvtrace_switches_add_task(loading->switches, record);
}

static int load_record(void *data, const struct rvtrace_record *record)
{
	struct loading *loading = data;

	switch (record->type) {
	case RVTRACE_RECORD_ADDRESS_SPACE:
		return rvtrace_spaces_add_context(loading->spaces, (const void *)record);
	case RVTRACE_RECORD_TASK:
		return loading->tasks ? load_task(loading, (const void *)record) : 0;
	default:
		return 0;
	}
}

/* The driver knows its switches better than the side band, where it was asked for them. */
static int load_records(struct rvtrace_recording *recording, struct rvtrace_spaces *spaces,
			struct rvtrace_failure *error)
{
	struct loading loading = { spaces, rvtrace_switches_new(NULL), true };
	size_t sink;
	int ret = loading.switches ? 0 : -ENOMEM;

	for (sink = 0; !ret && sink < rvtrace_recording_sink_count(recording); sink++) {
		/* One sink tells of all harts. */
		loading.tasks = loading.tasks && !rvtrace_switches_any(loading.switches);
		ret = recording_each_record(recording, sink, load_record, &loading, error);
	}
	if (!ret && rvtrace_switches_any(loading.switches)) {
		rvtrace_switches_free(spaces->switches);
		spaces->switches = loading.switches;
	} else {
		rvtrace_switches_free(loading.switches);
	}
	return ret;
}

int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_failure *error)
{
	struct rvtrace_spaces *spaces = rvtrace_spaces_new();
	int ret;

	if (!spaces)
		return fail(error, -ENOMEM, "address spaces", "out of memory");
	ret = rvtrace_recording_lines(recording, "images/maps.jsonl", load_process, spaces, error);
	if (!ret)
		ret = load_sideband(recording, spaces, error);
	if (!ret)
		ret = load_records(recording, spaces, error);
	if (!ret)
		ret = rvtrace_spaces_resolve(spaces);
	if (ret) {
		if (ret == -ENOMEM)
			fail(error, ret, "address spaces", "out of memory");
		rvtrace_spaces_free(spaces);
		return ret;
	}
	*out = spaces;
	return 0;
}
