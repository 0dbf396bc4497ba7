/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Software trace events: bytes of a trace in, events out, for every carrier of events (Software
 * Trace Module specification; docs/formats.md, "Software trace events").
 *
 * The layer needs no program image. The reader takes the stream in pieces of any size. It allocates
 * nothing per event.
 */
#ifndef RVTRACE_EVENT_H
#define RVTRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/etrace.h>
#include <rvtrace/ntrace.h>
#include <rvtrace/osd.h>

RVTRACE_BEGIN_DECLS

/* "Trace Primitives", "List of Trace events" */
#define RVTRACE_EVENT_ID_PRINT		0x0004	/* by convention of Open SoC Debug */
#define RVTRACE_EVENT_ID_THREAD_NAME	0x4000
#define RVTRACE_EVENT_ID_THREAD_SWITCH	0x8000

#define RVTRACE_EVENT_CHANNELS	16	/* stimulus registers, without their aliases */
#define RVTRACE_EVENT_WORDS	32	/* words in the stack of a register */

/* Owners of ranges of identifiers. */
enum rvtrace_event_group {
	RVTRACE_EVENT_UNUSED,		/* 0x0000 */
	RVTRACE_EVENT_USER,		/* 0x0001 to 0x3fff */
	RVTRACE_EVENT_COM,		/* 0x4000 to 0x7fff */
	RVTRACE_EVENT_RESERVED,		/* 0x8000 to 0xbfff, except THREAD_SWITCH */
	RVTRACE_EVENT_SYS,		/* 0xc000 to 0xffff, THREAD_SWITCH */
};

/* Carriers of events. */
enum rvtrace_event_carrier {
	RVTRACE_EVENT_PORT,	/* DataAcquisition of a software trace port: IDTAG is the id */
	RVTRACE_EVENT_ITC,	/* DataAcquisition of stimulus registers (SiFive) */
	RVTRACE_EVENT_STM,	/* Open SoC Debug */
	RVTRACE_EVENT_ETRACE,	/* E-Trace's encapsulation, in a type of their own */
};

/* Values of THREAD_SWITCH that name a thread. */
enum rvtrace_event_threads {
	RVTRACE_EVENT_THREADS_LINUX,	/* values in the kernel's addresses: its tasks */
	RVTRACE_EVENT_THREADS_ALL,
};

enum rvtrace_event_type {
	RVTRACE_EVENT_VALUE,	/* identifier and value */
	RVTRACE_EVENT_STIMULUS,	/* ITC: a write in no form of rvtrace/stm.h */
	RVTRACE_EVENT_LOST,	/* events were lost, or may have been lost */
};

enum rvtrace_event_flags {
	RVTRACE_EVENT_HAS_TIME = 1,
	RVTRACE_EVENT_HAS_THREAD = 2,
	RVTRACE_EVENT_HAS_CONTEXT = 4,
	RVTRACE_EVENT_HAS_PRIV = 8,
	RVTRACE_EVENT_INCOMPLETE = 16,	/* ITC: words of the value are missing */
	RVTRACE_EVENT_SWITCHED = 32,	/* THREAD_SWITCH: another thread runs than before */
	RVTRACE_EVENT_AT_LEAST = 64,	/* LOST: @value is a lower bound */
};

/**
 * struct rvtrace_event - one event
 * @offset: stream offset of the message or packet that completed it
 * @hart: hart id
 * @time: HAS_TIME: in units of the timestamp
 * @value: VALUE, STIMULUS: the value; LOST: number of lost events, 0: unknown
 * @thread: HAS_THREAD: value of the last THREAD_SWITCH of @hart
 * @context: HAS_CONTEXT: scontext
 * @source: SRC of messages, or address of a module
 * @id: VALUE: identifier
 * @type: enum rvtrace_event_type
 * @group: VALUE: enum rvtrace_event_group
 * @carrier: enum rvtrace_event_carrier
 * @channel: ITC: number of the stimulus register, 0 to 15
 * @lane: STIMULUS: byte of the register that was written, 0 to 3
 * @width: bits of @value
 * @priv: HAS_PRIV: 0 U, 1 S, 3 M
 * @flags: enum rvtrace_event_flags
 */
struct rvtrace_event {
	uint64_t offset;
	uint64_t hart;
	uint64_t time;
	uint64_t value;
	uint64_t thread;
	uint64_t context;
	uint16_t source;
	uint16_t id;
	uint8_t type;
	uint8_t group;
	uint8_t carrier;
	uint8_t channel;
	uint8_t lane;
	uint8_t width;
	uint8_t priv;
	uint8_t flags;
};

