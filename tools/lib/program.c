// SPDX-License-Identifier: LGPL-2.1-or-later
/* Program images of a recording: images/index.json, mapped where they lay. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/replay.h>

#include "fail.h"

/* An error of the image layer as an errno; @saved is errno after the call. */
static int image_fail(struct rvtrace_recording_error *error, int ret, int saved, const char *path)
{
	switch (ret) {
	case RVTRACE_ERR_IO:
		return fail(error, saved ? -saved : -EIO, path, strerror(saved ? saved : EIO));
	case RVTRACE_ERR_NO_MEMORY:
		return fail(error, -ENOMEM, path, "out of memory");
	case RVTRACE_ERR_NOT_ELF:
		return fail(error, -EBADMSG, path, rvtrace_strerror(ret));
	default:
		return fail(error, -EINVAL, path, rvtrace_strerror(ret));
	}
}

struct rvtrace_program *rvtrace_program_new(void)
{
	struct rvtrace_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->image = rvtrace_image_new();
	if (!program->image) {
		free(program);
		return NULL;
	}
	return program;
}

void rvtrace_program_free(struct rvtrace_program *program)
{
	size_t i;

	if (!program)
		return;
	rvtrace_image_free(program->image);
	for (i = 0; i < program->file_count; i++) {
		rvtrace_code_unref(program->files[i].code);
		free(program->files[i].kind);
		free(program->files[i].name);
		free(program->files[i].path);
		free(program->files[i].build_id);
	}
	for (i = 0; i < program->missing_count; i++) {
		free(program->missing[i].name);
		free(program->missing[i].build_id);
	}
	free(program->files);
	free(program->missing);
	free(program);
}

/* Return: the file without its code yet, or NULL without memory. */
static struct rvtrace_program_file *add_file(struct rvtrace_program *program, const char *kind,
					     const char *name, const char *path,
					     const char *build_id)
{
	struct rvtrace_program_file *file;

	file = realloc(program->files, (program->file_count + 1) * sizeof(*file));
	if (!file)
		return NULL;
	program->files = file;
	file += program->file_count;
	memset(file, 0, sizeof(*file));
	file->kind = strdup(kind);
	file->name = strdup(name);
	file->path = strdup(path);
	file->build_id = strdup(build_id ? build_id : "");
	program->file_count++;
	return file->kind && file->name && file->path && file->build_id ? file : NULL;
}

static const char *text_member(struct json_object *object, const char *name)
{
	struct json_object *member = NULL;

	json_object_object_get_ex(object, name, &member);
	return json_object_get_string(member);
}

static unsigned int privs_of(const char *kind)
{
	if (!strcmp(kind, "kernel") || !strcmp(kind, "module"))
		return RVTRACE_PRIV_S;
	if (!strcmp(kind, "firmware"))
		return RVTRACE_PRIV_M;
	return 0;	/* where it lies is up to each address space */
}

/* Maps a file's code where @file->address says, for every address space. */
static int map_everywhere(struct rvtrace_program *program, struct rvtrace_program_file *file,
			  unsigned int privs, struct rvtrace_recording_error *error)
{
	struct rvtrace_mapping mapping = {
		.code = file->code, .size = UINT64_MAX - file->address,
		.address = file->address, .space = RVTRACE_SPACE_ANY, .privs = privs,
	};
	int ret;

	file->used = true;
	ret = rvtrace_image_map(program->image, &mapping);
	return ret ? image_fail(error, ret, 0, file->path) : 0;
}

static int load_code(struct rvtrace_program_file *file, struct rvtrace_recording_error *error)
{
	int ret;

	errno = 0;
	ret = rvtrace_code_from_file(file->path, &file->code);
	return ret ? image_fail(error, ret, errno, file->path) : 0;
}

static int load_entry(struct rvtrace_program *program, struct json_object *entry,
		      const char *directory, struct rvtrace_recording_error *error)
{
	const char *relative = text_member(entry, "file"), *kind = text_member(entry, "kind");
	const char *name = text_member(entry, "name"), *address = text_member(entry, "address");
	struct rvtrace_program_file *file;
	unsigned int privs;
	char path[4096];
	int ret;

	if (!relative || !kind || !name)
		return fail(error, -EBADMSG, "images/index.json",
			    "an entry without file, kind or name");
	if (relative[0] == '/' || strstr(relative, ".."))
		return fail(error, -EBADMSG, "images/index.json",
			    "a file outside of the recording");
	snprintf(path, sizeof(path), "%s/%s", directory, relative);
	privs = privs_of(kind);
	if (privs == RVTRACE_PRIV_M)
		return rvtrace_program_add_image(program, path,
						 address ? strtoull(address, NULL, 0) : 0, true,
						 privs, error);
	file = add_file(program, kind, name, path, text_member(entry, "build_id"));
	if (!file)
		return fail(error, -ENOMEM, path, "out of memory");
	file->address = address ? strtoull(address, NULL, 0) : 0;
	ret = load_code(file, error);
	return ret || !privs ? ret : map_everywhere(program, file, privs, error);
}

