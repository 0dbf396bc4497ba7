/* SPDX-License-Identifier: GPL-2.0 */
/* A window of what ran, and a flow to compare with it. */
#ifndef COMPARE_FIXTURE_H
#define COMPARE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selftests/compare/compare-core.h"
#include "tools/machine/truth.h"

#define N	40000	/* instructions of a window, more than COMPARE_PROOF */
#define S	1
#define U	0

/* A window of N instructions, privilege S except where said, and its flow. */
struct fixture {
	uint64_t words[2 * N + 64];
	struct truth truth;
	uint64_t pcs[N];
	unsigned int privs[N];
	uint64_t flow[4 * N];
	size_t count;
	struct compare_result result;
	struct compare_rules rules;
	struct compare_tables tables;
	uint64_t told;		/* instructions without an image */
};

/* Loops of 50 instructions, run 10 times each, so that places look alike. */
uint64_t pc_at(size_t i);
void add_word(struct fixture *f, uint64_t word);
void add_state_of(struct fixture *f, unsigned int priv, uint64_t satp);
void add_state(struct fixture *f, unsigned int priv);
void build_truth(struct fixture *f);
void add_item(struct fixture *f, uint64_t item);

/* The flow of instructions @from to @to, markers included. */
void add_flow(struct fixture *f, size_t from, size_t to);

/* The flow with @event instead of the instructions from @gap to @resume. */
void add_flow_around(struct fixture *f, size_t gap, unsigned int event, size_t resume);
void reset_flow(struct fixture *f);
int compare_setup(void **state);
int compare_teardown(void **state);

/* Instructions 1000 to 1100 become a user's, at 0x5000. */
void run_user_code(struct fixture *f);
bool compare(struct fixture *f);

#endif /* COMPARE_FIXTURE_H */
