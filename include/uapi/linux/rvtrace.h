/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Character device of a RISC-V trace sink, /dev/rvtraceN.
 *
 * read() and the data mapping have only the bytes that the hardware wrote. All other information
 * (sessions, loss, gaps, clocks, address spaces, tasks, loaded and removed kernel text) is in
 * records in a second ring. Each record has the position that it belongs to.
 *
 * A position counts the bytes of a sink since its driver was bound. It only grows. The byte at
 * position P is at offset P % data_size of the data mapping. A session starts at the next position
 * that is a multiple of data_size; the skipped positions never held bytes and are not lost.
 *
 * The device has one reader at a time: a second open() fails with EBUSY. An open() also fails with
 * EBUSY while pages that an earlier reader mapped are still held, as in a pipe. Threads that share
 * the one open file may read() at once: every byte goes to one of them.
 *
 * After open(), read() waits for the first session. While a session is live, it waits until enough
 * bytes are unread to be worth a call (at most 100 ms after the first byte). It returns 0 when a
 * session has ended and is drained, until the next session begins. With O_NONBLOCK it returns the
 * available bytes, or fails with EAGAIN. A reader that the hardware has overtaken loses up to a
 * quarter of the ring more, to get ahead of the hardware again. A reader by read() has no records.
 * For it, the kernel's log has one line for each session that lost bytes, and the sysfs file "lost"
 * of the sink has the number of lost bytes.
 *
 * poll() reports POLLIN when RVTRACE_IOC_WATERMARK bytes are unread, or when an ended session has
 * unread bytes. It reports the end of a session until it has reached the reader: from a read() that
 * returned 0, or from RVTRACE_STATE_IDLE of RVTRACE_IOC_CONSUME. Unread records count for a reader
 * that has mapped their ring. Nothing else is reported: a reader that waits for the next session in
 * poll() sleeps until it begins. POLLHUP: the sink is gone.
 */
#ifndef _UAPI_LINUX_RVTRACE_H
#define _UAPI_LINUX_RVTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Raised when a change is not backward compatible. */
#define RVTRACE_ABI_VERSION	1

/*
 * mmap() offsets. All three mappings are read-only (PROT_WRITE, PROT_EXEC: EACCES) and shared. A
 * mapping may be shorter than the object, never longer (EINVAL). After the sink is gone, the data
 * mapping is all zeros, and nothing in it is valid: @valid_from is @head.
 */
#define RVTRACE_MMAP_CONTROL	0x00000000ULL	/* struct rvtrace_control */
#define RVTRACE_MMAP_RECORDS	0x10000000ULL	/* record ring */
#define RVTRACE_MMAP_DATA	0x100000000ULL	/* data ring */

/**
 * enum rvtrace_state - state of a sink
 * @RVTRACE_STATE_IDLE: no session yet, or its last byte has been consumed
 * @RVTRACE_STATE_RUNNING: a session is live
 * @RVTRACE_STATE_STOPPED: the session has ended, unread bytes remain
 * @RVTRACE_STATE_GONE: the component that writes the ring was unbound; no more data. If another
 *	component of the path is unbound, only the session ends.
 */
enum rvtrace_state {
	RVTRACE_STATE_IDLE = 0,
	RVTRACE_STATE_RUNNING = 1,
	RVTRACE_STATE_STOPPED = 2,
	RVTRACE_STATE_GONE = 3,
};

/**
 * enum rvtrace_mode - behaviour when the ring is full
 * @RVTRACE_MODE_STREAM: drained while running; overwritten bytes are counted
 * @RVTRACE_MODE_FILL: tracing stops at the first wrap, nothing is overwritten
 * @RVTRACE_MODE_SNAPSHOT: flight recorder, the last data_size bytes are kept; reserved, not offered
 *	yet
 */
enum rvtrace_mode {
	RVTRACE_MODE_STREAM = 0,
	RVTRACE_MODE_FILL = 1,
	RVTRACE_MODE_SNAPSHOT = 2,
};

