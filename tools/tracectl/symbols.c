// SPDX-License-Identifier: GPL-2.0
/* Names of code: symbols of ELF files by file offset, kernel text by module. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "decode.h"

struct symbol {
	uint64_t offset;	/* in the file */
	uint64_t size;
	const char *name;	/* in the file's string table */
};

/* Symbols of one file, read when first asked for. */
struct table {
	bool read;
	Elf *elf;
	int fd;
	struct symbol *symbols;
	size_t count;
};

struct symbols {
	const struct rvtrace_program *program;
	const struct rvtrace_spaces *spaces;
	struct table *tables;		/* one per file of the program */
};

struct symbols *symbols_new(const struct rvtrace_program *program,
			    const struct rvtrace_spaces *spaces)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->program = program;
	symbols->spaces = spaces;
	symbols->tables = calloc(program->file_count + 1, sizeof(*symbols->tables));
	if (!symbols->tables) {
		free(symbols);
		return NULL;
	}
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->program->file_count; i++) {
		struct table *t = &symbols->tables[i];

		free(t->symbols);
		elf_end(t->elf);
		if (t->read && t->fd >= 0)
			close(t->fd);
	}
	free(symbols->tables);
	free(symbols);
}

/* Where an address of the file's own numbering lies in the file; -1: nowhere. */
static uint64_t offset_of(Elf *elf, uint64_t address)
{
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		return -1;
	for (i = 0; i < count; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD &&
		    address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	return -1;
}

static void read_section(struct table *t, Elf_Scn *section, const GElf_Shdr *header)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0, i;
	Elf_Data *data = elf_getdata(section, NULL);
	struct symbol *more;
	GElf_Sym symbol;

	more = realloc(t->symbols, (t->count + count + 1) * sizeof(*more));
	if (!data || !more)
		return;
	t->symbols = more;
	for (i = 0; i < count; i++) {
		if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		t->symbols[t->count] = (struct symbol) {
			.offset = offset_of(t->elf, symbol.st_value), .size = symbol.st_size,
			.name = elf_strptr(t->elf, header->sh_link, symbol.st_name),
		};
		t->count += t->symbols[t->count].name && t->symbols[t->count].offset != -1ULL;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void read_table(struct table *t, const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	t->read = true;
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return;
	elf_version(EV_CURRENT);
	t->elf = elf_begin(t->fd, ELF_C_READ, NULL);
	while (t->elf && (section = elf_nextscn(t->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			read_section(t, section, &header);
	if (t->count)
		qsort(t->symbols, t->count, sizeof(*t->symbols), by_offset);
}

static const struct symbol *find_symbol(const struct table *t, uint64_t offset)
{
	size_t low = 0, high = t->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (t->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of several names, one that covers it. */
	for (; low > 0 && high - low < 4; low--)
		if (offset - t->symbols[low - 1].offset < t->symbols[low - 1].size)
			return &t->symbols[low - 1];
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void name_in_file(struct symbols *s, size_t index, uint64_t offset, char *text,
			 size_t size)
{
	const struct rvtrace_program_file *file = &s->program->files[index];
	struct table *t = &s->tables[index];
	const struct symbol *symbol;

	if (!t->read)
		read_table(t, file->path);
	symbol = find_symbol(t, offset);
	if (symbol)
		snprintf(text, size, "%s+0x%" PRIx64 " (%s)", symbol->name,
			 offset - symbol->offset, base_name(file->name));
	else
		snprintf(text, size, "%s+0x%" PRIx64, base_name(file->name), offset);
}

/* Where user code lies in its file is known from the mapping it is in. */
static bool file_offset(const struct symbols *s, const struct rvtrace_flow_item *item,
			uint64_t address, uint64_t *offset)
{
	const struct rvtrace_space *space = rvtrace_spaces_find(s->spaces, item->context);
	size_t i;

	for (i = space ? space->map_count : 0; i-- > 0; )
		if (address >= space->maps[i].start && address < space->maps[i].end) {
			*offset = address - space->maps[i].start + space->maps[i].offset;
			return true;
		}
	return false;
}

void symbols_name(struct symbols *symbols, const struct rvtrace_flow_item *item,
		  uint64_t address, char *text, size_t size)
{
	bool has_context = item->flags & RVTRACE_FLOW_HAS_CONTEXT;
	const struct rvtrace_program_file *file;
	struct rvtrace_window window;
	uint64_t offset;

	text[0] = 0;
	if (!symbols ||
	    rvtrace_image_find(symbols->program->image,
			       has_context ? item->context : RVTRACE_SPACE_ANY,
			       item->flags & RVTRACE_FLOW_HAS_PRIV ? 1u << item->priv :
			       RVTRACE_PRIV_ANY, address, &window) <= 0)
		return;
	file = rvtrace_program_file_of(symbols->program, window.code);
	if (!file)
		return;
	if (strcmp(file->kind, "file")) {
		if (file->address)
			snprintf(text, size, "%s+0x%" PRIx64, base_name(file->name),
				 address - file->address);
		else
			snprintf(text, size, "%s", file->name);
	} else if (symbols->spaces && has_context &&
		   file_offset(symbols, item, address, &offset)) {
		name_in_file(symbols, file - symbols->program->files, offset, text, size);
	}
}
