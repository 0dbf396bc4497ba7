// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: from executed addresses and a program to trace. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/cdl.h>
#include <rvtrace/program.h>

#include "tools/encode/pclist.h"
#include "tools/tracectl/elf.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"

#define HEADING	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT"

#define MAX_ACCESSES	65536	/* of one block */

struct encode {
	struct encode_options options;
	struct rvtrace_program *program;
	unsigned int xlen;
	unsigned int address_width;	/* E-Trace; else 0 */
	struct rvtrace_isa isa;	/* what the programs say they use */
	bool single;		/* the hart retires one instruction at a time */
	struct pclist list;
	struct ntrace_encoder ntrace;
	struct etrace_params etrace_params;
	struct etrace_encoder etrace;
	struct cdl_encoder cdl;
	struct debugspec_stream stream;
	struct debugspec_encoder debugspec;
	struct ingress_context first;	/* of the list */
	bool started;
	bool table;		/* the list has columns */
	const char *name;	/* of the list */
	uint64_t line;
	uint64_t insns;
	uint64_t time;
	uint64_t cycles;
	uint64_t pc;			/* of the last instruction */
	struct ingress_access accesses[MAX_ACCESSES];	/* since the last block */
	uint32_t access_count;
	FILE *file;
	int write_error;	/* errno */
};

/* Output */

static bool write_trace(void *data, const uint8_t *bytes, size_t size)
{
	struct encode *e = data;

	if (!e->write_error && fwrite(bytes, 1, size, e->file) != size)
		e->write_error = errno;
	return true;
}

static int end_output(struct encode *e, int status)
{
	int ret;

	if (fflush(e->file) && !e->write_error)
		e->write_error = errno;
	ret = close_output(e->file, !status && !e->write_error);
	if (ret && !e->write_error)
		e->write_error = -ret;
	if (!e->write_error)
		return status;
	error_text("%s: %s", e->options.output ? e->options.output : "standard output",
		   strerror(e->write_error));
	return EXIT_FAILED;
}

/* The program */

static int fail(const struct rvtrace_recording_error *error)
{
	error_text("%s", error->text);
	return EXIT_FAILED;
}

static int load_image(struct encode *e, const struct image_option *image)
{
	struct rvtrace_recording_error error = { 0 };
	uint64_t jvt;

	if (elf_check(image->path, image->elf, &e->xlen, &error) ||
	    rvtrace_program_add_image(e->program, image->path, image->address, image->has_address,
				      RVTRACE_PRIV_ANY, &error))
		return fail(&error);
	elf_isa(image->path, &e->isa, &jvt);
	return EXIT_OK;
}

static bool fetch(void *data, uint64_t address, uint32_t *bits)
{
	struct encode *e = data;
	struct rvtrace_window window;
	uint16_t halves[2] = { 0, 0 };

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t at = address + 2 * i;

		if (!rvtrace_image_find(e->program->image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY, at,
					&window) || window.last == at) {
			if (!i)
				return false;
			break;
		}
		halves[i] = window.bytes[at - window.start] |
			    window.bytes[at - window.start + 1] << 8;
	}
	*bits = halves[0] | (uint32_t)halves[1] << 16;
	return true;
}

/* The encoders */

static int prepare_ntrace(struct encode *e)
{
	struct ntrace_params *params = &e->options.ntrace;
	const char *wrong;

	if (!e->xlen)
		e->xlen = 64;
	params->xlen = e->xlen;
	params->distinguish_traps = true;
	params->timestamp_bits = 64;
	params->timestamp_xor = e->options.sifive;
	params->branch_runs = e->options.sifive && params->history;
	params->icnt_bits = e->options.reference ? 30 : 22;
	params->hist_bits = 32;
	params->repeat_bits = 18;
	params->sync_mode = (enum ntrace_sync_mode)e->options.sync;
	params->sync_interval = e->options.sync_interval;
	if (e->options.reference) {
		params->indirect_without_hist = true;
		params->distinguish_traps = false;
		params->hist_patterns[0] = params->repeated_history ? 28 : 0;
		params->hist_patterns[1] = params->repeated_history ? 30 : 0;
	}
	wrong = ntrace_params_check(params);
	if (wrong) {
		error_text("%s", wrong);
		return EXIT_USAGE;
	}
	ntrace_encoder_init(&e->ntrace, params, write_trace, e);
	return EXIT_OK;
}

