// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: by several threads, each of which prints into memory. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rvtrace/parallel.h>

#include "decode.h"

#define JOB_BYTES	(256 * 1024)	/* of trace, for which a thread is worth its while */
#define SOURCE_BYTES	1024	/* and for what it has in memory of each source there may be */
#define TEXT_BYTES	(32 * 1024)	/* of trace: their text can be kept */
#define PART_MAX	(16 * 1024 * 1024)	/* bytes of text that are kept for later */

struct parts;

/**
 * struct part - what was decoded of a segment and is not printed yet
 * @next: of the spare ones
 * @parts: all of them
 * @worker: whose it is
 * @decode: as of the whole trace, with totals and output of its own
 * @text, @size: that output
 * @missing: items without an image
 * @missing_count, @missing_room: of them
 * @log: what the text consists of, to be put in order
 * @offset: of the last item
 */
struct part {
	struct part *next;
	struct parts *parts;
	unsigned int worker;
	struct decode decode;
	char *text;
	size_t size;
	struct rvtrace_flow_item *missing;
	size_t missing_count;
	size_t missing_room;
	struct order_log log;
	uint64_t offset;
};

/**
 * struct parts - all parts
 * @decode: whose they are
 * @lock: for @spare
 * @spare: by worker, those to be used again, with the memory that their text took
 */
struct parts {
	struct decode *decode;
	pthread_mutex_t lock;
	struct part **spare;
};

static void part_destroy(struct part *part)
{
	if (part->decode.out.file)
		fclose(part->decode.out.file);
	filter_free(&part->decode.input.filter);
	processes_free(part->decode.processes);
	free(part->decode.totals.sources);
	free(part->missing);
	free(part->log.entries);
	free(part->text);
	free(part);
}

/* NULL: the worker has no spare one. */
static struct part *take_spare(struct parts *parts, unsigned int worker)
{
	struct part *part;

	pthread_mutex_lock(&parts->lock);
	part = parts->spare[worker];
	if (part)
		parts->spare[worker] = part->next;
	pthread_mutex_unlock(&parts->lock);
	return part;
}

static void part_free(void *data)
{
	struct part *part = data;
	struct parts *parts = part->parts;

	pthread_mutex_lock(&parts->lock);
	part->next = parts->spare[part->worker];
	parts->spare[part->worker] = part;
	pthread_mutex_unlock(&parts->lock);
}

static void forget_totals(struct decode *d)
{
	struct source_totals *sources = d->totals.sources;

	memset(sources, 0, d->input.source_count * sizeof(*sources));
	d->totals = (struct decode_totals) { .sources = sources };
	if (d->processes)
		processes_reset(d->processes);
	d->input.filter.shown = false;
}

/* It may have been dropped with something in it. */
static struct part *part_reset(struct part *part)
{
	forget_totals(&part->decode);
	part->missing_count = 0;
	part->decode.out.used = 0;
	part->log.count = 0;
	part->log.logged = part->decode.out.flushed;
	rewind(part->decode.out.file);
	return part;
}

static void *part_new(void *data, unsigned int number)
{
	struct parts *parts = data;
	const struct decode *d = parts->decode, *worker = d->workers[number];
	struct part *part = take_spare(parts, number);

	if (part)
		return part_reset(part);
	part = malloc(sizeof(*part));
	if (!part)
		return NULL;
	*part = (struct part) { .parts = parts, .worker = number, .decode = *worker };
	part->decode.out.printed = true;	/* which item is the first is known later */
	part->decode.input.filter.blocks = NULL;
	part->decode.input.filter.room = 0;
	part->decode.out.used = 0;
	part->decode.out.flushed = 0;
	part->decode.log = order_is_on(d) ? &part->log : NULL;
	part->decode.out.file = open_memstream(&part->text, &part->size);
	part->decode.totals.sources = malloc(worker->input.source_count *
					     sizeof(*worker->totals.sources));
	part->decode.missing = NULL;
	part->decode.processes = worker->processes ? processes_new(d->input.spaces) : NULL;
	if (!part->decode.out.file || !part->decode.totals.sources ||
	    (worker->processes && !part->decode.processes)) {
		part_destroy(part);
		return NULL;
	}
	forget_totals(&part->decode);
	return part;
}

