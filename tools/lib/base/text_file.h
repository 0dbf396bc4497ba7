/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that people or programs wrote, of a length that is no mistake. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <rvtrace/error.h>

struct json_object;

struct json_object *text_json(const char *text, const char *name,
			      struct rvtrace_failure *error);
char *text_file_read(const char *path, struct rvtrace_failure *error);
struct json_object *text_file_json(const char *path, struct rvtrace_failure *error);

#endif /* TEXT_FILE_H */
