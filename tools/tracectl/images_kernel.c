// SPDX-License-Identifier: GPL-2.0
/* The kernel's text, as it is and as it was, and the vDSO. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <json-c/json.h>

#include "images_internal.h"
#include "tracectl.h"

#define VDSO_MAX	(64 * 1024)

static bool is_kernel(const struct rvtrace_text *range)
{
	return !strcmp(range->name, "vmlinux");
}

/* Zeroes at the end were never text: pages that are not there read as zero. */
static size_t trim(const uint8_t *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return (size + 3) & ~3ULL;
}

static int save_text(struct images *images, struct rvtrace_kcore *kcore,
		     const struct rvtrace_text *range, struct saved_text *text)
{
	size_t room = range->end - range->start, i;
	char *name = text->file, notes[256], build_id[BUILD_ID_TEXT];
	ssize_t got;
	int ret;

	text->range = *range;
	text->bytes = malloc(room);
	if (!text->bytes)
		return -ENOMEM;
	got = rvtrace_kcore_read(kcore, range->start, text->bytes, room);
	if (got < 0) {
		if (!is_kernel(range))
			return 0;	/* it is gone by now */
		error_text("/proc/kcore: %s: %s", range->name, strerror(-got));
		return got;
	}
	text->size = is_kernel(range) ? (size_t)got : trim(text->bytes, got);
	if (text->size > (size_t)got)
		text->size = got;
	if (!text->size)
		return 0;
	if (is_kernel(range)) {
		strcpy(name, "kernel");
		snprintf(notes, sizeof(notes), "/sys/kernel/notes");
	} else {
		snprintf(name, sizeof(text->file), "module-%s-%llx", range->name,
			 (unsigned long long)range->start);
		snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id",
			 range->name);
	}
	for (i = 0; name[i]; i++)
		if (name[i] == '/')
			name[i] = '_';
	build_id_of_notes(notes, build_id);
	ret = images_add(images, name, is_kernel(range) ? "kernel" : "module", range->name,
			 build_id, range->start, text->bytes, text->size);
	if (ret)
		return ret;
	images->text_count++;
	return 0;
}

/* The vDSO is the same code in every process; where it lies differs. */
static int save_vdso(struct images *images)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;

	if (!header)
		return 0;
	size = (header->e_shoff + header->e_shnum * header->e_shentsize + 4095) & ~4095ULL;
	if (size > VDSO_MAX)
		return 0;
	return images_add(images, "vdso", "vdso", "[vdso]", NULL, 0, header, size);
}

int images_save_kernel(struct images *images)
{
	struct rvtrace_recording_error error;
	struct rvtrace_kcore *kcore;
	struct rvtrace_texts texts;
	size_t i;
	int ret;

	ret = rvtrace_texts_find("", &texts, &error);
	if (ret) {
		error_text("%s", error.text);
		return ret;
	}
	ret = rvtrace_kcore_open(NULL, &kcore, &error);
	if (ret) {
		error_text("%s", error.text);
		free(texts.ranges);
		return ret;
	}
	images->texts = calloc(texts.count, sizeof(*images->texts));
	if (!images->texts)
		ret = -ENOMEM;
	for (i = 0; i < texts.count && !ret; i++) {
		struct saved_text *text = &images->texts[images->text_count];
		size_t before = images->text_count;

		ret = save_text(images, kcore, &texts.ranges[i], text);
		if (images->text_count == before) {
			free(text->bytes);
			text->bytes = NULL;
		}
	}
	if (ret == -ENOMEM)
		error_text("out of memory");
	rvtrace_kcore_close(kcore);
	free(texts.ranges);
	return ret ? ret : save_vdso(images);
}

static void add_change(const struct saved_text *text, struct json_object *ranges, size_t start,
		       size_t end)
{
	struct json_object *pair = json_object_new_array();
	char address[32];

	snprintf(address, sizeof(address), "0x%llx",
		 (unsigned long long)(text->range.start + start));
	json_object_array_add(pair, json_object_new_string(address));
	snprintf(address, sizeof(address), "0x%llx",
		 (unsigned long long)(text->range.start + end));
	json_object_array_add(pair, json_object_new_string(address));
	json_object_array_add(ranges, pair);
	info_text("%s: text changed while tracing: %s", text->range.name, address);
}

/* Changes are told in units of the smallest instruction, neighbours as one. */
static void compare_text(const struct saved_text *text, struct json_object *ranges,
			 const uint8_t *now, size_t size)
{
	size_t at = 0, start;

	while (at < size) {
		if (now[at] == text->bytes[at]) {
			at++;
			continue;
		}
		start = at & ~1ULL;
		while (at < size && now[at] != text->bytes[at])
			at = (at | 1) + 1;
		add_change(text, ranges, start, at);
	}
}

/* How many changes there are, or a negative errno; they are a line of the index. */
static int check_text(struct images *images, struct rvtrace_kcore *kcore,
		      const struct saved_text *text)
{
	struct json_object *ranges = json_object_new_array(), *line;
	uint8_t *now = malloc(text->size);
	ssize_t got = now ? rvtrace_kcore_read(kcore, text->range.start, now, text->size) : -ENOMEM;
	char file[160];
	int count, ret;

	if (got == (ssize_t)text->size)
		compare_text(text, ranges, now, text->size);
	else
		add_change(text, ranges, 0, text->size);
	free(now);
	count = json_object_array_length(ranges);
	if (!count) {
		json_object_put(ranges);
		return 0;
	}
	snprintf(file, sizeof(file), "images/%s", text->file);
	line = json_object_new_object();
	json_object_object_add(line, "kind", json_object_new_string("changed"));
	json_object_object_add(line, "file", json_object_new_string(file));
	json_object_object_add(line, "ranges", ranges);
	ret = images_line(images, "images/index.jsonl", line);
	return ret ? ret : count;
}

int images_check_kernel(struct images *images)
{
	struct rvtrace_recording_error error;
	struct rvtrace_kcore *kcore;
	int ret, changes = 0;
	size_t i;

	ret = rvtrace_kcore_open(NULL, &kcore, &error);
	if (ret) {
		error_text("%s", error.text);
		return ret;
	}
	for (i = 0; i < images->text_count && ret >= 0; i++) {
		ret = check_text(images, kcore, &images->texts[i]);
		changes += ret;
	}
	rvtrace_kcore_close(kcore);
	return ret < 0 ? ret : changes;
}
