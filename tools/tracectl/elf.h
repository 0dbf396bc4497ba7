/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_ELF_H
#define RVTRACE_TRACECTL_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include <libelf.h>

#include <rvtrace/insn.h>
#include <rvtrace/recording.h>

/* Width of addresses of an ELF file: 32 or 64; 0 if it is none, or cannot be read. */
unsigned int elf_width(const char *path);

/*
 * Whether a file can be a program of a hart of *@xlen bits, 0: which then are those of the program,
 * @xlen NULL: any. @must: it is an ELF file. Returns 0 or a negative errno.
 */
int elf_check(const char *path, bool must, unsigned int *xlen,
	      struct rvtrace_failure *error);

/* Adds to @isa the extensions that an ELF file says it uses; @jvt: set if it has a jump table. */
void elf_isa(const char *path, struct rvtrace_isa *isa, uint64_t *jvt);

/* What no file has that compilers made, and libelf takes much time or memory for */
#define ELF_SEGMENTS_MAX	1024
#define ELF_UNPACKED_MAX	(16ULL << 20)	/* bytes of compressed sections, unpacked, */
#define ELF_UNPACKED_SHARE	16		/* and so many times the file's */

/* Why the sections of an ELF file of @file_size bytes are not to be read; NULL: they can be. */
const char *elf_fault(Elf *elf, uint64_t file_size);

bool elf_has_section(Elf *elf, const char *name);

#endif /* RVTRACE_TRACECTL_ELF_H */
