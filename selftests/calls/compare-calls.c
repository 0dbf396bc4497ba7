// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-compare-calls: are the calls that the call layer tells those that were made?
 *
 * Exit status: 0 when every call, trap and signal of the machine's log is accounted for, 1 when
 * not or when something cannot be read, 2 usage.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/replay.h>

#include "selftests/calls/judge.h"

static const char usage[] =
	"usage: rvtrace-compare-calls [options] RECORDING TRUTH\n"
	"\n"
	"TRUTH.N is what hart N retired, TRUTH.calls.N its log of calls.\n"
	"\n"
	"  --firmware FILE     ELF file of the firmware\n"
	"  --times             the machine has one clock for instructions and time: times must fit\n"
	"  --least N           fewer calls are no test\n"
	"  --cut PERCENT       so many frames may be missing in gaps, or cut by them (0)\n"
	"  --show N            show so many differences (10)\n"
	"  --events HART,A,B   show what the layer tells of instructions A to B of the window of HART\n"
	"  --plant FAULT[,N]   return, threads or tail: the layer drops a return, swaps two threads, or\n"
	"                      takes a tail call for a call, after N that it does not\n";

struct options {
	const char *recording;
	const char *truth;
	const char *firmware;
	bool times;
	uint64_t least;
	double cut;
	unsigned int show;
	uint64_t shown[3];
};

struct comparison {
	struct options options;
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	struct rvtrace_calls *calls;
	struct names *names;
	struct shadow shadow;
	struct layer layer;
	struct align_hart harts[JUDGE_SOURCES];
};

static int say(const char *what)
{
	fprintf(stderr, "rvtrace-compare-calls: %s\n", what);
	return -1;
}

static bool plant(struct layer *layer, const char *text)
{
	static const char *const names[] = {
		[LAYER_DROP_RETURN] = "return", [LAYER_SWAP_THREADS] = "threads",
		[LAYER_TAIL_IS_CALL] = "tail",
	};
	size_t length = strcspn(text, ",");
	unsigned int i;

	for (i = 1; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && !strncmp(names[i], text, length))
			layer->fault = i;
	layer->fault_after = layer->fault == LAYER_TAIL_IS_CALL ? 1000 : 50000;
	if (text[length])
		layer->fault_after = strtoull(text + length + 1, NULL, 0);
	return layer->fault;
}

static bool parse(int argc, char **argv, struct comparison *c)
{
	static const struct option long_options[] = {
		{ "firmware", required_argument, NULL, 'f' },
		{ "times", no_argument, NULL, 't' },
		{ "least", required_argument, NULL, 'l' },
		{ "cut", required_argument, NULL, 'c' },
		{ "show", required_argument, NULL, 's' },
		{ "events", required_argument, NULL, 'e' },
		{ "plant", required_argument, NULL, 'p' },
		{ }
	};
	struct options *o = &c->options;
	bool good = true;
	int option;

	o->show = 10;
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (option) {
		case 'f':
			o->firmware = optarg;
			break;
		case 't':
			o->times = true;
			break;
		case 'l':
			o->least = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			o->cut = strtod(optarg, NULL);
			break;
		case 's':
			o->show = strtoul(optarg, NULL, 0);
			break;
		case 'e':
			good &= sscanf(optarg, "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &o->shown[0],
				       &o->shown[1], &o->shown[2]) == 3;
			break;
		case 'p':
			good &= plant(&c->layer, optarg);
			break;
		default:
			good = false;
		}
	}
	if (!good || argc - optind != 2) {
		fputs(usage, stderr);
		return false;
	}
	o->recording = argv[optind];
	o->truth = argv[optind + 1];
	return true;
}

static int load(struct comparison *c)
{
	const struct options *o = &c->options;
	struct rvtrace_failure error;

	if (rvtrace_recording_open(o->recording, &c->recording, &error) ||
	    rvtrace_spaces_load(c->recording, &c->spaces, &error))
		return say(error.text);
	c->program = rvtrace_program_new();
	if (!c->program)
		return say("out of memory");
	if (rvtrace_program_load(c->program, c->recording, o->recording, c->spaces, &error))
		return say(error.text);
	c->names = names_new(o->recording, c->program, o->firmware);
	return 0;
}