static int prepare_etrace(struct encode *e, const struct rvtrace_etrace_params *params)
{
	const char *wrong;

	e->etrace_params = encode_etrace_params(&e->options, params);
	wrong = etrace_params_check(&e->etrace_params);
	if (!wrong && e->options.reference && !params->infer_all_returns &&
	    e->etrace_params.modes & ETRACE_MODE(IMPLICIT_RETURN))
		wrong = "infer_all_returns is 0, but --reference reports no return";
	if (wrong) {
		error_text("%s: %s", e->options.param, wrong);
		return EXIT_FAILED;
	}
	etrace_encoder_init(&e->etrace, &e->etrace_params, write_trace, e);
	return EXIT_OK;
}

static int prepare_cdl(struct encode *e, const struct rvtrace_cdl_config *config)
{
	struct rvtrace_cdl_config known = *config;
	struct cdl_params params;
	const char *wrong;

	if (e->xlen && e->options.param && e->xlen != config->xlen) {
		error_text("%s: parameters of a hart of %u bits (xlen), but the program has %u",
			   e->options.param, config->xlen, e->xlen);
		return EXIT_FAILED;
	}
	if (!e->options.param)
		known.xlen = e->xlen ? e->xlen : 32;
	e->xlen = known.xlen;
	params = encode_cdl_params(&known);
	wrong = cdl_params_check(&params);
	if (wrong) {
		error_text("%s: %s", e->options.param ? e->options.param : "--format cdl", wrong);
		return EXIT_FAILED;
	}
	cdl_encoder_init(&e->cdl, &params, write_trace, e);
	return EXIT_OK;
}

static void write_word(void *data, uint32_t word)
{
	const uint8_t bytes[] = { word, word >> 8, word >> 16, word >> 24 };

	write_trace(data, bytes, sizeof(bytes));
}

static int prepare_debugspec(struct encode *e)
{
	struct encode_debugspec *options = &e->options.debugspec;
	const char *wrong;

	options->params.xlen = e->xlen ? e->xlen : 64;
	wrong = debugspec_params_check(&options->params);
	if (!wrong && options->buffer_size &&
	    !debugspec_is_buffer(options->buffer_size, options->params.xlen))
		wrong = "--buffer-size: not a multiple of 32 from 64 on, with 64 bits from 96 on";
	if (wrong) {
		error_text("%s", wrong);
		return EXIT_USAGE;
	}
	debugspec_stream_init(&e->stream, options->buffer_size, options->params.hart, write_word,
			      NULL, e);
	debugspec_encoder_init(&e->debugspec, &options->params, &e->stream);
	return EXIT_OK;
}

static int prepare(struct encode *e, const struct rvtrace_etrace_params *params,
		   const struct rvtrace_cdl_config *cdl)
{
	switch (e->options.format) {
	case ENCODE_ETRACE:
		return prepare_etrace(e, params);
	case ENCODE_DEBUGSPEC:
		return prepare_debugspec(e);
	case ENCODE_CDL:
		return prepare_cdl(e, cdl);
	default:
		return prepare_ntrace(e);
	}
}

static void start(struct encode *e, uint64_t pc)
{
	e->started = true;
	switch (e->options.format) {
	case ENCODE_DEBUGSPEC:
		debugspec_encoder_start(&e->debugspec, &e->first);
		break;
	case ENCODE_CDL:
		cdl_encoder_start(&e->cdl);
		break;
	case ENCODE_NTRACE:
		ntrace_encoder_start(&e->ntrace, pc, &e->first, 0, 0, e->options.reference ?
				     NTRACE_SYNC_RESET : NTRACE_SYNC_ENABLE);
		break;
	default:
		etrace_encoder_start(&e->etrace, pc, &e->first, 0, 0);
	}
}

static void take_block(void *data, const struct ingress_block *listed)
{
	struct encode *e = data;
	struct ingress_block block = *listed;

	if (e->options.format == ENCODE_ETRACE && e->options.reference)
		block.time = 0;		/* it has no clock */
	if (!e->started)
		start(e, block.start);
	e->time = block.time;
	e->cycles = block.cycles;
	block.accesses = e->accesses;
	block.access_count = e->access_count;
	e->access_count = 0;
	switch (e->options.format) {
	case ENCODE_DEBUGSPEC:
		debugspec_encoder_block(&e->debugspec, &block);
		break;
	case ENCODE_CDL:
		cdl_encoder_block(&e->cdl, &block);
		break;
	case ENCODE_NTRACE:
		ntrace_encoder_block(&e->ntrace, &block);
		break;
	default:
		etrace_encoder_block(&e->etrace, &block);
	}
}

