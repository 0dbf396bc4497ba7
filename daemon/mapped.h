/* SPDX-License-Identifier: GPL-2.0 */
/* Files that processes map for execution: those deleted meanwhile can still be read. */
#ifndef RVTRACED_MAPPED_H
#define RVTRACED_MAPPED_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped;

/**
 * struct mapped_file - one that is kept
 * @fd: opened with O_PATH
 * @pid: process that mapped it
 * @device: of it
 * @inode: of it; while it is kept, that number is not another one's
 * @path: where it was then
 */
struct mapped_file {
	int fd;
	pid_t pid;
	dev_t device;
	ino_t inode;
	char *path;
};

/**
 * mapped_new - no file yet
 * @by_path: hold files whose mapping is gone already by their path. It is a path of the process
 *	that mapped them, and may be another file's here: not for who may not read them all.
 *
 * Return: the files, mapped_free() them; NULL without memory.
 */
struct mapped *mapped_new(bool by_path);

/**
 * mapped_hold - keep a file from vanishing
 * @mapped: the files
 * @pid: process that maps it
 * @start: first address of the mapping
 * @end: address after the last
 * @path: where it was then
 *
 * Return: whether it is kept; not if it is gone already.
 */
bool mapped_hold(struct mapped *mapped, pid_t pid, uint64_t start, uint64_t end,
		 const char *path);

/**
 * mapped_next - the files, one after the other
 * @mapped: the files
 * @at: 0 for the first; moved behind the one that is returned
 *
 * Return: the file, which stays that of @mapped, or NULL.
 */
const struct mapped_file *mapped_next(const struct mapped *mapped, size_t *at);

void mapped_free(struct mapped *mapped);

#endif /* RVTRACED_MAPPED_H */
