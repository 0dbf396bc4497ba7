// SPDX-License-Identifier: GPL-2.0
/* Recordings: several threads must yield what one replay yields, whatever is missing of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <rvtrace/parallel.h>
#include <rvtrace/replay.h>

#include "selftests/unit/etrace-decoder-params.h"
#include "selftests/unit/parallel-fixture.h"
#include "selftests/unit/recording_helpers.h"
#include "selftests/unit/share.h"
#include "selftests/unit/vectors.h"

/**
 * struct recorded - a stream as a recording
 * @path: the recording
 * @workers: one for each thread
 */
struct recorded {
	char path[64];
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_parallel_worker workers[JOBS_MAX];
};

static struct json_object *source_metadata(const struct rvtrace_etrace_params *etrace,
					   unsigned int call_stack)
{
	struct json_object *source = json_object_new_object(), *harts = json_object_new_array();
	struct json_object *attributes = json_object_new_object();

	json_object_array_add(harts, json_object_new_int(0));
	json_object_object_add(source, "component", json_object_new_string("encoder0"));
	json_object_object_add(source, "cpus", json_object_get(harts));
	json_object_object_add(source, "harts", harts);
	json_object_object_add(source, "src_id", json_object_new_int(0));
	json_object_object_add(source, "src_bits", json_object_new_int(0));
	json_object_object_add(source, "format",
			       json_object_new_string(etrace ? "etrace" : "ntrace"));
	if (etrace)
		json_object_object_add(source, "etrace", rvtrace_etrace_params_to_json(etrace));
	json_object_object_add(attributes, "generation", json_object_new_string("TCI 1.0"));
	json_object_object_add(attributes, "context", json_object_new_string("1"));
	json_object_object_add(attributes, "inst_en_call_stack",
			       json_object_new_string(call_stack ? "1" : "0"));
	json_object_object_add(source, "attributes", attributes);
	return source;
}

static void record_metadata(struct rvtrace_recorder *recorder, struct json_object *source)
{
	struct json_object *metadata = test_metadata("s0"), *sinks, *sources;

	sources = json_object_new_array();
	json_object_array_add(sources, source);
	json_object_object_get_ex(metadata, "sinks", &sinks);
	json_object_object_add(json_object_array_get_idx(sinks, 0), "sources", sources);
	assert_int_equal(rvtrace_recorder_begin(recorder, metadata, NULL), 0);
	json_object_put(metadata);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

static void record_restart(struct rvtrace_recorder *recorder, uint64_t position)
{
	const struct rvtrace_record restart = {
		.size = sizeof(restart), .type = RVTRACE_RECORD_RESTART, .position = position,
		.time = 1000 + position,
	};

	assert_int_equal(rvtrace_recorder_records(recorder, 0, &restart, sizeof(restart), NULL), 0);
}

/*
 * Bytes in drains of random sizes; with @gaps, some drains never come, are overwritten while they
 * are copied, or nothing is known of what is between them; and in some timestamps begin again.
 */
static void record_stream(struct rvtrace_recorder *recorder, const uint8_t *stream, size_t size,
			  uint32_t gaps)
{
	uint32_t seed = gaps;

	for (size_t at = 0, length; at < size; at += length) {
		uint32_t kind = gaps ? draw(&seed, 12) : 12;
		struct iovec iov;

		length = 1 + draw(&seed, 3000);
		if (length > size - at)
			length = size - at;
		iov = (struct iovec) { (uint8_t *)stream + at, length };
		if (kind > 1)
			assert_int_equal(rvtrace_recorder_write(recorder, 0, at, &iov, 1, NULL), 0);
		else
			assert_int_equal(rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_LOST, at,
							       length, 0, NULL), 0);
		if (kind == 2)
			assert_int_equal(rvtrace_recorder_mark(recorder, 0,
							       RVTRACE_CHUNK_OVERWRITTEN, at,
							       1 + length / 2, 0, NULL), 0);
		if (kind == 4)
			record_restart(recorder, at + length / 2);
		if (kind == 3)
			assert_int_equal(rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_LOST,
							       at + length, 0,
							       RVTRACE_CHUNK_AT_LEAST, NULL), 0);
	}
}

static void record(struct recorded *r, struct json_object *source, const uint8_t *stream,
		   size_t size, uint32_t gaps)
{
	const struct rvtrace_recorder_options options = {
		.segment_size = RVTRACE_RECORDING_SEGMENT_MIN, .uid = -1, .gid = -1,
	};
	struct rvtrace_recorder *recorder;
	int fd;

	*r = (struct recorded) { .path = "/tmp/rvtrace-parallel-XXXXXX" };
	assert_non_null(mkdtemp(r->path));
	fd = rvtrace_recording_directory(r->path, NULL);
	assert_int_equal(rvtrace_recorder_new(fd, r->path, &options, &recorder, NULL), 0);
	assert_int_equal(rvtrace_recorder_add_sink(recorder, "s0", NULL), 0);
	record_metadata(recorder, source);
	record_stream(recorder, stream, size, gaps);
	assert_int_equal(rvtrace_recorder_finish(recorder, NULL), 0);
	rvtrace_recorder_free(recorder);
	assert_int_equal(rvtrace_recording_open(r->path, &r->recording, NULL), 0);
	assert_int_equal(rvtrace_spaces_load(r->recording, &r->spaces, NULL), 0);
}

