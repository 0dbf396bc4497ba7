// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace components and sinks in sysfs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/device.h>

#include "tools/lib/base/fail.h"

#define PATH_SIZE	1024

static enum rvtrace_device_kind kind_of(const char *name)
{
	if (!strncmp(name, "encoder", 7))
		return RVTRACE_DEVICE_ENCODER;
	if (!strncmp(name, "funnel", 6))
		return RVTRACE_DEVICE_FUNNEL;
	return RVTRACE_DEVICE_OTHER;
}

static int add(struct rvtrace_devices *devices, const char *folder, const char *name, bool sink)
{
	struct rvtrace_device *device;

	device = realloc(devices->items, (devices->count + 1) * sizeof(*device));
	if (!device)
		return -ENOMEM;
	devices->items = device;
	device += devices->count++;
	device->kind = sink ? RVTRACE_DEVICE_SINK : kind_of(name);
	snprintf(device->name, sizeof(device->name), "%.63s", name);
	snprintf(device->path, sizeof(device->path), "%.400s/%.100s", folder, name);
	return 0;
}

static int scan_folder(struct rvtrace_devices *devices, const char *folder, bool sinks)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ret = add(devices, folder, entry->d_name, sinks);
	closedir(dir);
	return ret;
}

static unsigned long number_of(const char *name)
{
	size_t end = strlen(name);

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	return strtoul(name + end, NULL, 10);
}

static int by_kind(const void *a, const void *b)
{
	const struct rvtrace_device *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (number_of(x->name) != number_of(y->name))
		return number_of(x->name) < number_of(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

int rvtrace_devices_scan(const char *root, struct rvtrace_devices *devices,
			 struct rvtrace_failure *error)
{
	char folder[400];
	int ret;

	memset(devices, 0, sizeof(*devices));
	snprintf(folder, sizeof(folder), "%s/sys/bus/rvtrace_tci/devices", root);
	ret = scan_folder(devices, folder, false);
	if (ret)
		goto fail;
	snprintf(folder, sizeof(folder), "%s/sys/class/rvtrace_sink", root);
	ret = scan_folder(devices, folder, true);
	if (ret)
		goto fail;
	if (!devices->count) {
		snprintf(folder, sizeof(folder), "%s/sys/bus/rvtrace_tci", root);
		return fail(error, -ENODEV, folder, access(folder, F_OK) ?
			    "the rvtrace driver is not loaded; as root: modprobe rvtrace" :
			    "the rvtrace driver found no trace hardware");
	}
	qsort(devices->items, devices->count, sizeof(*devices->items), by_kind);
	return 0;
fail:
	rvtrace_devices_free(devices);
	return fail(error, ret, folder, strerror(-ret));
}

void rvtrace_devices_free(struct rvtrace_devices *devices)
{
	free(devices->items);
	memset(devices, 0, sizeof(*devices));
}

const struct rvtrace_device *rvtrace_device_find(const struct rvtrace_devices *devices,
						 const char *name)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!strcmp(devices->items[i].name, name))
			return &devices->items[i];
	return NULL;
}

/* @path, PATH_SIZE bytes, becomes that of the attribute. */
static int open_attribute(const struct rvtrace_device *device, const char *attribute, int flags,
			  char *path)
{
	snprintf(path, PATH_SIZE, "%s/%s", device->path, attribute);
	return open(path, flags | O_CLOEXEC);
}

int rvtrace_device_read(const struct rvtrace_device *device, const char *attribute,
			char *value, size_t size, struct rvtrace_failure *error)
{
	char path[PATH_SIZE];
	int fd = open_attribute(device, attribute, O_RDONLY, path);
	ssize_t got = fd < 0 ? -1 : read(fd, value, size - 1);
	int saved = errno;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return fail(error, -saved, path, strerror(saved));
	if (got && value[got - 1] == '\n')
		got--;
	value[got] = 0;
	return got;
}

int rvtrace_device_write(const struct rvtrace_device *device, const char *attribute,
			 const char *value, struct rvtrace_failure *error)
{
	char path[PATH_SIZE];
	int fd = open_attribute(device, attribute, O_WRONLY, path);
	ssize_t put = fd < 0 ? -1 : write(fd, value, strlen(value));
	int saved = errno;

	if (fd < 0)
		return rvtrace_fail(error, saved, 0, "%.300s: cannot write %.100s: %s", path,
				    value, strerror(saved));
	close(fd);
	if (put < 0)
		return rvtrace_fail(error, saved, 0, "%.300s: %.100s was refused: %s", path,
				    value, strerror(saved));
	return 0;
}

static bool is_attribute(const char *folder, const char *name)
{
	char path[PATH_SIZE];
	struct stat st;

	if (!strcmp(name, "uevent"))
		return false;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int rvtrace_device_attributes(const struct rvtrace_device *device, char ***names)
{
	DIR *dir = opendir(device->path);
	struct dirent *entry;
	char **list = NULL, **more;
	int count = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (!is_attribute(device->path, entry->d_name))
			continue;
		more = realloc(list, (count + 1) * sizeof(*list));
		if (more)
			list = more;
		if (!more || !(list[count] = strdup(entry->d_name))) {
			while (count)
				free(list[--count]);
			free(list);
			closedir(dir);
			return -ENOMEM;
		}
		count++;
	}
	closedir(dir);
	if (count)
		qsort(list, count, sizeof(*list), by_name);
	*names = list;
	return count;
}