static int load_index(struct rvtrace_program *program, struct rvtrace_recording *recording,
		      const char *directory, struct rvtrace_recording_error *error)
{
	struct json_object *index;
	int fd, ret = 0;
	size_t i;

	fd = rvtrace_recording_open_file(recording, "images/index.json");
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fail(error, fd, "images/index.json", strerror(-fd));
	index = json_object_from_fd(fd);
	close(fd);
	if (!json_object_is_type(index, json_type_array)) {
		json_object_put(index);
		return fail(error, -EBADMSG, "images/index.json", "not a JSON list");
	}
	for (i = 0; i < json_object_array_length(index) && !ret; i++)
		ret = load_entry(program, json_object_array_get_idx(index, i), directory, error);
	json_object_put(index);
	return ret;
}

static void build_id_text(const struct rvtrace_space_map *map, char *text)
{
	size_t i;

	for (i = 0; i < map->build_id_size; i++)
		sprintf(text + 2 * i, "%02x", map->build_id[i]);
	text[2 * i] = 0;
}

static struct rvtrace_program_file *find_file(struct rvtrace_program *program, const char *path,
					      const char *build_id)
{
	struct rvtrace_program_file *file;
	bool vdso = !strcmp(path, "[vdso]");
	size_t i;

	for (i = 0; i < program->file_count; i++) {
		file = &program->files[i];
		if (vdso ? !strcmp(file->kind, "vdso") :
		    !strcmp(file->kind, "file") && *build_id && !strcmp(file->build_id, build_id))
			return file;
	}
	for (i = 0; i < program->file_count && !vdso; i++) {
		file = &program->files[i];
		if (!strcmp(file->kind, "file") && !strcmp(file->name, path) &&
		    (!*build_id || !*file->build_id))
			return file;
	}
	return NULL;
}

static int add_missing(struct rvtrace_program *program, const char *path, const char *build_id)
{
	struct rvtrace_program_missing *missing;
	size_t i;

	for (i = 0; i < program->missing_count; i++) {
		missing = &program->missing[i];
		if (!strcmp(missing->name, path) && !strcmp(missing->build_id, build_id)) {
			missing->spaces++;
			return 0;
		}
	}
	missing = realloc(program->missing, (program->missing_count + 1) * sizeof(*missing));
	if (!missing)
		return -ENOMEM;
	program->missing = missing;
	missing += program->missing_count;
	missing->name = strdup(path);
	missing->build_id = strdup(build_id);
	missing->spaces = 1;
	program->missing_count++;
	return missing->name && missing->build_id ? 0 : -ENOMEM;
}

static int map_space(struct rvtrace_program *program, const struct rvtrace_space *space,
		     struct rvtrace_recording_error *error)
{
	char build_id[2 * RVTRACE_BUILD_ID_MAX + 1];
	struct rvtrace_program_file *file;
	struct rvtrace_mapping mapping;
	size_t i;
	int ret;

	for (i = 0; i < space->map_count; i++) {
		const struct rvtrace_space_map *map = &space->maps[i];

		build_id_text(map, build_id);
		file = find_file(program, map->path, build_id);
		if (!file) {
			if (add_missing(program, map->path, build_id))
				return fail(error, -ENOMEM, map->path, "out of memory");
			ret = rvtrace_image_unmap(program->image, space->context, map->start,
						  map->end - map->start);
			if (ret)
				return image_fail(error, ret, 0, map->path);
			continue;
		}
		file->used = true;
		mapping = (struct rvtrace_mapping) {
			.code = file->code, .size = map->end - map->start, .address = map->start,
			.offset = strcmp(file->kind, "vdso") ? map->offset : 0,
			.space = space->context, .privs = RVTRACE_PRIV_U,
		};
		ret = rvtrace_image_map(program->image, &mapping);
		if (ret)
			return image_fail(error, ret, 0, map->path);
	}
	return 0;
}

int rvtrace_program_load(struct rvtrace_program *program, struct rvtrace_recording *recording,
			 const char *directory, const struct rvtrace_spaces *spaces,
			 struct rvtrace_recording_error *error)
{
	const struct rvtrace_space *space;
	int ret = load_index(program, recording, directory, error);
	size_t i;

	for (i = 0; !ret && (space = rvtrace_spaces_get(spaces, i)); i++)
		if (space->has_context)
			ret = map_space(program, space, error);
	return ret;
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ret;

	if (fd < 0)
		return false;
	ret = read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, "\177ELF", 4);
	close(fd);
	return ret;
}

int rvtrace_program_add_image(struct rvtrace_program *program, const char *path, uint64_t address,
			      bool has_address, unsigned int privs,
			      struct rvtrace_recording_error *error)
{
	struct rvtrace_program_file *file;
	int ret;

	if (is_elf(path)) {
		errno = 0;
		ret = rvtrace_image_add_elf(program->image, path, has_address ? address : 0,
					    RVTRACE_SPACE_ANY, privs);
		return ret < 0 ? image_fail(error, ret, errno, path) : 0;
	}
	if (!has_address)
		return fail(error, -EINVAL, path, "not an ELF file: its address is missing (FILE@ADDRESS)");
	file = add_file(program, "firmware", path, path, NULL);
	if (!file)
		return fail(error, -ENOMEM, path, "out of memory");
	file->address = address;
	ret = load_code(file, error);
	return ret ? ret : map_everywhere(program, file, privs, error);
}

const struct rvtrace_program_file *
rvtrace_program_file_of(const struct rvtrace_program *program, const struct rvtrace_code *code)
{
	size_t i;

	for (i = 0; i < program->file_count; i++)
		if (program->files[i].code == code)
			return &program->files[i];
	return NULL;
}
