// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: streams of the reference flow, field by field. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>

#define VECTORS		"selftests/vectors/etrace/"
#define COLUMNS		26
#define LINE_MAX_BYTES	1024

struct vector {
	const char *suite;
	const char *program;
	unsigned int packets;
};

/* A packet list says "_" of what is not there. */
struct column {
	bool there;
	uint64_t value;
};

static const char *const names[COLUMNS] = {
	"format", "subformat", "address", "branch", "branches", "branch_map", "branch_count",
	"branch_fmt", "context", "ecause", "ienable", "encoder_mode", "interrupt", "irreport",
	"irdepth", "notify", "ioptions", "privilege", "qual_status", "time", "thaddr", "tval",
	"updiscon", "denable", "dloss", "doptions",
};

static void path_of(const struct vector *v, const char *suffix, char *path, size_t size)
{
	snprintf(path, size, VECTORS "%s-%s/%s.%s", v->suite, v->program, v->program, suffix);
}

static uint8_t *read_stream(const struct vector *v, size_t *size)
{
	char path[256];
	uint8_t *bytes;
	FILE *file;

	path_of(v, "te_inst_raw", path, sizeof(path));
	file = fopen(path, "rb");
	if (!file)
		fail_msg("%s: cannot open", path);
	fseek(file, 0, SEEK_END);
	*size = ftell(file);
	rewind(file);
	bytes = malloc(*size);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

static struct rvtrace_etrace_params load_params(const struct vector *v)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;
	char path[256];

	path_of(v, "scf", path, sizeof(path));
	if (rvtrace_etrace_params_load(path, &params, &error))
		fail_msg("%s", error.text);
	return params;
}

static struct column there(bool is, uint64_t value)
{
	return (struct column){ is, is ? value : 0 };
}

/* An address as it was sent. */
static uint64_t sent(const struct rvtrace_etrace_params *params, uint64_t address)
{
	unsigned int width = params->iaddress_width - params->iaddress_lsb;

	return address >> params->iaddress_lsb & (width < 64 ? (1ULL << width) - 1 : UINT64_MAX);
}

static void columns_of(const struct rvtrace_etrace_params *params,
		       const struct rvtrace_etrace_te_inst *inst, struct column *c)
{
	bool sync = inst->format == RVTRACE_ETRACE_SYNC;
	bool support = sync && inst->subformat == RVTRACE_ETRACE_SUPPORT;
	bool trap = sync && inst->subformat == RVTRACE_ETRACE_TRAP;
	bool map = inst->format == RVTRACE_ETRACE_DIFF_DELTA;
	bool report = inst->has_address && !sync;

	*c++ = there(true, inst->format);
	*c++ = there(sync, inst->subformat);
	*c++ = there(inst->has_address, sent(params, inst->address));
	*c++ = there(sync && inst->subformat <= RVTRACE_ETRACE_TRAP, inst->branch);
	*c++ = there(map, inst->branches);
	*c++ = there(map, inst->branch_map);
	*c++ = there(false, 0);
	*c++ = there(false, 0);
	*c++ = there(inst->has_context, inst->context);
	*c++ = there(trap, inst->ecause);
	*c++ = there(support, inst->ienable);
	*c++ = there(support, inst->encoder_mode);
	*c++ = there(trap, inst->interrupt);
	*c++ = there(report, inst->irreport);
	*c++ = there(report && rvtrace_etrace_irdepth_width(params), inst->irdepth);
	*c++ = there(report, inst->notify);
	*c++ = there(support, inst->ioptions);
	*c++ = there(sync && !support, inst->privilege);
	*c++ = there(support, inst->qual_status);
	*c++ = there(inst->has_time, inst->time);
	*c++ = there(trap, inst->thaddr);
	*c++ = there(inst->has_tval, inst->tval);
	*c++ = there(report, inst->updiscon);
	/* The reference flow's support packet ends before. */
	*c++ = there(false, 0);
	*c++ = there(false, 0);
	*c++ = there(false, 0);
}

static bool is_hexadecimal(unsigned int column)
{
	return !strcmp(names[column], "address") || !strcmp(names[column], "tval");
}

