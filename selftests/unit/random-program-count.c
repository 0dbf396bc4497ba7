// SPDX-License-Identifier: GPL-2.0
/* How much of which option random programs tried, see random-program.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random-program.h"

#define COUNTED	"RVTRACE_PROGRAMS"	/* in the environment */

#define N(name, condition)							\
	static bool ntrace_##name(const struct world *w)			\
	{									\
		const struct ntrace_params *p = &w->params;			\
										\
		(void)p;							\
		return condition;						\
	}
#define E(name, condition)							\
	static bool etrace_##name(const struct world *w)			\
	{									\
		const struct etrace_params *p = &w->etrace;			\
										\
		(void)p;							\
		return condition;						\
	}
#define HAS(mode)	(p->modes & ETRACE_MODE(mode))

N(rv32, w->xlen == 32)
N(rv64, w->xlen == 64)
N(branch, !p->history)
N(history, p->history)
N(repeated_history, p->repeated_history)
N(repeat_branch, p->repeat_branch)
N(implicit_return, p->call_stack)
N(sequential_jump, p->sequential_jump)
N(all_jumps, p->all_jumps)
N(extend_addr_msb, p->extend_addr_msb)
N(address_bits, p->address_bits)
N(no_src, !p->src_bits)
N(src, p->src_bits)
N(no_timestamps, !p->timestamp)
N(some_timestamps, p->timestamp && p->untimed)
N(whole_timestamps, p->timestamp && p->timestamp_bits == 64)
N(short_timestamps, p->timestamp && p->timestamp_bits < 64)
N(timestamp_xor, p->timestamp && p->timestamp_xor)
N(branch_runs, p->branch_runs)
N(talks, w->talks)
N(placed, w->talks && p->place_data)
N(circuits, w->talks && w->sifive)
N(ownership, p->ownership)
N(icnt_sync, p->icnt_sync)
N(periodic, p->sync_mode != NTRACE_SYNC_OFF)
N(external, w->request)
N(small_icnt, p->icnt_bits < 10)
N(small_hist, p->history && p->hist_bits < 10)
N(no_machine, p->filter_machine)
N(filter_time, w->filter == FILTER_TIME)
N(filter_address, w->filter == FILTER_ADDRESS)

E(rv32, w->xlen == 32)
E(rv64, w->xlen == 64)
E(narrow, p->iaddress_width < 32)
E(wide, p->iaddress_width > 32 && p->iaddress_width < 64)
E(no_srcid, !p->src_bits)
E(srcid, p->src_bits > 8)
E(sign_padding, p->sign_padding)
E(large, p->bpred_size > 7 || p->cache_size > 7 || p->return_stack_size > 7)
E(full_address, HAS(FULL_ADDRESS))
E(sijump, HAS(SIJUMP))
E(irdepth, HAS(IMPLICIT_RETURN) && !p->irets && p->return_stack_size)
E(irdepth_counter, HAS(IMPLICIT_RETURN) && !p->irets && !p->return_stack_size)
E(irets, HAS(IMPLICIT_RETURN) && p->irets && p->return_stack_size)
E(irets_counter, HAS(IMPLICIT_RETURN) && p->irets && !p->return_stack_size)
E(predictor, HAS(BRANCH_PREDICTION))
E(cache, HAS(JUMP_TARGET_CACHE))
E(implicit_exception, HAS(IMPLICIT_EXCEPTION))
E(standard_support, p->standard_support)
E(no_context, p->nocontext)
E(no_time, p->notime)
E(timestamps, p->timestamp_bytes)
E(periodic, p->sync_mode != ETRACE_SYNC_OFF)
E(external, w->request)
E(notify, w->notify < 5)
E(events, w->talks)
E(filtered, p->filter)
E(early_filter, p->filter && p->early_filter)
E(data, p->data)
E(split, p->data && p->lrid_width)
E(mmacas, p->data && p->mmacas)

struct option {
	const char *name;
	bool (*holds)(const struct world *w);
	uint64_t insns;
};

static struct option ntrace_options[] = {
	{ "RV32", ntrace_rv32, 0 },
	{ "RV64", ntrace_rv64, 0 },
	{ "Branch Trace Messaging", ntrace_branch, 0 },
	{ "History Trace Messaging", ntrace_history, 0 },
	{ "repeated history (HREPEAT)", ntrace_repeated_history, 0 },
	{ "repeated branch (B-CNT)", ntrace_repeat_branch, 0 },
	{ "implicit return", ntrace_implicit_return, 0 },
	{ "sequential jump", ntrace_sequential_jump, 0 },
	{ "all jumps as branches", ntrace_all_jumps, 0 },
	{ "extended addresses (ExtendAddrMSB)", ntrace_extend_addr_msb, 0 },
	{ "addresses of 49 bits (SiFive)", ntrace_address_bits, 0 },
	{ "no SRC, one hart", ntrace_no_src, 0 },
	{ "SRC of 1 to 12 bits", ntrace_src, 0 },
	{ "no timestamps", ntrace_no_timestamps, 0 },
	{ "timestamps in some messages only", ntrace_some_timestamps, 0 },
	{ "timestamps of 64 bits", ntrace_whole_timestamps, 0 },
	{ "timestamps of 40 bits, which begin again", ntrace_short_timestamps, 0 },
	{ "timestamps XORed (SiFive)", ntrace_timestamp_xor, 0 },
	{ "counts of equal outcomes (SiFive, RCODE 8 and 9)", ntrace_branch_runs, 0 },
	{ "DataAcquisition", ntrace_talks, 0 },
	{ "DataAcquisition behind ResourceFull", ntrace_placed, 0 },
	{ "TCODE 14, 34 and 35, software's Ownership (SiFive)", ntrace_circuits, 0 },
	{ "Ownership with privilege and scontext", ntrace_ownership, 0 },
	{ "a full I-CNT told by ProgTraceSync", ntrace_icnt_sync, 0 },
	{ "periodic synchronization", ntrace_periodic, 0 },
	{ "synchronization by an external trigger", ntrace_external, 0 },
	{ "I-CNT of 5 to 9 bits: ResourceFull", ntrace_small_icnt, 0 },
	{ "HIST of 3 to 9 bits: ResourceFull", ntrace_small_hist, 0 },
	{ "machine mode left out by a filter", ntrace_no_machine, 0 },
	{ "traced from time to time", ntrace_filter_time, 0 },
	{ "some addresses traced", ntrace_filter_address, 0 },
};

