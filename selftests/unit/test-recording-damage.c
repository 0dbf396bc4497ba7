// SPDX-License-Identifier: GPL-2.0
/* Trace directories that are damaged: told where, and read on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording-example.h"
#include "tools/lib/recording/seal.h"

/* Four records of tasks, of which each is a frame */
static void write_tasks(const char *path)
{
	struct rvtrace_recorder *recorder = test_recorder(path, SEGMENT, 0);
	int i;

	for (i = 1; i <= 4; i++) {
		struct rvtrace_record_task task = {
			.header = { sizeof(task), RVTRACE_RECORD_TASK, 0, 0, 1000 * i },
			.event = RVTRACE_TASK_SWITCH,
			.tid = i,
		};

		assert_int_equal(rvtrace_recorder_records(recorder, 0, &task, sizeof(task), NULL),
				 0);
	}
	assert_int_equal(rvtrace_recorder_finish(recorder, NULL), 0);
	rvtrace_recorder_free(recorder);
}

/* Records of tasks that can be read: tid, negative where some before it are missing; 0: no more */
static void tasks_are(struct fixture *f, const int *tids)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	struct rvtrace_recording *recording;

	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_int_equal(rvtrace_recording_records_open(recording, 0, &records, &f->error), 0);
	while (rvtrace_recording_records_next(records, &record, &f->error) == 1) {
		const struct rvtrace_record_task *task = (const void *)record;

		assert_int_equal(task->flags & RVTRACE_TASK_LOST ? -task->tid : task->tid, *tids);
		tids++;
	}
	assert_int_equal(*tids, 0);
	rvtrace_recording_records_free(records);
	rvtrace_recording_free(recording);
}

static void who_ran_is_not_known_behind_damage(void **state)
{
	struct fixture *f = *state;
	uint8_t *bytes;
	size_t size, frame;

	write_tasks(f->path);
	tasks_are(f, (int[]) { 1, 2, 3, 4, 0 });
	bytes = read_file(f, "s0.records", &size);
	frame = size / 4;
	flip(f, "s0.records", frame + 40);
	tasks_are(f, (int[]) { 1, -3, 4, 0 });
	/* as if it had not been written */
	memmove(bytes + 2 * frame, bytes + 3 * frame, frame);
	write_file(f, "s0.records", bytes, 3 * frame);
	tasks_are(f, (int[]) { 1, 2, -4, 0 });
	free(bytes);
}

static void what_was_written_is_intact(void **state)
{
	write_example(((struct fixture *)*state)->path, true);
	assert_intact(*state);
}

static void a_flipped_bit_is_told_with_its_piece(void **state)
{
	struct fixture *f = *state;

	write_example(f->path, true);
	flip(f, "s0.0001.bin", 7000);
	assert_damage(f, "s0.0001.bin: bytes 0 to 65536 (stream offset 65536): damaged");
}

static void damaged_bytes_are_delivered_and_marked(void **state)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_recording *recording;
	struct rvtrace_chunk chunk;
	struct fixture *f = *state;
	uint64_t damaged = 0, all = 0;

	write_example(f->path, true);
	flip(f, "s0.0002.bin", 3);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_stream_open(recording, 0, &stream, NULL), 0);
	while (rvtrace_recording_stream_next(stream, &chunk, NULL) > 0) {
		if (chunk.type != RVTRACE_CHUNK_DATA)
			continue;
		all += chunk.length;
		if (chunk.flags & RVTRACE_CHUNK_DAMAGED)
			damaged += chunk.length;
	}
	assert_int_equal(all, BYTES);
	assert_int_equal(damaged, 1000);
	rvtrace_recording_stream_free(stream);
	rvtrace_recording_free(recording);
}

static void a_damaged_entry_costs_only_itself(void **state)
{
	struct fixture *f = *state;

	write_example(f->path, true);
	flip(f, "s0.idx", 2 * 64 + 9);
	assert_damage(f, "s0.idx: bytes 128 to 192: damaged");
}

