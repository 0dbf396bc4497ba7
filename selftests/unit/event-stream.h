/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of N-Trace put together by hand, and the events that a reader finds in any trace. */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include <string.h>

#include <rvtrace/event.h>

#include "tools/encode/nexus.h"

#define STREAM_MAX	4096

struct event_stream {
	uint8_t bytes[STREAM_MAX];
	size_t size;
};

static inline void stream_message(struct event_stream *stream, struct nexus_message *message)
{
	nexus_end(message);
	assert_true(stream->size + message->size <= STREAM_MAX);
	memcpy(stream->bytes + stream->size, message->bytes, message->size);
	stream->size += message->size;
}

/* SRC has 4 bits; @tstamp: -1: none */
static inline void stream_data(struct event_stream *stream, unsigned int src, uint64_t tag,
			       uint64_t data, int64_t tstamp)
{
	struct nexus_message message;

	nexus_begin(&message);
	nexus_fixed(&message, RVTRACE_NTRACE_DATA_ACQUISITION, 6);
	nexus_fixed(&message, src, 4);
	nexus_variable(&message, tag);
	nexus_variable(&message, data);
	if (tstamp >= 0)
		nexus_variable(&message, tstamp);
	stream_message(stream, &message);
}

/* ProgTraceSync with an absolute time */
static inline void stream_sync(struct event_stream *stream, unsigned int src, uint64_t time)
{
	struct nexus_message message;

	nexus_begin(&message);
	nexus_fixed(&message, RVTRACE_NTRACE_PROG_TRACE_SYNC, 6);
	nexus_fixed(&message, src, 4);
	nexus_fixed(&message, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 4);
	nexus_variable(&message, 0);
	nexus_variable(&message, 0x80000000 >> 1);
	nexus_variable(&message, time);
	stream_message(stream, &message);
}

static inline void stream_error(struct event_stream *stream, unsigned int src, unsigned int ecode)
{
	struct nexus_message message;

	nexus_begin(&message);
	nexus_fixed(&message, RVTRACE_NTRACE_ERROR, 6);
	nexus_fixed(&message, src, 4);
	nexus_fixed(&message, 0, 4);
	nexus_variable(&message, ecode);
	stream_message(stream, &message);
}

static inline void stream_ownership(struct event_stream *stream, unsigned int src,
				    unsigned int priv, uint64_t scontext)
{
	struct nexus_message message;

	nexus_begin(&message);
	nexus_fixed(&message, RVTRACE_NTRACE_OWNERSHIP, 6);
	nexus_fixed(&message, src, 4);
	nexus_variable(&message, RVTRACE_NTRACE_PROCESS_SCONTEXT | priv << 2 | scontext << 5);
	stream_message(stream, &message);
}

/* A reader that has got all of @stream. */
static inline struct rvtrace_events *stream_reader(const struct rvtrace_event_config *config,
						   const struct event_stream *stream)
{
	struct rvtrace_events *reader;

	assert_int_equal(rvtrace_events_new(config, &reader), 0);
	assert_int_equal(rvtrace_events_feed(reader, stream->bytes, stream->size), 0);
	return reader;
}

/* Everything is read, and nothing is missing. */
static inline void stream_end(struct rvtrace_events *reader)
{
	struct rvtrace_event event;

	assert_int_equal(rvtrace_events_next(reader, &event), 0);
	assert_int_equal(rvtrace_events_pending(reader, NULL), 0);
	rvtrace_events_free(reader);
}

static inline struct rvtrace_event next(struct rvtrace_events *reader)
{
	struct rvtrace_event event;

	assert_int_equal(rvtrace_events_next(reader, &event), 1);
	return event;
}

static inline void is_value(const struct rvtrace_event *event, uint16_t id, uint64_t value)
{
	assert_int_equal(event->type, RVTRACE_EVENT_VALUE);
	assert_int_equal(event->id, id);
	assert_true(event->value == value);
	assert_int_equal(event->flags & RVTRACE_EVENT_INCOMPLETE, 0);
}

static inline void expect_event(struct rvtrace_events *reader, uint16_t id, uint64_t value)
{
	struct rvtrace_event event = next(reader);

	is_value(&event, id, value);
}

static inline void expect_lost(struct rvtrace_events *reader, uint64_t count, bool at_least)
{
	struct rvtrace_event event = next(reader);

	assert_int_equal(event.type, RVTRACE_EVENT_LOST);
	assert_int_equal(event.value, count);
	assert_int_equal(!!(event.flags & RVTRACE_EVENT_AT_LEAST), at_least);
}

#endif /* EVENT_STREAM_H */
