// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-compare: is what was decoded of a recording what was executed?
 *
 * Exit status: 0 when every instruction of the ground truth is accounted for
 * on every hart, 1 when not or when something cannot be read, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/replay.h>

#include "selftests/compare-core.h"
#include "selftests/compare-spaces.h"
#include "selftests/storm/announce.h"
#include "tools/machine/truth.h"

#define MAX_HARTS	64
#define MAX_JIT		16
#define PRIV_U		0
#define PRIV_M		3
#define OFFSET_EVERY	256	/* bytes of trace between two FLOW_OFFSET */
#define PAGE		4096

/* The flow of one hart, as it is decoded. */
struct hart {
	bool traced;
	uint64_t id;
	uint64_t *flow;
	size_t count, room;
	uint64_t offset;	/* of the last FLOW_OFFSET */
	uint64_t space;		/* of the last FLOW_SPACE */
	bool has_space;
	int digits;		/* of the process id being announced, -1: none is */
	uint64_t pid;
	bool stopped;
	uint64_t bytes;		/* of trace */
	uint64_t instructions;	/* decoded, in and out of the windows */
	uint64_t errors;
};

/* Instructions without an image in one page of one address space. */
struct bare_page {
	uint64_t space;
	uint64_t page;
	uint64_t instructions;
	unsigned int priv;
};

struct options {
	bool json;
	bool filtered;		/* only part of what ran was traced */
	struct truth only;	/* its conditions, no words */
	uint64_t no_image;	/* how many instructions may lack an image */
	const char *raw;	/* file with the trace, which is not in the recording */
	uint64_t window;	/* of the truth, from 1; 0: all */
	struct compare_range jit[MAX_JIT];
	size_t jit_count;
	char *images[16];
	int image_count;
};

struct comparison_run {
	struct options options;
	struct hart harts[MAX_HARTS];	/* by source */
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	uint64_t lost_bytes;
	struct rvtrace_flow_item first_error;
	bool has_error;
	bool has_context;	/* the trace names address spaces */
	struct bare_page *bare;
	size_t bare_count, bare_last;
	/* the address space looked up last */
	uint32_t scontext;
	bool must_know;
	bool looked_up;
};

