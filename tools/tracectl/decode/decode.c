// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: instructions that were executed, from a recording or a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tracectl/record/no_recording.h"
#include "tools/tracectl/report/report.h"
#include "decode.h"

static int open_recording(struct decode *d, struct rvtrace_failure *error)
{
	int ret = rvtrace_recording_open(d->directory, &d->recording, error);

	if (ret)
		return explain_no_recording(d->directory, ret, error);
	report_failures(d->recording, d->directory, true);
	ret = filter_check_harts(d, error);
	if (ret)
		return ret;
	return rvtrace_spaces_load(d->recording, &d->spaces, error);
}

int decode_begin_sink(struct decode *d, struct rvtrace_failure *error)
{
	int ret;

	decode_sources(d);
	rvtrace_missing_free(d->missing);
	d->missing = rvtrace_missing_new();
	if (!d->missing)
		return -ENOMEM;
	if (!d->recording)
		return filter_begin(d, error);
	d->timestamp_hz = rvtrace_recording_timestamp_hz(d->recording, d->sink);
	rvtrace_resolver_free(d->resolver);
	d->resolver = NULL;
	d->clock = NULL;
	ret = rvtrace_replay_resolver(d->recording, d->sink, d->program, d->spaces, &d->resolver,
				      error);
	if (ret)
		return ret;
	/* Where in a raw trace timestamps restart is not known. */
	d->clock = d->raw ? NULL : rvtrace_resolver_clock(d->resolver);
	return filter_begin(d, error);
}

int decode_sink_config(struct decode *d, struct rvtrace_failure *error)
{
	int ret = rvtrace_replay_config(d->recording, d->sink, &d->config, error);

	return ret ? ret : gaps_warn(d, error);
}

static int decode_raw(struct decode *d, const struct rvtrace_replay_handler *handler,
		      struct rvtrace_failure *error)
{
	int ret = decode_raw_config(d, error), fd;
	unsigned int jobs;

	if (!ret)
		ret = decode_begin_sink(d, error);
	if (ret)
		return ret;
	if (d->recording)
		rvtrace_resolver_attach(d->resolver, &d->config);
	else
		memcpy(d->config.trap_vector, d->program->trap_vector,
		       sizeof(d->config.trap_vector));
	fd = decode_raw_open(d, error);
	if (fd < 0)
		return fd;
	jobs = decode_jobs(d, fd);
	ret = order_begin(d);
	if (!ret && jobs > 1)
		ret = decode_parts(d, fd, jobs, error);
	else if (!ret)
		ret = rvtrace_replay_file(fd, d->object, &d->config, d->program->image, handler,
					  error);
	order_end(d);
	decode_raw_close(fd);
	return ret;
}

static int decode_sink(struct decode *d, const struct rvtrace_replay_handler *handler,
		       struct rvtrace_failure *error)
{
	unsigned int jobs = decode_jobs(d, -1);
	int ret = order_begin(d);

	if (!ret && filter_has_window(&d->filter))
		ret = rvtrace_replay_window(d->recording, d->sink, d->program, d->resolver,
					    d->output == OUTPUT_CALLS ? 0 : d->filter.from_time,
					    d->filter.to_time, handler, error);
	else if (!ret && jobs > 1)
		ret = decode_parts(d, -1, jobs, error);
	else if (!ret)
		ret = rvtrace_replay(d->recording, d->sink, d->program, d->resolver, handler, error);
	order_end(d);
	return ret;
}

static int decode_sinks(struct decode *d, const struct rvtrace_replay_handler *handler,
			struct rvtrace_failure *error)
{
	size_t count = rvtrace_recording_sink_count(d->recording);
	int ret = 0;

	for (d->sink = 0; d->sink < count && !ret; d->sink++) {
		d->stream_bytes = rvtrace_recording_sink(d->recording, d->sink)->bytes;
		ret = decode_sink_config(d, error);
		if (!ret)
			ret = decode_begin_sink(d, error);
		if (!ret)
			ret = decode_sink(d, handler, error);
		if (!ret && d->output == OUTPUT_SUMMARY && d->sink + 1 < count)
			decode_summary(d);
	}
	d->sink = count ? count - 1 : 0;
	return ret;
}

