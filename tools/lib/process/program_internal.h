/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The images of a recording inside.
 *
 *	program.c	the files, and where they are mapped
 *	program_load.c	images/index.jsonl
 *	program_code.c	what is found by its instructions
 *	program_text.c	kernel text that came and went
 *	program_find.c	which file it is that was mapped
 *	program_saved.c	memory that no file holds
 */
#ifndef RVTRACE_PROGRAM_INTERNAL_H
#define RVTRACE_PROGRAM_INTERNAL_H

#include <rvtrace/program.h>

#include "spaces_internal.h"

/* Return: the file without its code yet, or NULL without memory. */
struct rvtrace_program_file *program_add_file(struct rvtrace_program *program, const char *kind,
					      const char *name, const char *path,
					      const char *build_id);

/* Return: 0 with @file->code, or a negative errno. */
int program_load_code(struct rvtrace_program_file *file, struct rvtrace_failure *error);

/* The same of an open file. Return: whether memory is missing. */
bool program_load_fd(struct rvtrace_program_file *file, int fd);

/* Of a kernel: where it has changed to another task, in the function that does it; 0: not known */
uint64_t program_find_task_switch(const struct rvtrace_program_file *file, uint64_t function);

/* Of a kernel: whether one place alone calls a function */
bool program_calls_once(const struct rvtrace_program_file *file, uint64_t function);

/* Of a vDSO: offset of what handlers of signals return to; 0: not known */
uint64_t program_find_signal_return(const struct rvtrace_program_file *file);

/* Bytes from @address to the end of all addresses; from the first one, all but one. */
static inline uint64_t program_bytes_from(uint64_t address)
{
	return address ? -address : UINT64_MAX;
}

/* Maps a file's code where @file->address says, for every address space. */
int program_map_everywhere(struct rvtrace_program *program, struct rvtrace_program_file *file,
			   unsigned int privs, struct rvtrace_failure *error);

/*
 * Maps code. What cannot be mapped (a damaged mapping) is as if it were not there. Return: 0 or
 * -ENOMEM.
 */
int program_map_piece(struct rvtrace_program *program, const struct rvtrace_mapping *mapping);

/* The same of the part from @start to @last. */
int program_map_part(struct rvtrace_program *program, const struct rvtrace_mapping *mapping,
		     uint64_t start, uint64_t last);

/* What was saved of the memory that @map shows, from @start to @last. Return: 0 or -ENOMEM. */
int program_map_saved(struct rvtrace_program *program, const struct rvtrace_space_map *map,
		      uint64_t id, uint64_t start, uint64_t last);

/* Where saved pieces are from, and which of their bytes are in doubt. Return: 0 or -ENOMEM. */
int program_compare_saved(struct rvtrace_program *program, const struct rvtrace_spaces *spaces);

/*
 * When the kernel's files were there, from events of the side band and of the sinks; then those
 * that always were are mapped everywhere.
 */
int program_date_text(struct rvtrace_program *program, struct rvtrace_recording *recording,
		      const struct rvtrace_spaces *spaces, struct rvtrace_failure *error);

/* Return: the file with its code; NULL: there is none, or (@failed set) no memory. */
const struct rvtrace_program_file *program_find_file(struct rvtrace_program *program,
						     const struct rvtrace_space_map *map,
						     bool *failed);
void program_lookups_free(struct rvtrace_program_lookups *lookups);

#endif /* RVTRACE_PROGRAM_INTERNAL_H */
