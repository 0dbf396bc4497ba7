/* SPDX-License-Identifier: GPL-2.0 */
/* The process that saves program images, as its own files see it. */
#ifndef RVTRACED_SAVER_INTERNAL_H
#define RVTRACED_SAVER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "tools/lib/process/kcore.h"
#include "tools/lib/recording/recorder.h"

struct json_object;
struct mapped;
struct saver_memory;
struct watch;

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
 * @watch: code that comes, NULL: not watched
 * @mapped: files that were mapped, NULL: memory is not to be saved
 * @memory: what was read and is still to be written, the oldest first
 * @memory_size: bytes of it
 * @failed: what failed with code that came, @code 0: nothing
 * @unwatched: why some that comes is not seen, @code 0: all is
 * @lacking: what of processes is not saved, @code 0: all is
 * @crowded: 1: processes of other users but root are not looked at; 2: nor are the owner's
 * @lives: of processes like this one
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
	struct watch *watch;
	struct mapped *mapped;
	STAILQ_HEAD(, saver_memory) memory;
	uint64_t memory_size;
	struct rvtrace_failure failed;
	struct rvtrace_failure unwatched;
	struct rvtrace_failure lacking;
	unsigned int crowded;
	struct saver_lives *lives;
};

/**
 * struct saver_piece - memory of a process that is mapped for execution
 * @pid: process
 * @path: what is mapped, as the kernel names it
 * @start: first address
 * @end: address after the last
 * @offset: in the file
 * @time: CLOCK_MONOTONIC, ns
 */
struct saver_piece {
	pid_t pid;
	const char *path;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t time;
};

/**
 * saver_as_owner - open files and memory with the rights of the recording's owner
 * @saver: the saver
 *
 * Until rvtrace_owner_end(). The kernel decides what of a process may be seen.
 *
 * Return: 0 or a negative errno.
 */
int saver_as_owner(const struct saver *saver);

/**
 * saver_line - append an object to a list in images/
 * @saver: the saver
 * @name: "index.jsonl" or "maps.jsonl"
 * @object: consumed
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_line(const struct saver *saver, const char *name, struct json_object *object,
	       struct rvtrace_failure *error);

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
		const void *bytes, size_t size, struct rvtrace_failure *error);

/**
 * saver_sync - have what was written until now outlive a disk that fails
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_sync(const struct saver *saver, struct rvtrace_failure *error);

/** saver_now - CLOCK_MONOTONIC, ns */
uint64_t saver_now(void);

/** saver_hex - a number as JSON has addresses */
struct json_object *saver_hex(uint64_t value);

/** saver_number - member of a request; 0 when it is not there */
uint64_t saver_number(struct json_object *request, const char *name);

/** saver_string - the same of text; "" when it is not there */
const char *saver_string(struct json_object *request, const char *name);

/**
 * saver_kernel - save the kernel's text, that of modules, generated text, the vDSO
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_kernel(struct saver *saver, struct rvtrace_failure *error);

/**
 * saver_text - save kernel text that came at run time
 * @saver: the saver
 * @name: what made it
 * @address: first address
 * @size: bytes
 * @time: CLOCK_MONOTONIC, ns, when it came
 * @error: filled on failure
 *
 * Return: 0 or a negative errno. Text that is gone already is a `missing` entry.
 */
int saver_text(struct saver *saver, const char *name, uint64_t address, uint64_t size,
	       uint64_t time, struct rvtrace_failure *error);

/**
 * saver_module - the same for who may not choose the address: text of a loaded module
 * @saver: the saver
 * @request: with the module's `name`, `address`, `size` and `time`
 * @error: filled on failure
 *
 * Return: 0 or a negative errno. Anything but text of that module is a `missing` entry.
 */
int saver_module(struct saver *saver, struct json_object *request,
		 struct rvtrace_failure *error);

/**
 * saver_check - compare kernel text with what was saved
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: the number of places that changed, or a negative errno.
 */
int saver_check(struct saver *saver, struct rvtrace_failure *error);

/**
 * saver_kallsyms - save the kernel's symbols of text
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_kallsyms(struct saver *saver, struct rvtrace_failure *error);

/**
 * saver_maps - save what every process maps for execution
 * @saver: the saver
 * @request: `command`: pid; `recorders`: array of pids
 * @error: filled on failure
 *
 * With @saver->mapped, what is in no file is saved as well.
 *
 * Return: 0 or a negative errno.
 */
int saver_maps(struct saver *saver, struct json_object *request,
	       struct rvtrace_failure *error);

/**
 * saver_memory - read executable memory that no file holds
 * @saver: the saver
 * @piece: what memory; what cannot be had will be a `missing` entry
 *
 * Writing takes long, and what comes meanwhile would be gone: unless too much waits, it
 * is written by watch_settle(). A failure is in @saver->failed.
 */
void saver_memory(struct saver *saver, const struct saver_piece *piece);

/**
 * saver_store - write the oldest memory that was read
 * @saver: the saver
 *
 * A failure is in @saver->failed.
 *
 * Return: whether there was any.
 */
bool saver_store(struct saver *saver);

/* Whether processes of that user are not looked at, as too many that did so do not end. */
bool saver_is_crowded(const struct saver *saver, uid_t uid);

/**
 * saver_look - look at a process, which may keep this one for ever
 * @saver: the saver
 * @pid: the process
 *
 * Until saver_lives_looked().
 *
 * Return: false: not at this one, for what befell those before.
 */
bool saver_look(const struct saver *saver, pid_t pid);

/**
 * saver_deleted - save the files that were mapped and are deleted by now
 * @saver: the saver
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int saver_deleted(struct saver *saver, struct rvtrace_failure *error);

/** saver_is_anonymous - whether a mapping of that path is of no file, deleted or not */
bool saver_is_anonymous(const char *path);

/** saver_in_no_file - whether a mapping of that path can only be had from memory */
bool saver_in_no_file(const char *path);

#endif /* RVTRACED_SAVER_INTERNAL_H */
