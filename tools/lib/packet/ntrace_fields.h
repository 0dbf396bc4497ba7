/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of N-Trace messages. Here, as all that reads most messages is to be inlined. */
#ifndef NTRACE_FIELDS_H
#define NTRACE_FIELDS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rvtrace/ntrace.h>

#define MSEO(byte)	((byte) & 0x3)
#define MSEO_NORMAL	0
#define MSEO_VAR_END	1
#define MSEO_RESERVED	2
#define MSEO_END	3
#define MDO_BITS	6

/*
 * Reads the fields of one complete message; its last byte has MSEO_END. Bytes before @limit can be
 * read, though those from @end on say nothing. It stays in registers, as all that moves it along
 * most messages is inlined.
 *
 * @next: the byte that is being read, or the one behind what was
 * @bit: already read of *@next, 0 to 6
 * @word: MDO of up to 8 bytes from @next on, side by side, without what was read
 * @ends: of each of these bytes, one bit, set if a field ends in it
 */
struct cursor {
	const uint8_t *next;
	const uint8_t *end;
	const uint8_t *limit;
	unsigned int bit;
	uint64_t word;
	uint64_t ends;
};

struct field {
	uint64_t value;
	unsigned int bits;	/* as sent, padding included */
	bool overflow;		/* more than 64 significant bits */
	bool extended;		/* those from bit 63 on are all 1 */
};

static inline uint64_t read_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* The MDO bits of 8 bytes, side by side. */
static inline uint64_t gather(uint64_t word)
{
	word = word >> 2 & 0x3f3f3f3f3f3f3f3f;
	word = (word & 0x003f003f003f003f) | (word >> 2 & 0x0fc00fc00fc00fc0);
	word = (word & 0x00000fff00000fff) | (word >> 4 & 0x00fff00000fff000);
	return (word & 0xffffff) | (word >> 8 & 0xffffff000000);
}

/* From the byte on that is being read. */
static __always_inline void load(struct cursor *c)
{
	uint64_t word = 0;

	if (c->limit - c->next >= (ptrdiff_t)sizeof(word))
		word = read_word(c->next);
	else
		for (const uint8_t *p = c->limit; p > c->next;)
			word = word << 8 | *--p;
	c->word = gather(word) >> c->bit;
	c->ends = (word | word >> 1) & 0x0101010101010101;
}

/* A fixed-length field; @bits is 1 to 12. All of them are in the first 8 bytes. */
static __always_inline bool get_fixed(struct cursor *c, unsigned int bits, unsigned int *value)
{
	unsigned int bytes = (c->bit + bits - 1) / MDO_BITS;	/* to the one where it ends */

	if (c->ends & ((1ull << 8 * bytes) - 1))
		return false;
	*value = c->word & ((1u << bits) - 1);
	c->word >>= bits;
	c->bit += bits - bytes * MDO_BITS;
	c->next += bytes;
	c->ends >>= 8 * bytes;
	return true;
}

/* A variable-length field of any length, from a byte of it on. */
static void get_long(struct cursor *c, struct field *field)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	bool overflow = false, ones = true;
	uint8_t byte;

	do {
		unsigned int width = MDO_BITS - c->bit, fits = shift < 64 ? 64 - shift : 0;
		uint64_t chunk;

		byte = *c->next++;
		chunk = byte >> (2 + c->bit);
		if (fits)
			value |= chunk << shift;
		if (width > fits) {
			overflow |= chunk >> fits;
			ones &= chunk >> fits == (1u << (width - fits)) - 1;
		}
		shift += width;
		c->bit = 0;
	} while (MSEO(byte) == MSEO_NORMAL);
	field->value = value;
	field->bits = shift;
	field->overflow = overflow;
	field->extended = ones && value >> 63;
}

/* A variable-length field; it ends on a byte boundary. Most are short. */
static __always_inline bool get_variable(struct cursor *c, struct field *field)
{
	if (c->next == c->end)
		return false;
	if (c->bit == MDO_BITS) {
		if (c->ends & 1)
			return false;
		c->next++;
		c->bit = 0;
		c->ends >>= 8;
	}
	if (!c->ends)
		load(c);
	if (c->ends) {
		unsigned int size = __builtin_ctzll(c->ends) / 8 + 1;

		field->bits = size * MDO_BITS - c->bit;
		field->value = c->word & ((1ull << field->bits) - 1);
		field->overflow = false;
		field->extended = false;
		c->word >>= field->bits;
		c->ends >>= 8 * size - 1;	/* of its last byte it is the only bit */
		c->ends >>= 1;
		c->next += size;
		c->bit = 0;
	} else {
		struct cursor copy = *c;	/* *c stays in registers */

		get_long(&copy, field);
		*c = copy;
	}
	return true;
}

/* A variable-length field of at most @bits significant bits. */
static __always_inline int get_number(struct cursor *c, unsigned int bits, uint64_t *value)
{
	struct field field;

	if (!get_variable(c, &field))
		return RVTRACE_ERR_TRUNCATED;
	if (field.overflow || (bits < 64 && field.value >> bits))
		return RVTRACE_ERR_FIELD;
	*value = field.value;
	return 0;
}

#endif /* NTRACE_FIELDS_H */
