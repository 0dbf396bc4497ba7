// SPDX-License-Identifier: GPL-2.0
/* Trace directories: what is written is read back, wherever it was cut. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "recording-fixture.h"

#define SEGMENT		RVTRACE_RECORDING_SEGMENT_MIN
#define START		(1ULL << 33)	/* position of the first byte */

/* The byte at a stream offset. */
static uint8_t pattern(uint64_t offset)
{
	return (offset * 2654435761u) >> 13;
}

static void write_data(struct rvtrace_recorder *recorder, uint64_t position, uint64_t offset,
		       size_t first, size_t second)
{
	uint8_t *data = malloc(first + second);
	struct iovec iov[2] = { { data, first }, { data + first, second } };
	struct rvtrace_failure error;
	size_t i;

	for (i = 0; i < first + second; i++)
		data[i] = pattern(offset + i);
	assert_int_equal(rvtrace_recorder_write(recorder, 0, position, iov, 2, &error), 0);
	free(data);
}

static void mark(struct rvtrace_recorder *recorder, enum rvtrace_chunk_type type,
		 uint64_t position, uint64_t length, uint32_t flags)
{
	struct rvtrace_failure error;

	assert_int_equal(rvtrace_recorder_mark(recorder, 0, type, position, length, flags, &error),
			 0);
}

static void write_clock(struct rvtrace_recorder *recorder, uint64_t position)
{
	struct rvtrace_record_clock clock = {
		.header = { sizeof(clock), RVTRACE_RECORD_CLOCK, 1, position, 7 },
		.trace_time = position,
	};
	struct rvtrace_failure error;

	assert_int_equal(rvtrace_recorder_records(recorder, 0, &clock, sizeof(clock), &error), 0);
}

/*
 * Three segments: 100000 bytes of which 300 from 50 on were overwritten, 4096
 * lost, then 50000 bytes; two records.
 */
static void write_example(const char *path, bool finish)
{
	struct rvtrace_recorder *recorder = test_recorder(path, SEGMENT, 0);
	struct rvtrace_failure error;

	mark(recorder, RVTRACE_CHUNK_SESSION_START, START, 0, 0);
	write_data(recorder, START, 0, 90000, 10000);
	mark(recorder, RVTRACE_CHUNK_OVERWRITTEN, START + 50, 300, 0);
	write_clock(recorder, START);
	mark(recorder, RVTRACE_CHUNK_LOST, START + 100000, 4096, RVTRACE_CHUNK_AT_LEAST);
	write_data(recorder, START + 104096, 100000, 50000, 0);
	write_clock(recorder, START + 104096);
	mark(recorder, RVTRACE_CHUNK_SESSION_END, START + 154096, 0, 0);
	if (finish)
		assert_int_equal(rvtrace_recorder_finish(recorder, &error), 0);
	rvtrace_recorder_free(recorder);
}

struct sums {
	uint64_t data, overwritten, lost, cut, starts, ends;
	uint64_t position;	/* behind the last chunk */
	uint64_t restarts[3];	/* offsets */
	unsigned int restart_count;
};

/* Reads it all; checks bytes, order and positions that join up. */
static void read_all(const char *path, struct sums *sums)
{
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recording *recording;
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	uint64_t i, offset = 0;
	int ret;

	memset(sums, 0, sizeof(*sums));
	ret = rvtrace_recording_open(path, &recording, &error);
	if (ret)
		fail_msg("%s", error.text);
	assert_int_equal(rvtrace_recording_stream_open(recording, 0, &stream, &error), 0);
	while ((ret = rvtrace_recording_stream_next(stream, &chunk, &error)) == 1) {
		switch (chunk.type) {
		case RVTRACE_CHUNK_DATA:
		case RVTRACE_CHUNK_OVERWRITTEN:
			assert_int_equal(chunk.offset, offset);
			for (i = 0; i < chunk.length; i++)
				if (chunk.data[i] != pattern(chunk.offset + i))
					fail_msg("byte %ju", (uintmax_t)(chunk.offset + i));
			offset += chunk.length;
			if (chunk.type == RVTRACE_CHUNK_DATA)
				sums->data += chunk.length;
			else
				sums->overwritten += chunk.length;
			break;
		case RVTRACE_CHUNK_LOST:
			assert_null(chunk.data);
			if (chunk.flags & RVTRACE_CHUNK_CUT) {
				sums->cut += chunk.length;
				offset += chunk.length;
			} else {
				sums->lost += chunk.length;
			}
			break;
		case RVTRACE_CHUNK_SESSION_START:
			sums->position = chunk.position;
			sums->starts++;
			break;
		case RVTRACE_CHUNK_SESSION_END:
			sums->ends++;
			break;
		case RVTRACE_CHUNK_RESTART:
			assert_in_range(sums->restart_count, 0, 2);
			sums->restarts[sums->restart_count++] = chunk.offset;
			assert_int_equal(chunk.restart, sums->restart_count);
			break;
		}
		if (sums->starts)
			assert_int_equal(chunk.position, sums->position);
		sums->position = chunk.position + chunk.length;
	}
	if (ret)
		fail_msg("%s", error.text);
	rvtrace_recording_stream_free(stream);
	rvtrace_recording_free(recording);
}