/**
 * struct rvtrace_control - the control page
 * @abi_version: RVTRACE_ABI_VERSION of the driver
 * @state: enum rvtrace_state
 * @mode: enum rvtrace_mode of the current or last session
 * @session: number of the current or last session, from 1; 0 before any
 * @data_size: bytes in the data ring, a multiple of the page size
 * @session_start: position of the first byte of the session
 * @head: position after the last byte known to be in memory; only grows. The hardware's write
 *	pointer may be ahead of it.
 * @valid_from: first position that has not been overwritten
 * @tail: first position the reader has not consumed
 * @lost: bytes lost in this session before they were consumed
 * @records_size: bytes in the record ring, a power of two
 * @records_head: byte position after the last record; only grows
 * @records_tail: byte position of the first record not consumed
 * @records_lost: records dropped in this session because their ring was full
 *
 * The driver updates @head and @records_head with release semantics. Read them with acquire
 * semantics, then the ring up to them. The driver samples the hardware as often as the ring needs;
 * RVTRACE_IOC_CONSUME with valid positions samples it at once.
 */
struct rvtrace_control {
	__u32 abi_version;
	__u32 state;
	__u32 mode;
	__u32 session;
	__u64 data_size;
	__u64 session_start;
	__u64 head;
	__u64 valid_from;
	__u64 tail;
	__u64 lost;
	__u64 records_size;
	__u64 records_head;
	__u64 records_tail;
	__u64 records_lost;
};

/**
 * enum rvtrace_record_type - type of a record
 * @RVTRACE_RECORD_PAD: fills the ring up to its end; no payload to read. It may be shorter than a
 *	header: then it has only size, type and cpu.
 * @RVTRACE_RECORD_SESSION_BEGIN: struct rvtrace_record_session_begin
 * @RVTRACE_RECORD_SESSION_END: struct rvtrace_record_session_end
 * @RVTRACE_RECORD_LOST: struct rvtrace_record_lost
 * @RVTRACE_RECORD_GAP: struct rvtrace_record_gap
 * @RVTRACE_RECORD_CLOCK: struct rvtrace_record_clock
 * @RVTRACE_RECORD_ADDRESS_SPACE: struct rvtrace_record_address_space
 * @RVTRACE_RECORD_TEXT: struct rvtrace_record_text
 * @RVTRACE_RECORD_CODE: struct rvtrace_record_code
 * @RVTRACE_RECORD_TRACING: struct rvtrace_record_tracing
 * @RVTRACE_RECORD_TASK: struct rvtrace_record_task
 * @RVTRACE_RECORD_RESTART: struct rvtrace_record, no payload: the timestamp counters of the
 *	session, which lost power or were reset with one that did, count from 0 again, in trace from
 *	@position on and in the following clock records
 *
 * Readers skip types that they do not know.
 */
enum rvtrace_record_type {
	RVTRACE_RECORD_PAD = 0,
	RVTRACE_RECORD_SESSION_BEGIN = 1,
	RVTRACE_RECORD_SESSION_END = 2,
	RVTRACE_RECORD_LOST = 3,
	RVTRACE_RECORD_GAP = 4,
	RVTRACE_RECORD_CLOCK = 5,
	RVTRACE_RECORD_ADDRESS_SPACE = 6,
	RVTRACE_RECORD_TEXT = 7,
	RVTRACE_RECORD_CODE = 8,
	RVTRACE_RECORD_TRACING = 9,
	RVTRACE_RECORD_TASK = 10,
	RVTRACE_RECORD_RESTART = 11,
};

/**
 * struct rvtrace_record - header of every record
 * @size: bytes of header and payload, a multiple of 8
 * @type: enum rvtrace_record_type
 * @cpu: CPU that wrote the record
 * @position: data position the record belongs to
 * @time: CLOCK_MONOTONIC in nanoseconds
 */
struct rvtrace_record {
	__u32 size;
	__u16 type;
	__u16 cpu;
	__u64 position;
	__u64 time;
};

/**
 * struct rvtrace_record_session_begin - a session starts at @position
 * @header: see struct rvtrace_record
 * @session: its number
 * @mode: enum rvtrace_mode
 * @discarded: bytes of the previous session that were never consumed
 */
