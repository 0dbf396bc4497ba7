// SPDX-License-Identifier: GPL-2.0
/* Names of recordings that are none: see no_recording.h. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "no_recording.h"

static bool is_recording(const char *directory)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/metadata.json", directory) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

int explain_no_recording(const char *path, int ret, struct rvtrace_failure *error)
{
	char copy[PATH_MAX];
	const char *directory;
	struct stat st;

	if (ret != -ENOTDIR || stat(path, &st) || strlen(path) >= sizeof(copy))
		return ret;
	directory = dirname(strcpy(copy, path));
	if (is_recording(directory))
		return rvtrace_fail(error, ENOTDIR, 0,
				    "%s: it is a file of a recording; name its directory, %s", path,
				    directory);
	return rvtrace_fail(error, ENOTDIR, 0,
			    "%s: it is a file, but a recording is a directory; tracectl decode --raw reads trace in a file",
			    path);
}
