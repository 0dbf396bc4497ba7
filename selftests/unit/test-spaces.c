// SPDX-License-Identifier: GPL-2.0
/* Address spaces: which process ran which program when, with what mapped where. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "selftests/unit/spaces-fixture.h"

static int add_maps(const char *text)
{
	struct json_object *json = json_tokener_parse(text);
	int ret = rvtrace_spaces_add_maps(f->spaces, json);

	json_object_put(json);
	return ret;
}

/* Process 10, sh, as it was at 1000. */
static void add_shell(void)
{
	assert_int_equal(add_maps(
		"{ \"pid\": 10, \"comm\": \"sh\", \"time\": 1000, \"role\": \"command\", \"maps\": ["
		"  { \"start\": \"0x10000\", \"end\": \"0x12000\", \"offset\": \"0x1000\","
		"    \"path\": \"/bin/sh\", \"build_id\": \"0a0b\" } ] }"), 0);
}

static void add_context(uint64_t time, uint32_t context, int pid)
{
	struct rvtrace_record_address_space record = {
		.header = { .time = time }, .context = context, .pid = pid, .comm = "x",
	};

	assert_int_equal(rvtrace_spaces_add_context(f->spaces, &record), 0);
}

static const struct rvtrace_space *of_context(uint32_t context, uint64_t ns)
{
	const struct rvtrace_space *space = rvtrace_spaces_of_context(f->spaces, context, ns, NULL);

	assert_non_null(space);
	return space;
}

static const struct rvtrace_space *of_process(int pid, uint64_t ns)
{
	const struct rvtrace_space *space = rvtrace_spaces_of_process(f->spaces, pid, ns);

	assert_non_null(space);
	return space;
}

/* What lies at @address; "" for nothing. */
static const char *path_at(const struct rvtrace_space *space, uint64_t address, uint64_t ns)
{
	const struct rvtrace_space_map *map = rvtrace_space_map_at(space, address, ns);

	return map ? map->path : "";
}

static const struct rvtrace_space_map *newest_map(const struct rvtrace_space *space)
{
	struct rvtrace_space_walk walk;

	rvtrace_space_walk(&walk, space);
	return rvtrace_space_walk_next(&walk);
}

static void what_was_mapped_at_the_start_is_known(void **state)
{
	const struct rvtrace_space_map *map;
	const struct rvtrace_space *space;

	(void)state;
	add_shell();
	add_context(2000, 5, 10);
	resolve();
	space = of_context(5, 2000);
	assert_int_equal(space->pid, 10);
	assert_int_equal(space->role, RVTRACE_SPACE_COMMAND);
	assert_string_equal(space->comm, "sh");
	assert_int_equal(space->map_count, 1);
	map = newest_map(space);
	assert_int_equal(map->start, 0x10000);
	assert_int_equal(map->offset, 0x1000);
	assert_int_equal(map->build_id_size, 2);
	assert_int_equal(map->build_id[1], 0x0b);
	assert_int_equal(map->kind, RVTRACE_MAP_FILE);
	assert_ptr_equal(of_process(10, 1), space);
	assert_string_equal(path_at(space, 0x10000, 1), "/bin/sh");
	assert_null(rvtrace_spaces_of_context(f->spaces, 6, 2000, NULL));
	assert_null(rvtrace_spaces_of_process(f->spaces, 11, 2000));
}

static void a_fork_inherits_and_an_exec_starts_anew(void **state)
{
	const struct rvtrace_space *child, *ls;

	(void)state;
	add_shell();
	add_fork(&f->b, 3000, 20, 20, 10);
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_mmap(&f->b, 4100, 20, 0x50000, 0x1000, 0, "/bin/ls");
	add_mmap(&f->b, 4300, 20, 0x60000, 0x1000, 0, "/lib/libc.so");
	resolve();
	child = of_process(20, 3500);
	ls = of_process(20, 4400);
	assert_ptr_not_equal(child, ls);
	assert_string_equal(path_at(child, 0x10000, 3500), "/bin/sh");
	assert_int_equal(child->role, RVTRACE_SPACE_COMMAND);
	assert_int_equal(child->until, 4000);
	assert_ptr_equal(rvtrace_spaces_get(f->spaces, child->parent), of_process(10, 3000));
	assert_string_equal(path_at(ls, 0x10000, 4400), "");
	assert_string_equal(path_at(ls, 0x50000, 4400), "/bin/ls");
	assert_string_equal(path_at(ls, 0x60000, 4299), "");
	assert_string_equal(path_at(ls, 0x60000, 4300), "/lib/libc.so");
	assert_string_equal(ls->comm, "ls");
	assert_int_equal(ls->role, RVTRACE_SPACE_COMMAND);
	assert_int_equal(of_process(10, 5000)->map_count, 1);
	assert_null(rvtrace_spaces_of_process(f->spaces, 20, 2999));
}

