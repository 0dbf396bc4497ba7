/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Landing pads: where an exception of C++ goes on in a function that it passes.
 *
 * Compilers describe it for each call site of a function, in the language-specific data area (LSDA)
 * of the function's unwind table: .eh_frame and .gcc_except_table of an ELF file. This reads them:
 *
 *	rvtrace_landings_of_elf(fd, &landings);
 *	if (rvtrace_landing_leads(landings, return_address - 1, address) > 0)
 *		an exception that passes that call goes on at address
 *	rvtrace_landings_free(landings);
 *
 * All addresses are link addresses, those of the file's own numbering. Files may be damaged, or
 * made to do harm: what cannot be read is unknown.
 */
#ifndef RVTRACE_LANDING_H
#define RVTRACE_LANDING_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_landings;

/**
 * struct rvtrace_landing_section - bytes of a section
 * @bytes: them
 * @size: their number
 * @address: of the first one
 */
struct rvtrace_landing_section {
	const void *bytes;
	size_t size;
	uint64_t address;
};

/**
 * rvtrace_landings_new() - read the tables of a file
 * @xlen: width of addresses: 32 or 64
 * @frames: .eh_frame; copied
 * @tables: .gcc_except_table; copied
 * @landings: the tables; free them with rvtrace_landings_free()
 *
 * Records of @frames that are damaged, or encoded in a way that is not supported, are left out.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_landings_new(unsigned int xlen, const struct rvtrace_landing_section *frames,
			 const struct rvtrace_landing_section *tables,
			 struct rvtrace_landings **landings);

/**
 * rvtrace_landings_of_elf() - read the tables of an ELF file
 * @fd: the file, open for reading; it stays open
 * @landings: the tables, which are empty if the file has none; free them with
 *	rvtrace_landings_free()
 *
 * Return: 0; RVTRACE_ERR_NOT_ELF, RVTRACE_ERR_NO_MEMORY: @landings is not set.
 */
int rvtrace_landings_of_elf(int fd, struct rvtrace_landings **landings);

/**
 * rvtrace_landings_free() - free tables
 * @landings: the tables, or NULL (no effect)
 */
void rvtrace_landings_free(struct rvtrace_landings *landings);

/**
 * rvtrace_landing_leads() - whether an exception that passes a call goes on at an address
 * @landings: the tables
 * @call_site: an address in the instruction that called, as the return address minus 1
 * @landing: the address
 *
 * The landing pad may be in another part of the function (".cold") than the call.
 *
 * Return: 1: it does, if it stops in this function at all; 0: it does not;
 * RVTRACE_ERR_INVALID: unknown: nothing describes the call site, or what does is damaged, or
 * encoded in a way that is not supported.
 */
int rvtrace_landing_leads(const struct rvtrace_landings *landings, uint64_t call_site,
			  uint64_t landing);

RVTRACE_END_DECLS

#endif /* RVTRACE_LANDING_H */
