// SPDX-License-Identifier: GPL-2.0
/* Address spaces: which value of scontext is which program of which process. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include <rvtrace/spaces.h>

#include "selftests/unit/sideband-builder.h"

struct fixture {
	struct builder b;
	struct rvtrace_sideband sideband;
	struct rvtrace_spaces *spaces;
};

static const char maps[] =
	"[ { \"pid\": 10, \"comm\": \"sh\", \"time\": 1000, \"role\": \"command\", \"maps\": ["
	"  { \"start\": \"0x10000\", \"end\": \"0x12000\", \"offset\": \"0x1000\","
	"    \"path\": \"/bin/sh\", \"build_id\": \"0a0b\" } ] },"
	"  { \"pid\": 11, \"comm\": \"udevd\", \"time\": 1001, \"maps\": [] } ]";

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct json_object *json = json_tokener_parse(maps);

	f->spaces = rvtrace_spaces_new();
	assert_int_equal(rvtrace_spaces_add_maps(f->spaces, json, NULL), 0);
	json_object_put(json);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rvtrace_spaces_free(f->spaces);
	rvtrace_sideband_free(&f->sideband);
	free(f);
	return 0;
}

static void add_context(struct fixture *f, uint64_t time, uint32_t context, int pid)
{
	struct rvtrace_record_address_space record = {
		.header = { .time = time }, .context = context, .pid = pid, .comm = "x",
	};

	assert_int_equal(rvtrace_spaces_add_context(f->spaces, &record), 0);
}

static void resolve(struct fixture *f)
{
	assert_int_equal(rvtrace_sideband_parse(f->b.bytes, f->b.size, &f->sideband, NULL), 0);
	assert_int_equal(rvtrace_spaces_add_sideband(f->spaces, &f->sideband), 0);
	assert_int_equal(rvtrace_spaces_resolve(f->spaces), 0);
}

static const struct rvtrace_space *find(struct fixture *f, uint32_t context)
{
	const struct rvtrace_space *space = rvtrace_spaces_find(f->spaces, context);

	assert_non_null(space);
	return space;
}

static void what_was_mapped_at_the_start_is_known(void **state)
{
	struct fixture *f = *state;
	const struct rvtrace_space *space;

	add_context(f, 2000, 5, 10);
	resolve(f);
	space = find(f, 5);
	assert_int_equal(space->pid, 10);
	assert_int_equal(space->role, RVTRACE_SPACE_COMMAND);
	assert_string_equal(space->comm, "sh");
	assert_int_equal(space->map_count, 1);
	assert_int_equal(space->maps[0].start, 0x10000);
	assert_int_equal(space->maps[0].offset, 0x1000);
	assert_int_equal(space->maps[0].build_id_size, 2);
	assert_int_equal(space->maps[0].build_id[1], 0x0b);
	assert_null(rvtrace_spaces_find(f->spaces, 6));
}

static void a_fork_inherits_and_an_exec_starts_anew(void **state)
{
	struct fixture *f = *state;

	add_context(f, 2000, 5, 10);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_context(f, 3100, 6, 20);
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_mmap(&f->b, 4100, 20, 0x50000, 0x1000, 0, "/bin/ls");
	add_context(f, 4200, 7, 20);
	add_mmap(&f->b, 4300, 20, 0x60000, 0x1000, 0, "/lib/libc.so");
	resolve(f);
	assert_int_equal(find(f, 6)->map_count, 1);
	assert_string_equal(find(f, 6)->maps[0].path, "/bin/sh");
	assert_int_equal(find(f, 6)->role, RVTRACE_SPACE_COMMAND);
	assert_int_equal(find(f, 7)->map_count, 2);
	assert_string_equal(find(f, 7)->maps[0].path, "/bin/ls");
	assert_string_equal(find(f, 7)->comm, "ls");
	assert_int_equal(find(f, 7)->role, RVTRACE_SPACE_COMMAND);
	assert_int_equal(find(f, 5)->map_count, 1);
}

static void a_thread_is_no_address_space(void **state)
{
	struct fixture *f = *state;

	add_context(f, 2000, 5, 10);
	add_fork(&f->b, 3000, 10, 21, 10);
	add_mmap(&f->b, 3100, 10, 0x70000, 0x1000, 0, "/lib/x.so");
	resolve(f);
	assert_int_equal(find(f, 5)->map_count, 2);
	assert_null(rvtrace_spaces_get(f->spaces, 2));
}

/* The new memory is in use before the kernel tells of the exec. */
static void a_value_taken_just_before_an_exec_is_the_new_programs(void **state)
{
	struct fixture *f = *state;

	add_context(f, 2000, 5, 10);
	add_context(f, 2900, 6, 10);
	add_comm(&f->b, 3000, 10, "ls", 1);
	add_mmap(&f->b, 3100, 10, 0x50000, 0x1000, 0, "/bin/ls");
	resolve(f);
	assert_string_equal(find(f, 5)->maps[0].path, "/bin/sh");
	assert_string_equal(find(f, 6)->maps[0].path, "/bin/ls");
}

static void a_second_value_without_exec_is_the_same_program(void **state)
{
	struct fixture *f = *state;

	add_context(f, 2000, 5, 10);
	add_context(f, 2900, 6, 10);
	resolve(f);
	assert_string_equal(find(f, 5)->maps[0].path, "/bin/sh");
	assert_string_equal(find(f, 6)->maps[0].path, "/bin/sh");
}

static void order_of_time_decides_not_order_of_files(void **state)
{
	struct fixture *f = *state;

	add_context(f, 4200, 7, 20);
	add_mmap(&f->b, 4100, 20, 0x50000, 0x1000, 0, "/bin/ls");
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_fork(&f->b, 3000, 20, 20, 11);
	resolve(f);
	assert_string_equal(find(f, 7)->maps[0].path, "/bin/ls");
	assert_int_equal(find(f, 7)->role, RVTRACE_SPACE_OTHER);
}

static void processes_nobody_announced_are_named_by_the_driver(void **state)
{
	struct fixture *f = *state;

	add_context(f, 2000, 9, 99);
	add_lost(&f->b, 2000, 4);
	resolve(f);
	assert_string_equal(find(f, 9)->comm, "x");
	assert_int_equal(find(f, 9)->map_count, 0);
	assert_int_equal(rvtrace_spaces_sideband_lost(f->spaces), 4);
}

static void maps_of_another_shape_are_refused(void **state)
{
	static const char *const bad[] = { "{}", "[ 1 ]", "[ { \"pid\": 1 } ]",
					   "[ { \"pid\": 1, \"maps\": 2 } ]" };
	struct rvtrace_recording_error error;
	struct fixture *f = *state;
	struct json_object *json;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json = json_tokener_parse(bad[i]);
		assert_int_equal(rvtrace_spaces_add_maps(f->spaces, json, &error), -EBADMSG);
		assert_non_null(strstr(error.text, "maps.json"));
		json_object_put(json);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_was_mapped_at_the_start_is_known),
		TEST(a_fork_inherits_and_an_exec_starts_anew),
		TEST(a_thread_is_no_address_space),
		TEST(a_value_taken_just_before_an_exec_is_the_new_programs),
		TEST(a_second_value_without_exec_is_the_same_program),
		TEST(order_of_time_decides_not_order_of_files),
		TEST(processes_nobody_announced_are_named_by_the_driver),
		TEST(maps_of_another_shape_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