static int count_records(const char *path, struct rvtrace_failure *error)
{
	struct rvtrace_recording *recording;
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	int count = 0, ret;

	assert_int_equal(rvtrace_recording_open(path, &recording, error), 0);
	assert_int_equal(rvtrace_recording_records_open(recording, 0, &records, error), 0);
	while ((ret = rvtrace_recording_records_next(records, &record, error)) == 1) {
		assert_int_equal(record->type, RVTRACE_RECORD_CLOCK);
		count++;
	}
	rvtrace_recording_records_free(records);
	rvtrace_recording_free(recording);
	return ret ? ret : count;
}

static void what_is_written_is_read(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recording *recording;
	const struct rvtrace_recording_sink *sink;
	struct sums sums;

	write_example(f->path, true);
	read_all(f->path, &sums);
	assert_int_equal(sums.data, 149700);
	assert_int_equal(sums.overwritten, 300);
	assert_int_equal(sums.lost, 4096);
	assert_int_equal(sums.cut, 0);
	assert_int_equal(sums.starts + sums.ends, 2);
	assert_int_equal(sums.position, START + 154096);
	assert_int_equal(count_records(f->path, &f->error), 2);

	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_true(rvtrace_recording_complete(recording));
	assert_int_equal(rvtrace_recording_sink_count(recording), 1);
	assert_null(rvtrace_recording_sink(recording, 1));
	sink = rvtrace_recording_sink(recording, 0);
	assert_string_equal(sink->name, "s0");
	assert_string_equal(sink->mode, "stream");
	assert_int_equal(sink->bytes, 150000);
	assert_int_equal(sink->lost, 4396);
	assert_true(sink->lost_at_least);
	assert_int_equal(sink->segments, 3);
	rvtrace_recording_free(recording);
}

/* In the middle of what was written at once, of what was lost, and behind everything */
static void restarts_are_where_their_records_say(void **state)
{
	static const uint64_t positions[] = { START + 40001, START + 102000, START + 154096 };
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, SEGMENT, 0);
	struct sums sums;

	mark(recorder, RVTRACE_CHUNK_SESSION_START, START, 0, 0);
	write_data(recorder, START, 0, 90000, 10000);
	for (unsigned int i = 0; i < 3; i++) {
		struct rvtrace_record restart = {
			sizeof(restart), RVTRACE_RECORD_RESTART, 1, positions[i], 7 + i,
		};

		assert_int_equal(rvtrace_recorder_records(recorder, 0, &restart, sizeof(restart),
							  &f->error), 0);
	}
	mark(recorder, RVTRACE_CHUNK_LOST, START + 100000, 4096, 0);
	write_data(recorder, START + 104096, 100000, 50000, 0);
	mark(recorder, RVTRACE_CHUNK_SESSION_END, START + 154096, 0, 0);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	read_all(f->path, &sums);
	assert_int_equal(sums.data, 150000);
	assert_int_equal(sums.restart_count, 2);
	assert_int_equal(sums.restarts[0], 40001);
	assert_int_equal(sums.restarts[1], 100000);
}

static void temporary_metadata_is_gone_at_the_end(void **state)
{
	struct fixture *f = *state;
	char file[160];

	snprintf(file, sizeof(file), "%s/metadata.json.tmp", f->path);
	write_example(f->path, true);
	assert_int_equal(access(file, F_OK), -1);
	remove_tree(f->path);
	write_example(f->path, false);
	assert_int_equal(access(file, F_OK), -1);
}

static void unfinished_recording_opens(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recording *recording;
	struct sums sums;

	write_example(f->path, false);
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_false(rvtrace_recording_complete(recording));
	rvtrace_recording_free(recording);
	read_all(f->path, &sums);
	assert_int_equal(sums.data + sums.overwritten, 150000);
}

static void directory_in_use_is_refused(void **state)
{
	struct fixture *f = *state;

	write_example(f->path, true);
	assert_int_equal(rvtrace_recording_directory(f->path, &f->error), -EEXIST);
	assert_non_null(strstr(f->error.text, "holds a recording already"));
}

