// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which file it is that a process mapped: in the recording, in directories that the user names, or,
 * if this is the machine and the boot that was recorded, where it was.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program_internal.h"
#include "tools/lib/base/file.h"
#include "tools/lib/code/build_id.h"

struct lookup {
	char *path;
	char build_id[RVTRACE_BUILD_ID_TEXT];
	uint64_t device;
	uint64_t inode;
	struct rvtrace_program_file *file;	/* NULL: there is none */
};

/**
 * struct group - what has one build id, or one name
 * @key: that
 * @files: of the recording, in its order
 * @maps: of the address spaces
 * @akin: any file with this build id, or NULL
 * @searched: @akin was looked for
 */
struct group {
	const char *key;
	struct rvtrace_program_file **files;
	size_t file_count, file_room;
	const struct rvtrace_space_map **maps;
	size_t map_count, map_room;
	struct rvtrace_program_file *akin;
	bool searched;
	char text[RVTRACE_BUILD_ID_TEXT];
};

/**
 * struct rvtrace_program_lookups - what was looked for
 * @tree: of struct lookup
 * @ids: of struct group, by build id
 * @names: of struct group, by name
 * @recorded: files of the program before any was found elsewhere
 * @rejected: what was found and is another file, as text
 */
struct rvtrace_program_lookups {
	void *tree;
	void *ids;
	void *names;
	size_t recorded;
	char **rejected;
	size_t rejected_count;
};

static int by_identity(const void *a, const void *b)
{
	const struct lookup *x = a, *y = b;
	int order = strcmp(x->build_id, y->build_id);

	if (!order)
		order = (x->device > y->device) - (x->device < y->device);
	if (!order)
		order = (x->inode > y->inode) - (x->inode < y->inode);
	return order ? order : strcmp(x->path, y->path);
}

static void lookup_free(void *lookup)
{
	free(((struct lookup *)lookup)->path);
	free(lookup);
}

static void group_free(void *data)
{
	struct group *group = data;

	free(group->files);
	free(group->maps);
	free(group);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->key, ((const struct group *)b)->key);
}

static struct group *find_group(void *const *tree, const char *key)
{
	struct group *const *found = tfind(&(struct group) { .key = key }, tree, by_key);

	return found ? *found : NULL;
}

/* @key must outlive the group unless it is a build id; NULL without memory. */
static struct group *get_group(void **tree, const char *key)
{
	struct group *group = find_group(tree, key);

	if (group)
		return group;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->key = key;
	if (strlen(key) < sizeof(group->text))
		group->key = strcpy(group->text, key);
	if (tsearch(group, tree, by_key))
		return group;
	free(group);
	return NULL;
}

/* A list of pointers with room for one more; NULL without memory. */
static void *grow(void *list, size_t count, size_t *room)
{
	size_t more = *room ? 2 * *room : 1;
	void *bigger = list;

	if (count == *room) {
		bigger = realloc(list, more * sizeof(void *));
		if (bigger)
			*room = more;
	}
	return bigger;
}

static int add_file(void **tree, const char *key, struct rvtrace_program_file *file)
{
	struct group *group = get_group(tree, key);
	void *files = group ? grow(group->files, group->file_count, &group->file_room) : NULL;

	if (!files)
		return -ENOMEM;
	group->files = files;
	group->files[group->file_count++] = file;
	return 0;
}

static void id_text(const struct rvtrace_space_map *map, char text[RVTRACE_BUILD_ID_TEXT])
{
	text[0] = 0;
	for (size_t i = 0; i < map->build_id_size; i++)
		sprintf(text + 2 * i, "%02x", map->build_id[i]);
}

static int add_map(void *data, const struct rvtrace_space_map *map)
{
	struct rvtrace_program_lookups *lookups = data;
	char build_id[RVTRACE_BUILD_ID_TEXT];
	struct group *group;
	void *maps;

	if (!map->build_id_size)
		return 0;
	id_text(map, build_id);
	group = get_group(&lookups->ids, build_id);
	maps = group ? grow(group->maps, group->map_count, &group->map_room) : NULL;
	if (!maps)
		return -ENOMEM;
	group->maps = maps;
	group->maps[group->map_count++] = map;
	return 0;
}

