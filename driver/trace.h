/* SPDX-License-Identifier: GPL-2.0 */
/* Trace events of the driver: what happens to sessions, and how long hardware takes */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rvtrace_tci

#if !defined(RVTRACE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RVTRACE_TRACE_H

#include <linux/tracepoint.h>

#include "ring.h"
#include "wait.h"

#ifndef RVTRACE_TRACE_NAME
#define RVTRACE_TRACE_NAME	32
#endif

TRACE_EVENT(rvtrace_session_begin,
	TP_PROTO(int sink, u32 session, bool fill),
	TP_ARGS(sink, session, fill),
	TP_STRUCT__entry(
		__field(int, sink)
		__field(u32, session)
		__field(bool, fill)
	),
	TP_fast_assign(
		__entry->sink = sink;
		__entry->session = session;
		__entry->fill = fill;
	),
	TP_printk("sink=rvtrace%d session=%u mode=%s", __entry->sink, __entry->session,
		  __entry->fill ? "fill" : "stream")
);

TRACE_EVENT(rvtrace_session_end,
	TP_PROTO(int sink, u32 session, int error, u64 lost),
	TP_ARGS(sink, session, error, lost),
	TP_STRUCT__entry(
		__field(int, sink)
		__field(u32, session)
		__field(int, error)
		__field(u64, lost)
	),
	TP_fast_assign(
		__entry->sink = sink;
		__entry->session = session;
		__entry->error = error;
		__entry->lost = lost;
	),
	TP_printk("sink=rvtrace%d session=%u error=%d lost=%llu", __entry->sink,
		  __entry->session, __entry->error, __entry->lost)
);

/* The write pointer was read: positions after it was accounted for. Of SRAM, landed is copied. */
TRACE_EVENT(rvtrace_sample,
	TP_PROTO(int sink, u64 offset, bool wrap, const struct rvtrace_ring *ring),
	TP_ARGS(sink, offset, wrap, ring),
	TP_STRUCT__entry(
		__field(int, sink)
		__field(u64, offset)
		__field(bool, wrap)
		__field(u64, pointer)
		__field(u64, landed)
		__field(u64, lost)
	),
	TP_fast_assign(
		__entry->sink = sink;
		__entry->offset = offset;
		__entry->wrap = wrap;
		__entry->pointer = ring->pointer;
		__entry->landed = ring->landed;
		__entry->lost = ring->lost;
	),
	TP_printk("sink=rvtrace%d offset=%#llx wrap=%d pointer=%llu lag=%llu lost=%llu",
		  __entry->sink, __entry->offset, __entry->wrap, __entry->pointer,
		  __entry->pointer - __entry->landed, __entry->lost)
);

/* A loss is recorded: of positions from start up to end */
TRACE_EVENT(rvtrace_loss,
	TP_PROTO(int sink, u64 start, u64 end, bool lower_bound),
	TP_ARGS(sink, start, end, lower_bound),
	TP_STRUCT__entry(
		__field(int, sink)
		__field(u64, start)
		__field(u64, end)
		__field(bool, lower_bound)
	),
	TP_fast_assign(
		__entry->sink = sink;
		__entry->start = start;
		__entry->end = end;
		__entry->lower_bound = lower_bound;
	),
	TP_printk("sink=rvtrace%d start=%llu end=%llu lower_bound=%d", __entry->sink,
		  __entry->start, __entry->end, __entry->lower_bound)
);

/* A step of a sequence that hardware acknowledges, and how long that took since it was awaited */
TRACE_EVENT(rvtrace_step,
	TP_PROTO(struct rvtrace_component *c, const char *what, u64 ns, int result),
	TP_ARGS(c, what, ns, result),
	TP_STRUCT__entry(
		__array(char, component, RVTRACE_TRACE_NAME)
		__array(char, what, RVTRACE_TRACE_NAME)
		__field(u64, ns)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->component, dev_name(rvtrace_device(c)), RVTRACE_TRACE_NAME);
		strscpy(__entry->what, what, RVTRACE_TRACE_NAME);
		__entry->ns = ns;
		__entry->result = result;
	),
	TP_printk("component=%s step=\"%s\" ns=%llu result=%d", __entry->component,
		  __entry->what, __entry->ns, __entry->result)
);

#endif /* RVTRACE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
