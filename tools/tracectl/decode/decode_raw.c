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
		      struct rvtrace_recording_error *error)
{
	unsigned int privs = d->recording ? RVTRACE_PRIV_M : RVTRACE_PRIV_ANY;
	struct raw_options *raw = &d->raw_options;
	int ret = elf_check(image->path, image->elf, d->raw ? &raw->xlen : NULL, error);

	if (!ret && d->raw)
		elf_isa(image->path, &raw->isa, &raw->jvt);
	if (!ret)
		ret = rvtrace_program_add_image(d->program, image->path, image->address,
						image->has_address, privs, error);
	if (!ret && d->symbols && elf_width(image->path))
		ret = symbols_add_elf(d->symbols, image->path, image->address);
	return ret;
}

int decode_load_images(struct decode *d, struct rvtrace_recording_error *error)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < d->image_count && !ret; i++)
		ret = load_image(d, &d->images[i], error);
	return ret;
}

/* Where in a stream timestamps restart, only its own recording knows. */
static int warn_of_restarts(const struct decode *d, struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	bool restarts = false;
	int ret;

	ret = rvtrace_recording_records_open(d->recording, 0, &records, error);
	if (ret)
		return ret;
	while (!restarts &&
	       (ret = rvtrace_recording_records_next(records, &record, error)) > 0)
		restarts = record->type == RVTRACE_RECORD_RESTART;
	rvtrace_recording_records_free(records);
	if (restarts)
		warn_text("%s: timestamps count from 0 again, where in the trace is not known: all are taken for those before",
			  d->directory);
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
static void warn_of_lack(const struct decode *d)
{
	struct json_object *companion = NULL, *late = NULL;
	struct json_object *metadata = rvtrace_recording_metadata(d->recording);

	json_object_object_get_ex(metadata, "companion", &companion);
	json_object_object_get_ex(metadata, "late", &late);
	if (json_object_get_boolean(companion) &&
	    without_timestamps(rvtrace_recording_sink(d->recording, 0)))
		warn_text("%s: the trace has no timestamps (ts_enable of the encoders), which alone tell processes apart here",
			  d->directory);
	if (json_object_get_boolean(late))
		warn_text("%s: rvtraced was started after the session began: up to then processes are not known, and there may be errors where it changed kernel text; start rvtraced first",
			  d->directory);
}

/* What was recorded beside the trace knows its parameters. */
static int use_companion(struct decode *d, struct rvtrace_recording_error *error)
{
	int ret;

	if (rvtrace_recording_sink_count(d->recording) != 1)
		return rvtrace_fail(error, EINVAL, 0, "%s: not of exactly one sink", d->directory);
	warn_of_lack(d);
	ret = warn_of_restarts(d, error);
	return ret ? ret : decode_sink_config(d, error);
}

/* CDL is by default as its text has it. */
static void use_cdl_options(struct decode *d)
{
	const struct rvtrace_cdl_config cdl = {
		.xlen = d->raw_options.xlen ? d->raw_options.xlen : 32,
	};

	rvtrace_flow_config_cdl(&cdl, &d->config);
}

/* SiFive's encoders do, in a mode that nothing may say; in the others each return is reported. */
static bool leaves_returns_out(const struct raw_options *raw)
{
	if (raw->implicit_return >= 0)
		return raw->implicit_return;
	return raw->format == FORMAT_SIFIVE && !raw->mode;
}

/* What the command line says, where no file does. */
static void use_options(struct decode *d)
{
	const struct raw_options *raw = &d->raw_options;

	if (raw->format == FORMAT_DEBUGSPEC) {
		debugspec_config(&raw->debugspec, raw->xlen, &d->config);
		return;
	}
	if (raw->format == FORMAT_CDL) {
		use_cdl_options(d);
		return;
	}
	d->config = (struct rvtrace_flow_config) {
		.isa.xlen = raw->xlen ? raw->xlen : 64,
		.src_bits = raw->src_bits < 0 ? 0 : raw->src_bits,
		.implicit_return = leaves_returns_out(raw),
		.sequential_jump = raw->sequential_jump,
		.all_jumps = raw->all_jumps,
		.extend_addr_msb = raw->extend_addr_msb,
		.sifive = raw->format == FORMAT_SIFIVE,
	};
	memset(d->config.modes, raw->mode, sizeof(d->config.modes));
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && !strcmp(text + length - size, end);
}

static int use_cdl_file(struct decode *d, struct rvtrace_recording_error *error)
{
	const struct raw_options *raw = &d->raw_options;
	struct rvtrace_cdl_config cdl;
	int ret = rvtrace_cdl_config_load(raw->param, &cdl, error);

	if (ret)
		return ret;
	if (raw->xlen && raw->xlen != cdl.xlen)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: parameters of a hart of %u bits (xlen), but the program has %u",
				    raw->param, cdl.xlen, raw->xlen);
	rvtrace_flow_config_cdl(&cdl, &d->config);
	return 0;
}

static int use_debugspec_file(struct decode *d, struct rvtrace_recording_error *error)
{
	struct rvtrace_debugspec_config params;
	int ret = rvtrace_debugspec_config_load(d->raw_options.param, &params, error);

	if (!ret)
		rvtrace_flow_config_debugspec(&params, &d->config);
	return ret;
}

