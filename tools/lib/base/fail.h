/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors of a file or a part of one. */
#ifndef FAIL_H
#define FAIL_H

#include <rvtrace/error.h>

/* Fills @error, if any, with "@where: @what"; returns @code, a negative errno. */
static inline int fail(struct rvtrace_failure *error, int code, const char *where,
		       const char *what)
{
	return rvtrace_fail(error, -code, 0, "%.300s: %.200s", where, what);
}

#endif /* FAIL_H */
