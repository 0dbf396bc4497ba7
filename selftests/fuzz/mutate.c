// SPDX-License-Identifier: GPL-2.0
/* One random corruption of the bytes of a file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

#define REPEATED	65536	/* bytes, more than any range has */

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
		"flip", "random", "zero", "cut", "remove", "insert", "duplicate", "swap",
		"number", "repeat", "delete",
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

/* Around limits of some kind */
static uint64_t special(uint64_t *state)
{
	uint64_t power = 1ULL << random_below(state, 64);

	return random_below(state, 4) ? power + random_below(state, 3) - 1 : random_below(state, 9);
}

/* The next number in decimal, if one is near: its place and length */
static bool find_number(const struct mutation *m, uint64_t *from, uint64_t *length)
{
	uint64_t end = min_u64(m->size, m->at + 64);

	for (*from = m->at; *from < end && !isdigit(m->bytes[*from]); ++*from)
		;
	for (*length = 0; *from + *length < end && isdigit(m->bytes[*from + *length]); ++*length)
		;
	return *length;
}

static void change_number(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t *state)
{
	uint64_t value = special(state), from, length;
	char text[24];
	int digits = snprintf(text, sizeof(text), "%" PRIu64, value);

	if (random_below(state, 2) && find_number(m, &from, &length)) {
		memmove(m->bytes + from + digits, bytes + from + length, size - from - length);
		memcpy(m->bytes + from, text, digits);
		m->size = size + digits - length;
		m->at = from;
		return;
	}
	length = min_u64(1ULL << random_below(state, 4), size);
	m->at = min_u64(m->at - m->at % length, size - length);
	memcpy(m->bytes + m->at, &value, length);
}

/* Up to REPEATED bytes more */
static void repeat(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t *state)
{
	uint64_t times = min_u64(1 + random_below(state, 1000), REPEATED / m->length), i;

	make_room(m, bytes, size, m->at, times * m->length);
	for (i = 0; i < times; i++)
		memcpy(m->bytes + m->at + i * m->length, bytes + m->at, m->length);
}

static void apply(struct mutation *m, const uint8_t *bytes, uint64_t size, uint64_t *state)
{
	m->bytes = malloc(size + m->length + REPEATED + 1);
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
	case MUTATION_NUMBER:
		change_number(m, bytes, size, state);
		break;
	case MUTATION_REPEAT:
		repeat(m, bytes, size, state);
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
