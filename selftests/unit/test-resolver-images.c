// SPDX-License-Identifier: GPL-2.0
/* Which image of a recording lies at an address: text of the kernel, files, saved memory. */
#include <elf.h>

#include "selftests/unit/resolver-fixture.h"

static void kernel_text_is_there_while_it_is(void **state)
{
	const struct rvtrace_record_text gone = {
		.header = { .size = sizeof(gone), .type = RVTRACE_RECORD_TEXT, .time = 6000 },
		.address = 0x80000, .size = CODE_SIZE, .flags = RVTRACE_TEXT_GONE,
	};

	(void)state;
	image("kernel", 4, "\"kind\":\"kernel\",\"name\":\"vmlinux\",\"address\":\"0x70000\"");
	image("old", 5, "\"kind\":\"module\",\"name\":\"old\",\"address\":\"0x80000\"");
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0x90000\",\"time\":3000");
	add_ksymbol(&bench.sideband, 2500, 0x90000, CODE_SIZE, "bpf_prog", 0);
	add_ksymbol(&bench.sideband, 5000, 0x90000, CODE_SIZE, "bpf_prog", 1);
	record(&gone, sizeof(gone));
	load();
	ask(0, -1, 2400);
	assert_int_equal(kernel_at(0x70000), 4);
	assert_int_equal(kernel_at(0x80000), 5);
	assert_int_equal(kernel_at(0x90000), 0);
	/* the bytes were saved a little later than the program came */
	ask(0, -1, 2500);
	assert_int_equal(kernel_at(0x90000), 6);
	assert_int_equal(bench.place.until, 50);
	ask(0, -1, 5000);
	assert_int_equal(kernel_at(0x90000), 0);
	assert_int_equal(kernel_at(0x80000), 5);
	ask(0, -1, 6000);
	assert_int_equal(kernel_at(0x80000), 0);
	assert_int_equal(kernel_at(0x70000), 4);
}

/* A vDSO with the system call by which a handler of a signal ends, at each of @count offsets */
static void add_vdso(const size_t *offsets, size_t count)
{
	static const uint8_t system_call[] = { 0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0 };
	uint8_t bytes[CODE_SIZE] = { 0 };

	for (size_t i = 0; i < count; i++)
		memcpy(bytes + offsets[i], system_call, sizeof(system_call));
	image_of("vdso", bytes, "\"kind\":\"vdso\",\"name\":\"[vdso]\",\"address\":\"0x0\"");
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 0, "[vdso]");
}

static uint64_t signal_return_at(int64_t ns)
{
	ask(0, 5, ns);
	return bench.place.signal_return;
}

/* Children have it where their parent has it, other programs where they are. */
static void handlers_of_signals_return_to_the_vdso(void **state)
{
	static const size_t offset = 0x804;

	(void)state;
	add_vdso(&offset, 1);
	add_fork(&bench.sideband, 4500, 20, 20, 10);
	add_comm(&bench.sideband, 5000, 20, "ls", 1);
	add_mmap(&bench.sideband, 5100, 20, 0x70000, CODE_SIZE, 0, "[vdso]");
	context(5200, 6, 20);
	load();
	assert_int_equal(signal_return_at(3000), 0x50804);
	ask(0, 6, 6000);
	assert_int_equal(bench.place.signal_return, 0x70804);
	assert_int_equal(rvtrace_spaces_of_process(bench.spaces, 20, 4600)->vdso, 0x50000);
}

static void where_they_return_to_is_unknown_if_two_can_be(void **state)
{
	static const size_t offsets[] = { 0x804, 0x900 };

	(void)state;
	add_vdso(offsets, 2);
	load();
	assert_int_equal(signal_return_at(3000), 0);
}

static void no_code_begins_at_an_odd_address(void **state)
{
	static const size_t offset = 0x805;

	(void)state;
	add_vdso(&offset, 1);
	load();
	assert_int_equal(signal_return_at(3000), 0);
}

