// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: what its outputs have in common. */
#include <inttypes.h>

#include "tools/tracectl/moments.h"
#include "decode.h"

static const char privs[] = "US?M";

void print_document(struct out *out, const char *output, const char *name)
{
	out_format(out, "{\"schema\":%d", JSON_SCHEMA);
	out_json_text(out, "output", output);
	out_format(out, ",\"%s\":[", name);
}

void print_begin(struct out *out)
{
	out_text(out, out->printed ? ",\n" : "\n");
	out->printed = true;
}

void print_document_end(struct out *out)
{
	out_text(out, "\n]}\n");
}

void print_first_error(uint64_t count, const char *first)
{
	if (count == 1)
		error_text("%s", first);
	else
		error_text("%" PRIu64 " errors, the first: %s", count, first);
}

static uint64_t hart_of(const struct decode *d, const struct rvtrace_flow_item *item)
{
	return item->source < MAX_SOURCES ? input_hart(&d->input, item->source) : item->source;
}

static const struct rvtrace_space *space_of(const struct decode *d,
					    const struct rvtrace_flow_item *item)
{
	return d->resolver ? rvtrace_resolver_space(d->resolver, item) : NULL;
}

void print_time_json(struct out *out, const struct trace_input *in, uint64_t time)
{
	uint64_t elapsed = input_elapsed(in, time), ns;

	out_json_number(out, "time", elapsed);
	if (in->timestamp_hz)
		out_json_number(out, "time_ns", input_ns(in, elapsed));
	if (input_knows_clock(in)) {
		ns = rvtrace_clock_ns(in->clock, time);
		out_json_signed(out, "relative_ns", ns - in->start);
		out_json_number(out, "monotonic_ns", ns);
	}
}

static void who_json(struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = space_of(d, item);
	const struct trace_input *in = &d->input;
	struct out *out = &d->out;

	if (in->recording && rvtrace_recording_sink_count(in->recording) > 1)
		out_json_text(out, "sink", rvtrace_recording_sink(in->recording, in->sink)->name);
	if (item->source != RVTRACE_SOURCE_ALL)
		out_json_number(out, "hart", hart_of(d, item));
	if (item->flags & RVTRACE_FLOW_HAS_TIME)
		print_time_json(out, in, item->time);
	if (item->flags & RVTRACE_FLOW_HAS_PRIV)
		out_json_text(out, "privilege", (char[]) { privs[item->priv & 3], 0 });
	if (item->flags & RVTRACE_FLOW_HAS_CONTEXT)
		out_json_number(out, "context", item->context);
	if (space) {
		out_json_text(out, "process", space->comm);
		out_json_number(out, "pid", space->pid);
	}
	if (item->thread >= 0)
		out_json_number(out, "tid", item->thread);
}

void print_time(struct out *out, const struct trace_input *in, bool known, uint64_t time)
{
	uint64_t start = in->filter.absolute ? 0 : in->start;

	if (!known)
		out_format(out, "%*s", MOMENT_WIDTH, "-");
	else if (input_knows_clock(in))
		print_moment(out, rvtrace_clock_ns(in->clock, time) - start);
	else if (in->timestamp_hz)
		print_moment(out, input_ns(in, input_elapsed(in, time)));
	else
		out_format(out, "%*" PRIu64, MOMENT_WIDTH, input_elapsed(in, time));
}

static void who_text(struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = space_of(d, item);
	char pid[32] = "?", tid[16] = "?", name[NAME_SIZE];

	if (item->source == RVTRACE_SOURCE_ALL)
		out_text(&d->out, "[ all] ");
	else
		out_format(&d->out, "[%4" PRIu64 "] ", hart_of(d, item));
	print_time(&d->out, &d->input, item->flags & RVTRACE_FLOW_HAS_TIME, item->time);
	out_format(&d->out, " %c ", item->flags & RVTRACE_FLOW_HAS_PRIV ? privs[item->priv & 3] :
		   '?');
	if (!d->input.recording)
		return;
	if (space)
		snprintf(pid, sizeof(pid), "%d", space->pid);
	if (item->thread >= 0)
		snprintf(tid, sizeof(tid), "%d", item->thread);
	out_format(&d->out, "%15s/%-7s %7s ", printable(space ? space->comm : "?", name, sizeof(name)),
		   pid, tid);
}

void print_who(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (global.json)
		who_json(d, item);
	else
		who_text(d, item);
}

static void place_json(struct decode *d, const struct symbol_place *place, uint64_t address)
{
	const char *source;
	int line = 0;

	if (place->name)
		out_json_text(&d->out, place->function ? "symbol" : "file", place->name);
	if (place->has_base)
		out_json_hex(&d->out, "offset", address - place->base);
	if (place->file)
		out_json_text(&d->out, place->module ? "module" : "file", place->file);
	source = d->lines ? symbols_line(place, address, &line) : NULL;
	if (source) {
		out_json_text(&d->out, "source", source);
		out_json_number(&d->out, "line", line);
	}
}

