// SPDX-License-Identifier: GPL-2.0
/*
 * Real programs, encoded with every combination of options, must decode to
 * the instructions that were executed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zlib.h>

#include <rvtrace/flow.h>

#include "selftests/unit/share.h"
#include "selftests/unit/vectors.h"

#define MAX_PCS		250000

static unsigned int combination_number;
static uint64_t *pcs;
static size_t pc_count;

static void read_pcs(const char *path)
{
	char line[64];
	gzFile gz = gzopen(path, "rb");

	assert_non_null(gz);
	pcs = malloc(MAX_PCS * sizeof(*pcs));
	assert_non_null(pcs);
	pc_count = 0;
	while (gzgets(gz, line, sizeof(line))) {
		assert_true(pc_count < MAX_PCS);
		pcs[pc_count++] = strtoull(line, NULL, 16);
	}
	gzclose(gz);
}

/* Return: how many addresses of the list have been seen. */
static size_t check_items(struct rvtrace_flow *flow, size_t done)
{
	struct rvtrace_flow_item items[64];
	struct rvtrace_insn_iter iter;
	int n, i;

	while ((n = rvtrace_flow_read(flow, items, 64)) > 0) {
		for (i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_ERROR)
				fail_msg("options 0x%x: %s at offset %llu",
					 combination_number,
					 rvtrace_strerror(items[i].error.code),
					 (unsigned long long)items[i].offset);
			assert_int_not_equal(items[i].type, RVTRACE_FLOW_NO_IMAGE);
			if (items[i].type != RVTRACE_FLOW_BLOCKS)
				continue;
			rvtrace_insn_iter_init(&iter, &items[i]);
			while (rvtrace_insn_iter_next(&iter)) {
				assert_true(done < pc_count);
				assert_int_equal(iter.address, pcs[done]);
				done++;
			}
		}
	}
	assert_int_equal(n, 0);
	return done;
}

static void round_trip(struct rvtrace_image *image,
		       const struct ntrace_params *params)
{
	struct rvtrace_flow_config config = {
		.size = sizeof(config),
		.isa.xlen = params->xlen,
		.src_bits = params->src_bits,
		.ntrace.extend_addr_msb = params->extend_addr_msb,
		.ntrace.implicit_return = params->call_stack,
		.ntrace.sequential_jump = params->sequential_jump,
		.ntrace.all_jumps = params->all_jumps,
	};
	struct rvtrace_flow *flow;
	struct vector_run run;
	size_t done;

	vector_encode(&run, params);
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, run.out, run.size), 0);
	done = check_items(flow, 0);
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	done = check_items(flow, done);
	assert_int_equal(done, pc_count);
	rvtrace_flow_free(flow);
	vector_free(&run);
}

/* The @n'th combination: one bit an option. */
static struct ntrace_params combination(unsigned int xlen, unsigned int n)
{
	struct ntrace_params params = {
		.xlen = xlen,
		.history = n & 1,
		.all_jumps = n >> 1 & 1,
		.sequential_jump = n >> 2 & 1,
		.call_stack = n >> 3 & 1 ? 8 : 0,
		.extend_addr_msb = n >> 4 & 1,
		.indirect_without_hist = n >> 5 & 1,
		.timestamp = n >> 6 & 1,
		.timestamp_bits = 64,
		.icnt_bits = n >> 4 & 1 ? 6 : 17,
		.hist_bits = n >> 5 & 1 ? 11 : 32,
		.repeat_bits = n >> 6 & 1 ? 3 : 18,
		.src_bits = n % 13,
		.sync_mode = (enum ntrace_sync_mode)(n % 4),
		.sync_interval = 333,
	};

	params.repeated_history = params.history && n >> 2 & 1;
	params.repeat_branch = !params.history && n >> 2 & 1;
	params.icnt_sync = !params.history && n >> 5 & 1;
	if (params.repeated_history && params.hist_bits == 32) {
		params.hist_patterns[0] = 28;
		params.hist_patterns[1] = 30;
	}
	params.src = params.src_bits ? 1 : 0;
	return params;
}

static void all_combinations(const char *elf, const char *list,
			     unsigned int xlen)
{
	struct rvtrace_image *image = rvtrace_image_new();
	struct ntrace_params params;
	unsigned int n;

	assert_non_null(image);
	assert_true(rvtrace_image_add_elf(image, elf, 0, RVTRACE_SPACE_ANY,
					  RVTRACE_PRIV_ANY) > 0);
	read_pcs(list);
	for (n = 0; n < 128; n++) {
		if (is_left_out())
			continue;
		combination_number = n;
		params = combination(xlen, n);
		assert_null(ntrace_params_check(&params));
		round_trip(image, &params);
	}
	free(pcs);
	rvtrace_image_free(image);
}

static void t1_decodes_under_all_options(void **state)
{
	(void)state;
	all_combinations(VECTORS "t1/test.elf",
			 VECTORS "t1/test-PCONLY.txt.gz", 32);
}

static void qsort_decodes_under_all_options(void **state)
{
	(void)state;
	all_combinations(VECTORS "qsort/qsort.riscv",
			 VECTORS "qsort/qsort.pconly.gz", 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t1_decodes_under_all_options),
		cmocka_unit_test(qsort_decodes_under_all_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
