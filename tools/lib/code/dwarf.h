/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of unwind tables: reading ends with the bytes, or at what cannot be read. */
#ifndef RVTRACE_DWARF_H
#define RVTRACE_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#define DWARF_OMIT	0xff	/* DW_EH_PE_omit: there is no value */

/**
 * struct dwarf - bytes of a section that are read
 * @next: the next one
 * @end: behind the last one
 * @address: of @next
 * @xlen: width of addresses
 * @bad: a value could not be read; it and all later ones are 0
 */
struct dwarf {
	const uint8_t *next;
	const uint8_t *end;
	uint64_t address;
	unsigned int xlen;
	bool bad;
};

/* A number of 1, 2, 4 or 8 bytes, little-endian. */
uint64_t dwarf_fixed(struct dwarf *d, unsigned int size);
uint64_t dwarf_uleb(struct dwarf *d);
void dwarf_skip(struct dwarf *d, uint64_t size);

/*
 * A value in the encoding DW_EH_PE_*. Supported are all formats, absolute and relative to the place
 * of the value itself. A value of 0 is 0, whatever it is relative to.
 */
uint64_t dwarf_encoded(struct dwarf *d, uint8_t encoding);
/* The same value's format alone. */
uint64_t dwarf_formatted(struct dwarf *d, uint8_t encoding);

#endif /* RVTRACE_DWARF_H */
