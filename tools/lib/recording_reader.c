// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: metadata.json. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_internal.h"

#define METADATA_MAX	(64 * 1024 * 1024)

static struct json_object *member(struct json_object *object, const char *key,
				  enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *recording_json_string(struct json_object *object, const char *key)
{
	struct json_object *value = member(object, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

uint64_t recording_json_uint(struct json_object *object, const char *key)
{
	struct json_object *value = member(object, key, json_type_int);

	return value ? json_object_get_uint64(value) : 0;
}

struct json_object *recording_json_array(struct json_object *object, const char *key)
{
	return member(object, key, json_type_array);
}

static size_t array_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

/* The text of metadata.json, NUL-terminated; the caller frees it. */
static int read_metadata(struct rvtrace_recording *recording, char **text, size_t *length,
			 struct rvtrace_recording_error *error)
{
	int fd = openat(recording->directory, "metadata.json", O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t got;

	*text = NULL;
	if (fd < 0)
		return rvtrace_fail(error, errno, 0, "%s/metadata.json: %s", recording->path,
				    strerror(errno));
	if (fstat(fd, &st) || st.st_size > METADATA_MAX) {
		close(fd);
		return rvtrace_fail(error, EBADMSG, 0, "%s/metadata.json: too big",
				    recording->path);
	}
	*text = malloc(st.st_size + 1);
	got = *text ? recording_pread(fd, *text, st.st_size, 0) : -ENOMEM;
	close(fd);
	if (got < 0)
		return rvtrace_fail(error, -got, 0, "%s/metadata.json: %s", recording->path,
				    strerror(-got));
	(*text)[got] = 0;
	*length = got;
	return 0;
}

static int parse_metadata(struct rvtrace_recording *recording,
			  struct rvtrace_recording_error *error)
{
	struct json_tokener *tokener;
	enum json_tokener_error result;
	size_t length = 0, end;
	char *text;
	int ret;

	ret = read_metadata(recording, &text, &length, error);
	if (ret) {
		free(text);
		return ret;
	}
	tokener = json_tokener_new();
	if (!tokener) {
		free(text);
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	}
	recording->metadata = json_tokener_parse_ex(tokener, text, length);
	result = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	free(text);
	if (result == json_tokener_continue)
		return rvtrace_fail(error, EBADMSG, end, "%s/metadata.json: ends too early",
				    recording->path);
	if (result != json_tokener_success)
		return rvtrace_fail(error, EBADMSG, end, "%s/metadata.json: offset %zu: %s",
				    recording->path, end, json_tokener_error_desc(result));
	if (!json_object_is_type(recording->metadata, json_type_object) ||
	    !member(recording->metadata, "schema", json_type_int))
		return rvtrace_fail(error, EBADMSG, 0,
				    "%s/metadata.json: not the metadata of a trace directory",
				    recording->path);
	if (recording_json_uint(recording->metadata, "schema") != RVTRACE_RECORDING_SCHEMA)
		return rvtrace_fail(error, EPROTONOSUPPORT, 0,
				    "%s/metadata.json: schema %llu, this program reads schema %d",
				    recording->path,
				    (unsigned long long)recording_json_uint(recording->metadata,
									    "schema"),
				    RVTRACE_RECORDING_SCHEMA);
	return 0;
}

static int fill_source(struct rvtrace_recording_source *source, struct json_object *object)
{
	struct json_object *cpus = recording_json_array(object, "cpus");
	struct json_object *harts = recording_json_array(object, "harts");
	unsigned int *cpu_list = calloc(array_length(cpus) + 1, sizeof(*cpu_list));
	uint64_t *hart_list = calloc(array_length(harts) + 1, sizeof(*hart_list));
	size_t i;

	source->cpus = cpu_list;
	source->harts = hart_list;
	source->attributes = member(object, "attributes", json_type_object);
	source->attributes = source->attributes ? json_object_get(source->attributes) :
						  json_object_new_object();
	if (!cpu_list || !hart_list || !source->attributes)
		return -ENOMEM;
	for (i = 0; i < array_length(cpus); i++)
		cpu_list[i] = json_object_get_uint64(json_object_array_get_idx(cpus, i));
	for (i = 0; i < array_length(harts); i++)
		hart_list[i] = json_object_get_uint64(json_object_array_get_idx(harts, i));
	source->cpu_count = array_length(cpus);
	source->hart_count = array_length(harts);
	source->component = recording_json_string(object, "component");
	source->format = recording_json_string(object, "format");
	source->src_id = recording_json_uint(object, "src_id");
	source->src_bits = recording_json_uint(object, "src_bits");
	return 0;
}

static int fill_sink(struct rvtrace_recording *recording, struct recording_sink *sink,
		     struct json_object *object, struct rvtrace_recording_error *error)
{
	struct json_object *list = recording_json_array(object, "sources");
	struct rvtrace_recording_source *sources;
	size_t i;

	sink->public.name = recording_json_string(object, "name");
	sink->public.component = recording_json_string(object, "component");
	sink->public.mode = recording_json_string(object, "mode");
	sink->public.data_size = recording_json_uint(object, "data_size");
	if (!*sink->public.name || strchr(sink->public.name, '/') ||
	    strlen(sink->public.name) > 255)
		return rvtrace_fail(error, EBADMSG, 0,
				    "%s/metadata.json: sink without a usable name",
				    recording->path);
	sources = calloc(array_length(list) + 1, sizeof(*sources));
	if (!sources)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	sink->public.sources = sources;
	for (i = 0; i < array_length(list); i++) {
		sink->public.source_count++;
		if (fill_source(&sources[i], json_object_array_get_idx(list, i)))
			return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory",
					    recording->path);
	}
	return recording_index_load(recording, sink, error);
}

static int fill_sinks(struct rvtrace_recording *recording, struct rvtrace_recording_error *error)
{
	struct json_object *list = recording_json_array(recording->metadata, "sinks");
	size_t i;
	int ret;

	recording->sinks = calloc(array_length(list) + 1, sizeof(*recording->sinks));
	if (!recording->sinks)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	for (i = 0; i < array_length(list); i++) {
		recording->sink_count++;
		ret = fill_sink(recording, &recording->sinks[i],
				json_object_array_get_idx(list, i), error);
		if (ret)
			return ret;
	}
	return 0;
}

int rvtrace_recording_open(const char *path, struct rvtrace_recording **out,
			   struct rvtrace_recording_error *error)
{
	struct rvtrace_recording *recording = calloc(1, sizeof(*recording));
	int ret;

	*out = NULL;
	if (!recording)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", path);
	recording->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (recording->directory < 0) {
		ret = rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
		free(recording);
		return ret;
	}
	recording->path = strdup(path);
	if (!recording->path)
		ret = rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", path);
	else
		ret = parse_metadata(recording, error);
	if (!ret)
		ret = fill_sinks(recording, error);
	if (ret) {
		rvtrace_recording_free(recording);
		return ret;
	}
	*out = recording;
	return 0;
}

static void free_sink(struct recording_sink *sink)
{
	size_t i;

	for (i = 0; i < sink->public.source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->public.sources[i];

		free((void *)source->cpus);
		free((void *)source->harts);
		json_object_put(source->attributes);
	}
	free((void *)sink->public.sources);
	free(sink->entries);
	free(sink->segment_start);
	free(sink->segment_bytes);
}

void rvtrace_recording_free(struct rvtrace_recording *recording)
{
	size_t i;

	if (!recording)
		return;
	for (i = 0; i < recording->sink_count; i++)
		free_sink(&recording->sinks[i]);
	free(recording->sinks);
	json_object_put(recording->metadata);
	close(recording->directory);
	free(recording->path);
	free(recording);
}

bool rvtrace_recording_complete(const struct rvtrace_recording *recording)
{
	struct json_object *value = member(recording->metadata, "complete", json_type_boolean);

	return value && json_object_get_boolean(value);
}

struct json_object *rvtrace_recording_metadata(const struct rvtrace_recording *recording)
{
	return recording->metadata;
}

int rvtrace_recording_open_file(const struct rvtrace_recording *recording, const char *name)
{
	int fd = openat(recording->directory, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

size_t rvtrace_recording_sink_count(const struct rvtrace_recording *recording)
{
	return recording->sink_count;
}

const struct rvtrace_recording_sink *
rvtrace_recording_sink(const struct rvtrace_recording *recording, size_t index)
{
	return index < recording->sink_count ? &recording->sinks[index].public : NULL;
}

const char *rvtrace_recording_attribute(const struct rvtrace_recording_source *source,
					const char *name)
{
	struct json_object *value = member(source->attributes, name, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

uint64_t rvtrace_recording_timestamp_hz(const struct rvtrace_recording *recording)
{
	struct json_object *timestamp = member(recording->metadata, "timestamp",
					       json_type_object);

	return timestamp ? recording_json_uint(timestamp, "frequency_hz") : 0;
}