/* With @calls of the function that changes tasks, by one instruction and by two */
static void add_kernel(const char *catchers, unsigned int calls)
{
	static const uint8_t call[] = { 0xef, 0x00, 0x00, 0x7f };	/* jal ra, 0x7f0 */
	static const uint8_t call_far[] = { 0x97, 0, 0, 0, 0xe7, 0x80, 0x00, 0x6f };	/* 0x6f0 */
	uint8_t bytes[CODE_SIZE] = { 0 };
	char text[512];

	if (calls)
		memcpy(bytes + 0x10, call, sizeof(call));
	if (calls > 1)
		memcpy(bytes + 0x110, call_far, sizeof(call_far));
	snprintf(text, sizeof(text),
		 "\"kind\":\"kernel\",\"name\":\"vmlinux\",\"address\":\"0x70000\","
		 "\"switch_to\":\"0x70800\",\"signal_setup\":\"0x70900\","
		 "\"return_writers\":[\"0x70100\",\"0x70201\",\"0x70300\"],"
		 "\"return_catchers\":%s,\"task_starts\":[\"0x70600\"],"
		 "\"handlers\":[\"0x70500\"]", catchers);
	image_of("kernel", bytes, text);
}

static void add_changed(const char *name)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"kind\":\"changed\",\"name\":\"%s\","
		 "\"file\":\"images/kernel\",\"ranges\":[[\"0x70010\",\"0x70014\"]]}", name);
	line("images/index.jsonl", text);
}

/* Any writer is worth to know of, catchers only if all are known. */
static void functions_of_the_kernel_have_addresses(void **state)
{
	(void)state;
	add_kernel("[\"0x70400\",\"0x70600\"]", 1);
	add_changed("module");
	load();
	assert_int_equal(bench.program->kernel.return_writers[0], 0x70100);
	assert_int_equal(bench.program->kernel.return_writers[1], 0x70300);
	assert_int_equal(bench.program->kernel.return_writers[2], 0);
	assert_int_equal(bench.program->kernel.return_catchers[0], 0x70400);
	assert_int_equal(bench.program->kernel.return_catchers[1], 0x70600);
	assert_int_equal(bench.program->kernel.task_starts[0], 0x70600);
	assert_int_equal(bench.program->kernel.signal_setup, 0x70900);
	assert_int_equal(bench.program->kernel.handlers[0], 0x70500);
}

/* The function that changes tasks returns to where it is called: to either. */
static void task_starts_are_of_no_use_where_tasks_change_in_two_places(void **state)
{
	(void)state;
	add_kernel("[\"0x70400\"]", 2);
	load();
	assert_int_equal(bench.program->kernel.task_starts[0], 0);
	assert_int_equal(bench.program->kernel.handlers[0], 0x70500);
}

static void task_starts_are_of_no_use_where_it_is_not_known_where_tasks_change(void **state)
{
	(void)state;
	add_kernel("[\"0x70400\"]", 0);
	load();
	assert_int_equal(bench.program->kernel.task_starts[0], 0);
}

static void lists_that_lack_one_are_none(void **state)
{
	(void)state;
	add_kernel("[\"0x70400\",\"0x70601\"]", 1);
	load();
	assert_int_equal(bench.program->kernel.return_catchers[0], 0);
	assert_int_equal(bench.program->kernel.handlers[0], 0x70500);
}

static void lists_that_are_too_long_are_none(void **state)
{
	(void)state;
	add_kernel("[\"0x70400\",\"0x70600\",\"0x70700\",\"0x70800\",\"0x70900\"]", 1);
	load();
	assert_int_equal(bench.program->kernel.return_catchers[0], 0);
}

/* Whatever is said of it later, by a daemon that took over */
static void of_a_kernel_that_changed_nothing_is_inferred(void **state)
{
	(void)state;
	add_changed("vmlinux");
	add_kernel("[\"0x70400\"]", 1);
	load();
	assert_int_equal(bench.program->kernel.return_writers[0], 0x70100);
	assert_int_equal(bench.program->kernel.return_catchers[0], 0);
	assert_int_equal(bench.program->kernel.task_starts[0], 0);
	assert_int_equal(bench.program->kernel.handlers[0], 0);
}

