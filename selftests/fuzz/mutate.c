// SPDX-License-Identifier: GPL-2.0
/* One random corruption of the bytes of a file. */
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

uint64_t random_state(uint64_t seed, uint64_t number)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15ULL ^ (number + 1) * 0xd1342543de82ef95ULL;
	int i;

	for (i = 0; i < 8; i++)
		random_next(&state);
	return state;
}

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

const char *mutation_name(enum mutation_kind kind)
{
	static const char *const names[MUTATIONS] = {
		"flip", "random", "zero", "cut", "remove", "insert", "duplicate", "swap", "delete",
	};

	return names[kind];
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A range within @size bytes: mostly short, of every order of magnitude. */
static void choose_range(struct mutation *m, uint64_t size, uint64_t *state)
{
	uint64_t units = size / m->unit;

	m->at = random_below(state, units) * m->unit;
	m->length = (1 + random_below(state, 1ULL << random_below(state, 13))) * m->unit;
	m->length = min_u64(m->length, units * m->unit - m->at);
}

static void choose_swap(struct mutation *m, uint64_t size, uint64_t *state)
{
	uint64_t units;

	choose_range(m, size, state);
	units = size / m->unit;
	m->other = random_below(state, units) * m->unit;
	if (m->other < m->at) {
		uint64_t lower = m->other;

		m->other = m->at;
		m->at = lower;
	}
	m->length = min_u64(m->length, m->other - m->at);
	m->length = min_u64(m->length, size - m->other);
}

static void fill_random(uint8_t *bytes, uint64_t length, uint64_t *state)
{
	while (length--)
		*bytes++ = random_next(state) >> 56;
}

static void swap(struct mutation *m, const uint8_t *bytes)
{
	memcpy(m->bytes + m->at, bytes + m->other, m->length);
	memcpy(m->bytes + m->other, bytes + m->at, m->length);
}

/* Room for @more bytes at @at. */
static void make_room(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t at,
		      uint64_t more)
{
	memcpy(m->bytes, bytes, at);
	memcpy(m->bytes + at + more, bytes + at, size - at);
	m->size = size + more;
}

static void apply(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t *state)
{
	m->bytes = malloc(size + m->length + 1);
	m->size = size;
	memcpy(m->bytes, bytes, size);
	switch (m->kind) {
	case MUTATION_FLIP:
		m->bytes[m->at] ^= 1 << random_below(state, 8);
		break;
	case MUTATION_RANDOM:
		fill_random(m->bytes + m->at, m->length, state);
		break;
	case MUTATION_ZERO:
		memset(m->bytes + m->at, 0, m->length);
		break;
	case MUTATION_CUT:
		m->size = m->at;
		break;
	case MUTATION_REMOVE:
		memmove(m->bytes + m->at, bytes + m->at + m->length, size - m->at - m->length);
		m->size = size - m->length;
		break;
	case MUTATION_INSERT:
		make_room(m, bytes, size, m->at, m->length);
		fill_random(m->bytes + m->at, m->length, state);
		break;
	case MUTATION_DUPLICATE:
		make_room(m, bytes, size, m->at + m->length, m->length);
		memcpy(m->bytes + m->at + m->length, bytes + m->at, m->length);
		break;
	case MUTATION_SWAP:
		swap(m, bytes);
		break;
	default:
		break;
	}
}

void mutate(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t unit,
	    uint64_t *state)
{
	memset(m, 0, sizeof(*m));
	m->kind = random_below(state, MUTATIONS);
	/* Now and then whole items, which no checksum of an item tells. */
	m->unit = unit && unit <= size && !random_below(state, 3) ? unit : 1;
	if (m->kind == MUTATION_FLIP)
		m->unit = 1;
	if (m->kind == MUTATION_SWAP)
		choose_swap(m, size, state);
	else
		choose_range(m, size, state);
	if (m->kind != MUTATION_DELETE)
		apply(m, bytes, size, state);
}
