// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters and comparators (TCI 1.0, "Trace Encoder Filter Registers"). As on the
 * ingress port, an address is that of the first instruction of a block: what
 * is traced begins and ends with whole blocks.
 */
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

#define DEPTH_MAX	15

/* Numbers of privilege levels on the ingress port */
#define PRIV_VU		5
#define PRIV_VS		6

static uint32_t filter_field(const struct te_model *te, unsigned int i,
			     enum te_filter_field field)
{
	return te->fields[TE_FILTER + i * FILTER_FIELDS + field];
}

static uint32_t comp_field(const struct te_model *te, unsigned int j,
			   enum te_comparator_field field)
{
	return te->fields[TE_COMPARATOR + j * COMP_FIELDS + field];
}

/* Comparators */

static uint64_t input(const struct te_model *te, uint32_t which,
		      const struct ingress_block *block)
{
	switch (which) {
	case RVTRACE_COMP_INPUT_CONTEXT:
		return block->context.scontext;
	case RVTRACE_COMP_INPUT_TVAL:
		return te->filter.tval;
	default:
		return block->target;
	}
}

/* "Additional most significant bits [...] must be ignored." */
static uint64_t input_mask(uint32_t which)
{
	return which == RVTRACE_COMP_INPUT_CONTEXT ? UINT32_MAX : UINT64_MAX;
}

static bool compare(uint32_t function, uint64_t value, uint64_t match)
{
	switch (function) {
	case RVTRACE_COMP_FUNCTION_EQUAL:
		return value == match;
	case RVTRACE_COMP_FUNCTION_NOT_EQUAL:
		return value != match;
	case RVTRACE_COMP_FUNCTION_LESS:
		return value < match;
	case RVTRACE_COMP_FUNCTION_LESS_OR_EQUAL:
		return value <= match;
	case RVTRACE_COMP_FUNCTION_GREATER:
		return value > match;
	case RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL:
		return value >= match;
	default:
		return function == RVTRACE_COMP_FUNCTION_ALWAYS;
	}
}

static uint64_t s_match(const struct te_model *te, unsigned int j)
{
	return (uint64_t)comp_field(te, j, COMP_S_HIGH) << 32 |
	       comp_field(te, j, COMP_S_LOW);
}

static bool primary(const struct te_model *te, unsigned int j,
		    const struct ingress_block *block)
{
	uint32_t which = comp_field(te, j, COMP_P_INPUT);
	uint64_t mask = input_mask(which);
	uint64_t match = (uint64_t)comp_field(te, j, COMP_P_HIGH) << 32 |
			 comp_field(te, j, COMP_P_LOW);

	if (comp_field(te, j, COMP_S_FUNCTION) == RVTRACE_COMP_FUNCTION_SPECIAL)
		mask &= s_match(te, j);
	return compare(comp_field(te, j, COMP_P_FUNCTION),
		       input(te, which, block) & mask, match & mask);
}

static bool secondary(const struct te_model *te, unsigned int j,
		      const struct ingress_block *block)
{
	uint32_t which = comp_field(te, j, COMP_S_INPUT);
	uint32_t function = comp_field(te, j, COMP_S_FUNCTION);

	return function == RVTRACE_COMP_FUNCTION_SPECIAL ||
	       compare(function, input(te, which, block),
		       s_match(te, j) & input_mask(which));
}

/* "continue to assert until instruction after secondary result is true" */
static bool latch(struct te_model *te, unsigned int j, bool p, bool s)
{
	bool on = te->filter.latch[j] || p;

	te->filter.latch[j] = on && !s;
	return on;
}

static void notify(struct te_model *te, unsigned int j, bool p, bool s)
{
	bool p_asks = comp_field(te, j, COMP_P_NOTIFY) && p &&
		comp_field(te, j, COMP_P_INPUT) == RVTRACE_COMP_INPUT_IADDR;
	bool s_asks = comp_field(te, j, COMP_S_NOTIFY) && s &&
		comp_field(te, j, COMP_S_INPUT) == RVTRACE_COMP_INPUT_IADDR;

	if (p_asks || s_asks)
		te->protocol->synchronize(te, TE_SYNC_EVENT);
}

