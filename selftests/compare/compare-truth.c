// SPDX-License-Identifier: GPL-2.0
/* The ground truth of a hart, instruction by instruction: see compare-core.h. */
#include "selftests/compare/compare-core.h"
#include "tools/machine/truth.h"

static bool is_passed_over(const struct truth *truth, const struct truth_step *step)
{
	return (truth->without >> step->priv & 1) ||
	       (truth->by_context && step->scontext != truth->scontext);
}

/* Tasks of the kernel are in its half; users have their own values, traps 0 for a moment. */
static void take_tp(struct truth_step *step, uint64_t tp)
{
	if (!(tp >> 63))
		return;
	step->task_changes += step->task != tp;
	step->task = tp;
}

bool truth_next(const struct truth *truth, struct truth_step *step)
{
	while (step->next < truth->count) {
		uint64_t word = truth->words[step->next++];

		if (!(word & 1)) {
			if (is_passed_over(truth, step))
				continue;
			step->pc = word;
			step->index++;
			return true;
		}
		if (TRUTH_KIND(word) == TRUTH_STATE) {
			step->priv = TRUTH_PRIV(word);
			step->scontext = TRUTH_SCONTEXT(word);
			take_tp(step, truth->words[step->next]);
			step->satp_writes += step->satp != truth->words[step->next + 1];
			step->satp = truth->words[step->next + 1];
			step->next += 2;
		} else if (TRUTH_KIND(word) == TRUTH_BEGIN) {
			step->index = -1;
		} else if (TRUTH_KIND(word) == TRUTH_END) {
			return false;
		}
	}
	return false;
}

const char *truth_check(const struct truth *truth)
{
	bool open = false, filled = false;
	size_t i;

	for (i = 0; i < truth->count; i++) {
		uint64_t word = truth->words[i];

		if (!(word & 1)) {
			if (!open)
				return "an instruction outside a window";
			filled = true;
			continue;
		}
		switch (TRUTH_KIND(word)) {
		case TRUTH_STATE:
			i += 2;
			if (i >= truth->count)
				return "a state is cut";
			break;
		case TRUTH_BEGIN:
			if (open)
				return "a window opens inside another";
			open = true;
			filled = false;
			break;
		case TRUTH_END:
			if (!open || !filled)
				return "a window closes that did not open or is empty";
			open = false;
			break;
		default:
			return "a word of unknown kind";
		}
	}
	return open ? "the last window did not close" : NULL;
}
