// SPDX-License-Identifier: GPL-2.0
/* Names of code: symbols of ELF files by file offset, kernel text by kallsyms or module. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include <rvtrace/landing.h>

#include "tools/lib/base/file.h"
#include "tools/lib/code/build_id.h"
#include "tools/lib/code/code_name.h"
#include "tools/tracectl/elf.h"
#include "tools/tracectl/tracectl.h"
#include "symbols.h"

/*
 * @offset: in the file
 * @end: the offset behind it
 * @sized: the file says where it ends
 * @rank: of names of one place, the lowest is taken
 * @local: no other file sees it
 * @outer: index of the next one before it that goes on behind it, or NONE
 * @name: in the file's string table
 */
struct symbol {
	uint64_t offset;
	uint64_t end;
	bool sized;
	bool local;
	uint8_t rank;
	size_t outer;
	const char *name;
};

#define NONE	SIZE_MAX

#define NAME_BYTES	4096	/* a longer one is nobody's, and would be in every line */

/* Symbols of one file, read when first asked for. */
struct symbols_file {
	const struct rvtrace_program_file *file;	/* of the recording, else NULL */
	char *path;
	uint64_t bias;		/* of one that the user named */
	Elf *elf, *debug;
	int fd, debug_fd;
	struct symbol *symbols;
	size_t count;
	struct lines *lines;
	struct rvtrace_landings *landings;
	bool read, lines_read, landings_read;
};

struct symbols {
	struct rvtrace_program *program;
	struct kallsyms *kallsyms;
	struct symbols_file **files;
	size_t count;
	struct symbols_file *last;
};

struct symbols *symbols_new(struct rvtrace_program *program,
			    const struct rvtrace_recording *recording)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->program = program;
	if (recording)
		symbols->kallsyms = kallsyms_read(recording, program);
	return symbols;
}

static void file_free(struct symbols_file *f)
{
	lines_close(f->lines);
	rvtrace_landings_free(f->landings);
	elf_end(f->elf);
	elf_end(f->debug);
	if (f->fd >= 0)
		close(f->fd);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	free(f->symbols);
	free(f->path);
	free(f);
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->count; i++)
		file_free(symbols->files[i]);
	lines_end();
	kallsyms_free(symbols->kallsyms);
	free(symbols->files);
	free(symbols);
}

static struct symbols_file *add_file(struct symbols *s, const char *path)
{
	struct symbols_file *f = calloc(1, sizeof(*f)), **files;

	files = realloc(s->files, (s->count + 1) * sizeof(*files));
	if (files)
		s->files = files;
	if (f)
		f->path = strdup(path);
	if (!files || !f || !f->path) {
		free(f);
		return NULL;
	}
	f->fd = -1;
	f->debug_fd = -1;
	files[s->count++] = f;
	return f;
}

int symbols_add_elf(struct symbols *symbols, const char *path, uint64_t bias)
{
	struct symbols_file *f = add_file(symbols, path);

	if (!f)
		return -ENOMEM;
	f->bias = bias;
	return 0;
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

/* The address that lies at an offset; what is nowhere is itself. */
static uint64_t address_of(Elf *elf, uint64_t offset)
{
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		return offset;
	for (i = 0; i < count; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD &&
		    offset - segment.p_offset < segment.p_filesz)
			return offset - segment.p_offset + segment.p_vaddr;
	return offset;
}

/* Functions, and labels of hand-written code. */
static bool is_name(const GElf_Sym *symbol, const GElf_Shdr *section, const char *name)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (!name || strnlen(name, NAME_BYTES) == NAME_BYTES || !rvtrace_is_code_name(name) ||
	    symbol->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && section && section->sh_flags & SHF_EXECINSTR;
}

static unsigned int rank_of(const GElf_Sym *symbol)
{
	unsigned int bind = GELF_ST_BIND(symbol->st_info);

	return 8 * (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE) + 4 * !symbol->st_size +
	       (bind == STB_LOCAL ? 2 : bind == STB_WEAK);
}

/* The section of a symbol, or NULL where it is in none. */
static const GElf_Shdr *section_of(Elf *elf, const GElf_Sym *symbol, GElf_Shdr *header)
{
	Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) :
			   NULL;

	return section ? gelf_getshdr(section, header) : NULL;
}

