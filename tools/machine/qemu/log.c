// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log of the register accesses of all trace components.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/rvtrace/rvtrace.h"

/* Written with the big lock held, as register accesses come with it. */
static FILE *log_file;

void rvtrace_log_open(const char *path, Error **errp)
{
	log_file = fopen(path, "w");
	if (!log_file) {
		error_setg_file_open(errp, errno, path);
		return;
	}
	setvbuf(log_file, NULL, _IOLBF, 0);
}

void rvtrace_log(const char *component, char direction, hwaddr offset,
		 uint32_t value)
{
	if (log_file) {
		fprintf(log_file, "%" PRIu64 " %s %c 0x%03x 0x%08x\n",
			rvtrace_ticks(), component, direction,
			(unsigned int)offset, value);
	}
}
