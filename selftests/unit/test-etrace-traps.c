// SPDX-License-Identifier: GPL-2.0
/* E-Trace flow: traps whose handlers the packets leave out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#include "selftests/unit/etrace-payload.h"

#define CODE	0x80001000ull
#define SIZE	0x1000
#define ITEMS	16

static const uint64_t vectors[4] = { CODE + 0x100, CODE + 0x201, 0, CODE + 0x300 };

struct fixture {
	struct rvtrace_image *image;
	struct rvtrace_flow *flow;
	uint8_t stream[256];
	size_t size;
};

/* In its encapsulation: length and flow in one byte. */
static void append(struct fixture *f, struct payload *p)
{
	size_t size;

	extend_sign(p);
	size = bytes_of(p, f->stream + f->size + 1);
	f->stream[f->size] = 2 << 5 | size;
	f->size += 1 + size;
}

static void add_start(struct fixture *f, uint64_t address)
{
	struct payload p = { };

	put(&p, 3, 2);
	put(&p, RVTRACE_ETRACE_START, 2);
	put(&p, 1, 1);
	put(&p, 1, 3);
	put(&p, address >> 1, 63);
	append(f, &p);
}

static void add_trap(struct fixture *f, unsigned int privilege, unsigned int cause, bool interrupt)
{
	struct payload p = { };

	put(&p, 3, 2);
	put(&p, RVTRACE_ETRACE_TRAP, 2);
	put(&p, 1, 1);
	put(&p, privilege, 3);
	put(&p, cause, 6);
	put(&p, interrupt, 1);
	put(&p, 1, 1);
	if (!interrupt)
		put(&p, 0x1234, 64);
	append(f, &p);
}

static int set_up(void **state)
{
	static struct fixture fixture;
	static const uint8_t nop[2] = { 0x01, 0x00 };
	struct rvtrace_mapping mapping = {
		.address = CODE, .size = SIZE, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_etrace_params params;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_code *code;
	uint8_t bytes[SIZE];

	fixture = (struct fixture) { .image = rvtrace_image_new() };
	for (unsigned int i = 0; i < SIZE; i++)
		bytes[i] = nop[i % 2];
	if (rvtrace_code_from_memory(bytes, SIZE, "nops", &code))
		return -1;
	mapping.code = code;
	if (rvtrace_image_map(fixture.image, &mapping))
		return -1;
	rvtrace_code_unref(code);
	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	params.ecause_width = 6;
	params.privilege_width = 3;
	params.nocontext = 1;
	params.notime = 1;
	params.modes = RVTRACE_ETRACE_IMPLICIT_EXCEPTION;
	rvtrace_flow_config_etrace(&params, &config);
	memcpy(config.trap_vector, vectors, sizeof(vectors));
	*state = &fixture;
	return rvtrace_flow_new(&config, fixture.image, &fixture.flow);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	rvtrace_flow_free(f->flow);
	rvtrace_image_free(f->image);
	return 0;
}

/* How many items of @type there are; @item is the last one of them. */
static unsigned int decode(struct fixture *f, unsigned int type, struct rvtrace_flow_item *item)
{
	struct rvtrace_flow_item items[ITEMS];
	unsigned int count = 0;
	int n;

	assert_int_equal(rvtrace_flow_feed(f->flow, f->stream, f->size), 0);
	while ((n = rvtrace_flow_read(f->flow, items, ITEMS)) > 0) {
		for (int i = 0; i < n; i++) {
			if (items[i].type != type)
				continue;
			*item = items[i];
			count++;
		}
	}
	assert_int_equal(n, 0);
	return count;
}

/* Where a trap leads to. */
static void assert_target(struct fixture *f, unsigned int privilege, unsigned int cause,
			  bool interrupt, uint64_t target)
{
	struct rvtrace_flow_item item;

	add_start(f, CODE);
	add_trap(f, privilege, cause, interrupt);
	assert_int_equal(decode(f, RVTRACE_FLOW_TRAP, &item), 1);
	assert_true(item.flags & RVTRACE_FLOW_HAS_TARGET);
	assert_int_equal(item.trap.target, target);
	assert_int_equal(item.trap.cause, cause);
}

static void exceptions_go_to_the_base(void **state)
{
	assert_target(*state, 3, 9, false, CODE + 0x300);
}

static void so_they_do_where_interrupts_have_a_table(void **state)
{
	assert_target(*state, 1, 3, false, CODE + 0x200);
}

static void interrupts_go_to_the_base(void **state)
{
	assert_target(*state, 3, 7, true, CODE + 0x300);
}

static void or_to_their_place_in_the_table(void **state)
{
	assert_target(*state, 1, 5, true, CODE + 0x200 + 4 * 5);
}

/* That is told, and nothing decoded, up to the next synchronization. */
static void assert_unknown(struct fixture *f, unsigned int privilege)
{
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
	struct rvtrace_flow_item item;

	add_start(f, CODE);
	add_trap(f, privilege, 3, false);
	add_start(f, CODE + 0x400);
	add_start(f, CODE + 0x402);
	assert_int_equal(decode(f, RVTRACE_FLOW_ERROR, &item), 1);
	assert_int_equal(item.error.code, RVTRACE_ERR_VECTOR);
	assert_int_equal(item.offset, 1 + f->stream[0] % 32);
	rvtrace_flow_stats(f->flow, 0, &stats);
	/* CODE, and CODE + 0x400 */
	assert_int_equal(stats.instructions, 2);
}

static void a_vector_that_is_not_known_is_told(void **state)
{
	assert_unknown(*state, 2);
}

static void the_vector_of_a_guest_is_not_that_of_the_kernel(void **state)
{
	assert_unknown(*state, 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(exceptions_go_to_the_base),
		TEST(so_they_do_where_interrupts_have_a_table),
		TEST(interrupts_go_to_the_base),
		TEST(or_to_their_place_in_the_table),
		TEST(a_vector_that_is_not_known_is_told),
		TEST(the_vector_of_a_guest_is_not_that_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
