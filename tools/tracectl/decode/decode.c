// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: instructions that were executed, from a recording or a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tracectl/record/no_recording.h"
#include "tools/tracectl/report/report.h"
#include "tools/tracectl/views/views_run.h"
#include "decode.h"

static int begin_totals(struct decode *d)
{
	size_t count = d->input.source_count;
	int ret = input_sources(&d->input);

	if (ret)
		return ret;
	/* Those after them were never used. */
	memset(d->totals.sources, 0, count * sizeof(*d->totals.sources));
	for (size_t i = 0; i < d->input.source_count; i++)
		d->totals.sources[i].seen = d->totals.sources[i].named =
			d->input.sources[i].described;
	if (d->processes)
		processes_reset(d->processes);
	rvtrace_missing_free(d->missing);
	d->missing = rvtrace_missing_new();
	return d->missing ? 0 : -ENOMEM;
}

int decode_begin_sink(struct decode *d, struct rvtrace_failure *error)
{
	struct trace_input *in = &d->input;
	int ret = begin_totals(d);

	if (ret)
		return ret;
	in->clock = NULL;
	if (!in->recording)
		return filter_begin(in, error);
	in->timestamp_hz = rvtrace_recording_timestamp_hz(in->recording, in->sink);
	rvtrace_resolver_free(d->resolver);
	d->resolver = NULL;
	ret = rvtrace_replay_resolver(in->recording, in->sink, d->program, in->spaces,
				      &d->resolver, error);
	if (ret)
		return ret;
	/* Where in a raw trace timestamps restart is not known. */
	in->clock = in->raw ? NULL : rvtrace_resolver_clock(d->resolver);
	return filter_begin(in, error);
}

static int decode_raw(struct decode *d, const struct rvtrace_replay_handler *handler,
		      struct rvtrace_failure *error)
{
	struct trace_input *in = &d->input;
	int ret = input_config(in, error), fd;
	unsigned int jobs;

	if (!ret)
		ret = decode_begin_sink(d, error);
	if (ret)
		return ret;
	if (in->recording)
		rvtrace_resolver_attach(d->resolver, &in->config);
	else
		memcpy(in->config.trap_vector, d->program->trap_vector,
		       sizeof(in->config.trap_vector));
	fd = input_raw_open(in, error);
	if (fd < 0)
		return fd;
	jobs = decode_jobs(d, fd);
	ret = order_begin(d);
	if (!ret && d->views)
		ret = views_begin_sink(d->views);
	if (!ret && jobs > 1)
		ret = decode_parts(d, fd, jobs, error);
	else if (!ret)
		ret = rvtrace_replay_file(fd, in->object, &in->config, d->program->image, handler,
					  error);
	if (!ret && d->views)
		ret = views_end_sink(d->views);
	order_end(d);
	input_raw_close(fd);
	return ret;
}

static int decode_sink(struct decode *d, const struct rvtrace_replay_handler *handler,
		       struct rvtrace_failure *error)
{
	const struct trace_input *in = &d->input;
	unsigned int jobs = decode_jobs(d, -1);
	int ret = order_begin(d);

	if (!ret && d->views)
		ret = views_begin_sink(d->views);
	if (!ret && filter_has_window(&in->filter))
		ret = rvtrace_replay_window(in->recording, in->sink, d->program, d->resolver,
					    d->views ? 0 :
					    in->filter.from_time,
					    in->filter.to_time, handler, error);
	else if (!ret && jobs > 1)
		ret = decode_parts(d, -1, jobs, error);
	else if (!ret)
		ret = rvtrace_replay(in->recording, in->sink, d->program, d->resolver, handler,
				     error);
	if (!ret && d->views)
		ret = views_end_sink(d->views);
	order_end(d);
	return ret;
}

static int decode_sinks(struct decode *d, const struct rvtrace_replay_handler *handler,
			struct rvtrace_failure *error)
{
	struct trace_input *in = &d->input;
	size_t count = rvtrace_recording_sink_count(in->recording);
	int ret = 0;

