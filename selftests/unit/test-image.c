// SPDX-License-Identifier: GPL-2.0
/* Program images. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <rvtrace/image.h>

#define VECTORS	"selftests/vectors/ntrace/"

static struct rvtrace_image *image;
static struct rvtrace_code *a, *b;

static int setup(void **state)
{
	uint8_t bytes[256];

	(void)state;
	image = rvtrace_image_new();
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	rvtrace_code_from_memory(bytes, sizeof(bytes), "a", &a);
	memset(bytes, 'b', sizeof(bytes));
	rvtrace_code_from_memory(bytes, sizeof(bytes), NULL, &b);
	return !image || !a || !b;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_image_free(image);
	rvtrace_code_unref(a);
	rvtrace_code_unref(b);
	return 0;
}

static int map(const struct rvtrace_code *code, uint64_t offset, uint64_t size, uint64_t address,
	       uint64_t space, unsigned int privs)
{
	struct rvtrace_mapping mapping = { code, offset, size, address, space, privs };

	return rvtrace_image_map(image, &mapping);
}

/* Asserts that @address holds code @code from @start to @last, whose first byte is @byte. */
static void assert_window(uint64_t space, unsigned int privs, uint64_t address,
			  const struct rvtrace_code *code, uint64_t start, uint64_t last,
			  uint8_t byte)
{
	struct rvtrace_window window;

	assert_int_equal(rvtrace_image_find(image, space, privs, address, &window), 1);
	assert_ptr_equal(window.code, code);
	assert_int_equal(window.start, start);
	assert_int_equal(window.last, last);
	assert_int_equal(*window.bytes, byte);
}

static void assert_nothing(uint64_t space, unsigned int privs, uint64_t address)
{
	struct rvtrace_window window;

	assert_int_equal(rvtrace_image_find(image, space, privs, address, &window), 0);
}

static void finds_what_is_mapped(void **state)
{
	(void)state;
	assert_int_equal(map(a, 16, 32, 0x1000, 7, RVTRACE_PRIV_U), 0);
	assert_window(7, RVTRACE_PRIV_U, 0x1000, a, 0x1000, 0x101f, 16);
	assert_window(7, RVTRACE_PRIV_ANY, 0x101e, a, 0x1000, 0x101f, 16);
	assert_nothing(7, RVTRACE_PRIV_U, 0x1020);
	assert_nothing(7, RVTRACE_PRIV_U, 0xffe);
	assert_nothing(7, RVTRACE_PRIV_S | RVTRACE_PRIV_M, 0x1000);
	assert_nothing(8, RVTRACE_PRIV_U, 0x1000);
	assert_nothing(RVTRACE_SPACE_ANY, RVTRACE_PRIV_U, 0x1000);
	assert_string_equal(rvtrace_code_name(a), "a");
	assert_string_equal(rvtrace_code_name(b), "");
}

static void every_space_sees_common_mappings(void **state)
{
	(void)state;
	assert_int_equal(map(a, 0, 256, 0xffffffffffffff00, RVTRACE_SPACE_ANY, RVTRACE_PRIV_S), 0);
	assert_window(3, RVTRACE_PRIV_S, 0xfffffffffffffff0, a, 0xffffffffffffff00, UINT64_MAX, 0);
	assert_window(RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY, 0xffffffffffffff00, a,
		      0xffffffffffffff00, UINT64_MAX, 0);
}

static void a_space_covers_common_mappings(void **state)
{
	(void)state;
	assert_int_equal(map(a, 0, 256, 0x1000, RVTRACE_SPACE_ANY, RVTRACE_PRIV_U), 0);
	assert_int_equal(map(b, 0, 16, 0x1020, 1, RVTRACE_PRIV_U), 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1010, a, 0x1000, 0x101f, 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1020, b, 0x1020, 0x102f, 'b');
	assert_window(1, RVTRACE_PRIV_U, 0x1030, a, 0x1030, 0x10ff, 0x30);
	assert_window(2, RVTRACE_PRIV_U, 0x1020, a, 0x1000, 0x10ff, 0);
}

static void later_mappings_cover_earlier_ones(void **state)
{
	uint64_t generation = rvtrace_image_generation(image);

	(void)state;
	assert_int_equal(map(a, 0, 256, 0x1000, 1, RVTRACE_PRIV_U | RVTRACE_PRIV_S), 0);
	assert_int_equal(map(b, 0, 16, 0x1010, 1, RVTRACE_PRIV_U), 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1000, a, 0x1000, 0x100f, 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1010, b, 0x1010, 0x101f, 'b');
	assert_window(1, RVTRACE_PRIV_U, 0x1020, a, 0x1020, 0x10ff, 0x20);
	assert_window(1, RVTRACE_PRIV_S, 0x1010, a, 0x1000, 0x10ff, 0);
	/* all of it and more */
	assert_int_equal(map(b, 0, 256, 0xff0, 1, RVTRACE_PRIV_U), 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1010, b, 0xff0, 0x10ef, 'b');
	assert_window(1, RVTRACE_PRIV_U, 0x10f0, a, 0x10f0, 0x10ff, 0xf0);
	assert_true(rvtrace_image_generation(image) > generation);
}

