/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording under way: its files and everything recorded beside the stream:
 * metadata, the side band, program images, errors.
 */
#ifndef RVTRACED_CAPTURE_H
#define RVTRACED_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <json-c/json.h>

#include "daemon.h"
#include "images.h"
#include "sideband.h"

/**
 * struct capture_settings - what a recording is to be
 * @sink: name of the sink
 * @directory: file descriptor of the recording's directory, for capture_open(); not kept
 * @directory_name: its path, for messages
 * @uid: owner of the files
 * @gid: group of the files
 * @data_size: bytes of the ring
 * @encoders: array of names: the sources
 * @command: array, or NULL
 * @command_pid: the traced process, 0: none
 * @client: who asked for the recording, 0: nobody
 * @sideband: record the side band
 * @threads: the driver's records tell which thread runs where
 * @task_addresses: and what tp is meanwhile
 * @memory: save executable memory that is in no file
 * @crowded: too many processes that save images do not end: of whom no more is looked at, see
 *	struct images_settings
 * @companion: beside a stream that somebody else reads
 * @late: which began before this daemon
 * @generation: how often the recording was resumed; 0: it is a new one
 */
struct capture_settings {
	const char *sink;
	int directory;
	const char *directory_name;
	uid_t uid;
	gid_t gid;
	uint64_t data_size;
	struct json_object *encoders;
	struct json_object *command;
	pid_t command_pid;
	pid_t client;
	bool sideband;
	bool threads;
	bool task_addresses;
	bool memory;
	unsigned int crowded;
	bool companion;
	bool late;
	unsigned int generation;
};

/**
 * struct capture - a recording under way
 * @daemon: the daemon
 * @sink: name of the sink
 * @directory: path of the recording
 * @recorder: the files; NULL when they are final
 * @metadata: as it will be written
 * @encoders: names of the sources
 * @errors: lines, for answers
 * @warnings: lines, for answers
 * @failed: one of them is more than a warning
 * @sideband: the side band, or NULL
 * @images: program images, or NULL
 * @totals: of the stream
 * @sideband_lost: final once finished
 * @text_changes: places where kernel text changed, final once finished
 * @broke: called when the side band cannot be written any more
 * @finished: called when the files are final
 * @user: for @broke and @finished
 */
struct capture {
	struct daemon *daemon;
	char *sink;
	char *directory;
	struct rvtrace_recorder *recorder;
	struct json_object *metadata;
	struct json_object *encoders;
	struct json_object *errors;
	struct json_object *warnings;
	bool failed;
	struct sideband *sideband;
	struct images *images;
	struct rvtrace_recorder_totals totals;
	uint64_t sideband_lost;
	unsigned int text_changes;
	void (*broke)(void *user, const char *text);
	void (*finished)(void *user);
	void *user;
};

/**
 * capture_prepare - begin what takes rights that the owner of a recording does not have
 * @capture: @daemon, @sink, @errors, @broke, @finished and @user set, the rest 0;
 *	capture_free() it, after a failure too
 * @settings: what is wanted
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int capture_prepare(struct capture *capture, const struct capture_settings *settings,
		    struct rvtrace_failure *error);

/**
 * capture_pass - give the process that saves images its folder
 * @capture: prepared
 * @settings: with @directory
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int capture_pass(struct capture *capture, const struct capture_settings *settings,
		 struct rvtrace_failure *error);

/**
 * capture_open - create a recording, or go on with one
 * @capture: the recording, prepared
 * @settings: as it was prepared, and @directory
 * @error: filled on failure
 *
 * Takes no more rights than its owner has. Program images are being saved when this returns:
 * images_wait().
 *
 * Return: 0 or a negative errno.
 */
int capture_open(struct capture *capture, const struct capture_settings *settings,
		 struct rvtrace_failure *error);

/**
 * capture_error - one line, in the log, in metadata.json and in answers
 * @capture: the recording
 * @format: printf format
 */
__attribute__((format(printf, 2, 3)))
void capture_error(struct capture *capture, const char *format, ...);

/** capture_sink - the sink's object in the metadata */
struct json_object *capture_sink(struct capture *capture);

/**
 * capture_finish - tracing is over: complete the recording
 * @capture: the recording
 * @traced: anything was traced at all; else there is nothing to compare
 *
 * @capture->finished() is called when the files are final, perhaps before this
 * returns.
 */
void capture_finish(struct capture *capture, bool traced);

/**
 * capture_release - kernel text may change again: the side band is closed
 * @capture: the recording
 */
void capture_release(struct capture *capture);

/** capture_free - close and free everything but the structure itself */
void capture_free(struct capture *capture);

#endif /* RVTRACED_CAPTURE_H */
