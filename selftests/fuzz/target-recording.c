// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: recordings, whose checksums are right. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/replay.h>
#include <rvtrace/resolver.h>
#include <rvtrace/spaces.h>
#include <rvtrace/switches.h>
#include <rvtrace/threads.h>

#include "folder.h"
#include "target.h"

#define LOOKED_AT	100	/* of what there may be many of */

static uint64_t seen;	/* so that all that is delivered is read */

/* What failed says so. */
static bool is_done(int ret, const struct rvtrace_failure *error)
{
	if (ret >= 0)
		return true;
	promise(error->code == -ret && *error->text);
	return false;
}

static struct rvtrace_recording *open_folder(void)
{
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recording *recording = NULL;
	const char *path = folder_path();

	return is_done(rvtrace_recording_open(path, &recording, &error), &error) ? recording : NULL;
}

/* Of a stream, what was delivered */
struct delivered {
	uint64_t end;
	uint64_t bytes;
};

static int take_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	struct delivered *delivered = data;
	uint64_t i;

	if (!chunk->data)
		return 0;
	promise(chunk->offset >= delivered->end);
	promise(chunk->length && chunk->length <= RVTRACE_RECORDING_PIECE_MAX);
	for (i = 0; i < chunk->length; i++)
		seen += chunk->data[i];
	delivered->end = chunk->offset + chunk->length;
	delivered->bytes += chunk->length;
	return 0;
}

static void read_records(struct rvtrace_recording *recording, size_t sink)
{
	struct rvtrace_threads *threads = rvtrace_threads_new();
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	size_t i;
	int ret;

	ret = rvtrace_recording_records_open(recording, sink, &records, &error);
	if (is_done(ret, &error)) {
		while ((ret = rvtrace_recording_records_next(records, &record, &error)) > 0) {
			promise(record->size >= sizeof(*record) && record->size % 8 == 0);
			for (i = 0; i < record->size; i++)
				seen += ((const uint8_t *)record)[i];
			promise(!rvtrace_threads_add(threads, record));
		}
		is_done(ret, &error);
	}
	for (i = 0; rvtrace_threads_get(threads, i); i++)
		seen += strlen(rvtrace_threads_get(threads, i)->comm);
	rvtrace_threads_free(threads);
	rvtrace_recording_records_free(records);
}

static void read_sink(struct rvtrace_recording *recording, size_t number)
{
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(recording, number);
	struct rvtrace_failure error = { 0 };
	struct delivered delivered = { 0 };
	size_t i;

	promise(*sink->name && sink->component && sink->mode);
	for (i = 0; i < sink->source_count; i++) {
		promise(sink->sources[i].component && sink->sources[i].format);
		promise(sink->sources[i].attributes);
	}
	rvtrace_recording_thread_switch(recording, number);
	rvtrace_recording_timestamp_hz(recording, number);
	rvtrace_recording_timestamp_bits(recording, number);
	is_done(rvtrace_recording_each_chunk(recording, number, take_chunk, &delivered, &error),
		&error);
	promise(delivered.bytes <= sink->bytes);
	read_records(recording, number);
}