/* What has no image is named when everything before it is known. */
static int keep_missing(struct part *part, const struct rvtrace_flow_item *item)
{
	struct rvtrace_flow_item shown = *item;
	int ret;

	if (!filter_shows(&part->decode.input, item->source))
		return 0;
	ret = filter_cut(&part->decode, &shown);
	if (ret <= 0)
		return ret;
	if (part->missing_count == part->missing_room) {
		size_t room = part->missing_room ? 2 * part->missing_room : 64;
		void *missing = realloc(part->missing, room * sizeof(*part->missing));

		if (!missing)
			return -ENOMEM;
		part->missing = missing;
		part->missing_room = room;
	}
	part->missing[part->missing_count++] = *item;
	return 0;
}

static int part_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct part *part = data;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		if (items[i].type == RVTRACE_FLOW_NO_IMAGE)
			ret = keep_missing(part, &items[i]);
	part->offset = items[count - 1].offset;
	if (!ret)
		ret = decode_items(&part->decode, items, count);
	return ret ? ret : ftello(part->decode.out.file) > PART_MAX;
}

static void add_source(struct source_totals *to, const struct source_totals *from)
{
	to->seen |= from->seen;
	to->named |= from->named;
	to->instructions += from->instructions;
	to->no_image += from->no_image;
	to->unfollowed += from->unfollowed;
	to->stretches += from->stretches;
	to->inferred += from->inferred;
	to->overflows += from->overflows;
	to->losses += from->losses;
	to->changed += from->changed;
	to->errors += from->errors;
}

static void add_totals(struct decode_totals *to, const struct decode_totals *from, size_t sources)
{
	for (size_t i = 0; i < sources; i++)
		add_source(&to->sources[i], &from->sources[i]);
	for (uint64_t i = 0; i < from->errors && to->errors + i < ERRORS_TOLD; i++)
		memcpy(to->told[to->errors + i], from->told[i], sizeof(to->told[0]));
	if (!to->unseen.known)
		to->unseen = from->unseen;
	to->lost_bytes += from->lost_bytes;
	to->overflows += from->overflows;
	to->errors += from->errors;
	to->accesses |= from->accesses;
}

static int add_part(struct decode *to, const struct decode *from)
{
	add_totals(&to->totals, &from->totals, from->input.source_count);
	to->input.filter.shown |= from->input.filter.shown;
	return from->processes ? processes_add(to->processes, from->processes) : 0;
}

/* In JSON, items have a comma before them, but for the first one. */
static int print_part(struct decode *d, struct part *part)
{
	size_t skip = 0;

	out_flush(&part->decode.out);
	if (fflush(part->decode.out.file))
		return -ENOMEM;
	if (order_is_on(d)) {
		int ret = order_logged(d, &part->log, part->text);

		rewind(part->decode.out.file);
		return ret;
	}
	if (global.json && part->size && !d->out.printed) {
		skip = 1;
		d->out.printed = true;
	}
	out_write(&d->out, part->text + skip, part->size - skip);
	rewind(part->decode.out.file);
	return -d->out.error;
}

static int part_commit(void *data, void *p)
{
	struct decode *d = ((struct parts *)data)->decode;
	struct part *part = p;
	int ret = add_part(d, &part->decode);

	forget_totals(&part->decode);
	for (size_t i = 0; i < part->missing_count && !ret; i++)
		ret = rvtrace_missing_add(d->missing, d->resolver, &part->missing[i]);
	part->missing_count = 0;
	input_progress(&d->input, part->offset);
	return ret ? ret : print_part(d, part);
}

/* Whether what is printed of an instruction is the same whatever is printed before it. */
static bool is_separate(const struct decode *d)
{
	switch (d->output) {
	case OUTPUT_LISTING:
		/* neither of the libraries is for several threads */
		return !d->wants_text && !d->lines;
	case OUTPUT_BLOCKS:
		/* what filters leave of blocks that follow one another is put together */
		return !d->lines && !filter_has_code(&d->input.filter);
	case OUTPUT_PC:
	case OUTPUT_SUMMARY:
		return true;
	default:
		return false;
	}
}

unsigned int decode_jobs(const struct decode *d, int fd)
{
	uint64_t bytes = d->input.stream_bytes, most;
	struct stat st;

	if (fd >= 0)
		bytes = !fstat(fd, &st) && S_ISREG(st.st_mode) ? st.st_size : 0;
	most = bytes / (JOB_BYTES + (SOURCE_BYTES << d->input.config.src_bits));
	if (!is_separate(d) || !rvtrace_parallel_possible(&d->input.config))
		return 1;
	return d->jobs < most ? d->jobs : most;
}

static void worker_free(struct decode *w)
{
	filter_free(&w->input.filter);
	decode_release(w);
	free(w);
}

