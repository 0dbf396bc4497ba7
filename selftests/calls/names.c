// SPDX-License-Identifier: GPL-2.0
/* Functions by address: see names.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include <rvtrace/landing.h>

#include "selftests/calls/names.h"

/* [@start, @end) of the numbering of its object */
struct name {
	uint64_t start;
	uint64_t end;
	uint64_t address;
	char *text;
	uint32_t whole;
};

/* Ids are @first and up: of code without a name, and of names in order. */
struct object {
	char *path;
	uint32_t first;
	struct name *names;
	size_t count, room;
	struct rvtrace_landings *landings;
};

struct names {
	struct rvtrace_program *program;
	const struct rvtrace_resolver *resolver;
	struct object kernel, firmware;
	struct object *files;
	size_t count;
	uint32_t end;
};

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static void add(struct object *object, struct name name, const char *text)
{
	if (object->count == object->room) {
		object->room = object->room ? 2 * object->room : 256;
		object->names = need(reallocarray(object->names, object->room, sizeof(name)));
	}
	name.text = need(strdup(text));
	object->names[object->count++] = name;
}

static int by_start(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp((*(const struct name *const *)a)->text,
		      (*(const struct name *const *)b)->text);
}

/* "f.cold" is a part of "f". */
static void find_parts(struct object *object)
{
	const struct name **sorted = need(calloc(object->count + 1, sizeof(*sorted))), **found;
	struct name key, *pointer = &key;
	size_t i;
	char *dot;

	for (i = 0; i < object->count; i++) {
		sorted[i] = &object->names[i];
		object->names[i].whole = object->first + 1 + i;
	}
	qsort(sorted, object->count, sizeof(*sorted), by_text);
	for (i = 0; i < object->count; i++) {
		dot = strstr(object->names[i].text, ".cold");
		if (!dot)
			continue;
		key.text = need(strndup(object->names[i].text, dot - object->names[i].text));
		found = bsearch(&pointer, sorted, object->count, sizeof(*sorted), by_text);
		if (found)
			object->names[i].whole = (*found)->whole;
		free(key.text);
	}
	free(sorted);
}

/* One name for a place; a name ends where the next one begins. */
static void arrange(struct names *names, struct object *object)
{
	size_t i, kept = 0;

	if (object->count)
		qsort(object->names, object->count, sizeof(*object->names), by_start);
	for (i = 0; i < object->count; i++) {
		if (kept && object->names[kept - 1].start == object->names[i].start) {
			if (object->names[kept - 1].end < object->names[i].end)
				object->names[kept - 1].end = object->names[i].end;
			free(object->names[i].text);
			continue;
		}
		if (kept && object->names[kept - 1].end > object->names[i].start)
			object->names[kept - 1].end = object->names[i].start;
		object->names[kept++] = object->names[i];
	}
	object->count = kept;
	object->first = names->end;
	names->end += kept + 1;
	find_parts(object);
}

static void read_kallsyms(struct names *names, const char *recording)
{
	char path[4096], type, text[512];
	uint64_t address;
	FILE *file;

	snprintf(path, sizeof(path), "%s/images/kallsyms", recording);
	names->kernel.path = need(strdup("kernel"));
	file = fopen(path, "r");
	while (file && fscanf(file, "%" SCNx64 " %c %511s%*[^\n]", &address, &type, text) == 3)
		if (strchr("tTwW", type) && text[0] != '$' && text[0] != '.')
			add(&names->kernel, (struct name) {
				.start = address, .end = UINT64_MAX, .address = address,
			}, text);
	if (file)
		fclose(file);
	arrange(names, &names->kernel);
}

static void add_symbol(struct object *object, Elf *elf, const GElf_Sym *symbol, const char *text,
		       bool by_address)
{
	uint64_t start = symbol->st_value;
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		return;
	for (i = 0; i < count && !by_address; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD &&
		    symbol->st_value - segment.p_vaddr < segment.p_filesz) {
			start = symbol->st_value - segment.p_vaddr + segment.p_offset;
			break;
		}
	add(object, (struct name) {
		.start = start, .end = symbol->st_size ? start + symbol->st_size : UINT64_MAX,
		.address = symbol->st_value,
	}, text);
}

static void read_section(struct object *object, Elf *elf, Elf_Scn *section, bool by_address)
{
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym symbol;
	int i;

	if (!gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
		return;
	data = elf_getdata(section, NULL);
	for (i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		unsigned int type = GELF_ST_TYPE(symbol.st_info);
		const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);

		if (text && symbol.st_shndx != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC))
			add_symbol(object, elf, &symbol, text, by_address);
	}
}

