// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checksum of trace bytes: docs/formats.md, "Sum".
 *
 * Whoever records the machine it runs on traces its own checking: a taken branch
 * costs up to a dozen bytes of trace, an instruction the time in which another
 * hart makes some. Sums take three instructions for eight bytes, a third of
 * XXH64, and here a branch every 512 bytes.
 */
#include <endian.h>
#include <string.h>

#include <xxhash.h>

#include "recording_internal.h"

#define LANES		4
#define UNROLLED	512	/* bytes */

struct sums {
	uint64_t first[LANES];
	uint64_t second[LANES];
};

#define ROUND(n) do { \
	a += le64toh(words[4 * (n)]); \
	b += le64toh(words[4 * (n) + 1]); \
	c += le64toh(words[4 * (n) + 2]); \
	d += le64toh(words[4 * (n) + 3]); \
	aa += a; \
	bb += b; \
	cc += c; \
	dd += d; \
} while (0)
#define ROUNDS_4(n) do { \
	ROUND(n); \
	ROUND((n) + 1); \
	ROUND((n) + 2); \
	ROUND((n) + 3); \
} while (0)

/* @words, which are aligned, by UNROLLED bytes; the bytes taken. */
static size_t add_aligned(struct sums *sums, const uint64_t *words, size_t length)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, aa = 0, bb = 0, cc = 0, dd = 0;
	size_t left = length;

	for (; left >= UNROLLED; left -= UNROLLED, words += UNROLLED / 8) {
		ROUNDS_4(0);
		ROUNDS_4(4);
		ROUNDS_4(8);
		ROUNDS_4(12);
	}
	*sums = (struct sums) { { a, b, c, d }, { aa, bb, cc, dd } };
	return length - left;
}

uint64_t recording_sum(const void *data, size_t length)
{
	struct sums sums = { 0 };
	const uint8_t *bytes = data;
	unsigned int lane = 0;
	size_t done = 0, part;
	uint64_t word;

	if (!((uintptr_t)data % sizeof(word)))
		done = add_aligned(&sums, data, length);
	for (; done < length; done += part) {
		part = length - done < sizeof(word) ? length - done : sizeof(word);
		word = 0;
		memcpy(&word, bytes + done, part);
		sums.first[lane] += le64toh(word);
		sums.second[lane] += sums.first[lane];
		lane = (lane + 1) % LANES;
	}
	for (lane = 0; lane < LANES; lane++) {
		sums.first[lane] = htole64(sums.first[lane]);
		sums.second[lane] = htole64(sums.second[lane]);
	}
	return XXH64(&sums, sizeof(sums), 0);
}
