// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures that grow: see sized.h. */
#include <stdint.h>
#include <string.h>

#include "sized.h"

#define SIZE_LIMIT	65536	/* more was never set */

bool all_zero(const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < size; i++)
		if (byte[i])
			return false;
	return true;
}

static size_t distance(const void *from, const void *to)
{
	return (const uint8_t *)to - (const uint8_t *)from;
}

static bool fits(size_t size, size_t first)
{
	return size >= first && size <= SIZE_LIMIT;
}

/* What follows the first @from bytes is 0. */
static int rest_is_zero(const void *bytes, size_t from, size_t size)
{
	return all_zero((const uint8_t *)bytes + from, size - from) ? 0 : RVTRACE_ERR_TOO_NEW;
}

int sized_take(void *own, size_t own_size, const void *theirs, const void *first_end)
{
	size_t size = *(const size_t *)theirs;
	size_t both = size < own_size ? size : own_size;

	if (!fits(size, distance(own, first_end)))
		return RVTRACE_ERR_INVALID;
	if (rest_is_zero(theirs, both, size))
		return RVTRACE_ERR_TOO_NEW;
	memcpy(own, theirs, both);
	memset((uint8_t *)own + both, 0, own_size - both);
	*(size_t *)own = own_size;
	return 0;
}

int sized_give(void *theirs, const void *own, size_t own_size, const void *first_end)
{
	size_t size = *(const size_t *)theirs;
	size_t both = size < own_size ? size : own_size;

	if (!fits(size, distance(own, first_end)))
		return RVTRACE_ERR_INVALID;
	memcpy(theirs, own, both);
	memset((uint8_t *)theirs + both, 0, size - both);
	*(size_t *)theirs = size;
	return rest_is_zero(own, both, own_size);
}
