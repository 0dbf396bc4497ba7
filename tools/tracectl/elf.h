/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_ELF_H
#define RVTRACE_TRACECTL_ELF_H

#include <stdint.h>

#include <rvtrace/insn.h>

/* Width of addresses of an ELF file: 32 or 64; 0 if it is none, or cannot be read. */
unsigned int elf_width(const char *path);

/* Adds to @isa the extensions that an ELF file says it uses; @jvt: set if it has a jump table. */
void elf_isa(const char *path, struct rvtrace_isa *isa, uint64_t *jvt);

#endif /* RVTRACE_TRACECTL_ELF_H */
