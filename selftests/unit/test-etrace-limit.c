// SPDX-License-Identifier: GPL-2.0
/* Flow of E-Trace: a packet may say of how many branches it likes that they were predicted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#include "selftests/unit/etrace-payload.h"

#define ADDRESS		0x1000
#define LIMIT		1000	/* branches */
#define TRUE_BEFORE	32	/* branches that a packet with a count of 0 has: one fails */

/* A loop that a branch leaves if it is taken; at first it is predicted not to be. */
static const uint8_t program[] = {
	0x01, 0x00,		/* c.nop */
	0x19, 0xe0,		/* c.bnez s0, .+6 */
	0x6f, 0xf0, 0xdf, 0xff,	/* j .-4 */
	0x01, 0x00, 0x01, 0x00, 0x01, 0x00,
};

struct stream {
	uint8_t bytes[256];
	size_t size;
};

static size_t add(struct stream *s, struct payload *p)
{
	size_t offset = s->size, length;

	extend_sign(p);
	compress(p);
	length = bytes_of(p, s->bytes + offset + 1);
	s->bytes[offset] = length;
	s->size += 1 + length;
	return offset;
}

static void add_start(struct stream *s)
{
	struct payload p = { };

	put(&p, RVTRACE_ETRACE_SYNC, 2);
	put(&p, RVTRACE_ETRACE_START, 2);
	put(&p, 1, 1);
	put(&p, 3, 2);
	put(&p, ADDRESS / 2, 31);
	add(s, &p);
}

/* Return: its offset. */
static size_t add_count(struct stream *s, uint32_t branch_count)
{
	struct payload p = { };

	put(&p, RVTRACE_ETRACE_OPT_EXT, 2);
	put(&p, branch_count, 32);
	put(&p, RVTRACE_ETRACE_NO_ADDR, 2);
	return add(s, &p);
}

static struct rvtrace_image *image_of_program(void)
{
	struct rvtrace_mapping mapping = {
		.address = ADDRESS, .size = sizeof(program), .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_image *image = rvtrace_image_new();
	struct rvtrace_code *code;

	assert_non_null(image);
	assert_int_equal(rvtrace_code_from_memory(program, sizeof(program), "code", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(image, &mapping), 0);
	rvtrace_code_unref(code);
	return image;
}

/**
 * struct result - what came out
 * @instructions: executed
 * @errors: error items
 * @error: the last one
 * @syncs: synchronizations
 */
struct result {
	uint64_t instructions;
	unsigned int errors;
	struct rvtrace_flow_item error;
	unsigned int syncs;
};

static struct result decode(const struct stream *s, uint64_t branches_max)
{
	struct rvtrace_etrace_params params;
	struct rvtrace_image *image = image_of_program();
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow_item items[16];
	struct rvtrace_flow *flow;
	struct result r = { 0 };
	int n;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 32;
	params.iaddress_lsb = 1;
	params.ecause_width = 4;
	params.privilege_width = 2;
	params.bpred_size = 4;
	params.modes = RVTRACE_ETRACE_BRANCH_PREDICTION;
	rvtrace_flow_config_etrace(&params, &config);
	config.branches_max = branches_max;
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, s->bytes, s->size), 0);
	while ((n = rvtrace_flow_read(flow, items, 16)) > 0)
		for (int i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_BLOCKS)
				r.instructions += items[i].blocks.instructions;
			r.syncs += items[i].type == RVTRACE_FLOW_SYNC;
			if (items[i].type != RVTRACE_FLOW_ERROR)
				continue;
			r.errors++;
			r.error = items[i];
		}
	assert_int_equal(n, 0);
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	return r;
}

/* Laps of the loop, and the way out of it. */
static uint64_t instructions(uint32_t branch_count)
{
	return 3ull * (branch_count + TRUE_BEFORE - 1) + 2;
}

static void as_many_branches_as_may_be(void **state)
{
	static const struct {
		uint32_t count;
		uint64_t limit;
	} cases[] = {
		{ 0, 0 }, { 0, TRUE_BEFORE }, { LIMIT - TRUE_BEFORE, LIMIT }, { 100000, 0 },
		{ 100000, UINT64_MAX },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stream s = { 0 };
		struct result r;

		add_start(&s);
		add_count(&s, cases[i].count);
		r = decode(&s, cases[i].limit);
		assert_int_equal(r.errors, 0);
		assert_int_equal(r.instructions, instructions(cases[i].count));
	}
}

static void more_are_an_error_and_decoding_goes_on(void **state)
{
	static const struct {
		uint32_t count;
		uint64_t limit;
	} cases[] = {
		{ 0, TRUE_BEFORE - 1 }, { LIMIT - TRUE_BEFORE + 1, LIMIT },
		{ RVTRACE_FLOW_BRANCHES_MAX, 0 }, { UINT32_MAX - 1, 0 },
		{ UINT32_MAX - 1, RVTRACE_FLOW_BRANCHES_MAX },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stream s = { 0 };
		struct result r;
		size_t offset;

		add_start(&s);
		offset = add_count(&s, cases[i].count);
		add_count(&s, 0);	/* of no use: nobody knows where it begins */
		add_start(&s);
		r = decode(&s, cases[i].limit);
		assert_int_equal(r.errors, 1);
		assert_int_equal(r.error.error.code, RVTRACE_ERR_FIELD);
		assert_int_equal(r.error.offset, offset);
		assert_true(r.error.flags & RVTRACE_FLOW_HAS_ADDRESS);
		assert_int_equal(r.error.address, ADDRESS);
		assert_int_equal(r.instructions, 1);	/* what the packet before reported */
		assert_int_equal(r.syncs, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_branches_as_may_be),
		cmocka_unit_test(more_are_an_error_and_decoding_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
