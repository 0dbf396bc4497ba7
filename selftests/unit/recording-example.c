// SPDX-License-Identifier: GPL-2.0
/* A recording that tests damage: see recording-example.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording-example.h"

void write_data(struct rvtrace_recorder *recorder, uint64_t position, size_t length)
{
	uint8_t *data = aligned_alloc(SEGMENT, 4 * SEGMENT);
	struct iovec iov = { data, length };
	size_t i;

	for (i = 0; i < length; i++)
		data[i] = (position + i) * 2654435761u >> 13;
	assert_int_equal(rvtrace_recorder_write(recorder, 0, position, &iov, 1, NULL), 0);
	free(data);
}

void write_record(struct rvtrace_recorder *recorder, uint64_t position)
{
	struct rvtrace_record_clock clock = {
		.header = { sizeof(clock), RVTRACE_RECORD_CLOCK, 1, position, 7 },
	};

	assert_int_equal(rvtrace_recorder_records(recorder, 0, &clock, sizeof(clock), NULL), 0);
}

void write_line(struct rvtrace_recorder *recorder, const char *file, int number)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int(number));
	assert_int_equal(rvtrace_recorder_line(recorder, file, object, NULL), 0);
	json_object_put(object);
}

void write_example(const char *path, bool finish)
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

const char *file_path(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return path;
}

uint8_t *read_file(const struct fixture *f, const char *name, size_t *size)
{
	FILE *in = fopen(file_path(f, name), "r");
	uint8_t *bytes = calloc(1, 1 << 20);

	assert_non_null(in);
	*size = fread(bytes, 1, (1 << 20) - 1, in);
	fclose(in);
	return bytes;
}

void write_file(const struct fixture *f, const char *name, const void *bytes, size_t size)
{
	FILE *out = fopen(file_path(f, name), "w");

	assert_int_equal(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

void flip(const struct fixture *f, const char *name, size_t at)
{
	size_t size;
	uint8_t *bytes = read_file(f, name, &size);

	assert_true(at < size);
	bytes[at] ^= 1;
	write_file(f, name, bytes, size);
	free(bytes);
}

struct rvtrace_recording *verified(struct fixture *f)
{
	struct rvtrace_recording *recording;

	if (rvtrace_recording_open(f->path, &recording, &f->error) ||
	    rvtrace_recording_verify(recording, &f->error))
		fail_msg("%s", f->error.text);
	return recording;
}

void assert_damage(struct fixture *f, const char *text)
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

void assert_intact(struct fixture *f)
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

int recover(struct fixture *f, bool dry_run)
{
	int directory = open(f->path, O_RDONLY | O_DIRECTORY), ret;

	ret = rvtrace_recording_recover(directory, f->path, dry_run, NULL, NULL, &f->error);
	close(directory);
	if (ret < 0)
		fail_msg("%s", f->error.text);
	return ret;
}