static void read_damage(const struct rvtrace_recording *recording)
{
	const struct rvtrace_damage *damage;
	size_t i;

	for (i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		promise(*damage->file && *damage->text);
	promise(i <= 1001);
}

/* Return: whether there is a recording. */
static bool read_all(void)
{
	struct rvtrace_recording *recording = open_folder();
	struct rvtrace_failure error = { 0 };
	size_t i;

	if (!recording)
		return false;
	for (i = 0; i < rvtrace_recording_sink_count(recording); i++)
		read_sink(recording, i);
	is_done(rvtrace_recording_verify(recording, &error), &error);
	for (i = 0; rvtrace_recording_failure(recording, i); i++)
		seen += strlen(rvtrace_recording_failure(recording, i));
	read_damage(recording);
	rvtrace_recording_free(recording);
	return true;
}

static int recover(bool dry_run)
{
	struct rvtrace_failure error = { 0 };
	int directory = open(folder_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;

	promise(directory >= 0);
	ret = rvtrace_recording_recover(directory, "input", dry_run, NULL, NULL, &error);
	close(directory);
	is_done(ret, &error);
	return ret;
}

/* Metadata, index, trace and records; as it is, and repaired. */
void fuzz_recording(const uint8_t *bytes, size_t size)
{
	int needed, done;

	folder_unpack(bytes, size);
	if (!read_all())
		return;
	needed = recover(true);
	done = recover(false);
	promise((needed > 0) == (done > 0));
	promise(done <= 0 || !recover(true));
	promise(read_all());
}

static void look_at_space(const struct rvtrace_spaces *spaces, const struct rvtrace_space *space)
{
	static const uint64_t times[] = { 0, 1000, RVTRACE_TIME_NEWEST };
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	size_t i, left = LOOKED_AT;

	promise(rvtrace_spaces_get(spaces, space->index) == space);
	rvtrace_space_walk(&walk, space);
	while (left-- && (map = rvtrace_space_walk_next(&walk))) {
		seen += strlen(map->path);
		rvtrace_space_map_at(space, map->start, map->from);
	}
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		left = LOOKED_AT;
		rvtrace_space_walk_at(&walk, space, times[i]);
		while (left-- && (map = rvtrace_space_walk_next(&walk)))
			rvtrace_space_map_at(space, map->start, times[i]);
		rvtrace_spaces_of_process(spaces, space->pid, times[i]);
	}
}

static void look_at_switches(const struct rvtrace_switches *switches, unsigned int cpu)
{
	struct rvtrace_stretch stretch;
	const char *name;
	size_t i;

	for (i = 0; i < LOOKED_AT && rvtrace_switches_get(switches, cpu, i, &stretch); i++) {
		promise(stretch.from <= stretch.until);
		if (!rvtrace_switches_at(switches, cpu, stretch.from, &stretch))
			continue;
		name = rvtrace_switches_name(switches, cpu, stretch.from);
		promise(!name || strlen(name) <= 15);
		rvtrace_switches_begun(switches, cpu, stretch.from);
	}
}

static void look_at_spaces(const struct rvtrace_spaces *spaces)
{
	static const unsigned int cpus[] = { 0, 1, 2, 3, 4095, UINT32_MAX };
	const struct rvtrace_sideband *sideband = rvtrace_spaces_sideband(spaces);
	const struct rvtrace_space *space;
	uint64_t until;
	size_t i;

	for (i = 0; i < LOOKED_AT && (space = rvtrace_spaces_get(spaces, i)); i++)
		look_at_space(spaces, space);
	for (i = 0; rvtrace_spaces_switches(spaces) && i < sizeof(cpus) / sizeof(cpus[0]); i++)
		look_at_switches(rvtrace_spaces_switches(spaces), cpus[i]);
	for (i = 0; i < LOOKED_AT; i++)
		rvtrace_spaces_of_context(spaces, i, 1000 * i, &until);
	for (i = 0; i < sideband->count; i++) {
		promise(!i || sideband->events[i].time >= sideband->events[i - 1].time);
		seen += strlen(sideband->events[i].name);
	}
}

/* What runs on data of a recording and its address spaces, if it can be opened. */
static void with_spaces(void (*look)(struct rvtrace_recording *recording,
				     const struct rvtrace_spaces *spaces))
{
	struct rvtrace_recording *recording = open_folder();
	struct rvtrace_failure error = { 0 };
	struct rvtrace_spaces *spaces = NULL;

	if (!recording)
		return;
	if (is_done(rvtrace_spaces_load(recording, &spaces, &error), &error)) {
		look_at_spaces(spaces);
		if (look)
			look(recording, spaces);
		rvtrace_spaces_free(spaces);
	}
	read_damage(recording);
	rvtrace_recording_free(recording);
}

/* Side band, maps and records of processes. */
void fuzz_spaces(const uint8_t *bytes, size_t size)
{
	folder_unpack(bytes, size);
	with_spaces(NULL);
}

static void look_at_file(const struct rvtrace_program_file *file)
{
	size_t size;

	promise(file->kind && file->name && file->build_id);
	if (!file->code)
		return;
	rvtrace_code_bytes(file->code, &size);
	promise(size >= 2);
}

static struct rvtrace_program *load_program(struct rvtrace_recording *recording,
					    const struct rvtrace_spaces *spaces)
{
	struct rvtrace_failure error = { 0 };
	struct rvtrace_program *program = rvtrace_program_new();

	if (is_done(rvtrace_program_load(program, recording, folder_path(), spaces, &error), &error))
		return program;
	rvtrace_program_free(program);
	return NULL;
}

static void look_at_maps(struct rvtrace_program *program, const struct rvtrace_spaces *spaces)
{
	const struct rvtrace_space *space;
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	size_t i, left = LOOKED_AT;

	for (i = 0; left && (space = rvtrace_spaces_get(spaces, i)); i++) {
		rvtrace_space_walk(&walk, space);
		while (left && (map = rvtrace_space_walk_next(&walk))) {
			rvtrace_program_file_at(program, map);
			rvtrace_program_begins_at(program, space, map->from, map->start);
			left--;
		}
	}
}

static int take_line(void *data, struct json_object *object, uint64_t offset)
{
	(void)offset;
	rvtrace_recording_check_image(data, object);
	return 0;
}

static void look_at_images(struct rvtrace_recording *recording, const struct rvtrace_spaces *spaces)
{
	struct rvtrace_program *program = load_program(recording, spaces);
	struct rvtrace_failure error = { 0 };
	size_t i;

	is_done(rvtrace_recording_lines(recording, "images/index.jsonl", take_line, recording,
					&error), &error);
	if (!program)
		return;
	for (i = 0; i < program->file_count; i++)
		look_at_file(program->files[i]);
	look_at_maps(program, spaces);
	for (i = 0; rvtrace_program_rejected(program, i); i++)
		seen += strlen(rvtrace_program_rejected(program, i));
	rvtrace_program_free(program);
}

/* Lines about images and maps, and the images. */
void fuzz_images(const uint8_t *bytes, size_t size)
{
	folder_unpack(bytes, size);
	with_spaces(look_at_images);
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	const struct rvtrace_resolver *resolver = data;

	for (; count; count--, items++) {
		promise(items->type <= RVTRACE_FLOW_INFERRED);
		if (items->type == RVTRACE_FLOW_BLOCKS)
			fuzz_extra_us += items->blocks.instructions;
		rvtrace_resolver_ns(resolver, items);
		rvtrace_resolver_space(resolver, items);
		rvtrace_resolver_map(resolver, items, items->address);
	}
	return 0;
}

static void replay_sink(struct rvtrace_recording *recording, const struct rvtrace_spaces *spaces,
			struct rvtrace_program *program, size_t sink)
{
	struct rvtrace_replay_handler handler = { .size = sizeof(handler), .items = take_items };
	struct rvtrace_failure error = { 0 };
	struct rvtrace_resolver *resolver = NULL;

	if (!is_done(rvtrace_replay_resolver(recording, sink, program, spaces, &resolver, &error),
		     &error))
		return;
	handler.data = resolver;
	is_done(rvtrace_replay(recording, sink, program, resolver, &handler, &error), &error);
	rvtrace_resolver_free(resolver);
}

static void replay(struct rvtrace_recording *recording, const struct rvtrace_spaces *spaces)
{
	struct rvtrace_program *program = load_program(recording, spaces);
	size_t i;

	if (!program)
		return;
	for (i = 0; i < rvtrace_recording_sink_count(recording); i++)
		replay_sink(recording, spaces, program, i);
	rvtrace_program_free(program);
}

/* All of it, decoded. */
void fuzz_replay(const uint8_t *bytes, size_t size)
{
	folder_unpack(bytes, size);
	with_spaces(replay);
}
