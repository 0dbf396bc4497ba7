/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files by their descriptors. */
#ifndef FILE_IO_H
#define FILE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* read() until @size bytes or the end; bytes read or a negative errno. */
ssize_t file_pread(int fd, void *data, size_t size, uint64_t offset);

/* Size of an open regular file, or a negative errno. */
int64_t file_size(int fd);

/*
 * Opens @name below @directory with openat()'s @flags and @mode, but nothing
 * outside of it. A file descriptor or a negative errno.
 */
int file_open_below(int directory, const char *name, int flags, mode_t mode);

#endif /* FILE_IO_H */