	for (in->sink = 0; in->sink < count && !ret; in->sink++) {
		in->stream_bytes = rvtrace_recording_sink(in->recording, in->sink)->bytes;
		ret = input_config(in, error);
		if (!ret)
			ret = decode_begin_sink(d, error);
		if (!ret)
			ret = decode_sink(d, handler, error);
		if (!ret && d->output == OUTPUT_SUMMARY && in->sink + 1 < count)
			decode_summary(d);
	}
	in->sink = count ? count - 1 : 0;
	return ret;
}

static int decode_flow(struct decode *d, struct rvtrace_failure *error)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler),
		.items = decode_items, .chunk = decode_chunk, .end = decode_end, .data = d,
	};
	int ret;

	input_progress_start(&d->input, d->out.file, d->output >= OUTPUT_SUMMARY);
	ret = d->input.raw ? decode_raw(d, &handler, error) : decode_sinks(d, &handler, error);
	progress_end(&d->input.progress);
	if (!ret && d->output == OUTPUT_SUMMARY)
		decode_summary(d);
	if (!ret && d->views)
		ret = views_end(d->views);
	if (!ret && d->output == OUTPUT_REPORT)
		ret = report_print(d);
	return ret;
}

/* One JSON document, whatever happens on the way. */
static int decode_document(struct decode *d, struct rvtrace_failure *error)
{
	static const struct {
		const char *output;
		const char *list;
	} names[] = {
		[OUTPUT_LISTING] = { "listing", "items" },
		[OUTPUT_BLOCKS] = { "blocks", "items" },
		[OUTPUT_ACCESSES] = { "accesses", "items" },
		[OUTPUT_CALLS] = { "calls", "items" },
		[OUTPUT_PC] = { "pc", "addresses" },
		[OUTPUT_PACKETS] = { "packets", "packets" },
	};
	bool document = global.json && d->output < OUTPUT_SUMMARY;
	int ret;

	if (document)
		print_document(&d->out, names[d->output].output, names[d->output].list);
	ret = d->output == OUTPUT_PACKETS ? decode_packets(d, error) : decode_flow(d, error);
	if (document)
		print_document_end(&d->out);
	return ret;
}

static int prepare_view(struct decode *d, struct rvtrace_failure *error)
{
	d->views = views_new(d, d->view, d->view_data);
	return d->views ? views_begin(d->views, error) : -ENOMEM;
}

/* What outputs need of their own. */
static int prepare(struct decode *d, struct rvtrace_failure *error)
{
	int ret = d->wants_text ? text_new(&d->text, error) : 0;

	if (!ret && d->output == OUTPUT_REPORT)
		ret = report_prepare(d, error);
	if (d->output == OUTPUT_CALLS)
		d->view = &calls_view;
	if (!ret && d->view)
		ret = prepare_view(d, error);
	if (ret)
		return ret;
	d->totals.sources = calloc(MAX_SOURCES, sizeof(*d->totals.sources));
	if (d->output == OUTPUT_SUMMARY && d->input.spaces)
		d->processes = processes_new(d->input.spaces);
	if (d->output <= OUTPUT_CALLS || d->output >= OUTPUT_REPORT ||
	    d->input.filter.symbol_count)
		d->symbols = symbols_new(d->program, d->input.recording);
	return !d->totals.sources ||
	       (d->output == OUTPUT_SUMMARY && d->input.spaces && !d->processes) ? -ENOMEM : 0;
}

/* The user knows better than the recording. */
static void use_vectors(struct decode *d)
{
	for (size_t i = 0; i < sizeof(d->trap_vector) / sizeof(d->trap_vector[0]); i++)
		if (d->trap_vector[i])
			d->program->trap_vector[i] = d->trap_vector[i];
}