void print_place(struct decode *d, const struct symbol_place *place, uint64_t address)
{
	const char *source;
	int line = 0;

	if (global.json) {
		place_json(d, place, address);
		return;
	}
	symbols_print(&d->out, place, address);
	source = d->lines ? symbols_line(place, address, &line) : NULL;
	if (!source)
		return;
	out_text(&d->out, place->name ? " " : "");
	out_visible(&d->out, source);
	out_format(&d->out, ":%d", line);
}

static const char *trap_kind(const struct rvtrace_flow_item *item)
{
	return item->trap.kind == RVTRACE_TRAP_EXCEPTION ? "exception" :
	       item->trap.kind == RVTRACE_TRAP_INTERRUPT ? "interrupt" : "trap";
}

static void print_target(struct out *out, const struct rvtrace_flow_item *item)
{
	if (item->flags & RVTRACE_FLOW_HAS_TARGET)
		out_format(out, " to 0x%" PRIx64, item->trap.target);
}

/* Which instruction it was. */
static void print_by(struct out *out, const struct rvtrace_flow_item *item)
{
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		out_format(out, " by 0x%" PRIx64, item->address);
}

/* What in-circuit trace is of, and what the value beside the address is. */
static const struct {
	const char *name;
	const char *value;
} circuits[] = {
	[RVTRACE_NTRACE_CKSRC_CONTROL] = { "control", "cause" },
	[RVTRACE_NTRACE_CKSRC_EXTERNAL_TRIGGER] = { "external trigger", "number" },
	[RVTRACE_NTRACE_CKSRC_CALL] = { "call", "target" },
	[RVTRACE_NTRACE_CKSRC_EXCEPTION] = { "exception", "cause" },
	[RVTRACE_NTRACE_CKSRC_INTERRUPT] = { "interrupt", "cause" },
	[RVTRACE_NTRACE_CKSRC_COUNTERS] = { "performance counters", "value" },
	[RVTRACE_NTRACE_CKSRC_CONTEXT] = { "context", "value" },
	[RVTRACE_NTRACE_CKSRC_WATCHPOINT] = { "watchpoint", "number" },
	[RVTRACE_NTRACE_CKSRC_PC_SAMPLE] = { "PC sample", "value" },
};

static const char *circuit_name(const struct rvtrace_flow_item *item, const char **value)
{
	const char *name = NULL;

	*value = "value";
	if (item->circuit.source < sizeof(circuits) / sizeof(circuits[0]))
		name = circuits[item->circuit.source].name;
	if (name)
		*value = circuits[item->circuit.source].value;
	return name ? name : "unknown";
}

/* Addresses, and what only counters know the meaning of */
static bool is_hex(const struct rvtrace_flow_item *item)
{
	return item->circuit.source == RVTRACE_NTRACE_CKSRC_CALL ||
	       item->circuit.source == RVTRACE_NTRACE_CKSRC_COUNTERS;
}

static void circuit_text(struct out *out, const struct rvtrace_flow_item *item)
{
	const char *value, *name = circuit_name(item, &value);

	out_format(out, "-- in-circuit trace: %s", name);
	if (item->circuit.has_value)
		out_format(out, is_hex(item) ? ", %s 0x%" PRIx64 : ", %s %" PRIu64, value,
			   item->circuit.value);
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		out_format(out, ", at 0x%" PRIx64, item->address);
}

static void circuit_json(struct out *out, const struct rvtrace_flow_item *item)
{
	const char *value, *name = circuit_name(item, &value);

	out_json_text(out, "source", name);
	out_json_number(out, "cksrc", item->circuit.source);
	if (item->circuit.has_value && is_hex(item))
		out_json_hex(out, value, item->circuit.value);
	else if (item->circuit.has_value)
		out_json_number(out, value, item->circuit.value);
}

static void trap_text(struct out *out, const struct rvtrace_flow_item *item)
{
	out_format(out, "-- %s", trap_kind(item));
	if (item->flags & RVTRACE_FLOW_HAS_CAUSE)
		out_format(out, " %u", item->trap.cause);
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		out_format(out, " at 0x%" PRIx64, item->address);
	print_target(out, item);
}

static void stop_text(struct out *out, const struct rvtrace_flow_item *item)
{
	if (item->stop.reason == RVTRACE_STOP_FILTER)
		out_text(out, "-- stop, what follows is filtered");
	else if (item->stop.reason == RVTRACE_STOP_UNKNOWN)
		out_text(out, "-- stop, tracing was turned off or messages were lost");
	else
		out_format(out, "-- stop, reason %u", item->stop.reason);
}