static int push(struct hart *hart, uint64_t item)
{
	if (hart->count == hart->room) {
		size_t room = hart->room ? 2 * hart->room : 1 << 16;
		void *flow;

		/* mremap() grows without a second copy. */
		flow = hart->room ?
			mremap(hart->flow, hart->room * sizeof(item), room * sizeof(item),
			       MREMAP_MAYMOVE) :
			mmap(NULL, room * sizeof(item), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (flow == MAP_FAILED)
			return -ENOMEM;
		hart->flow = flow;
		hart->room = room;
	}
	hart->flow[hart->count++] = item;
	return 0;
}

static uint32_t code_word(const struct rvtrace_insn_iter *iter)
{
	return iter->size < 4 ? 0 : iter->code[0] | iter->code[1] << 8 | iter->code[2] << 16 |
				    (uint32_t)iter->code[3] << 24;
}

/* What a comparison that starts here does not know any more is said again. */
static int push_break(struct hart *hart, enum flow_event kind, uint64_t offset)
{
	hart->has_space = false;
	hart->digits = -1;
	return push(hart, flow_event(kind, offset));
}

static int push_space(struct hart *hart, uint64_t space)
{
	if (hart->has_space && hart->space == space)
		return 0;
	hart->has_space = true;
	hart->space = space;
	hart->digits = -1;
	return push(hart, flow_event(FLOW_SPACE, space));
}

/* 0: not known */
static uint64_t space_of(const struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = rvtrace_resolver_space(run->resolver, item);

	return space ? space->index + 1 : 0;
}

static const struct rvtrace_space *find_space(const struct comparison_run *run, uint64_t space)
{
	return space ? rvtrace_spaces_get(run->spaces, space - 1) : NULL;
}

static int hear_announcement(struct hart *hart, uint32_t code)
{
	if (code == ANNOUNCE_OPEN) {
		hart->digits = 0;
		hart->pid = 0;
	} else if (hart->digits >= 0 && (code & ANNOUNCE_MASK) == ANNOUNCE_DIGIT) {
		hart->digits++;
		hart->pid = hart->pid << 4 | (code >> 20 & 15);
	} else if (hart->digits == ANNOUNCE_DIGITS && code == ANNOUNCE_CLOSE) {
		hart->digits = -1;
		return push(hart, flow_event(FLOW_PID, hart->pid));
	}
	return 0;
}

static int push_insn(struct hart *hart, const struct rvtrace_insn_iter *iter, unsigned int priv)
{
	uint32_t code = code_word(iter);
	int ret = 0;

	if (code == TRUTH_MARKER_BEGIN) {
		ret = push(hart, flow_event(FLOW_BEGIN, 0));
		ret |= push(hart, flow_event(FLOW_SPACE, hart->space));
	} else if (code == TRUTH_MARKER_END) {
		ret = push(hart, flow_event(FLOW_END, 0));
	}
	ret |= push(hart, flow_insn(iter->address, priv));
	return ret | hear_announcement(hart, code);
}

static int take_blocks(const struct comparison_run *run, struct hart *hart,
		       const struct rvtrace_flow_item *item)
{
	unsigned int priv = item->flags & RVTRACE_FLOW_HAS_PRIV ? item->priv : FLOW_PRIV_UNKNOWN;
	struct rvtrace_insn_iter iter;
	int ret = 0;

	if (hart->stopped)
		ret = push_break(hart, FLOW_LOST, item->offset);
	hart->stopped = false;
	if (item->offset - hart->offset >= OFFSET_EVERY) {
		ret |= push(hart, flow_event(FLOW_OFFSET, item->offset));
		hart->offset = item->offset;
	}
	if (priv == 0)
		ret |= push_space(hart, space_of(run, item));
	hart->instructions += item->blocks.instructions;
	rvtrace_insn_iter_init(&iter, item);
	while (!ret && rvtrace_insn_iter_next(&iter))
		ret = push_insn(hart, &iter, priv);
	return ret;
}

static int lose_all(struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	int i, ret = 0;

	run->lost_bytes += item->lost.bytes;
	for (i = 0; i < MAX_HARTS; i++)
		ret |= push_break(&run->harts[i], FLOW_LOST, item->offset);
	return ret;
}

static int take_error(struct comparison_run *run, struct hart *hart,
		      const struct rvtrace_flow_item *item)
{
	if (!run->has_error)
		run->first_error = *item;
	run->has_error = true;
	hart->errors++;
	return push_break(hart, FLOW_ERROR, item->offset);
}

/* Damage before the source of a message is known counts for every hart. */
static int take_error_of_all(struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	int i, ret = 0;

	for (i = 0; i < MAX_HARTS; i++)
		ret |= take_error(run, &run->harts[i], item);
	return ret;
}

static int take_item(struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	struct hart *hart;

	if (item->type == RVTRACE_FLOW_LOST)
		return lose_all(run, item);
	if (item->type == RVTRACE_FLOW_ERROR && item->source >= MAX_HARTS)
		return take_error_of_all(run, item);
	if (item->source >= MAX_HARTS)
		return 0;
	hart = &run->harts[item->source];
	run->has_context |= item->flags & RVTRACE_FLOW_HAS_CONTEXT;
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		return take_blocks(run, hart, item);
	case RVTRACE_FLOW_NO_IMAGE:
		return push_space(hart, space_of(run, item)) |
		       push_break(hart, FLOW_NO_IMAGE, item->offset);
	case RVTRACE_FLOW_OVERFLOW:
		return push_break(hart, FLOW_LOST, item->offset);
	case RVTRACE_FLOW_STOP:
		/* If it goes on, that is a reported gap, or where the filter ended. */
		hart->stopped = !run->options.filtered;
		return 0;
	case RVTRACE_FLOW_ERROR:
		return take_error(run, hart, item);
	default:
		return 0;
	}
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < count && !ret; i++)
		ret = take_item(data, &items[i]);
	return ret;
}

static void take_end(void *data, const struct rvtrace_flow *flow)
{
	struct comparison_run *run = data;
	struct rvtrace_flow_stats stats;
	unsigned int i;

	for (i = 0; i < MAX_HARTS; i++) {
		rvtrace_flow_stats(flow, i, &stats);
		run->harts[i].bytes = stats.bytes;
	}
}

