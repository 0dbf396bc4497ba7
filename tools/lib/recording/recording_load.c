// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: metadata.json, or what stands in for it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"
#include "seal.h"

/* One of the two files that hold the metadata. */
struct document {
	const char *file;
	char *text;
	size_t length;
	int error;			/* it cannot be read: a negative errno */
	bool intact;
	struct json_object *object;	/* NULL: it cannot be parsed */
};

int recording_read_text(const struct rvtrace_recording *recording, const char *file, char **text,
			size_t *length)
{
	int fd = rvtrace_recording_open_file(recording, file);
	int64_t size;
	ssize_t got;

	*text = NULL;
	*length = 0;
	if (fd < 0)
		return fd;
	size = file_size(fd);
	if (size > METADATA_MAX)
		size = -EFBIG;
	if (size >= 0) {
		*text = malloc(size + 1);
		got = *text ? file_pread(fd, *text, size, 0) : -ENOMEM;
		size = got;
	}
	close(fd);
	if (size < 0) {
		free(*text);
		*text = NULL;
		return size;
	}
	(*text)[size] = 0;
	*length = size;
	return 0;
}

static void load(struct rvtrace_recording *recording, const char *file, struct document *document)
{
	size_t length;

	memset(document, 0, sizeof(*document));
	document->file = file;
	document->error = recording_read_text(recording, file, &document->text, &document->length);
	if (document->error)
		return;
	length = document->length;
	document->intact = length && document->text[length - 1] == '\n' &&
			   seal_holds(document->text, length - 1);
	document->object = seal_parse(document->text, length);
	document->intact = document->intact && document->object;
}

static void unload(struct document *document)
{
	free(document->text);
	json_object_put(document->object);
}

/* It is there, but cannot be read; one that is too large is damaged. */
static bool is_unreadable(const struct document *document)
{
	return document->error && document->error != -ENOENT && document->error != -EFBIG;
}

/* The same bytes but for a few: those are the damaged ones. */
static void report(struct rvtrace_recording *recording, const struct document *damaged,
		   const struct document *other)
{
	size_t start = 0, end = damaged->length;

	if (damaged->intact)
		return;
	if (is_unreadable(damaged)) {
		recording_unreadable(recording, damaged->file, 0, damaged->error, NULL);
		return;
	}
	if (damaged->error) {
		recording_damage(recording, damaged->file, 0, 0, "%s",
				 damaged->error == -ENOENT ? "missing" : strerror(-damaged->error));
		return;
	}
	if (other->intact && other->length == damaged->length) {
		while (start < end && damaged->text[start] == other->text[start])
			start++;
		while (end > start && damaged->text[end - 1] == other->text[end - 1])
			end--;
	}
	recording_damage(recording, damaged->file, start, end - start, "damaged");
}

static int add_sink(struct json_object *sinks, const char *name, size_t length)
{
	struct json_object *sink;
	char copy[RECORDING_NAME_MAX];
	size_t i;

	if (length >= sizeof(copy))
		return 0;
	memcpy(copy, name, length);
	copy[length] = 0;
	if (!recording_sink_name_valid(copy))
		return 0;
	for (i = 0; i < json_object_array_length(sinks); i++)
		if (!strcmp(copy, json_string(json_object_array_get_idx(sinks, i), "name")))
			return 0;
	sink = json_object_new_object();
	if (!sink)
		return -ENOMEM;
	json_object_object_add(sink, "name", json_object_new_string(copy));
	json_object_array_add(sinks, sink);
	return 1;
}

DIR *recording_list(const struct rvtrace_recording *recording)
{
	int fd = openat(recording->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !directory) {
		error = errno;
		close(fd);
		errno = error;
	}
	return directory;
}

/*
 * The sinks are those that have an index or a first segment. Return: how many, or a negative
 * errno.
 */
