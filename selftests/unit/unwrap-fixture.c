// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/unwrap-fixture.h"

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	if (!size)
		return;
	if (bytes->room - bytes->size < size) {
		bytes->room = 2 * (bytes->size + size);
		bytes->data = realloc(bytes->data, bytes->room);
		assert_non_null(bytes->data);
	}
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

void bytes_write(void *opaque, const uint8_t *data, size_t size)
{
	bytes_add(opaque, data, size);
}

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct found *found = data;

	if (found->ats < MAX_AT)
		found->at[found->ats++] = offset;
	bytes_add(&found->bytes, bytes, size);
}

static void take_damage(void *data, const struct rvtrace_unwrap_damage *damage)
{
	struct found *found = data;

	assert_true(found->damages < MAX_DAMAGE);
	found->before[found->damages] = found->bytes.size;
	found->damage[found->damages++] = *damage;
}

static void take_patterns(void *data, uint64_t offset, uint64_t count)
{
	struct found *found = data;

	found->patterns += count;
	found->pattern_offset = offset;
}

struct rvtrace_unwrap_handler found_handler(struct found *found)
{
	return (struct rvtrace_unwrap_handler){
		.size = sizeof(struct rvtrace_unwrap_handler),
		.bytes = take_bytes, .damage = take_damage, .calibration = take_patterns,
		.data = found,
	};
}

void found_free(struct found *found)
{
	bytes_free(&found->bytes);
	memset(found, 0, sizeof(*found));
}

void expect_bytes(const struct bytes *bytes, const void *expected, size_t size)
{
	assert_int_equal(bytes->size, size);
	if (size)
		assert_memory_equal(bytes->data, expected, size);
}

void expect_damage(const struct found *found, size_t index,
		   enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length)
{
	assert_true(index < found->damages);
	assert_int_equal(found->damage[index].kind, kind);
	assert_int_equal(found->damage[index].offset, offset);
	assert_int_equal(found->damage[index].length, length);
}

uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 32) % limit;
}

size_t piece_of(size_t left, size_t chunk)
{
	if (!chunk)
		chunk = 1 + random_below(40);
	return chunk < left ? chunk : left;
}
