// SPDX-License-Identifier: GPL-2.0
/* See path.h. Attribute route exists only where there is a choice; the device tree has the rest. */
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "tools/tracectl/tracectl.h"
#include "path.h"

/* Property @name of the endpoints of @component's @ports. The caller frees what @found has. */
static bool find_cells(const struct rvtrace_device *component, const char *ports,
		       const char *name, glob_t *found)
{
	char pattern[sizeof(component->path) + 96];

	/* The component is below the device of its node. */
	snprintf(pattern, sizeof(pattern), "%s/../of_node/%s/port*/endpoint*/%s", component->path,
		 ports, name);
	return !glob(pattern, 0, NULL, found);
}

static bool read_cell(const char *path, uint32_t *cell)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, cell, sizeof(*cell));

	if (fd >= 0)
		close(fd);
	return got == sizeof(*cell);
}

/* Whether one of @component's in-ports is the endpoint @phandle */
static bool has_input(const struct rvtrace_device *component, uint32_t phandle)
{
	bool same = false;
	uint32_t cell;
	glob_t found;

	if (!find_cells(component, "in-ports", "phandle", &found))
		return false;
	for (size_t i = 0; !same && i < found.gl_pathc; i++)
		same = read_cell(found.gl_pathv[i], &cell) && cell == phandle;
	globfree(&found);
	return same;
}

const struct rvtrace_device *path_next(const struct rvtrace_devices *devices,
				       const struct rvtrace_device *component)
{
	char route[RVTRACE_ATTRIBUTE_MAX];
	uint32_t remote;
	glob_t found;
	bool known;

	if (*attribute(component, "route", route))
		return rvtrace_device_find(devices, route);
	if (!find_cells(component, "out-ports", "remote-endpoint", &found))
		return NULL;
	known = read_cell(found.gl_pathv[0], &remote);
	globfree(&found);
	for (size_t i = 0; known && i < devices->count; i++)
		if (devices->items[i].kind != RVTRACE_DEVICE_SINK &&
		    has_input(&devices->items[i], remote))
			return &devices->items[i];
	return NULL;
}
