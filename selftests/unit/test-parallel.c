// SPDX-License-Identifier: GPL-2.0
/* Several threads must yield what one decoder yields, whatever the stream, wherever it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <rvtrace/parallel.h>
#include <rvtrace/replay.h>

#include "selftests/unit/etrace-decoder-params.h"
#include "selftests/unit/random-program.h"
#include "selftests/unit/recording_helpers.h"
#include "selftests/unit/share.h"
#include "selftests/unit/vectors.h"

#define ELF	"selftests/vectors/ntrace/qsort/qsort.riscv"
#define ETRACE_PROGRAM	"multiply"
#define JOBS_MAX	4
#define PART_MAX	30000	/* bytes in a part that has to wait */

/* Items, one after the other, blocks as items of their own. */
struct record {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

/* @parts: how many were committed with something in them; @fail_at: number of the failing commit */
struct result {
	struct record all;
	unsigned int parts;
	unsigned int commits;
	unsigned int fail_at;
	struct rvtrace_flow_stats stats[HARTS];
};

struct part {
	struct record record;
	bool counted;
};

static void append(struct record *r, const void *bytes, size_t size)
{
	if (!size)
		return;
	if (r->size + size > r->room) {
		r->room = 2 * (r->size + size);
		r->bytes = realloc(r->bytes, r->room);
		if (!r->bytes)
			abort();	/* not the thread of the test */
	}
	memcpy(r->bytes + r->size, bytes, size);
	r->size += size;
}

static void record_item(struct record *r, const struct rvtrace_flow_item *item)
{
	struct rvtrace_flow_item head = *item;

	if (item->type == RVTRACE_FLOW_ACCESS) {
		head.access = NULL;
		append(r, &head, sizeof(head));
		append(r, item->access, offsetof(struct rvtrace_flow_access, flags) + 1);
		return;
	}
	if (item->type != RVTRACE_FLOW_BLOCKS) {
		append(r, item, sizeof(*item));
		return;
	}
	head.address = 0;
	head.blocks.list = NULL;
	head.blocks.count = 0;
	head.blocks.instructions = 0;
	for (uint32_t i = 0; i < item->blocks.count; i++) {
		struct rvtrace_flow_block block = item->blocks.list[i];

		append(r, &head, sizeof(head));
		append(r, block.code, block.size);
		block.code = NULL;
		append(r, &block, sizeof(block));
	}
}

static void *part_new(void *data, unsigned int worker)
{
	(void)data;
	(void)worker;
	return calloc(1, sizeof(struct part));
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct part *part = data;

	for (size_t i = 0; i < count; i++)
		record_item(&part->record, &items[i]);
	return part->record.size > PART_MAX;
}

static int commit(void *data, void *p)
{
	struct result *result = data;
	struct part *part = p;

	if (result->fail_at && ++result->commits == result->fail_at)
		return -77;
	append(&result->all, part->record.bytes, part->record.size);
	if (part->record.size && !part->counted) {
		part->counted = true;
		result->parts++;
	}
	part->record.size = 0;
	return 0;
}

static void part_free(void *p)
{
	struct part *part = p;

	free(part->record.bytes);
	free(part);
}

static void end(void *data, const struct rvtrace_flow *flow)
{
	struct result *result = data;

	for (unsigned int i = 0; i < HARTS; i++)
		rvtrace_flow_stats(flow, i, &result->stats[i]);
}

static int decode_parallel(const struct rvtrace_flow_config *config,
			   const struct rvtrace_image *image, const uint8_t *stream, size_t size,
			   unsigned int jobs, size_t segment, struct result *result)
{
	const struct rvtrace_parallel_handler handler = {
		.part_new = part_new, .items = take_items, .commit = commit,
		.part_free = part_free, .end = end, .data = result,
	};
	struct rvtrace_program program = { .image = (struct rvtrace_image *)image };
	struct rvtrace_parallel_worker workers[JOBS_MAX];
	int fd = memfd_create("stream", MFD_CLOEXEC), ret;

	for (unsigned int i = 0; i < JOBS_MAX; i++)
		workers[i] = (struct rvtrace_parallel_worker) { .program = &program };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, stream, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	ret = rvtrace_parallel_file(fd, "stream", config, workers, jobs, segment, &handler, NULL);
	close(fd);
	return ret;
}

static void drain(struct rvtrace_flow *flow, struct record *record)
{
	struct rvtrace_flow_item items[64];
	int n;

	while ((n = rvtrace_flow_read(flow, items, 64)) > 0)
		for (int i = 0; i < n; i++)
			record_item(record, &items[i]);
	assert_int_equal(n, 0);
}

static void decode_alone(const struct rvtrace_flow_config *config,
			 const struct rvtrace_image *image, const uint8_t *stream, size_t size,
			 struct result *result)
{
	struct rvtrace_flow *flow;

