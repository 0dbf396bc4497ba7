// SPDX-License-Identifier: GPL-2.0
/* Views of a trace: amounts of time, with as many digits as are known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "views.h"

bool view_duration(const struct rvtrace_call_frame *frame, struct rvtrace_call_span *span)
{
	return rvtrace_call_span(&frame->entered, &frame->left, span);
}

bool view_cpu_time(const struct rvtrace_call_frame *frame, struct rvtrace_call_span *span)
{
	if (!view_duration(frame, span))
		return false;
	rvtrace_call_span_subtract(span, &frame->resting);
	rvtrace_call_span_subtract(span, &frame->interrupted);
	return true;
}

/* The unit in which a number has few digits before its point. */
struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
};

static const struct unit *unit_of(uint64_t ns)
{
	const struct unit *unit = units;

	while (unit->ns > 1 && ns < unit->ns)
		unit++;
	return unit;
}

/* Digits behind the point: the last one is that in which @error has its first, or of 3 in all. */
static int digits_of(uint64_t value, uint64_t error, uint64_t unit)
{
	uint64_t last = unit;
	int digits = 0;

	while (last >= 10 && last > error && value / last < 100) {
		last /= 10;
		digits++;
	}
	return digits;
}

const char *view_span_text(const struct view *view, const struct rvtrace_call_span *span,
			   char *buffer)
{
	uint64_t best = view_span(view, span->best), least = view_span(view, span->least);
	uint64_t most = view_span(view, span->most), error;
	bool seconds = view->decode->input.timestamp_hz;
	const struct unit *unit;
	char text[32];
	int digits;

	if (span->most == RVTRACE_CALL_NO_TIME) {
		snprintf(buffer, VIEW_SPAN, "at least %" PRIu64 " %s", least, view_time_unit(view));
		return buffer;
	}
	error = most - best > best - least ? most - best : best - least;
	if (!seconds) {
		snprintf(buffer, VIEW_SPAN, "%" PRIu64 " +/-%" PRIu64 " ticks", best, error);
		return buffer;
	}
	unit = unit_of(best > error ? best : error);
	if (error >= best) {
		unit = unit_of(most);
		snprintf(buffer, VIEW_SPAN, "at most %.*f %s", digits_of(most, 0, unit->ns),
			 (double)most / unit->ns, unit->name);
		return buffer;
	}
	digits = digits_of(best, error, unit->ns);
	snprintf(text, sizeof(text), " +/-%.*f", digits, (double)error / unit->ns);
	/* what is less than the last digit shows is no news */
	if (strspn(text, " +/-0.") == strlen(text))
		*text = 0;
	snprintf(buffer, VIEW_SPAN, "%.*f%s %s", digits, (double)best / unit->ns, text, unit->name);
	return buffer;
}

const char *view_span_short(const struct view *view, const struct rvtrace_call_span *span,
			    bool sum, char *buffer)
{
	uint64_t best = view_span(view, span->best), least = view_span(view, span->least);
	uint64_t most = view_span(view, span->most), error, shown;
	const struct unit *unit;

	if (!view->decode->input.timestamp_hz) {
		snprintf(buffer, VIEW_SPAN, "%" PRIu64, best);
		return buffer;
	}
	sum &= best > 0;
	if (span->most == RVTRACE_CALL_NO_TIME && !sum) {
		unit = unit_of(least);
		snprintf(buffer, VIEW_SPAN, ">%.*f %s", digits_of(least, 0, unit->ns),
			 (double)least / unit->ns, unit->name);
		return buffer;
	}
	error = most - best > best - least ? most - best : best - least;
	shown = error >= best && !sum ? most : best;
	unit = unit_of(shown);
	snprintf(buffer, VIEW_SPAN, "%s%.*f %s", error < best || !most ? "" : sum ? "~" : "<",
		 digits_of(shown, error < best ? error : sum ? shown / 10 : 0, unit->ns),
		 (double)shown / unit->ns, unit->name);
	return buffer;
}
