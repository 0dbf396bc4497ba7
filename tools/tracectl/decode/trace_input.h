/* SPDX-License-Identifier: GPL-2.0 */
/* The trace that a verb reads, of a recording or a file: what is known of it, and its bytes. */
#ifndef RVTRACE_TRACECTL_TRACE_INPUT_H
#define RVTRACE_TRACECTL_TRACE_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rvtrace/format.h>
#include <rvtrace/ntrace.h>
#include <rvtrace/replay.h>

#include "tools/tracectl/packets/packets.h"
#include "tools/tracectl/tracectl.h"
#include "decode_debugspec.h"
#include "decode_filter.h"
#include "decode_format.h"

#define MAX_SOURCES	65536	/* srcID has at most 16 bits, SRC 12 */
#define RAW_DEPTH_MAX	1023	/* of --implicit-return: P550 */

/**
 * struct raw_options - what the command line says of a raw trace
 * @option: an option that is for raw traces only, NULL: none was given
 * @parameter: the same, of parameters of the stream
 * @param: a file that has them, or NULL
 * @has_format: the format was given
 * @format: it, or the default
 * @xlen: 0: not given
 * @src_bits: -1: not given
 * @implicit_return: -1: not given
 * @mode: enum rvtrace_ntrace_mode
 * @isa: extensions of the programs
 * @jvt: where their jump table is
 * @has_modules: there are options about @osd
 * @osd: modules of Open SoC Debug
 * @debugspec: parameters of the debug specification
 * @wrapped: the file is a buffer that has wrapped, with this @write_pointer
 */
struct raw_options {
	const char *option;
	const char *parameter;
	const char *param;
	bool has_format;
	const struct decode_format *format;
	unsigned int xlen;
	int src_bits;
	int implicit_return;
	uint8_t mode;
	bool sequential_jump;
	bool count_returns;
	bool all_jumps;
	bool extend_addr_msb;
	struct rvtrace_isa isa;
	uint64_t jvt;
	bool has_modules;
	struct osd_modules osd;
	struct debugspec_options debugspec;
	bool wrapped;
	uint64_t write_pointer;
};

/* Nothing was given. */
#define RAW_OPTIONS_NONE \
	{ .src_bits = -1, .implicit_return = -1, .format = &decode_ntrace }

/**
 * struct trace_source - a SRC, or the trace's only encoder
 * @hart: its hart id, if @has_hart; else its SRC is
 * @has_hart: the recording tells it
 * @described: the recording tells of its encoder
 */
struct trace_source {
	uint64_t hart;
	bool has_hart;
	bool described;
};

/**
 * struct trace_input - the trace
 * @object: the recording, or the raw trace
 * @raw: @object is a file that holds nothing but trace
 * @directory: the recording; of a raw trace, what was recorded beside it, or NULL
 * @raw_options: what the command line says of a raw trace
 * @filter: what is shown of it
 * @recording: the recording, NULL if there is none
 * @spaces: its address spaces
 * @sink: index of the sink under way
 * @config: parameters of that
 * @sources: of that, by SRC; room for MAX_SOURCES; all threads share them
 * @source_count: how many there may be
 * @timestamp_hz: of its timestamps, 0: not known
 * @clock: owned by the caller, NULL: not known
 * @start: what times count from where that clock is known, CLOCK_MONOTONIC, ns
 * @end: when the last record was made, the same; @start without
 * @in_buffer: the raw trace is a recorder's buffer
 * @spans: what to read of that
 * @stream_bytes: of the sink under way, or the raw trace; 0: not known
 * @progress: how much was read
 */
struct trace_input {
	const char *object;
	bool raw;
	const char *directory;
	struct raw_options raw_options;
	struct decode_filter filter;
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	size_t sink;
	struct rvtrace_flow_config config;
	struct trace_source *sources;
	size_t source_count;
	uint64_t timestamp_hz;
	const struct rvtrace_clock *clock;
	uint64_t start;
	uint64_t end;
	bool in_buffer;
	struct rvtrace_buffer_span spans[2];
	uint64_t stream_bytes;
	struct progress progress;
};

/* The format of the stream whose @config is known; or of packets that have no flow. */
const struct decode_format *input_format(const struct trace_input *in);

/*
 * Once @recording is open: warns of what failed while it was made; of a missing end only if it does
 * not grow any more. Then loads @spaces. 0 or a negative errno.
 */
int input_recorded(struct trace_input *in, bool grows, struct rvtrace_failure *error);

/* Frees what was opened or allocated. */
void input_release(struct trace_input *in);

/* @config of the sink under way, or of the raw trace; with a recording beside that, its. */
int input_config(struct trace_input *in, struct rvtrace_failure *error);

/* @config of a raw trace; its programs are known. */
int input_raw_config(struct trace_input *in, struct rvtrace_failure *error);

/* @sources of the sink under way, whose @config is known. 0 or -ENOMEM. */
int input_sources(struct trace_input *in);

/* The hart id of one of these. */
uint64_t input_hart(const struct trace_input *in, unsigned int source);

/* The raw trace: the file, which the caller closes with input_raw_close(), or a negative errno. */
int input_raw_open(const struct trace_input *in, struct rvtrace_failure *error);
void input_raw_close(int fd);

/*
 * What the sink under way, or the raw trace, consists of, in order, until @take returns
 * anything but 0: that, 0, or a negative errno.
 */
typedef int (*input_take)(void *user, const struct rvtrace_chunk *chunk);
int input_each_chunk(const struct trace_input *in, input_take take, void *user,
		     struct rvtrace_failure *error);

/*
 * A raw trace that may be a recorder's buffer: what to read of it, into @spans and @config; and
 * that as a file, from one of the buffer. 0, the file, or a negative errno.
 */
int buffer_prepare(struct trace_input *in, struct rvtrace_failure *error);
int buffer_open(const struct trace_input *in, int fd, struct rvtrace_failure *error);

/*
 * Tells of a gap in the sink under way behind which its format, as @config has it, may not decode.
 * 0 or a negative errno.
 */
int gaps_warn(const struct trace_input *in, struct rvtrace_failure *error);

/* How much was read. @at_end: the output, to @file, comes after all progress. */
void input_progress_start(struct trace_input *in, FILE *file, bool at_end);
void input_progress(struct trace_input *in, uint64_t offset);

/* Says so if there is no trace. Return: whether that is so. */
bool input_is_empty(const struct trace_input *in);

/* The nearest nanosecond: of a clock of up to 1 GHz, parse_time() finds the tick again. */
uint64_t input_ns(const struct trace_input *in, uint64_t time);

/*
 * Whether times of the sink under way are known as CLOCK_MONOTONIC; if so, that is what users are
 * shown. Else it is the trace's own time.
 */
bool input_knows_clock(const struct trace_input *in);

/* The trace's own time: counters that restart do not show. In ticks. */
uint64_t input_elapsed(const struct trace_input *in, uint64_t time);

#endif /* RVTRACE_TRACECTL_TRACE_INPUT_H */
