/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode: options, and what its outputs share. */
#ifndef RVTRACE_TRACECTL_DECODE_H
#define RVTRACE_TRACECTL_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rvtrace/format.h>
#include <rvtrace/missing.h>
#include <rvtrace/ntrace.h>
#include <rvtrace/replay.h>

#include "tools/tracectl/out.h"
#include "tools/tracectl/packets/packets.h"
#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "decode_filter.h"
#include "decode_format.h"
#include "decode_order.h"
#include "decode_print.h"
#include "symbols.h"
#include "text.h"

struct json_object;

#define MAX_SOURCES	65536	/* srcID has at most 16 bits, SRC 12 */
#define MAX_DECODE_IMAGES	16
#define ERRORS_TOLD	10	/* one by one, where they are in no listing */

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
	bool all_jumps;
	bool extend_addr_msb;
	struct rvtrace_isa isa;
	uint64_t jvt;
	bool has_modules;
	struct osd_modules osd;
	bool wrapped;
	uint64_t write_pointer;
};

/* Nothing was given. */
#define RAW_OPTIONS_NONE \
	{ .src_bits = -1, .implicit_return = -1, .format = &decode_ntrace }

enum decode_output {
	OUTPUT_LISTING,
	OUTPUT_BLOCKS,
	OUTPUT_ACCESSES,
	OUTPUT_CALLS,
	OUTPUT_PC,
	OUTPUT_PACKETS,
	OUTPUT_SUMMARY,
	OUTPUT_REPORT,
};

/**
 * struct source_totals - what was decoded of one source
 * @seen: it sent messages
 * @hart: its hart id
 * @bytes: of its messages
 * @instructions: executed
 * @no_image: 16-bit units executed without an image
 * @overflows: losses the encoder reported
 * @losses: losses of the stream, which hit every source
 * @changed: instructions in kernel text that changed during the recording
 * @errors: contradictions
 * @skipped: messages before the source was synchronized
 * @tasks: how often a write to tp told who executes
 */
struct source_totals {
	bool seen;
	uint64_t hart;
	uint64_t bytes;
	uint64_t instructions;
	uint64_t no_image;
	uint64_t overflows;
	uint64_t losses;
	uint64_t changed;
	uint64_t errors;
	uint64_t skipped;
	uint64_t tasks;
};

/* Offset of the message, address of the code. */
struct unseen {
	bool known;
	uint64_t offset;
	uint64_t address;
};

struct calls;
struct processes;
struct report;

/**
 * struct decode - one run of the verb
 * @output: what to print
 * @out: where to
 * @file: what that writes to, NULL: standard output
 * @object: the recording, or the raw trace
 * @raw: @object is a file that holds nothing but trace
 * @directory: the recording; of a raw trace, what was recorded beside it, or NULL
 * @raw_options: what the command line says of a raw trace
 * @in_buffer: the raw trace is a recorder's buffer
 * @spans: what to read of that
 * @config: parameters of the stream under way
 * @lines: source lines are printed, too
 * @wants_text: text of instructions is printed, too
 * @text: makes it, NULL: not asked for
 * @jobs: how many threads may decode
 * @workers: what these have of their own, @worker_count of them; NULL: none did yet
 * @filter: what is shown
 * @trap_vector: of the program, as the user says; 0: as the recording does
 * @recording: the recording, NULL if there is none
 * @spaces: its address spaces
 * @resolver: of the sink under way
 * @program: images
 * @symbols: of the images
 * @calls: who called whom
 * @processes: totals by process, of the sink under way; NULL: not asked for, or no recording
 * @report: totals by thread and function, of all sinks; NULL: not asked for
 * @missing: code without an image, of the sink under way
 * @sink: index of the sink under way
 * @timestamp_hz: of the trace timestamps, 0: not known
 * @clock: of the sink under way, somebody else's, NULL: not known
 * @start: what times count from where that clock is known, CLOCK_MONOTONIC, ns
 * @accesses: there were data accesses
 * @sources: totals by SRC, of the sink under way; room for MAX_SOURCES
 * @source_count: how many there may be: only these are counted
 * @lost_bytes: of the stream, of all sinks
 * @unsynchronized: bytes of messages of sinks without any synchronization, of which none was of use
 * @told: the first errors, as text
 * @unseen: of a raw trace: where code without an image executed first, if @unseen.known
 * @printed: JSON: the list has a member
 * @failed: decode_failed() has said so
 * @order: puts items of several harts in order, NULL: not yet needed, or not by whom this is of
 * @log: of a part: what its output consists of, NULL otherwise
 */
struct decode {
	enum decode_output output;
	const char *file;
	const char *object;
	bool raw;
	const char *directory;
	struct raw_options raw_options;
	bool in_buffer;
	struct rvtrace_buffer_span spans[2];
	struct rvtrace_flow_config config;
	bool lines;
	bool wants_text;
	struct text *text;
	unsigned int jobs;
	struct decode **workers;
	unsigned int worker_count;
	struct decode_filter filter;
	struct image_option images[MAX_DECODE_IMAGES];
	unsigned int image_count;
	uint64_t trap_vector[4];
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	struct symbols *symbols;
	struct calls *calls;
	struct processes *processes;
	struct report *report;
	struct rvtrace_missing *missing;
	size_t sink;
	uint64_t timestamp_hz;
	const struct rvtrace_clock *clock;
	uint64_t start;
	uint64_t stream_bytes;
	uint64_t lost_bytes;
	uint64_t unsynchronized;
	uint64_t overflows;
	uint64_t errors;
	bool accesses;
	struct source_totals *sources;
	size_t source_count;
	char told[ERRORS_TOLD][512];
	struct unseen unseen;
	bool printed;
	bool failed;
	struct order *order;
	struct order_log *log;
	struct progress progress;
	struct out out;
};

