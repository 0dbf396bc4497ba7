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

#include "selftests/unit/etrace-decoder-params.h"
#include "selftests/unit/parallel-fixture.h"
#include "selftests/unit/share.h"
#include "selftests/unit/vectors.h"

static int decode_parallel(const struct rvtrace_flow_config *config,
			   const struct rvtrace_image *image, const uint8_t *stream, size_t size,
			   unsigned int jobs, size_t segment, struct result *result)
{
	const struct rvtrace_parallel_handler handler = parallel_handler(result);
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
	take_stats(flow, result->stats);
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
	for (unsigned int i = 0; i < HARTS; i++) {
		/* runs may be cut elsewhere, blocks are the same */
		assert_memory_equal(&together.stats[i], &alone.stats[i], sizeof(alone.stats[i]));
	}
	return expect_same(&together, &alone);
}

/* Return: how many parts there were. */
static unsigned int compare_qsort(struct ntrace_params params, unsigned int jobs, size_t segment)
{
	struct rvtrace_flow_config config = {
		.size = sizeof(config), .isa.xlen = 64,
		.ntrace.implicit_return = params.call_stack,
	};
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
	struct rvtrace_flow_config config = { .size = sizeof(config) };
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
	struct world *w = world_new(seed, seed % 3 ? 0 : 500, STEPS, false);
	struct rvtrace_flow_config config = world_config(w);
	struct rvtrace_image *image = world_image(w);

	config.branches_max = 1 << 22;	/* half-words: damage may tell of more, and all are kept */
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
	struct rvtrace_flow_config config = { .size = sizeof(config) };

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

static void failures_end_it(void **state)
{
	struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
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
	struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
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
		cmocka_unit_test(failures_end_it),
		cmocka_unit_test(nothing_to_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