/* With a landing pad in front of it, which would be where they return to */
static void where_they_return_to_is_unknown_behind_a_landing_pad(void **state)
{
	static const uint8_t code[] = { 0x17, 0x10, 0, 0, 0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0 };
	uint8_t bytes[CODE_SIZE] = { 0 };

	(void)state;
	memcpy(bytes + 0x800, code, sizeof(code));
	image_of("vdso", bytes, "\"kind\":\"vdso\",\"name\":\"[vdso]\",\"address\":\"0x0\"");
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 0, "[vdso]");
	load();
	assert_int_equal(signal_return_at(3000), 0);
}

/* All of it, with what tells of it */
static void kernel_text_may_end_where_addresses_do(void **state)
{
	const uint64_t start = -CODE_SIZE;

	(void)state;
	image("old", 5, "\"kind\":\"module\",\"name\":\"old\",\"address\":\"0xffffffffffffd000\"");
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0xffffffffffffd000\","
	      "\"time\":3000");
	add_ksymbol(&bench.sideband, 2500, start, CODE_SIZE, "bpf_prog", 0);
	add_ksymbol(&bench.sideband, 5000, start, CODE_SIZE, "bpf_prog", 1);
	load();
	ask(0, -1, 2400);
	assert_int_equal(kernel_at(UINT64_MAX), 5);
	ask(0, -1, 2500);
	assert_int_equal(kernel_at(start), 6);
	assert_int_equal(kernel_at(UINT64_MAX), 6);
	ask(0, -1, 5000);
	assert_int_equal(kernel_at(start), 0);
	assert_int_equal(kernel_at(UINT64_MAX), 0);
}

/* A module that was loaded where another one was, and nobody saved it. */
static void other_text_in_its_place_ends_it(void **state)
{
	(void)state;
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0x90000\",\"time\":3000");
	add_ksymbol(&bench.sideband, 3000, 0x90000, CODE_SIZE, "one", 0);
	add_ksymbol(&bench.sideband, 4000, 0x91000, CODE_SIZE, "two", 0);
	load();
	ask(0, -1, 3999);
	assert_int_equal(kernel_at(0x90000), 6);
	ask(0, -1, 4000);
	assert_int_equal(kernel_at(0x90000), 0);
	ask(0, -1, -1);
	assert_int_equal(kernel_at(0x90000), 0);
}

/* As text of a module's start, which the kernel frees. */
static void without_a_time_text_that_went_is_there_if_nothing_took_its_place(void **state)
{
	(void)state;
	image("init", 5, "\"kind\":\"module\",\"name\":\"m\",\"address\":\"0x80000\",\"time\":3000");
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"a\",\"address\":\"0x90000\",\"time\":3000");
	image("bpf2", 7, "\"kind\":\"module\",\"name\":\"b\",\"address\":\"0x91000\",\"time\":6000");
	add_ksymbol(&bench.sideband, 2500, 0x80000, CODE_SIZE, "m", 0);
	add_ksymbol(&bench.sideband, 2500, 0x90000, CODE_SIZE, "a", 0);
	add_ksymbol(&bench.sideband, 5000, 0x80000, CODE_SIZE, "m", 1);
	add_ksymbol(&bench.sideband, 5000, 0x90000, CODE_SIZE, "a", 1);
	add_ksymbol(&bench.sideband, 5500, 0x91000, CODE_SIZE, "b", 0);
	add_ksymbol(&bench.sideband, 7000, 0x91000, CODE_SIZE, "b", 1);
	load();
	ask(0, -1, 8000);
	assert_int_equal(kernel_at(0x80000), 0);
	ask(0, -1, -1);
	assert_int_equal(kernel_at(0x80000), 5);
	assert_int_equal(kernel_at(0x90000), 0);
	assert_int_equal(kernel_at(0x93000), 0);
	ask(0, -1, 8000);
	assert_int_equal(kernel_at(0x80000), 0);
}

