// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: filters by hart, thread, time, address and symbol. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/moments.h"
#include "tools/tracectl/parse.h"
#include "decode.h"

enum {
	OPTION_HART = 0x4100, OPTION_THREAD, OPTION_FROM, OPTION_TO, OPTION_ADDRESS,
	OPTION_SYMBOL, OPTION_ABSOLUTE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Filters: an item is shown if it matches one value of each given filter:", 1 },
	{ "hart", OPTION_HART, "LIST", 0, "Only these harts", 1 },
	{ "thread", OPTION_THREAD, "LIST", 0, "Only these threads, by number", 1 },
	{ "from", OPTION_FROM, "TIME", 0, "Only from TIME on, as listings print it", 1 },
	{ "to", OPTION_TO, "TIME", 0, "Only up to TIME", 1 },
	{ "absolute", OPTION_ABSOLUTE, NULL, 0,
	  "Print times of CLOCK_MONOTONIC instead of times since the recording began", 1 },
	{ "address", OPTION_ADDRESS, "START[-END]", 0,
	  "Only code from START to before END, or at START", 1 },
	{ "symbol", OPTION_SYMBOL, "NAME", 0, "Only functions of this name; * and ? are wildcards",
	  1 },
	{ },
};

static void too_many(struct argp_state *state, const char *option, size_t count)
{
	if (count == MAX_FILTERS)
		argp_error(state, "--%s: more than %d", option, MAX_FILTERS);
}

