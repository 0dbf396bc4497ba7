// SPDX-License-Identifier: GPL-2.0
/*
 * rvtrace-compare: is what was decoded of a recording what was executed?
 *
 * Exit status: 0 when every instruction of the ground truth is accounted for
 * on every hart, 1 when not or when something cannot be read, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/replay.h>

#include "selftests/compare/compare-bare.h"
#include "selftests/compare/compare-core.h"
#include "selftests/compare/compare-flow.h"
#include "selftests/compare/compare-options.h"
#include "selftests/compare/compare-print.h"
#include "selftests/compare/compare-renumbered.h"
#include "selftests/compare/compare-spaces.h"
#include "tools/machine/truth.h"

#define MAX_HARTS	64
#define UNKNOWN_PART	16	/* of what has a thread: more lacks one than gaps explain */

struct comparison_run {
	struct compare_options options;
	struct compare_traced harts[MAX_HARTS];	/* by source */
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	uint64_t lost_bytes;
	struct rvtrace_flow_item first_error;
	bool has_error;
	bool has_context;	/* the trace names address spaces */
	bool has_threads;	/* and has times, so that threads are known */
	struct compare_bare bare;
	struct compare_renumbered renumbered;
	/* the address space looked up last */
	uint32_t scontext;
	bool must_know;
	bool looked_up;
};

/* 0: not known */
static uint64_t space_of(const struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = rvtrace_resolver_space(run->resolver, item);

	return space ? space->index + 1 : 0;
}

/* Says whose user code follows. */
static int take_space(const struct comparison_run *run, struct compare_traced *hart,
		      const struct rvtrace_flow_item *item)
{
	return compare_flow_space(&hart->flow, space_of(run, item)) |
	       compare_flow_thread(&hart->flow, (uint32_t)(item->thread + 1));
}

static unsigned int priv_of(const struct rvtrace_flow_item *item)
{
	return item->flags & RVTRACE_FLOW_HAS_PRIV ? item->priv : FLOW_PRIV_UNKNOWN;
}

static int take_blocks(const struct comparison_run *run, struct compare_traced *hart,
		       const struct rvtrace_flow_item *item)
{
	unsigned int priv = priv_of(item);
	struct rvtrace_insn_iter iter;
	int ret = 0;

	if (hart->stopped)
		ret = compare_flow_break(&hart->flow, FLOW_LOST, item->offset);
	hart->stopped = false;
	ret |= compare_flow_offset(&hart->flow, item->offset);
	if (priv == 0)
		ret |= compare_flow_space(&hart->flow, space_of(run, item));
	ret |= compare_flow_thread(&hart->flow, (uint32_t)(item->thread + 1));
	hart->instructions += item->blocks.instructions;
	rvtrace_insn_iter_init(&iter, item);
	while (!ret && rvtrace_insn_iter_next(&iter))
		ret = compare_flow_insn(&hart->flow, &iter, priv);
	return ret;
}

static int lose_all(struct comparison_run *run, const struct rvtrace_flow_item *item)
{
	int i, ret = 0;

	run->lost_bytes += item->lost.bytes;
	for (i = 0; i < MAX_HARTS; i++)
		ret |= compare_flow_break(&run->harts[i].flow, FLOW_LOST, item->offset);
	return ret;
}

static int take_error(struct comparison_run *run, struct compare_traced *hart,
		      const struct rvtrace_flow_item *item)
{
	if (!run->has_error)
		run->first_error = *item;
	run->has_error = true;
	hart->errors++;
	return compare_flow_break(&hart->flow, FLOW_ERROR, item->offset);
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
	struct compare_traced *hart;

	if (item->type == RVTRACE_FLOW_LOST)
		return lose_all(run, item);
	if (item->type == RVTRACE_FLOW_ERROR && item->source >= MAX_HARTS)
		return take_error_of_all(run, item);
	if (item->source >= MAX_HARTS)
		return 0;
	hart = &run->harts[item->source];
	run->has_context |= item->flags & RVTRACE_FLOW_HAS_CONTEXT;
	run->has_threads |= item->thread >= 0;
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		return take_blocks(run, hart, item);
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_TAIL:
		return take_space(run, hart, item) |
		       compare_flow_break(&hart->flow, FLOW_NO_IMAGE, item->offset);
	case RVTRACE_FLOW_UNFOLLOWED:
		return take_space(run, hart, item) | compare_flow_gap(&hart->flow, item);
	case RVTRACE_FLOW_RANGE:
		return take_space(run, hart, item) |
		       compare_flow_range(&hart->flow, item, priv_of(item));
	case RVTRACE_FLOW_OVERFLOW:
		return compare_flow_break(&hart->flow, FLOW_LOST, item->offset);
	case RVTRACE_FLOW_STOP:
		/* If it goes on, that is a reported gap, or where the filter ended. */
		hart->stopped = !run->options.filtered;
		return hart->stopped ? 0 :
		       compare_flow_break(&hart->flow, FLOW_STOPPED, item->offset);
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
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
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

	compare_bare_count(&run->bare, step, space);
}

