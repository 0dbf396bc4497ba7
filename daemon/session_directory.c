// SPDX-License-Identifier: GPL-2.0
/* Where a session records. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "session_directory.h"
#include "tools/lib/recording/recorder.h"

/* A new directory below the configured one, named after sink and time. */
static int make_directory(const struct config *config, const char *sink, char *path, size_t size,
			  struct rvtrace_failure *error)
{
	time_t now = time(NULL);
	char date[32];
	struct tm tm;
	int i = config_make_directory(config);

	if (i)
		return rvtrace_fail(error, -i, 0, "%s: %s", config->directory, strerror(-i));
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	for (i = 0; i < 100; i++) {
		int length = i ? snprintf(path, size, "%s/%s-%s.%d", config->directory, sink, date,
					  i) :
				 snprintf(path, size, "%s/%s-%s", config->directory, sink, date);

		if (length >= (int)size)
			return rvtrace_fail(error, ENAMETOOLONG, 0, "%s: too long",
					    config->directory);
		if (!mkdir(path, 0750))
			return rvtrace_recording_directory(path, error);
		if (errno != EEXIST)
			break;
	}
	return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
}

static int give_directory(int fd, const char *path, const struct session_settings *settings,
			  struct rvtrace_failure *error)
{
	if (!fchown(fd, settings->uid, settings->gid) || settings->uid == geteuid())
		return 0;
	return rvtrace_fail(error, errno, 0, "%s: cannot give it to its owner: %s", path,
			    strerror(errno));
}

/*
 * A client passes the directory open: it may be in a file system of the client's own. A path alone
 * would let the daemon's rights be borrowed, so only root may send one.
 */
static int client_directory(const struct session_settings *settings,
			    struct rvtrace_failure *error)
{
	const char *path = settings->directory_name;

	if (settings->directory < 0) {
		if (settings->uid)
			return rvtrace_fail(error, EPERM, 0,
					    "pass the directory along as a file descriptor");
		if (*path != '/')
			return rvtrace_fail(error, EINVAL, 0, "%s: not an absolute path", path);
		return rvtrace_recording_directory(path, error);
	}
	return settings->directory;
}

/* Not a recording that ends with its first byte. */
static int check_free(const struct config *config, int fd, const char *path,
		      struct rvtrace_failure *error)
{
	uint64_t available;
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (!config->min_free || available > config->min_free)
		return 0;
	return rvtrace_fail_room(error, path, available, config->min_free);
}

int session_directory_check(const struct config *config, const struct session_settings *settings,
			    struct rvtrace_failure *error)
{
	const char *path = settings->directory_name;
	struct stat st;

	if (fstat(settings->directory, &st))
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return rvtrace_fail(error, ENOTDIR, 0, "%s: not a directory", path);
	if (settings->uid && st.st_uid != settings->uid)
		return rvtrace_fail(error, EPERM, 0, "%s: belongs to user %u, not to user %u",
				    path, st.st_uid, settings->uid);
	return check_free(config, settings->directory, path, error);
}

int session_directory_open(const struct daemon *daemon, struct session_settings *settings,
			   struct session_directory *directory,
			   struct rvtrace_failure *error)
{
	const struct config *config = &daemon->config;
	bool is_new = !settings->directory_name;
	int ret = 0;

	directory->path[0] = 0;
	directory->fd = is_new ? make_directory(config, settings->sink, directory->path,
						sizeof(directory->path), error) :
				 client_directory(settings, error);
	if (directory->fd < 0)
		return directory->fd;
	settings->directory = directory->fd;
	if (is_new) {
		settings->directory_name = directory->path;
		ret = give_directory(directory->fd, directory->path, settings, error);
	}
	/* Its owner could not remove it again. */
	if (!ret && is_new)
		ret = check_free(config, directory->fd, directory->path, error);
	if (ret)
		session_directory_close(directory, false);
	return ret;
}

void session_directory_close(struct session_directory *directory, bool used)
{
	close(directory->fd);
	if (!used && directory->path[0])
		rmdir(directory->path);
}
