// SPDX-License-Identifier: GPL-2.0
/* Trace directories that are damaged or cut: told where, read on, repaired, resumed. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <xxhash.h>

#include "recording-fixture.h"
#include "tools/lib/recording/recording_internal.h"
#include "tools/lib/recording/seal.h"

#define SEGMENT	RVTRACE_RECORDING_SEGMENT_MIN
#define START	4096ULL		/* position of the first byte */
#define BYTES	(2 * SEGMENT + 1000)

static void write_data(struct rvtrace_recorder *recorder, uint64_t position, size_t length)
{
	uint8_t *data = aligned_alloc(SEGMENT, 4 * SEGMENT);
	struct iovec iov = { data, length };
	size_t i;

	for (i = 0; i < length; i++)
		data[i] = (position + i) * 2654435761u >> 13;
	assert_int_equal(rvtrace_recorder_write(recorder, 0, position, &iov, 1, NULL), 0);
	free(data);
}

static void write_record(struct rvtrace_recorder *recorder, uint64_t position)
{
	struct rvtrace_record_clock clock = {
		.header = { sizeof(clock), RVTRACE_RECORD_CLOCK, 1, position, 7 },
	};

	assert_int_equal(rvtrace_recorder_records(recorder, 0, &clock, sizeof(clock), NULL), 0);
}

static void write_line(struct rvtrace_recorder *recorder, const char *file, int number)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int(number));
	assert_int_equal(rvtrace_recorder_line(recorder, file, object, NULL), 0);
	json_object_put(object);
}

static void write_example(const char *path, bool finish)
{
	struct rvtrace_recorder *recorder = test_recorder(path, SEGMENT, 0);
	char perf[64] = "perf records are not looked into";
	struct iovec iov[2] = { { perf, 40 }, { perf + 40, 24 } };
	int i;

	rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_SESSION_START, START, 0, 0, NULL);
	write_data(recorder, START, BYTES);
	for (i = 0; i < 3; i++) {
		write_record(recorder, START + i);
		write_line(recorder, "images/maps.jsonl", i);
		write_line(recorder, "images/index.jsonl", i);
		assert_int_equal(rvtrace_recorder_sideband(recorder, iov, 2, NULL), 0);
	}
	rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_SESSION_END, START + BYTES, 0, 0, NULL);
	if (finish)
		assert_int_equal(rvtrace_recorder_finish(recorder, NULL), 0);
	rvtrace_recorder_free(recorder);
}

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

static const char *file_path(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return path;
}

static uint8_t *read_file(const struct fixture *f, const char *name, size_t *size)
{
	FILE *in = fopen(file_path(f, name), "r");
	uint8_t *bytes = calloc(1, 1 << 20);

	assert_non_null(in);
	*size = fread(bytes, 1, (1 << 20) - 1, in);
	fclose(in);
	return bytes;
}

static void write_file(const struct fixture *f, const char *name, const void *bytes, size_t size)
{
	FILE *out = fopen(file_path(f, name), "w");

	assert_int_equal(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

static void flip(const struct fixture *f, const char *name, size_t at)
{
	size_t size;
	uint8_t *bytes = read_file(f, name, &size);

	assert_true(at < size);
	bytes[at] ^= 1;
	write_file(f, name, bytes, size);
	free(bytes);
}

static struct rvtrace_recording *verified(struct fixture *f)
{
	struct rvtrace_recording *recording;

	if (rvtrace_recording_open(f->path, &recording, &f->error) ||
	    rvtrace_recording_verify(recording, &f->error))
		fail_msg("%s", f->error.text);
	return recording;
}

static void assert_damage(struct fixture *f, const char *text)
{
	struct rvtrace_recording *recording = verified(f);
	const struct rvtrace_damage *damage = rvtrace_recording_damage(recording, 0);

	assert_non_null(damage);
	assert_string_equal(damage->text, text);
	assert_null(rvtrace_recording_damage(recording, 1));
	rvtrace_recording_free(recording);
}

static size_t count(const char *text, const char *part)
{
	size_t found = 0;

	while ((text = strstr(text, part))) {
		found++;
		text++;
	}
	return found;
}

/* Readers may refuse a member that comes twice. */
static void assert_sealed_once(struct fixture *f, const char *name)
{
	size_t size;
	char *text = (char *)read_file(f, name, &size);
	bool lines = strstr(name, ".jsonl");

	assert_int_equal(count(text, "\"xxh64\":"), lines ? count(text, "\n") : 1);
	free(text);
}

static void assert_intact(struct fixture *f)
{
	static const char *const files[] = {
		"metadata.json", "metadata.copy.json", "images/index.jsonl", "images/maps.jsonl",
	};
	struct rvtrace_recording *recording = verified(f);
	const struct rvtrace_damage *damage = rvtrace_recording_damage(recording, 0);
	size_t i;

	if (damage)
		fail_msg("%s", damage->text);
	rvtrace_recording_free(recording);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_sealed_once(f, files[i]);
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

static int recover(struct fixture *f, bool dry_run)
{
	int directory = open(f->path, O_RDONLY | O_DIRECTORY), ret;

	ret = rvtrace_recording_recover(directory, f->path, dry_run, NULL, NULL, &f->error);
	close(directory);
	if (ret < 0)
		fail_msg("%s", f->error.text);
	return ret;
}

static void nothing_is_repaired_that_is_whole(void **state)
{
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(recover(f, true), 0);
	assert_int_equal(recover(f, false), 0);
}

/* A writer that was killed leaves the first metadata, and any end of any file. */
static void a_recording_cut_at_every_byte_is_repaired_once(void **state)
{
	static const char *const files[] = {
		"s0.idx", "s0.records", "s0.0002.bin", "sideband", "images/maps.jsonl",
		"images/index.jsonl",
	};
	struct fixture *f = *state;
	struct stat st;
	size_t i;
	off_t at;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_example(f->path, false);
		assert_int_equal(stat(file_path(f, files[i]), &st), 0);
		for (at = st.st_size; at >= 0; at -= at > 400 ? 97 : 7) {
			remove_tree(f->path);
			write_example(f->path, false);
			assert_int_equal(truncate(file_path(f, files[i]), at), 0);
			assert_true(recover(f, true) > 0);
			assert_true(recover(f, false) > 0);
			assert_int_equal(recover(f, false), 0);
			assert_intact(f);
		}
		remove_tree(f->path);
	}
}

static void bytes_nobody_described_are_described(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 64 + 30), 0);
	recover(f, false);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, 0);
	rvtrace_recording_free(recording);
	flip(f, "s0.0002.bin", 500);
	assert_damage(f, "s0.0002.bin: bytes 0 to 1000 (stream offset 131072): damaged");
}