int decode_load(struct decode *d, struct rvtrace_failure *error)
{
	struct trace_input *in = &d->input;
	int ret = 0;

	if (in->recording)
		ret = rvtrace_program_load(d->program, in->recording, in->directory, in->spaces,
					   error);
	use_vectors(d);
	if (!ret)
		ret = prepare(d, error);
	return ret ? ret : decode_load_images(d, error);
}

void decode_release(struct decode *d)
{
	views_free(d->views);
	processes_free(d->processes);
	report_free(d->report);
	symbols_free(d->symbols);
	text_free(d->text);
	order_free(d->order);
	rvtrace_missing_free(d->missing);
	rvtrace_resolver_free(d->resolver);
	rvtrace_program_free(d->program);
	free(d->totals.sources);
}

static int run(struct decode *d, struct rvtrace_failure *error)
{
	struct trace_input *in = &d->input;
	int ret = 0;

	if (in->directory)
		ret = rvtrace_recording_open(in->directory, &in->recording, error);
	if (ret)
		return explain_no_recording(in->directory, ret, error);
	if (in->recording)
		ret = input_recorded(in, false, error);
	if (!ret)
		ret = decode_load(d, error);
	return ret ? ret : decode_document(d, error);
}

/* Files without which some code could not be decoded. */
static void report_files(const struct decode *d)
{
	const struct rvtrace_missing_range *r;
	char name[NAME_SIZE];
	size_t i;

	for (i = 0; d->missing && (r = rvtrace_missing_get(d->missing, i)); i++)
		if (*r->path)
			info_text("no image of %s (build id %s), %llu bytes executed by %s/%d",
				  r->path, *r->build_id ? r->build_id : "unknown",
				  (unsigned long long)r->bytes,
				  printable(r->comm, name, sizeof(name)), r->pid);
}