/* @rom: at 0x1000, or NULL. */
static void add_worker(struct recorded *r, unsigned int i, const char *elf,
		       const struct vector_file *rom)
{
	struct rvtrace_parallel_worker *worker = &r->workers[i];
	struct rvtrace_mapping mapping = {
		.address = 0x1000, .size = rom ? rom->size : 0, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_code *code;

	worker->program = rvtrace_program_new();
	assert_non_null(worker->program);
	assert_int_equal(rvtrace_program_add_image(worker->program, elf, 0, false,
						   RVTRACE_PRIV_ANY, NULL), 0);
	if (rom) {
		assert_int_equal(rvtrace_code_from_memory(rom->bytes, rom->size, "rom", &code), 0);
		mapping.code = code;
		assert_int_equal(rvtrace_image_map(worker->program->image, &mapping), 0);
		rvtrace_code_unref(code);
	}
	assert_int_equal(rvtrace_replay_resolver(r->recording, 0, worker->program, r->spaces,
					      &worker->resolver, NULL), 0);
}

static void recorded_free(struct recorded *r)
{
	for (unsigned int i = 0; i < JOBS_MAX; i++) {
		rvtrace_resolver_free(r->workers[i].resolver);
		rvtrace_program_free(r->workers[i].program);
	}
	rvtrace_spaces_free(r->spaces);
	rvtrace_recording_free(r->recording);
	remove_tree(r->path);
}

static int take_all(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		record_item(data, &items[i]);
	return 0;
}

static void replay_alone(struct recorded *r, struct result *result)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler),
		.items = take_all, .data = &result->all,
	};

	assert_int_equal(rvtrace_replay(r->recording, 0, r->workers[0].program,
					r->workers[0].resolver, &handler, NULL), 0);
}

/* Return: how many parts there were. */
static unsigned int compare_replay(struct recorded *r, unsigned int jobs, size_t segment)
{
	struct result alone = { 0 }, together = { 0 };
	const struct rvtrace_parallel_handler handler = parallel_handler(&together);

	replay_alone(r, &alone);
	assert_int_equal(rvtrace_parallel_replay(r->recording, 0, r->workers, jobs, segment,
						 &handler, NULL), 0);
	return expect_same(&together, &alone);
}

/* Return: how many parts there were, at most. */
static unsigned int compare_recorded(struct json_object *source, const struct vector_run *run,
				     const char *elf, const struct vector_file *rom, uint32_t gaps)
{
	struct recorded r;
	unsigned int most = 0;

	record(&r, source, run->out, run->size, gaps);
	for (unsigned int i = 0; i < JOBS_MAX; i++)
		add_worker(&r, i, elf, rom);
	for (unsigned int jobs = 1; jobs <= JOBS_MAX; jobs++) {
		unsigned int parts = compare_replay(&r, jobs, 600 + 700 * (gaps % 4));

		most = parts > most ? parts : most;
	}
	recorded_free(&r);
	return most;
}

static void recordings_of(bool damaged)
{
	struct ntrace_params params = qsort_params(true, 8, 20);
	struct vector_run run;

	vector_encode(&run, &params);
	if (damaged)
		for (size_t i = 700; i < run.size; i += 7001)
			run.out[i] ^= 0x55;
	for (uint32_t gaps = 0; gaps < 12; gaps++)
		if (!is_left_out())
			assert_in_range(compare_recorded(source_metadata(NULL, 8), &run, ELF, NULL,
							 gaps), 3, 1000);
	vector_free(&run);
}

static void recordings(void **state)
{
	(void)state;
	recordings_of(false);
}

static void damaged_recordings(void **state)
{
	(void)state;
	recordings_of(true);
}

/* Behind a gap packets are found again where there are alignment sequences: here there are none. */
static void recordings_of_etrace(void **state)
{
	struct etrace_params params = {
		.iaddress_width = 64, .iaddress_lsb = 1, .nocontext = true, .notime = true,
		.ecause_width = 6, .privilege_width = 2, .standard_support = true, .irets = true,
		.return_stack_size = 4, .modes = RVTRACE_ETRACE_IMPLICIT_RETURN,
		.sync_mode = ETRACE_SYNC_PACKETS, .sync_interval = 10,
	};
	struct rvtrace_etrace_params decoder = etrace_decoder_params(&params);
	const char *elf = "selftests/vectors/elf/" ETRACE_PROGRAM ".riscv";
	struct vector_run run;

	(void)state;
	vector_encode_etrace(&run, &params, ETRACE_PROGRAM);
	assert_in_range(compare_recorded(source_metadata(&decoder, 0), &run, elf, &run.rom, 0), 3,
			1000);
	for (uint32_t gaps = 1; gaps < 6; gaps++)
		if (!is_left_out())
			compare_recorded(source_metadata(&decoder, 0), &run, elf, &run.rom, gaps);
	vector_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings),
		cmocka_unit_test(damaged_recordings),
		cmocka_unit_test(recordings_of_etrace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
