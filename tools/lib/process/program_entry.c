// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where programs begin: see rvtrace/program.h. */
#include <gelf.h>

#include "program_internal.h"

/* Whether @offset of the file is that of its entry point, and the kernel begins there */
static bool is_entry(Elf *elf, uint64_t offset)
{
	bool found = false;
	size_t count = 0;
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) || elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, i, &phdr))
			continue;
		/* That one begins where its interpreter does. */
		if (phdr.p_type == PT_INTERP)
			return false;
		if (phdr.p_type == PT_LOAD && ehdr.e_entry >= phdr.p_vaddr &&
		    ehdr.e_entry - phdr.p_vaddr < phdr.p_filesz)
			found = offset == ehdr.e_entry - phdr.p_vaddr + phdr.p_offset;
	}
	return found;
}

bool rvtrace_program_begins_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			       uint64_t ns, uint64_t address)
{
	const struct rvtrace_space_map *map = rvtrace_space_map_at(space, address, ns);
	const struct rvtrace_program_file *file;
	bool failed = false, begins;
	const uint8_t *bytes;
	size_t size;
	Elf *elf;

	file = map && map->kind == RVTRACE_MAP_FILE ? program_find_file(program, map, &failed) :
						      NULL;
	if (!file || !file->code || elf_version(EV_CURRENT) == EV_NONE)
		return false;
	bytes = rvtrace_code_bytes(file->code, &size);
	/* It is only read; the library's function has no other type. */
	elf = elf_memory((char *)bytes, size);
	begins = elf && is_entry(elf, map->offset + (address - map->start));
	elf_end(elf);
	return begins;
}
