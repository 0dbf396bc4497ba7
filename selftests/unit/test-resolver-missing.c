// SPDX-License-Identifier: GPL-2.0
/* What there is no image of, or a wrong one, and where else one is found. */
#include <rvtrace/missing.h>

#include "selftests/unit/resolver-fixture.h"
#include "tools/lib/code/build_id.h"

static void images_without_a_place_are_told_and_left_out(void **state)
{
	static const char *const texts[] = {
		"images/wraps: continues past the last address",
		"images/text: address, size or vector is not a number",
		"images/negative: address, size or vector is not a number",
		"images/odd: odd address",
		"images/saved: continues past the last address",
		"images/vector: address, size or vector is not a number",
	};

	(void)state;
	image("wraps", 1, "\"kind\":\"kernel\",\"address\":\"0xffffffffffffffff\"");
	image("text", 2, "\"kind\":\"kernel\",\"address\":\"here\"");
	image("negative", 3, "\"kind\":\"firmware\",\"address\":-4096");
	image("odd", 4, "\"kind\":\"kernel\",\"address\":\"0x1001\"");
	save_memory("saved", 5, "//anon", 0xfffffffffffff800, 3000);
	image("vector", 6, "\"kind\":\"firmware\",\"address\":\"0x1000\",\"mtvec\":\"there\"");
	image("whole", 7, "\"kind\":\"kernel\",\"address\":\"0xffffffff80000000\","
	      "\"stvec\":\"0xffffffff80000801\"");
	load_damaged(texts, sizeof(texts) / sizeof(texts[0]));
	ask(0, 0, 5000);
	assert_int_equal(kernel_at(0xffffffff80000000), 7);
	assert_int_equal(bench.program->trap_vector[1], 0xffffffff80000801);
	assert_int_equal(bench.program->trap_vector[3], 0);
}

static void images_are_files_of_the_recording(void **state)
{
	static const char *const texts[] = { "images/pipe", "images/link" };
	char name[96];

	(void)state;
	snprintf(name, sizeof(name), "%s/images/pipe", bench.path);
	assert_int_equal(mkfifo(name, 0600), 0);
	line("images/index.jsonl", "{\"file\":\"images/pipe\",\"kind\":\"kernel\","
	     "\"address\":\"0x1000\",\"size\":4096}");
	snprintf(name, sizeof(name), "%s/images/link", bench.path);
	assert_int_equal(symlink("sh", name), 0);
	line("images/index.jsonl", "{\"file\":\"images/link\",\"kind\":\"kernel\","
	     "\"address\":\"0x100000\",\"size\":4096}");
	load_damaged(texts, 2);
	ask(0, 0, 5000);
	assert_int_equal(kernel_at(0x100000), 0);
	/* one of the user's */
	snprintf(name, sizeof(name), "%s/images/pipe", bench.path);
	assert_true(rvtrace_program_add_image(bench.program, name, 0x1000, true, RVTRACE_PRIV_M,
					      &bench.error) < 0);
}

static void item_at(struct rvtrace_flow_item *item, uint64_t ns, uint64_t address)
{
	*item = (struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_NO_IMAGE, .priv = 0, .process = bench.place.process, .thread = -1,
		.flags = RVTRACE_FLOW_HAS_TIME | RVTRACE_FLOW_HAS_PRIV | RVTRACE_FLOW_HAS_ADDRESS,
		.time = ns / TICK, .address = address, .no_image.halfwords = 10,
	};
}

static void what_is_missing_is_told(void **state)
{
	struct rvtrace_missing *missing = rvtrace_missing_new();
	const struct rvtrace_missing_range *r;
	struct rvtrace_flow_item item;

	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, 0x2000, 0, "/lib/gone.so");
	add_mmap(&bench.sideband, 3000, 10, 0x50000, 0x2000, 0, "/tmp/x (deleted)");
	add_mmap(&bench.sideband, 3000, 10, 0x60000, 0x2000, 0, "//anon");
	load();
	ask(0, 5, 2000);
	item_at(&item, 2000, 0x50100);
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);
	item.address = 0x50200;
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);
	item_at(&item, 3000, 0x50100);
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);
	item.address = 0x60004;
	item.no_image.halfwords = 9;
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);
	item.address = 0x90004;
	item.no_image.halfwords = 8;
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);
	item.priv = 1;
	item.no_image.halfwords = 7;
	assert_int_equal(rvtrace_missing_add(missing, bench.resolver, &item), 0);

	r = rvtrace_missing_get(missing, 0);
	assert_int_equal(r->kind, RVTRACE_MISSING_FILE);
	assert_string_equal(r->path, "/lib/gone.so");
	assert_string_equal(r->build_id, "deadbeef");
	assert_int_equal(r->start, 0x50000);
	assert_int_equal(r->end, 0x52000);
	assert_int_equal(r->pid, 10);
	assert_string_equal(r->comm, "sh");
	assert_int_equal(r->bytes, 40);
	assert_int_equal(r->stretches, 2);
	r = rvtrace_missing_get(missing, 1);
	assert_int_equal(r->kind, RVTRACE_MISSING_DELETED);
	assert_int_equal(rvtrace_missing_get(missing, 2)->kind, RVTRACE_MISSING_ANONYMOUS);
	assert_int_equal(rvtrace_missing_get(missing, 3)->kind, RVTRACE_MISSING_UNMAPPED);
	assert_int_equal(rvtrace_missing_get(missing, 4)->kind, RVTRACE_MISSING_KERNEL);
	assert_null(rvtrace_missing_get(missing, 5));
	rvtrace_missing_free(missing);
}