static int decode_flow(struct decode *d, struct rvtrace_failure *error)
{
	const struct rvtrace_replay_handler handler = {
		.items = decode_items, .chunk = decode_chunk, .end = decode_end, .data = d,
	};
	int ret;

	decode_progress_start(d, d->output >= OUTPUT_SUMMARY);
	ret = d->raw ? decode_raw(d, &handler, error) : decode_sinks(d, &handler, error);
	progress_end(&d->progress);
	if (!ret && d->output == OUTPUT_SUMMARY)
		decode_summary(d);
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
		print_document(d, names[d->output].output, names[d->output].list);
	ret = d->output == OUTPUT_PACKETS ? decode_packets(d, error) : decode_flow(d, error);
	if (document)
		print_document_end(d);
	return ret;
}

/* What outputs need of their own. */
static int prepare(struct decode *d, struct rvtrace_failure *error)
{
	int ret = d->wants_text ? text_new(&d->text, error) : 0;

	if (!ret && d->output == OUTPUT_REPORT)
		ret = report_prepare(d, error);
	if (ret)
		return ret;
	d->sources = calloc(MAX_SOURCES, sizeof(*d->sources));
	if (d->output == OUTPUT_SUMMARY && d->spaces)
		d->processes = processes_new(d->spaces);
	if (d->output <= OUTPUT_CALLS || d->output == OUTPUT_REPORT || d->filter.symbol_count)
		d->symbols = symbols_new(d->program, d->recording);
	if (d->output == OUTPUT_CALLS)
		d->calls = calls_new();
	return !d->sources || (d->output == OUTPUT_SUMMARY && d->spaces && !d->processes) ||
	       (d->output == OUTPUT_CALLS && !d->calls) ? -ENOMEM : 0;
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
	int ret = d->recording ? rvtrace_program_load(d->program, d->recording, d->directory,
						      d->spaces, error) : 0;

	use_vectors(d);
	if (!ret)
		ret = prepare(d, error);
	return ret ? ret : decode_load_images(d, error);
}

void decode_release(struct decode *d)
{
	filter_free(&d->filter);
	calls_free(d->calls);
	processes_free(d->processes);
	report_free(d->report);
	symbols_free(d->symbols);
	text_free(d->text);
	order_free(d->order);
	rvtrace_missing_free(d->missing);
	rvtrace_resolver_free(d->resolver);
	rvtrace_program_free(d->program);
	free(d->sources);
}

static int run(struct decode *d, struct rvtrace_failure *error)
{
	int ret = d->directory ? open_recording(d, error) : 0;

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
		info_text("programs that the recording lacks were not looked for on this machine, as nothing says that it was recorded since it was booted: --image-path / looks for them here, --image-path DIR among copies of the other machine's files");
}

bool report_if_empty(const struct decode *d)
{
	size_t i, sinks = d->raw ? 0 : rvtrace_recording_sink_count(d->recording);
	struct stat st;

	if (d->raw && (stat(d->object, &st) || !S_ISREG(st.st_mode) || st.st_size))
		return false;
	for (i = 0; i < sinks; i++)
		if (rvtrace_recording_sink(d->recording, i)->bytes)
			return false;
	warn_text("%s: there is no trace in it", d->object);
	return true;
}

/* The trace has something, but the output nothing. */
static void report_nothing(const struct decode *d)
{
	if (d->output == OUTPUT_ACCESSES && !d->accesses)
		warn_text("no data accesses are in the trace");
	if (!d->filter.shown && (filter_wants_flow(d) || d->filter.has_harts))
		filter_report_nothing(&d->filter);
}

static void report_missing(const struct decode *d)
{
	report_not_looked_for(d);
	if (global.verbose || d->program->directory_count)
		report_rejected(d);
	if (global.verbose && d->output != OUTPUT_SUMMARY)
		report_files(d);
	if (!report_if_empty(d))
		report_nothing(d);
	if (d->spaces && rvtrace_spaces_sideband_lost(d->spaces))
		warn_text("%llu events of the side band were lost: mappings may be missing",
			  (unsigned long long)rvtrace_spaces_sideband_lost(d->spaces));
}

