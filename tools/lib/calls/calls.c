// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call layer: made, fed, finished. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/error.h>

#include "tools/lib/base/sized.h"
#include "calls_internal.h"

#define MERGED	1024	/* items, before steps of harts are compared again */

int rvtrace_calls_new(const struct rvtrace_calls_config *config, struct rvtrace_calls **out)
{
	struct rvtrace_calls *calls = calloc(1, sizeof(*calls));
	int ret;

	if (!calls)
		return RVTRACE_ERR_NO_MEMORY;
	ret = sized_take(&calls->config, sizeof(calls->config), config, &calls->config.data + 1);
	if (!ret && !calls->config.event)
		ret = RVTRACE_ERR_INVALID;
	if (!ret) {
		calls->sites = calloc(1u << SITE_BITS, sizeof(*calls->sites));
		calls->endings = calloc(1u << ENDING_BITS, sizeof(*calls->endings));
		ret = calls->sites && calls->endings ? 0 : RVTRACE_ERR_NO_MEMORY;
	}
	if (ret) {
		rvtrace_calls_free(calls);
		return ret;
	}
	*out = calls;
	return 0;
}

static void no_free(void *node)
{
	(void)node;
}

static void hart_free(struct hart *hart)
{
	for (size_t i = hart->first; i < hart->end; i++)
		free(hart->steps[i].item);
	free(hart->steps);
	free(hart);
}

void rvtrace_calls_free(struct rvtrace_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->hart_count; i++)
		hart_free(calls->harts[i]);
	tdestroy(calls->lanes, no_free);
	for (size_t i = 0; i < calls->lane_count; i++)
		calls_lane_free(calls->all[i]);
	free(calls->sites);
	free(calls->endings);
	free(calls->harts);
	free(calls->queue);
	free(calls->all);
	free(calls);
}

/* Before the one at @i. */
static struct hart *add_hart(struct rvtrace_calls *calls, size_t i, uint32_t source)
{
	struct hart **harts, **queue, *hart = calloc(1, sizeof(*hart));

	harts = reallocarray(calls->harts, calls->hart_count + 1, sizeof(*harts));
	if (harts)
		calls->harts = harts;
	queue = reallocarray(calls->queue, calls->hart_count + 1, sizeof(*queue));
	if (queue)
		calls->queue = queue;
	if (!hart || !harts || !queue) {
		free(hart);
		return NULL;
	}
	memmove(harts + i + 1, harts + i, (calls->hart_count - i) * sizeof(*harts));
	calls->hart_count++;
	hart->source = source;
	hart->message_time = RVTRACE_CALL_NO_TIME;
	hart->thread = -1;
	hart->process = RVTRACE_PROCESS_UNKNOWN;
	return harts[i] = hart;
}

static struct hart *hart_of(struct rvtrace_calls *calls, uint32_t source)
{
	size_t low = 0, high = calls->hart_count, middle;

	if (calls->last && calls->last->source == source)
		return calls->last;
	while (low < high) {
		middle = (low + high) / 2;
		if (calls->harts[middle]->source < source)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < calls->hart_count && calls->harts[low]->source == source)
		return calls->last = calls->harts[low];
	return calls->last = add_hart(calls, low, source);
}

/* Bytes of the stream are missing: nobody knows whose. */
static int lose_all(struct rvtrace_calls *calls, const struct rvtrace_flow_item *item)
{
	int ret = calls->hart_count || hart_of(calls, 0) ? 0 : RVTRACE_ERR_NO_MEMORY;

	for (size_t i = 0; i < calls->hart_count && !ret; i++)
		ret = calls_lose(calls, calls->harts[i], item, !i);
	return ret;
}

static int take(struct rvtrace_calls *calls, const struct rvtrace_flow_item *item)
{
	struct hart *hart;

	if (!calls->hart_count)
		calls->begin = item->offset;
	calls->newest = item->offset;
	if (item->source == RVTRACE_SOURCE_ALL)
		return item->type == RVTRACE_FLOW_LOST || item->type == RVTRACE_FLOW_ERROR ?
		       lose_all(calls, item) : 0;
	hart = hart_of(calls, item->source);
	return hart ? calls_take(calls, hart, item) : RVTRACE_ERR_NO_MEMORY;
}

int rvtrace_calls_items(struct rvtrace_calls *calls, const struct rvtrace_flow_item *items,
			size_t count)
{
	for (size_t i = 0; i < count && !calls->error; i++)
		calls->error = take(calls, &items[i]);
	calls->waiting += count;
	if (!calls->error && calls->waiting >= MERGED) {
		calls->waiting = 0;
		calls_merge(calls);
	}
	return calls->error;
}

int rvtrace_calls_finish(struct rvtrace_calls *calls)
{
	for (size_t i = 0; i < calls->hart_count; i++)
		calls_mark_end(calls, calls->harts[i]);
	calls->finishing = true;
	if (!calls->error)
		calls_merge(calls);
	for (size_t i = 0; i < calls->hart_count && !calls->error; i++)
		calls_end(calls, calls->harts[i]);
	for (size_t i = 0; i < calls->lane_count && !calls->error; i++)
		calls_leave_lane(calls, calls->all[i]);
	return calls->error;
}

bool rvtrace_call_span(const struct rvtrace_call_time *from, const struct rvtrace_call_time *to,
		       struct rvtrace_call_span *span)
{
	*span = (struct rvtrace_call_span) { };
	if (from->best == RVTRACE_CALL_NO_TIME || to->best == RVTRACE_CALL_NO_TIME)
		return false;
	if (to->best > from->best)
		span->best = to->best - from->best;
	if (to->earliest > from->latest)
		span->least = to->earliest - from->latest;
	if (to->latest == RVTRACE_CALL_NO_TIME)
		span->most = RVTRACE_CALL_NO_TIME;
	else if (to->latest > from->earliest)
		span->most = to->latest - from->earliest;
	return true;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return what < from ? from - what : 0;
}

void rvtrace_call_span_add(struct rvtrace_call_span *sum, const struct rvtrace_call_span *span)
{
	sum->best += span->best;
	sum->least += span->least;
	sum->most = sum->most == RVTRACE_CALL_NO_TIME || span->most == RVTRACE_CALL_NO_TIME ?
		    RVTRACE_CALL_NO_TIME : sum->most + span->most;
}

void rvtrace_call_span_subtract(struct rvtrace_call_span *from,
				const struct rvtrace_call_span *span)
{
	from->best = less(from->best, span->best);
	from->least = less(from->least, span->most);
	if (from->most != RVTRACE_CALL_NO_TIME)
		from->most = less(from->most, span->least);
}

struct rvtrace_call_span calls_span_since(const struct rvtrace_call_span *now,
					  const struct rvtrace_call_span *before)
{
	return (struct rvtrace_call_span) {
		.best = now->best - before->best,
		.least = now->least - before->least,
		.most = now->most == RVTRACE_CALL_NO_TIME ? now->most : now->most - before->most,
	};
}
