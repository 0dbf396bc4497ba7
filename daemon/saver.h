/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that saves program images of one recording, so that reading
 * megabytes of text and the files of strangers neither delays the draining of a
 * sink nor endangers the daemon.
 *
 * It is rvtraced started with SAVER_OPTION. Requests come as JSON objects, one a
 * line, through SAVER_CHANNEL; each is answered by a line: {} when it was
 * carried out, {"error": "..."} otherwise, {"changes": N} for `check`.
 * It ends when the channel is closed.
 */
#ifndef RVTRACED_SAVER_H
#define RVTRACED_SAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rvtrace/kcore.h>
#include <rvtrace/recording.h>

struct json_object;

#define SAVER_OPTION	"--save-images"
#define SAVER_CHANNEL	3	/* file descriptor of the requests */
#define SAVER_DIRECTORY	4	/* file descriptor of images/ */

/**
 * struct saver_text - text as it was saved, to be compared at the end
 * @range: where it is
 * @file: its name in images/
 * @bytes: what was saved
 * @size: bytes at @bytes
 */
struct saver_text {
	struct rvtrace_text range;
	char *file;
	uint8_t *bytes;
	size_t size;
};

/**
 * struct saver - one recording's images
 * @uid: owner of the files
 * @gid: group of the files
 * @min_free: bytes that stay free on the file system
 * @kcore: /proc/kcore, NULL: not opened yet
 * @texts: kernel text saved until now
 * @text_count: members of @texts
 * @text_room: allocated members of @texts
 * @generation: distinguishes snapshots and texts of one name
 */
struct saver {
	uid_t uid;
	gid_t gid;
	uint64_t min_free;
	struct rvtrace_kcore *kcore;
	struct saver_text *texts;
	size_t text_count;
	size_t text_room;
	unsigned int generation;
};

/**
 * saver_main - the process
 *
 * Return: its exit status.
 */
int saver_main(void);

/**
 * saver_write - write images/NAME
 * @saver: the saver
 * @name: name of the file; nothing is written when it exists already
 * @bytes: its content
 * @size: bytes at @bytes
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_write(const struct saver *saver, const char *name, const void *bytes, size_t size,
		struct rvtrace_recording_error *error);

/**
 * saver_line - append an object to a list in images/
 * @name: "index.jsonl" or "maps.jsonl"
 * @object: consumed
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_line(const char *name, struct json_object *object,
	       struct rvtrace_recording_error *error);

/**
 * saver_entry - begin an entry of index.jsonl
 * @kind: "kernel", "module", "vdso", "file" or "missing"
 * @name: what it is
 * @build_id: hex digits; "" or NULL: none
 *
 * Return: an object the caller owns.
 */
struct json_object *saver_entry(const char *kind, const char *name, const char *build_id);

/**
 * saver_image - write an image and its entry
 * @saver: the saver
 * @entry: from saver_entry(), consumed; `file`, `size` and `content` are added
 * @name: name of the file in images/
 * @bytes: its content
 * @size: bytes at @bytes
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_image(const struct saver *saver, struct json_object *entry, const char *name,
		const void *bytes, size_t size, struct rvtrace_recording_error *error);

/** saver_now - CLOCK_MONOTONIC, ns */
uint64_t saver_now(void);

/** saver_hex - a number as JSON has addresses */
struct json_object *saver_hex(uint64_t value);

/** saver_number - member of a request; 0 when it is not there */
uint64_t saver_number(struct json_object *request, const char *name);

/** saver_string - member of a request; "" when it is not there */
const char *saver_string(struct json_object *request, const char *name);

/**
 * saver_kernel - save the kernel's text, that of modules, generated text, the vDSO
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_kernel(struct saver *saver, struct rvtrace_recording_error *error);

/**
 * saver_text - save kernel text that came at run time
 * @saver: the saver
 * @request: `address`, `size`, `name`, `time`
 * @error: filled on failure
 *
 * Return: 0 or a negative errno. Text that is gone already is a `missing` entry.
 */
int saver_text(struct saver *saver, struct json_object *request,
	       struct rvtrace_recording_error *error);

/**
 * saver_check - compare kernel text with what was saved
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: the number of places that changed, or a negative errno.
 */
int saver_check(struct saver *saver, struct rvtrace_recording_error *error);

/**
 * saver_kallsyms - save the kernel's symbols of text
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_kallsyms(struct saver *saver, struct rvtrace_recording_error *error);

/**
 * saver_maps - save what every process maps for execution
 * @saver: the saver
 * @request: `command`: pid; `recorders`: array of pids; `memory`: save what is in
 *	no file as well
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_maps(struct saver *saver, struct json_object *request,
	       struct rvtrace_recording_error *error);

/**
 * saver_memory - save executable memory that no file holds
 * @saver: the saver
 * @request: `pid`, `start`, `end`, `offset`, `path`, `time`
 * @error: filled on failure
 *
 * Return: 0 or a negative errno. What cannot be had is a `missing` entry.
 */
int saver_memory(struct saver *saver, struct json_object *request,
		 struct rvtrace_recording_error *error);

/**
 * saver_deleted - save a file that was deleted while it was mapped
 * @saver: the saver
 * @request: "path" it had, "file" it can be read from
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_deleted(struct saver *saver, struct json_object *request,
		  struct rvtrace_recording_error *error);

/** saver_in_no_file - whether a mapping of that path can only be had from memory */
bool saver_in_no_file(const char *path);

#endif /* RVTRACED_SAVER_H */
