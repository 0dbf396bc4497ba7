/* SPDX-License-Identifier: GPL-2.0 */
/* The char device of a sink: mappings, draining into a recording. */
#ifndef RVTRACED_DEVICE_H
#define RVTRACED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rvtrace.h>

#include "tools/lib/recording/recorder.h"

/**
 * struct device - an open char device
 * @fd: -1: closed
 * @consume: RVTRACE_IOC_CONSUME; a negative errno on failure
 * @text: told of kernel text that came, or NULL
 * @user: for @text
 * @steps: counts whatever was written and given back, or NULL
 * @control: the control page
 * @records: the record ring
 * @data: the data ring
 * @data_size: bytes at @data
 * @records_size: bytes at @records
 * @position: first byte not written yet
 * @records_position: first record not written yet
 * @at_least_end: losses that begin before this position are lower bounds
 * @state: enum rvtrace_state, as last seen
 * @session_error: negative errno of the session's end record, or 0
 * @tasks: the driver records which thread runs where
 * @task_addresses: and what tp is meanwhile
 */
struct device {
	int fd;
	int (*consume)(struct device *device, struct rvtrace_consume *consume);
	void (*text)(void *user, const struct rvtrace_record_text *text);
	void *user;
	uint64_t *steps;
	const struct rvtrace_control *control;
	const uint8_t *records;
	const uint8_t *data;
	uint64_t data_size;
	uint64_t records_size;
	uint64_t position;
	uint64_t records_position;
	uint64_t at_least_end;
	uint32_t state;
	int session_error;
	bool tasks;
	bool task_addresses;
};

/**
 * enum device_result - what device_drain() left behind
 * @DEVICE_WAIT: the session is live; poll() says when to come again
 * @DEVICE_MORE: the session has ended, more is there
 * @DEVICE_ENDED: the session has ended and everything is written
 * @DEVICE_GONE: the device was unbound; what was readable is written
 */
enum device_result {
	DEVICE_WAIT,
	DEVICE_MORE,
	DEVICE_ENDED,
	DEVICE_GONE,
};

/**
 * device_open - open a char device
 * @device: filled; device_close() it, after a failure too
 * @path: as "/dev/rvtrace0"
 * @error: filled on failure
 *
 * The driver's probes are armed from here to device_close().
 *
 * Return: 0 or a negative errno.
 */
int device_open(struct device *device, const char *path, struct rvtrace_failure *error);

/**
 * device_ask_tasks - have the driver record which thread runs where
 * @device: an open device; @tasks and @task_addresses are set if it does
 * @addresses: and what tp is meanwhile, if it can
 * @error: filled on failure
 *
 * From here to device_close(). Kernel text changes: before it is saved.
 *
 * Return: 0, also where the driver or the kernel cannot, or a negative errno.
 */
int device_ask_tasks(struct device *device, bool addresses,
		     struct rvtrace_failure *error);

/**
 * device_map - map control page, records and data of an open file
 * @device: @fd and @consume set, the rest 0
 * @path: for error texts
 * @error: filled on failure
 *
 * Return: 0, -EPROTO (another version of the uAPI) or another negative errno.
 */
int device_map(struct device *device, const char *path, struct rvtrace_failure *error);

/**
 * device_close - unmap and close
 * @device: the device, open, closed or half open
 */
void device_close(struct device *device);

/**
 * device_begin - a session has started: position at its first byte
 * @device: the device
 */
void device_begin(struct device *device);

/**
 * device_skip_records - leave out records that were written already
 * @device: the device, as it was opened
 * @last: the last one written
 *
 * Where @last is not in the ring nothing is left out.
 */
void device_skip_records(struct device *device, const struct rvtrace_record *last);

/**
 * device_discard - give the whole ring back unwritten, so that the sink is idle
 * @device: the device, its session ended
 *
 * Return: bytes that were not written, from @device->position on.
 */
uint64_t device_discard(struct device *device);

/**
 * device_drain - write what is there
 * @device: the device
 * @recorder: recording
 * @sink: number of the sink in it
 * @minimum: leave less data than this for later while the session is live;
 *	records are always taken. 0: everything; else whole blocks of the file
 * @error: filled on failure
 *
 * Writes what is there at the call, not what comes meanwhile: a daemon that is
 * traced itself would never finish. Each step is one write from the mapping, one
 * index entry and one ioctl, whatever the number of bytes.
 *
 * Return: enum device_result, or a negative errno.
 */
int device_drain(struct device *device, struct rvtrace_recorder *recorder, int sink,
		 uint64_t minimum, struct rvtrace_failure *error);

#endif /* RVTRACED_DEVICE_H */
