// SPDX-License-Identifier: GPL-2.0
/* Names of code: symbols of ELF files by file offset, kernel text by kallsyms or module. */
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
	const struct rvtrace_program_file *file;
	Elf *elf, *debug;
	int fd, debug_fd;
	struct symbol *symbols;
	size_t count;
};

struct symbols {
	const struct rvtrace_program *program;
	struct kallsyms *kallsyms;
	struct table **tables;
	size_t count;
	struct table *last;
};

struct symbols *symbols_new(const struct rvtrace_program *program,
			    const struct rvtrace_recording *recording)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->program = program;
	if (recording)
		symbols->kallsyms = kallsyms_read(recording);
	return symbols;
}

static void table_free(struct table *t)
{
	elf_end(t->elf);
	elf_end(t->debug);
	if (t->fd >= 0)
		close(t->fd);
	if (t->debug_fd >= 0)
		close(t->debug_fd);
	free(t->symbols);
	free(t);
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->count; i++)
		table_free(symbols->tables[i]);
	kallsyms_free(symbols->kallsyms);
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

static void read_section(struct table *t, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
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
			.name = elf_strptr(elf, header->sh_link, symbol.st_name),
		};
		t->count += t->symbols[t->count].name && t->symbols[t->count].offset != -1ULL;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void read_sections(struct table *t, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			read_section(t, elf, section, &header);
}

/* BASE/usr/lib/debug/.build-id/xx/yyyy.debug has the symbols that were stripped. */
static int open_debug(const struct rvtrace_program *program, const char *build_id)
{
	char path[8192];
	size_t i;
	int fd = -1;

	for (i = 0; *build_id && fd < 0 && i <= program->directory_count; i++) {
		snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
			 i < program->directory_count ? program->directories[i] : "", build_id,
			 build_id + 2);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return fd;
}

static void read_table(struct table *t, const struct rvtrace_program *program)
{
	elf_version(EV_CURRENT);
	t->fd = open(t->file->path, O_RDONLY | O_CLOEXEC);
	t->debug_fd = open_debug(program, t->file->build_id);
	if (t->fd < 0)
		return;
	t->elf = elf_begin(t->fd, ELF_C_READ, NULL);
	if (t->debug_fd >= 0)
		t->debug = elf_begin(t->debug_fd, ELF_C_READ, NULL);
	if (!t->elf)
		return;
	read_sections(t, t->elf);
	read_sections(t, t->debug);
	if (t->count)
		qsort(t->symbols, t->count, sizeof(*t->symbols), by_offset);
}

static struct table *table_of(struct symbols *s, const struct rvtrace_program_file *file)
{
	struct table *t, **tables;
	size_t i;

	if (s->last && s->last->file == file)
		return s->last;
	for (i = 0; i < s->count; i++)
		if (s->tables[i]->file == file)
			return s->last = s->tables[i];
	tables = realloc(s->tables, (s->count + 1) * sizeof(*tables));
	if (!tables)
		return NULL;
	s->tables = tables;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->file = file;
	tables[s->count++] = t;
	read_table(t, s->program);
	return s->last = t;
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

static void name_in_file(struct symbols *s, const struct rvtrace_program_file *file,
			 uint64_t offset, char *text, size_t size)
{
	const struct table *t = table_of(s, file);
	const struct symbol *symbol = t ? find_symbol(t, offset) : NULL;

	if (symbol)
		snprintf(text, size, "%s+0x%" PRIx64 " (%s)", symbol->name,
			 offset - symbol->offset, base_name(file->name));
	else
		snprintf(text, size, "%s+0x%" PRIx64, base_name(file->name), offset);
}

static void name_user(struct symbols *s, const struct rvtrace_resolver *resolver,
		      const struct rvtrace_flow_item *item,
		      const struct rvtrace_program_file *file, uint64_t address, char *text,
		      size_t size)
{
	const struct rvtrace_space_map *map = resolver ?
		rvtrace_resolver_map(resolver, item, address) : NULL;

	/* where code lies in its file is known from the mapping it is in */
	if (map && map->kind != RVTRACE_MAP_ANONYMOUS)
		name_in_file(s, file, address - map->start +
			     (map->kind == RVTRACE_MAP_VDSO ? 0 : map->offset), text, size);
	else
		snprintf(text, size, "%s", base_name(file->name));
}

void symbols_name(struct symbols *symbols, const struct rvtrace_resolver *resolver,
		  const struct rvtrace_flow_item *item, uint64_t address, const uint8_t *code,
		  char *text, size_t size)
{
	const struct rvtrace_program_file *file;

	text[0] = 0;
	if (!symbols)
		return;
	if (symbols->kallsyms && !(item->flags & RVTRACE_FLOW_HAS_PRIV && item->priv != 1) &&
	    kallsyms_name(symbols->kallsyms, address, text, size))
		return;
	/* where it lies depends on process and time */
	file = code ? rvtrace_program_file_of(symbols->program, code) : NULL;
	if (!file)
		return;
	if (!strcmp(file->kind, "file") || !strcmp(file->kind, "vdso"))
		name_user(symbols, resolver, item, file, address, text, size);
	else if (file->address)
		snprintf(text, size, "%s+0x%" PRIx64, base_name(file->name),
			 address - file->address);
	else
		snprintf(text, size, "%s", file->name);
}