static int add_harts(struct comparison *c)
{
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(c->recording, 0);
	size_t i;

	if (!sink || rvtrace_recording_sink_count(c->recording) != 1)
		return say("not a recording of one sink");
	for (i = 0; i < JUDGE_SOURCES; i++)
		c->harts[i].begin = ALIGN_NOWHERE;
	for (i = 0; i < sink->source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->sources[i];

		if (source->src_id >= JUDGE_SOURCES || source->hart_count != 1 ||
		    source->harts[0] >= SHADOW_HARTS)
			return say("an encoder that does not serve exactly one hart");
		c->harts[source->src_id].traced = true;
		c->harts[source->src_id].id = source->harts[0];
		if (shadow_load(&c->shadow, c->options.truth, source->harts[0]))
			return -1;
	}
	return 0;
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct comparison *c = data;
	size_t i;
	int h;

	for (i = 0; i < count; i++) {
		if (items[i].source < JUDGE_SOURCES) {
			align_take(&c->harts[items[i].source], &items[i]);
			continue;
		}
		for (h = 0; h < JUDGE_SOURCES; h++)
			if (items[i].type == RVTRACE_FLOW_LOST ||
			    items[i].type == RVTRACE_FLOW_ERROR)
				align_break(&c->harts[h]);
	}
	return rvtrace_calls_items(c->calls, items, count);
}

static void show_event(const struct comparison *c, const struct rvtrace_call_event *event)
{
	static const char *const types[] = { "enter", "leave", "run", "rest", "gap", "item" };
	const struct align_hart *hart = &c->harts[event->source];
	uint64_t index = event->source_instructions - hart->begin, address;
	const struct rvtrace_call_frame *frame = event->frame;
	const char *file;

	if (!c->options.shown[2] || event->source >= JUDGE_SOURCES || !hart->traced ||
	    hart->begin == ALIGN_NOWHERE || hart->id != c->options.shown[0] ||
	    index < c->options.shown[1] || index > c->options.shown[2])
		return;
	printf("%" PRIu64 " %s thread %" PRId32 " lane %" PRIu32 " depth %" PRIu32, index,
	       types[event->type], event->thread, event->lane, event->depth);
	if (frame)
		printf(" frame %" PRIu64 " kind %u %s 0x%" PRIx64 " returns to 0x%" PRIx64
		       " flags 0x%x", frame->id, frame->kind,
		       names_of(c->names, frame->function, &file, &address), frame->address,
		       frame->return_address, frame->flags);
	putchar('\n');
}

/* Every hart has opened its window, and this one before. */
static bool is_inside(const struct comparison *c, const struct rvtrace_call_event *event)
{
	int i;

	for (i = 0; i < JUDGE_SOURCES; i++)
		if (c->harts[i].traced && c->harts[i].begin == ALIGN_NOWHERE)
			return false;
	return event->source < JUDGE_SOURCES &&
	       event->source_instructions > c->harts[event->source].begin;
}

/* The layer has one pointer for both. */
static int event(void *data, const struct rvtrace_call_event *given)
{
	struct comparison *c = data;

	show_event(c, given);
	c->layer.inside = is_inside(c, given);
	return layer_event(&c->layer, given);
}

static void find(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		 const uint8_t *code, struct rvtrace_call_function *function)
{
	struct comparison *c = data;

	names_find(c->names, item, address, code, function);
}

static int lands(void *data, uint32_t function, uint64_t start, uint64_t call_site,
		 uint64_t landing)
{
	struct comparison *c = data;

	return names_lands(c->names, function, start, call_site, landing);
}

static int replay(struct comparison *c)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler), .items = take_items, .data = c,
	};
	struct rvtrace_flow_config flow = { .size = sizeof(flow) };
	struct rvtrace_calls_config config = {
		.size = sizeof(config), .spaces = c->spaces, .find = find,
		.lands = lands, .event = event, .data = c,
	};
	struct rvtrace_failure error = { .text = "out of memory" };

	if (rvtrace_replay_config(c->recording, 0, &flow, &error) ||
	    rvtrace_replay_resolver(c->recording, 0, c->program, c->spaces, &c->resolver, &error))
		return say(error.text);
	names_attach(c->names, c->resolver);
	config.isa = flow.isa;
	config.late = flow.format == RVTRACE_FLOW_FORMAT_ETRACE;
	if (rvtrace_calls_new(&config, &c->calls))
		return say("no call layer");
	if (rvtrace_replay(c->recording, 0, c->program, c->resolver, &handler, &error))
		return say(error.text);
	return rvtrace_calls_finish(c->calls) ? say("the call layer gave up") : 0;
}

