// SPDX-License-Identifier: GPL-2.0
/* The clock of a session's trace, and ours. */
#include <linux/errno.h>

#include "records.h"
#include "rvtrace.h"
#include "sink_clock.h"
#include "timestamp.h"

/**
 * rvtrace_clock_use() - pair clocks with another encoder's timestamp
 * @sink: the sink
 * @clock: an encoder that is held until replaced here, or NULL for none
 */
void rvtrace_clock_use(struct rvtrace_sink *sink, struct rvtrace_component *clock)
{
	rvtrace_sink_lock(sink);
	sink->clock = clock;
	rvtrace_sink_unlock(sink);
}

/**
 * rvtrace_clock_moment() - what the clocks of a session say now
 * @sink: the sink
 * @moment: out
 *
 * Return: 0; -ENODATA without a live session, or in a pause
 */
int rvtrace_clock_moment(struct rvtrace_sink *sink, struct rvtrace_moment *moment)
{
	int ret = -ENODATA;

	rvtrace_sink_lock(sink);
	if (sink->clock && !sink->paused) {
		rvtrace_timestamp_moment(sink->clock, moment);
		ret = 0;
	}
	rvtrace_sink_unlock(sink);
	return ret;
}

/**
 * rvtrace_clock_pair() - pair clocks before or after their relation changes
 * @sink: the sink; without a live session, or in a pause, nothing happens
 */
void rvtrace_clock_pair(struct rvtrace_sink *sink)
{
	rvtrace_sink_lock(sink);
	rvtrace_record_clock(sink);
	rvtrace_sink_unlock(sink);
}
