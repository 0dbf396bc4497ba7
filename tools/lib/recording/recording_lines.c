// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories: files of sealed lines, read and appended to. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_internal.h"
#include "seal.h"

#define LINE_MAX_BYTES	(16 * 1024 * 1024)
#define READ_SIZE	65536

struct lines {
	struct rvtrace_recording *recording;
	const char *file;
	int fd;
	char *buffer;
	size_t room;
	size_t start, end;	/* of what was read and not taken */
	uint64_t offset;	/* of buffer[start] in the file */
	uint64_t claimed;	/* where the next line says it begins, if none is missing */
	bool after_damage;
};

/* Reads more; 1, 0 at the end of the file, or a negative errno. */
static int fill(struct lines *l)
{
	ssize_t got;

	if (l->end > l->start)
		memmove(l->buffer, l->buffer + l->start, l->end - l->start);
	l->end -= l->start;
	l->start = 0;
	if (l->end == l->room) {
		size_t room = l->room ? 2 * l->room : READ_SIZE;
		char *more = realloc(l->buffer, room);

		if (!more)
			return -ENOMEM;
		l->buffer = more;
		l->room = room;
	}
	got = file_pread(l->fd, l->buffer + l->end, l->room - l->end, l->offset + l->end);
	if (got > 0)
		l->end += got;
	return got < 0 ? (int)got : got > 0;
}

/* A line with its newline, if it has one; too long a one in parts. Length, 0 or an error. */
static ssize_t next_line(struct lines *l, const char **line)
{
	size_t searched = 0, length;
	const char *newline;
	int ret = 1;

	for (;;) {
		length = l->end - l->start;
		newline = length > searched ?
			  memchr(l->buffer + l->start + searched, '\n', length - searched) : NULL;
		searched = length;
		if (newline)
			length = newline + 1 - (l->buffer + l->start);
		if (newline || length >= LINE_MAX_BYTES || !ret)
			break;
		ret = fill(l);
		if (ret < 0)
			return ret;
	}
	*line = l->buffer + l->start;
	l->start += length;
	l->offset += length;
	return length;
}

/* Whether the line lies where it was written, or only others are missing. */
static bool in_place(struct lines *l, struct json_object *object, uint64_t offset, size_t length)
{
	uint64_t at = json_uint(object, "at");

	if (at < l->claimed) {
		recording_damage(l->recording, l->file, offset, length, "in the wrong place");
		return false;
	}
	if (at > l->claimed && !l->after_damage)
		recording_damage(l->recording, l->file, offset, 0, "%llu bytes are missing",
				 (unsigned long long)(at - l->claimed));
	l->claimed = at + length;
	l->after_damage = false;
	return true;
}

static struct json_object *take_line(struct lines *l, const char *line, size_t length)
{
	bool ended = line[length - 1] == '\n';
	uint64_t offset = l->offset - length;
	struct json_object *object = NULL;

	if (seal_holds(line, length - ended))
		object = seal_parse(line, length);
	if (!object) {
		recording_damage(l->recording, l->file, offset, length, "damaged");
		l->after_damage = true;
		return NULL;
	}
	if (!ended)
		recording_damage(l->recording, l->file, offset + length, 0,
				 "the newline is missing");
	if (!in_place(l, object, offset, length)) {
		json_object_put(object);
		return NULL;
	}
	return object;
}

int recording_lines_end(struct rvtrace_recording *recording, const char *name, uint64_t *end,
			bool *newline)
{
	struct lines l = { .recording = recording, .file = name };
	struct json_object *object;
	const char *text;
	ssize_t length;

	*end = 0;
	*newline = true;
	l.fd = rvtrace_recording_open_file(recording, name);
	if (l.fd < 0)
		return l.fd == -ENOENT ? 0 : l.fd;
	while ((length = next_line(&l, &text)) > 0) {
		object = take_line(&l, text, length);
		if (object) {
			*end = l.offset;
			*newline = text[length - 1] == '\n';
		}
		json_object_put(object);
	}
	close(l.fd);
	free(l.buffer);
	return length;
}

int rvtrace_recording_lines(struct rvtrace_recording *recording, const char *name,
			    int (*line)(void *data, struct json_object *object, uint64_t offset),
			    void *data, struct rvtrace_failure *error)
{
	struct lines l = { .recording = recording, .file = name };
	struct json_object *object;
	const char *text;
	ssize_t length = 0;
	int ret = 0;

	l.fd = rvtrace_recording_open_file(recording, name);
	if (l.fd == -ENOENT)
		return 0;
	if (l.fd < 0)
		return recording_unreadable(recording, name, 0, l.fd, error);
	while (!ret && (length = next_line(&l, &text)) > 0) {
		object = take_line(&l, text, length);
		if (object)
			ret = line(data, object, l.offset - length);
		json_object_put(object);
	}
	close(l.fd);
	free(l.buffer);
	return length < 0 ? recording_unreadable(recording, name, l.offset, length, error) : ret;
}

/* The folder that @name lies in, if there is a slash in it. */
static int make_folder(int directory, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *folder;
	int ret;

	if (!slash)
		return 0;
	folder = strndup(name, slash - name);
	if (!folder)
		return -ENOMEM;
	ret = mkdirat(directory, folder, 0750) ? -errno : 0;
	free(folder);
	return ret == -EEXIST ? 0 : ret;
}

int recording_create(int directory, const char *name, int flags)
{
	int ret = make_folder(directory, name);

	return ret ? ret : file_open_below(directory, name, flags | O_CREAT | O_EXCL, 0640);
}

static int write_all(int fd, const char *text, size_t length)
{
	ssize_t put;

	while (length) {
		put = write(fd, text, length);
		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			text += put;
			length -= put;
		}
	}
	return 0;
}

/* Whoever died while he appended left a line without its end. */
static int end_line(int fd, int64_t size)
{
	char last = '\n';
	ssize_t got = size ? file_pread(fd, &last, 1, size - 1) : 1;

	if (got < 0)
		return got;
	return last == '\n' ? 0 : write_all(fd, "\n", 1);
}

static int append_locked(int fd, struct json_object *object)
{
	int64_t size = file_size(fd);
	size_t length;
	char *text;
	int ret;

	ret = size < 0 ? (int)size : end_line(fd, size);
	if (ret)
		return ret;
	size = file_size(fd);
	text = seal_object(object, false, size, &length);
	if (!text)
		return -ENOMEM;
	ret = length > LINE_MAX_BYTES ? -EFBIG : write_all(fd, text, length);
	free(text);
	/* Should that fail too: readers tell a line that was cut. */
	if (ret && ftruncate(fd, size))
		return ret;
	return ret;
}

int recording_append_line(int directory, const char *name, struct json_object *object)
{
	const int flags = O_RDWR | O_APPEND;
	int fd = file_open_below(directory, name, flags, 0), ret;

	if (fd == -ENOENT)
		fd = recording_create(directory, name, flags);
	if (fd == -EEXIST)	/* another one was faster */
		fd = file_open_below(directory, name, flags, 0);
	if (fd < 0)
		return fd;
	ret = flock(fd, LOCK_EX) ? -errno : append_locked(fd, object);
	close(fd);
	return ret;
}

int rvtrace_recording_append_line(int directory, const char *name, struct json_object *object,
				  struct rvtrace_failure *error)
{
	int ret = recording_append_line(directory, name, object);

	return ret ? rvtrace_fail(error, -ret, 0, "%s: %s", name, strerror(-ret)) : 0;
}
