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

/**
 * describe_etrace - parameters of an encoder of E-Trace
 * @encoder: its name
 * @attributes: its sysfs attributes
 *
 * Return: an object for rvtrace_etrace_params_from_json() that the caller owns; NULL: the device
 * tree says nothing of E-Trace.
 */
struct json_object *describe_etrace(const char *encoder, struct json_object *attributes);

/**
 * describe_vendor - parameters of an encoder that traces in its vendor's format
 * @encoder: its name
 * @format: filled on success: "cdl" or "debugspec"
 *
 * Return: an object for rvtrace_cdl_config_from_json() or rvtrace_debugspec_config_from_json()
 * that the caller owns; NULL: the device tree says nothing of a format that can be decoded.
 */
struct json_object *describe_vendor(const char *encoder, const char **format);

#endif /* RVTRACED_DESCRIBE_H */
