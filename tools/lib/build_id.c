// SPDX-License-Identifier: LGPL-2.1-or-later
/* Build ids: the NT_GNU_BUILD_ID note of the kernel, of modules and files. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include <rvtrace/build_id.h>

static void as_text(const uint8_t *id, size_t size, char text[RVTRACE_BUILD_ID_TEXT])
{
	size_t i;

	for (i = 0; i < size && i < (RVTRACE_BUILD_ID_TEXT - 1) / 2; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

void rvtrace_build_id_of_notes(const char *path, char text[RVTRACE_BUILD_ID_TEXT])
{
	uint8_t notes[4096];
	Elf64_Nhdr note;
	size_t at = 0, name, desc;
	ssize_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = 0;
	if (fd < 0)
		return;
	size = read(fd, notes, sizeof(notes));
	close(fd);
	while (size > 0 && at + sizeof(note) <= (size_t)size) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + ((note.n_namesz + 3ULL) & ~3ULL);
		at = desc + ((note.n_descsz + 3ULL) & ~3ULL);
		if (at > (size_t)size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			as_text(notes + desc, note.n_descsz, text);
			return;
		}
	}
}

/* Return: whether the segment held the build id. */
static int find_in_segment(Elf *elf, const GElf_Phdr *segment, char text[RVTRACE_BUILD_ID_TEXT])
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;
	Elf_Data *data;

	data = elf_getdata_rawchunk(elf, segment->p_offset, segment->p_filesz,
				    segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data && (next = gelf_getnote(data, at, &note, &name, &desc))) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(bytes + name, "GNU", 4)) {
			as_text((const uint8_t *)bytes + desc, note.n_descsz, text);
			return 1;
		}
		at = next;
	}
	return 0;
}

void rvtrace_build_id_of_fd(int fd, char text[RVTRACE_BUILD_ID_TEXT])
{
	GElf_Phdr segment;
	size_t count, i;
	Elf *elf;

	text[0] = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && !elf_getphdrnum(elf, &count))
		for (i = 0; i < count; i++)
			if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_NOTE &&
			    find_in_segment(elf, &segment, text))
				break;
	elf_end(elf);
}

void rvtrace_build_id_of_file(const char *path, char text[RVTRACE_BUILD_ID_TEXT])
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	text[0] = 0;
	if (fd < 0)
		return;
	rvtrace_build_id_of_fd(fd, text);
	close(fd);
}
