// SPDX-License-Identifier: LGPL-2.1-or-later
/* Failures in words: see rvtrace/error.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <rvtrace/error.h>

#define MIB	1048576.0

int rvtrace_fail(struct rvtrace_failure *error, int code, uint64_t offset,
		 const char *format, ...)
{
	va_list args;

	if (error) {
		error->code = code;
		error->offset = offset;
		va_start(args, format);
		vsnprintf(error->text, sizeof(error->text), format, args);
		va_end(args);
	}
	return -code;
}

int rvtrace_fail_room(struct rvtrace_failure *error, const char *name, uint64_t available,
		      uint64_t min_free)
{
	return rvtrace_fail(error, ENOSPC, 0, "%s: the disk is full: %.1f MiB free, min_free is %.1f MiB",
			    name, available / MIB, min_free / MIB);
}