/* Without scontext, a child of vfork() cannot be told from one of fork(). */
static bool shared(void *data, uint64_t a, uint64_t b)
{
	const struct comparison_run *run = data;
	const struct rvtrace_space *x = compare_space(run->spaces, a);
	const struct rvtrace_space *y = compare_space(run->spaces, b);

	return !run->has_context && x && y && compare_may_share(run->spaces, x, y);
}

static bool renumbered(void *data, uint64_t from, uint64_t to)
{
	const struct comparison_run *run = data;

	return compare_renumbered(&run->renumbered, from, to);
}

static int64_t pid_of(void *data, uint64_t space)
{
	const struct comparison_run *run = data;
	const struct rvtrace_space *found = compare_space(run->spaces, space);

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

static int load(struct comparison_run *run)
{
	const char *directory = run->options.recording;
	char **images = run->options.images;
	struct rvtrace_failure error;
	uint64_t address;
	char *at;
	int i;

	if (rvtrace_recording_open(directory, &run->recording, &error) ||
	    rvtrace_spaces_load(run->recording, &run->spaces, &error))
		return say(error.text);
	run->program = rvtrace_program_new();
	if (!run->program || (run->options.image_path &&
			      rvtrace_program_search(run->program, run->options.image_path)))
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
		      struct rvtrace_failure *error)
{
	const char *raw = run->options.raw;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
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
		  struct rvtrace_failure *error)
{
	if (run->options.raw)
		return decode_raw(run, handler, error);
	return rvtrace_replay(run->recording, 0, run->program, run->resolver, handler, error);
}

static int decode(struct comparison_run *run)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler),
		.items = take_items, .end = take_end, .data = run,
	};
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(run->recording, 0);
	struct rvtrace_failure error = { .text = "out of memory" };
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
	if (compare_renumbered_load(&run->renumbered, run->recording, &error) ||
	    rvtrace_replay_resolver(run->recording, 0, run->program, run->spaces, &run->resolver,
				    &error) ||
	    replay(run, &handler, &error))
		return say(error.text);
	return 0;
}

/*
 * By time, up to the instruction that changes tasks. With CDL, where what is written to tp tells, that
 * instruction is of the thread behind it.
 */
static bool knows_kernel_threads(const struct comparison_run *run)
{
	const struct rvtrace_switches *switches = rvtrace_spaces_switches(run->spaces);
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(run->recording, 0);

	return switches && rvtrace_switches_scheduled(switches) && run->program->task_switch &&
	       sink->source_count && strcmp(sink->sources[0].format, "cdl");
}

static bool compare(struct comparison_run *run)
{
	const struct compare_options *options = &run->options;
	struct compare_tables tables = { 0 };
	const struct compare_rules rules = {
		.must_know = must_know, .jit = options->jit, .jit_count = options->jit_count,
		.no_image = count_bare, .pid = pid_of, .shared = shared,
		.renumbered = renumbered,
		.tables = &tables, .threads = run->has_threads,
		.kernel_threads = knows_kernel_threads(run), .inside = options->inside,
		.no_firmware = options->no_firmware,
		.unfollowed = options->gaps > 0,
		.data = run,
	};
	struct truth truth = options->only;
	struct compare_report report;
	struct compare_result r;
	bool good = true;
	int i, count = 0;

	compare_report_begin(&report, options->json, run->lost_bytes);
	for (i = 0; i < MAX_HARTS; i++) {
		const struct compare_traced *hart = &run->harts[i];

		if (!hart->traced)
			continue;
		count++;
		if (map_truth(options->truth, hart->id, &truth) ||
		    (options->window && cut_window(&truth, options->window))) {
			good = false;
			continue;
		}
		good &= compare_hart(&truth, hart->flow.items, hart->flow.count, &rules, &r) &&
			!hart->errors;
		compare_report_hart(&report, hart, &r);
	}
	free(tables.roots);
	compare_bare_print(&run->bare, run->spaces);
	good &= count && report.no_image <= options->no_image &&
		100.0 * report.gaps <= options->gaps * report.truth;
	if (report.unknown > report.threaded / UNKNOWN_PART) {
		say("too much of what the kernel executed is of no known thread");
		good = false;
	}
	compare_report_end(&report, good, run->lost_bytes);
	return good;
}

int main(int argc, char **argv)
{
	static struct comparison_run run;
	bool good;
	int i;

	if (!compare_options_parse(argc, argv, &run.options))
		return 2;
	for (i = 0; i < MAX_HARTS; i++)
		compare_flow_init(&run.harts[i].flow);
	good = !load(&run) && !decode(&run);
	if (good) {
		good = compare(&run);
		if (run.has_error)
			compare_print_error(&run.first_error);
	}
	for (i = 0; i < MAX_HARTS; i++)
		compare_flow_free(&run.harts[i].flow);
	free(run.bare.pages);
	free(run.renumbered.changes);
	rvtrace_resolver_free(run.resolver);
	rvtrace_program_free(run.program);
	rvtrace_spaces_free(run.spaces);
	rvtrace_recording_free(run.recording);
	return !good;
}
