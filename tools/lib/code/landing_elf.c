// SPDX-License-Identifier: LGPL-2.1-or-later
/* Landing pads of ELF files: see rvtrace/landing.h. */
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include <rvtrace/landing.h>

/* An empty one if there is none that lies in the program as it is in the file. */
static struct rvtrace_landing_section find_section(Elf *elf, size_t names, const char *name)
{
	Elf_Scn *section = NULL;
	const char *other;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    header.sh_flags & SHF_COMPRESSED || !(header.sh_flags & SHF_ALLOC))
			continue;
		other = elf_strptr(elf, names, header.sh_name);
		if (!other || strcmp(other, name))
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf)
			return (struct rvtrace_landing_section) {
				.bytes = data->d_buf, .size = data->d_size,
				.address = header.sh_addr,
			};
	}
	return (struct rvtrace_landing_section) { };
}

int rvtrace_landings_of_elf(int fd, struct rvtrace_landings **landings)
{
	struct rvtrace_landing_section frames, tables;
	int ret = RVTRACE_ERR_NOT_ELF;
	GElf_Ehdr header;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	    header.e_machine == EM_RISCV && header.e_ident[EI_DATA] == ELFDATA2LSB &&
	    !elf_getshdrstrndx(elf, &names)) {
		frames = find_section(elf, names, ".eh_frame");
		tables = find_section(elf, names, ".gcc_except_table");
		ret = rvtrace_landings_new(gelf_getclass(elf) == ELFCLASS32 ? 32 : 64, &frames,
					   &tables, landings);
	}
	elf_end(elf);
	return ret;
}