static void entries_that_changed_places_are_told_and_used(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;
	uint8_t *bytes, entry[64];
	size_t size;

	write_example(f->path, true);
	bytes = read_file(f, "s0.idx", &size);
	memcpy(entry, bytes + 64, 64);
	memcpy(bytes + 64, bytes + 128, 64);
	memcpy(bytes + 128, entry, 64);
	write_file(f, "s0.idx", bytes, size);
	free(bytes);
	recording = verified(f);
	assert_string_equal(rvtrace_recording_damage(recording, 0)->text,
			    "s0.idx: offset 64: 1 entries are missing");
	assert_string_equal(rvtrace_recording_damage(recording, 1)->text,
			    "s0.idx: bytes 128 to 192: in the wrong place");
	assert_null(rvtrace_recording_damage(recording, 2));
	rvtrace_recording_free(recording);
}

static void a_damaged_frame_costs_only_itself(void **state)
{
	struct fixture *f = *state;

	write_example(f->path, true);
	flip(f, "s0.records", 64 + 30);
	assert_damage(f, "s0.records: bytes 64 to 128: damaged");
}

static void a_missing_frame_is_told(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;
	uint8_t *bytes;
	size_t size;

	write_example(f->path, true);
	bytes = read_file(f, "sideband", &size);
	assert_int_equal(size, 3 * 88);
	memmove(bytes + 88, bytes + 176, 88);
	write_file(f, "sideband", bytes, 176);
	free(bytes);
	recording = verified(f);
	/* Found when the recording is opened, and where it is read. */
	assert_string_equal(rvtrace_recording_damage(recording, 0)->text,
			    "sideband: offset 176: 88 bytes are missing");
	assert_string_equal(rvtrace_recording_damage(recording, 1)->text,
			    "sideband: offset 88: 88 bytes are missing");
	rvtrace_recording_free(recording);
}

static int count_line(void *data, struct json_object *object, uint64_t offset)
{
	(void)object;
	(void)offset;
	++*(int *)data;
	return 0;
}

static void a_damaged_line_costs_only_itself(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;
	int lines = 0;

	write_example(f->path, true);
	flip(f, "images/maps.jsonl", 5);
	recording = verified(f);
	assert_string_equal(rvtrace_recording_damage(recording, 0)->text,
			    "images/maps.jsonl: bytes 0 to 44: damaged");
	assert_int_equal(rvtrace_recording_lines(recording, "images/maps.jsonl", count_line, &lines,
						 NULL), 0);
	assert_int_equal(lines, 2);
	rvtrace_recording_free(recording);
}

static void damaged_metadata_has_a_copy(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, true);
	flip(f, "metadata.json", 40);
	assert_damage(f, "metadata.json: bytes 40 to 41: damaged");
	unlink(file_path(f, "metadata.json"));
	assert_damage(f, "metadata.json: offset 0: missing");
	unlink(file_path(f, "metadata.copy.json"));
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink_count(recording), 1);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	assert_false(rvtrace_recording_complete(recording));
	rvtrace_recording_free(recording);
}

/* Both copies of the metadata, without a seal. */
static void write_metadata(const struct fixture *f, const char *sinks)
{
	char text[512];
	int size = snprintf(text, sizeof(text), "{\"schema\":2,\"complete\":true,%s}\n", sinks);

	write_file(f, "metadata.json", text, size);
	write_file(f, "metadata.copy.json", text, size);
}

