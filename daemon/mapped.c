// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mapped.h"

#define FILES_MAX	512	/* of the descriptors that a process may have */

struct mapped {
	bool by_path;
	struct mapped_file files[FILES_MAX];
	size_t count;
};

struct mapped *mapped_new(bool by_path)
{
	struct mapped *mapped = calloc(1, sizeof(*mapped));

	if (mapped)
		mapped->by_path = by_path;
	return mapped;
}

static int is_held(const struct mapped *mapped, const struct stat *st)
{
	size_t i;

	for (i = 0; i < mapped->count; i++)
		if (mapped->files[i].inode == st->st_ino && mapped->files[i].device == st->st_dev)
			return 1;
	return 0;
}

/* The very file if it is still mapped, whatever @path names here by now. */
static int open_held(const struct mapped *mapped, pid_t pid, uint64_t start, uint64_t end,
		     const char *path)
{
	char link[96];
	int fd;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)start, (unsigned long long)end);
	fd = open(link, O_PATH | O_CLOEXEC);
	return fd >= 0 || !mapped->by_path ? fd : open(path, O_PATH | O_CLOEXEC);
}

bool mapped_hold(struct mapped *mapped, pid_t pid, uint64_t start, uint64_t end,
		 const char *path)
{
	struct mapped_file *held = &mapped->files[mapped->count];
	int fd = open_held(mapped, pid, start, end, path);
	struct stat st = { 0 };
	bool known;

	if (fd < 0)
		return false;
	known = !fstat(fd, &st) && is_held(mapped, &st);
	if (known || mapped->count == FILES_MAX || !S_ISREG(st.st_mode)) {
		close(fd);
		return known;
	}
	*held = (struct mapped_file) {
		.fd = fd, .pid = pid, .device = st.st_dev, .inode = st.st_ino,
		.path = strdup(path),
	};
	if (held->path)
		mapped->count++;
	else
		close(fd);
	return held->path;
}

const struct mapped_file *mapped_next(const struct mapped *mapped, size_t *at)
{
	return *at < mapped->count ? &mapped->files[(*at)++] : NULL;
}

void mapped_free(struct mapped *mapped)
{
	size_t i;

	if (!mapped)
		return;
	for (i = 0; i < mapped->count; i++) {
		close(mapped->files[i].fd);
		free(mapped->files[i].path);
	}
	free(mapped);
}