struct rvtrace_record_session_begin {
	struct rvtrace_record header;
	__u32 session;
	__u32 mode;
	__u64 discarded;
};

/**
 * struct rvtrace_record_session_end - the session ended at @position
 * @header: see struct rvtrace_record
 * @session: its number
 * @error: 0, or a negative errno with the reason of its early end
 * @lost: bytes lost in the session
 */
struct rvtrace_record_session_end {
	struct rvtrace_record header;
	__u32 session;
	__s32 error;
	__u64 lost;
};

#define RVTRACE_LOST_AT_LEAST	1	/* more whole wraps of the ring may be missing */

/**
 * struct rvtrace_record_lost - bytes overwritten before they were consumed, or, from the end
 *	of a session on, bytes that never reached memory
 * @header: see struct rvtrace_record
 * @start: first position lost
 * @end: position after the last one lost
 * @flags: RVTRACE_LOST_AT_LEAST if the count is a lower bound
 * @reserved: 0
 */
struct rvtrace_record_lost {
	struct rvtrace_record header;
	__u64 start;
	__u64 end;
	__u32 flags;
	__u32 reserved;
};

/**
 * enum rvtrace_gap_reason - reason why harts ran untraced within a session
 * @RVTRACE_GAP_FLUSH: the path was drained and enabled again
 * @RVTRACE_GAP_CPU_OFFLINE: the hart of one encoder was offline; all other harts were traced
 * @RVTRACE_GAP_SUSPEND: the system was suspended
 */
enum rvtrace_gap_reason {
	RVTRACE_GAP_FLUSH = 1,
	RVTRACE_GAP_CPU_OFFLINE = 2,
	RVTRACE_GAP_SUSPEND = 3,
};

#define RVTRACE_GAP_ALL		0xffffffffU	/* every encoder of the session */

/**
 * struct rvtrace_record_gap - harts ran untraced at @position
 * @header: see struct rvtrace_record
 * @reason: enum rvtrace_gap_reason
 * @encoder: number of the encoder whose trace has the gap, or RVTRACE_GAP_ALL
 * @duration: nanoseconds without trace, including the time in which the system was suspended
 */
struct rvtrace_record_gap {
	struct rvtrace_record header;
	__u32 reason;
	__u32 encoder;
	__u64 duration;
};

/**
 * struct rvtrace_record_clock - one moment on two clocks
 * @header: see struct rvtrace_record
 * @trace_time: the trace timestamp
 * @realtime: CLOCK_REALTIME in nanoseconds; header.time is CLOCK_MONOTONIC
 *
 * The driver reads CLOCK_MONOTONIC before and after @trace_time, several times if the two readings
 * are far apart. header.time is the middle of the closest two. Its error is at most half of the
 * time that two reads of a register and of the clock take; it is larger only if every try was
 * interrupted.
 */
struct rvtrace_record_clock {
	struct rvtrace_record header;
	__u64 trace_time;
	__u64 realtime;
};

/**
 * struct rvtrace_record_address_space - scontext value @context names a process
 * @header: see struct rvtrace_record
 * @context: value written to scontext whenever this address space runs
 * @pid: process id (tgid) in the initial pid namespace; 0: kernel threads. A vfork child runs in
 *	its parent's address space and has no record.
 * @comm: name of the task that runs in it at this moment, NUL-padded
 *
 * Written before the value is used for the first time. exec and fork give a new address space a new
 * value. If scontext is too narrow for new values, values are used again, oldest first. The last
 * record of a value says what it means; a value never means two address spaces at a time.
 */
struct rvtrace_record_address_space {
	struct rvtrace_record header;
	__u32 context;
	__s32 pid;
	char comm[16];
};

#define RVTRACE_TEXT_INIT	1	/* freed when the module is initialised */
#define RVTRACE_TEXT_GONE	2	/* removed */

