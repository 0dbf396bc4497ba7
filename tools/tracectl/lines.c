// SPDX-License-Identifier: GPL-2.0
/* Source lines of ELF files, through libdw. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "symbols.h"

struct lines {
	int fd;
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* What was stripped is looked for by who opens the lines. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct lines *lines_open(int fd)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	/* closed with the module */
	lines->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	lines->dwfl = lines->fd < 0 ? NULL : dwfl_begin(&callbacks);
	if (lines->dwfl) {
		dwfl_report_begin(lines->dwfl);
		lines->module = dwfl_report_elf(lines->dwfl, "program", "", lines->fd, 0, false);
		dwfl_report_end(lines->dwfl, NULL, NULL);
	}
	if (!lines->module) {
		if (lines->fd >= 0)
			close(lines->fd);
		lines_close(lines);
		return NULL;
	}
	return lines;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->dwfl)
		dwfl_end(lines->dwfl);
	free(lines);
}

const char *lines_find(const struct lines *lines, uint64_t address, int *line)
{
	Dwarf_Addr bias;
	Dwfl_Line *found;

	/* addresses of the file, which dwfl may have moved */
	if (!dwfl_module_getelf(lines->module, &bias))
		return NULL;
	found = dwfl_module_getsrc(lines->module, address + bias);
	return found ? dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL) : NULL;
}