static void an_index_that_is_missing_is_made_anew(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(unlink(file_path(f, "s0.idx")), 0);
	assert_true(recover(f, true) > 0);
	assert_true(recover(f, false) > 0);
	assert_int_equal(recover(f, false), 0);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, 0);
	rvtrace_recording_free(recording);
}

/* Entries that no writer makes: what would be added behind the last one does not belong there. */
static void bytes_before_other_entries_are_not_described(void **state)
{
	struct recording_entry entry;
	struct fixture *f = *state;
	uint8_t *bytes;
	size_t size, at;

	write_example(f->path, true);
	bytes = read_file(f, "s0.idx", &size);
	for (at = 0; at < size; at += RVTRACE_RECORDING_ENTRY_SIZE) {
		assert_true(recording_entry_unpack(bytes + at, &entry));
		if (entry.type == RVTRACE_CHUNK_DATA)
			entry.type = 99;
		recording_entry_pack(&entry, bytes + at);
	}
	write_file(f, "s0.idx", bytes, size);
	free(bytes);
	assert_int_equal(recover(f, true), 0);
	assert_int_equal(recover(f, false), 0);
}

/* Bytes that are delivered and to be trusted; @lost: all others of the stream */
static uint64_t trusted_bytes(struct fixture *f, uint64_t *lost)
{
	struct rvtrace_recording *recording = verified(f);
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	uint64_t trusted = 0;

	assert_int_equal(rvtrace_recording_stream_open(recording, 0, &stream, &f->error), 0);
	while (rvtrace_recording_stream_next(stream, &chunk, &f->error) == 1) {
		if (chunk.type == RVTRACE_CHUNK_DATA)
			trusted += chunk.length;
		else if (chunk.type == RVTRACE_CHUNK_OVERWRITTEN)
			assert_int_equal(chunk.position, START + chunk.offset);
	}
	*lost = rvtrace_recording_sink(recording, 0)->lost;
	rvtrace_recording_stream_free(stream);
	rvtrace_recording_free(recording);
	return trusted;
}

static int try_recover(struct fixture *f)
{
	return rvtrace_recording_recover(open(f->path, O_RDONLY | O_DIRECTORY), f->path, false,
					 NULL, NULL, NULL);
}

static int try_resume(struct fixture *f)
{
	const struct rvtrace_recorder_options options = { .uid = -1, .gid = -1 };
	struct rvtrace_recorder *recorder;

	return rvtrace_recorder_resume(open(f->path, O_RDONLY | O_DIRECTORY), f->path, &options,
				       &recorder, NULL);
}

/* In a process of its own, in which files do not grow beyond @size; whether it says that it failed */
static bool fails(struct fixture *f, int (*act)(struct fixture *f), rlim_t size)
{
	const struct rlimit limit = { size, size };
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(act(f) == -EFBIG);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status);
}

