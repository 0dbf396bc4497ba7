// SPDX-License-Identifier: GPL-2.0
/* Kernel memory, as an ELF core has it: by address, and by address of memory. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/lib/process/kcore.h"

#define MAPPED		0xffffffff80000000	/* page by page: no address of memory is one's own */
#define UNKNOWN		0xffffffff90000000	/* the same, as newer kernels say it */
#define LINEAR		0xffffffd800000000	/* all memory, from RAM on */
#define RAM		0x80200000
#define SIZE		0x1000

static const struct {
	uint32_t type;
	uint64_t address, physical;
} segments[] = {
	{ PT_NOTE, 0, RAM }, { PT_LOAD, MAPPED, 0 }, { PT_LOAD, UNKNOWN, UINT64_MAX },
	{ PT_LOAD, LINEAR, RAM },
};

#define COUNT	(sizeof(segments) / sizeof(segments[0]))

static char path[64];
static struct rvtrace_kcore *kcore;
static struct rvtrace_failure error;

/* Each byte of the segment number n is n * 0x10, but for the first one. */
static void write_core(int fd)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = COUNT,
	};
	uint8_t bytes[SIZE];

	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	for (size_t i = 0; i < COUNT; i++) {
		Elf64_Phdr segment = {
			.p_type = segments[i].type, .p_offset = (i + 1) * SIZE,
			.p_vaddr = segments[i].address, .p_paddr = segments[i].physical,
			.p_filesz = SIZE, .p_memsz = SIZE,
		};

		assert_int_equal(write(fd, &segment, sizeof(segment)), sizeof(segment));
	}
	for (size_t i = 0; i < COUNT; i++) {
		memset(bytes, i * 0x10, sizeof(bytes));
		bytes[0]++;
		assert_int_equal(pwrite(fd, bytes, SIZE, (i + 1) * SIZE), SIZE);
	}
}

static int set_up(void **state)
{
	int fd = mkstemp(strcpy(path, "/tmp/rvtrace-kcore-XXXXXX"));

	(void)state;
	if (fd < 0)
		return -1;
	write_core(fd);
	close(fd);
	return rvtrace_kcore_open(path, &kcore, &error);
}

static int tear_down(void **state)
{
	(void)state;
	rvtrace_kcore_close(kcore);
	unlink(path);
	return 0;
}

/* The last segment, from @start on */
static void is_found(ssize_t (*read)(struct rvtrace_kcore *, uint64_t, void *, size_t),
		     uint64_t start)
{
	uint8_t bytes[2];

	assert_int_equal(read(kcore, start, bytes, 2), 2);
	assert_int_equal(bytes[0], 0x31);
	assert_int_equal(bytes[1], 0x30);
	assert_int_equal(read(kcore, start + SIZE - 1, bytes, 2), 1);
	assert_int_equal(bytes[0], 0x30);
	assert_int_equal(read(kcore, start + SIZE, bytes, 2), -EFAULT);
	assert_int_equal(read(kcore, start - 1, bytes, 2), -EFAULT);
}

static void memory_is_found_by_its_address(void **state)
{
	uint8_t byte;

	(void)state;
	is_found(rvtrace_kcore_read, LINEAR);
	assert_int_equal(rvtrace_kcore_read(kcore, MAPPED, &byte, 1), 1);
	assert_int_equal(byte, 0x11);
}

/* Notes are no memory. */
static void memory_is_found_by_its_physical_address(void **state)
{
	(void)state;
	is_found(rvtrace_kcore_read_physical, RAM);
}

static void what_is_mapped_page_by_page_has_no_physical_address(void **state)
{
	uint8_t byte;

	(void)state;
	assert_int_equal(rvtrace_kcore_read_physical(kcore, 0, &byte, 1), -EFAULT);
	assert_int_equal(rvtrace_kcore_read_physical(kcore, SIZE - 1, &byte, 1), -EFAULT);
	assert_int_equal(rvtrace_kcore_read_physical(kcore, UINT64_MAX, &byte, 1), -EFAULT);
}

static void other_files_are_refused(void **state)
{
	struct rvtrace_kcore *other;

	(void)state;
	assert_int_equal(rvtrace_kcore_open("/proc/self/comm", &other, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "/proc/self/comm: not an ELF core file"));
	assert_int_equal(rvtrace_kcore_open("/nowhere/kcore", &other, &error), -ENOENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(memory_is_found_by_its_address),
		TEST(memory_is_found_by_its_physical_address),
		TEST(what_is_mapped_page_by_page_has_no_physical_address),
		TEST(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
