// SPDX-License-Identifier: GPL-2.0
/* images/maps.jsonl: what every process maps for execution at this moment. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/lib/code/build_id.h"
#include "saver_internal.h"
#include "saver_lives.h"
#include "watch.h"

/* Of one process: a line of the list takes no more, whatever its paths are made of. */
#define ROOM		(12ULL << 20)
#define MAPPING_ROOM	128
/* Of all processes of users who are neither root nor the owner of the recording */
#define OTHERS_ROOM	(128ULL << 20)
#define OTHERS_NS	20000000000ULL

/* One pass over /proc. */
struct snapshot {
	struct saver *saver;
	struct json_object *request;
	struct json_object *build_ids;	/* by device and inode: many map the same file */
	struct rvtrace_failure *error;
	uint64_t room;			/* of the process that is looked at */
	uint64_t others_room;
	size_t left_out;		/* processes that are not listed, or not whole */
	pid_t first;			/* of those */
	uid_t first_uid;
};

/* A line of /proc/PID/maps. */
struct mapping {
	unsigned long long start, end, offset, inode;
	char flags[8], device[16], path[4096];
};

/* The very file that is mapped: its path may name another one in the daemon's view. */
static int open_mapped(pid_t pid, const struct mapping *map)
{
	char link[96];

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid, map->start, map->end);
	return open(link, O_RDONLY | O_CLOEXEC);
}

static const char *build_id_of(struct snapshot *s, pid_t pid, const struct mapping *map)
{
	char key[64], text[RVTRACE_BUILD_ID_TEXT] = "";
	struct json_object *known;
	int fd;

	if (!map->inode)
		return "";
	snprintf(key, sizeof(key), "%s %llu", map->device, map->inode);
	if (!json_object_object_get_ex(s->build_ids, key, &known)) {
		fd = open_mapped(pid, map);
		if (fd >= 0) {
			rvtrace_build_id_of_fd(fd, text);
			close(fd);
		}
		known = json_object_new_string(text);
		json_object_object_add(s->build_ids, key, known);
	}
	return json_object_get_string(known);
}

static bool parse_mapping(const char *line, struct mapping *map)
{
	map->path[0] = 0;
	return sscanf(line, "%llx-%llx %7s %llx %15s %llu %4095[^\n]", &map->start, &map->end,
		      map->flags, &map->offset, map->device, &map->inode, map->path) >= 6 &&
	       strchr(map->flags, 'x');
}

static void add_map(struct snapshot *s, pid_t pid, const struct mapping *map,
		    struct json_object *maps)
{
	struct json_object *object = json_object_new_object();
	const char *build_id = build_id_of(s, pid, map);
	unsigned int device[2];

	json_object_object_add(object, "start", saver_hex(map->start));
	json_object_object_add(object, "end", saver_hex(map->end));
	json_object_object_add(object, "offset", saver_hex(map->offset));
	json_object_object_add(object, "path", json_object_new_string(map->path));
	json_object_object_add(object, "build_id",
			       *build_id ? json_object_new_string(build_id) : NULL);
	if (!*build_id && map->inode &&
	    sscanf(map->device, "%x:%x", &device[0], &device[1]) == 2) {
		json_object_object_add(object, "device",
				       json_object_new_uint64(makedev(device[0], device[1])));
		json_object_object_add(object, "inode", json_object_new_uint64(map->inode));
	}
	json_object_array_add(maps, object);
}

static void save_memory(struct snapshot *s, pid_t pid, const struct mapping *map, uint64_t time)
{
	const struct saver_piece piece = {
		.pid = pid,
		.path = map->path,
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.time = time,
	};

	if (s->saver->mapped && saver_in_no_file(map->path))
		saver_memory(s->saver, &piece);
}

static bool take_room(struct snapshot *s, uint64_t bytes)
{
	if (s->room < bytes) {
		s->room = 0;
		return false;
	}
	s->room -= bytes;
	return true;
}

static void read_maps(struct snapshot *s, pid_t pid, uint64_t time, struct json_object *maps)
{
	struct mapping map;
	char path[64], line[4608];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return;		/* it is gone */
	while (fgets(line, sizeof(line), file)) {
		if (!take_room(s, strlen(line)))
			break;
		if (!parse_mapping(line, &map))
			continue;
		if (!take_room(s, MAPPING_ROOM + 6 * strlen(map.path)))
			break;
		add_map(s, pid, &map, maps);
		save_memory(s, pid, &map, time);
	}
	fclose(file);
}