static void of_two_mappings_at_one_address_the_newer_one_holds(void **state)
{
	const struct rvtrace_space *space;

	(void)state;
	add_shell();
	add_mmap(&f->b, 2000, 10, 0x50000, 0x3000, 0, "/lib/a.so");
	add_mmap(&f->b, 3000, 10, 0x51000, 0x1000, 0, "/lib/b.so");
	add_mmap(&f->b, 4000, 10, 0x50000, 0x3000, 0, "/lib/a.so");
	resolve();
	space = of_process(10, 1000);
	assert_string_equal(path_at(space, 0x51000, 1999), "");
	assert_string_equal(path_at(space, 0x51000, 2000), "/lib/a.so");
	assert_string_equal(path_at(space, 0x51000, 3000), "/lib/b.so");
	assert_string_equal(path_at(space, 0x50fff, 3000), "/lib/a.so");
	assert_string_equal(path_at(space, 0x52000, 3000), "/lib/a.so");
	assert_string_equal(path_at(space, 0x51000, RVTRACE_TIME_NEWEST), "/lib/a.so");
	assert_int_equal(space->change_count, 3);
	assert_int_equal(space->changes[1], 3000);
}

static void a_thread_is_no_address_space(void **state)
{
	(void)state;
	add_shell();
	add_thread(&f->b, 3000, 10, 21);
	add_mmap(&f->b, 3100, 10, 0x70000, 0x1000, 0, "/lib/x.so");
	resolve();
	assert_int_equal(of_process(10, 3000)->map_count, 2);
	assert_null(rvtrace_spaces_of_process(f->spaces, 21, 3100));
}

/* The driver has no record of it: it runs with its parent's value, or by the switches. */
static void a_vfork_child_has_its_parents_code(void **state)
{
	(void)state;
	add_shell();
	add_context(2000, 5, 10);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_context(4100, 6, 20);
	resolve();
	assert_int_equal(of_context(5, 3500)->pid, 10);
	assert_string_equal(path_at(of_process(20, 3500), 0x10000, 3500), "/bin/sh");
	assert_string_equal(of_context(6, 4200)->comm, "ls");
}

static void a_context_names_the_program_of_its_time(void **state)
{
	(void)state;
	add_shell();
	add_context(2000, 5, 10);
	add_comm(&f->b, 3000, 10, "ls", 1);
	add_mmap(&f->b, 3100, 10, 0x50000, 0x1000, 0, "/bin/ls");
	add_context(3200, 6, 10);
	add_context(3900, 7, 10);
	resolve();
	assert_string_equal(of_context(5, RVTRACE_TIME_NEWEST)->comm, "sh");
	assert_string_equal(of_context(6, RVTRACE_TIME_NEWEST)->comm, "ls");
	assert_ptr_equal(of_context(6, 4000), of_context(7, 4000));
}

/* Values of a narrow scontext come again. */
static void a_context_can_name_another_space_later(void **state)
{
	uint64_t until;

	(void)state;
	add_shell();
	add_context(2000, 5, 10);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_context(3500, 5, 20);
	resolve();
	assert_int_equal(rvtrace_spaces_of_context(f->spaces, 5, 3499, &until)->pid, 10);
	assert_int_equal(until, 3500);
	assert_int_equal(rvtrace_spaces_of_context(f->spaces, 5, 3500, &until)->pid, 20);
	assert_true(until == UINT64_MAX);
	/* the clocks may disagree about when it was first used */
	assert_int_equal(rvtrace_spaces_of_context(f->spaces, 5, 1999, &until)->pid, 10);
	assert_int_equal(until, 3500);
}

