// SPDX-License-Identifier: GPL-2.0
/* Names of kernel text: images/kallsyms, or /proc/kallsyms of the kernel that was recorded. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/lib/code/build_id.h"
#include "tools/lib/code/code_name.h"
#include "tools/tracectl/tracectl.h"
#include "symbols.h"

#define LIVE	"/proc/kallsyms"

#define NAME_BYTES	512	/* KSYM_NAME_LEN: the kernel has no longer names */

struct symbol {
	uint64_t address;
	const char *name;	/* NULL: it only ends the one before */
	const char *module;	/* "" in vmlinux */
	char type;		/* as nm has it: T, t, W, w */
};

struct kallsyms {
	char *text;
	struct symbol *symbols;
	size_t count, room;
	uint64_t start;		/* _stext */
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
	if (!word || !type || !name || !strchr("tTwW", *type) ||
	    strnlen(name, NAME_BYTES) == NAME_BYTES || !rvtrace_is_code_name(name))
		return true;
	symbol.type = *type;
	symbol.address = strtoull(word, NULL, 16);
	symbol.name = name;
	if (!strcmp(name, "_stext"))
		k->start = symbol.address;
	word = strtok_r(NULL, " \t", &save);
	if (word && strnlen(word, NAME_BYTES) < NAME_BYTES)
		symbol.module = word;
	return !symbol.address || add(k, &symbol);
}

