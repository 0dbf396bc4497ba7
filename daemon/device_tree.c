// SPDX-License-Identifier: GPL-2.0
/* See device_tree.h. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "device_tree.h"
#include "sysfs.h"

static ssize_t read_property(const char *encoder, const char *node, const char *parameter,
			     void *data, size_t size)
{
	char name[64], path[512];
	ssize_t got;
	size_t i;
	int fd;

	snprintf(name, sizeof(name), "%s", parameter);
	for (i = 0; name[i]; i++)
		if (name[i] == '_')
			name[i] = '-';
	/* The component is below the device of its node. */
	snprintf(path, sizeof(path), "%s/%s/../of_node/%s/%s", SYSFS_COMPONENTS, encoder, node,
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, data, size);
	close(fd);
	return got;
}

int64_t device_tree_cell(const char *encoder, const char *node, const char *parameter)
{
	uint32_t cell;

	if (read_property(encoder, node, parameter, &cell, sizeof(cell)) != sizeof(cell))
		return -1;
	return ntohl(cell);
}

int device_tree_text(const char *encoder, const char *node, const char *parameter,
		     char text[DEVICE_TREE_TEXT_MAX])
{
	ssize_t got = read_property(encoder, node, parameter, text, DEVICE_TREE_TEXT_MAX);

	/* It ends with a NUL. */
	if (got > 0 && !text[got - 1])
		return 0;
	*text = 0;
	return -1;
}
