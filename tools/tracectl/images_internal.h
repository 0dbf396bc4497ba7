/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_IMAGES_INTERNAL_H
#define RVTRACE_TRACECTL_IMAGES_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/kcore.h>

#include "images.h"

struct json_object;

/* Text as it was saved, to be compared at the end. */
struct saved_text {
	struct rvtrace_text range;
	uint8_t *bytes;
	size_t size;
	char file[128];			/* it was saved in, below images/ */
};

struct images {
	char *directory;
	int fd;				/* of @directory */
	struct saved_text *texts;
	size_t text_count;
	unsigned int firmware;
};

/* Each returns 0, or a negative errno after a message. */

/* Writes images/FILE and its line of the index; @build_id may be NULL. */
int images_add(struct images *images, const char *file, const char *kind, const char *name,
	       const char *build_id, uint64_t address, const void *bytes, size_t size);
/* Appends a line to a file of the recording; puts @object. */
int images_line(struct images *images, const char *file, struct json_object *object);

#define BUILD_ID_TEXT	41

/* Build id in a file of ELF notes, or of an ELF file; "" when there is none. */
void build_id_of_notes(const char *path, char text[BUILD_ID_TEXT]);
void build_id_of_file(const char *path, char text[BUILD_ID_TEXT]);

#endif /* RVTRACE_TRACECTL_IMAGES_INTERNAL_H */
