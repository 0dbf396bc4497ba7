/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration of the daemon: rvtraced.conf(5) in rvtraced(8). */
#ifndef RVTRACED_CONFIG_H
#define RVTRACED_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_FILE		"/etc/rvtrace/rvtraced.conf"
#define CONFIG_PATH_MAX		4096
#define CONFIG_GROUP_MAX	64
#define CONFIG_CONNECTIONS_MAX	256	/* of all users but root */

/**
 * struct config - settings
 * @segment_size: bytes of a .bin file
 * @min_free: bytes that stay free on the file system recorded to
 * @watermark: unread bytes at which a sink is drained; 0: 1/8 of its ring
 * @directory: where recordings without a directory of their own go
 * @group_access: recordings can be read by the primary group of their owner
 * @sideband: record the kernel's perf side band
 * @threads: record which thread runs on which hart, as the driver tells
 * @symbols: save the kernel's symbols
 * @companions: recordings kept of sessions that others started and read, 0: none
 * @connections: connections that a user other than root may have
 * @sessions: sessions that are not over, the same
 * @session_size: trace bytes of one such session; 0: no limit
 * @detached_time: seconds after which a detached session, of root as well, ends; 0: never
 * @silent_time: seconds after which a process that is to end a session, or to go on with one, and
 *	does nothing, has failed; 0: never
 * @group: group of the control socket
 * @nice: priority of the daemon, -20 to 19
 * @realtime: SCHED_RR priority of the daemon, 1 to 99; 0: not real-time
 */
struct config {
	uint64_t segment_size;
	uint64_t min_free;
	uint64_t watermark;
	char directory[CONFIG_PATH_MAX];
	bool group_access;
	bool sideband;
	bool threads;
	bool symbols;
	int companions;
	int connections;
	int sessions;
	uint64_t session_size;
	uint64_t detached_time;
	uint64_t silent_time;
	char group[CONFIG_GROUP_MAX];
	int nice;
	int realtime;
};

/**
 * config_defaults - what holds without a file
 * @config: filled
 * @state_dir: directory of recordings without one of their own
 */
void config_defaults(struct config *config, const char *state_dir);

/**
 * config_load - read a file, then FILE.d/\*.conf by name
 * @config: changed where the files say so
 * @path: the file
 * @required: a missing file is an error
 * @error: one line on failure: file, line, what
 * @size: bytes at @error
 *
 * Return: 0, or -1 with @config in an undefined state.
 */
int config_load(struct config *config, const char *path, bool required, char *error,
		size_t size);

/**
 * config_parse_time - a number of seconds with an optional suffix s, m, h or d
 * @text: the number
 * @value: filled
 *
 * Return: 0, or -1 when it is not such a number, or more than 10000 days.
 */
int config_parse_time(const char *text, uint64_t *value);

/**
 * config_may_be_directory - whether recordings can be below a path
 * @path: an absolute path
 *
 * Return: false if something other than a directory is there. What is missing may be made, or
 * mounted, before the first recording.
 */
bool config_may_be_directory(const char *path);

/**
 * config_make_directory - make the directory that recordings go below
 * @config: the configuration
 *
 * Whoever knows the name of a recording may get to it; its own mode says who may enter. Names are
 * not listed. A directory that is there stays as it is.
 *
 * Return: 0 or a negative errno.
 */
int config_make_directory(const struct config *config);

#endif /* RVTRACED_CONFIG_H */
