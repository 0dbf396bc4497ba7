// SPDX-License-Identifier: GPL-2.0
/* Names of kernel text: images/kallsyms, lines as /proc/kallsyms has them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

struct symbol {
	uint64_t address;
	const char *name;
	const char *module;	/* "" in vmlinux */
};

struct kallsyms {
	char *text;
	struct symbol *symbols;
	size_t count, room;
};

static bool add(struct kallsyms *k, const struct symbol *symbol)
{
	if (k->count == k->room) {
		size_t room = k->room ? 2 * k->room : 4096;
		void *symbols = realloc(k->symbols, room * sizeof(*symbol));

		if (!symbols)
			return false;
		k->symbols = symbols;
		k->room = room;
	}
	k->symbols[k->count++] = *symbol;
	return true;
}

/* ADDRESS TYPE NAME [MODULE], cut into its words. */
static bool take_line(struct kallsyms *k, char *line)
{
	struct symbol symbol = { .module = "" };
	char *save, *word = strtok_r(line, " \t", &save), *type, *name;

	type = strtok_r(NULL, " \t", &save);
	name = strtok_r(NULL, " \t", &save);
	if (!word || !type || !name || !strchr("tTwW", *type))
		return true;
	symbol.address = strtoull(word, NULL, 16);
	symbol.name = name;
	word = strtok_r(NULL, " \t", &save);
	if (word)
		symbol.module = word;
	return !symbol.address || add(k, &symbol);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static char *read_text(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), done = 0;
	char *text = size >= 0 ? malloc(size + 1) : NULL;
	ssize_t got;

	while (text && done < size) {
		got = pread(fd, text + done, size - done, done);
		if (got <= 0)
			break;
		done += got;
	}
	if (text)
		text[done] = 0;
	return text;
}

struct kallsyms *kallsyms_read(const struct rvtrace_recording *recording)
{
	int fd = rvtrace_recording_open_file(recording, "images/kallsyms");
	struct kallsyms *k = fd < 0 ? NULL : calloc(1, sizeof(*k));
	char *line, *save;

	if (k)
		k->text = read_text(fd);
	if (fd >= 0)
		close(fd);
	if (!k || !k->text) {
		free(k);
		return NULL;
	}
	for (line = strtok_r(k->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!take_line(k, line))
			break;
	if (k->count)
		qsort(k->symbols, k->count, sizeof(*k->symbols), by_address);
	return k;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	free(kallsyms->symbols);
	free(kallsyms->text);
	free(kallsyms);
}

bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct symbol_place *place)
{
	size_t low = 0, high = kallsyms->count;
	const struct symbol *symbol;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (kallsyms->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* the last symbol has no end: nothing says that it goes that far */
	if (!low || low == kallsyms->count)
		return false;
	symbol = &kallsyms->symbols[low - 1];
	while (symbol > kallsyms->symbols && symbol[-1].address == symbol->address)
		symbol--;
	*place = (struct symbol_place) {
		.name = symbol->name, .file = *symbol->module ? symbol->module : NULL,
		.module = true, .function = true, .has_base = true, .base = symbol->address,
		.start = symbol->address, .end = kallsyms->symbols[low].address,
	};
	return true;
}
