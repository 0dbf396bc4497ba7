/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's perf side band of a recording: mappings of code by processes, forks, and loaded
 * kernel code. docs/formats.md describes how it was recorded.
 */
#ifndef RVTRACE_SIDEBAND_H
#define RVTRACE_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/recording.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_BUILD_ID_MAX	20	/* bytes */
#define RVTRACE_SIDEBAND_CPU_MAX	4096	/* events of CPUs from here on are damage */

/**
 * enum rvtrace_sideband_type - kinds of events that are kept
 * @RVTRACE_SIDEBAND_MMAP: executable memory was mapped
 * @RVTRACE_SIDEBAND_COMM: a task was named
 * @RVTRACE_SIDEBAND_EXEC: a process started another program, and got its name
 * @RVTRACE_SIDEBAND_FORK: a task was created
 * @RVTRACE_SIDEBAND_EXIT: a task ended
 * @RVTRACE_SIDEBAND_SWITCH: a CPU begins (@sw.in) or ceases to run a task
 * @RVTRACE_SIDEBAND_KSYMBOL: kernel code was added at run time (BPF, trampolines)
 * @RVTRACE_SIDEBAND_KSYMBOL_GONE: this code was removed
 * @RVTRACE_SIDEBAND_LOST: the kernel dropped events of this CPU, or its events begin here (@lost is
 *	0)
 */
enum rvtrace_sideband_type {
	RVTRACE_SIDEBAND_MMAP,
	RVTRACE_SIDEBAND_COMM,
	RVTRACE_SIDEBAND_EXEC,
	RVTRACE_SIDEBAND_FORK,
	RVTRACE_SIDEBAND_EXIT,
	RVTRACE_SIDEBAND_SWITCH,
	RVTRACE_SIDEBAND_KSYMBOL,
	RVTRACE_SIDEBAND_KSYMBOL_GONE,
	RVTRACE_SIDEBAND_LOST,
};

/**
 * struct rvtrace_sideband_event - one event
 * @type: enum rvtrace_sideband_type
 * @time: CLOCK_MONOTONIC, ns
 * @pid: process id; FORK: of the new task; SWITCH: of the task that begins or ceases to run; 0:
 *	idle; -1: a task that is dead already
 * @tid: task id
 * @cpu: CPU that recorded it
 * @name: MMAP: path; COMM, EXEC: comm; KSYMBOL: name; else ""; points into the parsed bytes
 * @mmap: valid for MMAP; address and size also for KSYMBOL
 * @mmap.address: first address
 * @mmap.size: bytes
 * @mmap.offset: offset in the file
 * @mmap.build_id: build id of the file
 * @mmap.build_id_size: bytes of the build id, 0: unknown; @mmap.device and @mmap.inode are then
 *	valid
 * @mmap.device: device of the file, as from makedev()
 * @mmap.inode: inode of the file; 0: none
 * @fork: valid for FORK
 * @fork.ppid: parent process
 * @fork.ptid: parent task
 * @sw: valid for SWITCH
 * @sw.in: the task begins to run; otherwise it ceases to run
 * @sw.other_pid: process of the task before it, or after it
 * @sw.other_tid: that task
 * @lost: LOST: number of events
 */
struct rvtrace_sideband_event {
	uint8_t type;
	uint64_t time;
	int32_t pid;
	int32_t tid;
	uint32_t cpu;
	const char *name;
	union {
		struct {
			uint64_t address;
			uint64_t size;
			uint64_t offset;
			uint8_t build_id[RVTRACE_BUILD_ID_MAX];
			uint8_t build_id_size;
			uint64_t device;
			uint64_t inode;
		} mmap;
		struct {
			int32_t ppid;
			int32_t ptid;
		} fork;
		struct {
			bool in;
			int32_t other_pid;
			int32_t other_tid;
		} sw;
		uint64_t lost;
	};
};

/**
 * struct rvtrace_sideband - events in order of time
 * @events: the events
 * @count: number of events
 * @lost: number of events that the kernel dropped
 * @cut: the last record is incomplete and was left out
 */
struct rvtrace_sideband {
	struct rvtrace_sideband_event *events;
	size_t count;
	uint64_t lost;
	bool cut;
};

/**
 * rvtrace_sideband_parse() - parse perf records
 * @data: the records; they must stay valid as long as the events are used
 * @size: bytes
 * @out: filled; free it with rvtrace_sideband_free()
 * @error: filled on failure, may be NULL
 *
 * Records of other types are skipped.
 *
 * Return: 0, -EBADMSG (an invalid record: its offset is in @error), -ENOMEM.
 */
int rvtrace_sideband_parse(const void *data, size_t size, struct rvtrace_sideband *out,
			   struct rvtrace_failure *error);

/**
 * rvtrace_sideband_free() - free the events
 * @sideband: filled by rvtrace_sideband_parse(), or zeroes
 */
void rvtrace_sideband_free(struct rvtrace_sideband *sideband);

RVTRACE_END_DECLS

#endif /* RVTRACE_SIDEBAND_H */
