// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: ELF files of others, and names of kernel text. */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <rvtrace/program.h>

#include "folder.h"
#include "target.h"
#include "tools/lib/code/build_id.h"
#include "tools/tracectl/elf.h"
#include "tools/tracectl/decode/symbols.h"
#include "tools/tracectl/tracectl.h"

#define ADDRESSES	64	/* that are looked at */

static uint64_t seen;	/* so that all that is delivered is read */

/* What tracectl says is not looked at. */
void info_text(const char *format, ...)
{
	(void)format;
}

void warn_text(const char *format, ...)
{
	(void)format;
}

void put_visible(FILE *file, const char *text)
{
	(void)file;
	(void)text;
}

static void check_build_id(const char *text)
{
	promise(strlen(text) < RVTRACE_BUILD_ID_TEXT && !(strlen(text) % 2));
	promise(strspn(text, "0123456789abcdef") == strlen(text));
}

/* As the daemon does of files that processes map, and of notes of the kernel */
static void read_build_ids(const char *path)
{
	char text[RVTRACE_BUILD_ID_TEXT], same[RVTRACE_BUILD_ID_TEXT];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	rvtrace_build_id_of_fd(fd, text);
	close(fd);
	check_build_id(text);
	rvtrace_build_id_of_file(path, same);
	promise(!strcmp(text, same));
	rvtrace_build_id_of_notes(path, text);
	check_build_id(text);
}

static uint64_t map_elf(const char *path)
{
	struct rvtrace_image *image = rvtrace_image_new();
	int ret = rvtrace_image_add_elf(image, path, 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY);
	struct rvtrace_window window;
	uint64_t entry = 0;

	promise(ret >= 0 || strcmp(rvtrace_strerror(ret), "unknown error"));
	if (rvtrace_image_entry(image, &entry) &&
	    rvtrace_image_find(image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY, entry, &window)) {
		promise(window.start <= entry && window.last >= entry);
		seen += window.bytes[0] + window.bytes[window.last - window.start];
	}
	rvtrace_image_free(image);
	return entry;
}

static void look_at_symbols(struct rvtrace_program *program, const char *path, uint64_t entry)
{
	struct symbols *symbols = symbols_new(program, NULL);
	const struct rvtrace_flow_item item = { .type = RVTRACE_FLOW_BLOCKS };
	struct symbol_place place;
	uint64_t address = entry;
	const char *file;
	int i, line;

	promise(!symbols_add_elf(symbols, path, 0));
	for (i = 0; i < ADDRESSES; i++) {
		symbols_find(symbols, NULL, &item, address, NULL, &place);
		promise(place.start <= address && (place.end > address || !place.end));
		if (place.name)
			seen += strlen(place.name);
		file = symbols_line(&place, address, &line);
		if (file)
			seen += strlen(file);
		address = place.end > address + 1 ? place.end : address + 2;
	}
	symbols_free(symbols);
}

/* The image of a program of others, its build id, extensions, names and lines. */
void fuzz_elf(const uint8_t *bytes, size_t size)
{
	struct rvtrace_program *program = rvtrace_program_new();
	struct rvtrace_failure error = { 0 };
	struct rvtrace_isa isa = { .xlen = 64 };
	unsigned int xlen = 0;
	uint64_t jvt, entry;
	char path[128];
	int ret;

	folder_empty();
	folder_put("elf", bytes, size);
	snprintf(path, sizeof(path), "%s/elf", folder_path());
	read_build_ids(path);
	ret = elf_check(path, true, &xlen, &error);
	promise(!ret || (error.code == -ret && *error.text));
	elf_isa(path, &isa, &jvt);
	entry = map_elf(path);
	ret = rvtrace_program_add_image(program, path, 0, false, RVTRACE_PRIV_ANY, &error);
	promise(!ret || (error.code == -ret && *error.text));
	look_at_symbols(program, path, entry);
	rvtrace_program_free(program);
}

/* images/kallsyms */
void fuzz_kallsyms(const uint8_t *bytes, size_t size)
{
	static const char metadata[] = "\n@@ metadata.json\n"
				       "{\"schema\":2,\"complete\":true,\"sinks\":[{\"name\":\"s0\"}]}";
	struct rvtrace_program *program = rvtrace_program_new();
	struct rvtrace_recording *recording;
	struct kallsyms *kallsyms;
	struct symbol_place place;
	const uint8_t *line = bytes;
	int i;

	folder_unpack((const uint8_t *)metadata, sizeof(metadata) - 1);
	folder_put("images/kallsyms", bytes, size);
	promise(!rvtrace_recording_open(folder_path(), &recording, NULL));
	kallsyms = kallsyms_read(recording, program);
	for (i = 0; kallsyms && line && i < ADDRESSES; i++) {
		char text[17] = "";
		uint64_t address;

		memcpy(text, line, bytes + size - line < 16 ? bytes + size - line : 16);
		address = strtoull(text, NULL, 16) + i % 3;
		if (kallsyms_find(kallsyms, address, &place)) {
			promise(place.start <= address && place.end > address);
			promise(*place.name && strlen(place.name) < 512);
		}
		line = memchr(line, '\n', bytes + size - line);
		line = line ? line + 1 : NULL;
	}
	kallsyms_free(kallsyms);
	rvtrace_recording_free(recording);
	rvtrace_program_free(program);
}
