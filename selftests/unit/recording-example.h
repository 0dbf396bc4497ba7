/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that tests damage, and what they look at then. */
#ifndef RECORDING_EXAMPLE_H
#define RECORDING_EXAMPLE_H

#include "recording-fixture.h"

#define SEGMENT	RVTRACE_RECORDING_SEGMENT_MIN
#define START	4096ULL		/* position of the first byte */
#define BYTES	(2 * SEGMENT + 1000)

/* Pieces of it */
void write_data(struct rvtrace_recorder *recorder, uint64_t position, size_t length);
void write_record(struct rvtrace_recorder *recorder, uint64_t position);
void write_line(struct rvtrace_recorder *recorder, const char *file, int number);

/* All of it; without @finish its writer has died. */
void write_example(const char *path, bool finish);

/* Its files; what is read is the caller's. */
const char *file_path(const struct fixture *f, const char *name);
uint8_t *read_file(const struct fixture *f, const char *name, size_t *size);
void write_file(const struct fixture *f, const char *name, const void *bytes, size_t size);

/* A bit of the byte @at */
void flip(const struct fixture *f, const char *name, size_t at);

/* Opened, and all of it looked at */
struct rvtrace_recording *verified(struct fixture *f);

/* @text is the only damage. */
void assert_damage(struct fixture *f, const char *text);
void assert_intact(struct fixture *f);

/* Return: what was done, or would be. */
int recover(struct fixture *f, bool dry_run);

#endif /* RECORDING_EXAMPLE_H */