static void add_ids(struct argp_state *state, const char *option, const char *what, char *arg,
		    int32_t *ids, size_t *count)
{
	char *save, *word;
	uint64_t id;

	if (!*arg)
		argp_error(state, "--%s: the list is empty", option);
	for (word = strtok_r(arg, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		too_many(state, option, *count);
		if (parse_number(word, &id) || id > INT32_MAX)
			argp_error(state, "--%s: %s is not the number of a %s", option, word, what);
		ids[(*count)++] = id;
	}
}

void filter_add_threads(struct argp_state *state, struct decode_filter *filter, char *arg)
{
	add_ids(state, "thread", "thread", arg, filter->threads, &filter->thread_count);
}

void filter_add_processes(struct argp_state *state, struct decode_filter *filter, char *arg)
{
	add_ids(state, "pid", "process", arg, filter->processes, &filter->process_count);
}

static void add_range(struct argp_state *state, struct decode_filter *filter, char *arg)
{
	char *dash = strchr(arg, '-');
	uint64_t start, end;

	too_many(state, "address", filter->range_count);
	if (dash)
		*dash = 0;
	if (parse_number(arg, &start) || (dash && parse_number(dash + 1, &end)) ||
	    (dash && end <= start))
		argp_error(state, "--address: not START or START-END with START below END");
	filter->ranges[filter->range_count++] = (struct filter_range) {
		start, dash ? end - 1 : start,
	};
}

const char *filter_time(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t ticks;
	int64_t ns;

	/* the trace may have no frequency, and ticks are numbers of any base */
	if (parse_moment(arg, &ns) && parse_number(arg, &ticks))
		argp_error(state, "--%s: %s is not a time, as 1.5, 20ms or 300us", option, arg);
	return arg;
}

/* "12.5%" of the recording, in millionths; -1: it is none. */
static int64_t parse_share(const char *text)
{
	char *end;
	double share = strtod(text, &end);

	if (end == text || strcmp(end, "%") || !(share >= 0 && share <= 100))
		return -1;
	return share * 10000;
}

static const char *window_end(struct argp_state *state, const char *arg)
{
	return parse_share(arg) >= 0 ? arg : filter_time(state, "time", arg);
}

/* Both are shares of the recording, or both are times. */
static bool is_reversed(const char *from, const char *to)
{
	int64_t a, b;

	if (parse_share(from) >= 0 && parse_share(to) >= 0)
		return parse_share(from) > parse_share(to);
	return !parse_moment(from, &a) && !parse_moment(to, &b) && a > b;
}

void filter_set_window(struct argp_state *state, struct decode_filter *filter, char *arg)
{
	char *dash = strchr(arg + (*arg == '-'), '-');

	if (!dash)
		argp_error(state, "--time: %s is not A-B, as 1.5-2s or 10%%-20%%", arg);
	*dash = 0;
	if (*arg)
		filter->from = window_end(state, arg);
	if (dash[1])
		filter->to = window_end(state, dash + 1);
	if (*arg && dash[1] && is_reversed(arg, dash + 1))
		argp_error(state, "--time: %s is later than %s", arg, dash + 1);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode_filter *filter = state->input;

	switch (key) {
	case OPTION_HART:
		filter->has_harts = true;
		if (parse_list(arg, filter->harts, MAX_HARTS))
			argp_error(state, "--hart: %s is not a list of harts", arg);
		return 0;
	case OPTION_THREAD:
		filter_add_threads(state, filter, arg);
		return 0;
	case OPTION_FROM:
		filter->from = filter_time(state, "from", arg);
		return 0;
	case OPTION_TO:
		filter->to = filter_time(state, "to", arg);
		return 0;
	case OPTION_ABSOLUTE:
		filter->absolute = true;
		return 0;
	case OPTION_ADDRESS:
		add_range(state, filter, arg);
		return 0;
	case OPTION_SYMBOL:
		too_many(state, "symbol", filter->symbol_count);
		filter->symbols[filter->symbol_count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp filter_argp = { .options = options, .parser = parse_option };

void filter_report_nothing(const struct decode_filter *filter)
{
	warn_text("nothing of the trace matches the filters%s", filter->from || filter->to ?
		  " (--from and --to leave out what has no time)" : "");
}

/* Appends the harts of @source to @list, each once. Returns whether one of them is shown. */
static bool list_harts(const struct decode_filter *filter,
		       const struct rvtrace_recording_source *source, char *list, size_t size)
{
	size_t used = strlen(list), i;
	char number[32];

	for (i = 0; i < source->hart_count; i++) {
		if (source->harts[i] < MAX_HARTS && filter->harts[source->harts[i]])
			return true;
		snprintf(number, sizeof(number), " %llu,", (unsigned long long)source->harts[i]);
		if (!strstr(list, number) && used + strlen(number) < size)
			used += sprintf(list + used, "%s", number);
	}
	return false;
}

int filter_check_harts(const struct trace_input *in, struct rvtrace_failure *error)
{
	size_t sinks = rvtrace_recording_sink_count(in->recording), described = 0, i, j;
	char list[256] = "";

	for (i = 0; in->filter.has_harts && i < sinks; i++) {
		const struct rvtrace_recording_sink *sink;

		sink = rvtrace_recording_sink(in->recording, i);
		for (j = 0; j < sink->source_count; j++, described++)
			if (list_harts(&in->filter, &sink->sources[j], list, sizeof(list)))
				return 0;
	}
	if (!described)
		return 0;
	if (*list)
		list[strlen(list) - 1] = 0;
	return rvtrace_fail(error, ENOENT, 0, "%s: --hart: none of these harts was traced%s%s",
			    in->directory, *list ? ", but these were:" : "", list);
}

static int wrong_time(const char *option, const char *text, bool seconds,
		      struct rvtrace_failure *error)
{
	if (parse_share(text) >= 0)
		return rvtrace_fail(error, EINVAL, 0,
				    "--time: %s: the recording does not say how long it took",
				    text);
	return rvtrace_fail(error, EINVAL, 0, "--%s: %s is not %s", option, text, seconds ?
			    "a time, as 1.5, 20ms or 300us" :
			    "a number: the trace does not give the frequency of its timestamps");
}

/* In ticks of the trace: without a clock that is known, there is no other time. */
static int trace_time(const struct trace_input *in, const char *option, const char *text,
		      uint64_t *time, struct rvtrace_failure *error)
{
	if (parse_time(text, in->timestamp_hz, time))
		return wrong_time(option, text, in->timestamp_hz, error);
	if (in->clock)
		*time = rvtrace_clock_stamp(in->clock, *time);
	return 0;
}

/* CLOCK_MONOTONIC of a moment as the user wrote it. */
static int monotonic(const struct trace_input *in, const char *option, const char *text,
		     uint64_t *ns, struct rvtrace_failure *error)
{
	int64_t moment, start = in->filter.absolute ? 0 : in->start, share = parse_share(text);

	if (share >= 0 && in->end <= in->start)
		return wrong_time(option, text, true, error);
	if (share >= 0) {
		*ns = in->start + (unsigned __int128)(in->end - in->start) * share / 1000000;
		return 0;
	}
	if (parse_moment(text, &moment))
		return wrong_time(option, text, true, error);
	*ns = __builtin_add_overflow(moment, start, &moment) ? UINT64_MAX - 1 :
	      moment < 0 ? 0 : moment;
	return 0;
}

/* The first tick that is shown as such a time or later, and the last one as such or earlier. */
static int begin_times(struct trace_input *in, struct rvtrace_failure *error)
{
	struct decode_filter *filter = &in->filter;
	uint64_t ns;
	int ret = 0;

	if (filter->from)
		ret = monotonic(in, "from", filter->from, &ns, error);
	if (filter->from && !ret)
		filter->from_time = rvtrace_clock_ticks(in->clock, ns);
	if (filter->to && !ret)
		ret = monotonic(in, "to", filter->to, &ns, error);
	if (filter->to && !ret) {
		filter->to_time = rvtrace_clock_ticks(in->clock, ns + 1);
		if (filter->to_time)
			filter->to_time--;
		else
			filter->from_time = 1;	/* before the first tick: nothing */
	}
	return ret;
}

int filter_begin(struct trace_input *in, struct rvtrace_failure *error)
{
	struct decode_filter *filter = &in->filter;
	int ret = 0;

	filter->from_time = 0;
	filter->to_time = UINT64_MAX;
	filter->place = (struct symbol_place) { };
	if (filter->thread_count && !in->recording)
		return rvtrace_fail(error, EINVAL, 0,
				    "--thread: only a recording knows which thread executes");
	if (input_knows_clock(in)) {
		in->start = moments_start(in->recording);
		if (in->end < in->start)
			in->end = in->start;
		return begin_times(in, error);
	}
	if (filter->absolute)
		return rvtrace_fail(error, EINVAL, 0,
				    "--absolute: %s: the trace's timestamps have no relation to CLOCK_MONOTONIC",
				    in->object);
	if (filter->from)
		ret = trace_time(in, "from", filter->from, &filter->from_time, error);
	return ret || !filter->to ? ret :
	       trace_time(in, "to", filter->to, &filter->to_time, error);
}

void filter_free(struct decode_filter *filter)
{
	free(filter->blocks);
}

bool filter_shows(const struct trace_input *in, unsigned int source)
{
	uint64_t hart;

	if (!in->filter.has_harts || source >= MAX_SOURCES)
		return true;
	hart = input_hart(in, source);
	return hart < MAX_HARTS && in->filter.harts[hart];
}

bool filter_has_thread(const struct decode_filter *filter, int32_t thread)
{
	size_t i;

	for (i = 0; i < filter->thread_count; i++)
		if (filter->threads[i] == thread)
			return true;
	return !filter->thread_count;
}

bool filter_has_window(const struct decode_filter *filter)
{
	return filter->from || filter->to;
}

bool filter_item(const struct decode_filter *filter, const struct rvtrace_flow_item *item)
{
	if (!filter_has_thread(filter, item->thread))
		return false;
	if (!filter_has_window(filter))
		return true;
	return item->flags & RVTRACE_FLOW_HAS_TIME && item->time >= filter->from_time &&
	       item->time <= filter->to_time;
}

bool filter_has_process(const struct decode_filter *filter, int32_t process)
{
	for (size_t i = 0; i < filter->process_count; i++)
		if (filter->processes[i] == process)
			return true;
	return !filter->process_count;
}

bool filter_has_code(const struct decode_filter *filter)
{
	return filter->range_count || filter->symbol_count;
}

bool filter_wants_flow(const struct decode_filter *filter)
{
	return filter_has_code(filter) || filter->thread_count || filter->process_count ||
	       filter_has_window(filter);
}

static bool in_range(const struct decode_filter *filter, uint64_t address)
{
	size_t i;

	for (i = 0; i < filter->range_count; i++)
		if (address >= filter->ranges[i].start && address <= filter->ranges[i].last)
			return true;
	return !filter->range_count;
}

static bool name_matches(const struct decode_filter *filter, const char *name)
{
	size_t i;

	for (i = 0; name && i < filter->symbol_count; i++)
		if (!fnmatch(filter->symbols[i], name, 0))
			return true;
	return false;
}

static bool in_symbol(struct decode *d, const struct rvtrace_flow_item *item, uint64_t address,
		      const uint8_t *code)
{
	struct decode_filter *filter = &d->input.filter;
	struct symbol_place *place = &filter->place;

	if (!filter->symbol_count)
		return true;
	if (address - place->start >= place->end - place->start) {
		symbols_find(d->symbols, d->resolver, item, address, code, place);
		filter->matches = name_matches(filter, place->function ? place->name : NULL);
	}
	return filter->matches;
}

bool filter_code(struct decode *d, const struct rvtrace_flow_item *item, uint64_t address,
		 const uint8_t *code)
{
	return in_range(&d->input.filter, address) && in_symbol(d, item, address, code);
}

bool filter_function(const struct decode_filter *filter, const char *name, uint64_t address)
{
	return in_range(filter, address) &&
	       (!filter->symbol_count || name_matches(filter, name));
}

static bool append(struct decode_filter *filter, size_t *count,
		   const struct rvtrace_flow_block *block)
{
	struct rvtrace_flow_block *last = *count ? &filter->blocks[*count - 1] : NULL;

	if (last && last->address + last->size == block->address &&
	    last->code + last->size == block->code) {
		last->size += block->size;
		last->instructions += block->instructions;
		return true;
	}
	if (*count == filter->room) {
		size_t room = filter->room ? 2 * filter->room : 256;
		void *blocks = realloc(filter->blocks, room * sizeof(*filter->blocks));

		if (!blocks)
			return false;
		filter->blocks = blocks;
		filter->room = room;
	}
	filter->blocks[(*count)++] = *block;
	return true;
}

/* The instructions that are shown, as a run of its own. */
static int cut_blocks(struct decode *d, struct rvtrace_flow_item *item)
{
	struct decode_filter *filter = &d->input.filter;
	uint32_t instructions = 0;
	struct rvtrace_insn_iter iter;
	size_t count = 0;

	/* what lies where is another matter with each item */
	filter->place = (struct symbol_place) { };
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		const struct rvtrace_flow_block one = {
			.address = iter.address, .code = iter.code, .size = iter.size,
			.instructions = 1,
		};

		if (!filter_code(d, item, iter.address, iter.code))
			continue;
		if (!append(filter, &count, &one))
			return -ENOMEM;
		instructions++;
	}
	item->blocks.list = filter->blocks;
	item->blocks.count = count;
	item->blocks.instructions = instructions;
	if (count)
		item->address = filter->blocks[0].address;
	return count != 0;
}

/*
 * Cuts @item to its first part that lies in one of the ranges; where its instructions are known, it
 * has whole ones. Return: whether there is one.
 */
static bool cut_range(const struct decode_filter *filter, struct rvtrace_flow_item *item)
{
	uint64_t step = item->range.instructions ? 4 : 1, first, last;
	struct rvtrace_flow_item part = *item;
	bool found = false;

	for (size_t i = 0; i < filter->range_count; i++) {
		const struct filter_range *range = &filter->ranges[i];

		if (range->start > item->range.last || range->last < item->address)
			continue;
		first = range->start > item->address ? range->start - item->address : 0;
		first = item->address + (first + step - 1) / step * step;
		last = range->last < item->range.last ? range->last : item->range.last;
		last = item->address + (last - item->address) / step * step;
		if (first > last || (found && first >= part.address))
			continue;
		found = true;
		part.address = first;
		part.range.last = last;
		part.range.instructions = step == 4 ? (last - first) / 4 + 1 : 0;
	}
	*item = part;
	return found;
}

/* Damage is shown wherever it is; other events where they happen. */
static bool shows_event(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS) {
		d->input.filter.place = (struct symbol_place) { };
		return filter_code(d, item, item->address, NULL);
	}
	return item->type == RVTRACE_FLOW_ERROR || item->type == RVTRACE_FLOW_LOST ||
	       item->type == RVTRACE_FLOW_OVERFLOW || item->type == RVTRACE_FLOW_UNFOLLOWED;
}

int filter_cut(struct decode *d, struct rvtrace_flow_item *item)
{
	struct decode_filter *filter = &d->input.filter;
	int ret;

	if (!filter_item(filter, item))
		return 0;
	if (!filter_has_code(filter))
		ret = 1;
	else if (item->type == RVTRACE_FLOW_RANGE && filter->range_count &&
		 !cut_range(filter, item))
		ret = 0;
	else if (item->type == RVTRACE_FLOW_BLOCKS)
		ret = cut_blocks(d, item);
	else
		ret = shows_event(d, item);
	filter->shown |= ret > 0;
	return ret;
}
