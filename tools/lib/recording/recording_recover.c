// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories whose writer died: repaired, and their metadata made final. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_repair.h"
#include "tools/lib/base/owner.h"

/* Root does what the owner of the recording could. 0 or a negative errno. */
static int as_owner_of(int directory)
{
	struct stat st;

	if (fstat(directory, &st))
		return -errno;
	return geteuid() ? rvtrace_owner_begin(-1, -1, 0) :
			   rvtrace_owner_begin(st.st_uid, st.st_gid, 0);
}

/* A recorder that only writes metadata */
static int metadata_writer(int directory, const char *name, struct json_object *metadata,
			   struct rvtrace_recorder **out, struct rvtrace_failure *error)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0), ret;

	if (copy < 0)
		return repair_fail(name, -errno, error);
	ret = rvtrace_recorder_new(copy, name, NULL, out, error);
	if (ret)
		return ret;
	(*out)->metadata = json_object_get(metadata);
	return recorder_reserve_metadata(*out, error);
}

static int write_metadata(int directory, const char *name, struct json_object *metadata,
			  struct rvtrace_failure *error)
{
	struct rvtrace_recorder *recorder = NULL;
	int ret = metadata_writer(directory, name, metadata, &recorder, error);

	if (!ret) {
		recorder_update_metadata(recorder);
		ret = recorder_replace_metadata(recorder, error);
	}
	rvtrace_recorder_free(recorder);
	return ret;
}

static bool has_damage(const struct rvtrace_recording *recording, const char *file)
{
	size_t i;

	for (i = 0; i < recording->damage_count; i++)
		if (!strcmp(rvtrace_recording_damage(recording, i)->file, file))
			return true;
	return false;
}

/* Whether both files hold the same, final metadata. */
static bool metadata_final(const struct rvtrace_recording *recording)
{
	char *text = NULL, *copy = NULL;
	size_t length, copy_length;
	bool same;

	recording_read_text(recording, METADATA_FILE, &text, &length);
	recording_read_text(recording, METADATA_COPY, &copy, &copy_length);
	same = text && copy && length == copy_length && !memcmp(text, copy, length);
	free(text);
	free(copy);
	return same && rvtrace_recording_complete(recording) && recording->metadata_intact;
}

/* What the files hold now, after the repair. */
static void set_totals(struct rvtrace_recording *recording)
{
	struct json_object *list = json_array(recording->metadata, "sinks"), *object;
	size_t i, k;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		object = json_object_array_get_idx(list, i);
		for (k = 0; k < recording->sink_count; k++) {
			const struct rvtrace_recording_sink *sink = &recording->sinks[k].public;

			if (strcmp(sink->name, json_string(object, "name")))
				continue;
			json_object_object_add(object, "bytes",
					       json_object_new_uint64(sink->bytes));
			json_object_object_add(object, "lost", json_object_new_uint64(sink->lost));
			json_object_object_add(object, "segments",
					       json_object_new_uint64(sink->segments));
		}
	}
}

static int finish_metadata(struct repair *r, int directory, const char *name,
			   struct rvtrace_failure *error)
{
	struct json_object *metadata = rvtrace_recording_metadata(r->recording), *errors;

	if (metadata_final(r->recording) && !r->count)
		return 0;
	if (rvtrace_recording_complete(r->recording))
		repair_say(r, r->dry_run ? "%s: would be written again" : "%s: written again",
			   METADATA_FILE);
	else
		repair_say(r, r->dry_run ? "%s: would be made final" : "%s: made final",
			   METADATA_FILE);
	if (r->dry_run)
		return 0;
	errors = json_array(metadata, "errors");
	if (!errors) {
		errors = json_object_new_array();
		json_object_object_add(metadata, "errors", errors);
	}
	if (!rvtrace_recording_complete(r->recording)) {
		json_object_array_add(errors, json_object_new_string(
				      "the recording was cut and recovered"));
		json_object_object_add(metadata, "cut",
				       json_object_new_boolean(true));
	}
	if (has_damage(r->recording, METADATA_FILE) && !r->recording->metadata_intact)
		json_object_array_add(errors, json_object_new_string(
				      "the metadata was damaged: what it says may be wrong"));
	json_object_object_add(metadata, "complete", json_object_new_boolean(true));
	set_totals(r->recording);
	return write_metadata(directory, name, metadata, error);
}

static int recover(int directory, const char *name, bool dry_run,
		   void (*did)(void *data, const char *text), void *data,
		   struct rvtrace_failure *error)
{
	struct repair r = { .dry_run = dry_run, .did = did, .data = data };
	int ret = repair_open_again(directory, name, &r.recording, error);

	if (ret)
		return ret;
	ret = repair_begin(&r, error);
	if (!ret && !dry_run)
		ret = repair_open_again(directory, name, &r.recording, error);
	if (!ret && !rvtrace_recording_complete(r.recording))
		ret = repair_fail_of(&r, repair_end_streams(&r), error);
	if (!ret && !dry_run)
		ret = repair_open_again(directory, name, &r.recording, error);
	if (!ret)
		ret = finish_metadata(&r, directory, name, error);
	rvtrace_recording_free(r.recording);
	return ret ? ret : r.count;
}

int rvtrace_recording_recover(int directory, const char *name, bool dry_run,
			      void (*did)(void *data, const char *text), void *data,
			      struct rvtrace_failure *error)
{
	int ret = as_owner_of(directory);

	if (ret)
		return repair_fail(name, ret, error);
	ret = recover(directory, name, dry_run, did, data, error);
	rvtrace_owner_end();
	return ret;
}

static int update_sizes(int directory, struct rvtrace_failure *error)
{
	struct rvtrace_recording *recording = NULL;
	int ret = repair_open_again(directory, METADATA_FILE, &recording, error);

	if (ret)
		return ret;
	if (rvtrace_recording_complete(recording) && recording->metadata_intact)
		ret = write_metadata(directory, METADATA_FILE, recording->metadata, error);
	rvtrace_recording_free(recording);
	return ret;
}

int rvtrace_recording_update_sizes(int directory, struct rvtrace_failure *error)
{
	int ret = as_owner_of(directory);

	if (ret)
		return repair_fail(METADATA_FILE, ret, error);
	ret = update_sizes(directory, error);
	rvtrace_owner_end();
	return ret;
}
