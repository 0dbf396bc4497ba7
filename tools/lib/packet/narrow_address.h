/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RVTRACE_NARROW_ADDRESS_H
#define RVTRACE_NARROW_ADDRESS_H

#include <stdint.h>

/* SiFive's encoders send bits 48 to 1 of a virtual address at most; where that is Sv39, bits 47 to 1. */
#define NARROW_BITS	49

/*
 * The address whose low bits an encoder of narrow addresses sent, or that follows from an address
 * before it by XOR of these. An address that was sent in full, with neither 0 nor 1 in all bits
 * above, stays as it is.
 */
static inline uint64_t extend_narrow(uint64_t address)
{
	uint64_t above = UINT64_MAX << NARROW_BITS;
	uint64_t sign = UINT64_MAX << (NARROW_BITS - 2);

	if ((address & above) && (address & above) != above)
		return address;
	if (address & sign & ~above)
		return address | (address >> (NARROW_BITS - 2) & 1 ? sign : above);
	return address & ~above;
}

#endif /* RVTRACE_NARROW_ADDRESS_H */