/**
 * struct rvtrace_record_text - kernel text was added or removed
 * @header: see struct rvtrace_record
 * @address: its first byte
 * @size: bytes
 * @flags: RVTRACE_TEXT_INIT: initialisation code; RVTRACE_TEXT_GONE: the text was removed
 * @reserved: 0
 * @name: module it belongs to, NUL-padded
 *
 * Added text is in memory when the record is written and runs later. Text that was present when the
 * session began has no record. @address and @size are 0 for a reader that had neither CAP_PERFMON
 * nor CAP_SYSLOG when it opened the device.
 */
struct rvtrace_record_text {
	struct rvtrace_record header;
	__u64 address;
	__u64 size;
	__u32 flags;
	__u32 reserved;
	char name[64];
};

/**
 * struct rvtrace_record_code - the bytes of added kernel text
 * @header: see struct rvtrace_record
 * @address: address of the first byte
 * @length: number of bytes
 * @reserved: 0
 * @bytes: the bytes, then zeros up to @header.size
 *
 * Follows the RVTRACE_RECORD_TEXT it belongs to, in as many records as needed. The records have all
 * initialisation code of a module, which is removed soon, and its other code if that is at most
 * 64 KiB. If the addresses of the RVTRACE_RECORD_TEXT are 0, there are no such records, or all
 * their bytes after the header are 0.
 */
struct rvtrace_record_code {
	struct rvtrace_record header;
	__u64 address;
	__u32 length;
	__u32 reserved;
	__u8 bytes[];
};

/**
 * struct rvtrace_record_tracing - an encoder stopped or started tracing on its own
 * @header: see struct rvtrace_record
 * @encoder: its number
 * @tracing: 0: a trigger or a full sink stopped it; 1: a trigger started it
 *
 * The driver detects this within about 100 ms, and at every pause and stop. @position is not before
 * the bytes that the encoder sent before it stopped, if they have reached memory. A change that was
 * reverted between two checks has no record.
 */
struct rvtrace_record_tracing {
	struct rvtrace_record header;
	__u32 encoder;
	__u32 tracing;
};

/**
 * enum rvtrace_task_event - event of a task
 * @RVTRACE_TASK_RUNS: @header.cpu runs the task when records of tasks begin: with the session, or
 *	when they were requested
 * @RVTRACE_TASK_SWITCH: @header.cpu runs the task from now on, and @other no more
 * @RVTRACE_TASK_FORK: @other created the task
 * @RVTRACE_TASK_EXEC: the task runs another program. @other: its tid before: a thread that is not
 *	the first of its process takes the tid of the first thread
 * @RVTRACE_TASK_EXIT: the task ends; it still runs for a short time
 * @RVTRACE_TASK_RENAME: the name of the task is @comm from now on
 */
enum rvtrace_task_event {
	RVTRACE_TASK_RUNS = 1,
	RVTRACE_TASK_SWITCH = 2,
	RVTRACE_TASK_FORK = 3,
	RVTRACE_TASK_EXEC = 4,
	RVTRACE_TASK_EXIT = 5,
	RVTRACE_TASK_RENAME = 6,
};

#define RVTRACE_TASK_KERNEL	1	/* a kernel thread; tid 0: idle */
#define RVTRACE_TASK_LOST	2	/* records of tasks before it are missing, of any CPU */

/**
 * struct rvtrace_record_task - an event of a task
 * @header: see struct rvtrace_record
 * @id: unique id of the task while the driver is loaded: tids are reused, and idle tasks have tid
 *	0. It does not reveal the address of the task in memory. An exec that changes the tid
 *	changes the id.
 * @pid: process id (tgid) in the initial pid namespace
 * @tid: thread id in the initial pid namespace
 * @other: tid of another task, or 0: see @event
 * @event: enum rvtrace_task_event
 * @flags: RVTRACE_TASK_KERNEL, RVTRACE_TASK_LOST
 * @comm: its name; any bytes may follow the NUL
 * @task: value of tp while the kernel runs for the task, which trace of writes to tp shows; 0: not
 *	requested with RVTRACE_TASKS_ADDRESSES
 *
 * Written while a session is live, if the reader requested it with RVTRACE_IOC_TASKS. Records of
 * one CPU are in order of time; a record of another CPU may precede older records. Records may
 * follow the trace of the same moment; all records are written when the session has ended. If these
 * records would leave no room for other records, they are dropped and counted in @records_lost of
 * the control page. The next written record, of any CPU, has RVTRACE_TASK_LOST: the task of every
 * CPU is then unknown from the last record of that CPU before it, to the next record of that CPU.
 */
