// SPDX-License-Identifier: GPL-2.0
/* images/maps.jsonl: what every process maps for execution at this moment. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "images_internal.h"
#include "tracectl.h"

/* Build ids of files already seen: many processes map the same ones. */
static const char *cached_build_id(struct json_object *cache, const char *path)
{
	struct json_object *known;
	char text[BUILD_ID_TEXT];

	if (path[0] != '/')
		return "";
	if (!json_object_object_get_ex(cache, path, &known)) {
		build_id_of_file(path, text);
		known = json_object_new_string(text);
		json_object_object_add(cache, path, known);
	}
	return json_object_get_string(known);
}

static struct json_object *hex(unsigned long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", value);
	return json_object_new_string(text);
}

/* A line of /proc/PID/maps; only what may execute is of interest. */
static void add_map(struct json_object *maps, const char *line, struct json_object *cache)
{
	unsigned long long start, end, offset;
	struct json_object *map;
	const char *build_id;
	char flags[8], path[4096] = "";

	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095[^\n]", &start, &end, flags, &offset,
		   path) < 4 || !strchr(flags, 'x'))
		return;
	map = json_object_new_object();
	json_object_object_add(map, "start", hex(start));
	json_object_object_add(map, "end", hex(end));
	json_object_object_add(map, "offset", hex(offset));
	json_object_object_add(map, "path", json_object_new_string(path));
	build_id = cached_build_id(cache, path);
	json_object_object_add(map, "build_id",
			       *build_id ? json_object_new_string(build_id) : NULL);
	json_object_array_add(maps, map);
}

static struct json_object *read_maps(const char *pid, struct json_object *cache)
{
	struct json_object *maps;
	char path[64], line[4608];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	maps = json_object_new_array();
	while (fgets(line, sizeof(line), file))
		add_map(maps, line, cache);
	fclose(file);
	return maps;
}

static void read_comm(const char *pid, char comm[32])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, 32, file))
		comm[0] = 0;
	comm[strcspn(comm, "\n")] = 0;
	if (file)
		fclose(file);
}

static struct json_object *read_process(const char *name, pid_t command,
					struct json_object *cache)
{
	struct json_object *process, *maps;
	pid_t pid = atoi(name);
	uint64_t time = now_ns();
	char comm[32];

	maps = read_maps(name, cache);
	if (!maps)
		return NULL;
	read_comm(name, comm);
	process = json_object_new_object();
	json_object_object_add(process, "pid", json_object_new_int(pid));
	json_object_object_add(process, "comm", json_object_new_string(comm));
	json_object_object_add(process, "time", json_object_new_int64(time));
	if (pid == command || pid == getpid())
		json_object_object_add(process, "role", json_object_new_string(
				       pid == command ? "command" : "recorder"));
	json_object_object_add(process, "maps", maps);
	return process;
}

int images_save_maps(struct images *images, pid_t command)
{
	struct json_object *cache, *process;
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int ret = 0;

	if (!proc) {
		ret = -errno;
		error_text("/proc: %s", strerror(errno));
		return ret;
	}
	cache = json_object_new_object();
	while (!ret && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		process = read_process(entry->d_name, command, cache);
		if (process)
			ret = images_line(images, "images/maps.jsonl", process);
	}
	closedir(proc);
	json_object_put(cache);
	return ret;
}
