/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who ran where in a stream that tells neither time nor address space, but what harts write to tp
 * (CDL compressed trace with writes of x4).
 *
 * Linux has the address of the running task in tp while the kernel runs, so another value in the
 * kernel's half of the addresses is a context switch. These are matched with the switches of the
 * side band: each task has one address for as long as it lives.
 */
#ifndef RVTRACE_POINTERS_H
#define RVTRACE_POINTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/recording.h>
#include <rvtrace/switches.h>

#include "tools/lib/packet/reader.h"

struct rvtrace_pointers;

/**
 * rvtrace_pointers_new() - nothing is known yet
 * @switches: of the side band; must outlive the result
 * @cpu: whose trace it is
 *
 * Return: rvtrace_pointers_free() it; NULL without memory.
 */
struct rvtrace_pointers *rvtrace_pointers_new(const struct rvtrace_switches *switches,
					      unsigned int cpu);

/**
 * rvtrace_pointers_free() - free the pointers
 * @pointers: the pointers; NULL: nothing is done
 */
void rvtrace_pointers_free(struct rvtrace_pointers *pointers);

/**
 * rvtrace_pointers_begin() - trace begins, or goes on behind a loss
 * @pointers: the pointers
 * @offset: where in the stream, as its reader counts
 * @ns: when, CLOCK_MONOTONIC in ns; 0: not known
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_pointers_begin(struct rvtrace_pointers *pointers, uint64_t offset, uint64_t ns);

/**
 * rvtrace_pointers_add() - tp was written
 * @pointers: the pointers; rvtrace_pointers_begin() was called
 * @offset: in the stream, not less than that of the write before
 * @value: what was written
 *
 * Values of user mode, and the 0 of traps in the kernel, are no switches.
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_pointers_add(struct rvtrace_pointers *pointers, uint64_t offset, uint64_t value);

/**
 * rvtrace_pointers_match() - match them with the switches, when all were added
 * @pointers: the pointers
 *
 * Of a piece without loss, the match nearest to the time it began at that gives no task two
 * addresses; nothing is known where there is none.
 *
 * Return: 0 or -ENOMEM.
 */
int rvtrace_pointers_match(struct rvtrace_pointers *pointers);

/**
 * rvtrace_pointers_load() - all of that for the only encoder of a sink
 * @recording: the recording
 * @sink: index of the sink
 * @packets: how packets of its stream are read; has next_write
 * @reader: a new reader of them
 * @switches: of the side band; must outlive the result
 * @out: the pointers; rvtrace_pointers_free() them
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_pointers_load(struct rvtrace_recording *recording, size_t sink,
			  const struct packet_reader *packets, void *reader,
			  const struct rvtrace_switches *switches, struct rvtrace_pointers **out,
			  struct rvtrace_failure *error);

/**
 * rvtrace_pointers_at() - who ran at a place of the stream
 * @pointers: the pointers, matched
 * @offset: in the stream
 * @stretch: filled: task and times
 *
 * Return: whether the task is known.
 */
bool rvtrace_pointers_at(const struct rvtrace_pointers *pointers, uint64_t offset,
			 struct rvtrace_stretch *stretch);

#endif /* RVTRACE_POINTERS_H */
