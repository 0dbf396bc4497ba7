// SPDX-License-Identifier: GPL-2.0
/* The log of calls of all harts, in order of time: see shadow.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "selftests/calls/shadow.h"

static int fail(const char *path, const char *what)
{
	fprintf(stderr, "rvtrace-compare-calls: %s: %s\n", path, what);
	return -1;
}

/* One window, whole, with indices and times in order */
static const char *check(const struct truth_call *calls, size_t count)
{
	uint64_t index = 0, ticks = 0;
	size_t i;

	if (count < 3 || calls[0].kind != TRUTH_CALL_WINDOW ||
	    calls[count - 1].kind != TRUTH_CALL_END)
		return "not one window";
	for (i = 1; i < count - 1; i++) {
		if (calls[i].kind == TRUTH_CALL_WINDOW || calls[i].kind >= TRUTH_CALL_END)
			return "more than one window, or a record of no known kind";
		if (calls[i].index < index || (calls[i].ticks && calls[i].ticks < ticks))
			return "not in order";
		index = calls[i].index;
		if (calls[i].ticks)
			ticks = calls[i].ticks;
	}
	return NULL;
}

int shadow_load(struct shadow *shadow, const char *prefix, uint32_t hart)
{
	struct truth_header *header = MAP_FAILED;
	struct shadow_hart *h = &shadow->harts[hart];
	const char *wrong;
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s.calls.%" PRIu32, prefix, hart);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(path, strerror(errno));
	if ((size_t)st.st_size >= sizeof(*header))
		header = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (header == MAP_FAILED ||
	    memcmp(header->magic, TRUTH_CALLS_MAGIC, sizeof(header->magic)) ||
	    header->hart != hart)
		return fail(path, "not the calls of this hart");
	h->calls = (const struct truth_call *)(header + 1);
	h->count = (st.st_size - sizeof(*header)) / sizeof(*h->calls);
	h->now.hart = hart;
	wrong = check(h->calls, h->count);
	return wrong ? fail(path, wrong) : 0;
}

static uint64_t first_ticks(const struct shadow_hart *hart)
{
	size_t i;

	for (i = 0; i < hart->count; i++)
		if (hart->calls[i].ticks)
			return hart->calls[i].ticks;
	return UINT64_MAX;
}

static uint64_t last_ticks(const struct shadow_hart *hart)
{
	size_t i;

	for (i = hart->count; i; i--)
		if (hart->calls[i - 1].ticks)
			return hart->calls[i - 1].ticks;
	return 0;
}

/* What tp and satp are is known from the beginning of the window on. */
static void take_state(struct shadow_hart *hart, const struct truth_call *call)
{
	if (call->kind != TRUTH_CALL_STATE && call->kind != TRUTH_CALL_WINDOW)
		return;
	if (call->target >> 63)
		hart->tp = call->target;
	hart->satp = call->link;
}

/* Records from @from to @to; others do not count. */
static void cut(struct shadow *shadow, struct shadow_hart *hart, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < hart->count - 1 && hart->calls[i].ticks < from; i++)
		take_state(hart, &hart->calls[i]);
	hart->first = i;
	hart->next = i;
	hart->now.ticks = from;
	hart->begin_index = hart->calls[i].index;
	for (i = hart->count - 1; i > hart->first &&
	     (!hart->calls[i].ticks || hart->calls[i].ticks > to); i--)
		;
	hart->end = i;
	hart->end_index = hart->calls[i].index;
	hart->thread = shadow_thread_of(shadow, hart->tp);
}

/* STATE has the time of what was before it. */
static struct shadow_hart *next_hart(struct shadow *shadow)
{
	struct shadow_hart *found = NULL;
	uint64_t ticks, best = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < SHADOW_HARTS; i++) {
		struct shadow_hart *hart = &shadow->harts[i];

		if (!hart->calls || hart->next >= hart->end)
			continue;
		ticks = hart->calls[hart->next].ticks;
		if (!ticks)
			ticks = hart->now.ticks;
		if (!found || ticks < best) {
			found = hart;
			best = ticks;
		}
	}
	return found;
}

bool shadow_has_place(const struct shadow_places *places, uint64_t hart, uint64_t index)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		if (places->list[i].hart == hart && places->list[i].index == index)
			return true;
	return false;
}

int shadow_run(struct shadow *shadow)
{
	uint64_t from = 0, to = UINT64_MAX;
	struct shadow_hart *hart;
	unsigned int i;

	for (i = 0; i < SHADOW_HARTS; i++) {
		hart = &shadow->harts[i];
		if (!hart->calls)
			continue;
		if (first_ticks(hart) > from)
			from = first_ticks(hart);
		if (last_ticks(hart) < to)
			to = last_ticks(hart);
	}
	if (from >= to)
		return fail("calls", "the windows of the harts have no time in common");
	for (i = 0; i < SHADOW_HARTS; i++)
		if (shadow->harts[i].calls)
			cut(shadow, &shadow->harts[i], from, to);
	while ((hart = next_hart(shadow))) {
		const struct truth_call *call = &hart->calls[hart->next++];

		if (call->ticks) {
			hart->now.ticks = call->ticks;
			hart->now.time = call->time;
		}
		hart->now.index = call->index;
		shadow_take(shadow, hart, call);
		take_state(hart, call);
	}
	return 0;
}
