// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers of unwind tables: see dwarf.h. */
#include "dwarf.h"

/* DW_EH_PE_*: the format, what the value is relative to, and whether it is the place of another */
#define FORMAT		0x0f
#define ABSPTR		0x00
#define ULEB128		0x01
#define UDATA2		0x02
#define UDATA4		0x03
#define UDATA8		0x04
#define SIGNED		0x08
#define SLEB128		0x09
#define SDATA2		0x0a
#define SDATA4		0x0b
#define SDATA8		0x0c
#define RELATION	0x70
#define PCREL		0x10
#define ALIGNED		0x50	/* absolute, with padding before it */

#define LEB_BYTES	10	/* of 64 bits */

static uint64_t fail(struct dwarf *d)
{
	d->bad = true;
	d->next = d->end;
	return 0;
}

void dwarf_skip(struct dwarf *d, uint64_t size)
{
	if (d->bad || size > (uint64_t)(d->end - d->next)) {
		fail(d);
		return;
	}
	d->next += size;
	d->address += size;
}

uint64_t dwarf_fixed(struct dwarf *d, unsigned int size)
{
	const uint8_t *bytes = d->next;
	uint64_t value = 0;

	dwarf_skip(d, size);
	for (unsigned int i = 0; i < size && !d->bad; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

static uint64_t leb(struct dwarf *d, bool is_signed)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned int i = 0; i < LEB_BYTES; i++) {
		byte = dwarf_fixed(d, 1);
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && i < LEB_BYTES - 1)
			value |= -1ULL << (7 * (i + 1));
		return d->bad ? 0 : value;
	}
	return fail(d);
}

uint64_t dwarf_uleb(struct dwarf *d)
{
	return leb(d, false);
}

static uint64_t signed_fixed(struct dwarf *d, unsigned int size)
{
	uint64_t sign = 1ULL << (8 * size - 1);

	return (dwarf_fixed(d, size) ^ sign) - sign;
}

uint64_t dwarf_formatted(struct dwarf *d, uint8_t encoding)
{
	if ((encoding & RELATION) == ALIGNED)
		return fail(d);
	switch (encoding & FORMAT) {
	case ABSPTR:
	case SIGNED:
		return dwarf_fixed(d, d->xlen / 8);
	case ULEB128:
		return leb(d, false);
	case UDATA2:
		return dwarf_fixed(d, 2);
	case UDATA4:
		return dwarf_fixed(d, 4);
	case UDATA8:
	case SDATA8:
		return dwarf_fixed(d, 8);
	case SLEB128:
		return leb(d, true);
	case SDATA2:
		return signed_fixed(d, 2);
	case SDATA4:
		return signed_fixed(d, 4);
	default:
		return fail(d);
	}
}

uint64_t dwarf_encoded(struct dwarf *d, uint8_t encoding)
{
	uint64_t place = d->address, value;

	value = dwarf_formatted(d, encoding);
	if (value && encoding & ~(FORMAT | PCREL))
		return fail(d);
	if (value && encoding & PCREL)
		value += place;
	return d->xlen == 32 ? (uint32_t)value : value;
}
