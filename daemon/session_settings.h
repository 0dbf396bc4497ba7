/* SPDX-License-Identifier: GPL-2.0 */
/* What a session is to be: whoever wants one says it, its process carries it out. */
#ifndef RVTRACED_SESSION_SETTINGS_H
#define RVTRACED_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct json_object;

/**
 * struct session_settings - what a session is to be
 * @sink: name of the sink
 * @device: its device node
 * @directory: file descriptor of the recording's directory, or, until its process runs, of a socket
 *	through which that comes; -1: none came along
 * @directory_name: its path; NULL: a new one below that of the configuration
 * @uid: owner of the files
 * @gid: group of the files
 * @groups: other groups of the owner
 * @group_count: members of @groups
 * @mode: mode of the sink, NULL: as it is
 * @buffer_size: size of the ring, 0: as it is
 * @watermark: unread bytes at which to drain, 0: as configured
 * @max_size: trace bytes after which to stop, 0: none
 * @encoders: array of names, NULL: all that can reach the sink
 * @attributes: object of objects, or NULL
 * @command: array, or NULL
 * @command_pid: the traced process, 0: none
 * @client: process that asked for the session
 * @sideband: record the side band
 * @memory: save executable memory that is in no file
 * @crowded: too many processes that save images do not end, see struct images_settings
 * @detached: the session outlives who asked for it
 * @release: start at once, and give the sink back as soon as the session has ended
 */
struct session_settings {
	const char *sink;
	const char *device;
	int directory;
	const char *directory_name;
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	int group_count;
	const char *mode;
	uint64_t buffer_size;
	uint64_t watermark;
	uint64_t max_size;
	struct json_object *encoders;
	struct json_object *attributes;
	struct json_object *command;
	pid_t command_pid;
	pid_t client;
	bool sideband;
	bool memory;
	unsigned int crowded;
	bool detached;
	bool release;
};

#endif /* RVTRACED_SESSION_SETTINGS_H */
