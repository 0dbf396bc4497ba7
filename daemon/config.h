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

/**
 * struct config - settings
 * @segment_size: bytes of a .bin file
 * @min_free: bytes that stay free on the file system recorded to
 * @watermark: unread bytes at which a sink is drained; 0: 1/8 of its ring
 * @directory: where recordings without a directory of their own go
 * @sideband: record the kernel's perf side band
 * @threads: record which thread runs on which hart, as the driver tells
 * @symbols: save the kernel's symbols
 * @companions: recordings kept of sessions that others started and read, 0: none
 * @group: group of the control socket
 * @nice: priority of the daemon, -20 to 19
 * @realtime: SCHED_RR priority of the daemon, 1 to 99; 0: not real-time
 */
struct config {
	uint64_t segment_size;
	uint64_t min_free;
	uint64_t watermark;
	char directory[CONFIG_PATH_MAX];
	bool sideband;
	bool threads;
	bool symbols;
	int companions;
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
 * config_parse_size - a number of bytes with an optional suffix k, M, G or T
 * @text: the number
 * @value: filled
 *
 * Return: 0, or -1 when it is not such a number or does not fit 64 bits.
 */
int config_parse_size(const char *text, uint64_t *value);

#endif /* RVTRACED_CONFIG_H */