static void unmapped_code_is_gone(void **state)
{
	(void)state;
	assert_int_equal(map(a, 0, 256, 0x1000, 1, RVTRACE_PRIV_U), 0);
	assert_int_equal(rvtrace_image_unmap(image, 1, 0x1040, 0x40), 0);
	assert_window(1, RVTRACE_PRIV_U, 0x103e, a, 0x1000, 0x103f, 0);
	assert_nothing(1, RVTRACE_PRIV_U, 0x1040);
	assert_window(1, RVTRACE_PRIV_U, 0x1080, a, 0x1080, 0x10ff, 0x80);
	assert_int_equal(rvtrace_image_unmap(image, 1, 0, UINT64_MAX), 0);
	assert_nothing(1, RVTRACE_PRIV_U, 0x1080);
	assert_int_equal(rvtrace_image_unmap(image, 9, 0, UINT64_MAX), 0);
}

/* Against an array that says for each address which mapping came last. */
static void random_mappings_agree_with_a_map(void **state)
{
	uint8_t owner[1024] = { 0 };
	struct rvtrace_window window;

	(void)state;
	srand(1);
	for (unsigned int i = 0; i < 2000; i++) {
		unsigned int start = rand() % 480 * 2, size = 2 + rand() % 32 * 2;
		unsigned int which = rand() % 3;

		if (which)
			assert_int_equal(map(which == 1 ? a : b, 0, size, start, 1,
					     RVTRACE_PRIV_U), 0);
		else
			assert_int_equal(rvtrace_image_unmap(image, 1, start, size), 0);
		memset(owner + start, which, size);
		for (unsigned int at = 0; at < 1024; at += 2) {
			int found = rvtrace_image_find(image, 1, RVTRACE_PRIV_U, at, &window);

			assert_int_equal(found, owner[at] != 0);
			if (found)
				assert_ptr_equal(window.code, owner[at] == 1 ? a : b);
		}
	}
}

static void sizes_are_cut_and_arguments_checked(void **state)
{
	(void)state;
	assert_int_equal(map(a, 250, UINT64_MAX, 0x1000, 1, RVTRACE_PRIV_U), 0);
	assert_window(1, RVTRACE_PRIV_U, 0x1004, a, 0x1000, 0x1005, 250);
	assert_int_equal(map(a, 256, 2, 0x1000, 1, RVTRACE_PRIV_U), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 1, 2, 0x1000, 1, RVTRACE_PRIV_U), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 0, 2, 0x1001, 1, RVTRACE_PRIV_U), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 0, 0, 0x1000, 1, RVTRACE_PRIV_U), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 0, 2, 0x1000, 1, 0), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 0, 2, 0x1000, 1, 1 << 2), RVTRACE_ERR_INVALID);
	assert_int_equal(map(a, 0, 256, 0xfffffffffffffff0, 1, RVTRACE_PRIV_U),
			 RVTRACE_ERR_INVALID);
}

static void elf_segments_lie_at_link_address_plus_bias(void **state)
{
	struct rvtrace_window window;

	(void)state;
	assert_int_equal(rvtrace_image_add_elf(image, VECTORS "t1/test.elf", 0, RVTRACE_SPACE_ANY,
					       RVTRACE_PRIV_ANY), 1);
	assert_int_equal(rvtrace_image_find(image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_M, 0x20010004,
					    &window), 1);
	assert_int_equal(window.start, 0x20010000);
	assert_int_equal(window.last, 0x2001864b);
	assert_memory_equal(window.bytes, "\x97\x11\xff\x5f", 4);
	assert_int_equal(rvtrace_image_add_elf(image, VECTORS "t1/test.elf", 0x1000000, 5,
					       RVTRACE_PRIV_U), 1);
	assert_int_equal(rvtrace_image_find(image, 5, RVTRACE_PRIV_U, 0x21010000, &window), 1);
	assert_nothing(RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY, 0x80000000);
}

static void raw_files_lie_where_they_are_put(void **state)
{
	struct rvtrace_window window;
	char path[] = "/tmp/test-image-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	assert_int_equal(rvtrace_image_add_file(image, path, 0x80000000, RVTRACE_SPACE_ANY,
						RVTRACE_PRIV_M), 0);
	unlink(path);
	assert_int_equal(rvtrace_image_find(image, 1, RVTRACE_PRIV_M, 0x80000002, &window), 1);
	assert_int_equal(window.last, 0x80000009);
	assert_memory_equal(window.bytes, "0123456789", 10);
}

