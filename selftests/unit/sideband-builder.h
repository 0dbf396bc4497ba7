/* SPDX-License-Identifier: GPL-2.0 */
/* Perf records for tests, laid out as perf_event_open(2) prints them. */
#ifndef SIDEBAND_BUILDER_H
#define SIDEBAND_BUILDER_H

#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

struct builder {
	uint8_t bytes[8192];
	size_t size;
	size_t start;	/* of the record under way */
};

static inline void put(struct builder *b, const void *data, size_t size)
{
	memcpy(b->bytes + b->size, data, size);
	b->size += size;
}

static inline void put_u32(struct builder *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static inline void put_u64(struct builder *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

static inline void put_text(struct builder *b, const char *text)
{
	put(b, text, strlen(text) + 1);
	while ((b->size - b->start) % 8)
		put(b, "", 1);
}

static inline void begin(struct builder *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	b->start = b->size;
	put(b, &header, sizeof(header));
}

/* sample_id of TID|TIME|CPU, then the size of the record is known. */
static inline void finish(struct builder *b, uint32_t pid, uint64_t time, uint32_t cpu)
{
	struct perf_event_header header;

	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, time);
	put_u32(b, cpu);
	put_u32(b, 0);
	memcpy(&header, b->bytes + b->start, sizeof(header));
	header.size = b->size - b->start;
	memcpy(b->bytes + b->start, &header, sizeof(header));
}

static inline void add_mmap(struct builder *b, uint64_t time, uint32_t pid, uint64_t address,
			    uint64_t size, uint64_t offset, const char *path)
{
	static const uint8_t id[24] = { 4, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef };

	begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, address);
	put_u64(b, size);
	put_u64(b, offset);
	put(b, id, sizeof(id));
	put_u32(b, 5);
	put_u32(b, 2);
	put_text(b, path);
	finish(b, pid, time, 0);
}

/* Of a file without a build id. */
static inline void add_mmap_inode(struct builder *b, uint64_t time, uint32_t pid, uint64_t address,
				  uint64_t size, uint64_t inode, const char *path)
{
	begin(b, PERF_RECORD_MMAP2, 0);
	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, address);
	put_u64(b, size);
	put_u64(b, 0);
	put_u32(b, 8);
	put_u32(b, 1);
	put_u64(b, inode);
	put_u64(b, 0);
	put_u32(b, 5);
	put_u32(b, 2);
	put_text(b, path);
	finish(b, pid, time, 0);
}

static inline void add_comm(struct builder *b, uint64_t time, uint32_t pid, const char *comm,
			    int exec)
{
	begin(b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32(b, pid);
	put_u32(b, pid);
	put_text(b, comm);
	finish(b, pid, time, 1);
}

static inline void add_fork(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid,
			    uint32_t ppid)
{
	begin(b, PERF_RECORD_FORK, 0);
	put_u32(b, pid);
	put_u32(b, ppid);
	put_u32(b, tid);
	put_u32(b, ppid);
	put_u64(b, time);
	finish(b, pid, time, 1);
}

static inline void add_thread(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid)
{
	begin(b, PERF_RECORD_FORK, 0);
	put_u32(b, pid);
	put_u32(b, pid);
	put_u32(b, tid);
	put_u32(b, pid);
	put_u64(b, time);
	finish(b, pid, time, 1);
}

static inline void add_exit(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid)
{
	begin(b, PERF_RECORD_EXIT, 0);
	put_u32(b, pid);
	put_u32(b, pid);
	put_u32(b, tid);
	put_u32(b, pid);
	put_u64(b, time);
	finish(b, pid, time, 1);
}

/* @pid begins to run on @cpu, or ceases to. */
static inline void add_switch(struct builder *b, uint64_t time, uint32_t cpu, uint32_t pid, int in)
{
	begin(b, PERF_RECORD_SWITCH_CPU_WIDE, in ? 0 : PERF_RECORD_MISC_SWITCH_OUT);
	put_u32(b, 0);
	put_u32(b, 0);
	finish(b, pid, time, cpu);
}

static inline void add_ksymbol(struct builder *b, uint64_t time, uint64_t address, uint32_t size,
			       const char *name, int gone)
{
	begin(b, PERF_RECORD_KSYMBOL, 0);
	put_u64(b, address);
	put_u32(b, size);
	put_u32(b, gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER << 16 : 0);
	put_text(b, name);
	finish(b, 0, time, 0);
}

static inline void add_lost(struct builder *b, uint64_t time, uint64_t lost)
{
	begin(b, PERF_RECORD_LOST, 0);
	put_u64(b, 1);
	put_u64(b, lost);
	finish(b, 0, time, 0);
}

#endif /* SIDEBAND_BUILDER_H */
