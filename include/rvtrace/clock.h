/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace timestamps and CLOCK_MONOTONIC: moments that are known on both clocks
 * (RVTRACE_RECORD_CLOCK), straight lines between them, and beyond the first
 * and the last the frequency of the timestamp.
 */
#ifndef RVTRACE_CLOCK_H
#define RVTRACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/recording.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_clock;

/**
 * rvtrace_clock_new() - a clock without any moment
 * @hz: frequency of the timestamp, 0: not known, it follows from the moments
 * @bits: width of the timestamp, which begins again at 0; 0: 64
 *
 * Return: the clock, rvtrace_clock_free() it; NULL without memory.
 */
struct rvtrace_clock *rvtrace_clock_new(uint64_t hz, unsigned int bits);

/**
 * rvtrace_clock_free() - free a clock
 * @clock: the clock; NULL: nothing is done
 */
void rvtrace_clock_free(struct rvtrace_clock *clock);

/**
 * rvtrace_clock_add() - one moment on both clocks
 * @clock: the clock, not settled yet
 * @ticks: trace timestamp
 * @ns: CLOCK_MONOTONIC, ns
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_clock_add(struct rvtrace_clock *clock, uint64_t ticks, uint64_t ns);

/**
 * rvtrace_clock_restart() - the timestamp counted from 0 again
 * @clock: the clock, not settled yet
 * @ns: when, CLOCK_MONOTONIC; moments from then on are behind it
 *
 * Timestamps go on behind it: from N << 54 on behind restart number N, as those of decoders do
 * that were told of it (rvtrace_flow_restart(), rvtrace_events_restart()).
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_clock_restart(struct rvtrace_clock *clock, uint64_t ns);

/**
 * rvtrace_clock_settle() - all moments are known
 * @clock: the clock; to be called once, before any conversion
 *
 * The timestamp of the first moment is taken as it is; later ones go on where timestamps have
 * begun again. A moment that contradicts its neighbours (whoever took it was interrupted
 * between the two clocks) is left out.
 *
 * Return: how many were left out; -ENOMEM.
 */
int rvtrace_clock_settle(struct rvtrace_clock *clock);

/**
 * rvtrace_clock_load() - the clock of a sink of a recording, settled
 * @recording: the recording
 * @sink: index of the sink
 * @out: the clock; rvtrace_clock_free() it
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_clock_load(struct rvtrace_recording *recording, size_t sink,
		       struct rvtrace_clock **out, struct rvtrace_failure *error);

/**
 * rvtrace_clock_known() - whether times can be converted
 * @clock: the clock, settled
 *
 * Return: true with two moments, or with one and the frequency.
 */
bool rvtrace_clock_known(const struct rvtrace_clock *clock);

/**
 * rvtrace_clock_settled() - what moments that are still to come do not change
 * @clock: the clock, settled, whose frequency was given
 * @age: ns
 *
 * Return: a time, CLOCK_MONOTONIC, ns, before which conversions stay what they are, and which is
 * at least @age before the last moment; 0: there is none yet; UINT64_MAX without moments.
 */
uint64_t rvtrace_clock_settled(const struct rvtrace_clock *clock, uint64_t age);

/**
 * rvtrace_clock_start() - the first moment
 * @clock: the clock, settled
 *
 * Return: its trace timestamp; 0 without moments.
 */
uint64_t rvtrace_clock_start(const struct rvtrace_clock *clock);

/**
 * rvtrace_clock_ns() - a trace timestamp as CLOCK_MONOTONIC
 * @clock: the clock, known
 * @ticks: the timestamp
 *
 * Return: ns; 0 and UINT64_MAX where the result is outside.
 */
uint64_t rvtrace_clock_ns(const struct rvtrace_clock *clock, uint64_t ticks);

/**
 * rvtrace_clock_ticks() - the first trace timestamp that is not before a time
 * @clock: the clock, known
 * @ns: CLOCK_MONOTONIC, ns; UINT64_MAX: never
 *
 * Return: ticks; 0 and UINT64_MAX where the result is outside.
 */
uint64_t rvtrace_clock_ticks(const struct rvtrace_clock *clock, uint64_t ns);

/**
 * rvtrace_clock_elapsed() - a trace timestamp as if counters had not restarted
 * @clock: the clock, settled
 * @ticks: the timestamp
 *
 * Return: ticks from where the first count was 0. Where the clock is not known, @ticks.
 */
uint64_t rvtrace_clock_elapsed(const struct rvtrace_clock *clock, uint64_t ticks);

/**
 * rvtrace_clock_stamp() - the trace timestamp when so much had elapsed
 * @clock: the clock, settled
 * @elapsed: ticks, as rvtrace_clock_elapsed() has them
 *
 * Return: ticks.
 */
uint64_t rvtrace_clock_stamp(const struct rvtrace_clock *clock, uint64_t elapsed);

RVTRACE_END_DECLS

#endif /* RVTRACE_CLOCK_H */
