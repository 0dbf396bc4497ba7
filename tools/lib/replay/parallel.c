// SPDX-License-Identifier: LGPL-2.1-or-later
/* One stream decoded by several threads: see rvtrace/parallel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rvtrace/replay.h>

#include "tools/lib/base/fail.h"
#include "parallel_internal.h"
#include "replay_internal.h"

#define MAX_SRC_BITS	16		/* of any format */
#define SEGMENT		(1024 * 1024)	/* bytes */
#define SEGMENT_MIN	(32 * 1024)
#define WAITING		2		/* segments kept for each thread */

/* An older program has no use for counts that it does not know. */
static int give_counts(const struct parallel *p)
{
	const struct rvtrace_parallel_counts own = { .segments = p->taken, .again = p->again };
	int ret = sized_give(p->handler->counts, &own, sizeof(own), &own.again + 1);

	return ret == RVTRACE_ERR_TOO_NEW ? 0 : ret;
}

static int finish(struct parallel *p)
{
	if (!p->last && !p->ret &&
	    rvtrace_flow_new(&p->workers->config, p->workers->image, &p->last))
		return fail(p->error, -ENOMEM, p->name, "out of memory");
	if (!p->ret && flow_state_set_counts(p->last, p->totals))
		return fail(p->error, -ENOMEM, p->name, "out of memory");
	if (!p->ret && p->handler->end)
		p->handler->end(p->handler->data, p->last);
	if (p->handler->counts)
		give_counts(p);
	return p->ret;
}

static int run(struct parallel *p, struct worker *workers, unsigned int jobs)
{
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	unsigned int started = 0;
	int ret = threads ? 0 : ENOMEM;

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	while (!ret && started < jobs) {
		ret = pthread_create(&threads[started], NULL, parallel_work, &workers[started]);
		started += !ret;
	}
	if (ret)
		parallel_failed(p, -ret, strerror(ret));
	while (started)
		pthread_join(threads[--started], NULL);
	free(threads);
	ret = finish(p);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	return ret;
}

static bool is_possible(const struct rvtrace_flow_config *config)
{
	const struct flow_format *format = flow_format_of(config);

	return format && !(format->is_serial && format->is_serial(config));
}

bool rvtrace_parallel_possible(const struct rvtrace_flow_config *config)
{
	struct rvtrace_flow_config own;

	return !flow_config_take(&own, config) && is_possible(&own);
}

static int decode_all(struct parallel *p, struct worker *workers, unsigned int jobs)
{
	const struct rvtrace_flow_config *config = &workers->config;
	int ret = -ENOMEM;
	size_t i;

	if (!is_possible(config))
		jobs = 1;
	p->room = jobs > 1 ? WAITING * jobs : 1;
	p->format = flow_format_of(config);
	if (!p->format || config->src_bits > MAX_SRC_BITS)
		return fail(p->error, -EINVAL, p->name, rvtrace_strerror(RVTRACE_ERR_INVALID));
	p->aligned = p->format->pass;
	p->segments = calloc(p->room, sizeof(*p->segments));
	p->totals = calloc((size_t)1 << config->src_bits, sizeof(*p->totals));
	for (i = 0; p->segments && i < p->room; i++) {
		p->segments[i].piece.bytes = malloc(p->segment);
		if (!p->segments[i].piece.bytes)
			break;
	}
	if (p->segments && p->totals && i == p->room)
		ret = run(p, workers, jobs);
	else
		fail(p->error, ret, p->name, "out of memory");
	rvtrace_flow_free(p->last);
	for (i = 0; p->segments && i < p->room; i++) {
		if (p->segments[i].part)
			p->handler->part_free(p->segments[i].part);
		flow_state_free(p->segments[i].state);
		flow_state_free(p->segments[i].rest);
		stream_piece_free(&p->segments[i].piece);
	}
	flow_state_free(p->seed);
	free(p->segments);
	free(p->totals);
	return ret;
}

/* So that each thread gets several; 0 bytes: it is not known how many there are. */
static size_t segment_size(uint64_t bytes, unsigned int jobs)
{
	uint64_t size = bytes / (8ull * jobs);

	if (!bytes || size > SEGMENT)
		return SEGMENT;
	return size < SEGMENT_MIN ? SEGMENT_MIN : size;
}

/* All threads, of which @p has everything but @workers. */
static int decode_with(struct parallel *p, const struct rvtrace_flow_config *config,
		       const struct rvtrace_parallel_worker *list, unsigned int jobs)
{
	struct worker *workers = calloc(jobs, sizeof(*workers));
	int ret;

	if (!workers)
		return fail(p->error, -ENOMEM, p->name, "out of memory");
	for (unsigned int i = 0; i < jobs; i++) {
		workers[i] = (struct worker) {
			.parallel = p, .number = i, .config = *config,
			.image = list[i].program->image,
		};
		if (list[i].resolver)
			rvtrace_resolver_attach(list[i].resolver, &workers[i].config);
	}
	p->workers = workers;
	ret = decode_all(p, workers, jobs);
	free(workers);
	return ret;
}

/* The caller's handler, copied to @own. Return: 0 or a negative errno. */
static int take_handler(struct parallel *p, struct rvtrace_parallel_handler *own,
			const struct rvtrace_parallel_handler *theirs)
{
	int ret = sized_take(own, sizeof(*own), theirs, &own->data + 1);

	p->handler = own;
	if (!ret && own->counts)
		ret = give_counts(p);
	return replay_errno(ret, p->error);
}

int rvtrace_parallel_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			  const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			  size_t segment, const struct rvtrace_parallel_handler *handler,
			  struct rvtrace_failure *error)
{
	struct parallel p = {
		.name = name, .error = error, .reader = { .fd = fd, .name = name },
	};
	struct rvtrace_parallel_handler own_handler;
	struct rvtrace_flow_config own;
	struct stat st;
	int ret;

	ret = take_handler(&p, &own_handler, handler);
	if (!ret)
		ret = replay_errno(flow_config_take(&own, config), error);
	if (ret)
		return ret;
	p.segment = segment ? segment : segment_size(fstat(fd, &st) ? 0 : st.st_size, jobs);
	return decode_with(&p, &own, workers, jobs);
}

int rvtrace_parallel_replay(struct rvtrace_recording *recording, size_t sink,
			    const struct rvtrace_parallel_worker *workers, unsigned int jobs,
			    size_t segment, const struct rvtrace_parallel_handler *handler,
			    struct rvtrace_failure *error)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	struct parallel p = {
		.name = s->name, .error = error,
		.segment = segment ? segment : segment_size(s->bytes, jobs),
		.reader = { .name = s->name },
	};
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_parallel_handler own;
	int ret;

	ret = take_handler(&p, &own, handler);
	if (!ret)
		ret = rvtrace_replay_config(recording, sink, &config, error);
	if (!ret)
		ret = rvtrace_recording_stream_open(recording, sink, &p.reader.recording, error);
	if (!ret)
		ret = decode_with(&p, &config, workers, jobs);
	rvtrace_recording_stream_free(p.reader.recording);
	return ret;
}