static const struct rvtrace_program *program_of(const struct decode *d, unsigned int i)
{
	return i ? d->workers[i - 1]->program : d->program;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each thread has looked for itself, and which one met what first is chance. */
static void report_rejected(const struct decode *d)
{
	const char **texts = NULL, **more, *text;
	size_t count = 0, k;

	for (unsigned int i = 0; i <= d->worker_count; i++) {
		for (k = 0; (text = rvtrace_program_rejected(program_of(d, i), k)); k++) {
			more = reallocarray(texts, count + 1, sizeof(*texts));
			if (!more)
				break;
			texts = more;
			texts[count++] = text;
		}
	}
	if (count)
		qsort(texts, count, sizeof(*texts), by_text);
	for (k = 0; k < count; k++)
		if (!k || strcmp(texts[k], texts[k - 1]))
			info_text("%s", texts[k]);
	free(texts);
}

/* Whose code was executed, and of which this machine may have a file */
static void report_not_looked_for(const struct decode *d)
{
	const struct rvtrace_missing_range *r = NULL;
	uint64_t count = 0;
	unsigned int i;
	size_t k;

	for (i = 0; i <= d->worker_count; i++)
		count += program_of(d, i)->not_looked_for;
	for (k = 0; count && d->missing && (r = rvtrace_missing_get(d->missing, k)); k++)
		if (r->kind == RVTRACE_MISSING_FILE && *r->build_id)
			break;
	if (r && !d->program->directory_count)
		info_text("programs that the recording lacks are not searched for here, because this machine may not have recorded it since it was booted: --image-path / searches here, --image-path DIR searches copies of the recorded machine's files");
}

/* The trace has something, but the output nothing. */
static void report_nothing(const struct decode *d)
{
	const struct decode_filter *filter = &d->input.filter;

	if (d->output == OUTPUT_ACCESSES && !d->totals.accesses)
		warn_text("no data accesses are in the trace");
	if (!filter->shown && (filter_wants_flow(filter) || filter->has_harts))
		filter_report_nothing(filter);
}

static void report_missing(const struct decode *d)
{
	report_not_looked_for(d);
	if (global.verbose || d->program->directory_count)
		report_rejected(d);
	if (global.verbose && d->output != OUTPUT_SUMMARY)
		report_files(d);
	if (!input_is_empty(&d->input))
		report_nothing(d);
	if (d->input.spaces && rvtrace_spaces_sideband_lost(d->input.spaces))
		warn_text("%llu events of the side band were lost: mappings may be missing",
			  (unsigned long long)rvtrace_spaces_sideband_lost(d->input.spaces));
}

/* Return: whether code of a raw trace is in none of the images that were given for it. */
static bool report_unseen(const struct decode *d)
{
	const struct rvtrace_missing_range *r;
	uint64_t bytes = 0, first = UINT64_MAX;
	char amount[32] = "", place[80] = "";
	size_t i;

	for (i = 0; d->input.raw && d->missing && (r = rvtrace_missing_get(d->missing, i)); i++) {
		bytes += r->bytes;
		if (r->start < first)
			first = r->start;
	}
	/* E-Trace does not tell how much it was */
	if (bytes)
		snprintf(amount, sizeof(amount), "%llu bytes of ", (unsigned long long)bytes);
	if (d->totals.unseen.known)
		snprintf(place, sizeof(place), ", the first at 0x%llx (offset %llu)",
			 (unsigned long long)d->totals.unseen.address,
			 (unsigned long long)d->totals.unseen.offset);
	if (i)
		warn_text("no image of %scode that executed%s, the lowest at 0x%llx: is it the right --elf or --image%s?",
			  amount, place, (unsigned long long)first, d->input.recording ?
			  ", and does --image-path name a copy of the machine's files" : "");
	return i;
}

/* The other outputs have errors in their places; addresses alone have no room for them. */
static void report_errors(const struct decode *d)
{
	const struct decode_totals *t = &d->totals;
	uint64_t told = t->errors < ERRORS_TOLD ? t->errors : ERRORS_TOLD;

	print_first_error(t->errors, t->told[0]);
	if (d->output != OUTPUT_PC)
		return;
	for (uint64_t i = 1; i < told; i++)
		error_text("%s", t->told[i]);
	if (told < t->errors)
		error_text("%llu more", (unsigned long long)(t->errors - told));
}

static int finish(struct decode *d, int ret, const struct rvtrace_failure *error)
{
	const struct decode_totals *t = &d->totals;
	bool damaged;

	if (out_failed(&d->out, ret, error))
		return EXIT_FAILED;
	report_missing(d);
	damaged = d->input.recording && report_damage(d->input.recording);
	if (t->errors) {
		report_errors(d);
		return EXIT_FAILED;
	}
	if (t->unsynchronized)
		warn_text("%llu bytes of trace without any synchronization: of no use",
			  (unsigned long long)t->unsynchronized);
	if (t->lost_bytes || t->overflows) {
		warn_text("%llu bytes lost, %llu overflows", (unsigned long long)t->lost_bytes,
			  (unsigned long long)t->overflows);
		return EXIT_LOST;
	}
	return report_unseen(d) || damaged || t->unsynchronized ? EXIT_LOST : EXIT_OK;
}

struct decode *decode_new(void)
{
	static struct decode d = {
		.input = { .raw_options = RAW_OPTIONS_NONE, .config.size = sizeof(d.input.config) },
	};

	d.jobs = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	d.program = rvtrace_program_new();
	return d.program ? &d : NULL;
}

int decode_run(struct decode *d)
{
	struct rvtrace_failure error = { };
	int status = out_open(&d->out, false);

	if (!status)
		status = finish(d, run(d, &error), &error);
	status = out_close(&d->out, status);
	decode_workers_free(d);
	decode_release(d);
	input_release(&d->input);
	return status;
}

int verb_decode(int argc, char **argv)
{
	struct decode *d = decode_new();

	if (!d) {
		error_text("out of memory");
		return EXIT_FAILED;
	}
	parse_options(&decode_argp, argc, argv, 0, NULL, d);
	return decode_run(d);
}
