/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace formats by name, and loading of the parameters of a stream. */
#ifndef RVTRACE_FORMAT_H
#define RVTRACE_FORMAT_H

#include <rvtrace/decls.h>
#include <rvtrace/error.h>
#include <rvtrace/flow_config.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_format;

/**
 * rvtrace_format_find() - find a trace format by name
 * @name: name as in the metadata of recordings: "ntrace", "etrace", ...
 *
 * Return: the format, which is static; NULL if no format has that name.
 */
const struct rvtrace_format *rvtrace_format_find(const char *name);

/**
 * rvtrace_format_of() - get the format of a configuration
 * @config: the configuration
 *
 * Return: the format; NULL if it has none, or if this library does not accept @config.
 */
const struct rvtrace_format *rvtrace_format_of(const struct rvtrace_flow_config *config);

/**
 * rvtrace_format_name() - the name of a format
 * @format: the format
 *
 * Return: a static string.
 */
const char *rvtrace_format_name(const struct rvtrace_format *format);

/**
 * rvtrace_format_load() - read parameters of a stream from a file
 * @format: the stream's format
 * @path: a parameter file of the format (docs/formats.md), or metadata.json of a recording with one
 *	sink. A file for N-Trace may select another format
 * @config: filled on success, except its size
 * @error: filled on failure, may be NULL
 *
 * Return: 0, a negative errno: -EBADMSG: a required parameter is missing, or the file contradicts
 * itself; -EINVAL, -E2BIG: for @config, see rvtrace/rvtrace.h.
 */
int rvtrace_format_load(const struct rvtrace_format *format, const char *path,
			struct rvtrace_flow_config *config, struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_FORMAT_H */