static void the_last_thread_ends_a_space_and_its_pid_comes_again(void **state)
{
	const struct rvtrace_space *first;

	(void)state;
	add_shell();
	add_fork(&f->b, 3000, 20, 20, 10);
	add_thread(&f->b, 3100, 20, 21);
	add_exit(&f->b, 3200, 20, 20);
	add_mmap(&f->b, 3250, 20, 0x50000, 0x1000, 0, "/lib/a.so");
	add_exit(&f->b, 3300, 20, 21);
	add_mmap(&f->b, 5000, 20, 0x50000, 0x1000, 0, "/lib/b.so");
	resolve();
	first = of_process(20, 3299);
	assert_int_equal(first->until, 3300);
	assert_string_equal(path_at(first, 0x50000, 3299), "/lib/a.so");
	assert_ptr_equal(of_process(20, 4999), first);
	assert_ptr_not_equal(of_process(20, 5000), first);
	assert_string_equal(path_at(of_process(20, 5000), 0x10000, 5000), "");
	assert_string_equal(path_at(of_process(20, 5000), 0x50000, 5000), "/lib/b.so");
}

static void a_fork_with_a_used_pid_is_another_process(void **state)
{
	(void)state;
	add_shell();
	add_fork(&f->b, 3000, 10, 10, 11);
	resolve();
	assert_string_equal(path_at(of_process(10, 2999), 0x10000, 2999), "/bin/sh");
	assert_int_equal(of_process(10, 2999)->until, 3000);
	assert_string_equal(path_at(of_process(10, 3000), 0x10000, 3000), "");
	assert_int_equal(of_process(10, 3000)->role, RVTRACE_SPACE_OTHER);
}

static void order_of_time_decides_not_order_of_files(void **state)
{
	(void)state;
	add_context(4200, 7, 20);
	add_mmap(&f->b, 4100, 20, 0x50000, 0x1000, 0, "/bin/ls");
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_fork(&f->b, 3000, 20, 20, 11);
	resolve();
	assert_string_equal(newest_map(of_context(7, 4200))->path, "/bin/ls");
	assert_int_equal(of_context(7, 4200)->role, RVTRACE_SPACE_OTHER);
}

static void add_task(uint64_t time, uint16_t event, int pid, int tid, int other)
{
	struct rvtrace_record_task record = {
		.header = { .time = time }, .event = event, .pid = pid, .tid = tid, .other = other,
		.comm = "ls",
	};

	assert_int_equal(rvtrace_spaces_add_task(f->spaces, &record), 0);
}

static void what_the_driver_tells_again_changes_nothing(void **state)
{
	(void)state;
	add_shell();
	add_fork(&f->b, 3000, 20, 20, 10);
	add_task(3001, RVTRACE_TASK_FORK, 20, 20, 10);
	add_comm(&f->b, 4000, 20, "ls", 1);
	add_mmap(&f->b, 4100, 20, 0x50000, 0x1000, 0, "/bin/ls");
	add_task(4200, RVTRACE_TASK_EXEC, 20, 20, 20);
	add_task(4300, RVTRACE_TASK_FORK, 20, 21, 20);
	resolve();
	assert_int_equal(of_process(20, 3500)->from, 3000);
	assert_string_equal(path_at(of_process(20, 3500), 0x10000, 3500), "/bin/sh");
	assert_int_equal(of_process(20, 5000)->from, 4000);
	assert_string_equal(path_at(of_process(20, 5000), 0x50000, 5000), "/bin/ls");
	assert_null(rvtrace_spaces_get(f->spaces, 3));
}

/* As where its recorder died, or without any */
static void what_the_side_band_missed_the_driver_tells(void **state)
{
	(void)state;
	add_shell();
	add_task(3000, RVTRACE_TASK_FORK, 20, 20, 10);
	add_task(4000, RVTRACE_TASK_EXEC, 20, 20, 20);
	add_task(5000, RVTRACE_TASK_EXEC, 10, 10, 10);
	resolve();
	assert_string_equal(path_at(of_process(20, 3500), 0x10000, 3500), "/bin/sh");
	assert_int_equal(of_process(20, 3500)->role, RVTRACE_SPACE_COMMAND);
	assert_string_equal(path_at(of_process(20, 4500), 0x10000, 4500), "");
	assert_string_equal(of_process(20, 4500)->comm, "ls");
	assert_string_equal(path_at(of_process(10, 4999), 0x10000, 4999), "/bin/sh");
	assert_string_equal(path_at(of_process(10, 5000), 0x10000, 5000), "");
}

