// SPDX-License-Identifier: GPL-2.0
/*
 * Landing pads: tables as compilers make them are read, and damaged ones are never read beyond
 * their end. The bytes are put together here by the layout of the Linux Standard Base ("Exception
 * Frames") and of the table of call sites that GCC writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>
#include <libelf.h>

#include <rvtrace/landing.h>

#define FRAMES		0x8000ULL	/* where the sections are */
#define TABLES		0x9000ULL

#define HOT		0x1000ULL	/* a function in two parts, */
#define HOT_SIZE	0x100
#define COLD		0x4000ULL
#define COLD_SIZE	0x40
#define PLAIN		0x2000ULL	/* and one without landing pads */
#define PLAIN_SIZE	0x20

#define ABSPTR		0x00
#define ULEB128		0x01
#define UDATA4		0x03
#define PCREL		0x10
#define SDATA4		0x0b
#define INDIRECT	0x80
#define OMIT		0xff

struct bytes {
	uint8_t at[1024];
	size_t count;
};

/* @augmentation: of the CIE; @code, @lsda: encodings; @sites: of call sites */
struct layout {
	unsigned int xlen;
	const char *augmentation;
	uint8_t code;
	uint8_t lsda;
	uint8_t sites;
};

static const struct layout as_gcc = { 64, "zPLR", PCREL | SDATA4, PCREL | SDATA4, UDATA4 };

struct tables {
	struct bytes frames;
	struct bytes tables;
	struct layout layout;
};

static void put(struct bytes *b, uint64_t value, unsigned int size)
{
	assert_true(b->count + size <= sizeof(b->at));
	while (size--) {
		b->at[b->count++] = value;
		value >>= 8;
	}
}

static void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put(b, value | 0x80, 1);
	put(b, value, 1);
}

/* @address: of the section */
static void put_encoded(struct bytes *b, uint64_t address, const struct layout *layout,
			uint8_t encoding, uint64_t value)
{
	if (encoding & PCREL && value)
		value -= address + b->count;
	if ((encoding & 0xf) == ULEB128)
		put_uleb(b, value);
	else
		put(b, value, (encoding & 0xf) == ABSPTR ? layout->xlen / 8 : 4);
}

/* The length of a record is known at its end. */
static void end_record(struct bytes *b, size_t begin)
{
	uint32_t size;

	while (b->count % 4)
		put(b, 0, 1);
	size = b->count - begin - 4;
	memcpy(b->at + begin, &size, 4);
}

static void put_cie(struct tables *t)
{
	struct bytes *b = &t->frames;
	size_t begin = b->count;

	put(b, 0, 8);
	put(b, 1, 1);
	for (const char *c = t->layout.augmentation; *c; c++)
		put(b, *c, 1);
	put(b, 0, 1);
	put_uleb(b, 1);
	put(b, 0x7c, 1);
	put(b, 1, 1);
	put_uleb(b, strchr(t->layout.augmentation, 'P') ? 7 : 2);
	for (const char *c = t->layout.augmentation + 1; *c; c++) {
		if (*c == 'P') {
			put(b, INDIRECT | PCREL | SDATA4, 1);
			put(b, 0x1234, 4);
		} else {
			put(b, *c == 'L' ? t->layout.lsda : t->layout.code, 1);
		}
	}
	end_record(b, begin);
}

static void put_fde(struct tables *t, uint64_t start, uint64_t size, uint64_t lsda)
{
	struct bytes *b = &t->frames;
	size_t begin = b->count;

	put(b, 0, 4);
	put(b, b->count, 4);		/* the CIE is at 0 */
	put_encoded(b, FRAMES, &t->layout, t->layout.code, start);
	put_encoded(b, FRAMES, &t->layout, t->layout.code & 0xf, size);
	put_uleb(b, 4);
	put_encoded(b, FRAMES, &t->layout, t->layout.lsda & ~INDIRECT, lsda);
	end_record(b, begin);
}

static void put_site(struct bytes *b, const struct layout *layout, uint64_t start, uint64_t size,
		     uint64_t pad, unsigned int action)
{
	put_encoded(b, 0, layout, layout->sites, start);
	put_encoded(b, 0, layout, layout->sites, size);
	put_encoded(b, 0, layout, layout->sites, pad);
	put_uleb(b, action);
}

/* Landing pads count from @base; 0: from where the part begins. Return: its address. */
static uint64_t put_table(struct tables *t, uint64_t base, const struct bytes *sites)
{
	uint64_t address = TABLES + t->tables.count;
	struct bytes *b = &t->tables;

	put(b, base ? PCREL | SDATA4 : OMIT, 1);
	if (base)
		put_encoded(b, TABLES, &t->layout, PCREL | SDATA4, base);
	put(b, PCREL | SDATA4, 1);
	put_uleb(b, sites->count + 9);
	put(b, t->layout.sites, 1);
	put_uleb(b, sites->count);
	for (size_t i = 0; i < sites->count; i++)
		put(b, sites->at[i], 1);
	put(b, 0x7d01, 2);		/* actions, types */
	put(b, 0x5678, 4);
	return address;
}