/* A writer that died had not asked what of the last bytes the hardware was faster to overwrite. */
static void bytes_nobody_confirmed_are_lost(void **state)
{
	const uint64_t more = 10 * SEGMENT, bytes = RVTRACE_RECORDING_STEP + more;
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;
	uint64_t at, lost;

	recorder = test_recorder(f->path, 64 * SEGMENT, 0);
	for (at = 0; at < bytes; at += SEGMENT)
		write_data(recorder, START + at, SEGMENT);
	assert_int_equal(rvtrace_recorder_confirm(recorder, 0, &f->error), 0);
	rvtrace_recorder_free(recorder);
	assert_int_equal(trusted_bytes(f, &lost), bytes);
	assert_int_equal(lost, 0);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 2 * 64 + 30), 0);
	assert_int_equal(trusted_bytes(f, &lost), more);
	assert_int_equal(lost, RVTRACE_RECORDING_STEP);
	/* Repaired in part, it has not become trustworthy. */
	assert_true(fails(f, try_recover, 64 * RVTRACE_RECORDING_ENTRY_SIZE));
	assert_int_equal(trusted_bytes(f, &lost), more);
	assert_int_equal(lost, RVTRACE_RECORDING_STEP);
	assert_int_equal(recover(f, true), 4);
	assert_int_equal(recover(f, false), 4);
	assert_int_equal(trusted_bytes(f, &lost), more);
	assert_int_equal(lost, RVTRACE_RECORDING_STEP);
	assert_int_equal(recover(f, false), 0);
}

/* Whatever the writer was doing when it died, it had asked of what has an entry. */
static void bytes_are_described_when_they_are_confirmed(void **state)
{
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;
	uint64_t lost;

	recorder = test_recorder(f->path, 64 * SEGMENT, 0);
	write_data(recorder, START, SEGMENT);
	assert_int_equal(rvtrace_recorder_confirm(recorder, 0, &f->error), 0);
	write_data(recorder, START + SEGMENT, 3 * SEGMENT);
	rvtrace_recorder_free(recorder);
	assert_int_equal(trusted_bytes(f, &lost), SEGMENT);
	assert_int_equal(lost, 3 * SEGMENT);
}

/* What a disk leaves that failed one write and not the next */
static void blocks_that_were_never_written_are_lost(void **state)
{
	static const uint8_t zeros[3 * 512 + 100];
	struct rvtrace_recording *recording;
	struct fixture *f = *state;
	int fd;

	write_example(f->path, true);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 64 + 30), 0);
	fd = open(file_path(f, "s0.0001.bin"), O_WRONLY);
	/* Two blocks and a part of a third; then the last one */
	assert_int_equal(pwrite(fd, zeros, 1024 + 100, 4096), 1024 + 100);
	assert_int_equal(pwrite(fd, zeros, 512, SEGMENT - 512), 512);
	close(fd);
	recover(f, false);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, 1024 + 512);
	rvtrace_recording_free(recording);
	assert_int_equal(recover(f, false), 0);
}

static void bytes_that_are_not_there_are_lost(void **state)
{
	struct rvtrace_recording *recording;
	struct fixture *f = *state;

	write_example(f->path, false);
	assert_int_equal(truncate(file_path(f, "s0.0002.bin"), 300), 0);
	recover(f, false);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES - 700);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, 700);
	rvtrace_recording_free(recording);
}

static struct rvtrace_recorder *resume(struct fixture *f)
{
	const struct rvtrace_recorder_options options = { .uid = -1, .gid = -1 };
	struct rvtrace_recorder *recorder = NULL;
	int directory = open(f->path, O_RDONLY | O_DIRECTORY);

	if (rvtrace_recorder_resume(directory, f->path, &options, &recorder, &f->error))
		fail_msg("%s", f->error.text);
	return recorder;
}

static void a_recording_goes_on_after_its_writer_died(void **state)
{
	struct rvtrace_recording *recording;
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;

	write_example(f->path, false);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 2 * 64 + 30), 0);
	assert_int_equal(truncate(file_path(f, "s0.0002.bin"), 900), 0);
	recorder = resume(f);
	assert_int_equal(rvtrace_recorder_find_sink(recorder, "s0"), 0);
	assert_int_equal(rvtrace_recorder_find_sink(recorder, "s1"), -ENOENT);
	assert_int_equal(rvtrace_recorder_position(recorder, 0), START + BYTES - 100);
	rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_LOST, START + BYTES - 100, 5000, 0, NULL);
	write_data(recorder, START + BYTES + 4900, SEGMENT);
	write_record(recorder, START);
	write_line(recorder, "images/maps.jsonl", 9);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	assert_intact(f);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES - 100 + SEGMENT);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, 5000);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->segments, 4);
	rvtrace_recording_free(recording);
}

