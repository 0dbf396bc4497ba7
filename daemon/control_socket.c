// SPDX-License-Identifier: GPL-2.0
/* Where the control socket is: see control_socket.h. */
#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rvtrace/control.h>

#include "config.h"
#include "control_socket.h"
#include "log.h"

static int try_connect(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = connect(fd, (const struct sockaddr *)address, sizeof(*address)) ? -errno : 0;
	close(fd);
	return ret;
}

/* Removes a socket that a daemon left behind when it died. Anything else at its path stays. */
static int remove_stale(const struct sockaddr_un *address, char *error, size_t size)
{
	const char *path = address->sun_path;
	struct stat st;
	int ret;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(error, size, "%s: not a socket, it stays: choose another --socket", path);
		return -1;
	}
	ret = try_connect(address);
	if (ret == -ECONNREFUSED && !unlink(path))
		return 0;
	if (ret == -ECONNREFUSED)
		snprintf(error, size, "%s: cannot remove this socket of a process that died: %s",
			 path, strerror(errno));
	else if (!ret || ret == -EAGAIN)
		snprintf(error, size, "%s: in use: is another rvtraced running?", path);
	else
		snprintf(error, size, "%s: %s", path, strerror(-ret));
	return -1;
}

static void set_group(const char *path, const char *name)
{
	const struct group *group = getgrnam(name);

	if (!group)
		log_message(LOG_WARNING, "no group '%s': only root may use %s", name, path);
	else if (chown(path, -1, group->gr_gid))
		log_message(LOG_WARNING, "%s: group %s: %s", path, name, strerror(errno));
}

static bool is_default_folder(const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(folder, RVTRACE_CONTROL_SOCKET, length) &&
	       !strchr(RVTRACE_CONTROL_SOCKET + length, '/');
}

/*
 * The default socket's folder is made, as /run is empty after a boot. Any other that is missing
 * is more likely misspelt, and a new one would hide that.
 */
static int prepare_folder(const char *path, char *error, size_t size)
{
	char folder[CONFIG_PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	strrchr(folder, '/')[1] = 0;
	if (!access(folder, F_OK))
		return 0;
	if (errno != ENOENT || !is_default_folder(folder)) {
		snprintf(error, size, "%s: cannot use the folder %s: %s", path, folder,
			 strerror(errno));
		return -1;
	}
	/* Whatever the umask, the group must get to the socket. */
	if (!mkdir(folder, 0755) && !chmod(folder, 0755))
		return 0;
	snprintf(error, size, "%s: cannot make the folder %s: %s%s", path, folder, strerror(errno),
		 errno == EACCES ? ": run rvtraced as root, or choose another --socket" : "");
	return -1;
}

static int bind_to(int fd, const struct sockaddr_un *address, const char *group)
{
	mode_t mask = umask(0117);
	int ret = bind(fd, (const struct sockaddr *)address, sizeof(*address));

	umask(mask);
	if (ret)
		return ret;
	set_group(address->sun_path, group);
	return listen(fd, SOMAXCONN);
}

int control_socket_listen(const char *path, const char *group, char *error, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		snprintf(error, size, "the path of a socket has at most %zu bytes: %s",
			 sizeof(address.sun_path) - 1, path);
		return -1;
	}
	strcpy(address.sun_path, path);
	if (path[strlen(path) - 1] == '/') {
		snprintf(error, size, "%s: the path of a folder, not of a socket", path);
		return -1;
	}
	if (prepare_folder(path, error, size) || remove_stale(&address, error, size))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !bind_to(fd, &address, group))
		return fd;
	snprintf(error, size, "%s: cannot listen: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void control_socket_remove(const char *path, const struct stat *file)
{
	struct stat now;

	if (!lstat(path, &now) && now.st_dev == file->st_dev && now.st_ino == file->st_ino)
		unlink(path);
}
