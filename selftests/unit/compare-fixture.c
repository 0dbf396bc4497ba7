// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

/* Loops of 50 instructions, run 10 times each, so that places look alike. */
uint64_t pc_at(size_t i)
{
	return 0xffffffff80001000ULL + i / 500 * 1000 + i % 50 * 2;
}

void add_word(struct fixture *f, uint64_t word)
{
	f->words[f->truth.count++] = word;
}

void add_state_of(struct fixture *f, unsigned int priv, uint64_t satp)
{
	add_word(f, 1 | TRUTH_STATE << 1 | (uint64_t)priv << 8 | 7ULL << 32);
	add_word(f, 0x1234);	/* tp and satp may look like anything */
	add_word(f, satp);
}

void add_state(struct fixture *f, unsigned int priv)
{
	add_state_of(f, priv, 0x8000000000000001ULL);
}

void build_truth(struct fixture *f)
{
	unsigned int priv = 9;
	size_t i;

	f->truth.words = f->words;
	f->truth.count = 0;
	add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
	for (i = 0; i < N; i++) {
		if (f->privs[i] != priv)
			add_state(f, f->privs[i]);
		priv = f->privs[i];
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
}

void add_item(struct fixture *f, uint64_t item)
{
	f->flow[f->count++] = item;
}

/* The flow of instructions @from to @to, markers included. */
void add_flow(struct fixture *f, size_t from, size_t to)
{
	for (; from < to; from++) {
		if (!from)
			add_item(f, flow_event(FLOW_BEGIN, 0));
		if (from == N - 1)
			add_item(f, flow_event(FLOW_END, 0));
		add_item(f, flow_insn(f->pcs[from], f->privs[from]));
	}
}

/* The flow with @event instead of the instructions from @gap to @resume. */
void add_flow_around(struct fixture *f, size_t gap, unsigned int event, size_t resume)
{
	add_flow(f, 0, gap);
	add_item(f, flow_event(event, 77));
	add_flow(f, resume, N);
}

void reset_flow(struct fixture *f)
{
	f->count = 0;
	add_item(f, flow_insn(0x4000, U));	/* before the window */
	add_item(f, flow_insn(0x4004, U));
}

int compare_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	for (i = 0; i < N; i++) {
		f->pcs[i] = pc_at(i);
		f->privs[i] = S;
	}
	f->pcs[0] = 0x10000;
	f->pcs[N - 1] = 0x10010;
	build_truth(f);
	reset_flow(f);
	*state = f;
	return 0;
}

int compare_teardown(void **state)
{
	struct fixture *f = *state;

	free(f->tables.roots);
	free(f);
	return 0;
}

/* Instructions 1000 to 1100 become a user's, at 0x5000. */
void run_user_code(struct fixture *f)
{
	size_t i;

	for (i = 1000; i < 1100; i++) {
		f->privs[i] = U;
		f->pcs[i] = 0x5000 + 4 * (i % 10);
	}
	build_truth(f);
}

bool compare(struct fixture *f)
{
	return compare_hart(&f->truth, f->flow, f->count, &f->rules, &f->result);
}