static bool has_damage(const struct rvtrace_recording *recording, const char *text)
{
	const struct rvtrace_damage *damage;
	size_t i;

	for (i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		if (!strcmp(damage->text, text))
			return true;
	return false;
}

static void a_source_id_is_one_of_messages(void **state)
{
	const struct rvtrace_recording_sink *sink;
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, true);
	write_metadata(f, "\"sinks\":[{\"name\":\"s0\",\"sources\":["
		       "{\"src_id\":4294967295,\"cpus\":[0]},{\"src_id\":4095,\"cpus\":[1]}]}]");
	recording = verified(f);
	assert_true(has_damage(recording, "metadata.json: offset 0: sink s0, source 0: "
					  "no src_id is 4294967295"));
	sink = rvtrace_recording_sink(recording, 0);
	assert_int_equal(sink->source_count, 1);
	assert_int_equal(sink->sources[0].src_id, 4095);
	assert_int_equal(sink->sources[0].cpus[0], 1);
	rvtrace_recording_free(recording);
}

static void sinks_that_nothing_names_are_those_with_files(void **state)
{
	static const char *const sinks[] = {
		"\"rinks\":[{\"name\":\"s0\"}]", "\"sinks\":[]", "\"sinks\":null",
		"\"sinks\":[{\"name\":null}]", "\"sinks\":[{\"name\":\"../x\"}]",
	};
	struct rvtrace_recording *recording;
	struct fixture *f = *state;
	size_t i;

	write_example(f->path, true);
	for (i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		write_metadata(f, sinks[i]);
		recording = verified(f);
		assert_true(has_damage(recording, "metadata.json: offset 0: no usable sinks"));
		assert_int_equal(rvtrace_recording_sink_count(recording), 1);
		assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
		rvtrace_recording_free(recording);
	}
	unlink(file_path(f, "s0.idx"));
	unlink(file_path(f, "s0.0000.bin"));
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), -EINVAL);
	assert_non_null(strstr(f->error.text, "metadata.json: no usable sinks"));
}

static void segments_that_are_missing_are_told_once(void **state)
{
	struct rvtrace_recording *recording;
	struct json_object *metadata, *sink;
	struct fixture *f = *state;
	size_t length;
	char *text;

	write_example(f->path, true);
	metadata = json_object_from_file(file_path(f, "metadata.json"));
	assert_non_null(metadata);
	sink = json_object_array_get_idx(json_object_object_get(metadata, "sinks"), 0);
	json_object_object_add(sink, "bytes", json_object_new_uint64(UINT64_MAX));
	text = seal_object(metadata, true, -1, &length);
	write_file(f, "metadata.json", text, length);
	write_file(f, "metadata.copy.json", text, length);
	free(text);
	json_object_put(metadata);
	recording = verified(f);
	assert_true(has_damage(recording, "s0.0003.bin: offset 0: missing"));
	assert_false(has_damage(recording, "s0.0004.bin: offset 0: missing"));
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	rvtrace_recording_free(recording);
}

static void files_outside_are_not_opened(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(symlink("/etc/passwd", file_path(f, "images/link")), 0);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_open_file(recording, "/etc/passwd"), -EINVAL);
	assert_int_equal(rvtrace_recording_open_file(recording, "../r/metadata.json"), -EINVAL);
	assert_int_equal(rvtrace_recording_open_file(recording, "images/../metadata.json"),
			 -EINVAL);
	assert_int_equal(rvtrace_recording_open_file(recording, "images/link"), -ELOOP);
	rvtrace_recording_free(recording);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_written_is_intact),
		TEST(who_ran_is_not_known_behind_damage),
		TEST(a_flipped_bit_is_told_with_its_piece),
		TEST(damaged_bytes_are_delivered_and_marked),
		TEST(a_damaged_entry_costs_only_itself),
		TEST(entries_that_changed_places_are_told_and_used),
		TEST(a_damaged_frame_costs_only_itself),
		TEST(a_missing_frame_is_told),
		TEST(a_damaged_line_costs_only_itself),
		TEST(damaged_metadata_has_a_copy),
		TEST(a_source_id_is_one_of_messages),
		TEST(sinks_that_nothing_names_are_those_with_files),
		TEST(segments_that_are_missing_are_told_once),
		TEST(files_outside_are_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
