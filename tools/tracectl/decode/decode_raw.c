// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw: trace, programs and parameters that come in files of their own. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tracectl/elf.h"
#include "decode.h"

/* Of a recording, the user's images are firmware. */
static int load_image(struct decode *d, const struct image_option *image,
		      struct rvtrace_failure *error)
{
	unsigned int privs = d->input.recording ? RVTRACE_PRIV_M : RVTRACE_PRIV_ANY;
	struct raw_options *raw = &d->input.raw_options;
	int ret = elf_check(image->path, image->elf, d->input.raw ? &raw->xlen : NULL, error);

	if (!ret && d->input.raw)
		elf_isa(image->path, &raw->isa, &raw->jvt);
	if (!ret)
		ret = rvtrace_program_add_image(d->program, image->path, image->address,
						image->has_address, privs, error);
	if (!ret && d->symbols && elf_width(image->path))
		ret = symbols_add_elf(d->symbols, image->path, image->address);
	return ret;
}

int decode_load_images(struct decode *d, struct rvtrace_failure *error)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < d->image_count && !ret; i++)
		ret = load_image(d, &d->images[i], error);
	return ret;
}

/* Where in a stream timestamps restart, only its own recording knows. */
static int warn_of_restarts(const struct trace_input *in, struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	bool restarts = false;
	int ret;

	ret = rvtrace_recording_records_open(in->recording, 0, &records, error);
	if (ret)
		return ret;
	while (!restarts &&
	       (ret = rvtrace_recording_records_next(records, &record, error)) > 0)
		restarts = record->type == RVTRACE_RECORD_RESTART;
	rvtrace_recording_records_free(records);
	if (restarts)
		warn_text("%s: timestamps restart at 0 at an unknown place in the trace: all are taken as those before it",
			  in->directory);
	return ret < 0 ? ret : 0;
}

/* Whether an encoder has timestamps, and they are off */
static bool without_timestamps(const struct rvtrace_recording_sink *sink)
{
	size_t i;

	for (i = 0; i < sink->source_count; i++) {
		const char *enable = rvtrace_recording_attribute(&sink->sources[i], "ts_enable");

		if (enable && !strcmp(enable, "0"))
			return true;
	}
	return false;
}

/* What a companion lacks, of which nothing else tells. */
static void warn_of_lack(const struct trace_input *in)
{
	struct json_object *companion = NULL, *late = NULL;
	struct json_object *metadata = rvtrace_recording_metadata(in->recording);

	json_object_object_get_ex(metadata, "companion", &companion);
	json_object_object_get_ex(metadata, "late", &late);
	if (json_object_get_boolean(companion) &&
	    without_timestamps(rvtrace_recording_sink(in->recording, 0)))
		warn_text("%s: the trace has no timestamps (ts_enable of the encoders), which are needed to distinguish processes",
			  in->directory);
	if (json_object_get_boolean(late))
		warn_text("%s: rvtraced was started after the session began: up to then processes are not known, and there may be errors where it changed kernel text; start rvtraced first",
			  in->directory);
}

/* What was recorded beside the trace knows its parameters. */
static int use_companion(struct trace_input *in, struct rvtrace_failure *error)
{
	int ret;

	if (rvtrace_recording_sink_count(in->recording) != 1)
		return rvtrace_fail(error, EINVAL, 0, "%s: not of exactly one sink", in->directory);
	warn_of_lack(in);
	ret = warn_of_restarts(in, error);
	if (!ret)
		ret = rvtrace_replay_config(in->recording, in->sink, &in->config, error);
	return ret ? ret : gaps_warn(in, error);
}

/* What the command line says beside the file must be the same; NULL: it is. */
static const char *contradiction(const struct trace_input *in)
{
	const struct raw_options *raw = &in->raw_options;
	const struct rvtrace_flow_config *config = &in->config;

	if (raw->has_format && raw->format != decode_format_of(config))
		return "--format";
	if (raw->src_bits >= 0 && raw->src_bits != config->src_bits)
		return "--src-bits";
	return decode_ntrace_contradiction(raw, config);
}

static int check_program_width(struct trace_input *in, struct rvtrace_failure *error)
{
	const struct decode_format *format = decode_format_of(&in->config);
	unsigned int xlen = in->raw_options.xlen;
	bool narrower = format->is_narrow && in->config.isa.xlen < xlen;

	if (xlen && xlen != in->config.isa.xlen && !narrower)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: parameters of a hart of %u bits (%s), but the program has %u",
				    in->raw_options.param, in->config.isa.xlen, format->width,
				    xlen);
	if (xlen)
		in->config.isa.xlen = xlen;
	return 0;
}

/* What no parameter says, and the programs do. */
static void use_programs(struct trace_input *in)
{
	in->config.isa.zcmp = in->raw_options.isa.zcmp;
	in->config.isa.zcmt = in->raw_options.isa.zcmt;
	in->config.jvt = in->raw_options.jvt;
}

int input_raw_config(struct trace_input *in, struct rvtrace_failure *error)
{
	const char *wrong;
	int ret;

	if (in->recording) {
		ret = use_companion(in, error);
		return ret ? ret : buffer_prepare(in, error);
	}
	if (!in->raw_options.param) {
		if (in->raw_options.format->set_config)
			in->raw_options.format->set_config(&in->raw_options, &in->config);
		use_programs(in);
		return buffer_prepare(in, error);
	}
	ret = rvtrace_format_load(rvtrace_format_find(in->raw_options.format->library),
				  in->raw_options.param, &in->config, error);
	if (!ret)
		ret = buffer_prepare(in, error);
	if (ret)
		return ret;
	wrong = contradiction(in);
	if (wrong)
		return rvtrace_fail(error, EINVAL, 0, "%s: contradicts %s", in->raw_options.param,
				    wrong);
	/* the file may not know it */
	if (in->raw_options.mode)
		memset(in->config.ntrace.modes, in->raw_options.mode,
		       sizeof(in->config.ntrace.modes));
	use_programs(in);
	return check_program_width(in, error);
}

int input_raw_open(const struct trace_input *in, struct rvtrace_failure *error)
{
	int fd = strcmp(in->object, "-") ? open(in->object, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int buffer;

	if (fd < 0)
		rvtrace_fail(error, errno, 0, "%s: %s", in->object, strerror(errno));
	if (fd < 0 || !in->in_buffer)
		return fd < 0 ? -error->code : fd;
	buffer = buffer_open(in, fd, error);
	input_raw_close(fd);
	return buffer;
}

void input_raw_close(int fd)
{
	if (fd != STDIN_FILENO)
		close(fd);
}
