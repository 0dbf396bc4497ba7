// SPDX-License-Identifier: GPL-2.0
/* Random E-Trace parameters for random programs, see random-program.h. */
#include <string.h>

#include "random-program.h"

static void random_support(struct world *w)
{
	struct etrace_params *p = &w->etrace;
	bool taken[32] = { false };

	p->standard_support = rnd(w, 2);
	p->irets = p->standard_support && rnd(w, 4);
	p->encoder_mode_width = rnd(w, 3);
	p->denable_width = rnd(w, 2);
	p->dloss_width = rnd(w, 2);
	p->ioptions_width = 7 + rnd(w, 26);
	p->doptions_width = 4 + rnd(w, 4);
	for (unsigned int i = 0; i < ETRACE_MODES; i++) {
		bool data = i >= ETRACE_NO_ADDRESS;

		if (i == ETRACE_NO_ADDRESS)
			memset(taken, 0, sizeof(taken));
		do
			p->option[i] = rnd(w, data ? p->doptions_width : p->ioptions_width);
		while (taken[p->option[i]]);
		taken[p->option[i]] = true;
	}
}

/* Mostly small ones, which overflow; large ones as far as the support packet can say them. */
static uint8_t random_size(struct world *w, unsigned int small, unsigned int largest)
{
	return rnd(w, 8) ? rnd(w, small) : rnd(w, largest + 1);
}

static void random_modes(struct world *w)
{
	struct etrace_params *p = &w->etrace;
	bool few = p->standard_support;

	p->return_stack_size = random_size(w, 6, few ? 7 : 15);
	if (p->irets || !p->return_stack_size)
		p->call_counter_size = random_size(w, 6, 15);
	p->bpred_size = random_size(w, 8, few ? 7 : 16);
	p->cache_size = random_size(w, 8, few ? 7 : 16);
	p->f0s_width = (p->bpred_size && p->cache_size) + rnd(w, few ? 3 : 8);
	if ((p->return_stack_size || p->call_counter_size) && rnd(w, 3))
		p->modes |= ETRACE_MODE(IMPLICIT_RETURN);
	if (p->bpred_size && rnd(w, 3))
		p->modes |= ETRACE_MODE(BRANCH_PREDICTION);
	if (p->cache_size && rnd(w, 3))
		p->modes |= ETRACE_MODE(JUMP_TARGET_CACHE);
	if (rnd(w, 2))
		p->modes |= ETRACE_MODE(SIJUMP);
	if (!rnd(w, 3))
		p->modes |= ETRACE_MODE(IMPLICIT_EXCEPTION);
	if (!rnd(w, 4))
		p->modes |= ETRACE_MODE(FULL_ADDRESS);
}

static void random_data(struct world *w)
{
	struct etrace_params *p = &w->etrace;

	p->data = p->type_bits && rnd(w, 2);
	if (!p->data)
		return;
	do
		p->type_data = rnd(w, 1u << p->type_bits);
	while (p->type_data == p->type_inst);
	p->data_width = 8 << rnd(w, 5);
	p->daddress_width = rnd(w, 2) ? w->xlen : 17 + rnd(w, w->xlen - 16);
	p->dtype_width = rnd(w, 2) ? 4 : 1 + rnd(w, 4);
	p->lrid_width = w->loss || rnd(w, 3) ? 0 : 1 + rnd(w, 8);
	p->ddiff_width = 1 + rnd(w, 2);
	p->mmacas = p->standard_support && rnd(w, 2);
	if (!rnd(w, 3))
		p->modes |= rnd(w, 2) ? ETRACE_MODE(NO_ADDRESS) : ETRACE_MODE(NO_DATA);
	p->modes |= rnd(w, 4) << ETRACE_FULL_DADDRESS;
}

/* The type of events, where there is one left, or the bit of srcID. */
static void random_events(struct world *w)
{
	struct etrace_params *p = &w->etrace;

	w->talks = 0;
	p->type_event = p->type_bits < 2 ? 0 : 2 + rnd(w, (1u << p->type_bits) - 2);
	p->src_event = p->src_bits && !rnd(w, 3) ? 1u << rnd(w, p->src_bits) : 0;
	for (unsigned int i = 0; i < w->hart_count; i++)
		if (w->sources[i] & p->src_event)
			p->src_event = 0;
	if (!w->port && !etrace_events_check(p) && rnd(w, 4))
		w->talks = 1 + rnd(w, rnd(w, 2) ? 4 : 100);
}

/* Without machine mode, one bit tells the privilege. */
static void random_widths(struct world *w)
{
	struct etrace_params *p = &w->etrace;

	p->iaddress_width = w->xlen;
	if (!rnd(w, 3))
		p->iaddress_width = w->xlen == 64 ? 33 + rnd(w, 32) : 8 + rnd(w, 25);
	p->context_width = 2 + rnd(w, 63);
	p->ecause_width = rnd(w, 2) ? 4 + rnd(w, 4) : rnd(w, 33);
	p->privilege_width = w->params.filter_machine ? 1 + rnd(w, 8) : 2 + rnd(w, 7);
}

static void random_params(struct world *w)
{
	struct etrace_params *p = &w->etrace;

	memset(p, 0, sizeof(*p));
	random_widths(w);
	p->iaddress_lsb = rnd(w, 2);
	p->nocontext = !rnd(w, 4);
	p->notime = rnd(w, 2);
	p->time_width = 16 + 16 * rnd(w, 4);
	random_support(w);
	random_modes(w);
	p->src_bits = rnd(w, 17);
	world_random_sources(w, p->src_bits);
	p->flow = rnd(w, 4);
	p->timestamp_bytes = rnd(w, 9);
	p->type_bits = rnd(w, 4);
	p->type_inst = rnd(w, 1u << p->type_bits);
	p->sign_padding = rnd(w, 2);
	p->ctype = (enum etrace_ctype)rnd(w, 4);
	p->sync_mode = (enum etrace_sync_mode)rnd(w, 4);
	p->sync_interval = 1 + rnd(w, rnd(w, 2) ? 10 : 500);
	p->early_filter = rnd(w, 2);
	p->whole_sync = !rnd(w, 4);
	if (w->params.filter_machine || w->filter)
		p->filter = hart_filter;
	w->single = rnd(w, 2);
	w->time_base = 0;
	random_data(w);
	if (w->loss) {		/* the time tells the place */
		w->single = true;
		p->timestamp_bytes = 8;
		p->notime = true;
	}
	random_events(w);
}

void world_random_etrace(struct world *w)
{
	do
		random_params(w);
	while (etrace_params_check(&w->etrace));
	w->address_width = w->etrace.iaddress_width;
	if (w->address_width < 16 && w->insns > 1u << (w->address_width - 4))
		w->insns = 1u << (w->address_width - 4);
	/* as many requests at once may have no lrid */
	w->zcmp = !w->etrace.lrid_width && rnd(w, 2);
}
