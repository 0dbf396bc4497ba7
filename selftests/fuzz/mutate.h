/* SPDX-License-Identifier: GPL-2.0 */
/* One random corruption of the bytes of a file. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mutation_kind {
	MUTATION_FLIP,		/* a bit */
	MUTATION_RANDOM,	/* a range becomes random */
	MUTATION_ZERO,		/* a range becomes zeros */
	MUTATION_CUT,		/* the end is missing */
	MUTATION_REMOVE,	/* a range is missing */
	MUTATION_INSERT,	/* random bytes are put in */
	MUTATION_DUPLICATE,	/* a range is there twice in a row */
	MUTATION_SWAP,		/* two ranges change places */
	MUTATION_NUMBER,	/* a word, or a number in a text, gets a value that may be special */
	MUTATION_REPEAT,	/* a range is there many times */
	MUTATION_DELETE,	/* the whole file is missing */
	MUTATIONS,
};

/**
 * struct mutation - what is done to a file
 * @kind: how
 * @unit: ranges begin and end at multiples of it, as items do; 1: anywhere
 * @at: first byte
 * @length: bytes
 * @other: second range of a swap
 * @bytes: the result; NULL: no file
 * @size: its bytes
 */
struct mutation {
	enum mutation_kind kind;
	uint64_t unit;
	uint64_t at;
	uint64_t length;
	uint64_t other;
	uint8_t *bytes;
	uint64_t size;
};

/* A state that depends on nothing but @seed and @number. */
uint64_t random_state(uint64_t seed, uint64_t number);

/* xorshift64*: the same on every machine. @state is not 0. */
uint64_t random_next(uint64_t *state);

/* Below @limit, which is not 0. */
uint64_t random_below(uint64_t *state, uint64_t limit);

/* Chooses and does one; @unit: size of the items in the file. The caller frees @bytes. */
void mutate(struct mutation *mutation, const uint8_t *bytes, uint64_t size, uint64_t unit,
	    uint64_t *state);

const char *mutation_name(enum mutation_kind kind);

#endif /* MUTATE_H */