static int infer_sinks(struct rvtrace_recording *recording)
{
	static const char *const endings[] = { ".idx", ".0000.bin" };
	DIR *directory = recording_list(recording);
	struct json_object *sinks;
	struct dirent *entry;
	int count = 0;
	size_t i;

	if (!directory)
		return -errno;
	sinks = json_object_new_array();
	while ((entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);

		for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
			if (length > strlen(endings[i]) &&
			    !strcmp(entry->d_name + length - strlen(endings[i]), endings[i]))
				count += add_sink(sinks, entry->d_name,
						  length - strlen(endings[i])) > 0;
	}
	closedir(directory);
	json_object_object_add(recording->metadata, "sinks", sinks);
	return count;
}

/* Without sinks that the files tell, what is wrong is @code: @text. */
static int infer_sinks_or(struct rvtrace_recording *recording, int code, const char *text,
			  struct rvtrace_failure *error)
{
	int count = infer_sinks(recording);

	if (count < 0)
		return rvtrace_fail(error, -count, 0, "%s: %s", recording->path, strerror(-count));
	return count ? 0 : rvtrace_fail(error, code, 0, "%s%s", recording->path, text);
}

static int infer(struct rvtrace_recording *recording, struct rvtrace_failure *error)
{
	recording->metadata = json_object_new_object();
	json_object_object_add(recording->metadata, "schema",
			       json_object_new_int(RVTRACE_RECORDING_SCHEMA));
	return infer_sinks_or(recording, ENOENT, ": no trace directory: no intact " METADATA_FILE,
			      error);
}

static bool names_a_sink(struct json_object *metadata)
{
	struct json_object *list = json_array(metadata, "sinks"), *sink;
	size_t i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		sink = json_object_array_get_idx(list, i);
		if (recording_sink_name_valid(json_string(sink, "name")))
			return true;
	}
	return false;
}

/* What else the metadata says is of use without the sinks. */
static int complete_sinks(struct rvtrace_recording *recording,
			  struct rvtrace_failure *error)
{
	if (names_a_sink(recording->metadata))
		return 0;
	recording_damage(recording, METADATA_FILE, 0, 0, "no usable sinks");
	recording->metadata_intact = false;
	return infer_sinks_or(recording, EINVAL, "/" METADATA_FILE ": no usable sinks", error);
}

static int check_schema(const struct rvtrace_recording *recording,
			struct rvtrace_failure *error)
{
	uint64_t schema = json_uint(recording->metadata, "schema");

	if (schema == RVTRACE_RECORDING_SCHEMA)
		return 0;
	return rvtrace_fail(error, EPROTONOSUPPORT, 0,
			    "%s/%s: schema %llu, this program reads schema %d", recording->path,
			    METADATA_FILE, (unsigned long long)schema, RVTRACE_RECORDING_SCHEMA);
}

/* What is intact goes first, what can be parsed at all second. */
static const struct document *choose(const struct document *first, const struct document *copy)
{
	if (first->intact)
		return first;
	if (copy->intact)
		return copy;
	if (first->object)
		return first;
	return copy->object ? copy : NULL;
}

int recording_metadata_load(struct rvtrace_recording *recording,
			    struct rvtrace_failure *error)
{
	const struct document *chosen;
	struct document first, copy;
	int ret;

	load(recording, METADATA_FILE, &first);
	load(recording, METADATA_COPY, &copy);
	chosen = choose(&first, &copy);
	if (chosen) {
		recording->metadata = json_object_get(chosen->object);
		recording->metadata_intact = chosen->intact;
		ret = check_schema(recording, error);
		if (!ret)
			ret = complete_sinks(recording, error);
	} else if (is_unreadable(&first) || is_unreadable(&copy)) {
		chosen = is_unreadable(&first) ? &first : &copy;
		ret = recording_unreadable(recording, chosen->file, 0, chosen->error, error);
	} else {
		ret = infer(recording, error);
	}
	if (!ret) {
		report(recording, &first, &copy);
		report(recording, &copy, &first);
	}
	unload(&first);
	unload(&copy);
	return ret;
}