/* Files that were deleted, one after the other, under one name. */
static void files_of_one_name_differ_by_inode(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap_inode(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 77, "/tmp/gone");
	add_mmap_inode(&bench.sideband, 3000, 10, 0x60000, CODE_SIZE, 88, "/tmp/gone");
	add_mmap_inode(&bench.sideband, 3000, 10, 0x70000, CODE_SIZE, 99, "/tmp/gone");
	image("0badc0de", 4, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":\"0badc0de\","
	      "\"device\":2049,\"inode\":66");
	image("one", 7, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":null,"
	      "\"device\":2049,\"inode\":77");
	image("two", 8, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":null,"
	      "\"device\":2049,\"inode\":88");
	load();
	ask(0, 5, 4000);
	assert_int_equal(user_at(0x50000), 7);
	assert_int_equal(user_at(0x60000), 8);
	assert_int_equal(user_at(0x70000), 0);
}

static void saved_memory_is_that_of_its_mapping(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_mmap(&bench.sideband, 4000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_fork(&bench.sideband, 4500, 20, 20, 10);
	save_memory("jit", 7, "//anon", 0x50000, 2900);
	save_memory("jit2", 7, "//anon", 0x50000, 3000);
	save_memory("jit3", 8, "//anon", 0x51000, 4100);
	save_memory("jit4", 8, "//anon", 0x51000, 4200);
	context(4600, 6, 20);
	load();
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 7);
	ask(0, 5, 4000);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(user_at(0x51000), 8);
	assert_int_equal(user_at(0x53000), 0);
	/* inherited */
	ask(0, 6, 4600);
	assert_int_equal(user_at(0x51000), 8);
}

/* A JIT compiler wrote over its code: which of both ran when is not known. */
static void memory_that_was_rewritten_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, 2 * CODE_SIZE, 0, "//anon");
	save_memory("zero", 0, "//anon", 0x50000, 2100);
	save_memory("first", 7, "//anon", 0x50000, 3000);
	save_memory("again", 7, "//anon", 0x50000, 3500);
	save_memory("last", 8, "//anon", 0x52000, 4000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 7);
	assert_int_equal(user_at(0x51000), 7);
	assert_int_equal(user_at(0x52000), 0);
	assert_int_equal(user_at(0x53000), 0);
}

/* It may have been written over before or afterwards; a file's is what was mapped. */
static void memory_that_was_seen_once_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_mmap(&bench.sideband, 2000, 10, 0x60000, CODE_SIZE, 0, "/memfd:x (deleted)");
	save_memory("zero", 0, "//anon", 0x50000, 2100);
	save_memory("once", 7, "//anon", 0x50000, 3000);
	save_memory("file", 8, "/memfd:x (deleted)", 0x60000, 3000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(user_at(0x60000), 8);
}

/* Not what the newest piece and the one before it have in common, but what all have. */
static void memory_that_was_ever_rewritten_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	save_memory("first", 7, "//anon", 0x50000, 3000);
	save_memory("second", 8, "//anon", 0x50000, 3500);
	save_memory("third", 8, "//anon", 0x50000, 4000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 0);
}

static void memory_ends_where_addresses_do(void **state)
{
	int i;

	(void)state;
	context(900, 5, 10);
	add_mmap(&bench.sideband, 2000, 10, 0xffffffffffffe000, 0x1fff, 0, "//anon");
	for (i = 0; i < 2; i++)
		line("images/index.jsonl", "{\"file\":\"images/sh\",\"kind\":\"file\",\"saved\":true,"
		     "\"name\":\"//anon\",\"pid\":10,\"start\":\"0xffffffffffffe000\",\"time\":3000}");
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0xffffffffffffe000), 0);
}

static void write_kernel(const uint8_t *code, size_t size, const char *switch_to)
{
	int fd = rvtrace_recorder_create(bench.recorder, "images/kernel", &bench.error);
	char text[256];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, code, size), size);
	close(fd);
	snprintf(text, sizeof(text), "{\"file\":\"images/kernel\",\"size\":%zu,\"kind\":\"kernel\","
		 "\"address\":\"0xffffffff80000000\",\"switch_to\":\"%s\"}", size, switch_to);
	line("images/index.jsonl", text);
}