static void read_comm(pid_t pid, char comm[32])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, 32, file))
		comm[0] = 0;
	comm[strcspn(comm, "\n")] = 0;
	if (file)
		fclose(file);
}

static const char *role_of(struct json_object *request, pid_t pid)
{
	struct json_object *recorders = NULL;
	size_t i;

	if ((pid_t)saver_number(request, "command") == pid)
		return "command";
	json_object_object_get_ex(request, "recorders", &recorders);
	for (i = 0; recorders && i < json_object_array_length(recorders); i++)
		if (json_object_get_int(json_object_array_get_idx(recorders, i)) == pid)
			return "recorder";
	return pid == getpid() || pid == getppid() ? "recorder" : NULL;
}

static int list_process(struct snapshot *s, pid_t pid, uid_t uid)
{
	uint64_t time = saver_now(), end;
	struct json_object *maps = json_object_new_array(), *process;
	const char *role = role_of(s->request, pid);
	char comm[32];

	saver_lives_look(s->saver->lives, pid, uid);
	read_maps(s, pid, time, maps);
	saver_lives_looked(s->saver->lives);
	end = saver_now();
	watch_settle(s->saver);
	/* Kernel threads, and processes that are gone, map nothing. */
	if (!json_object_array_length(maps)) {
		json_object_put(maps);
		return 0;
	}
	read_comm(pid, comm);
	process = json_object_new_object();
	json_object_object_add(process, "pid", json_object_new_int(pid));
	json_object_object_add(process, "comm", json_object_new_string(comm));
	json_object_object_add(process, "time", json_object_new_uint64(time));
	json_object_object_add(process, "time_end", json_object_new_uint64(end));
	if (role)
		json_object_object_add(process, "role", json_object_new_string(role));
	json_object_object_add(process, "maps", maps);
	return saver_line(s->saver, "maps.jsonl", process, s->error);
}

static void leave_out(struct snapshot *s, pid_t pid, uid_t uid)
{
	if (s->left_out++)
		return;
	s->first = pid;
	s->first_uid = uid;
}

/* Others cannot make this take longer, or more room, than all of them together may. */
static bool others_may(const struct snapshot *s)
{
	const struct saver_lives *lives = s->saver->lives;

	return lives->life + 1 < SAVER_LIVES && lives->others_ns < OTHERS_NS && s->others_room;
}

static int save_process(struct snapshot *s, pid_t pid)
{
	pid_t command = saver_number(s->request, "command");
	struct saver_lives *lives = s->saver->lives;
	uint64_t begun = saver_now(), room = ROOM;
	uid_t uid;
	bool other;
	int ret;

	if (!saver_lives_user(pid, &uid))
		return 0;
	other = uid && uid != s->saver->uid && pid != command;
	if (saver_lives_shuns(lives, pid, uid) || saver_is_crowded(s->saver, uid) ||
	    (other && !others_may(s))) {
		leave_out(s, pid, uid);
		return 0;
	}
	if (other && room > s->others_room)
		room = s->others_room;
	s->room = room;
	ret = list_process(s, pid, uid);
	if (!s->room)
		leave_out(s, pid, uid);
	if (other) {
		s->others_room -= room - s->room;
		lives->others_ns += saver_now() - begun;
	}
	return ret;
}

static void tell_left_out(const struct snapshot *s)
{
	if (s->left_out)
		rvtrace_fail(&s->saver->lacking, EFBIG, 0,
			     "images: what %zu processes map is not recorded, or not all of it: it is too much, or takes too long to read (the first is process %d of user %u)",
			     s->left_out, s->first, s->first_uid);
}

int saver_maps(struct saver *saver, struct json_object *request,
	       struct rvtrace_failure *error)
{
	struct snapshot s = {
		.saver = saver,
		.request = request,
		.error = error,
		.others_room = OTHERS_ROOM,
	};
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int ret = 0;

	if (!proc)
		return rvtrace_fail(error, errno, 0, "/proc: %s", strerror(errno));
	s.build_ids = json_object_new_object();
	while (!ret && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = save_process(&s, atoi(entry->d_name));
	closedir(proc);
	json_object_put(s.build_ids);
	tell_left_out(&s);
	return ret;
}
