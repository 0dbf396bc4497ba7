// SPDX-License-Identifier: GPL-2.0
/* Where the kernel's text is, and where it takes its traps, as /proc and /sys say it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selftests/unit/recording_helpers.h"
#include "tools/lib/process/kcore.h"

static char root[64];
static struct rvtrace_texts texts;
static struct rvtrace_failure error;

static int set_up(void **state)
{
	char folder[128];

	(void)state;
	texts = (struct rvtrace_texts) { 0 };
	strcpy(root, "/tmp/rvtrace-text-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(folder, sizeof(folder), "%s/proc", root);
	return mkdir(folder, 0700);
}

static int tear_down(void **state)
{
	(void)state;
	free(texts.ranges);
	remove_tree(root);
	return 0;
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const struct rvtrace_text *range(const char *name)
{
	for (size_t i = 0; i < texts.count; i++)
		if (!strcmp(texts.ranges[i].name, name))
			return &texts.ranges[i];
	fail_msg("no text of %s", name);
	return NULL;
}

/* Of two that tasks begin in one is not there, or what is there is called otherwise. */
static void task_starts_that_are_not_all_there_are_none(void **state)
{
	(void)state;
	write_file("kallsyms", "ffffffff80002000 T _stext\n"
		   "ffffffff80a01a00 T ret_from_fork_user_asm\n"
		   "ffffffff80a01b00 T ret_from_kernel_thread\n"
		   "ffffffff80b00000 T _etext\n");
	write_file("modules", "");
	assert_int_equal(rvtrace_texts_find(root, &texts, &error), 0);
	for (int i = 0; i < RVTRACE_TASK_STARTS; i++)
		assert_int_equal(range("vmlinux")->kernel.task_starts[i], 0);
}

/* Functions may return to one that is not known. */
static void catchers_that_are_not_all_there_are_none(void **state)
{
	(void)state;
	write_file("kallsyms", "ffffffff80002000 T _stext\n"
		   "ffffffff80a01500 T function_graph_enter\n"
		   "ffffffff80a01800 T arch_prepare_kretprobe\n"
		   "ffffffff80a01900 T return_to_handler\n"
		   "ffffffff80b00000 T _etext\n");
	write_file("modules", "");
	assert_int_equal(rvtrace_texts_find(root, &texts, &error), 0);
	assert_int_equal(range("vmlinux")->kernel.return_writers[1], 0xffffffff80a01500);
	assert_int_equal(range("vmlinux")->kernel.return_catchers[0], 0);
	assert_int_equal(range("vmlinux")->physical, 0);
}

static void the_kernel_takes_traps_at_its_symbol(void **state)
{
	(void)state;
	write_file("kallsyms", "ffffffff80000000 T _start\n"
		   "ffffffff80002000 T _stext\n"
		   "ffffffff80a01200 T __switch_to\n"
		   "ffffffff80a01230 T handle_exception\n"
		   "ffffffff80a01400 T handle_exception_end\n"
		   "ffffffff80a01500 T function_graph_enter\n"
		   "ffffffff80a01600 T function_graph_enter_regs\n"
		   "ffffffff80a01700 T arch_rethook_prepare\n"
		   "ffffffff80a01800 T arch_prepare_kretprobe\n"
		   "ffffffff80a01900 T return_to_handler\n"
		   "ffffffff80a01a00 T ret_from_fork_user_asm\n"
		   "ffffffff80a01b00 T ret_from_fork_kernel_asm\n"
		   "ffffffff80a01c00 T arch_rethook_trampoline\n"
		   "ffffffff80a01d00 T __kretprobe_trampoline\n"
		   "ffffffff80a01e00 T signal_setup_done\n"
		   "ffffffff80b00000 T _etext\n"
		   "ffffffff80c00100 r excp_vect_table\n"
		   "ffffffff80c00180 r excp_vect_table_end\n"
		   "ffffffff02000010 t handle_exception\t[other]\n"
		   "ffffffff02000020 t __switch_to\t[other]\n"
		   "ffffffff02000030 t arch_uretprobe_hijack_return_addr\t[other]\n");
	write_file("iomem", "80200000-bfffffff : System RAM\n"
		   "  80202000-81082fff : Kernel image\n    80202000-80cfffff : Kernel code\n");
	write_file("modules", "other 16384 0 - Live 0xffffffff02000000\n");
	assert_int_equal(rvtrace_texts_find(root, &texts, &error), 0);
	assert_int_equal(texts.count, 2);
	assert_int_equal(range("vmlinux")->start, 0xffffffff80002000);
	assert_int_equal(range("vmlinux")->end, 0xffffffff80b00000);
	assert_int_equal(range("vmlinux")->physical, 0x80202000);
	assert_int_equal(range("other")->physical, 0);
	assert_int_equal(range("vmlinux")->stvec, 0xffffffff80a01230);
	assert_int_equal(range("vmlinux")->switch_to, 0xffffffff80a01200);
	assert_int_equal(range("vmlinux")->kernel.return_writers[0], 0xffffffff80a01700);
	assert_int_equal(range("vmlinux")->kernel.return_writers[1], 0xffffffff80a01500);
	assert_int_equal(range("vmlinux")->kernel.return_writers[2], 0xffffffff80a01600);
	assert_int_equal(range("vmlinux")->kernel.return_writers[3], 0);
	assert_int_equal(range("vmlinux")->kernel.return_writers[4], 0xffffffff80a01800);
	assert_int_equal(range("vmlinux")->kernel.return_catchers[0], 0xffffffff80a01900);
	assert_int_equal(range("vmlinux")->kernel.return_catchers[1], 0xffffffff80a01c00);
	assert_int_equal(range("vmlinux")->kernel.return_catchers[2], 0xffffffff80a01d00);
	assert_int_equal(range("vmlinux")->kernel.signal_setup, 0xffffffff80a01e00);
	assert_int_equal(range("vmlinux")->kernel.task_starts[2], 0xffffffff80a01b00);
	assert_int_equal(range("vmlinux")->kernel.task_starts[3], 0xffffffff80a01a00);
	assert_int_equal(range("vmlinux")->handlers, 0xffffffff80c00100);
	assert_int_equal(range("vmlinux")->handlers_end, 0xffffffff80c00180);
	assert_int_equal(range("other")->start, 0xffffffff02000000);
	assert_int_equal(range("other")->end, 0xffffffff02004000);
	assert_int_equal(range("other")->stvec, 0);
	assert_int_equal(range("other")->switch_to, 0);
}