static bool align(struct comparison *c)
{
	bool good = true;
	int i;

	for (i = 0; i < JUDGE_SOURCES; i++) {
		struct align_hart *hart = &c->harts[i];

		if (!hart->traced)
			continue;
		if (align_match(hart, c->options.truth))
			return false;
		printf("hart %" PRIu64 ": %" PRIu64 " instructions, %" PRIu64 " decoded in %zu parts, "
		       "misplaced %" PRIu64 "\n", hart->id, hart->truth_count, hart->matched,
		       hart->segment_count, hart->misplaced);
		good &= !hart->misplaced;
	}
	return good;
}

static bool compare(struct comparison *c)
{
	struct judge judge = {
		.shadow = &c->shadow, .layer = &c->layer, .harts = c->harts, .names = c->names,
		.show = c->options.show,
	};
	uint64_t all;

	judge_frames(&judge);
	if (c->options.times)
		judge_times(&judge);
	all = judge.calls + judge.traps + judge.signals;
	printf("compared: calls %" PRIu64 ", traps %" PRIu64 ", signals %" PRIu64 "; threads %" PRIu32
	       ", coroutines %zu, programs %" PRIu64 ", returns to nowhere %" PRIu64 "\n",
	       judge.calls, judge.traps, judge.signals, c->shadow.thread_count,
	       c->shadow.coroutines.count, c->shadow.execs, c->shadow.unmatched);
	printf("ways: tail calls %" PRIu64 ", jumped over %" PRIu64 "\n", judge.tails, judge.unwound);
	printf("callers older %" PRIu64 "; ends: open %" PRIu64 ", by execve %" PRIu64
	       ", by exit %" PRIu64 "; left for a coroutine %" PRIu64 ", called again in one %" PRIu64
	       "; threads unknown %" PRIu64 "\n",
	       judge.orphans + judge.older, judge.open, judge.replaced, judge.dead, judge.suspended,
	       judge.resumed, judge.unknown);
	printf("in gaps %" PRIu64 ", cut by gaps %" PRIu64 "; events %" PRIu64 ", not in order %"
	       PRIu64 "\n", judge.in_gaps, judge.cut, c->layer.events, c->layer.stack_errors);
	printf("times %" PRIu64 ", durations %" PRIu64 ", without %" PRIu64 ", outside %" PRIu64 "\n",
	       judge.times, judge.spans, judge.no_time, judge.outside);
	printf("differences %" PRIu64 "\n", judge.differences);
	if (c->layer.fault && !c->layer.planted)
		return say("there was no place for the fault");
	/* what is not known is not right, either */
	if (c->options.times && judge.times + judge.spans < 2 * c->options.least)
		return say("too few times were compared");
	if (100.0 * judge.unknown > c->options.cut * all ||
	    100.0 * judge.no_time > c->options.cut * all)
		return say("too many threads or times are unknown");
	return !judge.differences && !judge.outside && !c->layer.stack_errors &&
	       all >= c->options.least && all &&
	       100.0 * (judge.in_gaps + judge.cut) <= c->options.cut * all;
}

int main(int argc, char **argv)
{
	static struct comparison c;
	bool good;

	if (!parse(argc, argv, &c))
		return 2;
	good = !load(&c) && !add_harts(&c) && !replay(&c) && !shadow_run(&c.shadow);
	if (good) {
		good = align(&c);
		good &= compare(&c);
	}
	rvtrace_calls_free(c.calls);
	rvtrace_resolver_free(c.resolver);
	rvtrace_program_free(c.program);
	rvtrace_spaces_free(c.spaces);
	rvtrace_recording_free(c.recording);
	return !good;
}
