/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reader of events inside: what its files share.
 *
 *	event.c		public interface, sources, what is alike in all events
 *	event_ntrace.c	N-Trace messages: software trace ports, stimulus registers
 *	event_etrace.c	E-Trace packets
 *	event_osd.c	packets of Open SoC Debug
 */
#ifndef EVENT_INTERNAL_H
#define EVENT_INTERNAL_H

#include <rvtrace/event.h>

#include "tools/lib/packet/reader.h"

#define SOURCES		0x10000	/* addresses of Open SoC Debug; SRC has at most 12 bits */

/* Words of a stimulus register that no identifier has taken; the oldest ones fall out. */
struct stack {
	uint32_t words[RVTRACE_EVENT_WORDS];
	uint8_t top;		/* where the next one goes */
	uint8_t count;
};

/*
 * @known: which of the others mean something: HAS_TIME, _THREAD, _CONTEXT, _PRIV
 * @time_offset: ETRACE: what to add to the times of packets
 */
struct source {
	uint64_t hart;
	uint64_t time;
	uint64_t time_offset;
	uint64_t thread;
	uint64_t context;
	uint8_t priv;
	uint8_t known;
	struct stack *stacks;	/* RVTRACE_EVENT_CHANNELS of them, or NULL */
	struct source *next;	/* of those that there are */
};

/**
 * struct event_carrier - what is different for each carrier of events
 * @packets: how its messages or packets are read
 * @time_bits: of timestamps as they are sent, the narrowest
 * @read: the next message or packet, its @offset and @size; 1, 0 if all bytes are consumed, or an
 *	enum rvtrace_error
 * @take: handle it; 1 if it is an event, 0, or an enum rvtrace_error
 */
struct event_carrier {
	const struct packet_reader *packets;
	unsigned int (*time_bits)(const struct rvtrace_event_config *config);
	int (*read)(struct rvtrace_events *r);
	int (*take)(struct rvtrace_events *r, struct rvtrace_event *event);
};

extern const struct event_carrier event_ntrace_carrier;
extern const struct event_carrier event_etrace_carrier;
extern const struct event_carrier event_osd_carrier;

/**
 * struct rvtrace_events - the reader
 * @reader: as @carrier->packets says
 * @message, @etrace_packet, @osd_packet: what was read last
 * @offset: of that
 * @size: of that
 * @latest: time of the last message or event that had one, of any source
 * @timed: STM: there was one
 */
struct rvtrace_events {
	struct rvtrace_event_config config;
	const struct event_carrier *carrier;
	void *reader;
	union {
		struct rvtrace_ntrace_message message;
		struct rvtrace_etrace_packet etrace_packet;
		struct rvtrace_osd_packet osd_packet;
	};
	uint64_t offset;
	uint32_t size;
	uint64_t *harts;
	uint64_t latest;
	bool timed;
	struct source *first;
	struct source *sources[SOURCES];
};

struct source *event_source(struct rvtrace_events *r, uint16_t number);
void event_forget(struct source *source, uint8_t known);
void event_begin(const struct rvtrace_events *r, const struct source *source,
		 struct rvtrace_event *event);
int event_end(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event);
int event_lose(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event);

#endif /* EVENT_INTERNAL_H */
