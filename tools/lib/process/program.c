// SPDX-License-Identifier: LGPL-2.1-or-later
/* The images of a recording: see rvtrace/program.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/file.h"
#include "program_internal.h"

/* An error of the image layer as an errno; @saved is errno after the call. */
/* Files of which errno says less than one would know. */
static const char *io_text(int saved)
{
	switch (saved) {
	case ENODATA:
		return "there is no code in it: it is empty, or shorter than an instruction";
	case EINVAL:
		return "not a regular file";
	}
	return strerror(saved ? saved : EIO);
}

static int image_fail(struct rvtrace_failure *error, int ret, int saved, const char *path)
{
	switch (ret) {
	case RVTRACE_ERR_IO:
		return fail(error, saved ? -saved : -EIO, path, io_text(saved));
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

static void file_free(struct rvtrace_program_file *file)
{
	rvtrace_code_unref(file->code);
	free(file->kind);
	free(file->name);
	free(file->path);
	free(file->build_id);
	free(file->doubts);
	free(file);
}

void rvtrace_program_free(struct rvtrace_program *program)
{
	size_t i;

	if (!program)
		return;
	rvtrace_image_free(program->image);
	program_lookups_free(program->lookups);
	for (i = 0; i < program->file_count; i++)
		file_free(program->files[i]);
	for (i = 0; i < program->directory_count; i++)
		free(program->directories[i]);
	free(program->files);
	free(program->changed);
	free(program->kernel_changes);
	free(program->directories);
	free(program);
}

struct rvtrace_program_file *program_add_file(struct rvtrace_program *program, const char *kind,
					      const char *name, const char *path,
					      const char *build_id)
{
	struct rvtrace_program_file *file = calloc(1, sizeof(*file)), **files;

	files = realloc(program->files, (program->file_count + 1) * sizeof(*files));
	if (files)
		program->files = files;
	if (!file || !files) {
		free(file);
		return NULL;
	}
	file->kind = strdup(kind);
	file->name = strdup(name);
	file->path = strdup(path);
	file->build_id = strdup(build_id ? build_id : "");
	file->until = UINT64_MAX;
	if (!file->kind || !file->name || !file->path || !file->build_id) {
		file_free(file);
		return NULL;
	}
	files[program->file_count++] = file;
	return file;
}

int program_load_code(struct rvtrace_program_file *file, struct rvtrace_failure *error)
{
	size_t size;
	int ret;

	if (file->code)
		return 0;
	errno = 0;
	ret = rvtrace_code_from_file(file->path, &file->code);
	if (ret)
		return image_fail(error, ret, errno, file->path);
	rvtrace_code_bytes(file->code, &size);
	file->size = size;
	return 0;
}

bool program_load_fd(struct rvtrace_program_file *file, int fd)
{
	int ret = file->code ? 0 : rvtrace_code_from_fd(fd, file->path, &file->code);
	size_t size;

	if (ret)
		return ret == RVTRACE_ERR_NO_MEMORY;
	rvtrace_code_bytes(file->code, &size);
	file->size = size;
	return false;
}

int program_map_everywhere(struct rvtrace_program *program, struct rvtrace_program_file *file,
			   unsigned int privs, struct rvtrace_failure *error)
{
	struct rvtrace_mapping mapping = {
		.code = file->code, .size = program_bytes_from(file->address),
		.address = file->address, .space = RVTRACE_SPACE_ANY, .privs = privs,
	};
	int ret = rvtrace_image_map(program->image, &mapping);

	return ret ? image_fail(error, ret, 0, file->path) : 0;
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = rvtrace_file_open(path);
	bool ret;

	if (fd < 0)
		return false;
	ret = read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, "\177ELF", 4);
	close(fd);
	return ret;
}

int rvtrace_program_add_image(struct rvtrace_program *program, const char *path, uint64_t address,
			      bool has_address, unsigned int privs,
			      struct rvtrace_failure *error)
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
		return fail(error, -EINVAL, path,
			    "not an ELF file: its address is missing (FILE@ADDRESS)");
	file = program_add_file(program, "firmware", path, path, NULL);
	if (!file)
		return fail(error, -ENOMEM, path, "out of memory");
	file->address = address;
	ret = program_load_code(file, error);
	return ret ? ret : program_map_everywhere(program, file, privs, error);
}

int program_map_piece(struct rvtrace_program *program, const struct rvtrace_mapping *mapping)
{
	return rvtrace_image_map(program->image, mapping) == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : 0;
}

/* What holds around an address is the same from @start to @last. */
struct around {
	uint64_t address;
	uint64_t start;
	uint64_t last;
};

/* Whether @first to @final has the address; what is newer than others is asked for first. */
static bool covers(struct around *around, uint64_t first, uint64_t final)
{
	if (first > around->address) {
		if (first <= around->last)
			around->last = first - 1;
		return false;
	}
	if (final < around->address) {
		if (final >= around->start)
			around->start = final + 1;
		return false;
	}
	if (first > around->start)
		around->start = first;
	if (final < around->last)
		around->last = final;
	return true;
}