static void stop(struct encode *e)
{
	if (!e->started)
		return;
	switch (e->options.format) {
	case ENCODE_DEBUGSPEC:
		debugspec_encoder_stop(&e->debugspec);
		debugspec_stream_flush(&e->stream);
		break;
	case ENCODE_CDL:
		cdl_encoder_stop(&e->cdl);
		break;
	case ENCODE_NTRACE:
		ntrace_encoder_stop(&e->ntrace, 0, e->time, e->cycles, e->options.reference ?
				    NTRACE_EVCODE_DEBUG : NTRACE_EVCODE_DISABLED);
		break;
	default:
		etrace_encoder_stop(&e->etrace, e->time);
	}
}

/* The list */

static int wrong_line(const struct encode *e, const char *what, const char *line)
{
	error_text("%s:%" PRIu64 ": %s: %.60s", e->name, e->line, what, line);
	return EXIT_FAILED;
}

/* The trace would tell another one. */
static bool is_wide(const struct encode *e, uint64_t pc)
{
	unsigned int above = 64 - e->address_width;

	if (!e->address_width)
		return false;
	return pc != (e->xlen == 32 ? pc << above >> above :
				      (uint64_t)((int64_t)(pc << above) >> above));
}

static int add_insn(struct encode *e, uint64_t pc)
{
	if (is_wide(e, pc)) {
		error_text("%s:%" PRIu64 ": 0x%" PRIx64 " does not fit into iaddress_width, %u bits",
			   e->name, e->line, pc, e->address_width);
		return EXIT_FAILED;
	}
	if (!pclist_add(&e->list, pc)) {
		error_text("%s:%" PRIu64 ": no code at 0x%" PRIx64, e->name, e->line, pc);
		return EXIT_FAILED;
	}
	e->insns++;
	e->pc = pc;
	return EXIT_OK;
}

/* Of the last instruction */
static int add_access(struct encode *e, const char *line)
{
	struct ingress_access *access = &e->accesses[e->access_count];
	const char *wrong;
	uint32_t bits;

	if (e->options.format != ENCODE_DEBUGSPEC &&
	    (e->options.format != ENCODE_ETRACE || !e->etrace_params.data))
		return wrong_line(e, "no data trace: that takes type_width (E-Trace), or debugspec",
				  line);
	if (e->etrace_params.lrid_width)
		return wrong_line(e, "no list tells when split accesses are answered", line);
	if (!e->insns)
		return wrong_line(e, "an access without an instruction before it", line);
	if (e->access_count == MAX_ACCESSES)
		return wrong_line(e, "too many accesses without a jump", line);
	wrong = encode_access(line, access);
	if (wrong)
		return wrong_line(e, wrong, line);
	access->pc = e->pc;
	if (fetch(e, e->pc, &bits))
		encode_access_code(bits, access);
	e->access_count++;
	return EXIT_OK;
}

static void set_priv(struct encode *e, uint8_t priv)
{
	const struct ingress_context context = { .priv = priv };

	if (!e->insns && !e->started)
		e->first = context;
	pclist_context(&e->list, &context);
}

static bool take_hex(const char **text, char end, uint64_t *value)
{
	char *rest;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &rest, 16);
	if (errno || rest == *text || *rest != end)
		return false;
	*text = rest + !!end;
	return true;
}

/* One row; instructions that trapped did not retire. */
static int add_row(struct encode *e, const char *line)
{
	enum { VALID, ADDRESS, INSN, PRIVILEGE, EXCEPTION, ECAUSE, TVAL, INTERRUPT, COLUMNS };
	uint64_t value[COLUMNS];
	const char *at = line;

	for (unsigned int i = 0; i < COLUMNS; i++)
		if (!take_hex(&at, i + 1 < COLUMNS ? ',' : 0, &value[i]))
			return wrong_line(e, "not a row of " HEADING, line);
	if (value[PRIVILEGE] > INGRESS_PRIV_M || value[PRIVILEGE] == 2)
		return wrong_line(e, "not a privilege in the fourth column", line);
	if (!value[VALID])
		return EXIT_OK;
	set_priv(e, value[PRIVILEGE]);
	if (!value[EXCEPTION] && !value[INTERRUPT])
		return add_insn(e, value[ADDRESS]);
	pclist_trap(&e->list, value[ADDRESS],
		    value[INTERRUPT] ? INGRESS_INTERRUPT : INGRESS_EXCEPTION, value[ECAUSE],
		    value[TVAL]);
	return EXIT_OK;
}