static int index_files(struct rvtrace_program *program, struct rvtrace_program_lookups *lookups)
{
	size_t i;
	int ret = 0;

	lookups->recorded = program->file_count;
	for (i = 0; i < lookups->recorded && !ret; i++) {
		struct rvtrace_program_file *file = program->files[i];

		if (file->saved || strcmp(file->kind, "file"))
			continue;
		if (*file->build_id)
			ret = add_file(&lookups->ids, file->build_id, file);
		if (!ret)
			ret = add_file(&lookups->names, file->name, file);
	}
	return ret || !program->spaces ? ret : spaces_each_map(program->spaces, add_map, lookups);
}

void program_lookups_free(struct rvtrace_program_lookups *lookups)
{
	size_t i;

	if (!lookups)
		return;
	tdestroy(lookups->tree, lookup_free);
	tdestroy(lookups->ids, group_free);
	tdestroy(lookups->names, group_free);
	for (i = 0; i < lookups->rejected_count; i++)
		free(lookups->rejected[i]);
	free(lookups->rejected);
	free(lookups);
}

int rvtrace_program_search(struct rvtrace_program *program, const char *directory)
{
	char **directories = realloc(program->directories,
				     (program->directory_count + 1) * sizeof(*directories));

	if (!directories)
		return -ENOMEM;
	program->directories = directories;
	directories[program->directory_count] = strdup(directory);
	return directories[program->directory_count++] ? 0 : -ENOMEM;
}

/*
 * A file of the same name, where one of both has no build id, unless inodes say that it is another
 * one. Devices may have other numbers for the kernel than for users.
 */
static bool may_be(const struct rvtrace_program_file *file, const struct lookup *key)
{
	if (*key->build_id && *file->build_id)
		return false;
	return !key->inode || file->device != key->device || file->inode == key->inode;
}

static struct rvtrace_program_file *find_recorded(struct rvtrace_program *program,
						  const struct lookup *key)
{
	const struct group *group = *key->build_id ?
		find_group(&program->lookups->ids, key->build_id) : NULL;
	size_t i;

	/* Anybody can give a file a build id: the one of that name is meant, if there is one. */
	for (i = 0; group && i < group->file_count; i++)
		if (!strcmp(group->files[i]->name, key->path))
			return group->files[i];
	if (group && group->file_count)
		return group->files[0];
	group = find_group(&program->lookups->names, key->path);
	for (i = 0; group && i < group->file_count; i++)
		if (may_be(group->files[i], key))
			return group->files[i];
	return NULL;
}

static int reject(struct rvtrace_program_lookups *lookups, const char *path, const char *has,
		  const char *wanted)
{
	char **rejected = realloc(lookups->rejected,
				  (lookups->rejected_count + 1) * sizeof(*rejected)), *text;

	if (!rejected)
		return -ENOMEM;
	lookups->rejected = rejected;
	if (asprintf(&text, "%s: its build id is %s, not %s: not used", path, has, wanted) < 0)
		return -ENOMEM;
	rejected[lookups->rejected_count++] = text;
	return 0;
}

/* One that was found elsewhere before; NULL without. */
static struct rvtrace_program_file *find_found(const struct rvtrace_program *program,
					       const char *path, const char *build_id)
{
	size_t i;

	for (i = program->lookups->recorded; i < program->file_count; i++)
		if (!strcmp(program->files[i]->path, path) &&
		    !strcmp(program->files[i]->build_id, build_id))
			return program->files[i];
	return NULL;
}

/* The file at @name below @directory, if it is the one that was mapped. */
static struct rvtrace_program_file *try_path(struct rvtrace_program *program,
					     const struct lookup *key, const char *directory,
					     const char *name, bool *failed)
{
	int fd = rvtrace_file_open_below(directory, name);
	struct rvtrace_program_file *file;
	char build_id[RVTRACE_BUILD_ID_TEXT], path[8192];

	if (fd < 0)
		return NULL;
	rvtrace_build_id_of_fd(fd, build_id);
	snprintf(path, sizeof(path), "%s%s", strcmp(directory, "/") ? directory : "", name);
	file = *build_id ? find_found(program, path, build_id) : NULL;
	if (*build_id && strcmp(build_id, key->build_id)) {
		*failed |= reject(program->lookups, path, build_id, key->build_id) != 0;
		file = NULL;
	} else if (*build_id && !file) {
		file = program_add_file(program, "file", key->path, path, build_id);
		*failed |= !file || program_load_fd(file, fd);
	}
	close(fd);
	return *failed ? NULL : file;
}

