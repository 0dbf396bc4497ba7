// SPDX-License-Identifier: GPL-2.0
/* A recording under way. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "describe.h"
#include "log.h"

#define ERROR_SIZE	600
#define ERRORS_TAKEN	100	/* of a recording that is gone on with */

static void tell(struct capture *capture, int priority, const char *text)
{
	log_message(priority, "%s: %s", capture->sink, text);
	json_object_array_add(capture->errors, json_object_new_string(text));
	if (capture->recorder)
		rvtrace_recorder_add_error(capture->recorder, text);
}

void capture_error(struct capture *capture, const char *format, ...)
{
	char text[ERROR_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tell(capture, LOG_ERR, text);
	capture->failed = true;
}

struct json_object *capture_sink(struct capture *capture)
{
	struct json_object *sinks;

	json_object_object_get_ex(capture->metadata, "sinks", &sinks);
	return json_object_array_get_idx(sinks, 0);
}

static void sideband_broke(void *user, const struct rvtrace_failure *error)
{
	struct capture *capture = user;

	capture->broke(capture->user, error->text);
}

/* What a full disk does to everything is told once. */
static void images_failed(void *user, const char *text)
{
	struct capture *capture = user;

	if (!capture->failed)
		capture_error(capture, "%s", text);
}

static void images_lack(void *user, const char *text)
{
	tell(user, LOG_WARNING, text);
}

static int open_recorder(struct capture *capture, const struct capture_settings *settings,
			 struct rvtrace_failure *error)
{
	const struct config *config = &capture->daemon->config;
	const struct rvtrace_recorder_options options = {
		.segment_size = config->segment_size,
		.min_free = config->min_free,
		.uid = settings->uid,
		.gid = settings->gid,
	};
	int ret, directory = fcntl(settings->directory, F_DUPFD_CLOEXEC, 0);

	if (settings->generation)
		return rvtrace_recorder_resume(directory, settings->directory_name, &options,
					       &capture->recorder, error);
	ret = rvtrace_recorder_new(directory, settings->directory_name, &options,
				   &capture->recorder, error);
	if (!ret)
		ret = rvtrace_recorder_add_sink(capture->recorder, settings->sink, error);
	return ret < 0 ? ret : 0;
}

/*
 * Whoever asks is told what befell the recording under other daemons, too. Its owner may have put
 * anything there.
 */
static void take_over(struct capture *capture)
{
	struct json_object *errors = NULL;
	char text[ERROR_SIZE];
	size_t i, count = 0;

	capture->metadata = json_object_get(rvtrace_recorder_metadata(capture->recorder));
	if (json_object_object_get_ex(capture->metadata, "errors", &errors) &&
	    json_object_is_type(errors, json_type_array))
		count = json_object_array_length(errors);
	for (i = 0; i < count && i < ERRORS_TAKEN; i++) {
		snprintf(text, sizeof(text), "%s",
			 json_object_get_string(json_object_array_get_idx(errors, i)));
		json_object_array_add(capture->errors, json_object_new_string(text));
	}
}

/* At the beginning: it may still be put right. */
static void warn(struct capture *capture)
{
	char text[512];

	if (!describe_lack(capture->metadata, text, sizeof(text)))
		return;
	log_message(LOG_WARNING, "%s: %s", capture->sink, text);
	json_object_array_add(capture->warnings, json_object_new_string(text));
}

static int describe(struct capture *capture, const struct capture_settings *settings,
		    struct rvtrace_failure *error)
{
	if (settings->generation) {
		take_over(capture);
		return 0;
	}
	json_object_object_add(capture->metadata, "sideband",
			       json_object_new_boolean(capture->sideband != NULL));
	json_object_object_add(capture->metadata, "threads",
			       json_object_new_boolean(settings->threads));
	json_object_object_add(capture->metadata, "task_addresses",
			       json_object_new_boolean(settings->task_addresses));
	if (settings->companion)
		json_object_object_add(capture->metadata, "companion",
				       json_object_new_boolean(true));
	if (settings->late)
		json_object_object_add(capture->metadata, "late", json_object_new_boolean(true));
	return rvtrace_recorder_begin(capture->recorder, capture->metadata, error);
}

static int open_images(struct capture *capture, const struct capture_settings *settings,
		       struct rvtrace_failure *error)
{
	const struct images_settings wanted = {
		.directory_name = settings->directory_name,
		.uid = settings->uid,
		.gid = settings->gid,
		.min_free = capture->daemon->config.min_free,
		.generation = settings->generation,
		.command = settings->command_pid,
		.daemon = capture->daemon->pid,
		.client = settings->client,
		.memory = settings->memory,
		.crowded = settings->crowded,
		/* Memory may be gone soon; else it need not be ahead of what is traced. */
		.nice = settings->memory ? capture->daemon->config.nice : 0,
		.failed = images_failed,
		.lacks = images_lack,
		.user = capture,
	};

	capture->images = images_new(capture->daemon->base, &wanted, error);
	return capture->images ? 0 : -error->code;
}

int capture_prepare(struct capture *capture, const struct capture_settings *settings,
		    struct rvtrace_failure *error)
{
	capture->warnings = json_object_new_array();
	capture->directory = strdup(settings->directory_name);
	capture->encoders = json_object_get(settings->encoders);
	if (!settings->generation) {
		capture->metadata = describe_recording(settings->sink, settings->encoders,
						       settings->command, settings->data_size);
		warn(capture);
	}
	return open_images(capture, settings, error);
}

int capture_pass(struct capture *capture, const struct capture_settings *settings,
		 struct rvtrace_failure *error)
{
	return images_pass(capture->images, settings->directory, error);
}

int capture_open(struct capture *capture, const struct capture_settings *settings,
		 struct rvtrace_failure *error)
{
	struct rvtrace_failure why = { 0 };
	int ret = open_recorder(capture, settings, error);

	if (ret)
		return ret;
	if (settings->sideband && capture->daemon->config.sideband)
		capture->sideband = sideband_open(capture->daemon->base, capture->recorder,
						  sideband_broke, capture, &why);
	ret = describe(capture, settings, error);
	if (ret)
		return ret;
	if (why.code)
		tell(capture, LOG_WARNING, why.text);
	if (settings->crowded) {
		snprintf(why.text, sizeof(why.text), "images: what programs of %s map is missing: too many processes that looked at it still wait for file systems that do not answer (root ends them: umount -f, or abort in /sys/fs/fuse/connections)",
			 settings->crowded > 1 ? "users" : "other users");
		tell(capture, LOG_WARNING, why.text);
	}
	images_begin(capture->images);
	return 0;
}

static void finish_sideband(struct capture *capture)
{
	struct rvtrace_failure error;

	/* What befell the disk was told already, but not that this is incomplete, too. */
	if (sideband_stop(capture->sideband, &error)) {
		if (capture->failed)
			rvtrace_recorder_add_error(capture->recorder, error.text);
		else
			capture_error(capture, "%s", error.text);
		json_object_object_add(capture->metadata, "cut", json_object_new_boolean(true));
	}
	capture->sideband_lost = sideband_lost(capture->sideband);
	json_object_object_add(capture->metadata, "sideband_lost",
			       json_object_new_uint64(capture->sideband_lost));
}

static void close_files(void *user)
{
	struct capture *capture = user;
	struct rvtrace_failure error;

	capture->text_changes = images_changes(capture->images);
	json_object_object_add(capture->metadata, "text_changes",
			       json_object_new_int(capture->text_changes));
	images_free(capture->images);
	capture->images = NULL;
	rvtrace_recorder_totals(capture->recorder, 0, &capture->totals);
	if (rvtrace_recorder_finish(capture->recorder, &error) && !capture->failed)
		capture_error(capture, "%s", error.text);
	rvtrace_recorder_free(capture->recorder);
	capture->recorder = NULL;
	capture->finished(capture->user);
}

void capture_finish(struct capture *capture, bool traced)
{
	/*
	 * Again: a start may have given an encoder another source id, and
	 * whether it overflowed is known now. Not earlier: what the daemon does
	 * while harts are traced fills the ring.
	 */
	describe_sources(capture->metadata, capture->encoders);
	finish_sideband(capture);
	if (!traced || !capture->images) {
		close_files(capture);
		return;
	}
	images_end(capture->images, capture->daemon->config.symbols);
	images_wait(capture->images, close_files, capture);
}

void capture_release(struct capture *capture)
{
	sideband_free(capture->sideband);
	capture->sideband = NULL;
}

void capture_free(struct capture *capture)
{
	capture_release(capture);
	images_free(capture->images);
	rvtrace_recorder_free(capture->recorder);
	json_object_put(capture->metadata);
	json_object_put(capture->encoders);
	json_object_put(capture->errors);
	json_object_put(capture->warnings);
	free(capture->sink);
	free(capture->directory);
}
