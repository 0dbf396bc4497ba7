/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inputs that are recordings: the text "\n@@ FILE\n", then what is in the file, and so on. Their
 * checksums are made here, so that what is below them is read:
 *
 *   *.json, *.jsonl          without seals
 *   *.records, sideband      records without frames
 *   *.idx                    whole entries, whatever their checksum
 *   anything else            as it is
 *
 * selftests/fuzz/pack.py makes such an input of a recording.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* A folder of this process, which is removed with it */
const char *folder_path(void);

/* Nothing is in it any more but a folder images. */
void folder_empty(void);

/* A file in it. @name: of a file, or of one in images */
void folder_put(const char *name, const void *bytes, size_t size);

/* Puts the files of a recording there, and nothing else. */
void folder_unpack(const uint8_t *bytes, size_t size);

#endif /* FOLDER_H */
