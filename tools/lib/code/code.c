// SPDX-License-Identifier: LGPL-2.1-or-later
/* Code, the bytes that images map: see rvtrace/image.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/image.h>

#include "tools/lib/base/file.h"

struct rvtrace_code {
	uint8_t *bytes;
	size_t size;
	char *name;
	int refs;		/* atomic */
	bool mapped;		/* @bytes is a mapping of a file */
};

static struct rvtrace_code *code_new(const char *name)
{
	struct rvtrace_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->refs = 1;
	code->name = strdup(name ? name : "");
	if (!code->name) {
		free(code);
		return NULL;
	}
	return code;
}

int rvtrace_code_from_memory(const void *data, size_t size, const char *name,
			     struct rvtrace_code **result)
{
	struct rvtrace_code *code;

	if (size < 2)
		return RVTRACE_ERR_INVALID;
	code = code_new(name);
	if (!code)
		return RVTRACE_ERR_NO_MEMORY;
	code->bytes = malloc(size);
	if (!code->bytes) {
		rvtrace_code_unref(code);
		return RVTRACE_ERR_NO_MEMORY;
	}
	memcpy(code->bytes, data, size);
	code->size = size;
	*result = code;
	return 0;
}

/* Maps an open regular file. */
static int map_file(int fd, struct rvtrace_code *code)
{
	struct stat st;
	void *bytes;

	if (fstat(fd, &st))
		return RVTRACE_ERR_IO;
	if (st.st_size < 2) {
		errno = ENODATA;
		return RVTRACE_ERR_IO;
	}
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return RVTRACE_ERR_IO;
	code->bytes = bytes;
	code->size = st.st_size;
	code->mapped = true;
	return 0;
}

int rvtrace_code_from_fd(int fd, const char *name, struct rvtrace_code **result)
{
	struct rvtrace_code *code = code_new(name);
	int err, saved;

	if (!code)
		return RVTRACE_ERR_NO_MEMORY;
	err = map_file(fd, code);
	saved = errno;
	if (err)
		rvtrace_code_unref(code);
	else
		*result = code;
	errno = saved;
	return err;
}

int rvtrace_code_from_file(const char *path, struct rvtrace_code **result)
{
	int fd = rvtrace_file_open(path), err, saved;

	if (fd < 0) {
		errno = -fd;
		return RVTRACE_ERR_IO;
	}
	err = rvtrace_code_from_fd(fd, path, result);
	saved = errno;
	close(fd);
	errno = saved;
	return err;
}

const struct rvtrace_code *rvtrace_code_ref(const struct rvtrace_code *code)
{
	__atomic_add_fetch(&((struct rvtrace_code *)code)->refs, 1, __ATOMIC_RELAXED);
	return code;
}

void rvtrace_code_unref(const struct rvtrace_code *shared)
{
	struct rvtrace_code *code = (struct rvtrace_code *)shared;

	if (!code || __atomic_sub_fetch(&code->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (code->mapped)
		munmap(code->bytes, code->size);
	else
		free(code->bytes);
	free(code->name);
	free(code);
}

const uint8_t *rvtrace_code_bytes(const struct rvtrace_code *code, size_t *size)
{
	if (size)
		*size = code->size;
	return code->bytes;
}

const char *rvtrace_code_name(const struct rvtrace_code *code)
{
	return code->name;
}
