// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which file it is that a process mapped: in the recording, in directories that
 * the user names, or where it was when the recording was made.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/build_id.h>

#include "program_internal.h"

struct lookup {
	char *path;
	char build_id[RVTRACE_BUILD_ID_TEXT];
	uint64_t device;
	uint64_t inode;
	struct rvtrace_program_file *file;	/* NULL: there is none */
	struct rvtrace_program_file *akin;	/* then: one of another name, or NULL */
	bool has_akin;				/* @akin was looked for */
};

/* @recorded: files of the program before any was found elsewhere */
struct rvtrace_program_lookups {
	void *tree;
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

void program_lookups_free(struct rvtrace_program_lookups *lookups)
{
	size_t i;

	if (!lookups)
		return;
	tdestroy(lookups->tree, lookup_free);
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
	if (strcmp(file->name, key->path) || (*key->build_id && *file->build_id))
		return false;
	return !key->inode || file->device != key->device || file->inode == key->inode;
}

static struct rvtrace_program_file *find_recorded(struct rvtrace_program *program,
						  const struct lookup *key)
{
	struct rvtrace_program_file *file;
	size_t i;

	for (i = 0; i < program->lookups->recorded; i++) {
		file = program->files[i];
		if (!file->saved && !strcmp(file->kind, "file") && *key->build_id &&
		    !strcmp(file->build_id, key->build_id))
			return file;
	}
	for (i = 0; i < program->lookups->recorded; i++) {
		file = program->files[i];
		if (!file->saved && !strcmp(file->kind, "file") && may_be(file, key))
			return file;
	}
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

/* The file at @path, if it is the one that was mapped. */
static struct rvtrace_program_file *try_path(struct rvtrace_program *program,
					     const struct lookup *key, const char *path,
					     bool *failed)
{
	struct rvtrace_program_file *file;
	char build_id[RVTRACE_BUILD_ID_TEXT];

	rvtrace_build_id_of_file(path, build_id);
	if (!*build_id)
		return NULL;
	if (strcmp(build_id, key->build_id)) {
		*failed |= reject(program->lookups, path, build_id, key->build_id) != 0;
		return NULL;
	}
	file = find_found(program, path, build_id);
	if (!file)
		file = program_add_file(program, "file", key->path, path, build_id);
	*failed |= !file;
	return file;
}

/* Without a build id nothing says that a file is the one that was mapped. */
static struct rvtrace_program_file *find_elsewhere(struct rvtrace_program *program,
						   const struct lookup *key, bool *failed)
{
	const char *name = strrchr(key->path, '/');
	struct rvtrace_program_file *file = NULL;
	char path[8192];
	size_t i;

	if (!*key->build_id || *key->path != '/')
		return NULL;
	for (i = 0; i < program->directory_count && !file && !*failed; i++) {
		snprintf(path, sizeof(path), "%s%s", program->directories[i], key->path);
		file = try_path(program, key, path, failed);
		if (file || *failed)
			break;
		snprintf(path, sizeof(path), "%s%s", program->directories[i], name);
		file = try_path(program, key, path, failed);
	}
	return file || *failed ? file : try_path(program, key, key->path, failed);
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

	for (size_t i = 0; i < map->build_id_size; i++)
		sprintf(key.build_id + 2 * i, "%02x", map->build_id[i]);
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
	const struct rvtrace_space_map *map;
	const struct rvtrace_space *space;
	struct rvtrace_space_walk walk;
	struct lookup other, *lookup;
	size_t i;

	if (!program->spaces || !*key->build_id)
		return NULL;
	for (i = 0; (space = rvtrace_spaces_get(program->spaces, i)); i++) {
		rvtrace_space_walk(&walk, space);
		while ((map = rvtrace_space_walk_next(&walk))) {
			other = key_of(map);
			if (strcmp(other.build_id, key->build_id))
				continue;
			lookup = get(program, &other, failed);
			if (*failed)
				return NULL;
			if (lookup->file && !strcmp(lookup->file->build_id, key->build_id))
				return lookup->file;
		}
	}
	return NULL;
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
	struct lookup key, *lookup;

	if (map->kind == RVTRACE_MAP_VDSO)
		return find_vdso(program);
	if (map->kind == RVTRACE_MAP_ANONYMOUS)
		return NULL;
	if (!program->lookups) {
		program->lookups = calloc(1, sizeof(*program->lookups));
		*failed = !program->lookups;
		if (*failed)
			return NULL;
		program->lookups->recorded = program->file_count;
	}
	*failed = false;
	key = key_of(map);
	lookup = get(program, &key, failed);
	if (!*failed && !lookup->file && !lookup->has_akin) {
		lookup->akin = find_akin(program, &key, failed);
		lookup->has_akin = true;
	}
	if (*failed)
		return NULL;
	return lookup->file ? lookup->file : lookup->akin;
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
