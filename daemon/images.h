/* SPDX-License-Identifier: GPL-2.0 */
/* images/ of a recording, filled by a process of its own: saver.h. */
#ifndef RVTRACED_IMAGES_H
#define RVTRACED_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <rvtrace/recording.h>

struct event_base;
struct images;
struct json_object;

/**
 * struct images_settings - whose images, and where
 * @directory_name: its path, for messages
 * @uid: owner of the files
 * @gid: group of the files
 * @min_free: bytes that stay free on the file system
 * @generation: 0 in a new recording; how often it was resumed
 * @command: the traced process, 0: none
 * @daemon: the daemon, which may be this process
 * @client: who asked for the recording, 0: nobody
 * @memory: save executable memory that is in no file
 * @crowded: 1: processes of other users but root are not looked at; 2: nor are the owner's
 * @nice: priority of the process
 * @failed: called for each failure, with one line
 * @lacks: called where the recording can do without, with one line
 * @user: for both
 */
struct images_settings {
	const char *directory_name;
	uid_t uid;
	gid_t gid;
	uint64_t min_free;
	unsigned int generation;
	pid_t command;
	pid_t daemon;
	pid_t client;
	bool memory;
	unsigned int crowded;
	int nice;
	void (*failed)(void *user, const char *text);
	void (*lacks)(void *user, const char *text);
	void *user;
};

/* Called when everything asked for until then has been done. */
typedef void (*images_done)(void *user);

/**
 * images_new - start the process, with all rights that this one has
 * @base: event loop
 * @settings: what is wanted
 * @error: filled on failure
 *
 * Return: the images, or NULL.
 */
struct images *images_new(struct event_base *base, const struct images_settings *settings,
			  struct rvtrace_failure *error);

/**
 * images_pass - make the folder, and pass it to the process
 * @images: the images
 * @directory: file descriptor of the recording's directory; not kept
 * @error: filled on failure
 *
 * Takes no more rights than the owner of the recording has.
 *
 * Return: 0 or a negative errno.
 */
int images_pass(struct images *images, int directory, struct rvtrace_failure *error);

/** images_begin - have kernel text and maps saved in the folder that was passed */
void images_begin(struct images *images);

/**
 * images_wait - be told when everything asked for has been done
 * @images: the images, or NULL: nothing to wait for
 * @done: called from the loop, once, also when the process died
 * @user: for @done
 */
void images_wait(struct images *images, images_done done, void *user);

/**
 * images_text - save kernel text that has just come
 * @images: the images or NULL
 * @name: what made it
 * @address: first address
 * @size: bytes
 * @time: CLOCK_MONOTONIC, ns, when it came
 */
void images_text(struct images *images, const char *name, uint64_t address, uint64_t size,
		 uint64_t time);

/**
 * images_end - the session is over: compare kernel text, save code made meanwhile
 * @images: the images or NULL
 * @symbols: save the kernel's symbols as well
 */
void images_end(struct images *images, bool symbols);

/**
 * images_changes - places where kernel text changed, after images_end()
 * @images: the images or NULL
 */
unsigned int images_changes(const struct images *images);

/**
 * images_free - end the process, whatever it is doing
 * @images: the images or NULL
 */
void images_free(struct images *images);

#endif /* RVTRACED_IMAGES_H */