/**
 * struct rvtrace_event_config - parameters that the stream does not contain
 * @size: sizeof(struct rvtrace_event_config), see rvtrace/rvtrace.h
 * @carrier: enum rvtrace_event_carrier
 * @time_bits: all carriers except STM: width of timestamps, 0: 64
 * @threads: enum rvtrace_event_threads
 * @thread_switch: identifier of THREAD_SWITCH, 0: 0x8000. Configurations in the field differ,
 *	because the specification lists it in a range that it reserves
 * @ntrace: PORT, ITC: parameters of the messages; its @xlen is the width of values
 * @osd: STM: parameters of the packets
 * @etrace: ETRACE: parameters of the packets; values are as wide as instruction addresses, rounded
 *	up to 32 or 64 bits
 * @room: space for parameters, so that the following members keep their offsets
 * @time_near: a time less than half their range away from the first timestamp
 * @harts: hart ids by source, may be NULL; copied
 * @hart_count: number of hart ids; a source without one is its own hart id
 */
struct rvtrace_event_config {
	size_t size;
	uint8_t carrier;
	uint8_t time_bits;
	uint8_t threads;
	uint16_t thread_switch;
	union {
		struct rvtrace_ntrace_config ntrace;
		struct rvtrace_osd_config osd;
		struct rvtrace_etrace_params etrace;
		uint8_t room[256];
	};
	uint64_t time_near;
	const uint64_t *harts;
	size_t hart_count;
};

struct rvtrace_events;

/**
 * rvtrace_events_new() - create a reader at stream offset 0
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_events_free()
 *
 * The first byte fed must be the first byte of a message or packet; otherwise call
 * rvtrace_events_resync() first.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_events_new(const struct rvtrace_event_config *config, struct rvtrace_events **reader);

/**
 * rvtrace_events_free() - free a reader
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_events_free(struct rvtrace_events *reader);

/**
 * rvtrace_events_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_events_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_events_feed(struct rvtrace_events *reader, const void *data, size_t size);

/**
 * rvtrace_events_next() - read the next event
 * @reader: the reader
 * @event: filled; after an error only @offset and @value, the bytes skipped, are valid
 *
 * All other contents of the stream are skipped. After an error, reading continues in the same way
 * as that of messages (rvtrace_ntrace_next()) or packets (rvtrace_osd_next()). Incomplete values,
 * threads and contexts are dropped, as after RVTRACE_EVENT_LOST.
 *
 * Return: 1 an event, 0 all bytes are consumed (feed more), RVTRACE_ERR_NO_MEMORY, an error of the
 * reader of messages or packets (rvtrace_etrace_next() included), RVTRACE_ERR_FIELD (IDTAG is not
 * an identifier, or not a stimulus register).
 */
int rvtrace_events_next(struct rvtrace_events *reader, struct rvtrace_event *event);

/**
 * rvtrace_events_resync() - continue after missing bytes
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed, which may be anywhere in a message
 *
 * Drops unread bytes, words of stimulus registers, threads and contexts.
 */
void rvtrace_events_resync(struct rvtrace_events *reader, uint64_t offset);

/**
 * rvtrace_events_restart() - timestamps count from 0 again here
 * @reader: the reader, all of whose bytes are consumed
 * @number: number of this restart, from 1
 *
 * The effect is that of rvtrace_flow_restart().
 */
void rvtrace_events_restart(struct rvtrace_events *reader, unsigned int number);

/**
 * rvtrace_events_pending() - count the bytes of an incomplete message or packet
 * @reader: the reader
 * @offset: stream offset of the first of them, may be NULL
 *
 * Return: the number of bytes. After the last byte of a stream, a result other than 0 means that
 * the stream was cut.
 */
size_t rvtrace_events_pending(const struct rvtrace_events *reader, uint64_t *offset);

/**
 * rvtrace_event_group() - owner of an identifier
 * @id: the identifier
 * @thread_switch: identifier of THREAD_SWITCH, 0: 0x8000
 *
 * Return: enum rvtrace_event_group. Exact identifiers come before ranges.
 */
unsigned int rvtrace_event_group(uint16_t id, uint16_t thread_switch);

/**
 * rvtrace_event_stm_class() - whether the driver's device of the kernel's STM class emitted an
 * event
 * @id: the identifier: RVTRACE_STM_CLASS and the related constants in linux/rvtrace.h
 */
static inline bool rvtrace_event_stm_class(uint16_t id)
{
	return id >> 12 == 0xe;
}

/**
 * rvtrace_event_group_name() - name of a group of identifiers
 * @group: enum rvtrace_event_group
 *
 * Return: a static string, spelled as in the specification.
 */
const char *rvtrace_event_group_name(unsigned int group);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_H */
