// SPDX-License-Identifier: GPL-2.0
/* Trace directories that are read while they are written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

#include "recording-fixture.h"

#define SEGMENT	RVTRACE_RECORDING_SEGMENT_MIN
#define PART	50000	/* bytes of a write: two of them need two segments */

static struct rvtrace_recorder *recorder;
static struct rvtrace_recording *recording;
static struct rvtrace_recording_stream *stream;

static bool finishes;	/* the writer, as somebody looks whether there is one */

/* In place of the C library's */
int fcntl(int fd, int command, ...)
{
	va_list args;
	long argument;

	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	if (command == F_OFD_GETLK && finishes) {
		finishes = false;
		assert_int_equal(rvtrace_recorder_finish(recorder, NULL), 0);
		rvtrace_recorder_free(recorder);
		recorder = NULL;
	}
	return syscall(SYS_fcntl, fd, command, argument);
}

static void write_part(struct fixture *f, uint64_t number)
{
	static uint8_t bytes[PART];
	struct iovec iov = { bytes, sizeof(bytes) };

	memset(bytes, (int)number + 1, sizeof(bytes));
	assert_int_equal(rvtrace_recorder_write(recorder, 0, number * PART, &iov, 1, &f->error), 0);
	assert_int_equal(rvtrace_recorder_confirm(recorder, 0, &f->error), 0);
	/* The next one has another time. */
	nanosleep(&(struct timespec) { .tv_nsec = 1000 }, NULL);
}

static int begin(void **state)
{
	struct fixture *f;

	if (set_up(state))
		return -1;
	f = *state;
	recorder = test_recorder(f->path, SEGMENT, 0);
	write_part(f, 0);
	return rvtrace_recording_open(f->path, &recording, &f->error) ||
	       rvtrace_recording_stream_open(recording, 0, &stream, &f->error);
}

static int end(void **state)
{
	rvtrace_recording_stream_free(stream);
	rvtrace_recording_free(recording);
	rvtrace_recorder_free(recorder);
	return tear_down(state);
}

static void reload(struct fixture *f)
{
	assert_int_equal(rvtrace_recording_reload(recording, &f->error), 0);
}

/* Bytes from @offset on, up to where the stream ends now. */
static uint64_t read_on(struct fixture *f, uint64_t offset, enum rvtrace_chunk_type type)
{
	uint64_t begun = offset, i;
	struct rvtrace_chunk chunk;
	int ret;

	while ((ret = rvtrace_recording_stream_next(stream, &chunk, &f->error)) > 0) {
		assert_int_equal(chunk.type, type);
		assert_int_equal(chunk.flags, 0);
		assert_int_equal(chunk.offset, offset);
		for (i = 0; i < chunk.length; i++)
			assert_int_equal(chunk.data[i], (offset + i) / PART + 1);
		offset += chunk.length;
	}
	assert_int_equal(ret, 0);
	return offset - begun;
}

static void a_stream_goes_on_behind_its_end(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_on(f, 0, RVTRACE_CHUNK_DATA), PART);
	write_part(f, 1);
	write_part(f, 2);
	assert_int_equal(read_on(f, PART, RVTRACE_CHUNK_DATA), 0);
	reload(f);
	assert_int_equal(read_on(f, PART, RVTRACE_CHUNK_DATA), 2 * PART);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->segments, 3);
	assert_null(rvtrace_recording_damage(recording, 0));
}

static void what_was_written_later_than_the_limit_waits(void **state)
{
	struct fixture *f = *state;

	write_part(f, 1);
	reload(f);
	rvtrace_recording_stream_limit(stream, rvtrace_recording_sink(recording, 0)->written);
	assert_int_equal(read_on(f, 0, RVTRACE_CHUNK_DATA), PART);
	rvtrace_recording_stream_limit(stream, rvtrace_recording_sink(recording, 0)->written + 1);
	assert_int_equal(read_on(f, PART, RVTRACE_CHUNK_DATA), PART);
}

/* The writer puts the bytes into the file first, and then what describes them. */
static void bytes_without_an_entry_wait_while_there_is_a_limit(void **state)
{
	struct fixture *f = *state;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/s0.0000.bin", f->path);
	file = fopen(path, "a");
	assert_true(file && fputs("\2\2\2", file) >= 0 && !fclose(file));
	reload(f);
	rvtrace_recording_stream_limit(stream, UINT64_MAX - 1);
	assert_int_equal(read_on(f, 0, RVTRACE_CHUNK_DATA), PART);
	rvtrace_recording_stream_limit(stream, UINT64_MAX);
	assert_int_equal(read_on(f, PART, RVTRACE_CHUNK_DATA), 3);
}

static void a_recording_that_is_finished_while_it_is_opened_is_whole(void **state)
{
	static uint8_t bytes[PART];
	const struct iovec iov = { bytes, sizeof(bytes) };
	struct rvtrace_recording *opened;
	struct fixture *f = *state;

	assert_int_equal(rvtrace_recorder_write(recorder, 0, PART, &iov, 1, &f->error), 0);
	finishes = true;
	assert_int_equal(rvtrace_recording_open(f->path, &opened, &f->error), 0);
	assert_false(finishes);
	assert_true(rvtrace_recording_complete(opened));
	assert_int_equal(rvtrace_recording_sink(opened, 0)->bytes, 2 * PART);
	assert_int_equal(rvtrace_recording_sink(opened, 0)->lost, 0);
	rvtrace_recording_free(opened);
}

static void what_is_said_of_bytes_is_known_with_what_comes_behind(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_on(f, 0, RVTRACE_CHUNK_DATA), PART);
	write_part(f, 1);
	assert_int_equal(rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_OVERWRITTEN, PART, PART,
					       0, &f->error), 0);
	reload(f);
	assert_int_equal(read_on(f, PART, RVTRACE_CHUNK_OVERWRITTEN), PART);
}

static void who_writes_has_it_locked(void **state)
{
	const struct rvtrace_recorder_options options = { .uid = -1, .gid = -1 };
	struct fixture *f = *state;

	assert_true(rvtrace_recording_written(recording));
	rvtrace_recorder_free(recorder);
	recorder = NULL;
	assert_false(rvtrace_recording_written(recording));
	assert_int_equal(rvtrace_recorder_resume(open(f->path, O_RDONLY | O_DIRECTORY), f->path,
						 &options, &recorder, &f->error), 0);
	assert_true(rvtrace_recording_written(recording));
}

static void other_sinks_are_another_recording(void **state)
{
	static const char *const files[] = { "metadata.json", "metadata.copy.json" };
	struct fixture *f = *state;
	char path[128];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->path, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	snprintf(path, sizeof(path), "%s/s1.idx", f->path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(rvtrace_recording_reload(recording, &f->error), -EBADMSG);
	assert_int_equal(read_on(f, 0, RVTRACE_CHUNK_DATA), PART);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stream_goes_on_behind_its_end),
		TEST(what_was_written_later_than_the_limit_waits),
		TEST(bytes_without_an_entry_wait_while_there_is_a_limit),
		TEST(a_recording_that_is_finished_while_it_is_opened_is_whole),
		TEST(what_is_said_of_bytes_is_known_with_what_comes_behind),
		TEST(who_writes_has_it_locked),
		TEST(other_sinks_are_another_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
