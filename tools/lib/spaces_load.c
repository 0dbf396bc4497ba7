// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces of a recording: its side band, maps.jsonl and records. */
#include <errno.h>

#include <json-c/json.h>

#include "fail.h"
#include "spaces_internal.h"

static int load_process(void *data, struct json_object *process, uint64_t offset)
{
	int ret = rvtrace_spaces_add_maps(data, process);

	(void)offset;
	return ret == -EBADMSG ? 0 : ret;	/* of a later version */
}

static int load_sideband(struct rvtrace_recording *recording, struct rvtrace_spaces *spaces,
			 struct rvtrace_recording_error *error)
{
	size_t size;
	int ret;

	ret = rvtrace_recording_sideband(recording, &spaces->sideband_bytes, &size, error);
	if (ret || !size)
		return ret;
	ret = rvtrace_sideband_parse(spaces->sideband_bytes, size, &spaces->sideband, error);
	return ret ? ret : rvtrace_spaces_add_sideband(spaces, &spaces->sideband);
}

static int load_records(struct rvtrace_recording *recording, size_t sink,
			struct rvtrace_spaces *spaces, struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(recording, sink, &records, error);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		if (record->type != RVTRACE_RECORD_ADDRESS_SPACE)
			continue;
		ret = rvtrace_spaces_add_context(spaces, (const void *)record);
		if (ret)
			break;
	}
	rvtrace_recording_records_free(records);
	return ret;
}

int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_recording_error *error)
{
	struct rvtrace_spaces *spaces = rvtrace_spaces_new();
	size_t sink;
	int ret;

	if (!spaces)
		return fail(error, -ENOMEM, "address spaces", "out of memory");
	ret = rvtrace_recording_lines(recording, "images/maps.jsonl", load_process, spaces, error);
	if (!ret)
		ret = load_sideband(recording, spaces, error);
	for (sink = 0; !ret && sink < rvtrace_recording_sink_count(recording); sink++)
		ret = load_records(recording, sink, spaces, error);
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