static void where_there_is_none_it_is_not_known(void **state)
{
	(void)state;
	write_file("kallsyms", "ffffffff80002000 T _stext\nffffffff80b00000 T _etext\n");
	assert_int_equal(rvtrace_texts_find(root, &texts, &error), 0);
	assert_int_equal(texts.count, 1);
	assert_int_equal(range("vmlinux")->stvec, 0);
}

static void hidden_addresses_are_an_error(void **state)
{
	(void)state;
	write_file("kallsyms", "0000000000000000 T _stext\n0000000000000000 T handle_exception\n"
		   "0000000000000000 T _etext\n");
	assert_int_equal(rvtrace_texts_find(root, &texts, &error), -EPERM);
	assert_non_null(strstr(error.text, "hidden"));
}

/* Its text ends where its data begins, or the text of another module */
static void a_module_is_found_by_its_name(void **state)
{
	struct rvtrace_text text;
	char path[128];

	(void)state;
	assert_int_equal(rvtrace_text_of_module(root, "one", &text, &error), -ENOENT);
	write_file("modules", "one 16384 0 - Live 0xffffffff02000000\n"
		   "other 32768 0 - Live 0xffffffff02002000\n");
	assert_int_equal(rvtrace_text_of_module(root, "one", &text, &error), 0);
	assert_string_equal(text.name, "one");
	assert_int_equal(text.start, 0xffffffff02000000);
	assert_int_equal(text.end, 0xffffffff02002000);
	snprintf(path, sizeof(path), "mkdir -p %s/sys/module/one/sections", root);
	assert_int_equal(system(path), 0);
	write_file("../sys/module/one/sections/.data", "0xffffffff02001000\n");
	assert_int_equal(rvtrace_text_of_module(root, "one", &text, &error), 0);
	assert_int_equal(text.end, 0xffffffff02001000);
	assert_int_equal(rvtrace_text_of_module(root, "other", &text, &error), 0);
	assert_int_equal(text.end, 0xffffffff0200a000);
	snprintf(path, sizeof(path), "mkdir -p %s/sys/module/other/sections", root);
	assert_int_equal(system(path), 0);
	write_file("../sys/module/other/sections/.data", "0xffffffff02000800\n");
	assert_int_equal(rvtrace_text_of_module(root, "one", &text, &error), 0);
	assert_int_equal(text.end, 0xffffffff02000800);
	assert_int_equal(rvtrace_text_of_module(root, "../one", &text, &error), -ENOENT);
	write_file("modules", "one 16384 0 - Live 0x0000000000000000\n");
	assert_int_equal(rvtrace_text_of_module(root, "one", &text, &error), -EPERM);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_takes_traps_at_its_symbol),
		TEST(catchers_that_are_not_all_there_are_none),
		TEST(task_starts_that_are_not_all_there_are_none),
		TEST(where_there_is_none_it_is_not_known),
		TEST(hidden_addresses_are_an_error),
		TEST(a_module_is_found_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