/* What is missing */
static void damage_text(struct out *out, const struct rvtrace_flow_item *item)
{
	switch (item->type) {
	case RVTRACE_FLOW_OVERFLOW:
		out_text(out, "-- overflow: messages lost");
		break;
	case RVTRACE_FLOW_LOST:
		out_format(out, "-- %" PRIu64 " bytes of trace lost", item->lost.bytes);
		break;
	case RVTRACE_FLOW_ACCESSES_LOST:
		out_text(out, "-- data accesses lost");
		break;
	case RVTRACE_FLOW_ERROR:
		out_format(out, "-- offset %" PRIu64 ": %s", item->offset,
			   rvtrace_strerror(item->error.code));
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		out_format(out, "-- 0x%" PRIx64 ": no image", item->address);
		if (item->no_image.halfwords)
			out_format(out, ", %" PRIu64 " bytes of code executed",
				   2 * item->no_image.halfwords);
		break;
	case RVTRACE_FLOW_UNFOLLOWED:
		out_format(out, "-- unknown flow, %" PRIu64 " bytes of code executed",
			   2 * item->unfollowed.halfwords);
		break;
	case RVTRACE_FLOW_INFERRED:
		out_format(out, "-- 0x%" PRIx64 ": went on at 0x%" PRIx64
			   ", inferred: only that can have executed", item->address,
			   item->trap.target);
		break;
	case RVTRACE_FLOW_RANGE:
		out_format(out, "-- 0x%" PRIx64 " to 0x%" PRIx64 ": executed, no image",
			   item->address, item->range.last);
		break;
	case RVTRACE_FLOW_TAIL:
		out_format(out, "-- 0x%" PRIx64 ": trace ends here, %" PRIu64
			   " half-words counted without outcomes",
			   item->address, item->tail.halfwords);
		break;
	default:
		out_format(out, "-- message of unknown type %u", item->unknown.tcode);
	}
}

/* N-Trace 1.0, table "SYNC Field Values"; other formats have some of them. */
static const char *const sync_reasons[] = {
	[RVTRACE_NTRACE_SYNC_EXTERNAL_TRIGGER] = "external trace trigger",
	[RVTRACE_NTRACE_SYNC_RESET] = "exit from reset",
	[RVTRACE_NTRACE_SYNC_PERIODIC] = "periodic",
	[RVTRACE_NTRACE_SYNC_DEBUG_EXIT] = "exit from debug mode",
	[RVTRACE_NTRACE_SYNC_SEQUENTIAL_ICNT] = "sequential instruction counter",
	[RVTRACE_NTRACE_SYNC_TRACE_ENABLE] = "trace enable",
	[RVTRACE_NTRACE_SYNC_TRACE_EVENT] = "trace event",
	[RVTRACE_NTRACE_SYNC_FIFO_OVERRUN] = "restart from FIFO overrun",
	[RVTRACE_NTRACE_SYNC_POWER_DOWN] = "exit from power-down",
};

static void sync_text(struct out *out, const struct rvtrace_flow_item *item)
{
	unsigned int reason = item->sync.reason;

	out_format(out, "-- sync, reason %u", reason);
	if (reason < sizeof(sync_reasons) / sizeof(sync_reasons[0]) && sync_reasons[reason])
		out_format(out, " (%s)", sync_reasons[reason]);
}

static void event_text(struct out *out, const struct rvtrace_flow_item *item)
{
	switch (item->type) {
	case RVTRACE_FLOW_SYNC:
		sync_text(out, item);
		break;
	case RVTRACE_FLOW_TRAP:
		trap_text(out, item);
		break;
	case RVTRACE_FLOW_TRAP_RETURN:
		out_text(out, "-- trap return");
		print_target(out, item);
		break;
	case RVTRACE_FLOW_CONTEXT:
		if (item->flags & RVTRACE_FLOW_HAS_CONTEXT)
			out_format(out, "-- context %" PRIu64, item->context);
		else
			out_text(out, "-- other privilege");
		break;
	case RVTRACE_FLOW_STOP:
		stop_text(out, item);
		break;
	case RVTRACE_FLOW_DATA:
		out_format(out, "-- data: id %u value 0x%" PRIx64, item->data.id,
			   item->data.value);
		break;
	case RVTRACE_FLOW_ACCESS:
		out_text(out, "-- ");
		print_access_text(out, item->access);
		if (!(item->flags & RVTRACE_FLOW_HAS_ADDRESS))
			out_text(out, " (by an instruction that is not known)");
		break;
	case RVTRACE_FLOW_REGISTER:
		out_format(out, "-- register x%u = 0x%" PRIx64, item->written.rd,
			   item->written.value);
		print_by(out, item);
		break;
	case RVTRACE_FLOW_TRACEPOINT:
		out_format(out, "-- trace point %u", item->tracepoint.number);
		print_by(out, item);
		break;
	case RVTRACE_FLOW_CIRCUIT:
		circuit_text(out, item);
		break;
	default:
		damage_text(out, item);
	}
}

