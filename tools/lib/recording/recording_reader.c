// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: metadata.json. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"
#include "tools/lib/base/boot_id.h"
#include "tools/lib/base/file.h"

#define SOURCES_MAX	4096	/* SRC has at most 12 bits */
#define SINKS_MAX	256

static size_t array_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

int recording_source_fill(struct rvtrace_recording_source *source, struct json_object *object)
{
	struct json_object *cpus = json_array(object, "cpus");
	struct json_object *harts = json_array(object, "harts");
	unsigned int *cpu_list = calloc(array_length(cpus) + 1, sizeof(*cpu_list));
	uint64_t *hart_list = calloc(array_length(harts) + 1, sizeof(*hart_list));
	size_t i;

	source->cpus = cpu_list;
	source->harts = hart_list;
	source->attributes = json_member(object, "attributes", json_type_object);
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
	source->component = json_string(object, "component");
	source->format = json_string(object, "format");
	source->src_id = json_uint(object, "src_id");
	source->src_bits = json_uint(object, "src_bits");
	return 0;
}

static int fill_sink(struct rvtrace_recording *recording, struct recording_sink *sink,
		     struct json_object *object, struct rvtrace_failure *error)
{
	struct json_object *list = json_array(object, "sources");
	struct rvtrace_recording_source *sources;
	size_t i;
	int ret;

	sink->public.name = json_string(object, "name");
	sink->public.component = json_string(object, "component");
	sink->public.mode = json_string(object, "mode");
	sink->public.data_size = json_uint(object, "data_size");
	sources = calloc(array_length(list) + 1, sizeof(*sources));
	if (!sources)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	sink->public.sources = sources;
	for (i = 0; i < array_length(list); i++) {
		struct json_object *source = json_object_array_get_idx(list, i);
		uint64_t src_id = json_uint(source, "src_id");

		if (src_id >= SOURCES_MAX) {
			recording_damage(recording, METADATA_FILE, 0, 0,
					 "sink %s, source %zu: no src_id is %llu",
					 sink->public.name, i, (unsigned long long)src_id);
			continue;
		}
		if (recording_source_fill(&sources[sink->public.source_count++], source))
			return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory",
					    recording->path);
	}
	ret = recording_index_load(recording, sink, error);
	if (!ret)
		ret = recording_segments_load(recording, sink, object, error);
	return ret ? ret : recording_index_end(recording, sink, error);
}

/* Sinks of one name would be one file, read again and again. */
static bool has_sink(const struct rvtrace_recording *recording, const char *name)
{
	size_t i;

	for (i = 0; i < recording->sink_count; i++)
		if (!strcmp(recording->sinks[i].public.name, name))
			return true;
	return false;
}

static int fill_sinks(struct rvtrace_recording *recording, struct rvtrace_failure *error)
{
	struct json_object *list = json_array(recording->metadata, "sinks");
	size_t i;
	int ret;

	recording->sinks = calloc(SINKS_MAX, sizeof(*recording->sinks));
	if (!recording->sinks)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	for (i = 0; i < array_length(list); i++) {
		struct json_object *object = json_object_array_get_idx(list, i);
		const char *name = json_string(object, "name");

		if (!recording_sink_name_valid(name) || has_sink(recording, name)) {
			recording_damage(recording, METADATA_FILE, 0, 0, "sink %zu %s", i,
					 recording_sink_name_valid(name) ?
					 "has the name of another one" : "without a usable name");
			continue;
		}
		if (recording->sink_count == SINKS_MAX) {
			recording_damage(recording, METADATA_FILE, 0, 0,
					 "more than %d sinks: those from sink %zu on are left out",
					 SINKS_MAX, i);
			break;
		}
		ret = fill_sink(recording, &recording->sinks[recording->sink_count++], object,
				error);
		if (ret)
			return ret;
	}
	return 0;
}

/* Files are as long as the metadata says, or longer. */
static void check_sizes(struct rvtrace_recording *recording)
{
	struct json_object *files = json_member(recording->metadata, "files",
						json_type_object);

	if (!files)
		return;
	json_object_object_foreach(files, name, size) {
		uint64_t promised = json_object_get_uint64(size);
		int fd = rvtrace_recording_open_file(recording, name);
		int64_t there = fd < 0 ? fd : file_size(fd);

		if (fd >= 0)
			close(fd);
		if (there == -ENOENT)
			recording_damage(recording, name, 0, 0, "missing");
		else if (there < 0)
			recording_unreadable(recording, name, 0, there, NULL);
		else if ((uint64_t)there < promised)
			recording_damage(recording, name, there, 0, "%llu bytes are missing",
					 (unsigned long long)(promised - there));
	}
}

/*
 * Where somebody writes what comes next, or has finished it just now: where nobody does, that is
 * known with what was read afterwards.
 */
