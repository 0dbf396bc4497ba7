// SPDX-License-Identifier: GPL-2.0
/* Events that cannot wait: code whose bytes are in no file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rvtrace/sideband.h>

#include "mapped.h"
#include "online.h"
#include "perf_ring.h"
#include "saver_internal.h"
#include "saver_lives.h"
#include "watch.h"
#include "tools/lib/base/owner.h"

#define RING_PAGES	128	/* a power of two */

struct watch {
	struct saver *saver;
	struct event_base *base;
	struct online *online;
	int count;
	struct perf_ring rings[];
};

static bool hold_file(struct saver *saver, const struct saver_piece *piece)
{
	bool held;

	if (saver_as_owner(saver))
		return false;
	held = mapped_hold(saver->mapped, piece->pid, piece->start, piece->end, piece->path);
	rvtrace_owner_end();
	return held;
}

static void save_mapped(struct saver *saver, const struct saver_piece *piece)
{
	bool held = !saver_is_anonymous(piece->path) && hold_file(saver, piece);

	/* To read it takes longer than some live: what is held can wait. */
	if (!held && saver_in_no_file(piece->path))
		saver_memory(saver, piece);
}

static void map(struct saver *saver, const struct rvtrace_sideband_event *event)
{
	const struct saver_piece piece = {
		.pid = event->pid,
		.path = event->name,
		.start = event->mmap.address,
		.end = event->mmap.address + event->mmap.size,
		.offset = event->mmap.offset,
		.time = event->time,
	};

	if (!saver_look(saver, piece.pid))
		return;
	save_mapped(saver, &piece);
	saver_lives_looked(saver->lives);
}

static void handle(struct saver *saver, const struct rvtrace_sideband_event *event)
{
	struct rvtrace_failure error = { 0 };

	if (event->type == RVTRACE_SIDEBAND_KSYMBOL)
		saver_text(saver, event->name, event->mmap.address, event->mmap.size, event->time,
			   &error);
	else if (event->type == RVTRACE_SIDEBAND_MMAP)
		map(saver, event);
	else if (event->type == RVTRACE_SIDEBAND_LOST)
		rvtrace_fail(&saver->unwatched, ENOBUFS, 0,
			     "%llu notices of new code were lost: its images are missing",
			     (unsigned long long)event->lost);
	if (error.code)
		saver->failed = error;
}

static void drain_ring(struct saver *saver, struct perf_ring *ring)
{
	struct rvtrace_sideband events;
	const uint8_t *first;
	size_t part, i, length = perf_ring_unread(ring, &first, &part);
	uint8_t *bytes;

	if (!length)
		return;
	bytes = malloc(length);
	if (!bytes) {
		rvtrace_fail(&saver->failed, ENOMEM, 0, "images: out of memory");
		return;
	}
	memcpy(bytes, first, part);
	memcpy(bytes + part, perf_ring_data(ring), length - part);
	perf_ring_consume(ring, length);
	if (!rvtrace_sideband_parse(bytes, length, &events, &saver->failed)) {
		for (i = 0; i < events.count; i++)
			handle(saver, &events.events[i]);
		rvtrace_sideband_free(&events);
	}
	free(bytes);
}

void watch_drain(struct watch *watch)
{
	int i;

	for (i = 0; watch && i < watch->count; i++)
		if (watch->rings[i].page)
			drain_ring(watch->saver, &watch->rings[i]);
}

void watch_settle(struct saver *saver)
{
	do
		watch_drain(saver->watch);
	while (saver_store(saver));
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	watch_drain(user);
}

/* Opens the events of a CPU; one that is offline runs nothing. */
static int open_ring(struct watch *watch, int cpu)
{
	struct perf_event_attr attr = perf_ring_side_band();
	const struct saver *saver = watch->saver;
	int ret;

	attr.ksymbol = 1;
	attr.mmap = saver->mapped != NULL;
	attr.mmap2 = saver->mapped != NULL;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	ret = perf_ring_open(&watch->rings[cpu], perf_ring_event(&attr, cpu), RING_PAGES,
			     watch->base, readable,
			     watch);
	if (!ret || ret == -ENODEV)
		return 0;
	return rvtrace_fail(&watch->saver->unwatched, -ret, 0,
			    "code in no file is not saved: perf events of CPU %d: %s", cpu,
			    strerror(-ret));
}

/* Events end when their CPU goes offline. */
static void reopen_ring(void *user, int cpu)
{
	struct watch *watch = user;

	if (cpu < 0 || cpu >= watch->count)
		return;
	watch_drain(watch);
	perf_ring_close(&watch->rings[cpu]);
	if (open_ring(watch, cpu))
		perf_ring_close(&watch->rings[cpu]);
}

struct watch *watch_open(struct event_base *base, struct saver *saver)
{
	int count = sysconf(_SC_NPROCESSORS_CONF), i;
	struct watch *watch = calloc(1, sizeof(*watch) + count * sizeof(watch->rings[0]));

	if (!watch) {
		rvtrace_fail(&saver->unwatched, ENOMEM, 0, "images: out of memory");
		return NULL;
	}
	watch->saver = saver;
	watch->base = base;
	watch->count = count;
	for (i = 0; i < count; i++)
		watch->rings[i].fd = -1;
	for (i = 0; i < count; i++) {
		if (open_ring(watch, i)) {
			watch_free(watch);
			return NULL;
		}
	}
	watch->online = online_new(base, reopen_ring, watch);
	return watch;
}

void watch_free(struct watch *watch)
{
	int i;

	if (!watch)
		return;
	online_free(watch->online);
	for (i = 0; i < watch->count; i++)
		perf_ring_close(&watch->rings[i]);
	free(watch);
}
