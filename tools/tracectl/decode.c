// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: executed instructions of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode.h"
#include "parse.h"

enum {
	OPTION_OUTPUT = 0x4000, OPTION_PACKETS, OPTION_SUMMARY, OPTION_HART, OPTION_IMAGE,
	OPTION_RAW, OPTION_FORMAT, OPTION_ELF, OPTION_IMPLICIT_RETURN, OPTION_SEQUENTIAL_JUMP,
	OPTION_SRC_BITS, OPTION_XLEN, OPTION_TIMESTAMPS, OPTION_RECORDING, OPTION_IMAGE_PATH,
	OPTION_DIALECT,
};

#define DAMAGE_SHOWN	20

static const struct argp_option options[] = {
	{ "output", OPTION_OUTPUT, "listing|pc", 0,
	  "Every instruction with hart, privilege, process and symbol; or addresses alone", 0 },
	{ "packets", OPTION_PACKETS, NULL, 0, "Print the messages, not the flow", 0 },
	{ "summary", OPTION_SUMMARY, NULL, 0, "Print totals per hart and process only", 0 },
	{ "hart", OPTION_HART, "LIST", 0, "Only these harts", 0 },
	{ "file", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ "image", OPTION_IMAGE, "FILE[@ADDRESS]", 0, "One more image: firmware, or of a raw trace",
	  0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Look for program files that the recording lacks below DIR", 0 },
	{ NULL, 0, NULL, 0, "A trace that is not in a recording:", 2 },
	{ "raw", OPTION_RAW, NULL, 0, "The object is a file that holds nothing but trace", 2 },
	{ "recording", OPTION_RECORDING, "DIR", 0,
	  "What rvtraced recorded beside the trace: parameters, address spaces, images", 2 },
	{ "format", OPTION_FORMAT, "ntrace", 0, "Format of a raw trace", 2 },
	{ "dialect", OPTION_DIALECT, "ntrace|sifive", 0,
	  "Timestamps are added to the one before, or XORed with it (ntrace)", 2 },
	{ "elf", OPTION_ELF, "FILE", 0, "The program, at its link address", 2 },
	{ "xlen", OPTION_XLEN, "32|64", 0, "Width of addresses (64)", 2 },
	{ "src-bits", OPTION_SRC_BITS, "N", 0, "Bits of SRC in messages (0)", 2 },
	{ "implicit-return", OPTION_IMPLICIT_RETURN, "DEPTH", 0,
	  "Returns are not reported; 0: they are", 2 },
	{ "sequential-jump", OPTION_SEQUENTIAL_JUMP, NULL, 0,
	  "Sequentially inferable jumps are not reported", 2 },
	{ "timestamps", OPTION_TIMESTAMPS, NULL, 0,
	  "Messages carry timestamps; they are recognised without this, too", 2 },
	{ },
};

static uint64_t number_option(struct argp_state *state, const char *name, const char *arg,
			      uint64_t max)
{
	uint64_t value = 0;

	if (parse_number(arg, &value) || value > max)
		argp_error(state, "--%s: %s is not a number from 0 to %llu", name, arg,
			   (unsigned long long)max);
	return value;
}

static void add_image(struct argp_state *state, struct decode *d, const char *arg)
{
	if (d->image_count == MAX_DECODE_IMAGES)
		argp_error(state, "more than %d images", MAX_DECODE_IMAGES);
	d->images[d->image_count++] = arg;
}

static void open_output(struct argp_state *state, struct decode *d, const char *arg)
{
	if (!strcmp(arg, "-"))
		return;
	d->file = fopen(arg, "we");
	if (!d->file)
		argp_failure(state, EXIT_FAILED, errno, "%s", arg);
}

static error_t parse_raw_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;

	switch (key) {
	case OPTION_RAW:
		d->raw = true;
		return 0;
	case OPTION_RECORDING:
		d->directory = arg;
		return 0;
	case OPTION_FORMAT:
		if (strcmp(arg, "ntrace"))
			argp_error(state, "--format: %s is not ntrace", arg);
		return 0;
	case OPTION_DIALECT:
		d->config.time_xor = !strcmp(arg, "sifive");
		if (!d->config.time_xor && strcmp(arg, "ntrace"))
			argp_error(state, "--dialect: %s is neither ntrace nor sifive", arg);
		return 0;
	case OPTION_ELF:
		add_image(state, d, arg);
		return 0;
	case OPTION_XLEN:
		d->config.isa.xlen = number_option(state, "xlen", arg, 64);
		if (d->config.isa.xlen != 32 && d->config.isa.xlen != 64)
			argp_error(state, "--xlen: neither 32 nor 64");
		return 0;
	case OPTION_SRC_BITS:
		d->config.src_bits = number_option(state, "src-bits", arg, 12);
		return 0;
	case OPTION_IMPLICIT_RETURN:
		d->config.implicit_return = number_option(state, "implicit-return", arg, 1024);
		return 0;
	case OPTION_SEQUENTIAL_JUMP:
		d->config.sequential_jump = true;
		return 0;
	case OPTION_TIMESTAMPS:
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;

	switch (key) {
	case OPTION_OUTPUT:
		if (!strcmp(arg, "pc"))
			d->output = OUTPUT_PC;
		else if (strcmp(arg, "listing"))
			argp_error(state, "--output: %s is neither listing nor pc", arg);
		return 0;
	case OPTION_PACKETS:
		d->output = OUTPUT_PACKETS;
		return 0;
	case OPTION_SUMMARY:
		d->output = OUTPUT_SUMMARY;
		return 0;
	case OPTION_HART:
		d->hart_filter = true;
		if (parse_list(arg, d->hart, MAX_HARTS))
			argp_error(state, "--hart: %s is not a list of harts", arg);
		return 0;
	case OPTION_IMAGE:
		add_image(state, d, arg);
		return 0;
	case OPTION_IMAGE_PATH:
		if (rvtrace_program_search(d->program, arg))
			argp_failure(state, EXIT_FAILED, ENOMEM, "%s", arg);
		return 0;
	case 'o':
		open_output(state, d, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (d->object)
			argp_error(state, "more than one recording");
		d->object = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no recording given");
		return 0;
	case ARGP_KEY_END:
		if (d->directory && !d->raw)
			argp_error(state, "--recording goes with --raw");
		if (!d->raw)
			d->directory = d->object;
		return 0;
	default:
		return parse_raw_option(key, arg, state);
	}
}

/* FILE or FILE@ADDRESS; of a recording, the user's images are firmware. */
static int load_images(struct decode *d, struct rvtrace_recording_error *error)
{
	unsigned int privs = d->recording ? RVTRACE_PRIV_M : RVTRACE_PRIV_ANY, i;
	uint64_t address = 0;
	char *path, *at;
	int ret = 0;

	for (i = 0; i < d->image_count && !ret; i++) {
		path = strdup(d->images[i]);
		if (!path)
			return -ENOMEM;
		at = strrchr(path, '@');
		if (at && !parse_number(at + 1, &address))
			*at = 0;
		else
			at = NULL;
		ret = rvtrace_program_add_image(d->program, path, address, at, privs, error);
		free(path);
	}
	return ret;
}

/* Of harts that are not there nothing would be printed, and nobody wonder. */
static int check_harts(const struct decode *d, struct rvtrace_recording_error *error)
{
	size_t sinks = rvtrace_recording_sink_count(d->recording), described = 0, i, j;

	for (i = 0; d->hart_filter && i < sinks; i++) {
		const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(d->recording, i);

		for (j = 0; j < sink->source_count; j++, described++) {
			const struct rvtrace_recording_source *source = &sink->sources[j];

			if (source->hart_count && source->harts[0] < MAX_HARTS &&
			    d->hart[source->harts[0]])
				return 0;
		}
	}
	if (!described)
		return 0;
	snprintf(error->text, sizeof(error->text), "%s: --hart: none of these harts was traced",
		 d->directory);
	return -ENOENT;
}

static int open_recording(struct decode *d, struct rvtrace_recording_error *error)
{
	int ret = rvtrace_recording_open(d->directory, &d->recording, error);

	if (ret)
		return ret;
	if (!rvtrace_recording_complete(d->recording))
		warn_text("%s: the recording is incomplete", d->directory);
	ret = check_harts(d, error);
	if (ret)
		return ret;
	ret = rvtrace_spaces_load(d->recording, &d->spaces, error);
	return ret ? ret : rvtrace_program_load(d->program, d->recording, d->directory, d->spaces,
						error);
}

static int begin_sink(struct decode *d, struct rvtrace_recording_error *error)
{
	decode_sources(d);
	rvtrace_missing_free(d->missing);
	d->missing = rvtrace_missing_new();
	if (!d->missing)
		return -ENOMEM;
	if (!d->recording)
		return 0;
	d->timestamp_hz = rvtrace_recording_timestamp_hz(d->recording, d->sink);
	rvtrace_resolver_free(d->resolver);
	d->resolver = NULL;
	return rvtrace_resolver_new(d->recording, d->sink, d->program, d->spaces, &d->resolver,
				    error);
}

/* What was recorded beside the trace knows its parameters. */
static int use_companion(struct decode *d, struct rvtrace_recording_error *error)
{
	int ret;

	if (rvtrace_recording_sink_count(d->recording) != 1) {
		snprintf(error->text, sizeof(error->text), "%s: not of exactly one sink",
			 d->directory);
		return -EINVAL;
	}
	ret = rvtrace_replay_config(d->recording, 0, &d->config, error);
	if (!ret)
		rvtrace_resolver_attach(d->resolver, &d->config);
	return ret;
}

static int decode_raw(struct decode *d, const struct rvtrace_replay_handler *handler,
		      struct rvtrace_recording_error *error)
{
	int ret = begin_sink(d, error), fd;

	if (!ret && d->recording)
		ret = use_companion(d, error);
	if (ret)
		return ret;
	fd = strcmp(d->object, "-") ? open(d->object, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0) {
		snprintf(error->text, sizeof(error->text), "%s: %s", d->object, strerror(errno));
		return -errno;
	}
	ret = rvtrace_replay_file(fd, d->object, &d->config, d->program->image, handler, error);
	if (fd != STDIN_FILENO)
		close(fd);
	return ret;
}

static int decode_sinks(struct decode *d, const struct rvtrace_replay_handler *handler,
			struct rvtrace_recording_error *error)
{
	size_t count = rvtrace_recording_sink_count(d->recording);
	int ret = 0;

	for (d->sink = 0; d->sink < count && !ret; d->sink++) {
		d->stream_bytes = rvtrace_recording_sink(d->recording, d->sink)->bytes;
		ret = begin_sink(d, error);
		if (!ret)
			ret = rvtrace_replay(d->recording, d->sink, d->program, d->resolver,
					     handler, error);
		if (!ret && d->output == OUTPUT_SUMMARY && d->sink + 1 < count)
			decode_summary(d);
	}
	d->sink = count ? count - 1 : 0;
	return ret;
}

static int run(struct decode *d, struct rvtrace_recording_error *error)
{
	const struct rvtrace_replay_handler handler = {
		.items = decode_items, .chunk = decode_chunk, .end = decode_end, .data = d,
	};
	int ret;

	d->sources = calloc(MAX_SOURCES, sizeof(*d->sources));
	if (!d->sources)
		return -ENOMEM;
	ret = d->directory ? open_recording(d, error) : 0;
	if (!ret)
		ret = load_images(d, error);
	if (ret)
		return ret;
	if (d->output == OUTPUT_SUMMARY && d->spaces) {
		d->processes = processes_new(d->spaces);
		if (!d->processes)
			return -ENOMEM;
	}
	if (d->output == OUTPUT_PACKETS)
		return decode_packets(d, error);
	if (d->output == OUTPUT_LISTING)
		d->symbols = symbols_new(d->program, d->recording);
	progress_start(&d->progress);
	ret = d->raw ? decode_raw(d, &handler, error) : decode_sinks(d, &handler, error);
	progress_end(&d->progress);
	if (!ret && d->output == OUTPUT_SUMMARY)
		decode_summary(d);
	return ret;
}

/* Files without which some code could not be decoded. */
static void report_files(const struct decode *d)
{
	const struct rvtrace_missing_range *r;
	size_t i;

	for (i = 0; d->missing && (r = rvtrace_missing_get(d->missing, i)); i++)
		if (*r->path)
			info_text("no image of %s (build id %s), %llu bytes executed by %s/%d",
				  r->path, *r->build_id ? r->build_id : "unknown",
				  (unsigned long long)r->bytes, r->comm, r->pid);
}

static void report_missing(const struct decode *d)
{
	const char *rejected;
	size_t i;

	for (i = 0; (rejected = rvtrace_program_rejected(d->program, i)); i++)
		if (global.verbose || d->program->directory_count)
			info_text("%s", rejected);
	if (global.verbose && d->output != OUTPUT_SUMMARY)
		report_files(d);
	if (d->spaces && rvtrace_spaces_sideband_lost(d->spaces))
		warn_text("%llu events of the side band were lost: mappings may be missing",
			  (unsigned long long)rvtrace_spaces_sideband_lost(d->spaces));
}

/* Return: whether bytes of the recording are not what was written. */
static bool report_damage(const struct decode *d)
{
	const struct rvtrace_damage *damage = NULL;
	size_t i;

	for (i = 0; d->recording && (damage = rvtrace_recording_damage(d->recording, i)); i++)
		if (i < DAMAGE_SHOWN)
			warn_text("%s", damage->text);
	if (i > DAMAGE_SHOWN)
		warn_text("%zu more places are damaged", i - DAMAGE_SHOWN);
	return i;
}

static int finish(struct decode *d, int ret, const struct rvtrace_recording_error *error)
{
	bool damaged;

	if (!ret && (fflush(d->file) || ferror(d->file))) {
		error_text("output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (ret) {
		if (ret != -EPIPE)
			error_text("%s", *error->text ? error->text : strerror(-ret));
		return EXIT_FAILED;
	}
	report_missing(d);
	damaged = report_damage(d);
	if (d->errors) {
		error_text("%llu errors, the first: %s", (unsigned long long)d->errors,
			   d->first_error);
		return EXIT_FAILED;
	}
	if (d->lost_bytes || d->overflows) {
		warn_text("%llu bytes lost, %llu overflows",
			  (unsigned long long)d->lost_bytes, (unsigned long long)d->overflows);
		return EXIT_LOST;
	}
	return damaged ? EXIT_LOST : EXIT_OK;
}

int verb_decode(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY\n--raw [--recording DIRECTORY] [OPTION...] FILE",
		.doc = "Print what was executed.",
	};
	static struct decode d = { .config.isa.xlen = 64 };
	struct rvtrace_recording_error error = { };
	int status;

	d.file = stdout;
	d.program = rvtrace_program_new();
	if (!d.program) {
		error_text("out of memory");
		return EXIT_FAILED;
	}
	argp_parse(&argp, argc, argv, 0, NULL, &d);
	status = finish(&d, run(&d, &error), &error);
	if (d.file != stdout)
		fclose(d.file);
	processes_free(d.processes);
	symbols_free(d.symbols);
	rvtrace_missing_free(d.missing);
	rvtrace_resolver_free(d.resolver);
	rvtrace_program_free(d.program);
	rvtrace_spaces_free(d.spaces);
	rvtrace_recording_free(d.recording);
	free(d.sources);
	return status;
}
