/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion between trace timestamps and CLOCK_MONOTONIC. The clock interpolates linearly between
 * moments that are known on both clocks (RVTRACE_RECORD_CLOCK). Before the first moment and after
 * the last one, it uses the frequency of the timestamp.
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
 * rvtrace_clock_new() - create a clock without moments
 * @hz: frequency of the timestamp; 0: unknown, the moments determine it
 * @bits: width of the timestamp, which wraps to 0; 0: 64
 *
 * Return: the clock; free it with rvtrace_clock_free(). NULL without memory.
 */
struct rvtrace_clock *rvtrace_clock_new(uint64_t hz, unsigned int bits);

/**
 * rvtrace_clock_free() - free a clock
 * @clock: the clock, or NULL (no effect)
 */
void rvtrace_clock_free(struct rvtrace_clock *clock);

/**
 * rvtrace_clock_add() - add one moment on both clocks
 * @clock: the clock, not settled yet
 * @ticks: trace timestamp
 * @ns: CLOCK_MONOTONIC, ns
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_clock_add(struct rvtrace_clock *clock, uint64_t ticks, uint64_t ns);

/**
 * rvtrace_clock_restart() - add a restart of the timestamp from 0
 * @clock: the clock, not settled yet
 * @ns: time of the restart, CLOCK_MONOTONIC; moments from then on follow the restart
 *
 * After restart number N, timestamps continue from N << 54. Decoders do the same if the restart is
 * reported to them (rvtrace_flow_restart(), rvtrace_events_restart()).
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_clock_restart(struct rvtrace_clock *clock, uint64_t ns);

/**
 * rvtrace_clock_settle() - end the list of moments
 * @clock: the clock; to be called once, before any conversion
 *
 * The timestamp of the first moment is used unchanged. Later timestamps are extended where the
 * timestamp wrapped. A moment that contradicts its neighbours is dropped: its writer was
 * interrupted between the readings of the two clocks.
 *
 * Return: the number of dropped moments; -ENOMEM.
 */
int rvtrace_clock_settle(struct rvtrace_clock *clock);

/**
 * rvtrace_clock_load() - make the settled clock of a sink of a recording
 * @recording: the recording
 * @sink: index of the sink
 * @out: the clock; free it with rvtrace_clock_free()
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
 * Return: true with two moments, or with one moment and the frequency.
 */
bool rvtrace_clock_known(const struct rvtrace_clock *clock);

/**
 * rvtrace_clock_settled() - the time before which future moments change no conversion
 * @clock: the clock, settled, created with a frequency
 * @age: ns
 *
 * Return: a time, CLOCK_MONOTONIC in ns, at least @age before the last moment. Conversions of
 * earlier times are final. 0: there is no such time yet; UINT64_MAX without moments.
 */
uint64_t rvtrace_clock_settled(const struct rvtrace_clock *clock, uint64_t age);

/**
 * rvtrace_clock_start() - timestamp of the first moment
 * @clock: the clock, settled
 *
 * Return: the trace timestamp; 0 without moments.
 */
uint64_t rvtrace_clock_start(const struct rvtrace_clock *clock);

/**
 * rvtrace_clock_ns() - convert a trace timestamp to CLOCK_MONOTONIC
 * @clock: the clock, known
 * @ticks: the timestamp
 *
 * Return: ns; 0 or UINT64_MAX if the result is out of range.
 */
uint64_t rvtrace_clock_ns(const struct rvtrace_clock *clock, uint64_t ticks);

/**
 * rvtrace_clock_ticks() - the first trace timestamp at or after a time
 * @clock: the clock, known
 * @ns: CLOCK_MONOTONIC, ns; UINT64_MAX: never
 *
 * Return: ticks; 0 or UINT64_MAX if the result is out of range.
 */
uint64_t rvtrace_clock_ticks(const struct rvtrace_clock *clock, uint64_t ns);

/**
 * rvtrace_clock_elapsed() - a trace timestamp as if counters never restarted
 * @clock: the clock, settled
 * @ticks: the timestamp
 *
 * Return: ticks since the first counter was 0; @ticks if the clock is not known.
 */
uint64_t rvtrace_clock_elapsed(const struct rvtrace_clock *clock, uint64_t ticks);

/**
 * rvtrace_clock_stamp() - the trace timestamp at an elapsed time
 * @clock: the clock, settled
 * @elapsed: ticks, as rvtrace_clock_elapsed() returns them
 *
 * Return: ticks.
 */
uint64_t rvtrace_clock_stamp(const struct rvtrace_clock *clock, uint64_t elapsed);

RVTRACE_END_DECLS

#endif /* RVTRACE_CLOCK_H */
