// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernel text that came and went while the recording was made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/recording/recording_internal.h"
#include "program_internal.h"

/* @size bytes of text at @start came, or went. */
struct text_event {
	uint64_t time;
	uint64_t start;
	uint64_t size;
	bool gone;
};

struct text_events {
	struct text_event *list;
	size_t count, room;
};

/* Where the records of a sink go; @name: of the last one that told of text */
struct text_records {
	struct rvtrace_program *program;
	struct text_events *events;
	char name[sizeof(((struct rvtrace_record_text *)NULL)->name) + 1];
};

static int add(struct text_events *events, uint64_t time, uint64_t address, uint64_t size,
	       bool gone)
{
	if (!size)
		return 0;
	if (size > program_bytes_from(address))
		size = program_bytes_from(address);
	if (events->count == events->room) {
		size_t room = events->room ? 2 * events->room : 64;
		void *list = realloc(events->list, room * sizeof(*events->list));

		if (!list)
			return -ENOMEM;
		events->list = list;
		events->room = room;
	}
	events->list[events->count++] = (struct text_event) {
		.time = time, .start = address, .size = size, .gone = gone,
	};
	return 0;
}

static int add_sideband(struct text_events *events, const struct rvtrace_sideband *sideband)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < sideband->count && !ret; i++) {
		const struct rvtrace_sideband_event *e = &sideband->events[i];

		if (e->type == RVTRACE_SIDEBAND_KSYMBOL || e->type == RVTRACE_SIDEBAND_KSYMBOL_GONE)
			ret = add(events, e->time, e->mmap.address, e->mmap.size,
				  e->type == RVTRACE_SIDEBAND_KSYMBOL_GONE);
	}
	return ret;
}

/* Code that the driver recorded is better than what was saved later. */
static int add_code(struct rvtrace_program *program, const char *name,
		    const struct rvtrace_record_code *record)
{
	struct rvtrace_program_file *file;

	if (!record->address || record->length < 2 ||
	    record->length > record->header.size - sizeof(*record))
		return 0;
	file = program_add_file(program, "module", name, name, NULL);
	if (!file)
		return -ENOMEM;
	file->address = record->address;
	file->size = record->length;
	file->from = record->header.time;
	return rvtrace_code_from_memory(record->bytes, record->length, name, &file->code) ?
		-ENOMEM : 0;
}

static int add_record(void *data, const struct rvtrace_record *record)
{
	const struct rvtrace_record_text *text = (const void *)record;
	struct text_records *records = data;

	if (record->type == RVTRACE_RECORD_TEXT) {
		memcpy(records->name, text->name, sizeof(text->name));
		return add(records->events, record->time, text->address, text->size,
			   text->flags & RVTRACE_TEXT_GONE);
	}
	return record->type == RVTRACE_RECORD_CODE ?
	       add_code(records->program, records->name, (const void *)record) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct text_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static bool covers(const struct text_event *e, uint64_t address)
{
	return address - e->start < e->size;
}

static bool overlaps(const struct text_event *e, const struct rvtrace_program_file *file)
{
	return e->start - file->address < file->size || covers(e, file->address);
}

/* Or one of many generated pieces that were saved together? */
static bool is_all(const struct text_event *e, const struct rvtrace_program_file *file)
{
	return e->size >= file->size / 2;
}

/*
 * The bytes were saved some time after the text came, which is from when they hold, and hold until
 * it went.
 */
static void date(struct rvtrace_program_file *file, const struct text_events *events)
{
	uint64_t came = 0, saved = file->from;
	size_t i;

	for (i = 0; i < events->count; i++) {
		const struct text_event *e = &events->list[i];

		if (e->time <= saved) {
			if (covers(e, file->address))
				came = e->gone ? 0 : e->time;
			continue;
		}
		if (!overlaps(e, file))
			continue;
		/* other text in its place ends it as well, whether there are bytes of that or not */
		if (file->until == UINT64_MAX && is_all(e, file))
			file->until = e->time;
		file->replaced |= !e->gone;
	}
	if (came)
		file->from = came;
}

static bool is_kernels(const struct rvtrace_program_file *file)
{
	return !strcmp(file->kind, "module") || !strcmp(file->kind, "kernel");
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int list_changes(struct rvtrace_program *program)
{
	size_t i, kept = 0, count = 0;
	uint64_t *changes = malloc((2 * program->file_count + 1) * sizeof(*changes));

	if (!changes)
		return -ENOMEM;
	for (i = 0; i < program->file_count; i++) {
		const struct rvtrace_program_file *file = program->files[i];

		if (!is_kernels(file) || (!file->from && file->until == UINT64_MAX))
			continue;
		changes[count++] = file->from ? file->from : 1;
		if (file->until != UINT64_MAX)
			changes[count++] = file->until;
	}
	qsort(changes, count, sizeof(*changes), by_value);
	for (i = 0; i < count; i++)
		if (!kept || changes[i] != changes[kept - 1])
			changes[kept++] = changes[i];
	program->kernel_changes = changes;
	program->kernel_change_count = kept;
	return 0;
}

static int date_all(struct rvtrace_program *program, const struct text_events *events,
		    struct rvtrace_failure *error)
{
	size_t i;
	int ret;

	for (i = 0; i < program->file_count; i++) {
		struct rvtrace_program_file *file = program->files[i];

		if (!is_kernels(file))
			continue;
		date(file, events);
		if (!file->code || file->from || file->until != UINT64_MAX)
			continue;
		ret = program_map_everywhere(program, file, RVTRACE_PRIV_S, error);
		/* A file with more bytes than were saved, which was told, may have no place. */
		if (ret && ret != -EINVAL)
			return ret;
	}
	ret = list_changes(program);
	return ret ? fail(error, ret, "kernel text", "out of memory") : 0;
}

int program_date_text(struct rvtrace_program *program, struct rvtrace_recording *recording,
		      const struct rvtrace_spaces *spaces, struct rvtrace_failure *error)
{
	struct text_events events = { 0 };
	size_t sink;
	int ret;

	ret = add_sideband(&events, rvtrace_spaces_sideband(spaces));
	for (sink = 0; !ret && sink < rvtrace_recording_sink_count(recording); sink++)
		ret = recording_each_record(recording, sink, add_record,
					    &(struct text_records) { program, &events, "" },
					    error);
	if (ret == -ENOMEM)
		fail(error, ret, "kernel text", "out of memory");
	if (events.count)
		qsort(events.list, events.count, sizeof(*events.list), by_time);
	if (!ret)
		ret = date_all(program, &events, error);
	free(events.list);
	return ret;
}
