// SPDX-License-Identifier: GPL-2.0
/* The kernel's perf side band, recorded beside the trace. */
#include <errno.h>
#include <event2/event.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sideband.h"

#define RING_PAGES	64	/* a power of two */

struct sideband_cpu {
	struct sideband *sideband;
	int fd;
	struct perf_event_mmap_page *page;
	struct event *event;
};

struct sideband {
	struct rvtrace_recorder *recorder;
	sideband_failed failed;
	void *user;
	uint64_t lost;
	size_t ring_size;
	size_t page_size;
	int cpu_count;
	struct sideband_cpu cpus[];
};

static int open_event(int cpu, size_t ring_size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = 1,
		.ksymbol = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = ring_size / 4,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Counts what the kernel dropped; @offset and @length are within the ring. */
static void count_lost(struct sideband_cpu *cpu, uint64_t tail, uint64_t head)
{
	const uint8_t *ring = (const uint8_t *)cpu->page + cpu->sideband->page_size;
	size_t mask = cpu->sideband->ring_size - 1;

	while (tail < head) {
		/* Records are multiples of 8 bytes, so a header never wraps. */
		const struct perf_event_header *header = (const void *)(ring + (tail & mask));

		if (!header->size)
			return;
		/* struct { header; u64 id; u64 lost; ... }: see perf_event_open(2) */
		if (header->type == PERF_RECORD_LOST)
			cpu->sideband->lost +=
				*(const uint64_t *)(ring + ((tail + sizeof(*header) + 8) & mask));
		tail += header->size;
	}
}

static int drain_cpu(struct sideband_cpu *cpu, struct rvtrace_recording_error *error)
{
	const struct sideband *sideband = cpu->sideband;
	uint64_t head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = cpu->page->data_tail, length = head - tail;
	size_t offset = tail & (sideband->ring_size - 1), first = sideband->ring_size - offset;
	uint8_t *ring = (uint8_t *)cpu->page + sideband->page_size;
	struct iovec iov[2];
	int ret;

	if (!length)
		return 0;
	if (first > length)
		first = length;
	iov[0] = (struct iovec) { ring + offset, first };
	iov[1] = (struct iovec) { ring, length - first };
	count_lost(cpu, tail, head);
	ret = rvtrace_recorder_sideband(sideband->recorder, iov, 2, error);
	if (!ret)
		__atomic_store_n(&cpu->page->data_tail, head, __ATOMIC_RELEASE);
	return ret;
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct sideband_cpu *cpu = user;
	struct rvtrace_recording_error error;

	(void)fd;
	(void)what;
	if (drain_cpu(cpu, &error))
		cpu->sideband->failed(cpu->sideband->user, &error);
}

static int open_cpu(struct sideband *sideband, int number, struct event_base *base)
{
	struct sideband_cpu *cpu = &sideband->cpus[number];
	void *address;

	cpu->fd = open_event(number, sideband->ring_size);
	if (cpu->fd < 0)
		return -errno;
	address = mmap(NULL, sideband->page_size + sideband->ring_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, cpu->fd, 0);
	if (address == MAP_FAILED)
		return -errno;
	cpu->page = address;
	cpu->event = event_new(base, cpu->fd, EV_READ | EV_PERSIST, readable, cpu);
	return cpu->event && !event_add(cpu->event, NULL) ? 0 : -ENOMEM;
}

static int open_failed(struct rvtrace_recording_error *error, int code, int cpu)
{
	return rvtrace_fail(error, code, 0, "no side band: perf events of CPU %d: %s%s", cpu,
			    strerror(code), code == EACCES || code == EPERM ?
			    " (CAP_PERFMON is needed, or a lower kernel.perf_event_paranoid)" : "");
}

struct sideband *sideband_open(struct event_base *base, struct rvtrace_recorder *recorder,
			       sideband_failed failed, void *user,
			       struct rvtrace_recording_error *error)
{
	int count = sysconf(_SC_NPROCESSORS_CONF), opened = 0, i, ret;
	struct sideband *sideband = calloc(1, sizeof(*sideband) + count * sizeof(sideband->cpus[0]));

	if (!sideband) {
		open_failed(error, ENOMEM, 0);
		return NULL;
	}
	sideband->recorder = recorder;
	sideband->failed = failed;
	sideband->user = user;
	sideband->page_size = sysconf(_SC_PAGESIZE);
	sideband->ring_size = RING_PAGES * sideband->page_size;
	sideband->cpu_count = count;
	for (i = 0; i < count; i++) {
		sideband->cpus[i].fd = -1;
		sideband->cpus[i].sideband = sideband;
	}
	for (i = 0; i < count; i++) {
		ret = open_cpu(sideband, i, base);
		/* An offline CPU runs nothing. */
		if (ret == -ENODEV)
			continue;
		if (ret) {
			open_failed(error, -ret, i);
			sideband_free(sideband);
			return NULL;
		}
		opened++;
	}
	if (!opened) {
		open_failed(error, ENODEV, 0);
		sideband_free(sideband);
		return NULL;
	}
	return sideband;
}

int sideband_drain(struct sideband *sideband, struct rvtrace_recording_error *error)
{
	int i, ret = 0;

	for (i = 0; sideband && i < sideband->cpu_count && !ret; i++)
		if (sideband->cpus[i].page)
			ret = drain_cpu(&sideband->cpus[i], error);
	return ret;
}

int sideband_stop(struct sideband *sideband, struct rvtrace_recording_error *error)
{
	int i;

	for (i = 0; sideband && i < sideband->cpu_count; i++) {
		if (!sideband->cpus[i].page)
			continue;
		ioctl(sideband->cpus[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		event_del(sideband->cpus[i].event);
	}
	return sideband_drain(sideband, error);
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband ? sideband->lost : 0;
}

void sideband_free(struct sideband *sideband)
{
	int i;

	if (!sideband)
		return;
	for (i = 0; i < sideband->cpu_count; i++) {
		struct sideband_cpu *cpu = &sideband->cpus[i];

		if (cpu->event)
			event_free(cpu->event);
		if (cpu->page)
			munmap(cpu->page, sideband->page_size + sideband->ring_size);
		if (cpu->fd >= 0)
			close(cpu->fd);
	}
	free(sideband);
}
