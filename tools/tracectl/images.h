/* SPDX-License-Identifier: GPL-2.0 */
/* images/ of a recording: what could execute, saved while it is there. */
#ifndef RVTRACE_TRACECTL_IMAGES_H
#define RVTRACE_TRACECTL_IMAGES_H

#include <stdbool.h>
#include <sys/types.h>

struct images;

enum copy_images {
	COPY_COMMAND,	/* files of the traced command and of the recorder */
	COPY_ALL,	/* files of every process that ran */
	COPY_NONE,
};

/**
 * images_new() - start images/ in a recording
 * @directory: path of the recording
 *
 * Return: the images, images_free() them; NULL after a message.
 */
struct images *images_new(const char *directory);
void images_free(struct images *images);

/* Each returns 0, or a negative errno after a message. */

/* Kernel, module and generated text, and the vDSO. */
int images_save_kernel(struct images *images);
/* FILE@ADDRESS, as firmware. */
int images_save_firmware(struct images *images, const char *file, const char *address);
/* maps.jsonl: what every process maps now; @command is the traced one, or 0. */
int images_save_maps(struct images *images, pid_t command);
/* What has changed in the kernel's text since; the number of changes, if >= 0. */
int images_check_kernel(struct images *images);
/* Files that processes mapped, from maps.jsonl and the side band. */
int images_copy_files(struct images *images, enum copy_images which);
/* All is there: lets the metadata know. */
int images_finish(struct images *images);

#endif /* RVTRACE_TRACECTL_IMAGES_H */
