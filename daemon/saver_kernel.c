// SPDX-License-Identifier: GPL-2.0
/* The kernel's text, as it is and as it was, the vDSO, symbols. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <json-c/json.h>

#include "tools/lib/code/build_id.h"
#include "tools/lib/code/code_name.h"
#include "saver_internal.h"

#define VDSO_MAX	(64 * 1024)
#define PAGE		4096
#define TEXT_MAX	(256 * 1024 * 1024ULL)

static bool is_kernel(const char *name)
{
	return !strcmp(name, "vmlinux");
}

/* Zeroes at the end were never text: pages that are not there read as zero. */
static size_t trim(const uint8_t *bytes, size_t size)
{
	size_t used = size;

	while (used && !bytes[used - 1])
		used--;
	used = (used + 3) & ~3ULL;
	return used < size ? used : size;
}

static int open_kcore(struct saver *saver, struct rvtrace_failure *error)
{
	return saver->kcore ? 0 : rvtrace_kcore_open(NULL, &saver->kcore, error);
}

/* Names of files: what generated the text may have any name. */
static void name_file(const struct saver *saver, const struct rvtrace_text *range, char name[160])
{
	char *at;

	if (is_kernel(range->name) && !saver->generation)
		snprintf(name, 160, "kernel");
	else if (is_kernel(range->name))
		snprintf(name, 160, "kernel-%u", saver->generation);
	else
		snprintf(name, 160, "module-%s-%llx-%u", range->name,
			 (unsigned long long)range->start, saver->generation);
	for (at = name; *at; at++)
		if (*at == '/')
			*at = '_';
}

static int keep_text(struct saver *saver, const struct saver_text *text)
{
	if (saver->text_count == saver->text_room) {
		size_t room = saver->text_room ? 2 * saver->text_room : 64;
		struct saver_text *texts = reallocarray(saver->texts, room, sizeof(*texts));

		if (!texts)
			return -ENOMEM;
		saver->texts = texts;
		saver->text_room = room;
	}
	saver->texts[saver->text_count++] = *text;
	return 0;
}

static void add_functions(struct json_object *entry, const char *name, const uint64_t *functions,
			  unsigned int count)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < count; i++)
		if (functions[i])
			json_object_array_add(list, saver_hex(functions[i]));
	if (json_object_array_length(list))
		json_object_object_add(entry, name, list);
	else
		json_object_put(list);
}

/* Older kernels have what is in their image in /proc/kcore as the memory that it is in only. */
static ssize_t read_kernel(const struct saver *saver, const struct rvtrace_text *range,
			   uint64_t address, void *bytes, size_t size)
{
	ssize_t got = rvtrace_kcore_read(saver->kcore, address, bytes, size);

	if (got == -EFAULT && range->physical)
		got = rvtrace_kcore_read_physical(saver->kcore,
						  range->physical + (address - range->start),
						  bytes, size);
	return got;
}

/* All that the table has, each once; nothing if that is not to be had. */
static void find_handlers(const struct saver *saver, struct rvtrace_text *range)
{
	uint64_t *handlers = range->kernel.handlers;
	unsigned long table[64];
	size_t size = range->handlers_end - range->handlers, count = 0, i, k;

	if (!range->handlers || range->handlers_end <= range->handlers || size > sizeof(table) ||
	    read_kernel(saver, range, range->handlers, table, size) != (ssize_t)size)
		return;
	for (i = 0; i < size / sizeof(table[0]); i++) {
		for (k = 0; k < count && handlers[k] != table[i]; k++)
			;
		if (k < count)
			continue;
		if (count == RVTRACE_HANDLERS) {
			memset(handlers, 0, sizeof(range->kernel.handlers));
			return;
		}
		handlers[count++] = table[i];
	}
}

static int store_text(struct saver *saver, struct saver_text *text, uint64_t time,
		      struct rvtrace_failure *error)
{
	const struct rvtrace_flow_kernel *kernel = &text->range.kernel;
	char file[160], notes[256], build_id[RVTRACE_BUILD_ID_TEXT];
	struct json_object *entry;
	int ret;