/* Instructions are looked at, not what lies across two of them. */
static void the_kernel_changes_tasks_behind_its_move_to_tp(void **state)
{
	static const uint8_t code[] = {
		0x2e, 0x82,			/* c.mv tp, a1, of another function */
		0x13, 0x00, 0x2e, 0x82,		/* addi zero, ... */
		0x01, 0x00,			/* c.nop */
		0x2e, 0x82, 0x82, 0x80,		/* c.mv tp, a1; ret */
	};

	(void)state;
	write_kernel(code, sizeof(code), "0xffffffff80000002");
	load();
	assert_int_equal(bench.program->task_switch, 0xffffffff8000000a);
}

static void without_compressed_instructions_too(void **state)
{
	static const uint8_t code[] = { 0x13, 0x05, 0x05, 0x00, 0x13, 0x82, 0x05, 0x00 };

	(void)state;
	write_kernel(code, sizeof(code), "0xffffffff80000000");
	load();
	assert_int_equal(bench.program->task_switch, 0xffffffff80000008);
}

static void a_kernel_that_has_none(void **state)
{
	static const uint8_t code[] = { 0x13, 0x05, 0x05, 0x00, 0x13, 0x82, 0x05 };

	(void)state;
	write_kernel(code, sizeof(code), "0xffffffff80000000");
	load();
	assert_int_equal(bench.program->task_switch, 0);
}

static void a_function_elsewhere(void **state)
{
	static const uint8_t code[] = { 0x2e, 0x82, 0x82, 0x80 };

	(void)state;
	write_kernel(code, sizeof(code), "0xffffffff80000004");
	load();
	assert_int_equal(bench.program->task_switch, 0);
}

/* In order, as many as there is room for; what is no address is left out. */
static void functions_that_change_where_others_return_to(void **state)
{
	(void)state;
	write_kernel((const uint8_t *)"\x82\x80", 2, "0\",\"return_writers\":[\"0x20\",7.5,\"x\","
		     "\"0x30\",{},\"0x40\",\"0x50\",\"0x60\",\"0x70\"],\"more\":\"");
	load();
	assert_int_equal(bench.program->kernel.return_writers[0], 0x20);
	assert_int_equal(bench.program->kernel.return_writers[1], 0x30);
	assert_int_equal(bench.program->kernel.return_writers[2], 0x40);
	assert_int_equal(bench.program->kernel.return_writers[3], 0x50);
	assert_int_equal(bench.program->kernel.return_writers[4], 0x60);
}

/* Lists that are to have all */
static void functions_to_one_of_which_code_jumps(void **state)
{
	(void)state;
	write_kernel((const uint8_t *)"\x82\x80", 2, "0\",\"handlers\":[\"0x20\",\"0x30\"],"
		     "\"return_catchers\":[\"0x40\"],\"more\":\"");
	load();
	assert_int_equal(bench.program->kernel.handlers[0], 0x20);
	assert_int_equal(bench.program->kernel.handlers[1], 0x30);
	assert_int_equal(bench.program->kernel.handlers[2], 0);
	assert_int_equal(bench.program->kernel.return_catchers[0], 0x40);
}

static void lists_that_lack_some_are_none(void **state)
{
	(void)state;
	write_kernel((const uint8_t *)"\x82\x80", 2, "0\",\"handlers\":[\"0x20\",\"0x31\"],"
		     "\"return_catchers\":[\"0x40\",\"0x50\",\"0x60\",\"0x70\",\"0x80\"],\"more\":\"");
	load();
	assert_int_equal(bench.program->kernel.handlers[0], 0);
	assert_int_equal(bench.program->kernel.return_catchers[0], 0);
}