/* The number of one that ended may be that of a thread. */
static void a_process_that_ended_creates_none(void **state)
{
	(void)state;
	add_shell();
	add_fork(&f->b, 2000, 15, 15, 10);
	add_exit(&f->b, 2500, 15, 15);
	add_task(3000, RVTRACE_TASK_FORK, 20, 20, 15);
	resolve();
	assert_string_equal(path_at(of_process(20, 3500), 0x10000, 3500), "");
	assert_int_equal(of_process(20, 3500)->role, RVTRACE_SPACE_OTHER);
}

/* The driver's two records of an exec come in any order. */
static void the_number_of_a_program_may_come_before_it(void **state)
{
	(void)state;
	add_shell();
	add_context(2000000, 5, 10);
	add_context(5000000, 7, 10);
	add_task(5000100, RVTRACE_TASK_EXEC, 10, 10, 10);
	add_context(9000000, 8, 10);
	resolve();
	assert_string_equal(path_at(of_context(5, 4000000), 0x10000, 4000000), "/bin/sh");
	assert_string_equal(path_at(of_context(7, 5500000), 0x10000, 5500000), "");
	assert_int_equal(of_context(7, 5500000)->role, RVTRACE_SPACE_COMMAND);
	assert_ptr_equal(of_context(8, 9000000), of_context(7, 5500000));
}

/* Without records of tasks; before the end, and where it is whole, numbers are used again */
static void behind_the_side_band_another_number_is_another_program(void **state)
{
	(void)state;
	add_shell();
	add_context(2000, 5, 10);
	add_context(3000, 6, 10);
	add_switch(&f->b, 3500, 0, 7, 1);
	add_switch(&f->b, 6000, 1, 7, 1);
	add_context(5000, 7, 10);
	f->cut = true;
	resolve();
	assert_ptr_equal(of_context(6, 4000), of_context(5, 2000));
	assert_string_equal(path_at(of_context(6, 4500), 0x10000, 4500), "/bin/sh");
	assert_string_equal(path_at(of_context(7, 5500), 0x10000, 5500), "");
	assert_int_equal(of_context(7, 5500)->role, RVTRACE_SPACE_COMMAND);
}

/* What began before the driver's records did is not what they tell of. */
static void a_fork_is_no_exec(void **state)
{
	(void)state;
	add_shell();
	add_fork(&f->b, 3000, 20, 20, 10);
	add_task(4000, RVTRACE_TASK_EXEC, 20, 20, 20);
	resolve();
	assert_string_equal(path_at(of_process(20, 3500), 0x10000, 3500), "/bin/sh");
	assert_string_equal(path_at(of_process(20, 4500), 0x10000, 4500), "");
}

static void processes_nobody_announced_are_named_by_the_driver(void **state)
{
	(void)state;
	add_context(2000, 9, 99);
	add_lost(&f->b, 2000, 4);
	resolve();
	assert_string_equal(of_context(9, 2000)->comm, "x");
	assert_int_equal(of_context(9, 2000)->map_count, 0);
	assert_int_equal(rvtrace_spaces_sideband_lost(f->spaces), 4);
}

/* Read in mid-session: it was so before, apart from what was seen to change. */
static void maps_that_are_read_late_held_before(void **state)
{
	const struct rvtrace_space *space;

	(void)state;
	add_context(100, 5, 10);
	add_mmap(&f->b, 500, 10, 0x50000, 0x1000, 0, "/lib/a.so");
	add_fork(&f->b, 600, 20, 20, 10);
	add_shell();
	resolve();
	space = of_context(5, 100);
	assert_string_equal(path_at(space, 0x10000, 100), "/bin/sh");
	assert_string_equal(path_at(space, 0x50000, 400), "");
	assert_string_equal(path_at(space, 0x50000, 999), "/lib/a.so");
	/* by 1000 it was gone again */
	assert_string_equal(path_at(space, 0x50000, 1000), "");
	/* forked before anything was known of its parent */
	assert_string_equal(path_at(of_process(20, 700), 0x10000, 700), "/bin/sh");
	assert_string_equal(path_at(of_process(20, 700), 0x50000, 700), "/lib/a.so");
}

