// SPDX-License-Identifier: GPL-2.0
/* What a daemon that takes the place of one that died must know. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "state.h"

#define SUFFIX	".json"

#define PATH_SIZE	(RUN_PATH_MAX + 128)

static void folder_name(const struct daemon *daemon, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/sessions", daemon->run_directory);
}

static void file_name(const struct daemon *daemon, const char *sink, const char *suffix,
		      char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/sessions/%.64s%s", daemon->run_directory, sink, suffix);
}

void state_keep(const struct daemon *daemon, const char *sink, struct json_object *state)
{
	char folder[PATH_SIZE], path[PATH_SIZE], temporary[PATH_SIZE];

	folder_name(daemon, folder);
	file_name(daemon, sink, SUFFIX, path);
	file_name(daemon, sink, ".tmp", temporary);
	if ((mkdir(folder, 0700) && errno != EEXIST) ||
	    json_object_to_file(temporary, state) || rename(temporary, path))
		log_message(LOG_WARNING, "%s: %s: the session ends should rvtraced die", path,
			    strerror(errno));
}

void state_forget(const struct daemon *daemon, const char *sink)
{
	char path[PATH_SIZE];

	file_name(daemon, sink, SUFFIX, path);
	unlink(path);
}

void state_each(struct daemon *daemon,
		bool (*found)(struct daemon *daemon, const char *sink, struct json_object *state))
{
	char folder[PATH_SIZE], path[PATH_SIZE], *suffix;
	struct json_object *state;
	struct dirent *entry;
	DIR *directory;
	bool goes_on;

	folder_name(daemon, folder);
	directory = opendir(folder);
	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		suffix = strstr(entry->d_name, SUFFIX);
		if (!suffix || suffix[strlen(SUFFIX)])
			continue;
		*suffix = 0;
		file_name(daemon, entry->d_name, SUFFIX, path);
		state = json_object_from_file(path);
		goes_on = json_object_is_type(state, json_type_object) &&
			  found(daemon, entry->d_name, state);
		if (!json_object_is_type(state, json_type_object))
			log_message(LOG_WARNING, "%s: not what rvtraced wrote", path);
		json_object_put(state);
		if (!goes_on)
			unlink(path);
	}
	closedir(directory);
}