/* Names of places where sections begin or end are no functions, though one may begin there. */
static bool is_boundary(const char *name)
{
	static const char *const ends[] = { "_start", "_begin", "_end" };
	size_t length = strlen(name), i;

	if (!strcmp(name, "_text") || !strcmp(name, "_stext") || !strcmp(name, "_etext"))
		return true;
	for (i = 0; !strncmp(name, "__", 2) && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (length > strlen(ends[i]) && !strcmp(name + length - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Of names of one address, the lowest is taken. */
static unsigned int rank(const struct symbol *symbol)
{
	if (!symbol->name)
		return 8;
	return 4 * is_boundary(symbol->name) +
	       (symbol->type == 'T' ? 0 : symbol->type == 't' ? 2 : 1);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	unsigned int xr, yr;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	xr = rank(x);
	yr = rank(y);
	if (xr != yr || !x->name)
		return (xr > yr) - (xr < yr);
	return strcmp(x->name, y->name);
}

/* Files of /proc have no size. */
static char *read_text(int fd)
{
	size_t size = 0, room = 0;
	char *text = NULL, *more;
	ssize_t got = 1;

	while (got > 0 || (got < 0 && errno == EINTR)) {
		if (room - size < 2) {
			room = room ? 2 * room : 1 << 20;
			more = realloc(text, room);
			if (!more)
				break;
			text = more;
		}
		got = read(fd, text + size, room - size - 1);
		size += got > 0 ? got : 0;
	}
	if (text)
		text[size] = 0;
	return text;
}

static void sort(struct kallsyms *k)
{
	size_t i, kept = 0;

	if (k->count)
		qsort(k->symbols, k->count, sizeof(*k->symbols), by_address);
	for (i = 0; i < k->count; i++)
		if (!kept || k->symbols[kept - 1].address != k->symbols[i].address)
			k->symbols[kept++] = k->symbols[i];
	k->count = kept;
}

/* NULL: there is no such file, or it names nothing. */
static struct kallsyms *read_names(int fd)
{
	struct kallsyms *k = fd < 0 ? NULL : calloc(1, sizeof(*k));
	char *line, *save;

	if (k)
		k->text = read_text(fd);
	if (fd >= 0)
		close(fd);
	if (!k)
		return NULL;
	for (line = k->text ? strtok_r(k->text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		if (!take_line(k, line))
			break;
	sort(k);
	if (k->count)
		return k;
	kallsyms_free(k);
	return NULL;
}

/* Whether the kernel that runs here was built as the recorded one was. */
static bool same_build(const struct rvtrace_recording *recording)
{
	char running[RVTRACE_BUILD_ID_TEXT];
	struct json_object *host, *id;

	if (!json_object_object_get_ex(rvtrace_recording_metadata(recording), "host", &host) ||
	    !json_object_object_get_ex(host, "build_id", &id))
		return false;
	rvtrace_build_id_of_notes("/sys/kernel/notes", running);
	return *running && !strcmp(running, json_object_get_string(id));
}

/* Whether a module, or vmlinux, was recorded where these names have it. */
static bool is_recorded(const struct rvtrace_program *program, const struct symbol *symbol)
{
	size_t length = strcspn(symbol->module + (*symbol->module == '['), "]"), i;
	const char *name = *symbol->module ? symbol->module + 1 : "vmlinux";

	if (!*symbol->module)
		length = strlen(name);
	for (i = 0; i < program->file_count; i++) {
		const struct rvtrace_program_file *file = program->files[i];

		if (file->address && strlen(file->name) == length &&
		    !strncmp(file->name, name, length) &&
		    symbol->address - file->address < file->size)
			return true;
	}
	return false;
}

/* Where a kernel lies that is booted again is random. */
static bool same_place(const struct kallsyms *k, const struct rvtrace_program *program)
{
	for (size_t i = 0; i < program->file_count; i++)
		if (!strcmp(program->files[i]->kind, "kernel") &&
		    program->files[i]->address == k->start)
			return true;
	return false;
}

/* Only what is where it was. Return: whether there is any. */
static bool keep_recorded(struct kallsyms *k, const struct rvtrace_program *program)
{
	bool any = false, same = same_place(k, program);

	for (size_t i = 0; i < k->count; i++) {
		if (same && is_recorded(program, &k->symbols[i]))
			any = true;
		else
			k->symbols[i].name = NULL;
	}
	return any;
}

/* Each thread of a decoder asks. */
static void say_once(const char *text)
{
	static bool said;

	if (!said)
		info_text("kernel functions have no names: the recording has none (symbols in rvtraced.conf), and %s",
			  text);
	said = true;
}

static struct kallsyms *read_live(const struct rvtrace_recording *recording,
				  const struct rvtrace_program *program)
{
	struct kallsyms *k;

	if (!same_build(recording))
		return NULL;
	k = read_names(open(LIVE, O_RDONLY | O_CLOEXEC));
	if (!k) {
		say_once(LIVE " hides its addresses: it needs CAP_SYSLOG, and kernel.kptr_restrict below 2");
		return NULL;
	}
	if (keep_recorded(k, program))
		return k;
	say_once("the kernel was booted again since: " LIVE " has other addresses");
	kallsyms_free(k);
	return NULL;
}

/*
 * The last function of a module does not go on where the module ends. What a module executes when it
 * begins is elsewhere, and has no names any more.
 */
static void end_modules(struct kallsyms *k, const struct rvtrace_program *program)
{
	for (size_t i = 0; i < program->file_count; i++) {
		const struct rvtrace_program_file *file = program->files[i];

		if (!strcmp(file->kind, "module") &&
		    !add(k, &(struct symbol) { .address = file->address + file->size }))
			break;
	}
	sort(k);
}

struct kallsyms *kallsyms_read(const struct rvtrace_recording *recording,
			       const struct rvtrace_program *program)
{
	struct kallsyms *k;

	k = read_names(rvtrace_recording_open_file(recording, "images/kallsyms"));
	if (!k)
		k = read_live(recording, program);
	if (k)
		end_modules(k, program);
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
	if (!symbol->name)
		return false;
	*place = (struct symbol_place) {
		.name = symbol->name, .file = *symbol->module ? symbol->module : NULL,
		.module = true, .function = true, .has_base = true, .base = symbol->address,
		.start = symbol->address, .end = kallsyms->symbols[low].address,
	};
	return true;
}
