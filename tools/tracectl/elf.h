/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_ELF_H
#define RVTRACE_TRACECTL_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/insn.h>
#include <rvtrace/recording.h>

/* Width of addresses of an ELF file: 32 or 64; 0 if it is none, or cannot be read. */
unsigned int elf_width(const char *path);

/*
 * Whether a file can be a program of a hart of *@xlen bits, 0: which then are those of the program,
 * @xlen NULL: any. @must: it is an ELF file. Returns 0 or a negative errno.
 */
int elf_check(const char *path, bool must, unsigned int *xlen,
	      struct rvtrace_recording_error *error);

/* Adds to @isa the extensions that an ELF file says it uses; @jvt: set if it has a jump table. */
void elf_isa(const char *path, struct rvtrace_isa *isa, uint64_t *jvt);

#endif /* RVTRACE_TRACECTL_ELF_H */