/* What one more thread has of its own: images, which the resolver changes, and names of them. */
static int worker_new(const struct decode *d, struct decode **result,
		      struct rvtrace_failure *error)
{
	struct decode *w = malloc(sizeof(*w));
	int ret = 0;
	size_t i;

	if (!w)
		return -ENOMEM;
	/* Recording, spaces and sources are those of @d, who frees them. */
	*w = *d;
	w->views = NULL;
	w->text = NULL;
	w->order = NULL;
	w->resolver = NULL;
	w->symbols = NULL;
	w->processes = NULL;
	w->report = NULL;
	w->missing = NULL;
	w->totals.sources = NULL;
	w->input.filter.blocks = NULL;
	w->input.filter.room = 0;
	w->program = rvtrace_program_new();
	if (!w->program)
		ret = -ENOMEM;
	for (i = 0; i < d->program->directory_count && !ret; i++)
		ret = rvtrace_program_search(w->program, d->program->directories[i]);
	if (!ret)
		ret = decode_load(w, error);
	if (ret)
		worker_free(w);
	else
		*result = w;
	return ret;
}

void decode_workers_free(struct decode *d)
{
	while (d->worker_count)
		worker_free(d->workers[--d->worker_count]);
	free(d->workers);
	d->workers = NULL;
}

/* As many threads, with the sink under way. */
static int begin_workers(struct decode *d, unsigned int jobs,
			 struct rvtrace_failure *error)
{
	int ret = 0;

	if (!d->workers)
		d->workers = calloc(d->jobs, sizeof(*d->workers));
	if (!d->workers)
		return -ENOMEM;
	while (d->worker_count < jobs && !ret) {
		ret = worker_new(d, &d->workers[d->worker_count], error);
		d->worker_count += !ret;
	}
	for (unsigned int i = 0; i < jobs && !ret; i++) {
		d->workers[i]->input.sink = d->input.sink;
		d->workers[i]->input.config = d->input.config;
		ret = decode_begin_sink(d->workers[i], error);
	}
	return ret;
}

static void parts_end(void *data, const struct rvtrace_flow *flow)
{
	decode_end(((struct parts *)data)->decode, flow);
}

static int parts_init(struct parts *parts, struct decode *d, unsigned int jobs)
{
	*parts = (struct parts) {
		.decode = d, .lock = PTHREAD_MUTEX_INITIALIZER,
		.spare = calloc(jobs, sizeof(*parts->spare)),
	};
	return parts->spare ? 0 : -ENOMEM;
}

static void parts_free(struct parts *parts, unsigned int jobs)
{
	for (unsigned int i = 0; parts->spare && i < jobs; i++)
		while (parts->spare[i])
			part_destroy(take_spare(parts, i));
	free(parts->spare);
	pthread_mutex_destroy(&parts->lock);
}

int decode_parts(struct decode *d, int fd, unsigned int jobs,
		 struct rvtrace_failure *error)
{
	/* text is a hundred times what it is of, and who has more than can be kept has to wait */
	size_t segment = d->output >= OUTPUT_SUMMARY ? 0 : TEXT_BYTES;
	struct rvtrace_parallel_counts counts = { .size = sizeof(counts) };
	const struct trace_input *in = &d->input;
	struct parts parts;
	const struct rvtrace_parallel_handler handler = {
		.size = sizeof(handler),
		.part_new = part_new, .items = part_items, .commit = part_commit,
		.part_free = part_free, .end = parts_end, .counts = &counts, .data = &parts,
	};
	struct rvtrace_parallel_worker *workers = calloc(jobs, sizeof(*workers));
	int ret = parts_init(&parts, d, jobs);

	if (!ret)
		ret = workers ? begin_workers(d, jobs, error) : -ENOMEM;
	for (unsigned int i = 0; i < jobs && !ret; i++)
		workers[i] = (struct rvtrace_parallel_worker) {
			.program = d->workers[i]->program, .resolver = d->workers[i]->resolver,
		};
	if (!ret && fd >= 0)
		ret = rvtrace_parallel_file(fd, in->object, &in->config, workers, jobs, segment,
					    &handler, error);
	else if (!ret)
		ret = rvtrace_parallel_replay(in->recording, in->sink, workers, jobs, segment,
					      &handler, error);
	parts_free(&parts, jobs);
	if (!ret && global.verbose)
		info_text("%u threads decoded %llu pieces, %llu of them twice", jobs,
			  (unsigned long long)counts.segments, (unsigned long long)counts.again);
	free(workers);
	return ret;
}