/* Without a build id nothing says that a file is the one that was mapped. */
static struct rvtrace_program_file *find_elsewhere(struct rvtrace_program *program,
						   const struct lookup *key, bool *failed)
{
	const char *name = strrchr(key->path, '/');
	struct rvtrace_program_file *file = NULL;
	size_t i;

	if (!*key->build_id || *key->path != '/')
		return NULL;
	for (i = 0; i < program->directory_count && !file && !*failed; i++) {
		file = try_path(program, key, program->directories[i], key->path, failed);
		if (file || *failed)
			break;
		file = try_path(program, key, program->directories[i], name, failed);
	}
	if (file || *failed)
		return file;
	if (program->here)
		return try_path(program, key, "/", key->path, failed);
	program->not_looked_for++;
	return NULL;
}

static struct lookup *look_up(struct rvtrace_program *program, const struct lookup *key,
			      bool *failed)
{
	struct lookup *lookup = malloc(sizeof(*lookup));

	*failed = true;
	if (!lookup)
		return NULL;
	*lookup = *key;
	lookup->path = strdup(key->path);
	if (!lookup->path || !tsearch(lookup, &program->lookups->tree, by_identity)) {
		free(lookup->path);
		free(lookup);
		return NULL;
	}
	*failed = false;
	lookup->file = find_recorded(program, key);
	if (!lookup->file)
		lookup->file = find_elsewhere(program, key, failed);
	if (lookup->file && program_load_code(lookup->file, NULL))
		lookup->file = NULL;
	return lookup;
}

/* What a mapping says of its file. */
static struct lookup key_of(const struct rvtrace_space_map *map)
{
	struct lookup key = {
		.path = (char *)map->path, .device = map->device, .inode = map->inode,
	};

	id_text(map, key.build_id);
	return key;
}

static struct lookup *get(struct rvtrace_program *program, const struct lookup *key, bool *failed)
{
	struct lookup **found = tfind(key, &program->lookups->tree, by_identity);

	return found ? *found : look_up(program, key, failed);
}

/* By another name, under which other mappings have the file. */
static struct rvtrace_program_file *find_akin(struct rvtrace_program *program,
					      const struct lookup *key, bool *failed)
{
	struct group *group = *key->build_id ?
		find_group(&program->lookups->ids, key->build_id) : NULL;
	struct lookup other, *lookup;
	size_t i;

	if (!group || group->searched)
		return group ? group->akin : NULL;
	for (i = 0; i < group->map_count && !group->akin; i++) {
		other = key_of(group->maps[i]);
		lookup = get(program, &other, failed);
		if (*failed)
			return NULL;
		if (lookup->file && !strcmp(lookup->file->build_id, key->build_id))
			group->akin = lookup->file;
	}
	group->searched = true;
	return group->akin;
}

static const struct rvtrace_program_file *find_vdso(const struct rvtrace_program *program)
{
	size_t i;

	for (i = 0; i < program->file_count; i++)
		if (!strcmp(program->files[i]->kind, "vdso") && program->files[i]->code)
			return program->files[i];
	return NULL;
}

const struct rvtrace_program_file *program_find_file(struct rvtrace_program *program,
						     const struct rvtrace_space_map *map,
						     bool *failed)
{
	struct rvtrace_program_file *akin = NULL;
	struct lookup key, *lookup;

	if (map->kind == RVTRACE_MAP_VDSO)
		return find_vdso(program);
	if (map->kind == RVTRACE_MAP_ANONYMOUS)
		return NULL;
	if (!program->lookups) {
		program->lookups = calloc(1, sizeof(*program->lookups));
		*failed = !program->lookups || index_files(program, program->lookups);
		if (*failed)
			return NULL;
	}
	*failed = false;
	key = key_of(map);
	lookup = get(program, &key, failed);
	if (!*failed && !lookup->file)
		akin = find_akin(program, &key, failed);
	if (*failed)
		return NULL;
	return lookup->file ? lookup->file : akin;
}

const struct rvtrace_program_file *
rvtrace_program_file_at(struct rvtrace_program *program, const struct rvtrace_space_map *map)
{
	bool failed;

	return program_find_file(program, map, &failed);
}

const char *rvtrace_program_rejected(const struct rvtrace_program *program, size_t index)
{
	const struct rvtrace_program_lookups *lookups = program->lookups;

	return lookups && index < lookups->rejected_count ? lookups->rejected[index] : NULL;
}
