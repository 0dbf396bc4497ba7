// SPDX-License-Identifier: LGPL-2.1-or-later
/* The trace formats that there are: see rvtrace/format.h. */
#include <stdio.h>
#include <string.h>

#include <rvtrace/replay.h>

#include "tools/lib/flow/flow_format.h"
#include "format.h"
#include "replay_internal.h"

static const struct rvtrace_format *const formats[] = {
	&format_ntrace, &format_etrace, &format_cdl, &format_debugspec,
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

const struct rvtrace_format *rvtrace_format_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct rvtrace_format *rvtrace_format_of(const struct rvtrace_flow_config *config)
{
	struct rvtrace_flow_config own;

	if (flow_config_take(&own, config))
		return NULL;
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i]->flow == own.format)
			return formats[i];
	return NULL;
}

const char *rvtrace_format_name(const struct rvtrace_format *format)
{
	return format->name;
}

void format_names(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < FORMATS && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s", !i ? "" :
				 i + 1 < FORMATS ? ", " : " or ", formats[i]->name);
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && !strcmp(text + length - size, end);
}

/* The format that files of this name have; NULL: their names do not tell. */
static const struct rvtrace_format *format_of_file(const char *path)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i]->suffix && ends_in(path, formats[i]->suffix))
			return formats[i];
	return NULL;
}

int rvtrace_format_load(const struct rvtrace_format *format, const char *path,
			struct rvtrace_flow_config *config, struct rvtrace_failure *error)
{
	struct rvtrace_flow_config own = { .size = sizeof(own) };
	int ret;

	if (!format->load && format_of_file(path))
		format = format_of_file(path);
	if (!format->load)
		return rvtrace_replay_config_load(path, config, error);
	ret = format->load(path, &own, error);
	return ret ? ret : replay_errno(flow_config_give(config, &own), error);
}