/* The format of the stream whose @config is known; or of packets that have no flow, nor parameters. */
static inline const struct decode_format *decode_stream_format(const struct decode *d)
{
	const struct decode_format *given = d->raw_options.format;

	return d->raw && !given->library ? given : decode_format_of(&d->config);
}

/* The command line. */
extern const struct argp decode_argp;

/*
 * A run without options yet, one at a time, or NULL without memory; what its options ask for: an exit
 * status. Then it is gone.
 */
struct decode *decode_new(void);
int decode_run(struct decode *d);

/* A directory of --image-path; ends the program with an error if it is none. */
void decode_add_path(struct decode *d, const char *directory);

/* The images, and what the output needs. 0 or a negative errno. */
int decode_load(struct decode *d, struct rvtrace_failure *error);
void decode_release(struct decode *d);

/* What each sink has of its own: totals, filters, resolver. 0 or a negative errno. */
int decode_begin_sink(struct decode *d, struct rvtrace_failure *error);

/* The images that the user named. */
int decode_load_images(struct decode *d, struct rvtrace_failure *error);

/* Parameters of the sink under way, into @config. */
int decode_sink_config(struct decode *d, struct rvtrace_failure *error);

/* Parameters of the raw trace, into @config; with a recording beside it, its. */
int decode_raw_config(struct decode *d, struct rvtrace_failure *error);

/* The raw trace itself; the caller closes it with decode_raw_close(). */
int decode_raw_open(const struct decode *d, struct rvtrace_failure *error);
void decode_raw_close(int fd);

/*
 * What the sink under way, or the raw trace, consists of, in order, until @take returns
 * anything but 0: that, 0, or a negative errno.
 */
typedef int (*decode_take)(void *user, const struct rvtrace_chunk *chunk);
int decode_each_chunk(const struct decode *d, decode_take take, void *user,
		      struct rvtrace_failure *error);

/*
 * A raw trace that may be a recorder's buffer: what to read of it, into @spans and @config; and
 * that as a file, from one of the buffer. 0, the file, or a negative errno.
 */
int buffer_prepare(struct decode *d, struct rvtrace_failure *error);
int buffer_open(const struct decode *d, int fd, struct rvtrace_failure *error);

/*
 * By how many threads the sink under way, or the raw trace in @fd, is best decoded; if more than
 * one, that: 0 or a negative errno. @fd is -1 for the sink.
 */
unsigned int decode_jobs(const struct decode *d, int fd);
int decode_parts(struct decode *d, int fd, unsigned int jobs,
		 struct rvtrace_failure *error);
void decode_workers_free(struct decode *d);

/* Items of the flow. */
int decode_items(void *data, const struct rvtrace_flow_item *items, size_t count);
int decode_chunk(void *data, const struct rvtrace_chunk *chunk);
/* @at_end: the output comes behind all progress. */
void decode_progress_start(struct decode *d, bool at_end);
void decode_progress(struct decode *d, uint64_t offset);
void decode_end(void *data, const struct rvtrace_flow *flow);

/* Messages, without the flow: 0 or a negative errno. */
int decode_packets(struct decode *d, struct rvtrace_failure *error);

/*
 * The end of the output. Return: whether it, or what led to @ret and @error, failed; that has
 * been said, but that nobody reads any more.
 */
bool decode_failed(struct decode *d, int ret, const struct rvtrace_failure *error);

/* Says so if there is no trace. Return: whether that is so. */
bool report_if_empty(const struct decode *d);

/* Of a decode with errors: the one, or how many and the first. */
void first_error(const struct decode *d);

/* Closes the output, which is whole unless it failed; @status, or that this did not work. */
int decode_close(struct decode *d, int status);

/* Sets up @sources for a sink, whose @config is known; then prints their totals. */
void decode_sources(struct decode *d);
void decode_summary(struct decode *d);

/*
 * Totals by process. Count takes blocks and stretches without an image and
 * returns 0 or -ENOMEM; add takes what others counted, and returns the same; print
 * appends to @array, or writes a table if that is NULL; reset forgets what was
 * counted.
 */
struct processes *processes_new(const struct rvtrace_spaces *spaces);
void processes_reset(struct processes *processes);
void processes_free(struct processes *processes);
int processes_count(struct processes *processes, const struct rvtrace_flow_item *item);
int processes_add(struct processes *processes, const struct processes *others);
void processes_print(struct processes *processes, FILE *file, struct json_object *array);

/* OUTPUT_REPORT: what it needs. 0 or a negative errno. */
int report_prepare(struct decode *d, struct rvtrace_failure *error);

/* What has no image, most bytes first: appended to @array, or a table if that is NULL. */
void missing_print(struct rvtrace_missing *missing, FILE *file, struct json_object *array);

/* Gaps by reason and encoder: appended to @array, or a table if that is NULL. */
void gaps_print(struct decode *d, FILE *file, struct json_object *array);

/*
 * Tells of a gap in the sink under way behind which its format, as @config has it, may not decode.
 * 0 or a negative errno.
 */
int gaps_warn(const struct decode *d, struct rvtrace_failure *error);

#endif /* RVTRACE_TRACECTL_DECODE_H */