static void save(const char *name, const void *bytes, size_t size)
{
	int fd = rvtrace_recorder_create(bench.recorder, name, &bench.error);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/*
 * A file, mapped somewhere else than it was linked to, with its first segment behind its headers;
 * another one needs an interpreter, which begins before it does
 */
static void a_program_begins_at_its_entry_point(void **state)
{
	static struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[2];
		uint8_t code[CODE_SIZE];
	} file = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr), .e_phoff = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_entry = 0x11100,
		},
		.segments = { {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x1000,
			.p_vaddr = 0x11000, .p_filesz = 0x1000, .p_memsz = 0x1000,
		}, { .p_type = PT_INTERP } },
	};
	const struct rvtrace_space *space;

	(void)state;
	add_mmap_inode(&bench.sideband, 2000, 10, 0x50000, CODE_SIZE, 77, "/bin/a");
	add_mmap_inode(&bench.sideband, 2000, 10, 0x60000, CODE_SIZE, 88, "/bin/b");
	image("b", 7, "\"kind\":\"file\",\"name\":\"/bin/b\",\"build_id\":null,"
	      "\"device\":2049,\"inode\":88");
	add_mmap_inode(&bench.sideband, 2000, 10, 0x70000, CODE_SIZE, 99, "/bin/c");
	line("images/index.jsonl", "{\"file\":\"images/a\",\"kind\":\"file\",\"name\":\"/bin/a\",\"build_id\":null,"
	     "\"device\":2049,\"inode\":77}");
	line("images/index.jsonl", "{\"file\":\"images/c\",\"kind\":\"file\",\"name\":\"/bin/c\",\"build_id\":null,"
	     "\"device\":2049,\"inode\":99}");
	save("images/a", &file, sizeof(file));
	file.header.e_phnum = 2;
	save("images/c", &file, sizeof(file));
	load();
	space = rvtrace_spaces_of_process(bench.spaces, 10, 2000);
	assert_non_null(space);
	assert_true(rvtrace_program_begins_at(bench.program, space, 2000, 0x51100));
	assert_false(rvtrace_program_begins_at(bench.program, space, 1999, 0x51100));
	assert_false(rvtrace_program_begins_at(bench.program, space, 2000, 0x51102));
	assert_false(rvtrace_program_begins_at(bench.program, space, 2000, 0x61100));
	assert_false(rvtrace_program_begins_at(bench.program, space, 2000, 0x71100));
	assert_false(rvtrace_program_begins_at(bench.program, space, 2000, 0x91100));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, resolver_setup, resolver_teardown)
	const struct CMUnitTest tests[] = {
		TEST(kernel_text_is_there_while_it_is),
		TEST(kernel_text_may_end_where_addresses_do),
		TEST(handlers_of_signals_return_to_the_vdso),
		TEST(functions_of_the_kernel_have_addresses),
		TEST(lists_that_lack_one_are_none),
		TEST(task_starts_are_of_no_use_where_tasks_change_in_two_places),
		TEST(task_starts_are_of_no_use_where_it_is_not_known_where_tasks_change),
		TEST(lists_that_are_too_long_are_none),
		TEST(of_a_kernel_that_changed_nothing_is_inferred),
		TEST(where_they_return_to_is_unknown_if_two_can_be),
		TEST(no_code_begins_at_an_odd_address),
		TEST(where_they_return_to_is_unknown_behind_a_landing_pad),
		TEST(other_text_in_its_place_ends_it),
		TEST(without_a_time_text_that_went_is_there_if_nothing_took_its_place),
		TEST(files_of_one_name_differ_by_inode),
		TEST(saved_memory_is_that_of_its_mapping),
		TEST(memory_that_was_rewritten_has_no_image),
		TEST(memory_that_was_seen_once_has_no_image),
		TEST(memory_that_was_ever_rewritten_has_no_image),
		TEST(the_kernel_changes_tasks_behind_its_move_to_tp),
		TEST(without_compressed_instructions_too),
		TEST(a_kernel_that_has_none),
		TEST(a_function_elsewhere),
		TEST(functions_that_change_where_others_return_to),
		TEST(functions_to_one_of_which_code_jumps),
		TEST(lists_that_lack_some_are_none),
		TEST(memory_ends_where_addresses_do),
		TEST(a_program_begins_at_its_entry_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