static struct tables make(struct layout layout)
{
	struct bytes hot = { }, cold = { };
	struct tables t = { .layout = layout };
	uint64_t of_hot, of_cold;

	put_site(&hot, &layout, 0x10, 4, 0x80, 0);
	put_site(&hot, &layout, 0x20, 8, COLD + 0x10 - HOT, 1);
	put_site(&hot, &layout, 0x30, 4, 0, 0);
	put_site(&cold, &layout, 0x08, 4, COLD + 0x20 - HOT, 0);
	of_hot = put_table(&t, 0, &hot);
	of_cold = put_table(&t, HOT, &cold);
	put_cie(&t);
	put_fde(&t, COLD, COLD_SIZE, of_cold);
	put_fde(&t, HOT, HOT_SIZE, of_hot);
	put_fde(&t, PLAIN, PLAIN_SIZE, 0);
	put(&t.frames, 0, 4);
	return t;
}

static struct rvtrace_landings *read_some(const struct tables *t, size_t frames, size_t tables)
{
	const struct rvtrace_landing_section frames_section = {
		.bytes = t->frames.at, .size = frames, .address = FRAMES,
	};
	const struct rvtrace_landing_section tables_section = {
		.bytes = t->tables.at, .size = tables, .address = TABLES,
	};
	struct rvtrace_landings *landings = NULL;

	assert_int_equal(rvtrace_landings_new(t->layout.xlen, &frames_section, &tables_section,
					      &landings), 0);
	return landings;
}

static struct rvtrace_landings *read_all(const struct tables *t)
{
	return read_some(t, t->frames.count, t->tables.count);
}

static void check_all(const struct rvtrace_landings *l)
{
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x10, HOT + 0x80), 1);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x13, HOT + 0x80), 1);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x10, HOT + 0x82), 0);
	/* between call sites, behind the last one, one that nothing passes */
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x0f, HOT + 0x80), 0);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x14, HOT + 0x80), 0);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0xff, HOT + 0x80), 0);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x31, HOT), 0);
	/* from part to part */
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x27, COLD + 0x10), 1);
	assert_int_equal(rvtrace_landing_leads(l, HOT + 0x27, HOT + 0x80), 0);
	assert_int_equal(rvtrace_landing_leads(l, COLD + 0x0b, COLD + 0x20), 1);
	assert_int_equal(rvtrace_landing_leads(l, COLD + 0x0b, COLD + 0x10), 0);
	assert_int_equal(rvtrace_landing_leads(l, PLAIN, PLAIN + 0x10), 0);
	/* no function is there */
	assert_true(rvtrace_landing_leads(l, HOT - 1, HOT + 0x80) < 0);
	assert_true(rvtrace_landing_leads(l, HOT + HOT_SIZE, HOT + 0x80) < 0);
	assert_true(rvtrace_landing_leads(l, 0, 0) < 0);
	assert_true(rvtrace_landing_leads(l, UINT64_MAX, HOT + 0x80) < 0);
}

static void check_layout(struct layout layout)
{
	struct tables t = make(layout);
	struct rvtrace_landings *l = read_all(&t);

	check_all(l);
	rvtrace_landings_free(l);
}

static void test_layouts(void **state)
{
	(void)state;
	check_layout(as_gcc);
	check_layout((struct layout) { 64, "zPLR", PCREL | SDATA4, PCREL | SDATA4, ULEB128 });
	check_layout((struct layout) { 64, "zLR", ABSPTR, ABSPTR, UDATA4 });
	check_layout((struct layout) { 32, "zRPL", PCREL | SDATA4, ABSPTR, ULEB128 });
	check_layout((struct layout) { 32, "zRL", ABSPTR, PCREL | SDATA4, ABSPTR });
}

/* What is not supported is unknown; of functions without it nothing else changes. */
static void check_unknown(struct layout layout, bool code_is_known)
{
	struct tables t = make(layout);
	struct rvtrace_landings *l = read_all(&t);

	assert_true(rvtrace_landing_leads(l, HOT + 0x10, HOT + 0x80) < 0);
	assert_true(rvtrace_landing_leads(l, COLD + 0x08, COLD + 0x20) < 0);
	if (code_is_known)
		assert_int_equal(rvtrace_landing_leads(l, PLAIN, PLAIN + 0x10), 0);
	else
		assert_true(rvtrace_landing_leads(l, PLAIN, PLAIN + 0x10) < 0);
	rvtrace_landings_free(l);
}

static void test_unknown(void **state)
{
	(void)state;
	check_unknown((struct layout) { 64, "zPLR", PCREL | SDATA4, INDIRECT | SDATA4, UDATA4 },
		      true);
	check_unknown((struct layout) { 64, "zPLRx", PCREL | SDATA4, PCREL | SDATA4, UDATA4 },
		      false);
	check_unknown((struct layout) { 64, "eh", PCREL | SDATA4, PCREL | SDATA4, UDATA4 },
		      false);
	/* relative to what only the target knows */
	check_unknown((struct layout) { 64, "zLR", 0x30 | SDATA4, PCREL | SDATA4, UDATA4 },
		      false);
}