/* Whatever the traced command and the recorder ran was copied. */
static bool must_know(void *data, uint64_t pc, uint32_t scontext)
{
	struct comparison_run *run = data;
	const struct rvtrace_space *space;

	(void)pc;
	if (!run->looked_up || run->scontext != scontext) {
		space = rvtrace_spaces_of_context(run->spaces, scontext, RVTRACE_TIME_NEWEST,
						  NULL);
		run->must_know = space && space->role != RVTRACE_SPACE_OTHER;
		run->scontext = scontext;
		run->looked_up = true;
	}
	return run->must_know;
}

static void count_bare(void *data, const struct truth_step *step, uint64_t space)
{
	struct comparison_run *run = data;
	uint64_t page = step->pc / PAGE;
	struct bare_page *bare;
	size_t i, n;

	if (step->priv)
		space = 0;
	for (n = 0, i = run->bare_last; n < run->bare_count; n++, i = (i + 1) % run->bare_count)
		if (run->bare[i].page == page && run->bare[i].space == space)
			break;
	if (n == run->bare_count) {
		bare = realloc(run->bare, (n + 1) * sizeof(*bare));
		if (!bare)
			return;
		run->bare = bare;
		run->bare[n] = (struct bare_page) {
			.space = space, .page = page, .priv = step->priv,
		};
		run->bare_count++;
		i = n;
	}
	run->bare[i].instructions++;
	run->bare_last = i;
}

static int by_space_and_page(const void *a, const void *b)
{
	const struct bare_page *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

static const char *path_of(const struct rvtrace_space *space, uint64_t address)
{
	size_t i = space ? space->map_count : 0;

	while (i--)
		if (address >= space->maps[i].start && address < space->maps[i].end)
			return space->maps[i].path;
	return "";
}

static void print_bare(struct comparison_run *run)
{
	const struct rvtrace_space *space;
	const struct bare_page *bare;
	size_t i, end;
	uint64_t sum;

	qsort(run->bare, run->bare_count, sizeof(*run->bare), by_space_and_page);
	for (i = 0; i < run->bare_count; i = end) {
		bare = &run->bare[i];
		space = find_space(run, bare->space);
		sum = bare->instructions;
		for (end = i + 1; end < run->bare_count && run->bare[end].space == bare->space &&
		     run->bare[end].page == run->bare[end - 1].page + 1; end++)
			sum += run->bare[end].instructions;
		fprintf(stderr, "without image: 0x%" PRIx64 "-0x%" PRIx64 " %c, %" PRIu64
			" instructions, process %d (%s) %s\n", bare->page * PAGE,
			(run->bare[end - 1].page + 1) * PAGE, "US?M"[bare->priv & 3], sum,
			space ? space->pid : -1, space ? space->comm : "",
			path_of(space, bare->page * PAGE));
	}
}

/* Without scontext, a child of vfork() cannot be told from one of fork(). */
static bool shared(void *data, uint64_t a, uint64_t b)
{
	const struct rvtrace_space *x = find_space(data, a), *y = find_space(data, b);
	const struct comparison_run *run = data;

	return !run->has_context && x && y && compare_may_share(run->spaces, x, y);
}

static int64_t pid_of(void *data, uint64_t space)
{
	const struct rvtrace_space *found = find_space(data, space);

	return found ? found->pid : -1;
}

static int say(const char *what)
{
	fprintf(stderr, "rvtrace-compare: %s\n", what);
	return -1;
}

/* Leave nothing but one window. */
static int cut_window(struct truth *truth, uint64_t number)
{
	size_t i, begin = 0;

	for (i = 0; i < truth->count; i++) {
		uint64_t word = truth->words[i];

		if (!(word & 1))
			continue;
		if (TRUTH_KIND(word) == TRUTH_STATE) {
			i += 2;
		} else if (TRUTH_KIND(word) == TRUTH_BEGIN) {
			begin = i;
		} else if (word >> 8 == number) {
			truth->words += begin;
			truth->count = i + 1 - begin;
			return 0;
		}
	}
	fprintf(stderr, "rvtrace-compare: no window %" PRIu64 "\n", number);
	return -1;
}

static int map_truth(const char *prefix, uint64_t hart, struct truth *truth)
{
	struct truth_header *header;
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s.%" PRIu64, prefix, hart);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		fprintf(stderr, "rvtrace-compare: %s: %s\n", path, strerror(errno));
		return -1;
	}
	header = MAP_FAILED;
	if ((size_t)st.st_size >= sizeof(*header))
		header = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (header == MAP_FAILED || memcmp(header->magic, TRUTH_MAGIC, sizeof(header->magic)) ||
	    header->hart != hart) {
		fprintf(stderr, "rvtrace-compare: %s: not the ground truth of hart %" PRIu64 "\n",
			path, hart);
		return -1;
	}
	truth->words = (const uint64_t *)(header + 1);
	truth->count = (st.st_size - sizeof(*header)) / sizeof(uint64_t);
	if (truth_check(truth)) {
		fprintf(stderr, "rvtrace-compare: %s: %s\n", path, truth_check(truth));
		return -1;
	}
	return 0;
}

