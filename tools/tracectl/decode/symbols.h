/* SPDX-License-Identifier: GPL-2.0 */
/* Names of code, and the source lines it was made of. */
#ifndef RVTRACE_TRACECTL_SYMBOLS_H
#define RVTRACE_TRACECTL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>
#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/resolver.h>

#include "tools/tracectl/out.h"

struct kallsyms;
struct lines;
struct symbols;
struct symbols_file;

/**
 * struct symbol_place - what is known of the code at an address
 * @name: function, or file without one; NULL: nothing is known
 * @file: of a function, its file; NULL: not known, or @name says it
 * @module: @file is a kernel module, as "[name]"
 * @function: @name is one
 * @has_base: @base is known
 * @base: address that offsets count from: where the function, or the file, begins
 * @start: first address of which the same is known
 * @end: the one after the last
 * @elf: the file, for lines; NULL without
 * @elf_shift: what to add to an address to get the one in @elf
 */
struct symbol_place {
	const char *name;
	const char *file;
	bool module;
	bool function;
	bool has_base;
	uint64_t base;
	uint64_t start;
	uint64_t end;
	struct symbols_file *elf;
	uint64_t elf_shift;
};

/* @recording may be NULL. */
struct symbols *symbols_new(struct rvtrace_program *program,
			    const struct rvtrace_recording *recording);
void symbols_free(struct symbols *symbols);

/* One more ELF file, @bias bytes above its link address: 0, -ENOMEM. */
int symbols_add_elf(struct symbols *symbols, const char *path, uint64_t bias);

/*
 * What is at @address. @item: who executes it; @code: its bytes as the decoder has them, or NULL.
 * Holds for the addresses from @start to before @end while the same item is looked at.
 */
void symbols_find(struct symbols *symbols, const struct rvtrace_resolver *resolver,
		  const struct rvtrace_flow_item *item, uint64_t address, const uint8_t *code,
		  struct symbol_place *place);

/* As "name+0x10 (file)"; nothing if nothing is known. */
void symbols_print(struct out *out, const struct symbol_place *place, uint64_t address);

/* Source file and line of an address of @place, or NULL. Valid as long as the symbols. */
const char *symbols_line(const struct symbol_place *place, uint64_t address, int *line);

/*
 * Whether an exception that passes a call in a file goes on at @landing, both of the file's own
 * numbering: see rvtrace_landing_leads().
 */
int symbols_lands(struct symbols_file *file, uint64_t call_site, uint64_t landing);

/*
 * Names of kernel text: of images/kallsyms; without it, of /proc/kallsyms if the kernel that was
 * recorded runs here, and has not been booted since. NULL without any.
 */
struct kallsyms *kallsyms_read(const struct rvtrace_recording *recording,
			       const struct rvtrace_program *program);
void kallsyms_free(struct kallsyms *kallsyms);
/* Return: whether @address has a name: @place. */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct symbol_place *place);

/* Lines of an ELF file, which stays open, as does its @name. */
struct lines *lines_open(int fd, const char *name);
void lines_close(struct lines *lines);
/* Source file of an address in the ELF file, until the next call, and line; NULL: not known. */
const char *lines_find(struct lines *lines, uint64_t address, int *line);
/* Nobody asks any more. */
void lines_end(void);

#endif /* RVTRACE_TRACECTL_SYMBOLS_H */
