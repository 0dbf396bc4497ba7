/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of a few bits each, least significant one first, from bytes that are sign-extended
 * without end (E-Trace 2.0, "Instruction Trace Encoder Output Packets").
 */
#ifndef BITS_H
#define BITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BITS_ENDLESS	(1u << 30)	/* struct bits.left: the sign goes on and on */

/**
 * struct bits - where reading is
 * @next: bytes not loaded yet
 * @end: behind the last one
 * @readable: up to here memory may be read, not less than @end
 * @loaded: bits to be read next, the next one in bit 0
 * @left: how many of @loaded are valid
 */
struct bits {
	const uint8_t *next;
	const uint8_t *end;
	const uint8_t *readable;
	uint64_t loaded;
	unsigned int left;
};

static inline uint64_t bits_mask(unsigned int width)
{
	return width < 64 ? (1ULL << width) - 1 : UINT64_MAX;
}

/* @width: 1 to 64 */
static inline uint64_t bits_sign_extend(uint64_t value, unsigned int width)
{
	return (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
}

static inline uint64_t bits_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* The last @size bytes, 1 to 8 of them. */
static __always_inline uint64_t
bits_last(const uint8_t *bytes, size_t size, const uint8_t *readable)
{
	uint8_t copy[8] = { 0 };

	if ((size_t)(readable - bytes) < sizeof(copy)) {
		memcpy(copy, bytes, size);
		bytes = copy;
	}
	return bits_sign_extend(bits_word(bytes), 8 * size);
}

/* There are bytes left to load. */
static __always_inline void bits_load(struct bits *b)
{
	size_t size = b->end - b->next;

	if (size > 8) {
		b->loaded = bits_word(b->next);
		b->left = 64;
		b->next += 8;
	} else {
		b->loaded = bits_last(b->next, size, b->readable);
		b->left = BITS_ENDLESS;
		b->next = b->end;
	}
}

/* @size: at least 1 */
static inline void bits_start(struct bits *b, const uint8_t *bytes, size_t size,
			      const uint8_t *readable)
{
	b->next = bytes;
	b->end = bytes + size;
	b->readable = readable;
	bits_load(b);
}

static inline void bits_drop(struct bits *b, unsigned int width)
{
	b->loaded = (uint64_t)((int64_t)b->loaded >> (width < 64 ? width : 63));
	b->left -= width;
}

/* The next @width bits, 0 to 64. */
static __always_inline uint64_t bits_get(struct bits *b, unsigned int width)
{
	unsigned int low = b->left;
	uint64_t value;

	if (width <= low) {
		value = b->loaded & bits_mask(width);
		bits_drop(b, width);
		return value;
	}
	value = b->loaded & bits_mask(low);
	bits_load(b);
	value |= (b->loaded & bits_mask(width - low)) << low;
	bits_drop(b, width - low);
	return value;
}

/* Whether nothing is left but copies of one bit. */
static __always_inline bool bits_done(struct bits *b)
{
	uint64_t sign = (uint64_t)((int64_t)(int8_t)b->end[-1] >> 7);

	for (; b->left < BITS_ENDLESS / 2; bits_load(b))
		if ((b->loaded ^ sign) & bits_mask(b->left))
			return false;
	return b->loaded == sign;
}

#endif /* BITS_H */