static void print_flow_around(const struct hart *hart, size_t item)
{
	size_t i = item > 8 ? item - 8 : 0;

	for (; i < item + 4 && i < hart->count; i++) {
		uint64_t x = hart->flow[i];

		if (flow_is_event(x))
			fprintf(stderr, "    %s event %d, %" PRIu64 "\n", i == item ? ">" : " ",
				flow_kind(x), x >> 4);
		else
			fprintf(stderr, "    %s 0x%" PRIx64 " %c\n", i == item ? ">" : " ",
				flow_pc(x), "US?M"[flow_priv(x)]);
	}
}

static void print_mismatches(const struct hart *hart, const struct compare_result *result)
{
	unsigned int i;

	for (i = 0; i < result->shown_count; i++) {
		const struct compare_mismatch *m = &result->shown[i];

		fprintf(stderr, "hart %" PRIu64 ": instruction %" PRIu64
			" of the window, trace offset %" PRIu64 ": %s\n"
			"  executed: 0x%" PRIx64 " %c; decoded:\n", hart->id, m->index,
			m->offset, m->what, m->truth_pc, "US?M"[m->truth_priv & 3]);
		print_flow_around(hart, m->item);
	}
}

static double bits(const struct hart *hart)
{
	return hart->instructions ? 8.0 * hart->bytes / hart->instructions : 0;
}

static struct json_object *hart_json(const struct hart *hart, const struct compare_result *r)
{
	struct json_object *o = json_object_new_object();

#define ADD(name, value) json_object_object_add(o, name, json_object_new_int64(value))
	ADD("hart", hart->id);
	ADD("trace_bytes", hart->bytes);
	json_object_object_add(o, "bits_per_instruction", json_object_new_double(bits(hart)));
	ADD("windows", r->windows);
	ADD("windows_found", r->opened);
	ADD("executed", r->truth);
	ADD("decoded", r->decoded);
	ADD("without_image", r->no_image);
	ADD("jit", r->jit);
	ADD("passed", r->passed);
	ADD("placed", r->placed);
	ADD("announced", r->announced);
	ADD("lost", r->lost);
	ADD("losses", r->losses);
	ADD("errors", hart->errors);
	ADD("unaccounted", r->unaccounted);
	ADD("mismatches", r->mismatches);
#undef ADD
	return o;
}

static int load(struct comparison_run *run, const char *directory)
{
	char **images = run->options.images;
	struct rvtrace_recording_error error;
	uint64_t address;
	char *at;
	int i;

	if (rvtrace_recording_open(directory, &run->recording, &error) ||
	    rvtrace_spaces_load(run->recording, &run->spaces, &error))
		return say(error.text);
	run->program = rvtrace_program_new();
	if (!run->program)
		return say("out of memory");
	if (rvtrace_program_load(run->program, run->recording, directory, run->spaces, &error))
		return say(error.text);
	for (i = 0; i < run->options.image_count; i++) {
		at = strrchr(images[i], '@');
		if (at)
			*at++ = 0;
		address = at ? strtoull(at, NULL, 0) : 0;
		if (rvtrace_program_add_image(run->program, images[i], address, at,
					      RVTRACE_PRIV_M, &error))
			return say(error.text);
	}
	return 0;
}

static int decode_raw(struct comparison_run *run, const struct rvtrace_replay_handler *handler,
		      struct rvtrace_recording_error *error)
{
	const char *raw = run->options.raw;
	struct rvtrace_flow_config config;
	int ret, fd;