static void text_that_changed_is_known(void **state)
{
	(void)state;
	line("images/index.jsonl", "{\"kind\":\"changed\",\"file\":\"images/kernel\",\"ranges\":"
	     "[[\"0x2000\",\"0x2004\"],[\"0x1000\",\"0x1002\"],[\"0x1002\",\"0x1006\"]]}");
	load();
	assert_int_equal(bench.program->changed_count, 2);
	assert_null(rvtrace_program_changed(bench.program, 0xff0, 0x10));
	assert_int_equal(rvtrace_program_changed(bench.program, 0xff0, 0x11)->end, 0x1006);
	assert_int_equal(rvtrace_program_changed(bench.program, 0x1005, 1)->start, 0x1000);
	assert_null(rvtrace_program_changed(bench.program, 0x1006, 0x100));
	assert_int_equal(rvtrace_program_changed(bench.program, 0, UINT64_MAX)->start, 0x1000);
}

/* This test program, without links */
static const char *own_path(void)
{
	static char path[256];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(size > 0);
	path[size] = 0;
	return path;
}

/* Without a build id nothing says that a file elsewhere is the one that was mapped. */
static void files_elsewhere_need_their_build_id(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, 0x1000, 0, own_path());
	load();
	assert_int_equal(rvtrace_program_search(bench.program, "/nowhere"), 0);
	assert_int_equal(rvtrace_program_search(bench.program, "/"), 0);
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 0);
	/* this test program is no deadbeef */
	assert_non_null(strstr(rvtrace_program_rejected(bench.program, 0), own_path()));
	assert_non_null(strstr(rvtrace_program_rejected(bench.program, 0), "deadbeef"));
}

/* Process 30 maps @path, which has the build id of this test program. */
static void map_as_own(const char *path)
{
	char text[1024], build_id[RVTRACE_BUILD_ID_TEXT];

	rvtrace_build_id_of_file(own_path(), build_id);
	assert_true(*build_id);
	snprintf(text, sizeof(text), "{\"pid\":30,\"comm\":\"a\",\"time\":1500,\"maps\":["
		 "{\"start\":\"0x40000\",\"end\":\"0x42000\",\"offset\":\"0x0\","
		 "\"path\":\"/nowhere/else\",\"build_id\":\"%s\"},"
		 "{\"start\":\"0x50000\",\"end\":\"0x52000\",\"offset\":\"0x0\","
		 "\"path\":\"%s\",\"build_id\":\"%s\"}]}", build_id, path, build_id);
	line("images/maps.jsonl", text);
	context(900, 6, 30);
}

/*
 * Process 30 maps this test program, and before it the same by a name that is nowhere; process 10
 * what may be another file of that name. Whoever asks first: here, who has the build id.
 */
static void a_build_id_finds_files_elsewhere_and_no_name_does(void **state)
{
	(void)state;
	map_as_own(own_path());
	context(900, 5, 10);
	add_mmap_inode(&bench.sideband, 2000, 10, 0x50000, 0x1000, 77, own_path());
	load();
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0x7f);
	assert_int_equal(user_at(0x40000), 0x7f);
	ask(0, 5, 2500);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(bench.program->not_looked_for, 0);
}

/* Of a recording that was made elsewhere, or before this machine was booted, nothing is. */
static void files_of_another_boot_are_not_looked_for(void **state)
{
	(void)state;
	map_as_own(own_path());
	load();
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(user_at(0x40000), 0);
	assert_int_equal(bench.program->not_looked_for, 2);
}

static void unless_the_user_says_so(void **state)
{
	(void)state;
	map_as_own(own_path());
	load();
	assert_int_equal(rvtrace_program_search(bench.program, "/"), 0);
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0x7f);
}

/* As they have one build id, each of them is tried: some do lead to this test program. */
static void links_and_what_is_no_file_are_not_followed(void **state)
{
	char up[512];
	static const char *const paths[] = {
		"/proc/self/exe", "/proc/self/fd/0", "/dev/stdin", "/dev/zero", "/proc/self/mem",
		"/tmp", "", "/", "/proc/sys/kernel/hostname",
	};
	size_t i;

	alarm(60);
	snprintf(up, sizeof(up), "/tmp/..%s", own_path());
	(void)state;
	map_as_own(up);
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		map_as_own(paths[i]);
	load();
	assert_int_equal(rvtrace_program_search(bench.program, "/"), 0);
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0);
	alarm(0);
}

/* A file that a link in the directory leads out of it to is not that directory's. */
static void directories_are_not_left(void **state)
{
	char top[600], inside[1200];

	(void)state;
	snprintf(top, sizeof(top), "%s/top", bench.path);
	assert_int_equal(mkdir(top, 0700), 0);
	snprintf(inside, sizeof(inside), "%s/program", top);
	assert_int_equal(symlink(own_path(), inside), 0);
	map_as_own("/program");
	load();
	assert_int_equal(rvtrace_program_search(bench.program, top), 0);
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, resolver_setup, resolver_teardown)
#define TEST_OF(name, where)								\
	cmocka_unit_test_setup_teardown(name, resolver_setup_##where, resolver_teardown)
	const struct CMUnitTest tests[] = {
		TEST(images_without_a_place_are_told_and_left_out),
		TEST(images_are_files_of_the_recording),
		TEST(what_is_missing_is_told),
		TEST(text_that_changed_is_known),
		TEST(files_elsewhere_need_their_build_id),
		TEST_OF(a_build_id_finds_files_elsewhere_and_no_name_does, here),
		TEST_OF(files_of_another_boot_are_not_looked_for, elsewhere),
		TEST(files_of_another_boot_are_not_looked_for),
		TEST_OF(unless_the_user_says_so, elsewhere),
		TEST_OF(links_and_what_is_no_file_are_not_followed, here),
		TEST(directories_are_not_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