	if (is_kernel(text->range.name))
		snprintf(notes, sizeof(notes), "/sys/kernel/notes");
	else
		snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id",
			 text->range.name);
	rvtrace_build_id_of_notes(notes, build_id);
	name_file(saver, &text->range, file);
	entry = saver_entry(is_kernel(text->range.name) ? "kernel" : "module", text->range.name,
			    build_id);
	json_object_object_add(entry, "address", saver_hex(text->range.start));
	if (text->range.stvec)
		json_object_object_add(entry, "stvec", saver_hex(text->range.stvec));
	if (text->range.switch_to)
		json_object_object_add(entry, "switch_to", saver_hex(text->range.switch_to));
	if (kernel->signal_setup)
		json_object_object_add(entry, "signal_setup", saver_hex(kernel->signal_setup));
	add_functions(entry, "return_writers", kernel->return_writers, RVTRACE_RETURN_WRITERS);
	add_functions(entry, "return_catchers", kernel->return_catchers, RVTRACE_RETURN_CATCHERS);
	add_functions(entry, "task_starts", kernel->task_starts, RVTRACE_TASK_STARTS);
	add_functions(entry, "handlers", kernel->handlers, RVTRACE_HANDLERS);
	if (time)
		json_object_object_add(entry, "time", json_object_new_uint64(time));
	ret = saver_image(saver, entry, file, text->bytes, text->size, error);
	text->file = ret ? NULL : strdup(file);
	return ret;
}

/* Text begins with an instruction, memory that was freed with anything but that. */
static bool begins(const uint8_t *bytes, size_t size)
{
	static const uint8_t nothing[4];

	return size >= sizeof(nothing) && memcmp(bytes, nothing, sizeof(nothing));
}

/* @exact: the size is known. 1: saved, 0: there is nothing (any more), or a negative errno. */
static int save_text(struct saver *saver, const struct rvtrace_text *range, uint64_t time,
		     bool exact, struct rvtrace_failure *error)
{
	struct saver_text text = { .range = *range };
	size_t room = range->end - range->start;
	ssize_t got;
	int ret = 0;

	text.bytes = malloc(room);
	if (!text.bytes)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", range->name);
	got = read_kernel(saver, range, range->start, text.bytes, room);
	if (got < 0 && is_kernel(range->name))
		ret = rvtrace_fail(error, -got, 0, "/proc/kcore: %s: %s", range->name,
				   strerror(-got));
	find_handlers(saver, &text.range);
	if (got > 0 && (!exact || begins(text.bytes, got)))
		text.size = is_kernel(range->name) || exact ? (size_t)got : trim(text.bytes, got);
	if (text.size)
		ret = store_text(saver, &text, time, error);
	if (!ret && text.size && (!text.file || keep_text(saver, &text)))
		ret = rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", range->name);
	if (!ret && text.size)
		return 1;
	free(text.file);
	free(text.bytes);
	return ret;
}

/* The vDSO is the same code in every process; where it lies differs. */
static int save_vdso(struct saver *saver, struct rvtrace_failure *error)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct json_object *entry;
	size_t size;

	if (!header)
		return 0;
	size = (header->e_shoff + header->e_shnum * header->e_shentsize + 4095) & ~4095ULL;
	if (size > VDSO_MAX)
		return 0;
	entry = saver_entry("vdso", "[vdso]", NULL);
	json_object_object_add(entry, "address", saver_hex(0));
	return saver_image(saver, entry, "vdso", header, size, error);
}

int saver_kernel(struct saver *saver, struct rvtrace_failure *error)
{
	/* What a daemon that took over finds holds from then on. */
	uint64_t time = saver->generation ? saver_now() : 0;
	struct rvtrace_texts texts;
	size_t i;
	int ret = rvtrace_texts_find("", &texts, error);

	if (ret)
		return ret;
	ret = open_kcore(saver, error);
	for (i = 0; i < texts.count && ret >= 0; i++)
		ret = save_text(saver, &texts.ranges[i], time, false, error);
	free(texts.ranges);
	return ret < 0 || time ? ret : save_vdso(saver, error);
}

/* It went before it was read. */
static int note_missing(const struct saver *saver, const char *name, uint64_t address, uint64_t size,
			uint64_t time, struct rvtrace_failure *error)
{
	struct json_object *entry = saver_entry("missing", name, NULL);

	json_object_object_add(entry, "address", saver_hex(address));
	json_object_object_add(entry, "size", json_object_new_uint64(size));
	json_object_object_add(entry, "time", json_object_new_uint64(time));
	json_object_object_add(entry, "reason",
			       json_object_new_string("kernel text was removed before it was read"));
	return saver_line(saver, "index.jsonl", entry, error);
}

int saver_text(struct saver *saver, const char *name, uint64_t address, uint64_t size,
	       uint64_t time, struct rvtrace_failure *error)
{
	struct rvtrace_text range = { .start = address, .end = address + size };
	int ret = open_kcore(saver, error);

	if (ret || !address || !size || size > TEXT_MAX)
		return ret;
	snprintf(range.name, sizeof(range.name), "%.63s", name);
	saver->generation++;
	ret = save_text(saver, &range, time, true, error);
	if (ret)
		return ret < 0 ? ret : 0;
	return note_missing(saver, range.name, address, size, time, error);
}

