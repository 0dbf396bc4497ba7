/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace formats by name, and where the parameters of a stream come from. */
#ifndef RVTRACE_FORMAT_H
#define RVTRACE_FORMAT_H

#include <rvtrace/decls.h>
#include <rvtrace/error.h>
#include <rvtrace/flow_config.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_format;

/**
 * rvtrace_format_find() - a trace format
 * @name: as the metadata of recordings has it: "ntrace", "etrace", ...
 *
 * Return: the format, which lives as long as the program; NULL if there is none of that name.
 */
const struct rvtrace_format *rvtrace_format_find(const char *name);

/**
 * rvtrace_format_of() - the format of a configuration
 * @config: the configuration
 *
 * Return: the format; NULL if it has none, or @config is none that this library takes.
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
 * rvtrace_format_load() - parameters of a stream from a file
 * @format: the stream's format
 * @path: a file as the format has them (docs/formats.md), or metadata.json of a recording with one
 *	sink. That of N-Trace may tell of another format
 * @config: filled on success, but for its size
 * @error: filled on failure, may be NULL
 *
 * Return: 0, a negative errno: -EBADMSG: the file does not say what it must, or contradicts itself;
 * -EINVAL, -E2BIG: of @config, see rvtrace/rvtrace.h.
 */
int rvtrace_format_load(const struct rvtrace_format *format, const char *path,
			struct rvtrace_flow_config *config, struct rvtrace_failure *error);

RVTRACE_END_DECLS

#endif /* RVTRACE_FORMAT_H */