static int add_address(struct encode *e, const char *line)
{
	const char *at = line;
	uint64_t pc;

	if (!take_hex(&at, 0, &pc) || pc & 1)
		return wrong_line(e, "not an address of an instruction", line);
	if (e->xlen == 32 && pc >> 32)
		return wrong_line(e, "not an address of a 32-bit hart", line);
	return add_insn(e, pc);
}

static int add_line(struct encode *e, char *line)
{
	size_t length = strlen(line);

	while (length && isspace((unsigned char)line[length - 1]))
		line[--length] = 0;
	e->line++;
	if (e->line == 1 && !strcmp(line, HEADING)) {
		e->table = true;
		return EXIT_OK;
	}
	if (!length)
		return EXIT_OK;
	if (encode_is_access(line))
		return add_access(e, line);
	return e->table ? add_row(e, line) : add_address(e, line);
}

static int read_list(struct encode *e)
{
	bool standard = !strcmp(e->options.list, "-");
	FILE *file = standard ? stdin : fopen(e->options.list, "re");
	int status = EXIT_OK;
	char *line = NULL;
	size_t room = 0;

	e->name = standard ? "standard input" : e->options.list;
	if (!file) {
		error_text("%s: %s", e->name, strerror(errno));
		return EXIT_FAILED;
	}
	errno = 0;
	while (!status && getline(&line, &room, file) >= 0)
		status = add_line(e, line);
	if (!status && ferror(file)) {
		error_text("%s: %s", e->name, strerror(errno));
		status = EXIT_FAILED;
	}
	free(line);
	if (!standard)
		fclose(file);
	if (!status && !e->insns) {
		error_text("%s: there is no address in it", e->name);
		status = EXIT_FAILED;
	}
	return status;
}

static int encode_list(struct encode *e)
{
	int status;

	pclist_init(&e->list, e->xlen, fetch, take_block, e);
	e->list.single = e->single;
	e->list.zcmp = e->isa.zcmp;
	set_priv(e, e->options.priv);
	status = read_list(e);
	if (!status) {
		if (!pclist_end(&e->list))
			warn_text("%s: the last address is left out: nothing says where its jump leads",
				  e->name);
		stop(e);
	}
	return status;
}

static int encode(struct encode *e)
{
	struct rvtrace_etrace_params params;
	struct rvtrace_recording_error error = { 0 };
	struct rvtrace_cdl_config cdl = { .xlen = 32 };
	bool etrace = e->options.format == ENCODE_ETRACE;
	bool is_cdl = e->options.format == ENCODE_CDL;
	int status = EXIT_OK;

	e->xlen = e->options.xlen;
	if (etrace) {
		if (rvtrace_etrace_params_load(e->options.param, &params, &error))
			return fail(&error);
		e->xlen = params.iaddress_width <= 32 ? 32 : 64;
		e->address_width = params.iaddress_width;
		e->single = params.retires <= 1;
	}
	if (is_cdl && e->options.param && rvtrace_cdl_config_load(e->options.param, &cdl, &error))
		return fail(&error);
	if (is_cdl)
		e->single = true;	/* it counts instructions */
	for (unsigned int i = 0; i < e->options.image_count && !status; i++)
		status = load_image(e, &e->options.images[i]);
	if (!status)
		status = prepare(e, &params, &cdl);
	if (!status)
		status = open_output(e->options.output, false, &e->file);
	if (status)
		return status;
	return end_output(e, encode_list(e));
}

int verb_encode(int argc, char **argv)
{
	struct encode *e = calloc(1, sizeof(*e));
	int status = EXIT_FAILED;

	if (!e)
		return status;
	parse_options(&encode_argp, argc, argv, 0, NULL, &e->options);
	e->program = rvtrace_program_new();
	if (e->program)
		status = encode(e);
	rvtrace_program_free(e->program);
	free(e);
	return status;
}
