// SPDX-License-Identifier: GPL-2.0
/* The driver's sysfs: attributes of components and sinks, topology. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysfs.h"

static int attribute_open(const char *folder, const char *device, const char *attribute, int flags)
{
	char path[512];
	int fd;

	if (!*attribute || *attribute == '.' || strchr(attribute, '/') || !*device ||
	    *device == '.' || strchr(device, '/') ||
	    snprintf(path, sizeof(path), "%s/%s/%s", folder, device, attribute) >=
		    (int)sizeof(path))
		return -EINVAL;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int sysfs_read(const char *folder, const char *device, const char *attribute, char *value,
	       size_t size)
{
	int fd = attribute_open(folder, device, attribute, O_RDONLY);
	ssize_t got;

	value[0] = 0;
	if (fd < 0)
		return fd;
	got = read(fd, value, size - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	value[got] = 0;
	value[strcspn(value, "\n")] = 0;
	return 0;
}

int sysfs_write(const char *folder, const char *device, const char *attribute, const char *value)
{
	int fd = attribute_open(folder, device, attribute, O_WRONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = write(fd, value, strlen(value));
	if (got < 0)
		got = -errno;
	close(fd);
	return got < 0 ? got : 0;
}

struct json_object *sysfs_attributes(const char *component)
{
	struct json_object *object = json_object_new_object();
	char path[512], value[SYSFS_VALUE_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/%s", SYSFS_COMPONENTS, component);
	directory = opendir(path);
	if (!directory)
		return object;
	while ((entry = readdir(directory))) {
		if (fstatat(dirfd(directory), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || !(st.st_mode & 0444) ||
		    !strcmp(entry->d_name, "uevent"))
			continue;
		if (!sysfs_read(SYSFS_COMPONENTS, component, entry->d_name, value, sizeof(value)))
			json_object_object_add(object, entry->d_name,
					       json_object_new_string(value));
	}
	closedir(directory);
	return object;
}

static int compare_names(const void *a, const void *b)
{
	struct json_object *const *first = a, *const *second = b;

	return strverscmp(json_object_get_string(*first), json_object_get_string(*second));
}

/* An encoder names its sink; one that does not is taken for every sink. */
static bool feeds(const char *encoder, const char *sink)
{
	char name[64];

	return sysfs_read(SYSFS_COMPONENTS, encoder, "sink_name", name, sizeof(name)) ||
	       !strcmp(name, sink);
}

struct json_object *sysfs_encoders(const char *sink)
{
	struct json_object *encoders = json_object_new_array();
	DIR *directory = opendir(SYSFS_COMPONENTS);
	struct dirent *entry;

	if (!directory)
		return encoders;
	while ((entry = readdir(directory)))
		if (!strncmp(entry->d_name, "encoder", 7) && feeds(entry->d_name, sink))
			json_object_array_add(encoders, json_object_new_string(entry->d_name));
	closedir(directory);
	json_object_array_sort(encoders, compare_names);
	return encoders;
}

struct json_object *sysfs_cpus(const char *encoder)
{
	struct json_object *cpus = json_object_new_array();
	char value[SYSFS_VALUE_MAX], *at = value;

	if (sysfs_read(SYSFS_COMPONENTS, encoder, "cpus", value, sizeof(value)))
		return cpus;
	while (*at) {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (end == at)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && json_object_array_length(cpus) < 4096; first++)
			json_object_array_add(cpus, json_object_new_int(first));
		at = end + (*end == ',');
	}
	return cpus;
}
