// SPDX-License-Identifier: GPL-2.0
/* Images of a program: code up to the last half-word of the address space, and its flow. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow-fixture.h"

#include <rvtrace/program.h>

/* c.addi, c.addi, c.j to the first one */
static const uint8_t loop[] = { 0x05, 0x05, 0x05, 0x05, 0xf5, 0xbf };

static char path[64];
static struct rvtrace_program *program;
static struct rvtrace_failure error;

static void write_code(const uint8_t *code, size_t size)
{
	int fd = mkstemp(strcpy(path, "/tmp/rvtrace-program-XXXXXX"));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, code, size), size);
	close(fd);
}

static int setup_program(void **state)
{
	setup(state);
	write_code(loop, sizeof(loop));
	program = rvtrace_program_new();
	return !program;
}

static int teardown_program(void **state)
{
	rvtrace_program_free(program);
	unlink(path);
	return teardown(state);
}

static int add(uint64_t address)
{
	return rvtrace_program_add_image(program, path, address, true, RVTRACE_PRIV_ANY, &error);
}

/* The bytes from @address up to the end of what is there; NULL: nothing. */
static const uint8_t *bytes_at(uint64_t address, uint64_t *count)
{
	struct rvtrace_window window;

	if (!rvtrace_image_find(program->image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_M, address,
				&window))
		return NULL;
	*count = window.last - address + 1;
	return window.bytes + (address - window.start);
}

/* Three times around the loop that ends where addresses do. */
static void loop_is_followed(unsigned int xlen, uint64_t start)
{
	f.config.isa.xlen = xlen;
	put_sync(0, 3, 0, start);
	put_correlation(8, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, program->image, &f.flow), 0);
	decode();
	is_block(1, start, 6, 3);
	is_block(2, start, 6, 3);
	is_block(3, start, 4, 2);
	is_stop(4, start + 4);
}

static void the_last_half_word_of_64_bits(void **state)
{
	const uint8_t *bytes;
	uint64_t count;

	(void)state;
	assert_int_equal(add(-sizeof(loop)), 0);
	bytes = bytes_at(UINT64_MAX - 1, &count);
	assert_non_null(bytes);
	assert_int_equal(count, 2);
	assert_int_equal(bytes[1], 0xbf);
	loop_is_followed(64, -sizeof(loop));
}

static void the_last_half_word_of_32_bits(void **state)
{
	(void)state;
	assert_int_equal(add((1ull << 32) - sizeof(loop)), 0);
	loop_is_followed(32, (1ull << 32) - sizeof(loop));
}

/* What goes on behind the end is not there. */
static void code_ends_where_addresses_do(void **state)
{
	const uint8_t *bytes;
	uint64_t count;

	(void)state;
	assert_int_equal(add(UINT64_MAX - 1), 0);
	bytes = bytes_at(UINT64_MAX - 1, &count);
	assert_non_null(bytes);
	assert_int_equal(count, 2);
	assert_int_equal(bytes[0], 0x05);
	assert_null(bytes_at(0, &count));
}

static void code_at_address_0(void **state)
{
	const uint8_t *bytes;
	uint64_t count;

	(void)state;
	assert_int_equal(add(0), 0);
	bytes = bytes_at(0, &count);
	assert_non_null(bytes);
	assert_int_equal(count, sizeof(loop));
}

/*
 * Where nothing jumps, what follows the last half-word is the first one: the rest of an instruction
 * that began there, too. c.addi; add | c.addi
 */
static void flow_goes_round(unsigned int xlen, uint64_t start)
{
	static const uint8_t line[] = { 0x05, 0x05, 0x13, 0x05, 0x15, 0x00, 0x05, 0x05 };
	struct rvtrace_mapping mapping = { .size = 4, .space = RVTRACE_SPACE_ANY,
					   .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(line, sizeof(line), "line", &code), 0);
	mapping.code = code;
	mapping.address = start;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	mapping.address = 0;
	mapping.offset = 4;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
	f.config.isa.xlen = xlen;
	put_sync(0, 3, 0, start);
	put_correlation(4, 0);
	decode();
	is_block(1, start, 2, 1);
	is_block(2, start + 2, 4, 1);
	is_block(3, 2, 2, 1);
	is_stop(4, 4);
}

static void flow_of_64_bits_goes_round(void **state)
{
	(void)state;
	flow_goes_round(64, UINT64_MAX - 3);
}

static void flow_of_32_bits_goes_round(void **state)
{
	(void)state;
	flow_goes_round(32, UINT32_MAX - 3);
}

/* Of a file that goes on behind the last address, a hart of 32 bits executes what is before. */
static void a_long_file_ends_with_32_bits(void **state)
{
	static const uint8_t line[] = { 0x05, 0x05, 0x05, 0x05, 0x05, 0x05 };

	(void)state;
	unlink(path);
	write_code(line, sizeof(line));
	assert_int_equal(add((1ull << 32) - 4), 0);
	assert_int_equal(add(0), 0);
	f.config.isa.xlen = 32;
	put_sync(0, 3, 0, (1ull << 32) - 4);
	put_correlation(3, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, program->image, &f.flow), 0);
	decode();
	is_block(1, (1ull << 32) - 4, 4, 2);
	is_block(2, 0, 2, 1);
	is_stop(3, 2);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_program, teardown_program)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_last_half_word_of_64_bits),
		TEST(the_last_half_word_of_32_bits),
		TEST(code_ends_where_addresses_do),
		TEST(code_at_address_0),
		TEST(flow_of_64_bits_goes_round),
		TEST(flow_of_32_bits_goes_round),
		TEST(a_long_file_ends_with_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