static void bad_files_are_refused(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_image_add_elf(image, "/no/such/file", 0, 1, RVTRACE_PRIV_U),
			 RVTRACE_ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(rvtrace_image_add_elf(image, "/tmp", 0, 1, RVTRACE_PRIV_U),
			 RVTRACE_ERR_IO);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rvtrace_image_add_elf(image, VECTORS "t1/test-NEX.bin", 0, 1,
					       RVTRACE_PRIV_U), RVTRACE_ERR_NOT_ELF);
	assert_int_equal(rvtrace_image_add_elf(image, "/proc/self/exe", 0, 1, RVTRACE_PRIV_U),
			 RVTRACE_ERR_NOT_ELF);
	assert_int_equal(rvtrace_image_add_elf(image, VECTORS "t1/test.elf", 1, 1,
					       RVTRACE_PRIV_U), RVTRACE_ERR_INVALID);
}

static unsigned int fills;

/* What is at 0x1000 to 0x1fff is 7, with a hole at 0x1800 to 0x18ff; the rest is nothing. */
static void fill(void *data, uint64_t space, unsigned int priv, uint64_t address)
{
	const struct rvtrace_code *code = data;
	struct rvtrace_mapping mapping = {
		.code = code, .size = 0x800, .address = 0x1000, .space = space, .privs = priv,
	};

	fills++;
	if (address < 0x1000) {
		assert_int_equal(rvtrace_image_unmap(image, space, 0, 0x1000), 0);
	} else if (address < 0x1800) {
		assert_int_equal(rvtrace_image_map(image, &mapping), 0);
	} else if (address < 0x1900) {
		assert_int_equal(rvtrace_image_unmap(image, space, 0x1800, 0x100), 0);
	} else if (address < 0x2000) {
		mapping.address = 0x1900;
		mapping.size = 0x700;
		assert_int_equal(rvtrace_image_map(image, &mapping), 0);
	} else {
		assert_int_equal(rvtrace_image_unmap(image, space, 0x2000, UINT64_MAX), 0);
	}
}

/* Each stretch is asked for once, holes too; where nothing is, code of all spaces shows. */
static void a_space_is_filled_on_demand(void **state)
{
	static const uint64_t addresses[] = { 0x1000, 0x17fe, 0x1800, 0x18fe, 0x1900, 0x1ffe,
					      0x2000, 0x100000, 0, 0xffe };
	static uint8_t bytes[0x1000], everywhere[0x4000];
	struct rvtrace_code *code, *below;
	struct rvtrace_window window;
	uint64_t generation;
	size_t i, pass;

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	memset(everywhere, 9, sizeof(everywhere));
	assert_int_equal(rvtrace_code_from_memory(bytes, sizeof(bytes), NULL, &code), 0);
	assert_int_equal(rvtrace_code_from_memory(everywhere, sizeof(everywhere), NULL, &below), 0);
	assert_int_equal(rvtrace_image_map(image, &(struct rvtrace_mapping) {
		.code = below, .size = sizeof(everywhere), .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_U }), 0);
	assert_int_equal(rvtrace_image_on_demand(image, 5, fill, code), 0);
	fills = 0;
	generation = rvtrace_image_generation(image);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
			uint64_t at = addresses[i];
			bool own = (at >= 0x1000 && at < 0x1800) || (at >= 0x1900 && at < 0x2000);
			int found = rvtrace_image_find(image, 5, RVTRACE_PRIV_U, at, &window);

			assert_int_equal(found, at < sizeof(everywhere));
			if (found)
				assert_int_equal(window.bytes[at - window.start], own ? 7 : 9);
			if (at == 0x1800) {
				assert_int_equal(window.start, 0x1800);
				assert_int_equal(window.last, 0x18ff);
			}
		}
	}
	assert_int_equal(fills, 5);
	assert_int_equal(rvtrace_image_generation(image), generation);
	rvtrace_image_drop(image, 5);
	assert_int_equal(rvtrace_image_find(image, 5, RVTRACE_PRIV_U, 0x1000, &window), 1);
	assert_int_equal(window.bytes[0], 9);
	assert_int_equal(fills, 5);
	rvtrace_code_unref(code);
	rvtrace_code_unref(below);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_what_is_mapped),
		TEST(every_space_sees_common_mappings),
		TEST(a_space_covers_common_mappings),
		TEST(later_mappings_cover_earlier_ones),
		TEST(unmapped_code_is_gone),
		TEST(a_space_is_filled_on_demand),
		TEST(random_mappings_agree_with_a_map),
		TEST(sizes_are_cut_and_arguments_checked),
		TEST(elf_segments_lie_at_link_address_plus_bias),
		TEST(raw_files_lie_where_they_are_put),
		TEST(bad_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
