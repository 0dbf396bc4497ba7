/* SPDX-License-Identifier: GPL-2.0 */
/* What of a trace tracectl decode shows. */
#ifndef RVTRACE_TRACECTL_DECODE_FILTER_H
#define RVTRACE_TRACECTL_DECODE_FILTER_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>
#include <rvtrace/recording.h>

#include "symbols.h"

#define MAX_HARTS	65536
#define MAX_FILTERS	64	/* of a kind */

struct decode;
struct trace_input;

/* Addresses from @start to @last. */
struct filter_range {
	uint64_t start;
	uint64_t last;
};

/**
 * struct decode_filter - what is shown: what all kinds that were given match
 * @has_harts: only these harts
 * @harts: which
 * @threads: only these, if there are any
 * @processes: only these, if there are any
 * @absolute: times are shown, and given, as CLOCK_MONOTONIC has them
 * @from: earlier is not shown, as the user wrote it; NULL: no limit
 * @to: later is not shown
 * @from_time: @from in units of the timestamps of the sink under way
 * @to_time: @to
 * @ranges: only code there, if there are any
 * @symbols: only functions whose names match one of these, if there are any
 * @place: what was looked at last
 * @matches: whether its name matches
 * @blocks: what a run was cut to
 * @room: members of @blocks
 * @shown: something was let through
 */
struct decode_filter {
	bool has_harts;
	bool harts[MAX_HARTS];
	int32_t threads[MAX_FILTERS];
	size_t thread_count;
	int32_t processes[MAX_FILTERS];
	size_t process_count;
	bool absolute;
	const char *from;
	const char *to;
	uint64_t from_time;
	uint64_t to_time;
	struct filter_range ranges[MAX_FILTERS];
	size_t range_count;
	const char *symbols[MAX_FILTERS];
	size_t symbol_count;
	struct symbol_place place;
	bool matches;
	struct rvtrace_flow_block *blocks;
	size_t room;
	bool shown;
};

/* Options of the filters; their input is struct decode_filter. */
extern const struct argp filter_argp;

/* Rejects --hart if it names no hart of the recording. 0 or -ENOENT. */
int filter_check_harts(const struct trace_input *in, struct rvtrace_failure *error);

/* Says that nothing was shown. */
void filter_report_nothing(const struct decode_filter *filter);

/* Where times count from, and times in units of the sink under way: 0, or -EINVAL without any. */
int filter_begin(struct trace_input *in, struct rvtrace_failure *error);
void filter_free(struct decode_filter *filter);

/* The argument of --from or --to, which is a time, or a number of ticks. */
const char *filter_time(struct argp_state *state, const char *option, const char *arg);

/* The argument of --thread, or of --pid: a list of numbers. */
void filter_add_threads(struct argp_state *state, struct decode_filter *filter, char *arg);
void filter_add_processes(struct argp_state *state, struct decode_filter *filter, char *arg);

/* The argument of --time: "A-B", each a time or a part of the recording, as 10%. */
void filter_set_window(struct argp_state *state, struct decode_filter *filter, char *arg);

/* Whether a thread is shown; one that is not known (-1) only without such a filter. */
bool filter_has_thread(const struct decode_filter *filter, int32_t thread);

/* The same of a process. */
bool filter_has_process(const struct decode_filter *filter, int32_t process);

/* Whether only some code is shown. */
bool filter_has_code(const struct decode_filter *filter);

/* Whether only some time is shown. */
bool filter_has_window(const struct decode_filter *filter);

/* Whether @source is shown. */
bool filter_shows(const struct trace_input *in, unsigned int source);

/* Whether the item is of a thread and time that are shown. */
bool filter_item(const struct decode_filter *filter, const struct rvtrace_flow_item *item);

/* Whether there are filters that look at what executes, and not only at who says it. */
bool filter_wants_flow(const struct decode_filter *filter);

/* Whether code at @address is shown; all of it without such filters. */
bool filter_code(struct decode *d, const struct rvtrace_flow_item *item, uint64_t address,
		 const uint8_t *code);

/* The same of a function of this name, NULL: it has none, at @address. */
bool filter_function(const struct decode_filter *filter, const char *name, uint64_t address);

/* Cuts an item to what is shown: 1 something, 0 nothing, -ENOMEM. */
int filter_cut(struct decode *d, struct rvtrace_flow_item *item);

#endif /* RVTRACE_TRACECTL_DECODE_FILTER_H */