	assert_int_equal(rvtrace_flow_new(config, image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, stream, size), 0);
	drain(flow, &result->all);
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	drain(flow, &result->all);
	end(result, flow);
	rvtrace_flow_free(flow);
}

/* Return: how many parts there were. */
static unsigned int compare(const struct rvtrace_flow_config *config,
			    const struct rvtrace_image *image, const uint8_t *stream, size_t size,
			    unsigned int jobs, size_t segment)
{
	struct result alone = { 0 }, together = { 0 };

	decode_alone(config, image, stream, size, &alone);
	assert_int_equal(decode_parallel(config, image, stream, size, jobs, segment, &together), 0);
	assert_int_equal(together.all.size, alone.all.size);
	assert_memory_equal(together.all.bytes, alone.all.bytes, alone.all.size);
	for (unsigned int i = 0; i < HARTS; i++) {
		/* runs may be cut elsewhere, blocks are the same */
		assert_memory_equal(&together.stats[i], &alone.stats[i], sizeof(alone.stats[i]));
	}
	free(alone.all.bytes);
	free(together.all.bytes);
	return together.parts;
}

static struct ntrace_params qsort_params(bool history, unsigned int call_stack, uint64_t sync)
{
	return (struct ntrace_params) {
		.xlen = 64, .history = history, .call_stack = call_stack, .timestamp = true,
		.timestamp_bits = 64, .icnt_bits = 17, .hist_bits = 32, .repeat_bits = 18,
		.repeated_history = history,
		.sync_mode = sync ? NTRACE_SYNC_MESSAGES : NTRACE_SYNC_OFF, .sync_interval = sync,
	};
}

/* Return: how many parts there were. */
static unsigned int compare_qsort(struct ntrace_params params, unsigned int jobs, size_t segment)
{
	struct rvtrace_flow_config config = { .isa.xlen = 64,
					      .implicit_return = params.call_stack };
	struct rvtrace_image *image = rvtrace_image_new();
	struct vector_run run;
	unsigned int parts;

	assert_null(ntrace_params_check(&params));
	assert_true(rvtrace_image_add_elf(image, ELF, 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) > 0);
	vector_encode(&run, &params);
	parts = compare(&config, image, run.out, run.size, jobs, segment);
	vector_free(&run);
	rvtrace_image_free(image);
	return parts;
}

static void cut_at_synchronizations(void **state)
{
	(void)state;
	for (unsigned int jobs = 2; jobs <= 4; jobs++) {
		assert_in_range(compare_qsort(qsort_params(true, 0, 20), jobs, 2000), 3, 1000);
		assert_in_range(compare_qsort(qsort_params(true, 8, 20), jobs, 3000), 3, 1000);
		assert_in_range(compare_qsort(qsort_params(false, 0, 50), jobs, 5000), 3, 1000);
	}
}

static struct rvtrace_image *etrace_image(const struct vector_run *run)
{
	struct rvtrace_mapping rom = {
		.address = 0x1000, .size = run->rom.size, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_image *image = rvtrace_image_new();
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(run->rom.bytes, run->rom.size, "rom", &code), 0);
	rom.code = code;
	assert_int_equal(rvtrace_image_map(image, &rom), 0);
	rvtrace_code_unref(code);
	assert_true(rvtrace_image_add_elf(image, "selftests/vectors/elf/" ETRACE_PROGRAM ".riscv",
					  0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) > 0);
	return image;
}

/* @modes: RVTRACE_ETRACE_ ... Return: how many parts there were. */
static unsigned int compare_etrace(unsigned int modes, uint64_t sync, unsigned int jobs,
				   size_t segment)
{
	struct etrace_params params = {
		.iaddress_width = 64, .iaddress_lsb = 1, .nocontext = true, .notime = true,
		.ecause_width = 6, .privilege_width = 2, .standard_support = true, .irets = true,
		.return_stack_size = 4, .bpred_size = 5, .modes = modes,
		.sync_mode = sync ? ETRACE_SYNC_PACKETS : ETRACE_SYNC_OFF, .sync_interval = sync,
	};
	struct rvtrace_etrace_params decoder = etrace_decoder_params(&params);
	struct rvtrace_flow_config config;
	struct rvtrace_image *image;
	struct vector_run run;
	unsigned int parts;

	vector_encode_etrace(&run, &params, ETRACE_PROGRAM);
	image = etrace_image(&run);
	rvtrace_flow_config_etrace(&decoder, &config);
	parts = compare(&config, image, run.out, run.size, jobs, segment);
	rvtrace_image_free(image);
	vector_free(&run);
	return parts;
}

static void cut_at_synchronizations_of_etrace(void **state)
{
	static const unsigned int modes[] = {
		0, RVTRACE_ETRACE_IMPLICIT_RETURN, RVTRACE_ETRACE_FULL_ADDRESS,
		RVTRACE_ETRACE_BRANCH_PREDICTION,
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		for (unsigned int jobs = 2; jobs <= 3; jobs++)
			if (!is_left_out())
				assert_in_range(compare_etrace(modes[i], 10, jobs, 600), 3, 1000);
	for (size_t segment = 50; segment < 4000; segment = segment * 3 / 2)
		if (!is_left_out())
			compare_etrace(0, 30, 3, segment);
	assert_int_equal(compare_etrace(0, 0, 3, 500), 1);
}

static void without_synchronizations_one_decoder_does_it_all(void **state)
{
	(void)state;
	assert_int_equal(compare_qsort(qsort_params(true, 0, 0), 3, 1000), 1);
	assert_int_equal(compare_qsort(qsort_params(false, 8, 0), 2, 1000), 1);
}

static void few_synchronizations(void **state)
{
	(void)state;
	for (size_t segment = 100; segment < 4000; segment = segment * 3 / 2)
		compare_qsort(qsort_params(true, 0, 300), 3, segment);
}

static void one_thread_does_it_all(void **state)
{
	(void)state;
	assert_int_equal(compare_qsort(qsort_params(true, 0, 20), 1, 2000), 1);
	assert_int_equal(compare_qsort(qsort_params(true, 0, 20), 3, 0), 1);
}

static void damage(struct world *w)
{
	for (unsigned int i = 0; i < 20; i++)
		w->stream[rnd(w, w->size)] = rnd(w, 256);
}

static void random_program(unsigned int seed, bool damaged)
{
	struct world *w = world_new(seed, seed % 3 ? 0 : 500, STEPS);
	struct rvtrace_flow_config config = world_config(w);
	struct rvtrace_image *image = world_image(w);

	if (damaged)
		damage(w);
	compare(&config, image, w->stream, w->size, 2 + seed % 3, 300 + rnd(w, 6000));
	rvtrace_image_free(image);
	world_free(w);
}

static void random_programs(bool damaged)
{
	for (unsigned int seed = 1; seed <= 60; seed++)
		if (!is_left_out())
			random_program(seed, damaged);
}

static void random_program_of_etrace(unsigned int seed, bool damaged)
{
	struct world *w = world_new_etrace(seed, seed % 3 ? 0 : 500, STEPS);
	struct rvtrace_etrace_params params = etrace_decoder_params(&w->etrace);
	struct rvtrace_image *image = world_image(w);
	struct rvtrace_flow_config config;

	rvtrace_flow_config_etrace(&params, &config);
	config.isa.zcmp = w->zcmp;
	config.branches_max = 100000;	/* damage may tell of more, and all of them are kept */
	config.trap_vector[0] = w->regions[USER1].base;
	config.trap_vector[1] = w->regions[KERNEL].base;
	config.trap_vector[3] = w->regions[FIRMWARE].base;
	if (damaged)
		damage(w);
	compare(&config, image, w->stream, w->size, 2 + seed % 3, 300 + rnd(w, 6000));
	rvtrace_image_free(image);
	world_free(w);
}

static void random_programs_of_etrace(bool damaged)
{
	for (unsigned int seed = 1; seed <= 60; seed++)
		if (!is_left_out())
			random_program_of_etrace(seed, damaged);
}

static void random_streams_of_etrace(void **state)
{
	(void)state;
	random_programs_of_etrace(false);
}

static void damaged_streams_of_etrace(void **state)
{
	(void)state;
	random_programs_of_etrace(true);
}

static void random_streams(void **state)
{
	(void)state;
	random_programs(false);
}

static void damaged_streams(void **state)
{
	(void)state;
	random_programs(true);
}

/* --- Recordings --- */

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

/*
 * Bytes in drains of random sizes; with @gaps, some drains never come, are overwritten while they
 * are copied, or nothing is known of what is between them.
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
	assert_int_equal(rvtrace_resolver_new(r->recording, 0, worker->program, r->spaces,
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

static void replay_alone(struct recorded *r, struct result *result)
{
	struct part part = { };
	const struct rvtrace_replay_handler handler = { .items = take_items, .data = &part };

	assert_int_equal(rvtrace_replay(r->recording, 0, r->workers[0].program,
					r->workers[0].resolver, &handler, NULL), 0);
	result->all = part.record;
}

/* Return: how many parts there were. */
static unsigned int compare_replay(struct recorded *r, unsigned int jobs, size_t segment)
{
	struct result alone = { 0 }, together = { 0 };
	const struct rvtrace_parallel_handler handler = {
		.part_new = part_new, .items = take_items, .commit = commit,
		.part_free = part_free, .end = end, .data = &together,
	};

	replay_alone(r, &alone);
	assert_int_equal(rvtrace_parallel_replay(r->recording, 0, r->workers, jobs, segment,
						 &handler, NULL), 0);
	assert_int_equal(together.all.size, alone.all.size);
	assert_memory_equal(together.all.bytes, alone.all.bytes, alone.all.size);
	free(alone.all.bytes);
	free(together.all.bytes);
	return together.parts;
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

static void failures_end_it(void **state)
{
	struct rvtrace_flow_config config = { .isa.xlen = 64 };
	struct ntrace_params params = qsort_params(true, 0, 20);
	struct rvtrace_image *image = rvtrace_image_new();
	struct vector_run run;

	(void)state;
	assert_true(rvtrace_image_add_elf(image, ELF, 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) > 0);
	vector_encode(&run, &params);
	for (unsigned int i = 1; i < 6; i++) {
		struct result result = { .fail_at = i };

		assert_int_equal(decode_parallel(&config, image, run.out, run.size, 1 + i % 3, 700,
						 &result), -77);
		free(result.all.bytes);
	}
	vector_free(&run);
	rvtrace_image_free(image);
}

static void nothing_to_decode(void **state)
{
	struct rvtrace_flow_config config = { .isa.xlen = 64 };
	struct rvtrace_image *image = rvtrace_image_new();

	(void)state;
	assert_int_equal(compare(&config, image, (const uint8_t *)"", 0, 2, 0), 0);
	assert_int_equal(compare(&config, image, (const uint8_t *)"", 0, 1, 0), 0);
	rvtrace_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_synchronizations),
		cmocka_unit_test(cut_at_synchronizations_of_etrace),
		cmocka_unit_test(without_synchronizations_one_decoder_does_it_all),
		cmocka_unit_test(few_synchronizations),
		cmocka_unit_test(one_thread_does_it_all),
		cmocka_unit_test(random_streams),
		cmocka_unit_test(damaged_streams),
		cmocka_unit_test(random_streams_of_etrace),
		cmocka_unit_test(damaged_streams_of_etrace),
		cmocka_unit_test(recordings),
		cmocka_unit_test(damaged_recordings),
		cmocka_unit_test(recordings_of_etrace),
		cmocka_unit_test(failures_end_it),
		cmocka_unit_test(nothing_to_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
