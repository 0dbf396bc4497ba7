// SPDX-License-Identifier: GPL-2.0
/* One perf event on one CPU, and its ring. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_ring.h"

struct perf_event_attr perf_ring_side_band(void)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

int perf_ring_event(struct perf_event_attr *attr, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_ring_open(struct perf_ring *ring, int fd, size_t pages, struct event_base *base,
		   event_callback_fn readable, void *user)
{
	void *address;

	*ring = (struct perf_ring) { .fd = fd < 0 ? -1 : fd, .size = pages * page_size() };
	if (fd < 0)
		return fd;
	address = mmap(NULL, page_size() + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       ring->fd, 0);
	if (address == MAP_FAILED)
		return -errno;
	ring->page = address;
	ring->event = event_new(base, ring->fd, EV_READ | EV_PERSIST, readable, user);
	return ring->event && !event_add(ring->event, NULL) ? 0 : -ENOMEM;
}

uint8_t *perf_ring_data(const struct perf_ring *ring)
{
	return (uint8_t *)ring->page + page_size();
}

size_t perf_ring_unread(const struct perf_ring *ring, const uint8_t **first, size_t *first_length)
{
	uint64_t tail = ring->page->data_tail;
	size_t length = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - tail;
	size_t offset = tail & (ring->size - 1);

	*first = perf_ring_data(ring) + offset;
	*first_length = length < ring->size - offset ? length : ring->size - offset;
	return length;
}

void perf_ring_consume(struct perf_ring *ring, size_t length)
{
	__atomic_store_n(&ring->page->data_tail, ring->page->data_tail + length,
			 __ATOMIC_RELEASE);
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->event)
		event_free(ring->event);
	if (ring->page)
		munmap(ring->page, page_size() + ring->size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct perf_ring) { .fd = -1 };
}
