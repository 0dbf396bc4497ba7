/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RVTRACE_TRACECTL_ELF_H
#define RVTRACE_TRACECTL_ELF_H

/* Width of addresses of an ELF file: 32 or 64; 0 if it is none, or cannot be read. */
unsigned int elf_width(const char *path);

#endif /* RVTRACE_TRACECTL_ELF_H */
