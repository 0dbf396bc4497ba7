/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RVTRACE_SPACES_INTERNAL_H
#define RVTRACE_SPACES_INTERNAL_H

#include <rvtrace/spaces.h>

/* @spaces frees both with itself. */
void spaces_own_sideband(struct rvtrace_spaces *spaces, const struct rvtrace_sideband *sideband,
			 void *bytes);

/* Return: bytes of the build id, 0 if @hex is NULL or not one. */
size_t spaces_parse_build_id(const char *hex, uint8_t id[RVTRACE_BUILD_ID_MAX]);

#endif /* RVTRACE_SPACES_INTERNAL_H */
