/* SPDX-License-Identifier: GPL-2.0 */
/*
 * images/ of a recording, as far as the user's own rights go: copies of program
 * files, firmware. rvtraced saves what its rights are needed for.
 */
#ifndef RVTRACE_TRACECTL_IMAGES_H
#define RVTRACE_TRACECTL_IMAGES_H

#include <stdint.h>

struct images;

enum copy_images {
	COPY_COMMAND,	/* files of the traced command and of the recorder */
	COPY_ALL,	/* files of every process that ran */
	COPY_NONE,
};

/**
 * images_new() - add images to a recording
 * @directory: path of the recording
 *
 * Return: the images, images_free() them; NULL after a message.
 */
struct images *images_new(const char *directory);
void images_free(struct images *images);

/* What fails from now on was told already: a full disk is told of once. */
void images_hush(struct images *images);

/* Each returns 0, or a negative errno after a message. */

/* A file at an address, as firmware whose mtvec is known or 0. */
int images_save_firmware(struct images *images, const char *file, uint64_t address,
			 uint64_t mtvec);
/* Files that processes mapped, of a recording that is complete. */
int images_copy_files(struct images *images, enum copy_images which);
/* Everything is there. */
int images_finish(struct images *images);

#endif /* RVTRACE_TRACECTL_IMAGES_H */