/* Without a size it goes on up to whatever is next, at most to the end of its section. */
static void add_symbol(struct symbols_file *f, const GElf_Sym *symbol, const GElf_Shdr *section,
		       const char *name)
{
	uint64_t offset = offset_of(f->elf, symbol->st_value), size = symbol->st_size;

	if (offset == -1ULL)
		return;
	if (!size && section)
		size = section->sh_addr + section->sh_size - symbol->st_value;
	if (size > UINT64_MAX - offset)
		size = UINT64_MAX - offset;
	f->symbols[f->count++] = (struct symbol) {
		.offset = offset, .end = offset + size, .sized = symbol->st_size,
		.local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL, .rank = rank_of(symbol),
		.outer = NONE, .name = name,
	};
}

static void read_section(struct symbols_file *f, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), count, i;
	Elf_Data *data = elf_getdata(section, NULL);
	const GElf_Shdr *its;
	struct symbol *more;
	GElf_Shdr section_header;
	GElf_Sym symbol;

	/* What the header says of its size may be beyond the file. */
	if (!data || !size)
		return;
	count = data->d_size / size;
	more = realloc(f->symbols, (f->count + count + 1) * sizeof(*more));
	if (!more)
		return;
	f->symbols = more;
	for (i = 0; i < count; i++) {
		const char *name;

		if (!gelf_getsym(data, i, &symbol))
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		its = section_of(elf, &symbol, &section_header);
		if (is_name(&symbol, its, name))
			add_symbol(f, &symbol, its, name);
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void read_sections(struct symbols_file *f, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			read_section(f, elf, section, &header);
}

/* The innermost symbol up to @i that goes on at @offset; NONE: there is none. */
static size_t find_around(const struct symbols_file *f, size_t i, uint64_t offset)
{
	while (i != NONE && f->symbols[i].end <= offset)
		i = f->symbols[i].outer;
	return i;
}

/* Behind the last one kept. Without a size it ends where the next begins, or what it is in ends. */
static void keep(struct symbols_file *f, size_t *kept, struct symbol symbol, uint64_t next)
{
	size_t last = *kept - 1, around = find_around(f, last, symbol.offset);
	bool inside = around != NONE && f->symbols[around].sized;

	/* such labels lead to places of a function */
	if (!symbol.sized && symbol.local && inside)
		return;
	if (!symbol.sized && next < symbol.end)
		symbol.end = next;
	if (!symbol.sized && inside && f->symbols[around].end < symbol.end)
		symbol.end = f->symbols[around].end;
	symbol.outer = find_around(f, last, symbol.end);
	f->symbols[(*kept)++] = symbol;
}

/* One name for each place, and the longest one, which is that of what comes behind it. */
static void arrange(struct symbols_file *f)
{
	size_t first, next, kept = 0;
	struct symbol best, longest;
	uint64_t end;

	if (f->count)
		qsort(f->symbols, f->count, sizeof(*f->symbols), by_offset);
	for (first = 0; first < f->count; first = next) {
		best = f->symbols[first];
		longest = best;
		next = first;
		for (; next < f->count && f->symbols[next].offset == best.offset; next++)
			if (f->symbols[next].sized && f->symbols[next].end > longest.end)
				longest = f->symbols[next];
		end = next < f->count ? f->symbols[next].offset : UINT64_MAX;
		if (best.sized && longest.end > best.end)
			keep(f, &kept, longest, end);
		keep(f, &kept, best, end);
	}
	f->count = kept;
}

/* One that leads to a file below a directory, whatever a recording says. */
static bool is_build_id(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length >= 4 && length < RVTRACE_BUILD_ID_TEXT && !text[length];
}

/* Each thread of a decoder asks. */
static void say_once(const char *path, const char *fault)
{
	static bool said;

	if (!said)
		info_text("%s: its functions have no names: %s", path, fault);
	said = true;
}

/* NULL: it is none, or none whose sections cost what their bytes do. */
static Elf *open_elf(int fd, const char *path)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const char *fault = NULL;
	struct stat st;

	if (elf && elf_kind(elf) == ELF_K_ELF && !fstat(fd, &st))
		fault = elf_fault(elf, st.st_size);
	if (!fault)
		return elf;
	say_once(path, fault);
	elf_end(elf);
	return NULL;
}

