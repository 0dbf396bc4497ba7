// SPDX-License-Identifier: GPL-2.0
/* Checksums of trace directories. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <xxhash.h>

#include "recording-example.h"
#include "tools/lib/recording/recording_internal.h"
#include "tools/lib/recording/seal.h"

static void a_seal_covers_every_byte(void **state)
{
	struct json_object *object = json_tokener_parse("{\"a\":{\"b\":[1,2]},\"c\":\"}\"}");
	size_t length, i;
	char *text = seal_object(object, true, 77, &length);

	(void)state;
	assert_true(seal_holds(text, length - 1));
	for (i = 0; i < length - 1; i++) {
		text[i] ^= 2;
		assert_false(seal_holds(text, length - 1));
		text[i] ^= 2;
	}
	free(text);
	text = seal_object(object, false, 77, &length);
	assert_memory_equal(text, "{\"a\":{\"b\":[1,2]},\"c\":\"}\",\"at\":77,\"xxh64\":\"", 42);
	free(text);
	json_object_put(object);
}

/* As versions that kept the old seal as a member wrote it. */
static void a_document_with_an_old_seal_is_read(void **state)
{
	struct fixture *f = *state;
	size_t length;
	char *text;

	write_example(f->path, true);
	text = (char *)read_file(f, "metadata.json", &length);
	length -= strlen("}\n");
	length += sprintf(text + length, ",\"xxh64\":\"%016llx\"}\n",
			  (unsigned long long)XXH64(text, length, 0));
	write_file(f, "metadata.json", text, length);
	write_file(f, "metadata.copy.json", text, length);
	free(text);
	assert_int_equal(recover(f, false), 0);
	/* Written anew, it has one. */
	assert_int_equal(unlink(file_path(f, "metadata.copy.json")), 0);
	assert_int_equal(recover(f, false), 1);
	assert_intact(f);
}

/* As docs/formats.md says, word by word. */
static uint64_t sum_by_the_book(const uint8_t *bytes, size_t length)
{
	uint64_t sums[8] = { 0 }, word;
	size_t i;

	for (i = 0; i * 8 < length; i++) {
		word = 0;
		memcpy(&word, bytes + i * 8, length - i * 8 < 8 ? length - i * 8 : 8);
		sums[i % 4] += word;
		sums[4 + i % 4] += sums[i % 4];
	}
	return XXH64(sums, sizeof(sums), 0);
}

static void sums_are_those_of_the_format(void **state)
{
	static _Alignas(8) uint8_t bytes[5000];
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 2654435761u >> 11;
	for (length = 0; length < 4900; length += length < 70 ? 1 : 37)
		for (i = 0; i < 9; i += 4)
			assert_int_equal(recording_sum(bytes + i, length),
					 sum_by_the_book(bytes + i, length));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_seal_covers_every_byte),
		TEST(a_document_with_an_old_seal_is_read),
		TEST(sums_are_those_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