/* There is no room for what would be written: nothing is lost by trying. */
static void a_recording_that_finds_no_room_goes_on_later(void **state)
{
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;

	write_example(f->path, false);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 64 + 30), 0);
	assert_true(fails(f, try_resume, 64 + 30));
	recorder = resume(f);
	assert_int_equal(rvtrace_recorder_position(recorder, 0), START + BYTES);
	write_data(recorder, START + BYTES, SEGMENT);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	assert_intact(f);
}

/* Its driver can no longer be asked. */
static void a_recording_that_does_not_go_on_loses_what_nobody_confirmed(void **state)
{
	struct rvtrace_recording *recording;
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;

	write_example(f->path, false);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 2 * 64 + 30), 0);
	recorder = resume(f);
	assert_int_equal(rvtrace_recorder_distrust(recorder, 0, &f->error), 0);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	assert_intact(f);
	recording = verified(f);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->bytes, BYTES);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->lost, BYTES - SEGMENT);
	rvtrace_recording_free(recording);
}

static void a_complete_recording_is_not_resumed(void **state)
{
	const struct rvtrace_recorder_options options = { .uid = -1, .gid = -1 };
	struct rvtrace_recorder *recorder;
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(rvtrace_recorder_resume(open(f->path, O_RDONLY | O_DIRECTORY), f->path,
						 &options, &recorder, &f->error), -EALREADY);
}

static void a_seal_covers_every_byte(void **state)
{
	struct json_object *object = json_tokener_parse("{\"a\":{\"b\":[1,2]},\"c\":\"}\"}");
	size_t length, i;
	char *text = seal_object(object, true, 77, &length);

	(void)state;
	assert_true(seal_holds(text, length - 1));
	for (i = 0; i < length - 1; i++) {
		text[i] ^= 2;
		assert_false(seal_holds(text, length - 1));
		text[i] ^= 2;
	}
	free(text);
	text = seal_object(object, false, 77, &length);
	assert_memory_equal(text, "{\"a\":{\"b\":[1,2]},\"c\":\"}\",\"at\":77,\"xxh64\":\"", 42);
	free(text);
	json_object_put(object);
}

/* As versions that kept the old seal as a member wrote it. */
static void a_document_with_an_old_seal_is_read(void **state)
{
	struct fixture *f = *state;
	size_t length;
	char *text;

	write_example(f->path, true);
	text = (char *)read_file(f, "metadata.json", &length);
	length -= strlen("}\n");
	length += sprintf(text + length, ",\"xxh64\":\"%016llx\"}\n",
			  (unsigned long long)XXH64(text, length, 0));
	write_file(f, "metadata.json", text, length);
	write_file(f, "metadata.copy.json", text, length);
	free(text);
	assert_int_equal(recover(f, false), 0);
	/* Written anew, it has one. */
	assert_int_equal(unlink(file_path(f, "metadata.copy.json")), 0);
	assert_int_equal(recover(f, false), 1);
	assert_intact(f);
}

/* As docs/formats.md says, word by word. */
static uint64_t sum_by_the_book(const uint8_t *bytes, size_t length)
{
	uint64_t sums[8] = { 0 }, word;
	size_t i;

	for (i = 0; i * 8 < length; i++) {
		word = 0;
		memcpy(&word, bytes + i * 8, length - i * 8 < 8 ? length - i * 8 : 8);
		sums[i % 4] += word;
		sums[4 + i % 4] += sums[i % 4];
	}
	return XXH64(sums, sizeof(sums), 0);
}

static void sums_are_those_of_the_format(void **state)
{
	static _Alignas(8) uint8_t bytes[5000];
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 2654435761u >> 11;
	for (length = 0; length < 4900; length += length < 70 ? 1 : 37)
		for (i = 0; i < 9; i += 4)
			assert_int_equal(recording_sum(bytes + i, length),
					 sum_by_the_book(bytes + i, length));
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
		TEST(nothing_is_repaired_that_is_whole),
		TEST(a_recording_cut_at_every_byte_is_repaired_once),
		TEST(bytes_nobody_described_are_described),
		TEST(an_index_that_is_missing_is_made_anew),
		TEST(bytes_before_other_entries_are_not_described),
		TEST(bytes_nobody_confirmed_are_lost),
		TEST(bytes_are_described_when_they_are_confirmed),
		TEST(blocks_that_were_never_written_are_lost),
		TEST(bytes_that_are_not_there_are_lost),
		TEST(a_recording_goes_on_after_its_writer_died),
		TEST(a_recording_that_finds_no_room_goes_on_later),
		TEST(a_recording_that_does_not_go_on_loses_what_nobody_confirmed),
		TEST(a_complete_recording_is_not_resumed),
		TEST(a_seal_covers_every_byte),
		TEST(a_document_with_an_old_seal_is_read),
		TEST(sums_are_those_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