/* BASE/usr/lib/debug/.build-id/xx/yyyy.debug has the symbols that were stripped. */
static void open_debug(struct symbols_file *f, const struct rvtrace_program *program)
{
	const char *build_id = f->file ? f->file->build_id : "";
	size_t i, count = program->directory_count + program->here;
	const char *base = "/";
	char path[128];

	if (!is_build_id(build_id))
		return;
	snprintf(path, sizeof(path), "usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	for (i = 0; f->debug_fd < 0 && i < count; i++) {
		base = i < program->directory_count ? program->directories[i] : "/";
		f->debug_fd = rvtrace_file_open_below(base, path);
	}
	if (f->debug_fd < 0)
		return;
	f->debug = open_elf(f->debug_fd, path);
}

static void read_file(struct symbols_file *f, const struct rvtrace_program *program)
{
	if (f->read)
		return;
	f->read = true;
	elf_version(EV_CURRENT);
	f->fd = rvtrace_file_open(f->path);
	if (f->fd < 0)
		return;
	open_debug(f, program);
	f->elf = open_elf(f->fd, f->path);
	if (!f->elf)
		return;
	read_sections(f, f->elf);
	read_sections(f, f->debug);
	arrange(f);
}

static struct symbols_file *file_of(struct symbols *s, const struct rvtrace_program_file *file)
{
	struct symbols_file *f;
	size_t i;

	if (s->last && s->last->file == file)
		return s->last;
	for (i = 0; i < s->count; i++)
		if (s->files[i]->file == file)
			return s->last = s->files[i];
	f = add_file(s, file->path);
	if (!f)
		return NULL;
	f->file = file;
	read_file(f, s->program);
	return s->last = f;
}

/* What is at an offset, or NULL; the same is from @start to before @end. */
static const struct symbol *find_symbol(const struct symbols_file *f, uint64_t offset,
					uint64_t *start, uint64_t *end)
{
	size_t low = 0, high = f->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (f->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	*end = low < f->count ? f->symbols[low].offset : UINT64_MAX;
	*start = low ? f->symbols[low - 1].offset : 0;
	for (low--; low != NONE && f->symbols[low].end <= offset; low = f->symbols[low].outer)
		if (f->symbols[low].end > *start)
			*start = f->symbols[low].end;
	if (low == NONE)
		return NULL;
	if (f->symbols[low].end < *end)
		*end = f->symbols[low].end;
	return &f->symbols[low];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Code that is at @offset in a file. */
static void place_in_file(struct symbols_file *f, const char *name, uint64_t offset,
			  uint64_t address, struct symbol_place *place)
{
	uint64_t start = 0, end = UINT64_MAX;
	const struct symbol *symbol = f ? find_symbol(f, offset, &start, &end) : NULL;

	place->has_base = true;
	/* A file may say that it goes on behind the last address. */
	place->start = offset - start < address ? address - (offset - start) : 0;
	place->end = end - offset < UINT64_MAX - address ? address + (end - offset) : UINT64_MAX;
	if (f && f->elf) {
		place->elf = f;
		place->elf_shift = address_of(f->elf, offset) - address;
	}
	if (!symbol) {
		place->name = base_name(name);
		place->base = address - offset;
		return;
	}
	place->name = symbol->name;
	place->file = base_name(name);
	place->function = true;
	place->base = address - (offset - symbol->offset);
}

static void place_user(struct symbols *s, const struct rvtrace_resolver *resolver,
		       const struct rvtrace_flow_item *item,
		       const struct rvtrace_program_file *file, uint64_t address,
		       struct symbol_place *place)
{
	const struct rvtrace_space_map *map = resolver ?
		rvtrace_resolver_map(resolver, item, address) : NULL;

	/* where code lies in its file is known from the mapping it is in */
	if (!map || map->kind == RVTRACE_MAP_ANONYMOUS) {
		place->name = base_name(file->name);
		return;
	}
	place_in_file(file_of(s, file), file->name, address - map->start +
		      (map->kind == RVTRACE_MAP_VDSO ? 0 : map->offset), address, place);
	if (place->start < map->start)
		place->start = map->start;
	if (place->end > map->end)
		place->end = map->end;
}

/* Code of the programs that the user named. */
static void place_named(struct symbols *s, uint64_t address, struct symbol_place *place)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		struct symbols_file *f = s->files[i];
		uint64_t offset;

		if (f->file)
			continue;
		read_file(f, s->program);
		offset = f->elf ? offset_of(f->elf, address - f->bias) : -1ULL;
		if (offset != -1ULL) {
			place_in_file(f, f->path, offset, address, place);
			if (!place->function) {
				place->start = address;
				place->end = address + 1;
			}
			return;
		}
	}
}

