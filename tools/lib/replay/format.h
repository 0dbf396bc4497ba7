/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace formats by name: what each of them knows of its parameters. See rvtrace/format.h. */
#ifndef RVTRACE_REPLAY_FORMAT_H
#define RVTRACE_REPLAY_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <rvtrace/format.h>
#include <rvtrace/recording.h>

struct json_object;

/* Encoders whose trace is in one stream, and where what is said of them is from. */
struct stream_sources {
	const struct rvtrace_recording_source *list;
	size_t count;
	const char *name;
	struct json_object *metadata;
};

/* A file of parameters that is looked at, and the encoder that is. */
struct source_check {
	const char *path;
	const char *component;
	struct rvtrace_failure *error;
};

/* Says what is wrong with that encoder. Return: -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int source_complain(const struct source_check *check, const char *format, ...);

/**
 * struct rvtrace_format - what the library knows of a format by its name
 * @name: as metadata has it
 * @flow: as configurations have it
 * @suffix: of files that are of this format whatever is asked for; NULL: there are none
 * @wants_machine: the metadata's machine says how wide addresses are
 * @take: parameters of a stream, as the metadata has them; those that are 0 need not be filled,
 *	and of @isa, xlen is that of the machine
 * @load: the same from a file of its own kind; NULL: it has none
 * @check: whether a file of parameters says what it must of an encoder; NULL: @take does that
 */
struct rvtrace_format {
	const char *name;
	enum rvtrace_flow_format flow;
	const char *suffix;
	bool wants_machine;
	int (*take)(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		    struct rvtrace_failure *error);
	int (*load)(const char *path, struct rvtrace_flow_config *config,
		    struct rvtrace_failure *error);
	int (*check)(const struct source_check *check, struct json_object *source);
};

extern const struct rvtrace_format format_ntrace;
extern const struct rvtrace_format format_etrace;
extern const struct rvtrace_format format_cdl;
extern const struct rvtrace_format format_debugspec;

/* "A, B or C" of all names: in @text, cut if it is too short */
void format_names(char *text, size_t size);

#endif /* RVTRACE_REPLAY_FORMAT_H */
