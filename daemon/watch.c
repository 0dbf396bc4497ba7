// SPDX-License-Identifier: GPL-2.0
/* Events that cannot wait: code whose bytes are in no file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rvtrace/sideband.h>

#include "images.h"
#include "log.h"
#include "perf_ring.h"
#include "watch.h"

#define RING_PAGES	16	/* a power of two */

struct watch_cpu {
	struct watch *watch;
	struct perf_ring ring;
};

struct watch {
	struct images *images;
	int count;
	struct watch_cpu cpus[];
};

static void tell(struct watch *watch, const struct rvtrace_sideband_event *event)
{
	if (event->type == RVTRACE_SIDEBAND_KSYMBOL)
		images_text(watch->images, event->name, event->mmap.address, event->mmap.size,
			    event->time);
	else if (event->type == RVTRACE_SIDEBAND_MMAP)
		images_mapped(watch->images, event->pid, event->name, event->mmap.address,
			      event->mmap.address + event->mmap.size, event->mmap.offset,
			      event->time);
	else if (event->type == RVTRACE_SIDEBAND_LOST)
		log_message(LOG_WARNING,
			    "%llu events of code that came were lost: its images are missing",
			    (unsigned long long)event->lost);
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct watch_cpu *cpu = user;
	struct rvtrace_sideband events;
	const uint8_t *first;
	size_t part, i, length = perf_ring_unread(&cpu->ring, &first, &part);
	uint8_t *bytes = malloc(length);

	(void)fd;
	(void)what;
	if (!bytes)
		return;
	memcpy(bytes, first, part);
	memcpy(bytes + part, perf_ring_data(&cpu->ring), length - part);
	perf_ring_consume(&cpu->ring, length);
	if (!rvtrace_sideband_parse(bytes, length, &events, NULL)) {
		for (i = 0; i < events.count; i++)
			tell(cpu->watch, &events.events[i]);
		rvtrace_sideband_free(&events);
	}
	free(bytes);
}

struct watch *watch_open(struct event_base *base, struct images *images, bool memory)
{
	struct perf_event_attr attr = perf_ring_side_band();
	int count = sysconf(_SC_NPROCESSORS_CONF), i, ret;
	struct watch *watch = calloc(1, sizeof(*watch) + count * sizeof(watch->cpus[0]));

	if (!watch)
		return NULL;
	attr.ksymbol = 1;
	attr.mmap = memory;
	attr.mmap2 = memory;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	watch->images = images;
	watch->count = count;
	for (i = 0; i < count; i++) {
		watch->cpus[i].watch = watch;
		watch->cpus[i].ring.fd = -1;
	}
	for (i = 0; i < count; i++) {
		ret = perf_ring_open(&watch->cpus[i].ring, &attr, i, RING_PAGES, base, readable,
				     &watch->cpus[i]);
		/* An offline CPU runs nothing. */
		if (ret && ret != -ENODEV) {
			watch_free(watch);
			return NULL;
		}
	}
	return watch;
}

void watch_free(struct watch *watch)
{
	int i;

	if (!watch)
		return;
	for (i = 0; i < watch->count; i++)
		perf_ring_close(&watch->cpus[i].ring);
	free(watch);
}