static off_t file_size(const char *path, const char *name)
{
	char file[160];
	struct stat st;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	assert_int_equal(stat(file, &st), 0);
	return st.st_size;
}

static void cut(const char *path, const char *name, off_t size)
{
	char file[160];

	snprintf(file, sizeof(file), "%s/%s", path, name);
	assert_int_equal(truncate(file, size), 0);
}

/*
 * Whole entries there are in the first @size bytes of the example's index, of one type; @length: of
 * all of them.
 */
static unsigned int entries_before(const char *path, off_t size, uint32_t type, uint64_t *length)
{
	uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE];
	unsigned int count = 0;
	char file[160];
	uint64_t own;
	FILE *in;

	snprintf(file, sizeof(file), "%s/s0.idx", path);
	in = fopen(file, "r");
	for (; size >= (off_t)sizeof(bytes) && fread(bytes, sizeof(bytes), 1, in) == 1;
	     size -= sizeof(bytes)) {
		if (bytes[32] != type)
			continue;
		count++;
		memcpy(&own, bytes + 16, sizeof(own));
		*length += own;
	}
	fclose(in);
	return count;
}

/* All bytes are still there; those that the index says nothing of any more are not trusted. */
static void index_cut_at_every_byte(void **state)
{
	struct fixture *f = *state;
	uint64_t described, overwritten, rest;
	struct sums sums;
	off_t size;

	write_example(f->path, false);
	for (size = file_size(f->path, "s0.idx"); size >= 0; size--) {
		cut(f->path, "s0.idx", size);
		read_all(f->path, &sums);
		described = 0;
		overwritten = 0;
		rest = 0;
		entries_before(f->path, size, 1, &described);
		entries_before(f->path, size, 3, &overwritten);
		assert_int_equal(sums.data + sums.overwritten, 150000);
		assert_int_equal(sums.overwritten, 150000 - described + overwritten);
		assert_int_equal(sums.lost, entries_before(f->path, size, 2, &rest) ? 4096 : 0);
		assert_int_equal(sums.starts, entries_before(f->path, size, 4, &rest));
		assert_int_equal(sums.ends, entries_before(f->path, size, 5, &rest));
	}
}

static void records_cut_at_every_byte(void **state)
{
	struct fixture *f = *state;
	off_t size;

	write_example(f->path, false);
	for (size = file_size(f->path, "s0.records"); size >= 0; size--) {
		cut(f->path, "s0.records", size);
		assert_int_equal(count_records(f->path, &f->error),
				 size / (24 + sizeof(struct rvtrace_record_clock)));
	}
}

/* What is not there is told of, to the byte, and what follows keeps its place. */
static void stream_cut(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	write_example(f->path, true);
	cut(f->path, "s0.0002.bin", 10);
	read_all(f->path, &sums);
	assert_int_equal(sums.data + sums.overwritten, 2 * SEGMENT + 10);
	assert_int_equal(sums.cut, 150000 - 2 * SEGMENT - 10);
	assert_int_equal(sums.position, START + 154096);

	cut(f->path, "s0.0000.bin", 100);
	read_all(f->path, &sums);
	assert_int_equal(sums.data + sums.overwritten, 100 + SEGMENT + 10);
	assert_int_equal(sums.position, START + 154096);
}

static void missing_segment(void **state)
{
	struct fixture *f = *state;
	char file[160];
	struct sums sums;

	write_example(f->path, true);
	snprintf(file, sizeof(file), "%s/s0.0001.bin", f->path);
	unlink(file);
	read_all(f->path, &sums);
	assert_int_equal(sums.data + sums.overwritten, 150000 - SEGMENT);
	assert_int_equal(sums.cut, SEGMENT);
	assert_int_equal(sums.position, START + 154096);
}

static void zeros_after_a_crash_end_the_index(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	write_example(f->path, false);
	cut(f->path, "s0.idx", file_size(f->path, "s0.idx") + 4000);
	cut(f->path, "s0.records", file_size(f->path, "s0.records") + 4000);
	read_all(f->path, &sums);
	assert_int_equal(sums.data + sums.overwritten, 150000);
	assert_int_equal(count_records(f->path, &f->error), 2);
}

static void too_little_space_is_refused_before_writing(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, SEGMENT, 1ULL << 62);
	struct iovec iov = { f->folder, 10 };
	struct rvtrace_recorder_totals totals;

	assert_int_equal(rvtrace_recorder_write(recorder, 0, START, &iov, 1, &f->error), -ENOSPC);
	assert_non_null(strstr(f->error.text, " MiB free, min_free is 4398046511104.0 MiB"));
	rvtrace_recorder_totals(recorder, 0, &totals);
	assert_int_equal(totals.bytes, 0);
	rvtrace_recorder_add_error(recorder, f->error.text);
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
}

