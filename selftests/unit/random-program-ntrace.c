// SPDX-License-Identifier: GPL-2.0
/* Random N-Trace parameters for random programs, and their decoder's, see random-program.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "random-program.h"

/* Where Ownership does not tell the address space, times do; those of damage are of no use. */
static void random_times(struct world *w, bool timed)
{
	struct ntrace_params *p = &w->params;

	p->timestamp = timed || !p->ownership || rnd(w, 4);
	p->timestamp_bits = rnd(w, 2) ? 64 : 40;
	p->timestamp_xor = w->sifive;
	if (!timed && p->ownership && !rnd(w, 3))
		p->untimed = rnd(w, 16);
	/* they begin again soon */
	w->time_base = p->timestamp_bits < 64 ? (1ull << 40) - rnd(w, STEPS / HARTS) : 0;
}

void world_random_ntrace(struct world *w, bool timed)
{
	struct ntrace_params *p = &w->params;

	p->history = rnd(w, 3);
	w->sifive = rnd(w, 2);
	p->branch_runs = p->history && w->sifive && rnd(w, 2);
	p->repeated_history = p->history && !p->branch_runs && rnd(w, 2);
	p->place_data = rnd(w, 2);
	p->repeat_branch = !p->history && rnd(w, 2);
	p->all_jumps = !rnd(w, 4);
	p->sequential_jump = rnd(w, 2);
	p->indirect_without_hist = rnd(w, 2);
	p->icnt_sync = !p->history && !rnd(w, 4);
	p->distinguish_traps = rnd(w, 4);
	p->extend_addr_msb = rnd(w, 2);
	p->ownership = rnd(w, 3);
	p->scontext = p->ownership;
	p->filter = hart_filter;
	/* SiFive's encoders compare no addresses */
	p->call_stack = !w->sifive && rnd(w, 2) ? rnd(w, 33) : 0;
	p->xlen = w->xlen;
	if (w->sifive && !p->extend_addr_msb && w->xlen == 64) {
		p->address_bits = 49;
		w->address_width = 49;
	}
	p->src_bits = rnd(w, 13);
	world_random_sources(w, p->src_bits);
	random_times(w, timed);
	p->icnt_bits = 5 + rnd(w, 16);
	p->hist_bits = 3 + rnd(w, 30);
	p->repeat_bits = 1 + rnd(w, 18);
	p->sync_mode = rnd(w, 4);
	p->sync_interval = 20 + rnd(w, 3000);
	assert_null(ntrace_params_check(p));
	w->zcmp = rnd(w, 2);
	w->talks = 0;
	if (!timed && rnd(w, 2))
		w->talks = 1 + rnd(w, rnd(w, 2) ? 4 : 100);
}

uint64_t world_done(const struct world *w, uint64_t time)
{
	uint64_t lap = w->params.timestamp_bits < 64 ? 1ull << w->params.timestamp_bits : 0;

	return (time - w->time_base) & (w->damaged ? lap - 1 : UINT64_MAX);
}

/* At a time, the address space is that of the last instruction that retired. */
static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	struct world *w = data;
	const struct hart *h = hart_of(w, query->source);
	uint64_t done = world_done(w, query->time);

	if (!h)		/* damage makes others up */
		h = &w->harts[0];
	if (!query->has_time || !done || done > h->count)
		done = 1;
	place->user = h->truth[done - 1].scontext;
	place->process = place->user;
	place->from = query->time;
	place->until = query->time + 1;
	return 0;
}

static uint8_t mode_of(const struct world *w)
{
	if (!w->has_mode)
		return RVTRACE_NTRACE_MODE_UNKNOWN;
	return w->params.history ? RVTRACE_NTRACE_MODE_HISTORY : RVTRACE_NTRACE_MODE_BRANCH;
}

struct rvtrace_flow_config world_config(struct world *w)
{
	struct rvtrace_flow_config config = {
		.size = sizeof(config),
		.isa.xlen = w->params.xlen,
		.isa.zcmp = w->zcmp,
		.src_bits = w->params.src_bits,
		.ntrace.extend_addr_msb = w->params.extend_addr_msb,
		.ntrace.implicit_return = w->params.call_stack,
		.ntrace.sequential_jump = w->params.sequential_jump,
		.ntrace.all_jumps = w->params.all_jumps,
		.time_bits = w->params.timestamp_bits,
		.time_near = w->time_base,
		.ntrace.sifive = w->sifive,
	};

	for (unsigned int i = 0; i < HARTS; i++)
		config.ntrace.modes[w->sources[i]] = mode_of(w);
	if (!w->params.ownership) {
		config.priv_by_address = w->xlen == 64;
		config.resolve = resolve;
		config.resolve_data = w;
	}
	return config;
}