	ret = rvtrace_replay_config(run->recording, 0, &config, error);
	if (ret)
		return ret;
	fd = open(raw, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(error->text, sizeof(error->text), "%s: %s", raw, strerror(errno));
		return -errno;
	}
	rvtrace_resolver_attach(run->resolver, &config);
	ret = rvtrace_replay_file(fd, raw, &config, run->program->image, handler, error);
	close(fd);
	return ret;
}

static int replay(struct comparison_run *run, const struct rvtrace_replay_handler *handler,
		  struct rvtrace_recording_error *error)
{
	if (run->options.raw)
		return decode_raw(run, handler, error);
	return rvtrace_replay(run->recording, 0, run->program, run->resolver, handler, error);
}

static int decode(struct comparison_run *run)
{
	const struct rvtrace_replay_handler handler = {
		.items = take_items, .end = take_end, .data = run,
	};
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(run->recording, 0);
	struct rvtrace_recording_error error = { .text = "out of memory" };
	size_t i;

	if (!sink || rvtrace_recording_sink_count(run->recording) != 1)
		return say("not a recording of one sink");
	for (i = 0; i < sink->source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->sources[i];

		if (source->src_id >= MAX_HARTS || source->hart_count != 1)
			return say("an encoder that does not serve exactly one hart");
		run->harts[source->src_id].traced = true;
		run->harts[source->src_id].id = source->harts[0];
	}
	if (rvtrace_resolver_new(run->recording, 0, run->program, run->spaces, &run->resolver,
				 &error) ||
	    replay(run, &handler, &error))
		return say(error.text);
	return 0;
}

static void print_header(void)
{
	printf("%4s %12s %9s %13s %13s %11s %11s %11s %11s %10s\n", "hart", "trace bytes",
	       "bits/insn", "executed", "decoded", "no image", "JIT", "lost", "unaccounted",
	       "mismatches");
}

static void print_hart(const struct hart *hart, const struct compare_result *r)
{
	printf("%4" PRIu64 " %12" PRIu64 " %9.3f %13" PRIu64 " %13" PRIu64 " %11" PRIu64 " %11"
	       PRIu64 " %11" PRIu64 " %11" PRIu64 " %10" PRIu64 "\n", hart->id, hart->bytes,
	       bits(hart), r->truth, r->decoded, r->no_image, r->jit, r->lost, r->unaccounted,
	       r->mismatches);
	fflush(stdout);
}

static bool compare(struct comparison_run *run, const char *prefix)
{
	struct compare_tables tables = { 0 };
	const struct compare_rules rules = {
		.must_know = must_know, .jit = run->options.jit,
		.jit_count = run->options.jit_count, .no_image = count_bare, .pid = pid_of,
		.shared = shared,
		.tables = &tables, .data = run,
	};
	const bool json = run->options.json;
	struct json_object *all = json_object_new_object(), *harts = json_object_new_array();
	struct compare_result r;
	uint64_t decoded = 0, mismatches = 0, no_image = 0, placed = 0, announced = 0;
	struct truth truth = run->options.only;
	bool good = true;
	int i, count = 0;

	json_object_object_add(all, "schema", json_object_new_int(1));
	json_object_object_add(all, "lost_bytes", json_object_new_int64(run->lost_bytes));
	json_object_object_add(all, "harts", harts);
	if (!json)
		print_header();
	for (i = 0; i < MAX_HARTS; i++) {
		const struct hart *hart = &run->harts[i];

		if (!hart->traced)
			continue;
		count++;
		if (map_truth(prefix, hart->id, &truth) ||
		    (run->options.window && cut_window(&truth, run->options.window))) {
			good = false;
			continue;
		}
		good &= compare_hart(&truth, hart->flow, hart->count, &rules, &r) && !hart->errors;
		if (json)
			json_object_array_add(harts, hart_json(hart, &r));
		else
			print_hart(hart, &r);
		if (r.opened < r.windows || !r.windows)
			fprintf(stderr, "hart %" PRIu64 ": %" PRIu64 " of %" PRIu64
				" windows found\n", hart->id, r.opened, r.windows);
		print_mismatches(hart, &r);
		decoded += r.decoded;
		mismatches += r.mismatches + hart->errors;
		no_image += r.no_image;
		placed += r.placed;
		announced += r.announced;
	}
	free(tables.roots);
	print_bare(run);
	good &= no_image <= run->options.no_image;
	json_object_object_add(all, "good", json_object_new_boolean(good && count));
	if (json)
		puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	else
		printf("user instructions whose process was checked %" PRIu64
		       ", processes that announced themselves %" PRIu64 "\n"
		       "instructions decoded %" PRIu64 ", trace bytes lost %" PRIu64
		       ", mismatches %" PRIu64 "\n", placed, announced, decoded, run->lost_bytes, mismatches);
	json_object_put(all);
	return good && count;
}