static void maps_that_are_read_again_replace_from_then_on(void **state)
{
	const struct rvtrace_space *space;

	(void)state;
	add_shell();
	assert_int_equal(add_maps("{ \"pid\": 10, \"comm\": \"sh\", \"time\": 5000, \"maps\": ["
		"  { \"start\": \"0x20000\", \"end\": \"0x21000\", \"offset\": \"0x0\","
		"    \"path\": \"/lib/b.so\", \"build_id\": null } ] }"), 0);
	resolve();
	space = of_process(10, 5000);
	assert_string_equal(path_at(space, 0x10000, 4999), "/bin/sh");
	assert_string_equal(path_at(space, 0x10000, 5000), "");
	assert_string_equal(path_at(space, 0x20000, 4999), "");
	assert_string_equal(path_at(space, 0x20000, RVTRACE_TIME_NEWEST), "/lib/b.so");
}

/* It was another program already when its maps were read. */
static void maps_that_were_read_across_an_exec_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(add_maps("{ \"pid\": 10, \"comm\": \"ls\", \"time\": 1000,"
		"\"time_end\": 1200, \"maps\": [ { \"start\": \"0x50000\", \"end\": \"0x51000\","
		"\"offset\": \"0x0\", \"path\": \"/bin/ls\", \"build_id\": null } ] }"), 0);
	add_comm(&f->b, 1100, 10, "ls", 1);
	add_mmap(&f->b, 1150, 10, 0x50000, 0x1000, 0, "/bin/ls");
	resolve();
	assert_string_equal(path_at(of_process(10, 1000), 0x50000, 1000), "");
	assert_string_equal(path_at(of_process(10, 1160), 0x50000, 1160), "/bin/ls");
}

static void what_is_mapped_is_told_by_its_name(void **state)
{
	static const struct {
		const char *path;
		uint8_t kind;
	} names[] = {
		{ "/usr/lib/libc.so.6", RVTRACE_MAP_FILE },
		{ "/tmp/a.so (deleted)", RVTRACE_MAP_DELETED },
		{ "/memfd:jit (deleted)", RVTRACE_MAP_DELETED },
		{ "//anon", RVTRACE_MAP_ANONYMOUS },
		{ "[heap]", RVTRACE_MAP_ANONYMOUS },
		{ "[vdso]", RVTRACE_MAP_VDSO },
	};
	size_t i, count = sizeof(names) / sizeof(names[0]);

	(void)state;
	for (i = 0; i < count; i++)
		add_mmap(&f->b, 1000 + i, 10, 0x10000 * i, 0x1000, 0, names[i].path);
	resolve();
	for (i = 0; i < count; i++)
		assert_int_equal(rvtrace_space_map_at(of_process(10, 2000), 0x10000 * i,
						      2000)->kind, names[i].kind);
}

static void maps_of_another_shape_are_refused(void **state)
{
	static const char *const bad[] = { "[]", "1", "{ \"pid\": 1 }", "{ \"maps\": [] }",
					   "{ \"pid\": 1, \"maps\": 2 }" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(add_maps(bad[i]), -EBADMSG);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, spaces_setup, spaces_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_was_mapped_at_the_start_is_known),
		TEST(a_fork_inherits_and_an_exec_starts_anew),
		TEST(of_two_mappings_at_one_address_the_newer_one_holds),
		TEST(a_thread_is_no_address_space),
		TEST(a_vfork_child_has_its_parents_code),
		TEST(a_context_names_the_program_of_its_time),
		TEST(a_context_can_name_another_space_later),
		TEST(the_last_thread_ends_a_space_and_its_pid_comes_again),
		TEST(a_fork_with_a_used_pid_is_another_process),
		TEST(order_of_time_decides_not_order_of_files),
		TEST(what_the_driver_tells_again_changes_nothing),
		TEST(what_the_side_band_missed_the_driver_tells),
		TEST(a_process_that_ended_creates_none),
		TEST(the_number_of_a_program_may_come_before_it),
		TEST(behind_the_side_band_another_number_is_another_program),
		TEST(a_fork_is_no_exec),
		TEST(processes_nobody_announced_are_named_by_the_driver),
		TEST(maps_that_are_read_late_held_before),
		TEST(maps_that_are_read_again_replace_from_then_on),
		TEST(maps_that_were_read_across_an_exec_are_dropped),
		TEST(what_is_mapped_is_told_by_its_name),
		TEST(maps_of_another_shape_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
