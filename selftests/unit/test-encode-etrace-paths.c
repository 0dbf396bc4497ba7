// SPDX-License-Identifier: GPL-2.0
/*
 * Every way through a small program: etrace-ways.h. The decoder must give what retired, in each
 * configuration.
 *
 * irdepth does not tell everything (2.0.5 draft, "Implicit Return", "Background"): ways of which it
 * does not are left out with it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "etrace-ways.h"

/* What else is on; the last one is none */
enum option { FULL_ADDRESS, EARLY_FILTER, PERIODIC, PREDICTION, CACHE, IMPLICIT_TRAPS, NO_OPTION };

static void set_option(struct etrace_params *p, enum option option)
{
	switch (option) {
	case FULL_ADDRESS:
		p->modes |= ETRACE_MODE(FULL_ADDRESS);
		break;
	case EARLY_FILTER:
		p->early_filter = true;
		break;
	case PERIODIC:
		p->sync_mode = ETRACE_SYNC_PACKETS;
		p->sync_interval = 2;
		break;
	case PREDICTION:
		p->modes |= ETRACE_MODE(BRANCH_PREDICTION);
		p->bpred_size = 1;
		break;
	case CACHE:
		p->modes |= ETRACE_MODE(JUMP_TARGET_CACHE);
		p->cache_size = 2;
		break;
	case IMPLICIT_TRAPS:
		p->modes |= ETRACE_MODE(IMPLICIT_EXCEPTION);
		break;
	case NO_OPTION:
		break;
	}
}

/* With a return stack and a counter of so many */
static void try_returns(bool irets, unsigned int stack, unsigned int counter)
{
	static const struct program *const programs[] = { &loop, &calls, &branches };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (unsigned int option = 0; option <= (unsigned int)NO_OPTION; option++) {
			struct etrace_params *p = begin(programs[i]);

			if (stack || counter)
				p->modes |= ETRACE_MODE(IMPLICIT_RETURN);
			p->irets = irets;
			p->return_stack_size = stack;
			p->call_counter_size = counter;
			set_option(p, (enum option)option);
			ways.some = kind_of(p) == IRDEPTH && ways.program == &calls;
			go_all();
		}
	if (is_full())
		print_message("# %zu ways, %zu left out: 0 differences\n", ways_total.ways,
			      ways_total.left_out);
	memset(&ways_total, 0, sizeof(ways_total));
}

static void without_implicit_returns(void **state)
{
	(void)state;
	try_returns(false, 0, 0);
}

static void with_irets_and_a_return_stack(void **state)
{
	(void)state;
	try_returns(true, 1, 0);
}

static void with_irets_and_a_counter(void **state)
{
	(void)state;
	try_returns(true, 0, 3);
}

static void with_irets_and_counters_in_the_stack(void **state)
{
	(void)state;
	try_returns(true, 1, 2);
}

static void with_irdepth_and_a_return_stack(void **state)
{
	(void)state;
	try_returns(false, 1, 0);
}

static void with_irdepth_and_a_counter(void **state)
{
	(void)state;
	try_returns(false, 0, 3);
}

/* Ways that are too long, or that irdepth tells by chance */

static void step(struct path *path, uint16_t offset, enum event event, uint16_t next)
{
	path->steps[path->length++] = (struct step) {
		.insn = insn_at(BASE + offset), .event = event, .next = BASE + next,
	};
}

/* What failed did not lead where it was expected to: it is the second return. */
static void return_that_failed_led_elsewhere(void **state)
{
	struct etrace_params *p = begin(&calls);
	struct path path = { .length = 0 };

	(void)state;
	p->modes = ETRACE_MODE(IMPLICIT_RETURN);
	p->return_stack_size = 1;
	begin_ways();
	for (uint16_t at = 0; at <= 6; at += 6) {
		step(&path, at, NOTHING, 0x14);
		step(&path, 0x14, NOTHING, 0x16);
		step(&path, 0x16, NOTHING, 0x04);
		step(&path, 0x04, NOTHING, 0x06);
	}
	check(&path);
	end_ways();
}

