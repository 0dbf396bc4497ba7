// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files by their descriptors: see file_io.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_io.h"

ssize_t file_pread(int fd, void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)data + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

int64_t file_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? st.st_size : -EINVAL;
}

int file_open_below(int directory, const char *name, int flags, mode_t mode)
{
	char component[256];
	int fd = directory, next;

	for (;;) {
		size_t length = strcspn(name, "/");
		bool last = !name[length];

		memcpy(component, name, length < sizeof(component) ? length : 0);
		component[length < sizeof(component) ? length : 0] = 0;
		if (!component[0] || !strcmp(component, ".") || !strcmp(component, ".."))
			next = -EINVAL;
		else
			next = openat(fd, component, O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
				      (last ? flags : O_RDONLY | O_DIRECTORY), mode);
		if (next == -1)
			next = -errno;
		if (fd != directory)
			close(fd);
		if (last || next < 0)
			return next;
		fd = next;
		name += length + 1;
	}
}
