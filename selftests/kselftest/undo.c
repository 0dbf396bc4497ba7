// SPDX-License-Identifier: GPL-2.0
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "undo.h"

#define COMPONENTS	"/sys/bus/rvtrace_tci/devices/"
#define DRIVER		"/sys/bus/platform/drivers/rvtrace_tci/"
#define CPUS		"/sys/devices/system/cpu/"

/* Lines FILE=VALUE of all files that can be read and written */
static char *settings;
static glob_t bound;
static mode_t device_mode;

static bool is_setting(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0600) == 0600;
}

void undo_remember(void)
{
	size_t size;
	FILE *lines = open_memstream(&settings, &size);
	struct stat st;
	glob_t files;

	if (!lines)
		abort();
	glob(COMPONENTS "*/*", 0, NULL, &files);
	glob(COMPONENTS "*/filter*/*", GLOB_APPEND, NULL, &files);
	glob(COMPONENTS "*/comparator*/*", GLOB_APPEND, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		if (is_setting(files.gl_pathv[i]) && strncmp(get(files.gl_pathv[i]), "error ", 6))
			fprintf(lines, "%s=%s\n", files.gl_pathv[i], get(files.gl_pathv[i]));
	globfree(&files);
	fclose(lines);
	/* Links to devices: their names begin with an address. */
	glob(DRIVER "*.*", 0, NULL, &bound);
	device_mode = stat(sink_device(), &st) ? 0600 : st.st_mode & 07777;
}

static void put_settings(void)
{
	char *rest = strdup(settings), *line, *next = rest, *value;

	while ((line = strsep(&next, "\n")) && *line) {
		value = strchr(line, '=');
		*value++ = '\0';
		if (strcmp(get(line), value))
			put(line, value);
	}
	free(rest);
}

void undo_all(void)
{
	glob_t cpus;

	glob(CPUS "cpu[0-9]*/online", 0, NULL, &cpus);
	for (size_t i = 0; i < cpus.gl_pathc; i++)
		put(cpus.gl_pathv[i], "1");
	globfree(&cpus);
	if (access(DRIVER, F_OK) && system("modprobe rvtrace"))
		printf("# the module cannot be loaded\n");
	for (size_t i = 0; i < bound.gl_pathc; i++)
		if (access(bound.gl_pathv[i], F_OK))
			put(DRIVER "bind", strrchr(bound.gl_pathv[i], '/') + 1);
	if (!sink_comes())
		return;
	idle_sink();
	put_settings();
	chmod(sink_device(), device_mode);
}