static void test_width(void **state)
{
	const struct rvtrace_landing_section none = { };
	struct rvtrace_landings *l;

	(void)state;
	assert_int_equal(rvtrace_landings_new(16, &none, &none, &l), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_landings_new(64, &none, &none, &l), 0);
	assert_true(rvtrace_landing_leads(l, HOT, HOT) < 0);
	rvtrace_landings_free(l);
	rvtrace_landings_free(NULL);
}

/* Two records that say something of one place cannot both be right. */
static void test_overlap(void **state)
{
	struct tables t = make(as_gcc);
	struct rvtrace_landings *l;

	(void)state;
	t.frames.count -= 4;
	put_fde(&t, HOT + 0x10, 0x10, 0);
	l = read_all(&t);
	assert_true(rvtrace_landing_leads(l, HOT + 0x10, HOT + 0x80) < 0);
	assert_int_equal(rvtrace_landing_leads(l, PLAIN, PLAIN + 0x10), 0);
	rvtrace_landings_free(l);
}

static void ask_everywhere(const struct rvtrace_landings *l)
{
	static const uint64_t sites[] = {
		HOT, HOT + 0x10, HOT + 0x27, HOT + 0x31, COLD + 0x0b, PLAIN, UINT64_MAX, 0,
	};

	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		assert_true(rvtrace_landing_leads(l, sites[i], HOT + 0x80) <= 1);
}

/* Without its end, a table yields the same or nothing: the sanitizer sees what is read. */
static void test_prefixes(void **state)
{
	struct tables t = make(as_gcc);
	struct rvtrace_landings *l;

	(void)state;
	for (size_t n = 0; n <= t.frames.count; n++) {
		int ret;

		l = read_some(&t, n, t.tables.count);
		ret = rvtrace_landing_leads(l, HOT + 0x10, HOT + 0x80);
		assert_true(ret == 1 || ret < 0);
		ask_everywhere(l);
		rvtrace_landings_free(l);
	}
	for (size_t n = 0; n <= t.tables.count; n++) {
		int ret;

		l = read_some(&t, t.frames.count, n);
		ret = rvtrace_landing_leads(l, COLD + 0x0b, COLD + 0x20);
		assert_true(ret == 1 || ret < 0);
		ask_everywhere(l);
		rvtrace_landings_free(l);
	}
}

static void damage(struct tables *t, uint8_t *byte)
{
	uint8_t good = *byte;

	for (unsigned int value = 0; value < 256; value++) {
		struct rvtrace_landings *l;

		*byte = value;
		l = read_all(t);
		ask_everywhere(l);
		rvtrace_landings_free(l);
	}
	*byte = good;
}

static void test_damage(void **state)
{
	struct tables t = make(as_gcc);

	(void)state;
	for (size_t i = 0; i < t.frames.count; i++)
		damage(&t, &t.frames.at[i]);
	for (size_t i = 0; i < t.tables.count; i++)
		damage(&t, &t.tables.at[i]);
}

static void add_section(Elf *elf, unsigned int name, unsigned int type, uint64_t address,
			void *bytes, size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;

	assert_non_null(gelf_getshdr(section, &header));
	header.sh_name = name;
	header.sh_type = type;
	header.sh_addr = address;
	header.sh_flags = address ? SHF_ALLOC : 0;
	assert_true(gelf_update_shdr(section, &header));
	data->d_buf = bytes;
	data->d_size = size;
	data->d_align = 1;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
}

static void write_elf(int fd, struct tables *t, unsigned int machine)
{
	static char names[] = "\0.eh_frame\0.gcc_except_table\0.shstrtab";
	GElf_Ehdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_newehdr(elf, ELFCLASS64));
	assert_non_null(gelf_getehdr(elf, &header));
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_type = ET_DYN;
	header.e_machine = machine;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = 3;
	assert_true(gelf_update_ehdr(elf, &header));
	add_section(elf, 1, SHT_PROGBITS, FRAMES, t->frames.at, t->frames.count);
	add_section(elf, 11, SHT_PROGBITS, TABLES, t->tables.at, t->tables.count);
	add_section(elf, 29, SHT_STRTAB, 0, names, sizeof(names));
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
}

static void test_elf(void **state)
{
	char path[] = "/tmp/rvtrace-landing-XXXXXX";
	struct tables t = make(as_gcc);
	struct rvtrace_landings *l = NULL;
	int fd = mkstemp(path);
	off_t size;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(rvtrace_landings_of_elf(fd, &l), RVTRACE_ERR_NOT_ELF);
	write_elf(fd, &t, EM_X86_64);
	assert_int_equal(rvtrace_landings_of_elf(fd, &l), RVTRACE_ERR_NOT_ELF);
	assert_null(l);
	write_elf(fd, &t, EM_RISCV);
	assert_int_equal(rvtrace_landings_of_elf(fd, &l), 0);
	check_all(l);
	rvtrace_landings_free(l);
	for (size = lseek(fd, 0, SEEK_END); size--;) {
		assert_int_equal(ftruncate(fd, size), 0);
		if (rvtrace_landings_of_elf(fd, &l))
			continue;
		ask_everywhere(l);
		rvtrace_landings_free(l);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_width), cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