static bool comparator(struct te_model *te, unsigned int j,
		       const struct ingress_block *block)
{
	bool p = primary(te, j, block), s = secondary(te, j, block);

	notify(te, j, p, s);
	switch (comp_field(te, j, COMP_MATCH_MODE)) {
	case RVTRACE_COMP_MATCH_MODE_BOTH:
		return p && s;
	case RVTRACE_COMP_MATCH_MODE_NOT_BOTH:
		return !(p && s);
	case RVTRACE_COMP_MATCH_MODE_FROM_TO:
		return latch(te, j, p, s);
	default:
		return p;
	}
}

/* Filters */

static bool is_trap(const struct ingress_block *block)
{
	return block->itype == INGRESS_EXCEPTION ||
	       block->itype == INGRESS_INTERRUPT;
}

static bool is_trap_wanted(const struct te_model *te, unsigned int i,
			   const struct ingress_block *block)
{
	uint64_t causes = (uint64_t)filter_field(te, i, FILTER_ECAUSE_HIGH) << 32 |
			  filter_field(te, i, FILTER_ECAUSE_LOW);
	bool interrupt = block->itype == INGRESS_INTERRUPT;

	if (filter_field(te, i, FILTER_MATCH_ECAUSE) &&
	    (block->cause > 63 || !(causes >> block->cause & 1)))
		return false;
	return !filter_field(te, i, FILTER_MATCH_INTERRUPT) ||
	       filter_field(te, i, FILTER_VALUE_INTERRUPT) == interrupt;
}

/* From the trap that is wanted to the return from it, whatever it is nested. */
static void count_traps(struct te_model *te, unsigned int i,
			const struct ingress_block *block)
{
	uint8_t *depth = &te->filter.depth[i];

	if (is_trap(block) && *depth)
		*depth += *depth < DEPTH_MAX;
	else if (is_trap(block))
		*depth = is_trap_wanted(te, i, block);
	else if (block->itype == INGRESS_TRAP_RETURN && *depth)
		(*depth)--;
}

static uint32_t privilege(const struct ingress_context *context)
{
	if (!context->v)
		return context->priv;
	return context->priv == INGRESS_PRIV_U ? PRIV_VU : PRIV_VS;
}

static bool comparators_match(const struct te_model *te, unsigned int i,
			      const bool *results)
{
	unsigned int n;

	for (n = 0; n < 3; n++)
		if (filter_field(te, i, FILTER_MATCH_COMP1 + n) &&
		    !results[filter_field(te, i, FILTER_COMP1 + n)])
			return false;
	return true;
}

static bool filter(const struct te_model *te, unsigned int i,
		   const struct ingress_block *block, const bool *results)
{
	uint32_t choice = filter_field(te, i, FILTER_CHOICE_PRIVILEGE);

	if (!filter_field(te, i, FILTER_ENABLE))
		return false;
	/* Nothing on the ingress port that they could match */
	if (filter_field(te, i, FILTER_MATCH_IMPDEF) ||
	    filter_field(te, i, FILTER_MATCH_DTYPE) ||
	    filter_field(te, i, FILTER_MATCH_DSIZE))
		return false;
	if (filter_field(te, i, FILTER_MATCH_PRIVILEGE) &&
	    !(choice >> privilege(&block->context) & 1))
		return false;
	if ((filter_field(te, i, FILTER_MATCH_ECAUSE) ||
	     filter_field(te, i, FILTER_MATCH_INTERRUPT)) &&
	    !te->filter.depth[i])
		return false;
	return comparators_match(te, i, results);
}

/* Nothing depends on what comparators and filters say. */
static bool is_unused(const struct te_model *te)
{
	unsigned int j;

	if (te->fields[TE_INST_FILTERS])
		return false;
	for (j = 0; j < te->config.comparators; j++)
		if (comp_field(te, j, COMP_P_NOTIFY) || comp_field(te, j, COMP_S_NOTIFY))
			return false;
	return true;
}

bool te_qualifies(void *opaque, const struct ingress_block *block)
{
	struct te_model *te = opaque;
	uint32_t chosen = te->fields[TE_INST_FILTERS];
	bool results[TE_COMPARATORS] = { false }, match = false;
	unsigned int i;

	if (is_trap(block))
		te->filter.tval = block->tval;
	if (is_unused(te))
		return true;
	for (i = 0; i < te->config.comparators; i++)
		results[i] = comparator(te, i, block);
	for (i = 0; i < te->config.filters; i++) {
		count_traps(te, i, block);
		match |= chosen >> i & 1 && filter(te, i, block, results);
	}
	return match || !chosen;
}
