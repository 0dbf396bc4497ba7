// SPDX-License-Identifier: GPL-2.0
/* Trace directories whose writer died: repaired, resumed. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "recording-example.h"
#include "tools/lib/recording/recording_internal.h"

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

static void note(void *data, const char *text)
{
	strcat(strcat(data, text), "\n");
}

static void says(struct fixture *f, bool dry_run, const char *expected)
{
	int directory = open(f->path, O_RDONLY | O_DIRECTORY);
	char said[1024] = "";

	assert_true(rvtrace_recording_recover(directory, f->path, dry_run, note, said,
					      &f->error) > 0);
	close(directory);
	assert_string_equal(said, expected);
}

static void what_was_not_done_is_not_said_to_be_done(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	write_example(f->path, true);
	assert_int_equal(truncate(file_path(f, "s0.idx"), 64 + 30), 0);
	assert_int_equal(stat(file_path(f, "images/maps.jsonl"), &st), 0);
	assert_int_equal(truncate(file_path(f, "images/maps.jsonl"), st.st_size - 1), 0);
	write_file(f, "metadata.json.tmp", "{", 1);
	says(f, true, "metadata.json.tmp: would be removed\n"
	     "s0.idx: 30 bytes would be cut off after the last whole item, at 64\n"
	     "s0.idx: 132072 bytes at offset 0 of the stream would be described\n"
	     "images/maps.jsonl: a newline would be added at its end\n"
	     "metadata.json: would be written again\n");
	says(f, false, "metadata.json.tmp: removed\n"
	     "s0.idx: 30 bytes cut off after the last whole item, at 64\n"
	     "s0.idx: 132072 bytes at offset 0 of the stream described\n"
	     "images/maps.jsonl: newline added at its end\n"
	     "metadata.json: written again\n");
	remove_tree(f->path);
	write_example(f->path, false);
	says(f, true, "metadata.json: would be made final\n");
	says(f, false, "metadata.json: made final\n");
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_repaired_that_is_whole),
		TEST(a_recording_cut_at_every_byte_is_repaired_once),
		TEST(what_was_not_done_is_not_said_to_be_done),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