static void read_elf(struct names *names, struct object *object, const char *path, bool by_address)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	Elf *elf;

	object->path = need(strdup(path));
	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (section = elf_nextscn(elf, section)))
		read_section(object, elf, section, by_address);
	elf_end(elf);
	if (fd >= 0) {
		rvtrace_landings_of_elf(fd, &object->landings);
		close(fd);
	}
	arrange(names, object);
}

struct names *names_new(const char *recording, struct rvtrace_program *program,
			const char *firmware)
{
	struct names *names = need(calloc(1, sizeof(*names)));

	names->program = program;
	names->end = 1;
	read_kallsyms(names, recording);
	if (firmware)
		read_elf(names, &names->firmware, firmware, true);
	return names;
}

void names_attach(struct names *names, const struct rvtrace_resolver *resolver)
{
	names->resolver = resolver;
}

static struct object *object_of(struct names *names, const char *path)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (!strcmp(names->files[i].path, path))
			return &names->files[i];
	names->files = need(reallocarray(names->files, names->count + 1, sizeof(*names->files)));
	names->files[names->count] = (struct object) { };
	read_elf(names, &names->files[names->count], path, false);
	return &names->files[names->count++];
}

/* @place of an object is at @address; nothing is known outside of [@low, @high) of the object. */
static void look_up(const struct object *object, uint64_t place, uint64_t low, uint64_t high,
		    uint64_t address, struct rvtrace_call_function *function)
{
	size_t from = 0, to = object->count;
	const struct name *name;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (object->names[middle].start <= place)
			from = middle + 1;
		else
			to = middle;
	}
	name = from ? &object->names[from - 1] : NULL;
	*function = (struct rvtrace_call_function) { .id = object->first };
	if (from < object->count && object->names[from].start < high)
		high = object->names[from].start;
	if (name && name->end > place) {
		function->id += from;
		function->begins = name->start >= low;
		function->whole = name->whole;
		function->unwinds = !strcmp(name->text, "_Unwind_Resume");
		if (name->end < high)
			high = name->end;
		if (name->start > low)
			low = name->start;
	} else if (name && name->end > low) {
		low = name->end;
	}
	function->start = address - (place - low);
	function->end = address + (high - place);
}

static const char *path_of(struct names *names, const struct rvtrace_space_map *map)
{
	const struct rvtrace_program_file *file;
	size_t i;

	if (map->kind != RVTRACE_MAP_VDSO) {
		file = rvtrace_program_file_at(names->program, map);
		return file ? file->path : map->path;
	}
	for (i = 0; i < names->program->file_count; i++)
		if (!strcmp(names->program->files[i]->kind, "vdso"))
			return names->program->files[i]->path;
	return "[vdso]";
}

void names_find(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		const uint8_t *code, struct rvtrace_call_function *function)
{
	const struct rvtrace_space_map *map;
	struct names *names = data;

	(void)code;
	if (address >> 63) {
		look_up(&names->kernel, address, 0, UINT64_MAX, address, function);
		return;
	}
	if (item->flags & RVTRACE_FLOW_HAS_PRIV && item->priv == 3) {
		look_up(&names->firmware, address, 0, UINT64_MAX, address, function);
		return;
	}
	map = rvtrace_resolver_map(names->resolver, item, address);
	if (map)
		look_up(object_of(names, path_of(names, map)), address - map->start + map->offset,
			map->offset, map->offset + (map->end - map->start), address, function);
	else
		*function = (struct rvtrace_call_function) { .start = address, .end = address + 2 };
}

static const struct object *object_with(const struct names *names, uint32_t id)
{
	size_t i;

	if (id >= names->kernel.first && id - names->kernel.first <= names->kernel.count)
		return &names->kernel;
	if (names->firmware.path && id >= names->firmware.first &&
	    id - names->firmware.first <= names->firmware.count)
		return &names->firmware;
	for (i = 0; i < names->count; i++)
		if (id >= names->files[i].first &&
		    id - names->files[i].first <= names->files[i].count)
			return &names->files[i];
	return NULL;
}

int names_lands(void *data, uint32_t function, uint64_t start, uint64_t call_site,
		uint64_t landing)
{
	const struct object *object = object_with(data, function);
	uint64_t shift;

	if (!object || !object->landings || function == object->first)
		return -ENOENT;
	shift = object->names[function - object->first - 1].address - start;
	return rvtrace_landing_leads(object->landings, call_site + shift, landing + shift);
}

const char *names_of(const struct names *names, uint32_t id, const char **file, uint64_t *address)
{
	const struct object *object = id ? object_with(names, id) : NULL;
	const struct name *name;

	*file = object ? object->path : "?";
	*address = 0;
	if (!object || id == object->first)
		return "?";
	name = &object->names[id - object->first - 1];
	*address = name->address;
	return name->text;
}
