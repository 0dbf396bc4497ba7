// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build ids: the NT_GNU_BUILD_ID note of the kernel, of modules and files.
 *
 * Files are those that processes map, of any user: what their headers say of sizes is not
 * believed. Of one file PHDRS_MAX program headers and NOTES_MAX bytes of notes are read, of one
 * segment its first SEGMENT_MAX bytes: linkers put the build id first, and it has some 36 bytes.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/base/file.h"
#include "tools/lib/base/file_io.h"
#include "build_id.h"

#define PHDRS_MAX	128
#define NOTES_MAX	65536
#define SEGMENT_MAX	4096

_Static_assert(sizeof(Elf32_Nhdr) == sizeof(Elf64_Nhdr), "notes have one header");

/* What of a program header concerns notes */
struct segment {
	uint64_t offset;
	uint64_t size;
	uint64_t align;
};

static void as_text(const uint8_t *id, size_t size, char text[RVTRACE_BUILD_ID_TEXT])
{
	size_t i;

	for (i = 0; i < size && i < (RVTRACE_BUILD_ID_TEXT - 1) / 2; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

static uint64_t aligned(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

/* Return: whether the build id is among them; @align: 4 or 8. */
static bool find(const uint8_t *notes, size_t size, uint64_t align,
		 char text[RVTRACE_BUILD_ID_TEXT])
{
	uint64_t at = 0, name, desc;
	Elf64_Nhdr note;

	while (at + sizeof(note) <= size) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = aligned(name + note.n_namesz, align);
		at = aligned(desc + note.n_descsz, align);
		if (desc + note.n_descsz > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			as_text(notes + desc, note.n_descsz, text);
			return true;
		}
	}
	return false;
}

/* Bytes read, fewer than @size at the end of the file, or where it cannot be read. */
static size_t read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	ssize_t got = file_pread(fd, bytes, size, offset);

	return got > 0 ? got : 0;
}

void rvtrace_build_id_of_notes(const char *path, char text[RVTRACE_BUILD_ID_TEXT])
{
	uint8_t notes[SEGMENT_MAX];
	ssize_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = 0;
	if (fd < 0)
		return;
	size = read(fd, notes, sizeof(notes));
	close(fd);
	if (size > 0)
		find(notes, size, 4, text);
}

/* Where the program headers are; false: not an ELF file in this machine's byte order. */
static bool read_header(int fd, bool *wide, uint64_t *offset, unsigned int *count)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} header = { .ident = "" };
	size_t got = read_at(fd, &header, sizeof(header), 0);

	if (got < sizeof(header.narrow) || memcmp(header.ident, ELFMAG, SELFMAG) ||
	    header.ident[EI_DATA] != ELFDATA2LSB)
		return false;
	*wide = header.ident[EI_CLASS] == ELFCLASS64;
	if (*wide && got == sizeof(header) && header.wide.e_phentsize == sizeof(Elf64_Phdr)) {
		*offset = header.wide.e_phoff;
		*count = header.wide.e_phnum;
		return true;
	}
	*offset = header.narrow.e_phoff;
	*count = header.narrow.e_phnum;
	return !*wide && header.narrow.e_phentsize == sizeof(Elf32_Phdr);
}

/* Return: whether @number has notes. */
static bool read_segment(int fd, bool wide, uint64_t offset, unsigned int number,
			 struct segment *segment)
{
	Elf32_Phdr narrow;
	Elf64_Phdr phdr;

	if (wide) {
		if (read_at(fd, &phdr, sizeof(phdr), offset + number * sizeof(phdr)) !=
		    sizeof(phdr) || phdr.p_type != PT_NOTE)
			return false;
		*segment = (struct segment) { phdr.p_offset, phdr.p_filesz, phdr.p_align };
		return true;
	}
	if (read_at(fd, &narrow, sizeof(narrow), offset + number * sizeof(narrow)) !=
	    sizeof(narrow) || narrow.p_type != PT_NOTE)
		return false;
	*segment = (struct segment) { narrow.p_offset, narrow.p_filesz, narrow.p_align };
	return true;
}

void rvtrace_build_id_of_fd(int fd, char text[RVTRACE_BUILD_ID_TEXT])
{
	uint8_t notes[SEGMENT_MAX];
	size_t left = NOTES_MAX, size;
	struct segment segment;
	unsigned int count, i;
	uint64_t offset;
	bool wide;

	text[0] = 0;
	if (!read_header(fd, &wide, &offset, &count))
		return;
	for (i = 0; i < count && i < PHDRS_MAX && left; i++) {
		if (!read_segment(fd, wide, offset, i, &segment))
			continue;
		size = segment.size < sizeof(notes) ? segment.size : sizeof(notes);
		size = read_at(fd, notes, size < left ? size : left, segment.offset);
		left -= size;
		if (find(notes, size, segment.align == 8 ? 8 : 4, text))
			return;
	}
}

void rvtrace_build_id_of_file(const char *path, char text[RVTRACE_BUILD_ID_TEXT])
{
	int fd = rvtrace_file_open(path);

	text[0] = 0;
	if (fd < 0)
		return;
	rvtrace_build_id_of_fd(fd, text);
	close(fd);
}