static int use_file(struct decode *d, struct rvtrace_recording_error *error)
{
	const struct raw_options *raw = &d->raw_options;
	struct rvtrace_etrace_params params;
	int ret;

	if (raw->format == FORMAT_CDL)
		return use_cdl_file(d, error);
	if (raw->format == FORMAT_DEBUGSPEC)
		return use_debugspec_file(d, error);
	if (raw->format != FORMAT_ETRACE && !ends_in(raw->param, ".scf"))
		return rvtrace_replay_config_load(raw->param, &d->config, error);
	ret = rvtrace_etrace_params_load(raw->param, &params, error);
	if (!ret)
		rvtrace_flow_config_etrace(&params, &d->config);
	return ret;
}

static enum decode_format format_of(const struct rvtrace_flow_config *config)
{
	if (config->format == RVTRACE_FLOW_FORMAT_ETRACE)
		return FORMAT_ETRACE;
	if (config->format == RVTRACE_FLOW_FORMAT_CDL)
		return FORMAT_CDL;
	if (config->format == RVTRACE_FLOW_FORMAT_DEBUGSPEC)
		return FORMAT_DEBUGSPEC;
	return config->sifive ? FORMAT_SIFIVE : FORMAT_NTRACE;
}

static bool contradicts_mode(const struct decode *d)
{
	const struct rvtrace_flow_config *config = &d->config;
	size_t i;

	if (!d->raw_options.mode)
		return false;
	if (config->format != RVTRACE_FLOW_FORMAT_NTRACE)
		return true;
	for (i = 0; i < RVTRACE_NTRACE_SOURCES; i++)
		if (config->modes[i] && config->modes[i] != d->raw_options.mode)
			return true;
	return false;
}

/* Encoders of one stream may differ in that: one that does is enough. */
static bool infers_returns(const struct rvtrace_flow_config *config)
{
	bool infers = config->implicit_return;

	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES && !infers; i++)
		infers = config->modes[i] == RVTRACE_NTRACE_MODE_OPTIMIZED;
	return infers;
}

/* What the command line says beside the file must be the same; NULL: it is. */
static const char *contradiction(const struct decode *d)
{
	const struct raw_options *raw = &d->raw_options;
	const struct rvtrace_flow_config *config = &d->config;

	if (raw->has_format && raw->format != format_of(config))
		return "--format";
	if (raw->src_bits >= 0 && raw->src_bits != config->src_bits)
		return "--src-bits";
	if (raw->implicit_return >= 0 && (raw->implicit_return > 0) != infers_returns(config))
		return "--implicit-return";
	if (contradicts_mode(d))
		return "--mode";
	if (raw->sequential_jump && !config->sequential_jump)
		return "--sequential-jump";
	if (raw->all_jumps && !config->all_jumps)
		return "--all-jumps";
	if (raw->extend_addr_msb && !config->extend_addr_msb)
		return "--extend-addr-msb";
	return NULL;
}

/* Of E-Trace alone, addresses may be narrower than registers. */
static int check_program_width(struct decode *d, struct rvtrace_recording_error *error)
{
	unsigned int xlen = d->raw_options.xlen;
	enum decode_format format = format_of(&d->config);
	bool narrower = format == FORMAT_ETRACE && d->config.isa.xlen < xlen;

	if (xlen && xlen != d->config.isa.xlen && !narrower)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: parameters of a hart of %u bits (%s), but the program has %u",
				    d->raw_options.param, d->config.isa.xlen,
				    format == FORMAT_ETRACE ? "iaddress_width" :
				    format == FORMAT_DEBUGSPEC ? "xlen" : "machine", xlen);
	if (xlen)
		d->config.isa.xlen = xlen;
	return 0;
}

/* What no parameter says, and the programs do. */
static void use_programs(struct decode *d)
{
	d->config.isa.zcmp = d->raw_options.isa.zcmp;
	d->config.isa.zcmt = d->raw_options.isa.zcmt;
	d->config.jvt = d->raw_options.jvt;
}

int decode_raw_config(struct decode *d, struct rvtrace_recording_error *error)
{
	const char *wrong;
	int ret;

	if (d->recording) {
		ret = use_companion(d, error);
		return ret ? ret : buffer_prepare(d, error);
	}
	if (!d->raw_options.param) {
		use_options(d);
		use_programs(d);
		return buffer_prepare(d, error);
	}
	ret = use_file(d, error);
	if (!ret)
		ret = buffer_prepare(d, error);
	if (ret)
		return ret;
	wrong = contradiction(d);
	if (wrong)
		return rvtrace_fail(error, EINVAL, 0, "%s: contradicts %s", d->raw_options.param,
				    wrong);
	/* the file may not know it */
	if (d->raw_options.mode)
		memset(d->config.modes, d->raw_options.mode, sizeof(d->config.modes));
	use_programs(d);
	return check_program_width(d, error);
}

int decode_raw_open(const struct decode *d, struct rvtrace_recording_error *error)
{
	int fd = strcmp(d->object, "-") ? open(d->object, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int buffer;

	if (fd < 0)
		rvtrace_fail(error, errno, 0, "%s: %s", d->object, strerror(errno));
	if (fd < 0 || !d->in_buffer)
		return fd < 0 ? -error->code : fd;
	buffer = buffer_open(d, fd, error);
	decode_raw_close(fd);
	return buffer;
}

void decode_raw_close(int fd)
{
	if (fd != STDIN_FILENO)
		close(fd);
}
