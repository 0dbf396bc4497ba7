// SPDX-License-Identifier: GPL-2.0
/*
 * Build ids of files that anybody made: what is there is found, and what the headers claim costs
 * neither memory nor reading.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/lib/code/build_id.h"

#define ID		"0123456789abcdef0123456789abcdef01234567"
#define COUNT_MAX	60000
#define READ_MAX	(128 * 1024)	/* 64 KiB of notes, and headers */

static char path[64];

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/rvtrace-build-id-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	return close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const void *bytes, size_t size, off_t offset)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, offset), size);
	close(fd);
}

static void put_header(unsigned int count)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = count,
	};

	put(&header, sizeof(header), 0);
}

static void put_segment(unsigned int number, uint64_t offset, uint64_t size, uint64_t align)
{
	Elf64_Phdr phdr = {
		.p_type = PT_NOTE, .p_offset = offset, .p_filesz = size, .p_memsz = size,
		.p_align = align,
	};

	put(&phdr, sizeof(phdr), sizeof(Elf64_Ehdr) + number * sizeof(phdr));
}

/* Return: the bytes that the note takes. */
static size_t put_note(off_t offset, uint32_t type, const char *name, size_t size, size_t align)
{
	uint32_t header[3] = { strlen(name) + 1, size, type };
	size_t desc = (sizeof(header) + header[0] + align - 1) / align * align, i;
	uint8_t byte;

	put(header, sizeof(header), offset);
	put(name, header[0], offset + sizeof(header));
	for (i = 0; i < size && i < 20; i++) {
		byte = strtoul((char [3]) { ID[2 * i], ID[2 * i + 1] }, NULL, 16);
		put(&byte, 1, offset + desc + i);
	}
	return desc + (size + align - 1) / align * align;
}

static void cut(off_t size)
{
	assert_int_equal(truncate(path, size), 0);
}

static const char *read_id(void)
{
	static char text[RVTRACE_BUILD_ID_TEXT];

	memset(text, 'x', sizeof(text));
	rvtrace_build_id_of_file(path, text);
	return text;
}

/* Bytes that this process has read */
static unsigned long long bytes_read(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	unsigned long long bytes;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "rchar: %llu", &bytes), 1);
	fclose(file);
	return bytes;
}

static void is_cheap(const char *expected)
{
	unsigned long long before = bytes_read();

	assert_string_equal(read_id(), expected);
	assert_true(bytes_read() - before < READ_MAX);
}

static void one_note(void **state)
{
	(void)state;
	put_header(1);
	put_segment(0, 0x200, put_note(0x200, NT_GNU_BUILD_ID, "GNU", 20, 4), 4);
	is_cheap(ID);
}

static void after_others(void **state)
{
	size_t size;

	(void)state;
	put_header(3);
	put_segment(0, 0x200, put_note(0x200, NT_GNU_BUILD_ID, "Xen", 20, 4), 4);
	size = put_note(0x400, NT_GNU_PROPERTY_TYPE_0, "GNU", 4, 8);
	put_segment(1, 0x400, size, 8);
	size = put_note(0x800, NT_GNU_ABI_TAG, "GNU", 13, 4);
	put_segment(2, 0x800, size + put_note(0x800 + size, NT_GNU_BUILD_ID, "GNU", 20, 4), 4);
	is_cheap(ID);
}

/* With notes aligned to 8 the second one begins elsewhere than with 4. */
static void aligned_to_8(void **state)
{
	size_t size;

	(void)state;
	put_header(1);
	size = put_note(0x200, NT_GNU_PROPERTY_TYPE_0, "GNU", 4, 8);
	put_segment(0, 0x200, size + put_note(0x200 + size, NT_GNU_BUILD_ID, "GNU", 20, 8), 8);
	is_cheap(ID);
}

static void of_32_bits(void **state)
{
	Elf32_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_phoff = sizeof(header), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 2,
	};
	Elf32_Phdr phdr[2] = { { .p_type = PT_LOAD }, { .p_type = PT_NOTE, .p_offset = 0x200 } };

	(void)state;
	phdr[1].p_filesz = put_note(0x200, NT_GNU_BUILD_ID, "GNU", 20, 4);
	put(&header, sizeof(header), 0);
	put(phdr, sizeof(phdr), sizeof(header));
	is_cheap(ID);
}

static void cut_short(void **state)
{
	size_t size;

	(void)state;
	put_header(1);
	size = put_note(0x200, NT_GNU_BUILD_ID, "GNU", 20, 4);
	put_segment(0, 0x200, size, 4);
	while (size--) {
		cut(0x200 + size);
		is_cheap("");
	}
	cut(0x100);
	is_cheap("");
	cut(sizeof(Elf64_Ehdr) + 20);
	is_cheap("");
	cut(20);
	is_cheap("");
	cut(0);
	is_cheap("");
}

static void sparse_notes(void **state)
{
	(void)state;
	put_header(2);
	put_segment(0, 0x1000, 1ULL << 30, 4);
	put_segment(1, 0x200, put_note(0x200, NT_GNU_BUILD_ID, "GNU", 20, 4), 4);
	cut(0x1000 + (1LL << 30));
	is_cheap(ID);
	put_segment(0, 0x1000, UINT64_MAX, 4);
	is_cheap(ID);
	put_segment(0, UINT64_MAX - 3, UINT64_MAX, 4);
	is_cheap(ID);
}

static void overlapping_notes(void **state)
{
	Elf64_Phdr *phdr = calloc(COUNT_MAX, sizeof(*phdr));
	const uint64_t notes = sizeof(Elf64_Ehdr) + COUNT_MAX * sizeof(*phdr);
	unsigned int i;

	(void)state;
	put_header(COUNT_MAX);
	for (i = 0; i < COUNT_MAX; i++)
		phdr[i] = (Elf64_Phdr) { .p_type = PT_NOTE, .p_offset = notes,
					 .p_filesz = 1 << 20 };
	put(phdr, COUNT_MAX * sizeof(*phdr), sizeof(Elf64_Ehdr));
	free(phdr);
	for (i = 0; i < 1 << 20; i += 4096)
		put_note(notes + i, 1, "GNU", 4096 - 16, 4);
	is_cheap("");
}

/* A note that claims to be longer than all there is */
static void endless_note(void **state)
{
	static const uint32_t sizes[] = { 0xffffffff, 0xfffffffc, 0x7fffffff, 0x10000 };
	size_t i;

	(void)state;
	put_header(1);
	put_segment(0, 0x200, 0x1000, 4);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put((uint32_t [3]) { 4, sizes[i], NT_GNU_BUILD_ID }, 12, 0x200);
		put("GNU", 4, 0x20c);
		is_cheap("");
		put((uint32_t [3]) { sizes[i], 20, NT_GNU_BUILD_ID }, 12, 0x200);
		is_cheap("");
	}
}

/* What is no file is not opened: that of a FIFO would wait. */
static void no_file(void **state)
{
	(void)state;
	alarm(60);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	is_cheap("");
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	is_cheap("");
	unlink(path);
	assert_int_equal(symlink("/tmp", path), 0);
	is_cheap("");
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_note, set_up, tear_down),
		cmocka_unit_test_setup_teardown(after_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(aligned_to_8, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_32_bits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut_short, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sparse_notes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(overlapping_notes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(endless_note, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_file, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
