// SPDX-License-Identifier: GPL-2.0
/* The kernel's perf side band, recorded beside the trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "online.h"
#include "perf_ring.h"
#include "privileged.h"
#include "sideband.h"

struct sideband_cpu {
	struct sideband *sideband;
	struct perf_ring ring;
};

struct sideband {
	struct rvtrace_recorder *recorder;
	struct event_base *base;
	struct online *online;
	sideband_failed failed;
	void *user;
	uint64_t lost;
	int cpu_count;
	struct sideband_cpu cpus[];
};

/* Counts what the kernel dropped, up to @head. */
static void count_lost(struct sideband_cpu *cpu, uint64_t head)
{
	const uint8_t *data = perf_ring_data(&cpu->ring);
	uint64_t tail = cpu->ring.page->data_tail;
	size_t mask = cpu->ring.size - 1;

	while (tail < head) {
		/* Records are multiples of 8 bytes, so a header never wraps. */
		const struct perf_event_header *header = (const void *)(data + (tail & mask));

		if (!header->size)
			return;
		/* struct { header; u64 id; u64 lost; ... }: see perf_event_open(2) */
		if (header->type == PERF_RECORD_LOST)
			cpu->sideband->lost +=
				*(const uint64_t *)(data + ((tail + sizeof(*header) + 8) & mask));
		tail += header->size;
	}
}

static int drain_cpu(struct sideband_cpu *cpu, struct rvtrace_failure *error)
{
	const uint8_t *first;
	size_t part, length = perf_ring_unread(&cpu->ring, &first, &part);
	const struct iovec iov[2] = {
		{ (void *)first, part },
		{ perf_ring_data(&cpu->ring), length - part },
	};
	int ret;

	if (!length)
		return 0;
	count_lost(cpu, cpu->ring.page->data_tail + length);
	ret = rvtrace_recorder_sideband(cpu->sideband->recorder, iov, 2, error);
	if (!ret)
		perf_ring_consume(&cpu->ring, length);
	return ret;
}

/*
 * From here on all that this CPU does is recorded; nothing is known of before: as where records were
 * dropped, but none were.
 */
static int record_begin(struct sideband_cpu *cpu, struct rvtrace_failure *error)
{
	struct timespec now;
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
	} begin = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(begin) },
		.pid = getpid(),
		.tid = getpid(),
		.cpu = cpu - cpu->sideband->cpus,
	};
	const struct iovec iov = { &begin, sizeof(begin) };

	clock_gettime(CLOCK_MONOTONIC, &now);
	begin.time = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return rvtrace_recorder_sideband(cpu->sideband->recorder, &iov, 1, error);
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct sideband_cpu *cpu = user;
	struct rvtrace_failure error;

	(void)fd;
	(void)what;
	if (drain_cpu(cpu, &error))
		cpu->sideband->failed(cpu->sideband->user, &error);
}

static int open_cpu(struct sideband *sideband, int number, struct event_base *base)
{
	struct sideband_cpu *cpu = &sideband->cpus[number];

	return perf_ring_open(&cpu->ring, privileged_side_band(number), PRIVILEGED_RING_PAGES, base,
			      readable, cpu);
}

/* Events end when their CPU goes offline. */
static void reopen_cpu(void *user, int number)
{
	struct sideband *sideband = user;
	struct sideband_cpu *cpu = &sideband->cpus[number];
	struct rvtrace_failure error;
	int ret;

	if (number < 0 || number >= sideband->cpu_count)
		return;
	if (cpu->ring.page && drain_cpu(cpu, &error)) {
		sideband->failed(sideband->user, &error);
		return;
	}
	perf_ring_close(&cpu->ring);
	ret = open_cpu(sideband, number, sideband->base);
	if (!ret) {
		if (record_begin(cpu, &error))
			sideband->failed(sideband->user, &error);
		return;
	}
	perf_ring_close(&cpu->ring);
	if (ret != -ENODEV)
		log_message(LOG_WARNING, "perf events of CPU %d, which came online: %s", number,
			    strerror(-ret));
}

static int open_failed(struct rvtrace_failure *error, int code, int cpu)
{
	return rvtrace_fail(error, code, 0, "no side band: perf events of CPU %d: %s%s", cpu,
			    strerror(code), code == EACCES || code == EPERM ?
			    " (CAP_PERFMON is needed; CAP_SYS_ADMIN where "
			    "kernel.perf_event_paranoid is above 2)" : "");
}

struct sideband *sideband_open(struct event_base *base, struct rvtrace_recorder *recorder,
			       sideband_failed failed, void *user,
			       struct rvtrace_failure *error)
{
	int count = sysconf(_SC_NPROCESSORS_CONF), opened = 0, i, ret;
	struct sideband *sideband = calloc(1, sizeof(*sideband) + count * sizeof(sideband->cpus[0]));

	if (!sideband) {
		open_failed(error, ENOMEM, 0);
		return NULL;
	}
	sideband->recorder = recorder;
	sideband->base = base;
	sideband->failed = failed;
	sideband->user = user;
	sideband->cpu_count = count;
	for (i = 0; i < count; i++) {
		sideband->cpus[i].ring.fd = -1;
		sideband->cpus[i].sideband = sideband;
	}
	for (i = 0; i < count; i++) {
		ret = open_cpu(sideband, i, base);
		/* An offline CPU runs nothing. */
		if (ret == -ENODEV)
			continue;
		if (ret) {
			open_failed(error, -ret, i);
		} else {
			ret = record_begin(&sideband->cpus[i], error);
			opened++;
		}
		if (ret) {
			sideband_free(sideband);
			return NULL;
		}
	}
	if (!opened)
		open_failed(error, ENODEV, 0);
	if (!opened ||
	    rvtrace_recorder_sideband_room(recorder, (uint64_t)count * PRIVILEGED_RING_PAGES *
					   sysconf(_SC_PAGESIZE), error)) {
		sideband_free(sideband);
		return NULL;
	}
	sideband->online = online_new(base, reopen_cpu, sideband);
	return sideband;
}

int sideband_drain(struct sideband *sideband, struct rvtrace_failure *error)
{
	int i, ret = 0;

	for (i = 0; sideband && i < sideband->cpu_count && !ret; i++)
		if (sideband->cpus[i].ring.page)
			ret = drain_cpu(&sideband->cpus[i], error);
	return ret;
}

int sideband_stop(struct sideband *sideband, struct rvtrace_failure *error)
{
	int i;

	if (sideband) {
		online_free(sideband->online);
		sideband->online = NULL;
	}
	for (i = 0; sideband && i < sideband->cpu_count; i++) {
		if (!sideband->cpus[i].ring.page)
			continue;
		ioctl(sideband->cpus[i].ring.fd, PERF_EVENT_IOC_DISABLE, 0);
		event_del(sideband->cpus[i].ring.event);
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
	online_free(sideband->online);
	for (i = 0; i < sideband->cpu_count; i++)
		perf_ring_close(&sideband->cpus[i].ring);
	free(sideband);
}
