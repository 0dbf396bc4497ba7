/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of unwrapping share: bytes that grow, and who takes what was found. */
#ifndef UNWRAP_FIXTURE_H
#define UNWRAP_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/unwrap.h>

#define BYTES(...)	((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

#define MAX_DAMAGE	64
#define MAX_AT		8

/* Initialized with zeros. */
struct bytes {
	uint8_t *data;
	size_t size;
	size_t room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

/* bytes_add() as a callback of the encoders. */
void bytes_write(void *opaque, const uint8_t *data, size_t size);

/**
 * struct found - what a decoder handed on
 * @bytes: all of it
 * @at: where in the input the first @ats pieces of it were
 * @before: how many of them came before each damage
 * @patterns, @pattern_offset: calibration patterns, and where they began last
 */
struct found {
	struct bytes bytes;
	uint64_t at[MAX_AT];
	size_t ats;
	struct rvtrace_unwrap_damage damage[MAX_DAMAGE];
	size_t before[MAX_DAMAGE];
	size_t damages;
	uint64_t patterns;
	uint64_t pattern_offset;
};

struct rvtrace_unwrap_handler found_handler(struct found *found);
void found_free(struct found *found);

/* Fail unless it is exactly that. */
void expect_bytes(const struct bytes *bytes, const void *expected, size_t size);
void expect_damage(const struct found *found, size_t index,
		   enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length);

/* Repeatable: a number below @limit. */
uint32_t random_below(uint32_t limit);

/* How many of @left bytes to give a decoder at once; @chunk 0: by chance. */
size_t piece_of(size_t left, size_t chunk);

#endif /* UNWRAP_FIXTURE_H */
