// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "elf.h"

unsigned int elf_width(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	unsigned char ident[EI_NIDENT];
	unsigned int width = 0;

	if (fd < 0)
		return 0;
	if (read(fd, ident, sizeof(ident)) == sizeof(ident) && !memcmp(ident, ELFMAG, SELFMAG))
		width = ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
	close(fd);
	return width;
}
