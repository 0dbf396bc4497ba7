/* SPDX-License-Identifier: GPL-2.0 */
/* What metadata.json says of host, sink and sources. */
#ifndef RVTRACED_DESCRIBE_H
#define RVTRACED_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#define RVTRACED_VERSION "0.1"

/**
 * describe_recording - everything the daemon knows when a session opens
 * @sink: name of the sink
 * @encoders: array of names: the sources
 * @command: array, or NULL; not consumed
 * @data_size: bytes of the ring
 *
 * Return: an object for rvtrace_recorder_begin() that the caller owns.
 */
struct json_object *describe_recording(const char *sink, struct json_object *encoders,
				       struct json_object *command, uint64_t data_size);

/**
 * describe_sources - fill the sources of a sink with what sysfs says now
 * @metadata: from describe_recording()
 * @encoders: array of names
 *
 * Called again when tracing ends: the source ids may be given at its start only.
 * An encoder that went away meanwhile stays as it was described before.
 */
void describe_sources(struct json_object *metadata, struct json_object *encoders);

/**
 * describe_lack - why the recording will not decode by itself, or not right
 * @metadata: from describe_recording()
 * @text: filled with one line, "" if nothing is missing
 * @size: bytes at @text
 *
 * Return: whether there is a reason.
 */
bool describe_lack(struct json_object *metadata, char *text, size_t size);

#endif /* RVTRACED_DESCRIBE_H */
