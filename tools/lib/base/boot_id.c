// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which boot of the machine it is: see boot_id.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot_id.h"
#include "file_io.h"

void rvtrace_boot_id(char text[RVTRACE_BOOT_ID_TEXT])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(text, 0, RVTRACE_BOOT_ID_TEXT);
	if (fd < 0)
		return;
	if (file_pread(fd, text, RVTRACE_BOOT_ID_TEXT - 1, 0) != RVTRACE_BOOT_ID_TEXT - 1)
		text[0] = 0;
	close(fd);
}