static void print_error(const struct comparison_run *run)
{
	const struct rvtrace_flow_item *item = &run->first_error;

	if (run->has_error)
		fprintf(stderr, "first error of the decoder: source %u, offset %" PRIu64
			": %s, address 0x%" PRIx64 ", TCODE %u\n", item->source, item->offset,
			rvtrace_strerror(item->error.code), item->address, item->error.tcode);
}

static int usage(void)
{
	fprintf(stderr, "Usage: rvtrace-compare [--json] [--image FILE[@ADDRESS]]... [--no-image MAX]\n"
		"	[--jit START-END]... [--filter-machine] [--only user|context=N|START-END]...\n"
		"	[--raw FILE] [--window NUMBER]\n"
		"	RECORDING TRUTH-PREFIX\n");
	return 2;
}

/* START-END */
static bool parse_range(const char *text, struct compare_range *range)
{
	char *end;

	range->start = strtoull(text, &end, 0);
	if (*end != '-')
		return false;
	range->end = strtoull(end + 1, &end, 0);
	return !*end && range->start < range->end;
}

static bool parse_context(const char *text, struct truth *only)
{
	unsigned long long scontext;
	char *end;

	scontext = strtoull(text, &end, 0);
	only->by_context = true;
	only->scontext = scontext;
	return *text && !*end && scontext <= UINT32_MAX;
}

/* What filters of the encoder let through: all but M-mode, user mode, a context, addresses */
static bool parse_only(const char *text, struct options *o)
{
	static const char context[] = "context=";

	o->filtered = true;
	if (!text)
		o->only.without = 1U << PRIV_M;
	else if (!strcmp(text, "user"))
		o->only.without = ~(1U << PRIV_U);
	else if (!strncmp(text, context, strlen(context)))
		return parse_context(text + strlen(context), &o->only);
	else
		return parse_range(text, &o->only.only);
	return true;
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "image", required_argument, NULL, 'i' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-image", required_argument, NULL, 'n' },
		{ "jit", required_argument, NULL, 'r' },
		{ "filter-machine", no_argument, NULL, 'm' },
		{ "only", required_argument, NULL, 'o' },
		{ "raw", required_argument, NULL, 'f' },
		{ "window", required_argument, NULL, 'w' },
		{ }
	};
	char *end = "";
	int c;

	o->no_image = UINT64_MAX;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if ((c == 'm' || c == 'o') && parse_only(optarg, o))
			continue;
		else if (c == 'n')
			o->no_image = strtoull(optarg, &end, 10);
		else if (c == 'f')
			o->raw = optarg;
		else if (c == 'w')
			o->window = strtoull(optarg, &end, 10);
		else if (c == 'i' && o->image_count < 16)
			o->images[o->image_count++] = optarg;
		else if (c != 'r' || o->jit_count == MAX_JIT ||
			 !parse_range(optarg, &o->jit[o->jit_count++]))
			return false;
		if (*end)
			return false;
	}
	return argc - optind == 2;
}

int main(int argc, char **argv)
{
	static struct comparison_run run;
	bool good;
	int i;

	if (!parse_options(argc, argv, &run.options))
		return usage();
	for (i = 0; i < MAX_HARTS; i++)
		run.harts[i].digits = -1;
	good = !load(&run, argv[optind]) && !decode(&run);
	if (good) {
		good = compare(&run, argv[optind + 1]);
		print_error(&run);
	}
	for (i = 0; i < MAX_HARTS; i++)
		if (run.harts[i].room)
			munmap(run.harts[i].flow, run.harts[i].room * sizeof(uint64_t));
	free(run.bare);
	rvtrace_resolver_free(run.resolver);
	rvtrace_program_free(run.program);
	rvtrace_spaces_free(run.spaces);
	rvtrace_recording_free(run.recording);
	return !good;
}
