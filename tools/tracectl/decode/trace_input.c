// SPDX-License-Identifier: GPL-2.0
/* The trace that a verb reads: see trace_input.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace_input.h"

const struct decode_format *input_format(const struct trace_input *in)
{
	const struct decode_format *given = in->raw_options.format;

	return in->raw && !given->library ? given : decode_format_of(&in->config);
}

int input_recorded(struct trace_input *in, bool grows, struct rvtrace_failure *error)
{
	int ret;

	report_failures(in->recording, in->directory, !grows);
	ret = filter_check_harts(in, error);
	return ret ? ret : rvtrace_spaces_load(in->recording, &in->spaces, error);
}

void input_release(struct trace_input *in)
{
	filter_free(&in->filter);
	free(in->sources);
	rvtrace_spaces_free(in->spaces);
	rvtrace_recording_free(in->recording);
}

int input_config(struct trace_input *in, struct rvtrace_failure *error)
{
	int ret;

	if (in->raw)
		return input_raw_config(in, error);
	ret = rvtrace_replay_config(in->recording, in->sink, &in->config, error);
	return ret ? ret : gaps_warn(in, error);
}

/* Each hart of an encoder has an id of its own. */
static void describe(struct trace_input *in, const struct rvtrace_recording_source *source)
{
	size_t id = source->src_id, end = id + 1;

	if (id >= MAX_SOURCES)
		return;
	in->sources[id].described = true;
	for (size_t i = 0; i < source->hart_count && id + i < MAX_SOURCES; i++) {
		in->sources[id + i].hart = source->harts[i];
		in->sources[id + i].has_hart = true;
		end = id + i + 1;
	}
	if (in->source_count < end)
		in->source_count = end;
}

int input_sources(struct trace_input *in)
{
	const struct rvtrace_recording_sink *sink;

	if (!in->sources)
		in->sources = calloc(MAX_SOURCES, sizeof(*in->sources));
	if (!in->sources)
		return -ENOMEM;
	/* Those after them were never used. */
	memset(in->sources, 0, in->source_count * sizeof(*in->sources));
	in->source_count = (size_t)1 << in->config.src_bits;
	if (!in->recording)
		return 0;
	sink = rvtrace_recording_sink(in->recording, in->sink);
	for (size_t i = 0; i < sink->source_count; i++)
		describe(in, &sink->sources[i]);
	return 0;
}

uint64_t input_hart(const struct trace_input *in, unsigned int source)
{
	return in->sources[source].has_hart ? in->sources[source].hart : source;
}

void input_progress_start(struct trace_input *in, FILE *file, bool at_end)
{
	struct stat st;

	if (in->raw && !stat(in->object, &st) && S_ISREG(st.st_mode))
		in->stream_bytes = st.st_size;
	progress_start(&in->progress, file, at_end);
}

void input_progress(struct trace_input *in, uint64_t offset)
{
	size_t sinks = in->raw ? 0 : rvtrace_recording_sink_count(in->recording);
	uint64_t all = in->raw ? in->stream_bytes : 0;

	for (size_t i = 0; i < sinks; i++) {
		all += rvtrace_recording_sink(in->recording, i)->bytes;
		offset += i < in->sink ? rvtrace_recording_sink(in->recording, i)->bytes : 0;
	}
	if (all)
		progress_show(&in->progress, offset, all, "decoding: %.1f of %.1f MB", offset / 1e6,
			      all / 1e6);
	else
		progress_show(&in->progress, 0, 0, "decoding: %.1f MB", offset / 1e6);
}

bool input_is_empty(const struct trace_input *in)
{
	size_t i, sinks = in->raw ? 0 : rvtrace_recording_sink_count(in->recording);
	struct stat st;

	if (in->raw && (stat(in->object, &st) || !S_ISREG(st.st_mode) || st.st_size))
		return false;
	for (i = 0; i < sinks; i++)
		if (rvtrace_recording_sink(in->recording, i)->bytes)
			return false;
	warn_text("%s: it contains no trace", in->object);
	return true;
}

uint64_t input_ns(const struct trace_input *in, uint64_t time)
{
	return ((unsigned __int128)time * 1000000000 + in->timestamp_hz / 2) / in->timestamp_hz;
}

bool input_knows_clock(const struct trace_input *in)
{
	return in->clock && rvtrace_clock_known(in->clock);
}

uint64_t input_elapsed(const struct trace_input *in, uint64_t time)
{
	return in->clock ? rvtrace_clock_elapsed(in->clock, time) : time;
}
