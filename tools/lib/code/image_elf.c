// SPDX-License-Identifier: LGPL-2.1-or-later
/* Executable segments of ELF files: see rvtrace/image.h. */
#include <errno.h>
#include <gelf.h>
#include <unistd.h>

#include <rvtrace/image.h>

#include "tools/lib/base/file.h"

static int map_segments(struct rvtrace_image *image, Elf *elf, struct rvtrace_mapping *mapping,
			uint64_t bias)
{
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	uint64_t entry;
	size_t count;
	int mapped = 0;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) ||
	    ehdr.e_machine != EM_RISCV || elf_getphdrnum(elf, &count))
		return RVTRACE_ERR_NOT_ELF;
	for (size_t i = 0; i < count; i++) {
		int err;

		if (!gelf_getphdr(elf, i, &phdr))
			return RVTRACE_ERR_NOT_ELF;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) || !phdr.p_filesz)
			continue;
		mapping->offset = phdr.p_offset;
		mapping->size = phdr.p_filesz;
		mapping->address = phdr.p_vaddr + bias;
		err = rvtrace_image_map(image, mapping);
		if (err == RVTRACE_ERR_INVALID)
			return RVTRACE_ERR_NOT_ELF;
		if (err)
			return err;
		mapped++;
	}
	if (!rvtrace_image_entry(image, &entry))
		rvtrace_image_set_entry(image, ehdr.e_entry + bias);
	return mapped;
}

int rvtrace_image_add_elf(struct rvtrace_image *image, const char *path, uint64_t bias,
			  uint64_t space, unsigned int privs)
{
	struct rvtrace_mapping mapping = { .space = space, .privs = privs };
	struct rvtrace_code *code;
	int fd, ret;
	Elf *elf;

	if (bias & 1 || !privs || privs & ~RVTRACE_PRIV_ANY ||
	    elf_version(EV_CURRENT) == EV_NONE)
		return RVTRACE_ERR_INVALID;
	ret = rvtrace_code_from_file(path, &code);
	if (ret)
		return ret;
	fd = rvtrace_file_open(path);
	if (fd < 0) {
		rvtrace_code_unref(code);
		return RVTRACE_ERR_IO;
	}
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	mapping.code = code;
	ret = elf ? map_segments(image, elf, &mapping, bias) : RVTRACE_ERR_NOT_ELF;
	elf_end(elf);
	close(fd);
	rvtrace_code_unref(code);
	return ret;
}