static const char *const event_names[] = {
	[RVTRACE_FLOW_SYNC] = "sync",
	[RVTRACE_FLOW_TRAP_RETURN] = "trap-return",
	[RVTRACE_FLOW_CONTEXT] = "context",
	[RVTRACE_FLOW_STOP] = "stop",
	[RVTRACE_FLOW_OVERFLOW] = "overflow",
	[RVTRACE_FLOW_LOST] = "lost",
	[RVTRACE_FLOW_NO_IMAGE] = "no-image",
	[RVTRACE_FLOW_ERROR] = "error",
	[RVTRACE_FLOW_DATA] = "data",
	[RVTRACE_FLOW_UNKNOWN] = "unknown",
	[RVTRACE_FLOW_ACCESS] = "access",
	[RVTRACE_FLOW_ACCESSES_LOST] = "accesses-lost",
	[RVTRACE_FLOW_REGISTER] = "register",
	[RVTRACE_FLOW_TRACEPOINT] = "tracepoint",
	[RVTRACE_FLOW_RANGE] = "range",
	[RVTRACE_FLOW_CIRCUIT] = "in-circuit-trace",
	[RVTRACE_FLOW_TAIL] = "tail",
	[RVTRACE_FLOW_UNFOLLOWED] = "unknown-flow",
	[RVTRACE_FLOW_INFERRED] = "inferred-return",
};

static void event_json(struct out *out, const struct rvtrace_flow_item *item)
{
	const char *name = NULL;

	if (item->type < sizeof(event_names) / sizeof(event_names[0]))
		name = event_names[item->type];
	out_text(out, "\"type\":");
	out_json_string(out, item->type == RVTRACE_FLOW_TRAP ? trap_kind(item) :
			name ? name : "unknown");
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		out_json_hex(out, "address", item->address);
	switch (item->type) {
	case RVTRACE_FLOW_SYNC:
		out_json_number(out, "reason", item->sync.reason);
		break;
	case RVTRACE_FLOW_TRAP:
	case RVTRACE_FLOW_TRAP_RETURN:
	case RVTRACE_FLOW_INFERRED:
		if (item->flags & RVTRACE_FLOW_HAS_CAUSE)
			out_json_number(out, "cause", item->trap.cause);
		if (item->flags & RVTRACE_FLOW_HAS_TARGET)
			out_json_hex(out, "target", item->trap.target);
		break;
	case RVTRACE_FLOW_STOP:
		out_json_number(out, "reason", item->stop.reason);
		break;
	case RVTRACE_FLOW_LOST:
		out_json_number(out, "bytes", item->lost.bytes);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		out_json_number(out, "offset", item->offset);
		out_json_number(out, "bytes", 2 * item->no_image.halfwords);
		break;
	case RVTRACE_FLOW_UNFOLLOWED:
		out_json_number(out, "offset", item->offset);
		out_json_number(out, "bytes", 2 * item->unfollowed.halfwords);
		break;
	case RVTRACE_FLOW_ERROR:
		out_json_number(out, "offset", item->offset);
		out_json_text(out, "error", rvtrace_strerror(item->error.code));
		break;
	case RVTRACE_FLOW_DATA:
		out_json_number(out, "id", item->data.id);
		out_json_hex(out, "value", item->data.value);
		break;
	case RVTRACE_FLOW_ACCESS:
		print_access_json(out, item->access);
		break;
	case RVTRACE_FLOW_UNKNOWN:
		out_json_number(out, "tcode", item->unknown.tcode);
		break;
	case RVTRACE_FLOW_REGISTER:
		out_json_number(out, "rd", item->written.rd);
		out_json_hex(out, "value", item->written.value);
		break;
	case RVTRACE_FLOW_TRACEPOINT:
		out_json_number(out, "number", item->tracepoint.number);
		break;
	case RVTRACE_FLOW_RANGE:
		out_json_hex(out, "last", item->range.last);
		if (item->range.instructions)
			out_json_number(out, "instructions", item->range.instructions);
		break;
	case RVTRACE_FLOW_CIRCUIT:
		circuit_json(out, item);
		break;
	case RVTRACE_FLOW_TAIL:
		out_json_number(out, "halfwords", item->tail.halfwords);
		break;
	}
}

void print_event(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (global.json)
		event_json(&d->out, item);
	else
		event_text(&d->out, item);
}
