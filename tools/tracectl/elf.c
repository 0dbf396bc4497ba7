// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf.h"
#include "tools/lib/base/file.h"

/* RISC-V ELF psABI, "Attributes" */
#define SECTION_ATTRIBUTES	0x70000003	/* SHT_RISCV_ATTRIBUTES */
#define TAG_FILE		1
#define TAG_ARCH		5

#define JVT_SYMBOL		"__jvt_base$"	/* "Table jump relaxation" */

unsigned int elf_width(const char *path)
{
	int fd = rvtrace_file_open(path);
	unsigned char ident[EI_NIDENT];
	unsigned int width = 0;

	if (fd < 0)
		return 0;
	if (read(fd, ident, sizeof(ident)) == sizeof(ident) && !memcmp(ident, ELFMAG, SELFMAG))
		width = ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
	close(fd);
	return width;
}

int elf_check(const char *path, bool must, unsigned int *xlen,
	      struct rvtrace_failure *error)
{
	unsigned int width;

	if (access(path, R_OK))
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	width = elf_width(path);
	if (must && !width)
		return rvtrace_fail(error, EBADMSG, 0, "%s: not an ELF file", path);
	if (!width || !xlen)
		return 0;
	if (*xlen && *xlen != width)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: a %u-bit program, but the trace is of a %u-bit hart", path,
				    width, *xlen);
	*xlen = width;
	return 0;
}

/* Bytes that are not read yet */
struct cursor {
	const uint8_t *next;
	const uint8_t *end;
};

static uint64_t get_uleb128(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; c->next < c->end; shift += 7) {
		uint8_t byte = *c->next++;

		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* Text up to a NUL; NULL without one. */
static const char *get_text(struct cursor *c)
{
	const char *text = (const char *)c->next;
	const uint8_t *nul = c->next < c->end ? memchr(c->next, 0, c->end - c->next) : NULL;

	c->next = nul ? nul + 1 : c->end;
	return nul ? text : NULL;
}

/* What is as long as its first word says, which counts from @from on. */
static struct cursor get_part(struct cursor *c, const uint8_t *from)
{
	struct cursor part = { c->end, c->end };
	uint32_t size;

	if (c->end - c->next >= (ptrdiff_t)sizeof(size)) {
		memcpy(&size, c->next, sizeof(size));
		part.next = c->next + sizeof(size);
		size = le32toh(size);
		if (size >= (size_t)(part.next - from) && size <= (size_t)(c->end - from))
			part.end = from + size;
	}
	c->next = part.end;
	return part;
}

/* Tag_RISCV_arch; NULL without one. */
static const char *find_arch(struct cursor c)
{
	while (c.next < c.end) {
		const uint8_t *from = c.next;
		uint64_t tag = get_uleb128(&c);
		struct cursor part = get_part(&c, from);

		while (tag == TAG_FILE && part.next < part.end) {
			uint64_t attribute = get_uleb128(&part);
			const char *text = attribute & 1 ? get_text(&part) : NULL;

			if (attribute == TAG_ARCH)
				return text;
			if (!(attribute & 1))
				get_uleb128(&part);
		}
	}
	return NULL;
}

static const char *read_arch(struct cursor c)
{
	if (c.next == c.end || *c.next++ != 'A')
		return NULL;
	while (c.next < c.end) {
		struct cursor part = get_part(&c, c.next);
		const char *vendor = get_text(&part);

		if (vendor && !strcmp(vendor, "riscv"))
			return find_arch(part);
	}
	return NULL;
}

/* Whether an extension with a name of several letters is there: rv32imc_zca1p0_zcmp1p0 */
static bool has(const char *arch, const char *name)
{
	size_t length = strlen(name);

	while ((arch = strchr(arch, '_'))) {
		arch++;
		if (!strncmp(arch, name, length) && (!arch[length] || arch[length] == '_' ||
						     (arch[length] >= '0' && arch[length] <= '9')))
			return true;
	}
	return false;
}

static void read_jvt(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t *jvt)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && !strcmp(name, JVT_SYMBOL))
			*jvt = symbol.st_value;
	}
}

static void read_section(Elf *elf, Elf_Scn *section, struct rvtrace_isa *isa, uint64_t *jvt)
{
	const char *arch = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	if (!gelf_getshdr(section, &header))
		return;
	if (header.sh_type == SHT_SYMTAB)
		read_jvt(elf, section, &header, jvt);
	if (header.sh_type != SECTION_ATTRIBUTES)
		return;
	data = elf_rawdata(section, NULL);
	if (data && data->d_buf)
		arch = read_arch((struct cursor) { data->d_buf,
						   (uint8_t *)data->d_buf + data->d_size });
	if (!arch)
		return;
	isa->zcmp |= has(arch, "zcmp");
	isa->zcmt |= has(arch, "zcmt");
}

/* Bytes of a section in the file, and unpacked; false: there are none, or not all of them. */
static bool section_sizes(Elf_Scn *section, uint64_t file_size, uint64_t *size, uint64_t *unpacked)
{
	GElf_Shdr header;
	GElf_Chdr compressed;

	if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
	    header.sh_offset > file_size || header.sh_size > file_size - header.sh_offset)
		return false;
	*size = header.sh_size;
	*unpacked = header.sh_flags & SHF_COMPRESSED && gelf_getchdr(section, &compressed) ?
		    compressed.ch_size : 0;
	return true;
}

const char *elf_fault(Elf *elf, uint64_t file_size)
{
	uint64_t total = 0, unpacked = 0, size, more;
	Elf_Scn *section = NULL;
	size_t count;

	if (!elf_getphdrnum(elf, &count) && count > ELF_SEGMENTS_MAX)
		return "it has more segments than a program has";
	while ((section = elf_nextscn(elf, section))) {
		if (!section_sizes(section, file_size, &size, &more))
			continue;
		if (size > file_size - total)
			return "its sections overlap";
		total += size;
		if (more > ELF_UNPACKED_MAX + ELF_UNPACKED_SHARE * file_size - unpacked)
			return "its sections are too large once they are unpacked";
		unpacked += more;
	}
	return NULL;
}

bool elf_has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	const char *other;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		other = elf_strptr(elf, names, header.sh_name);
		if (other && !strcmp(other, name))
			return true;
	}
	return false;
}

void elf_isa(const char *path, struct rvtrace_isa *isa, uint64_t *jvt)
{
	int fd = rvtrace_file_open(path);
	Elf_Scn *section = NULL;
	struct stat st;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (fstat(fd, &st) || elf_fault(elf, st.st_size)) {
		elf_end(elf);
		elf = NULL;
	}
	while (elf && (section = elf_nextscn(elf, section)))
		read_section(elf, section, isa, jvt);
	elf_end(elf);
	close(fd);
}