/* Aligned or not, in memory and in the file, over the ends of segments. */
static void every_alignment_is_written(void **state)
{
	static const struct {
		size_t first_offset, first, second;
	} cases[] = {
		{ 0, 65536, 65536 },	/* as from a ring: whole blocks, wrapped */
		{ 0, 300000, 0 },
		{ 0, 100, 40000 },
		{ 17, 65536, 4096 },
		{ 4096, 4096, 131072 },
		{ 1, 1, 1 },
		{ 8, 50001, 50003 },
		{ 0, 16384, 0 },
	};
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, 2 * SEGMENT, 0);
	uint64_t offset = 0;
	uint8_t *first, *second;
	struct sums sums;
	size_t i, k;

	first = aligned_alloc(4096, 1 << 20);
	second = aligned_alloc(4096, 1 << 20);
	assert_true(first && second);
	mark(recorder, RVTRACE_CHUNK_SESSION_START, START, 0, 0);
	for (i = 0; i < 5 * sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = i % (sizeof(cases) / sizeof(cases[0]));
		struct iovec iov[2] = {
			{ first + cases[n].first_offset, cases[n].first },
			{ second, cases[n].second },
		};

		for (k = 0; k < cases[n].first; k++)
			first[cases[n].first_offset + k] = pattern(offset++);
		for (k = 0; k < cases[n].second; k++)
			second[k] = pattern(offset++);
		assert_int_equal(rvtrace_recorder_write(recorder, 0,
							START + offset - cases[n].first -
							cases[n].second, iov, 2, &f->error), 0);
	}
	assert_int_equal(rvtrace_recorder_confirm(recorder, 0, &f->error), 0);
	rvtrace_recorder_free(recorder);
	free(first);
	free(second);
	read_all(f->path, &sums);
	assert_int_equal(sums.data, offset);
	assert_int_equal(sums.position, START + offset);
}

/* A file-size limit makes write() stop in the middle, as a full disk does. */
static void partial_write_is_kept(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, SEGMENT, 0);
	struct rlimit before, limit;
	uint8_t data[5000];
	struct iovec iov[2] = { { data, 3000 }, { data + 3000, 2000 } };
	struct sums sums;
	int ret, i;

	for (i = 0; i < 5000; i++)
		data[i] = pattern(i);
	mark(recorder, RVTRACE_CHUNK_SESSION_START, START, 0, 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	ret = rvtrace_recorder_write(recorder, 0, START, iov, 2, &f->error);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(f->error.text, "s0.0000.bin: offset 4096: File too large"));
	assert_int_equal(rvtrace_recorder_finish(recorder, &f->error), 0);
	rvtrace_recorder_free(recorder);
	read_all(f->path, &sums);
	assert_int_equal(sums.data, 4096);
}

static void overwritten_outside_the_last_write_is_refused(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, SEGMENT, 0);

	write_data(recorder, START, 0, 100, 0);
	assert_int_equal(rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_OVERWRITTEN, START + 1,
					       100, 0, &f->error), -EINVAL);
	assert_int_equal(rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_OVERWRITTEN, START - 1,
					       1, 0, &f->error), -EINVAL);
	rvtrace_recorder_free(recorder);
}

static void bad_names_of_sinks_are_refused(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recorder *recorder = test_recorder(f->path, SEGMENT, 0);

	assert_int_equal(rvtrace_recorder_add_sink(recorder, "a/b", &f->error), -EINVAL);
	assert_int_equal(rvtrace_recorder_add_sink(recorder, "", &f->error), -EINVAL);
	assert_int_equal(rvtrace_recorder_add_sink(recorder, "s0", &f->error), -EEXIST);
	rvtrace_recorder_free(recorder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_written_is_read),
		TEST(restarts_are_where_their_records_say),
		TEST(temporary_metadata_is_gone_at_the_end),
		TEST(unfinished_recording_opens),
		TEST(directory_in_use_is_refused),
		TEST(index_cut_at_every_byte),
		TEST(records_cut_at_every_byte),
		TEST(stream_cut),
		TEST(missing_segment),
		TEST(zeros_after_a_crash_end_the_index),
		TEST(too_little_space_is_refused_before_writing),
		TEST(every_alignment_is_written),
		TEST(partial_write_is_kept),
		TEST(overwritten_outside_the_last_write_is_refused),
		TEST(bad_names_of_sinks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
