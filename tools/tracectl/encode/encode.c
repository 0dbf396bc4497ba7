// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: from executed addresses and a program to trace. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/elf.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

#define HEADING	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT"

/* Output */

bool encode_write(void *data, const uint8_t *bytes, size_t size)
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

static int fail(const struct rvtrace_failure *error)
{
	error_text("%s", error->text);
	return EXIT_FAILED;
}

static int load_image(struct encode *e, const struct image_option *image)
{
	struct rvtrace_failure error = { 0 };
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

/* The encoder */

static void take_block(void *data, const struct ingress_block *listed)
{
	struct encode *e = data;
	struct ingress_block block = *listed;

	if (!e->started)
		e->options.format->start(e, block.start);
	e->started = true;
	e->time = block.time;
	e->cycles = block.cycles;
	block.accesses = e->accesses;
	block.access_count = e->access_count;
	e->access_count = 0;
	e->options.format->block(e, &block);
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
	const struct encode_format *format = e->options.format;
	struct ingress_access *access = &e->accesses[e->access_count];
	const char *wrong = format->accesses ? format->check_accesses() : encode_no_accesses();
	uint32_t bits;

	if (wrong)
		return wrong_line(e, wrong, line);
	if (!e->insns)
		return wrong_line(e, "an access without an instruction before it", line);
	if (e->access_count == MAX_ENCODE_ACCESSES)
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
		error_text("%s: it contains no address", e->name);
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
			warn_text("%s: the last address is left out: the target of its jump is unknown",
				  e->name);
		if (e->started)
			e->options.format->stop(e);
	}
	return status;
}

static int encode(struct encode *e)
{
	const struct encode_format *format = e->options.format;
	int status = EXIT_OK;

	e->xlen = e->options.xlen;
	if (format->load)
		status = format->load(e);
	for (unsigned int i = 0; i < e->options.image_count && !status; i++)
		status = load_image(e, &e->options.images[i]);
	if (!status)
		status = format->prepare(e);
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
