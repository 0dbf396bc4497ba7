/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl decode: the trace, totals and output of a run, and what its outputs share. */
#ifndef RVTRACE_TRACECTL_DECODE_H
#define RVTRACE_TRACECTL_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rvtrace/missing.h>

#include "tools/tracectl/out.h"
#include "tools/tracectl/parse.h"
#include "decode_order.h"
#include "decode_print.h"
#include "symbols.h"
#include "text.h"
#include "trace_input.h"

struct json_object;

#define MAX_DECODE_IMAGES	16
#define ERRORS_TOLD	10	/* one by one, where they are in no listing */

enum decode_output {
	OUTPUT_LISTING,
	OUTPUT_BLOCKS,
	OUTPUT_ACCESSES,
	OUTPUT_CALLS,
	OUTPUT_PC,
	OUTPUT_PACKETS,
	OUTPUT_SUMMARY,
	OUTPUT_REPORT,
	OUTPUT_VIEW,
};

/**
 * struct source_totals - what was decoded of one source
 * @seen: it sent messages, or was damaged
 * @named: messages or the recording name it
 * @bytes: of its messages
 * @instructions: executed
 * @no_image: 16-bit units executed without an image
 * @unfollowed: 16-bit units executed in stretches of unknown flow
 * @stretches: how many of those
 * @inferred: returns that were inferred
 * @overflows: losses the encoder reported
 * @losses: losses of the stream, which hit every source
 * @changed: instructions in kernel text that changed during the recording
 * @errors: contradictions
 * @skipped: messages before the source was synchronized
 * @tasks: how often a write to tp told who executes
 */
struct source_totals {
	bool seen;
	bool named;
	uint64_t bytes;
	uint64_t instructions;
	uint64_t no_image;
	uint64_t unfollowed;
	uint64_t stretches;
	uint64_t inferred;
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

/**
 * struct decode_totals - what was decoded
 * @sources: of the sink under way, as the input has them; NULL: none yet
 * @lost_bytes: of the stream, of all sinks
 * @unsynchronized: bytes of messages of sinks without any synchronization, of which none was of use
 * @overflows: losses the encoders reported
 * @errors: contradictions
 * @told: the first errors, as text
 * @accesses: there were data accesses
 * @unseen: of a raw trace: where code without an image executed first, if @unseen.known
 */
struct decode_totals {
	struct source_totals *sources;
	uint64_t lost_bytes;
	uint64_t unsynchronized;
	uint64_t overflows;
	uint64_t errors;
	char told[ERRORS_TOLD][512];
	bool accesses;
	struct unseen unseen;
};

struct processes;
struct report;
struct view_ops;
struct views;

/**
 * struct decode - one run of the verb
 * @output: what to print
 * @input: the trace
 * @totals: of it
 * @out: where to print
 * @images: the user's own, @image_count of them
 * @trap_vector: of the program, as the user says; 0: as the recording does
 * @program: images
 * @resolver: of the sink under way
 * @missing: code without an image, of the sink under way
 * @symbols: of the images
 * @lines: source lines are printed, too
 * @wants_text: text of instructions is printed, too
 * @text: makes it, NULL: not asked for
 * @processes: totals by process, of the sink under way; NULL: not asked for, or no recording
 * @report: totals by thread and function, of all sinks; NULL: not asked for
 * @view: OUTPUT_VIEW, OUTPUT_REPORT: what to make of calls, with @view_data of its own; NULL: nothing
 * @views: that, under way
 * @order: puts items of several harts in order, NULL: not yet needed, or not by whom this is of
 * @log: of a part: what its output consists of, NULL otherwise
 * @jobs: how many threads may decode
 * @workers: what these have of their own, @worker_count of them; NULL: none did yet
 */
struct decode {
	enum decode_output output;
	struct trace_input input;
	struct decode_totals totals;
	struct out out;
	struct image_option images[MAX_DECODE_IMAGES];
	unsigned int image_count;
	uint64_t trap_vector[4];
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	struct rvtrace_missing *missing;
	struct symbols *symbols;
	bool lines;
	bool wants_text;
	struct text *text;
	struct processes *processes;
	struct report *report;
	const struct view_ops *view;
	void *view_data;
	struct views *views;
	struct order *order;
	struct order_log *log;
	unsigned int jobs;
	struct decode **workers;
	unsigned int worker_count;
};

/* The command line. */
extern const struct argp decode_argp;

/*
 * A run without options yet, one at a time, or NULL without memory; what its options ask for: an
 * exit status. Then it is gone.
 */
struct decode *decode_new(void);
int decode_run(struct decode *d);

/* A directory of --image-path; ends the program with an error if it is none. */
void decode_add_path(struct decode *d, const char *directory);

/* The images, and what the output needs. 0 or a negative errno. */
int decode_load(struct decode *d, struct rvtrace_failure *error);
void decode_release(struct decode *d);

/* The images that the user named. */
int decode_load_images(struct decode *d, struct rvtrace_failure *error);

/* What a sink, whose parameters are known, has of its own: totals, resolver. 0, a negative errno */
int decode_begin_sink(struct decode *d, struct rvtrace_failure *error);

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
void decode_end(void *data, const struct rvtrace_flow *flow);

/* Messages, without the flow: 0 or a negative errno. */
int decode_packets(struct decode *d, struct rvtrace_failure *error);

/* Totals of a sink. */
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
void gaps_print(const struct trace_input *in, FILE *file, struct json_object *array);

#endif /* RVTRACE_TRACECTL_DECODE_H */