static struct option etrace_options[] = {
	{ "RV32", etrace_rv32, 0 },
	{ "RV64", etrace_rv64, 0 },
	{ "RV32, addresses of 8 to 31 bits", etrace_narrow, 0 },
	{ "RV64, addresses of 33 to 63 bits", etrace_wide, 0 },
	{ "no srcID, one hart", etrace_no_srcid, 0 },
	{ "srcID of 9 to 16 bits", etrace_srcid, 0 },
	{ "sign padding", etrace_sign_padding, 0 },
	{ "tables larger than a standard support packet can say", etrace_large, 0 },
	{ "full addresses", etrace_full_address, 0 },
	{ "sequentially inferred jumps", etrace_sijump, 0 },
	{ "return stack with irdepth", etrace_irdepth, 0 },
	{ "call counter with irdepth", etrace_irdepth_counter, 0 },
	{ "return stack with irets", etrace_irets, 0 },
	{ "call counter with irets", etrace_irets_counter, 0 },
	{ "branch prediction", etrace_predictor, 0 },
	{ "jump target cache", etrace_cache, 0 },
	{ "implicit exceptions", etrace_implicit_exception, 0 },
	{ "standard support packet", etrace_standard_support, 0 },
	{ "no context", etrace_no_context, 0 },
	{ "no time", etrace_no_time, 0 },
	{ "timestamps of 8 to 64 bits", etrace_timestamps, 0 },
	{ "periodic synchronization", etrace_periodic, 0 },
	{ "synchronization on request", etrace_external, 0 },
	{ "notification of every block to every fourth", etrace_notify, 0 },
	{ "software trace events", etrace_events, 0 },
	{ "filters: M-mode, times, addresses", etrace_filtered, 0 },
	{ "filters whose end updiscon tells", etrace_early_filter, 0 },
	{ "data trace", etrace_data, 0 },
	{ "data trace, split loads and atomics", etrace_split, 0 },
	{ "data trace of the 2.0.5 draft", etrace_mmacas, 0 },
};

static struct {
	uint64_t programs;
	uint64_t insns;
	uint64_t accesses;
	uint64_t asked;
	uint64_t idle;
	uint64_t stops;
	uint64_t notify;
	uint64_t updiscon;
	uint64_t padded;
} total;

static bool is_full(void)
{
	const char *scale = getenv("RVTRACE_SCALE");

	return scale && !strcmp(scale, "full");
}

unsigned int world_programs(unsigned int full, unsigned int reduced)
{
	const char *count = getenv(COUNTED);

	if (count)
		return strtoul(count, NULL, 10);
	return is_full() ? full : reduced;
}

static struct option *options_of(bool is_etrace, size_t *count)
{
	*count = is_etrace ? sizeof(etrace_options) / sizeof(etrace_options[0]) :
			     sizeof(ntrace_options) / sizeof(ntrace_options[0]);
	return is_etrace ? etrace_options : ntrace_options;
}

void world_count(const struct world *w)
{
	struct option *options;
	uint64_t insns = 0;
	size_t count;

	for (unsigned int i = 0; i < HARTS; i++) {
		insns += w->harts[i].done - w->harts[i].missing;
		total.accesses += w->harts[i].accesses_done;
		total.asked += w->harts[i].asked;
	}
	total.programs++;
	total.idle += w->seen.idle;
	total.stops += w->seen.stops;
	total.notify += w->seen.notify;
	total.updiscon += w->seen.updiscon;
	total.padded += w->seen.padded;
	total.insns += insns;
	options = options_of(w->is_etrace, &count);
	for (size_t i = 0; i < count; i++)
		if (options[i].holds(w))
			options[i].insns += insns;
}

void world_report(bool is_etrace)
{
	bool told = is_full() || getenv(COUNTED);
	struct option *options;
	size_t count;

	if (told)
		printf("# %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64
		       " accesses, %" PRIu64 " requests: 0 differences\n", total.programs,
		       total.insns, total.accesses, total.asked);
	if (told && is_etrace)
		printf("# %" PRIu64 " null bytes, %" PRIu64 " notify, %" PRIu64 " updiscon, "
		       "%" PRIu64 " packets with sign padding\n", total.idle, total.notify,
		       total.updiscon, total.padded);
	else if (told)
		printf("# %" PRIu64 " idle bytes, %" PRIu64 " ProgTraceCorrelation\n", total.idle,
		       total.stops);
	options = options_of(is_etrace, &count);
	for (size_t i = 0; i < count; i++) {
		if (told)
			printf("# %s: %" PRIu64 "\n", options[i].name, options[i].insns);
		options[i].insns = 0;
	}
	memset(&total, 0, sizeof(total));
}