/* The file of code of which there is the address alone, or a copy. */
static const struct rvtrace_program_file *file_at(const struct symbols *s,
						  const struct rvtrace_resolver *resolver,
						  const struct rvtrace_flow_item *item,
						  uint64_t address)
{
	unsigned int privs = item->flags & RVTRACE_FLOW_HAS_PRIV ? 1u << item->priv :
								   RVTRACE_PRIV_ANY;
	const struct rvtrace_space_map *map = resolver ?
		rvtrace_resolver_map(resolver, item, address) : NULL;
	struct rvtrace_window window;

	if (map)
		return rvtrace_program_file_at(s->program, map);
	if (!rvtrace_image_find(s->program->image, RVTRACE_SPACE_ANY, privs, address, &window))
		return NULL;
	return rvtrace_program_file_of(s->program, window.bytes);
}

void symbols_find(struct symbols *symbols, const struct rvtrace_resolver *resolver,
		  const struct rvtrace_flow_item *item, uint64_t address, const uint8_t *code,
		  struct symbol_place *place)
{
	const struct rvtrace_program_file *file;

	*place = (struct symbol_place) { .start = address, .end = address + 1 };
	if (!symbols)
		return;
	if (symbols->kallsyms && !(item->flags & RVTRACE_FLOW_HAS_PRIV && item->priv != 1) &&
	    kallsyms_find(symbols->kallsyms, address, place))
		return;
	/* where it lies depends on process and time */
	file = code ? rvtrace_program_file_of(symbols->program, code) : NULL;
	if (!file)
		file = file_at(symbols, resolver, item, address);
	if (!file) {
		place_named(symbols, address, place);
	} else if (!strcmp(file->kind, "file") || !strcmp(file->kind, "vdso")) {
		place_user(symbols, resolver, item, file, address, place);
	} else if (file->address) {
		place->name = base_name(file->name);
		place->has_base = true;
		place->base = file->address;
	} else {
		place->name = file->name;
	}
}

void symbols_print(struct out *out, const struct symbol_place *place, uint64_t address)
{
	if (!place->name)
		return;
	out_visible(out, place->name);
	if (place->has_base) {
		out_char(out, '+');
		out_hex(out, address - place->base);
	}
	if (place->file) {
		out_text(out, place->module ? " " : " (");
		out_visible(out, place->file);
		if (!place->module)
			out_char(out, ')');
	}
}

const char *symbols_line(const struct symbol_place *place, uint64_t address, int *line)
{
	struct symbols_file *f = place->elf;

	if (!f)
		return NULL;
	if (!f->lines_read) {
		f->lines_read = true;
		/* That names a file, wherever the recording likes. */
		if (f->debug || !elf_has_section(f->elf, ".gnu_debugaltlink"))
			f->lines = lines_open(f->debug ? f->debug_fd : f->fd,
					      f->path);
	}
	return f->lines ? lines_find(f->lines, address + place->elf_shift, line) : NULL;
}

int symbols_lands(struct symbols_file *file, uint64_t call_site, uint64_t landing)
{
	if (!file->landings_read)
		rvtrace_landings_of_elf(file->fd, &file->landings);
	file->landings_read = true;
	return file->landings ? rvtrace_landing_leads(file->landings, call_site, landing) : -ENOENT;
}