/* Return: whether code of a raw trace is in none of the images that were given for it. */
static bool report_unseen(const struct decode *d)
{
	const struct rvtrace_missing_range *r;
	uint64_t bytes = 0, first = UINT64_MAX;
	char amount[32] = "", place[80] = "";
	size_t i;

	for (i = 0; d->raw && d->missing && (r = rvtrace_missing_get(d->missing, i)); i++) {
		bytes += r->bytes;
		if (r->start < first)
			first = r->start;
	}
	/* E-Trace does not tell how much it was */
	if (bytes)
		snprintf(amount, sizeof(amount), "%llu bytes of ", (unsigned long long)bytes);
	if (d->unseen.known)
		snprintf(place, sizeof(place), ", the first at 0x%llx (offset %llu)",
			 (unsigned long long)d->unseen.address,
			 (unsigned long long)d->unseen.offset);
	if (i)
		warn_text("no image of %scode that executed%s, the lowest at 0x%llx: is it the right --elf or --image%s?",
			  amount, place, (unsigned long long)first, d->recording ?
			  ", and does --image-path name a copy of the machine's files" : "");
	return i;
}

static const char *output_name(const struct decode *d)
{
	return d->file ? d->file : "standard output";
}

bool decode_failed(struct decode *d, int ret, const struct rvtrace_failure *error)
{
	int output = out_end(&d->out);

	if (!ret && !output)
		return false;
	d->failed = true;
	if (ret == -EPIPE || output == -EPIPE)
		return true;	/* nobody reads on */
	if (output)
		error_text("%s: %s", output_name(d), strerror(-output));
	else
		error_text("%s", *error->text ? error->text : strerror(-ret));
	return true;
}

void first_error(const struct decode *d)
{
	if (d->errors == 1)
		error_text("%s", d->told[0]);
	else
		error_text("%llu errors, the first: %s", (unsigned long long)d->errors, d->told[0]);
}

/* The other outputs have errors in their places; addresses alone have no room for them. */
static void report_errors(const struct decode *d)
{
	uint64_t told = d->errors < ERRORS_TOLD ? d->errors : ERRORS_TOLD;

	first_error(d);
	if (d->output != OUTPUT_PC)
		return;
	for (uint64_t i = 1; i < told; i++)
		error_text("%s", d->told[i]);
	if (told < d->errors)
		error_text("%llu more", (unsigned long long)(d->errors - told));
}

static int finish(struct decode *d, int ret, const struct rvtrace_failure *error)
{
	bool damaged;

	if (decode_failed(d, ret, error))
		return EXIT_FAILED;
	report_missing(d);
	damaged = d->recording && report_damage(d->recording);
	if (d->errors) {
		report_errors(d);
		return EXIT_FAILED;
	}
	if (d->unsynchronized)
		warn_text("%llu bytes of trace without any synchronization: of no use",
			  (unsigned long long)d->unsynchronized);
	if (d->lost_bytes || d->overflows) {
		warn_text("%llu bytes lost, %llu overflows",
			  (unsigned long long)d->lost_bytes, (unsigned long long)d->overflows);
		return EXIT_LOST;
	}
	return report_unseen(d) || damaged || d->unsynchronized ? EXIT_LOST : EXIT_OK;
}

int decode_close(struct decode *d, int status)
{
	int ret = close_output(d->out.file, !d->failed);

	if (!ret || d->failed)
		return status;
	error_text("%s: %s", output_name(d), strerror(-ret));
	return EXIT_FAILED;
}

struct decode *decode_new(void)
{
	static struct decode d = { .raw_options = RAW_OPTIONS_NONE };

	d.jobs = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	d.program = rvtrace_program_new();
	return d.program ? &d : NULL;
}

int decode_run(struct decode *d)
{
	struct rvtrace_failure error = { };
	int status = open_output(d->file, false, &d->out.file);

	if (!status)
		status = finish(d, run(d, &error), &error);
	status = decode_close(d, status);
	decode_workers_free(d);
	decode_release(d);
	rvtrace_spaces_free(d->spaces);
	rvtrace_recording_free(d->recording);
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