/* A trap follows a branch that is synchronized at; neither makes the predictor forget. */
static void branch_before_a_trap_is_learned(void **state)
{
	struct etrace_params *p = begin(&branches);
	struct path path = { .length = 0 };

	(void)state;
	p->modes = ETRACE_MODE(BRANCH_PREDICTION);
	p->bpred_size = 1;
	begin_ways();
	step(&path, 0x00, INTERRUPT, 0x02);
	step(&path, 0x08, INTERRUPT, 0x00);
	step(&path, 0x08, NOTHING, 0x0a);
	step(&path, 0x0a, NOTHING, 0x00);
	for (unsigned int i = 0; i < 32; i++) {
		step(&path, 0x00, NOTHING, 0x02);
		step(&path, 0x02, NOTHING, 0x04);
		step(&path, 0x04, NOTHING, 0x00);
	}
	check(&path);
	end_ways();
}

/* More branches than a map has, all of them predicted, and then everything */
static void behind_a_count_of_branches(void **state)
{
	(void)state;
	for (enum kind kind = IRDEPTH; kind <= IRETS; kind++) {
		struct etrace_params *p = begin(&counted);
		struct path path = { .length = 0 };

		p->modes = ETRACE_MODE(IMPLICIT_RETURN) | ETRACE_MODE(BRANCH_PREDICTION);
		p->irets = kind == IRETS;
		p->return_stack_size = 1;
		p->bpred_size = 1;
		begin_ways();
		for (unsigned int i = 0; i < 33; i++) {
			step(&path, 0x00, NOTHING, 0x08);
			step(&path, 0x08, NOTHING, 0x04);
			step(&path, 0x04, i ? NOTHING : INTERRUPT, 0x00);
			if (i)
				continue;
			step(&path, 0x0c, NOTHING, 0x0e);
			step(&path, 0x0e, NOTHING, 0x00);
		}
		ways.some = kind == IRDEPTH;
		go_from(&path, is_full() ? 6 : 5, 2);
		end_ways();
	}
}

/* A set of combinations of notify, updiscon and irreport, by their value with notify first */
static unsigned int combinations(enum kind kind, enum etrace_report_format format)
{
	unsigned int set = 0;

	for (unsigned int i = 0; i < 8; i++)
		if (reports[kind].count[format][i >> 2][i >> 1 & 1][i & 1])
			set |= 1u << i;
	return set;
}

/*
 * Of the ways before. What is notified is no target of a jump, so updiscon says nothing there, but
 * for a return that was inferred (irets). An index has neither notify nor updiscon.
 */
static void fields_were_there_in_every_combination(void **state)
{
	static const struct {
		uint8_t there[REPORTS];		/* at least */
		uint8_t never;
	} of[KINDS] = {
		[NO_RETURNS] = { { [REPORT_COUNT] = 0x01, [REPORT_INDEX] = 0x01,
				   [REPORT_DELTA] = 0x15, [REPORT_ADDRESS] = 0x15 }, 0xea },
		[IRDEPTH] = { { [REPORT_COUNT] = 0x1b, [REPORT_INDEX] = 0x03,
				[REPORT_DELTA] = 0x1f, [REPORT_ADDRESS] = 0x3f }, 0xc0 },
		[IRETS] = { { [REPORT_COUNT] = 0xbb, [REPORT_INDEX] = 0x03,
			      [REPORT_DELTA] = 0xbf, [REPORT_ADDRESS] = 0xbf }, 0x40 },
	};

	(void)state;
	for (enum kind kind = NO_RETURNS; kind < KINDS; kind++)
		for (enum etrace_report_format i = REPORT_COUNT; i < REPORTS; i++) {
			unsigned int set = combinations(kind, i);

			if (!getenv("RVTRACE_SHARE"))	/* of some ways, not all are */
				assert_int_equal(set & of[kind].there[i], of[kind].there[i]);
			assert_int_equal(set & of[kind].never, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_implicit_returns),
		cmocka_unit_test(with_irets_and_a_return_stack),
		cmocka_unit_test(with_irets_and_a_counter),
		cmocka_unit_test(with_irets_and_counters_in_the_stack),
		cmocka_unit_test(with_irdepth_and_a_return_stack),
		cmocka_unit_test(with_irdepth_and_a_counter),
		cmocka_unit_test(return_that_failed_led_elsewhere),
		cmocka_unit_test(branch_before_a_trap_is_learned),
		cmocka_unit_test(behind_a_count_of_branches),
		cmocka_unit_test(fields_were_there_in_every_combination),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
