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
};

struct rvtrace_program_lookups {
	void *tree;
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

	for (i = 0; i < program->file_count; i++) {
		file = program->files[i];
		if (!file->saved && !strcmp(file->kind, "file") && *key->build_id &&
		    !strcmp(file->build_id, key->build_id))
			return file;
	}
	for (i = 0; i < program->file_count; i++) {
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

static const struct lookup *look_up(struct rvtrace_program *program, const struct lookup *key,
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
	struct lookup key = {
		.path = (char *)map->path, .device = map->device, .inode = map->inode,
	};
	const struct lookup *const *found, *lookup;
	size_t i;

	if (map->kind == RVTRACE_MAP_VDSO)
		return find_vdso(program);
	if (map->kind == RVTRACE_MAP_ANONYMOUS)
		return NULL;
	if (!program->lookups)
		program->lookups = calloc(1, sizeof(*program->lookups));
	*failed = !program->lookups;
	if (*failed)
		return NULL;
	for (i = 0; i < map->build_id_size; i++)
		sprintf(key.build_id + 2 * i, "%02x", map->build_id[i]);
	found = tfind(&key, &program->lookups->tree, by_identity);
	lookup = found ? *found : look_up(program, &key, failed);
	return lookup && !*failed ? lookup->file : NULL;
}

const char *rvtrace_program_rejected(const struct rvtrace_program *program, size_t index)
{
	const struct rvtrace_program_lookups *lookups = program->lookups;

	return lookups && index < lookups->rejected_count ? lookups->rejected[index] : NULL;
}
