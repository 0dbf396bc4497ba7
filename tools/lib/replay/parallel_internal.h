/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One stream decoded by several threads: what its files share.
 *
 *	parallel.c		public interface
 *	parallel_read.c		the stream, piece by piece
 *	parallel_decode.c	what each thread does
 */
#ifndef RVTRACE_PARALLEL_INTERNAL_H
#define RVTRACE_PARALLEL_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>

#include <rvtrace/parallel.h>

#include "tools/lib/flow/flow_format.h"
#include "tools/lib/flow/flow_state.h"
#include "parallel_read.h"

struct parallel;

/**
 * struct segment - a piece of the stream
 * @parallel: all of them
 * @piece: its bytes, and what is missing before them
 * @aligned: E-Trace: behind @first of them a packet begins
 * @number: of the segment
 * @part: of the handler
 * @state: of its decoder where its items begin, if @begun; NULL: it never knew enough
 * @rest: what the decoder of the segment before knows beside that, if @confirmed; NULL: nothing
 * @begin: how many of its bytes the decoder of the segment before takes
 * @begun: @state and @begin hold
 * @confirmed: its decoder goes on as one that decoded all would
 * @dropped: it does not: the decoder of a segment before does its work
 * @left: its own thread has done with it
 */
struct segment {
	struct parallel *parallel;
	struct stream_piece piece;
	bool aligned;
	size_t first;
	uint64_t number;
	void *part;
	struct flow_state *state;
	struct flow_state *rest;
	size_t begin;
	bool begun;
	bool confirmed;
	bool dropped;
	bool left;
};

/**
 * struct worker - a thread
 * @parallel: all of them
 * @number: of this one
 * @config, @image: of its decoder
 */
struct worker {
	struct parallel *parallel;
	unsigned int number;
	struct rvtrace_flow_config config;
	const struct rvtrace_image *image;
};

/**
 * struct parallel - all threads
 * @workers: they
 * @format: of the stream
 * @lock: for everything below
 * @changed: something below has changed
 * @segments: a ring; segment number N is in N modulo @room
 * @segment: bytes of a segment
 * @taken: how many segments were begun
 * @committed: how many are over
 * @again: how many were decoded once more
 * @reader: what was not read yet
 * @aligned: where messages begin is known, of a format that can pass over them
 * @inside: bytes from there on that belong to a message that began before
 * @seed: of such a format: what was known behind the first piece of the stream
 * @at_end: there is nothing behind the segments taken
 * @ret: the first failure, 0 without
 * @totals: statistics of what was committed
 * @last: decoder that got to the end
 */
struct parallel {
	const char *name;
	const struct worker *workers;
	const struct flow_format *format;
	const struct rvtrace_parallel_handler *handler;
	struct rvtrace_failure *error;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct segment *segments;
	size_t room;
	size_t segment;
	uint64_t taken;
	uint64_t committed;
	uint64_t again;
	struct stream_reader reader;
	bool aligned;
	size_t inside;
	struct flow_state *seed;
	bool at_end;
	int ret;
	struct rvtrace_flow_stats *totals;
	struct rvtrace_flow *last;
};

/* parallel_decode.c */
int parallel_failed(struct parallel *p, int ret, const char *what);
void *parallel_work(void *data);

#endif /* RVTRACE_PARALLEL_INTERNAL_H */