static int load_metadata(struct rvtrace_recording *recording, struct rvtrace_failure *error)
{
	int ret = recording_metadata_load(recording, error);

	if (ret || rvtrace_recording_complete(recording))
		return ret;
	recording->written = rvtrace_recording_written(recording);
	if (recording->written)
		return 0;
	json_object_put(recording->metadata);
	recording->metadata = NULL;
	recording_damage_free(recording);
	recording->unreadable.code = 0;
	return recording_metadata_load(recording, error);
}

int recording_open_at(int directory, const char *name, struct rvtrace_recording **out,
		      struct rvtrace_failure *error)
{
	struct rvtrace_recording *recording = calloc(1, sizeof(*recording));
	int ret;

	*out = NULL;
	if (!recording) {
		close(directory);
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", name);
	}
	recording->directory = directory;
	recording->path = strdup(name);
	if (!recording->path)
		ret = rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", name);
	else
		ret = load_metadata(recording, error);
	if (!ret)
		ret = fill_sinks(recording, error);
	if (ret) {
		rvtrace_recording_free(recording);
		return ret;
	}
	check_sizes(recording);
	*out = recording;
	return 0;
}

int rvtrace_recording_open(const char *path, struct rvtrace_recording **out,
			   struct rvtrace_failure *error)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*out = NULL;
	if (directory < 0)
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	return recording_open_at(directory, path, out, error);
}

void recording_sources_free(const struct rvtrace_recording_source *sources, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free((void *)sources[i].cpus);
		free((void *)sources[i].harts);
		json_object_put(sources[i].attributes);
	}
	free((void *)sources);
}

static void free_sink(struct recording_sink *sink)
{
	recording_sources_free(sink->public.sources, sink->public.source_count);
	free(sink->entries);
	free(sink->restarts);
	free(sink->overwritten);
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
	recording_damage_free(recording);
	recording_hashes_free(recording);
	json_object_put(recording->metadata);
	close(recording->directory);
	free(recording->path);
	free(recording);
}

bool recording_cut(const struct rvtrace_recording *recording)
{
	return !rvtrace_recording_complete(recording) ||
	       json_object_get_boolean(json_member(recording->metadata, "cut", json_type_boolean));
}

bool rvtrace_recording_complete(const struct rvtrace_recording *recording)
{
	struct json_object *value = json_member(recording->metadata, "complete", json_type_boolean);

	return value && json_object_get_boolean(value);
}

bool rvtrace_recording_is_here(const struct rvtrace_recording *recording)
{
	struct json_object *host = json_member(recording->metadata, "host", json_type_object);
	const char *recorded = json_string(host, "boot_id");
	char booted[RVTRACE_BOOT_ID_TEXT];

	rvtrace_boot_id(booted);
	return *booted && !strcmp(booted, recorded);
}

const char *rvtrace_recording_failure(const struct rvtrace_recording *recording, size_t index)
{
	struct json_object *errors = json_array(recording->metadata, "errors");

	if (!errors || index >= json_object_array_length(errors))
		return NULL;
	return json_object_get_string(json_object_array_get_idx(errors, index));
}

struct json_object *rvtrace_recording_metadata(const struct rvtrace_recording *recording)
{
	return recording->metadata;
}

int rvtrace_recording_open_file(const struct rvtrace_recording *recording, const char *name)
{
	return rvtrace_file_reopen(file_open_below(recording->directory, name, O_PATH, 0));
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
	struct json_object *value = json_member(source->attributes, name, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

uint16_t rvtrace_recording_thread_switch(const struct rvtrace_recording *recording, size_t sink)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	const char *text = NULL;
	unsigned long id;
	char *end;
	size_t i;

	for (i = 0; i < s->source_count && !text; i++)
		text = rvtrace_recording_attribute(&s->sources[i], "software_trace_switch");
	if (!text)
		return 0;
	id = strtoul(text, &end, 0);
	return *end || id > UINT16_MAX ? 0 : id;
}

/* Attributes may say more behind a number. */
static uint64_t number_attribute(const struct rvtrace_recording *recording, size_t sink,
				 const char *name)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	const char *text = NULL;

	if (s && s->source_count)
		text = rvtrace_recording_attribute(&s->sources[0], name);
	return text ? strtoull(text, NULL, 10) : 0;
}

unsigned int rvtrace_recording_timestamp_bits(const struct rvtrace_recording *recording,
					      size_t sink)
{
	uint64_t bits = number_attribute(recording, sink, "ts_width");

	return bits <= 64 ? bits : 0;
}

uint64_t rvtrace_recording_timestamp_hz(const struct rvtrace_recording *recording, size_t sink)
{
	struct json_object *timestamp = json_member(recording->metadata, "timestamp",
						    json_type_object);
	uint64_t hz = number_attribute(recording, sink, "timestamp_frequency");

	if (hz)
		return hz;
	return timestamp ? json_uint(timestamp, "frequency_hz") : 0;
}