struct rvtrace_record_task {
	struct rvtrace_record header;
	__u64 id;
	__s32 pid;
	__s32 tid;
	__s32 other;
	__u16 event;
	__u16 flags;
	char comm[16];
	__u64 task;
};

/**
 * struct rvtrace_consume - argument of RVTRACE_IOC_CONSUME
 * @position: in: all bytes before it were used; at most @head
 * @records_position: in: all records before it were used; the start of a record, or the end of the
 *	last one
 * @head: out: fresh sample of the write position
 * @valid_from: out: positions before it were overwritten at that sample
 * @records_head: out: position after the last record
 * @state: out: enum rvtrace_state
 * @reserved: must be 0
 */
struct rvtrace_consume {
	__u64 position;
	__u64 records_position;
	__u64 head;
	__u64 valid_from;
	__u64 records_head;
	__u32 state;
	__u32 reserved;
};

#define RVTRACE_IOC_MAGIC	0xb7

/*
 * RVTRACE_IOC_CONSUME: release space and sample the position of the hardware. Call it after the
 * bytes were used. If @valid_from is beyond the first of these bytes, those before it may have been
 * overwritten during their use; the driver has counted and recorded them. Errors: EINVAL (a
 * position before the tail or beyond the head, reserved not 0), EFAULT, ENODEV (unbound).
 */
#define RVTRACE_IOC_CONSUME	_IOWR(RVTRACE_IOC_MAGIC, 0, struct rvtrace_consume)

/*
 * RVTRACE_IOC_WATERMARK: poll() reports POLLIN when this number of bytes is unread, or when the
 * session ended. For a reader that has mapped the record ring, it also reports POLLIN when a record
 * that is not of a task is unread, or when an eighth of that ring is unread. From 1, the default,
 * to data_size; else EINVAL.
 */
#define RVTRACE_IOC_WATERMARK	_IOW(RVTRACE_IOC_MAGIC, 1, __u64)

/*
 * RVTRACE_IOC_TASKS: RVTRACE_TASKS_WANTED: record the tasks of CPUs until the device is closed;
 * with RVTRACE_TASKS_ADDRESSES, also the value that identifies a task in trace of writes to tp; 0:
 * stop recording them. In a live session, the first record of a task has RVTRACE_TASK_LOST, and a
 * repeated request waits until a tenth of a second has passed since harts were last asked. Errors:
 * EINVAL (another value), EINTR, EPERM (addresses, if the device was opened with neither
 * CAP_PERFMON nor CAP_SYSLOG), EFAULT, EOPNOTSUPP (this kernel does not report tasks), ENOMEM.
 */
#define RVTRACE_TASKS_WANTED	1
#define RVTRACE_TASKS_ADDRESSES	2
#define RVTRACE_IOC_TASKS	_IOW(RVTRACE_IOC_MAGIC, 2, __u32)

/*
 * Software trace events of "rvtrace_stm", the driver's device of the kernel's STM class. It emits
 * them by the software trace port of the hart that writes, or by a stimulus register (version 0).
 * Their identifiers are RVTRACE_STM_CLASS to RVTRACE_STM_CLASS + 0xfff, within those of the system.
 * The value has the first of 1, 2, 4 or 8 bytes that a source wrote in its bits 7:0.
 * RVTRACE_STM_CLASS_FLAG, whose value is 0, is a packet FLAG, which ends a message.
 */
#define RVTRACE_STM_CLASS		0xe000
#define RVTRACE_STM_CLASS_CHANNEL	0x0ff0
#define RVTRACE_STM_CLASS_FLAG		0x0008
#define RVTRACE_STM_CLASS_MARKED	0x0004
#define RVTRACE_STM_CLASS_SIZE		0x0003	/* 2^n bytes */

#endif /* _UAPI_LINUX_RVTRACE_H */