static void compare_line(const struct rvtrace_etrace_params *params, char *line,
			 unsigned int number, const struct rvtrace_etrace_packet *packet)
{
	struct column got[COLUMNS], wanted;
	unsigned int i;
	char *end;

	columns_of(params, &packet->inst, got);
	for (i = 0; i < COLUMNS; i++) {
		const char *cell = strsep(&line, ",\r\n");

		assert_non_null(cell);
		wanted.there = strcmp(cell, "_");
		wanted.value = wanted.there ? strtoull(cell, &end, is_hexadecimal(i) ? 16 : 10) : 0;
		assert_true(!wanted.there || (*cell && !*end));
		if (wanted.there != got[i].there || wanted.value != got[i].value)
			fail_msg("packet %u at %ju: %s is %s, read %s%jx", number,
				 (uintmax_t)packet->offset, names[i], cell,
				 got[i].there ? "" : "nothing ", (uintmax_t)got[i].value);
	}
}

static void check_header(char *line)
{
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		assert_string_equal(strsep(&line, ",\r\n"), names[i]);
}

/* The next packet, with the stream given in pieces of @piece bytes. */
static int next(struct rvtrace_etrace *reader, const uint8_t *bytes, size_t size, size_t piece,
		size_t *fed, struct rvtrace_etrace_packet *packet)
{
	int ret;

	while (!(ret = rvtrace_etrace_next(reader, packet)) && *fed < size) {
		if (piece > size - *fed)
			piece = size - *fed;
		assert_int_equal(rvtrace_etrace_feed(reader, bytes + *fed, piece), 0);
		*fed += piece;
	}
	return ret;
}

static void compare(const struct vector *v, size_t piece)
{
	struct rvtrace_etrace_params params = load_params(v);
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	char path[256], line[LINE_MAX_BYTES];
	unsigned int packets = 0;
	size_t size, fed = 0;
	uint64_t offset = 0;
	uint8_t *bytes;
	gzFile list;

	bytes = read_stream(v, &size);
	path_of(v, "te_inst.csv.gz", path, sizeof(path));
	list = gzopen(path, "rb");
	assert_non_null(list);
	assert_non_null(gzgets(list, line, sizeof(line)));
	check_header(line);
	assert_int_equal(rvtrace_etrace_new(&params, &reader), 0);
	while (gzgets(list, line, sizeof(line))) {
		int ret = next(reader, bytes, size, piece ? piece : size, &fed, &packet);

		if (ret != 1)
			fail_msg("packet %u: %s", packets, rvtrace_strerror(ret));
		assert_int_equal(packet.offset, offset);
		assert_int_equal(packet.flow, 2);
		assert_memory_equal(packet.raw, bytes + packet.offset, packet.size);
		assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_INST);
		offset += packet.size;
		compare_line(&params, line, packets++, &packet);
	}
	assert_int_equal(next(reader, bytes, size, size, &fed, &packet), 0);
	assert_int_equal(offset, size);
	assert_int_equal(rvtrace_etrace_pending(reader, NULL), 0);
	assert_int_equal(packets, v->packets);
	gzclose(list);
	rvtrace_etrace_free(reader);
	free(bytes);
}

static void every_field_of_every_packet(void **state)
{
	static const size_t pieces[] = { 0, 1, 2, 3, 7, 64 };
	size_t i;

	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		compare(*state, pieces[i]);
}

static struct vector vectors[] = {
	{ "implicit_return_cc7", "xrle", 511 },
	{ "implicit_return_rs4", "median", 171 },
	{ "implicit_return_rs4", "multiply", 502 },
	{ "implicit_return_rs4", "test_discon_branch_exception", 6 },
	{ "implicit_return_rs4", "towers", 64 },
	{ "itype3_basic", "median", 232 },
	{ "itype3_basic", "multiply", 786 },
	{ "itype3_basic", "test_discon_branch_exception", 7 },
	{ "itype3_basic", "towers", 390 },
	{ "itype3_basic", "xrle", 546 },
	{ "itype3_debug", "median", 222 },
	{ "itype3_debug", "multiply", 745 },
	{ "itype3_debug", "test_discon_branch_exception", 7 },
	{ "itype3_debug", "towers", 371 },
	{ "itype3_debug", "xrle", 516 },
	{ "itype4_fake_scf", "xrle", 487 },
};

#define VECTORS_COUNT (sizeof(vectors) / sizeof(vectors[0]))

int main(void)
{
	struct CMUnitTest tests[VECTORS_COUNT];
	char labels[VECTORS_COUNT][64];
	size_t i;

	for (i = 0; i < VECTORS_COUNT; i++) {
		snprintf(labels[i], sizeof(labels[i]), "%s %s", vectors[i].suite,
			 vectors[i].program);
		tests[i] = (struct CMUnitTest){ .name = labels[i],
						.test_func = every_field_of_every_packet,
						.initial_state = &vectors[i] };
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