/* Who asks reads what others wrote: it gets text of a module that is there, no other memory. */
int saver_module(struct saver *saver, struct json_object *request,
		 struct rvtrace_failure *error)
{
	uint64_t address = saver_number(request, "address"), size = saver_number(request, "size");
	uint64_t time = saver_number(request, "time");
	const char *name = saver_string(request, "name");
	struct rvtrace_text text;
	int ret = rvtrace_text_of_module("", name, &text, error);

	if (ret && ret != -ENOENT)
		return ret;
	if (ret || text.start != address)
		return note_missing(saver, name, address, size, time, error);
	if (size > text.end - text.start)
		size = text.end - text.start;
	return saver_text(saver, name, address, size, time, error);
}

static void add_range(struct json_object *ranges, const struct saver_text *text, size_t start,
		      size_t end)
{
	struct json_object *pair = json_object_new_array();

	json_object_array_add(pair, saver_hex(text->range.start + start));
	json_object_array_add(pair, saver_hex(text->range.start + end));
	json_object_array_add(ranges, pair);
}

/* Bytes from the first one on that are the same: pages at a time, as almost all are. */
static size_t same(const uint8_t *a, const uint8_t *b, size_t size)
{
	size_t at = 0;

	while (size - at >= PAGE && !memcmp(a + at, b + at, PAGE))
		at += PAGE;
	while (at < size && a[at] == b[at])
		at++;
	return at;
}

/* Changes are told in units of the smallest instruction, neighbours as one. */
static void compare_text(const struct saver_text *text, const uint8_t *now,
			 struct json_object *ranges)
{
	size_t at = 0, start;

	for (;;) {
		at += same(now + at, text->bytes + at, text->size - at);
		if (at == text->size)
			return;
		start = at & ~1ULL;
		while (at < text->size && now[at] != text->bytes[at])
			at = (at | 1) + 1;
		if (at > text->size)
			at = text->size;
		add_range(ranges, text, start, at);
	}
}

static int check_text(struct saver *saver, const struct saver_text *text,
		      struct rvtrace_failure *error)
{
	struct json_object *ranges = json_object_new_array(), *entry;
	uint8_t *now = malloc(text->size);
	ssize_t got = now ? read_kernel(saver, &text->range, text->range.start, now, text->size) :
			    -ENOMEM;
	int changes, ret;
	char file[200];

	if (got == (ssize_t)text->size)
		compare_text(text, now, ranges);
	else
		add_range(ranges, text, 0, text->size);
	free(now);
	changes = json_object_array_length(ranges);
	if (!changes) {
		json_object_put(ranges);
		return 0;
	}
	entry = saver_entry("changed", text->range.name, NULL);
	snprintf(file, sizeof(file), "images/%s", text->file);
	json_object_object_add(entry, "file", json_object_new_string(file));
	json_object_object_add(entry, "ranges", ranges);
	ret = saver_line(saver, "index.jsonl", entry, error);
	return ret ? ret : changes;
}

int saver_check(struct saver *saver, struct rvtrace_failure *error)
{
	int ret, changes = 0;
	size_t i;

	for (i = 0; i < saver->text_count; i++) {
		ret = check_text(saver, &saver->texts[i], error);
		if (ret < 0)
			return ret;
		changes += ret;
	}
	return changes;
}

/* ADDRESS TYPE NAME [MODULE]: whether it is a name of code. Of modules, most are labels. */
static bool names_code(const char *line)
{
	const char *type = strchr(line, ' ');

	return type && type[1] && strchr("tTwW", type[1]) && type[2] == ' ' &&
	       rvtrace_is_code_name(type + 3);
}

/* Lines of /proc/kallsyms that name code; it is half a million lines long. */
int saver_kallsyms(struct saver *saver, struct rvtrace_failure *error)
{
	struct json_object *entry;
	size_t size = 0, room = 0;
	char *text = NULL, *line = NULL;
	FILE *in = fopen("/proc/kallsyms", "re"), *out = open_memstream(&text, &size);
	int ret = 0;

	if (!in || !out)
		ret = rvtrace_fail(error, errno, 0, "/proc/kallsyms: %s", strerror(errno));
	while (!ret && getline(&line, &room, in) > 0) {
		if (names_code(line))
			fputs(line, out);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	if (!ret) {
		entry = saver_entry("symbols", "vmlinux", NULL);
		ret = saver_image(saver, entry, "kallsyms", text, size, error);
	}
	free(line);
	free(text);
	return ret;
}
