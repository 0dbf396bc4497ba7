/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_IMAGES_INTERNAL_H
#define RVTRACE_TRACECTL_IMAGES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/tracectl/tracectl.h"
#include "images.h"

struct images {
	char *directory;
	int fd;			/* of @directory */
	int folder;		/* of images/ in it */
	unsigned int firmware;
	bool hushed;
	bool changed;		/* since metadata.json knew the sizes */
	struct progress progress;
};

/* An image and its line of the index; 0, or a negative errno after a message. */
struct image {
	const char *file;	/* its name in images/ */
	const char *kind;
	const char *name;
	const char *build_id;	/* or NULL */
	uint64_t address;
	uint64_t mtvec;		/* of firmware, 0: not known */
	const void *bytes;
	size_t size;
	const char *copy;	/* a file in images/ that has the bytes, or NULL: it becomes @file */
};

int images_add(struct images *images, const struct image *image);

/* A new file in images/, to be written and read; or a negative errno after a message. */
int images_copy(struct images *images, const char *name);

/* It is no image, unless it became one. */
void images_copied(struct images *images, const char *name);

#endif /* RVTRACE_TRACECTL_IMAGES_INTERNAL_H */
