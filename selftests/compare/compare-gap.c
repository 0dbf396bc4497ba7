// SPDX-License-Identifier: GPL-2.0
/* Stretches of unknown flow, of which the trace says how long they are: see compare-segment.h. */
#include <stdlib.h>

#include "selftests/compare/compare-segment.h"

/* Half-words of the instruction at an address */
#define CONFLICT	3	/* different ones, at different times */

/**
 * struct compare_sizes - how long instructions are, of all that were decoded
 * @pcs: where they are, place(), a hash table; 0: none
 * @sizes: in half-words, or CONFLICT
 * @mask: one less than there is room for
 * @count: of them
 */
struct compare_sizes {
	uint64_t *pcs;
	uint8_t *sizes;
	size_t mask;
	size_t count;
};

static size_t slot_of(const struct compare_sizes *table, uint64_t pc)
{
	size_t i = pc * 0x9e3779b97f4a7c15ull >> 32 & table->mask;

	while (table->pcs[i] && table->pcs[i] != pc)
		i = (i + 1) & table->mask;
	return i;
}

static bool grow(struct compare_sizes *table)
{
	struct compare_sizes old = *table;
	size_t i, slot;

	table->mask = old.pcs ? 2 * old.mask + 1 : (1 << 16) - 1;
	table->pcs = calloc(table->mask + 1, sizeof(*table->pcs));
	table->sizes = calloc(table->mask + 1, sizeof(*table->sizes));
	if (!table->pcs || !table->sizes) {
		free(table->pcs);
		free(table->sizes);
		*table = old;
		return false;
	}
	for (i = 0; old.pcs && i <= old.mask; i++) {
		if (!old.pcs[i])
			continue;
		slot = slot_of(table, old.pcs[i]);
		table->pcs[slot] = old.pcs[i];
		table->sizes[slot] = old.sizes[i];
	}
	free(old.pcs);
	free(old.sizes);
	return true;
}

/* An address, of user code in its address space */
static uint64_t place(uint64_t pc, unsigned int priv, uint64_t space)
{
	return priv ? pc : pc ^ space << 48;
}

static void learn(struct compare_sizes *table, uint64_t item, uint64_t space)
{
	uint64_t pc = place(flow_pc(item), flow_priv(item), space);
	unsigned int size = flow_halfwords(item);
	size_t slot;

	if (!size || (2 * table->count >= table->mask && !grow(table)))
		return;
	slot = slot_of(table, pc);
	if (!table->pcs[slot]) {
		table->count++;
		table->pcs[slot] = pc;
		table->sizes[slot] = size;
	} else if (table->sizes[slot] != size) {
		table->sizes[slot] = CONFLICT;
	}
}

static struct compare_sizes *learn_all(const struct comparison *c)
{
	struct compare_sizes *table = calloc(1, sizeof(*table));
	uint64_t space = 0;
	size_t i;

	for (i = 0; table && i < c->count; i++)
		if (!flow_is_event(c->flow[i]))
			learn(table, c->flow[i], space);
		else if (flow_kind(c->flow[i]) == FLOW_SPACE)
			space = flow_argument(c->flow[i]);
	return table;
}

void compare_sizes_free(struct compare_sizes *table)
{
	if (!table)
		return;
	free(table->pcs);
	free(table->sizes);
	free(table);
}

/* At least and at most so many half-words: those of @step, before that at @next. */
static void add_size(const struct compare_sizes *table, const struct truth_step *step,
		     uint64_t space, uint64_t next, uint64_t *least, uint64_t *most)
{
	uint64_t at = place(step->pc, step->priv, space);
	unsigned int size = table && table->pcs ? table->sizes[slot_of(table, at)] : 0;

	if (!size || size == CONFLICT)
		size = next == step->pc + 2;	/* anywhere else, a jump may lead */
	*least += size ? size : 1;
	*most += size ? size : 2;
}

/* A loop comes to the same instruction again. */
#define GOES_ON		512

bool compare_goes_on(struct comparison *c, const struct run *run, const struct truth_step *next)
{
	struct comparison scratch = *c;
	struct truth_step step = *next;
	struct run ahead = *run;
	unsigned int i;
	uint64_t item;

	for (i = 0; i < GOES_ON && compare_peek_insn(&scratch, &ahead, &item); i++) {
		if (!compare_same(item, &step))
			return false;
		if (!truth_next(c->truth, &step))
			break;
		ahead.item++;
	}
	return true;
}

bool compare_skip_gap(struct comparison *c, struct run *run)
{
	uint64_t claimed = flow_argument(c->flow[run->item++]), least = 0, most = 0;
	struct truth_step step = run->step, next;
	bool more;

	if (!c->sizes)
		c->sizes = learn_all(c);
	run->stretches++;
	run->matched = false;
	if (!truth_next(c->truth, &step))
		return true;
	for (;;) {
		next = step;
		more = truth_next(c->truth, &next);
		add_size(c->sizes, &step, run->space, more ? next.pc : 0, &least, &most);
		run->gaps++;
		run->step = step;
		if (!more)
			break;
		if (least > claimed) {
			compare_note(run, "a stretch of unknown flow is longer than it says", &step);
			return false;
		}
		if (most >= claimed && (least == most || compare_goes_on(c, run, &next)))
			return true;
		step = next;
	}
	return true;
}