/* Where there is no image, what is covered is not seen, either. */
static int clear(struct rvtrace_program *program, uint64_t id, const struct around *around)
{
	uint64_t size = around->last - around->start + 1;

	return rvtrace_image_unmap(program->image, id, around->start, size ? size : UINT64_MAX) ?
	       -ENOMEM : 0;
}

int program_map_part(struct rvtrace_program *program, const struct rvtrace_mapping *mapping,
		     uint64_t start, uint64_t last)
{
	struct rvtrace_mapping part = *mapping;
	uint64_t end = mapping->size - 1 > UINT64_MAX - mapping->address ? UINT64_MAX :
		       mapping->address + mapping->size - 1;

	/* it is mapped as it is, or not at all */
	if (!mapping->size || (mapping->address | mapping->offset) & 1 ||
	    end < start || mapping->address > last)
		return 0;
	if (start > part.address)
		part.address = start + (start & 1);
	part.offset += part.address - mapping->address;
	if (end > last)
		end = last;
	if (part.address > end)
		return 0;
	part.size = end - part.address + 1;
	return program_map_piece(program, &part);
}

int rvtrace_program_map_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			   uint64_t ns, uint64_t id, uint64_t address)
{
	struct rvtrace_mapping mapping = { .space = id, .privs = RVTRACE_PRIV_U };
	struct around around = { .address = address, .last = UINT64_MAX };
	const struct rvtrace_program_file *file;
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	bool failed = false;

	rvtrace_space_walk_at(&walk, space, ns);
	while ((map = rvtrace_space_walk_next(&walk)))
		if (map->end > map->start && covers(&around, map->start, map->end - 1))
			break;
	if (clear(program, id, &around))
		return -ENOMEM;
	if (!map)
		return 0;
	file = program_find_file(program, map, &failed);
	if (!file)
		return failed ? -ENOMEM :
		       program_map_saved(program, map, id, around.start, around.last);
	mapping.code = file->code;
	mapping.address = map->start;
	mapping.size = map->end - map->start;
	if (map->kind != RVTRACE_MAP_VDSO)
		mapping.offset = map->offset;
	return program_map_part(program, &mapping, around.start, around.last);
}

/* Is it there at times only? */
static bool is_dated(const struct rvtrace_program_file *file)
{
	return (file->from || file->until != UINT64_MAX) && !file->saved;
}

/* Never was anything else in its place, as far as files are known when this is first asked. */
static bool is_alone(const struct rvtrace_program *program, struct rvtrace_program_file *file)
{
	if (file->replaced || file->alone_known)
		return file->alone;
	file->alone_known = true;
	for (size_t i = 0; i < program->file_count; i++) {
		const struct rvtrace_program_file *other = program->files[i];

		if (other != file && (other->address - file->address < file->size ||
				      file->address - other->address < other->size))
			return false;
	}
	file->alone = true;
	return true;
}

static bool is_there(const struct rvtrace_program *program, struct rvtrace_program_file *file,
		     uint64_t ns)
{
	if (ns == RVTRACE_TIME_NEWEST)
		return file->until == UINT64_MAX || is_alone(program, file);
	return file->from <= ns && ns < file->until;
}

/* The mapping of @file for the kernel in @id; false: it is not there, or cannot be mapped. */
static bool get_kernel(const struct rvtrace_program *program, struct rvtrace_program_file *file,
		       uint64_t ns, struct rvtrace_mapping *mapping)
{
	size_t size;

	if (!is_dated(file) || !file->code || file->address & 1 || !is_there(program, file, ns))
		return false;
	rvtrace_code_bytes(file->code, &size);
	mapping->code = file->code;
	mapping->address = file->address;
	mapping->size = size < program_bytes_from(file->address) ? size :
			program_bytes_from(file->address);
	return true;
}

int rvtrace_program_map_kernel_at(struct rvtrace_program *program, uint64_t ns, uint64_t id,
				  uint64_t address)
{
	struct rvtrace_mapping mapping = { .space = id, .privs = RVTRACE_PRIV_S };
	struct around around = { .address = address, .last = UINT64_MAX };
	bool found = false;
	size_t i;

	for (i = program->file_count; i-- > 0 && !found; )
		found = get_kernel(program, program->files[i], ns, &mapping) &&
			covers(&around, mapping.address, mapping.address + (mapping.size - 1));
	if (clear(program, id, &around))
		return -ENOMEM;
	return found ? program_map_part(program, &mapping, around.start, around.last) : 0;
}

const struct rvtrace_program_file *
rvtrace_program_file_of(const struct rvtrace_program *program, const uint8_t *bytes)
{
	const uint8_t *start;
	size_t i, size;

	for (i = 0; i < program->file_count; i++) {
		if (!program->files[i]->code)
			continue;
		start = rvtrace_code_bytes(program->files[i]->code, &size);
		if ((uintptr_t)bytes - (uintptr_t)start < size)
			return program->files[i];
	}
	return NULL;
}

const struct rvtrace_program_range *
rvtrace_program_changed(const struct rvtrace_program *program, uint64_t address, uint64_t size)
{
	size_t low = 0, high = program->changed_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (program->changed[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < program->changed_count &&
	       (program->changed[low].start <= address ||
		program->changed[low].start - address < size) ? &program->changed[low] : NULL;
}
