/* SPDX-License-Identifier: GPL-2.0 */
/* Frames of the call layer against those of the shadow stack. */
#ifndef RVTRACE_CALLS_JUDGE_H
#define RVTRACE_CALLS_JUDGE_H

#include "selftests/calls/align.h"
#include "selftests/calls/layer.h"
#include "selftests/calls/names.h"
#include "selftests/calls/shadow.h"

/**
 * struct judge - what is compared
 * @shadow, @layer: frames
 * @harts: by source
 * @names: of functions
 * @show: so many differences are shown
 * @layer_of: by frame of @shadow, that of @layer
 * @shadow_of: by frame of @layer
 * @calls, @traps, @signals: frames that both have
 * @in_gaps: those that are in a gap of the flow
 * @orphans: frames whose caller is older than the windows
 * @cut: frames that the layer left at a gap
 * @replaced, @dead, @open: frames that ended with their program or thread, or did not
 * @suspended: frames that the layer left when another coroutine went on
 * @resumed: calls in frames that it entered again
 * @older: signals whose trap is older than the windows, and calls that return to such frames
 * @unknown: frames of threads that the layer does not know
 * @tails: of the frames compared, those in whose place others executed
 * @unwound: of them, those that were jumped over
 * @differences: all of them
 * @times, @spans: moments and durations compared
 * @outside: those of them that are outside of what is told
 * @no_time: that have no time
 */
struct judge {
	const struct shadow *shadow;
	const struct layer *layer;
	const struct align_hart *harts;
	const struct names *names;
	unsigned int show;
	uint32_t *layer_of;
	uint32_t *shadow_of;
	uint64_t calls, traps, signals;
	uint64_t in_gaps, orphans, cut, replaced, dead, open, suspended, resumed, older, unknown;
	uint64_t tails, unwound;
	uint64_t differences;
	uint64_t times, spans, outside, no_time;
};

#define JUDGE_SOURCES	64

/* Compare frames and times, and print it. Return: whether there is no difference. */
void judge_frames(struct judge *judge);
void judge_times(struct judge *judge);

/* A difference, of which the first ones are shown: what is wrong with which frames */
void judge_differ(struct judge *judge, const char *what, uint32_t shadow, uint32_t layer);

#endif /* RVTRACE_CALLS_JUDGE_H */
