// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions as text, from libopcodes.
 *
 * libopcodes is under version 3 of the GPL, this program under version 2, the library beside it
 * (tools/lib) under the LGPL. So nothing is linked with it, and nothing of it is in what is given
 * away: it is opened when a user who has it asks for text, here and nowhere else. Its interface
 * changes with every release, and its name says the release: the one of the header is opened, in
 * the first of the builds that knows RISC-V. Debian has one for each target that it compiles for.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PACKAGE	"rvtrace"	/* bfd.h asks for it */
#include <dis-asm.h>

#include "text.h"

#define CACHE_SIZE	8192	/* a power of two */
#define MAX_INSN	8	/* bytes, of those that have text */

/* One of those of the text that was made last. */
struct cached {
	uint64_t address;
	uint8_t code[MAX_INSN];
	unsigned int size;
	char text[TEXT_SIZE];
};

/**
 * struct text - the library, set up for one width
 * @xlen: that width, 0: not yet
 * @isa: a file that says which extensions there are
 * @print: makes text
 * @info: its parameters
 * @code: the instruction under way
 * @line: its text
 * @used: characters of it
 * @cache: text of instructions, by address
 */
struct text {
	void *library;
	unsigned int xlen;
	bfd *isa;
	disassembler_ftype print;
	struct disassemble_info info;
	const uint8_t *code;
	unsigned int code_size;
	char line[TEXT_SIZE];
	size_t used;
	struct cached *cache;

	__typeof__(init_disassemble_info) *init_info;
	__typeof__(disassemble_init_for_target) *init_target;
	__typeof__(disassembler) *find;
	__typeof__(bfd_openr) *open;
	__typeof__(bfd_check_format) *check;
	__typeof__(bfd_close) *close;
};

/*
 * All that is ratified and does not contradict the rest; a version each, for the library wants one
 * where it does not know the extension.
 */
#define EXTENSIONS \
	"i2p1_m2p0_a2p1_f2p2_d2p2_q2p2_c2p0_v1p0_h1p0" \
	"_zicbom1p0_zicbop1p0_zicboz1p0_zicond1p0_zicsr2p0_zifencei2p0_zihintpause2p0_zawrs1p0" \
	"_zfa1p0_zfh1p0_zba1p0_zbb1p0_zbc1p0_zbkb1p0_zbkc1p0_zbkx1p0_zbs1p0_zcb1p0" \
	"_zknd1p0_zkne1p0_zknh1p0_zksed1p0_zksh1p0_svinval1p0"

/* The attribute Tag_RISCV_arch of an object file, as the ELF psABI of RISC-V has it. */
#define TAG_FILE	1
#define TAG_ARCH	5

static size_t put_attributes(uint8_t *to, unsigned int xlen)
{
	static const char vendor[] = "riscv";
	char arch[512];
	uint32_t size = snprintf(arch, sizeof(arch), "rv%u" EXTENSIONS, xlen) + 1;
	uint32_t file = 1 + sizeof(size) + 1 + size;
	uint32_t all = sizeof(size) + sizeof(vendor) + file;
	uint8_t *at = to;

	*at++ = 'A';
	at = mempcpy(at, &all, sizeof(all));
	at = mempcpy(at, vendor, sizeof(vendor));
	*at++ = TAG_FILE;
	at = mempcpy(at, &file, sizeof(file));
	*at++ = TAG_ARCH;
	at = mempcpy(at, arch, size);
	return at - to;
}

static const char names[] = "\0.riscv.attributes\0.shstrtab";

/* An object file of no code; 32 and 64 bits differ in the types alone. */
#define DEFINE_PUT_OBJECT(BITS)								\
static size_t put_object_##BITS(uint8_t *to)						\
{											\
	Elf##BITS##_Ehdr header = {							\
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS##BITS,	\
			     ELFDATA2LSB, EV_CURRENT },					\
		.e_type = ET_REL, .e_machine = EM_RISCV, .e_version = EV_CURRENT,	\
		.e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf##BITS##_Shdr),	\
		.e_shnum = 3, .e_shstrndx = 2, .e_shoff = sizeof(header),		\
	};										\
	Elf##BITS##_Shdr sections[3] = {						\
		[1] = { .sh_name = 1, .sh_type = SHT_RISCV_ATTRIBUTES, .sh_addralign = 1 }, \
		[2] = { .sh_name = 19, .sh_type = SHT_STRTAB, .sh_addralign = 1,	\
			.sh_size = sizeof(names) },					\
	};										\
	size_t at = sizeof(header) + sizeof(sections);					\
											\
	sections[1].sh_offset = at;							\
	sections[1].sh_size = put_attributes(to + at, BITS);				\
	sections[2].sh_offset = at + sections[1].sh_size;				\
	memcpy(to, &header, sizeof(header));						\
	memcpy(to + sizeof(header), sections, sizeof(sections));			\
	memcpy(to + sections[2].sh_offset, names, sizeof(names));			\
	return sections[2].sh_offset + sizeof(names);					\
}

#ifndef SHT_RISCV_ATTRIBUTES
#define SHT_RISCV_ATTRIBUTES	(SHT_LOPROC + 3)
#endif

DEFINE_PUT_OBJECT(32)
DEFINE_PUT_OBJECT(64)

/* Which extensions there are, the library takes from a file only, which it opens itself. */
static bfd *open_object(struct text *text, unsigned int xlen, int fd)
{
	char path[64];
	bfd *isa;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	isa = text->open(path, xlen == 32 ? "elf32-littleriscv" : "elf64-littleriscv");
	if (isa && !text->check(isa, bfd_object)) {
		text->close(isa);
		isa = NULL;
	}
	return isa;
}

static bfd *open_isa(struct text *text, unsigned int xlen)
{
	uint8_t object[1024];
	size_t size = xlen == 32 ? put_object_32(object) : put_object_64(object);
	int fd = memfd_create("isa", MFD_CLOEXEC);
	bfd *isa = NULL;

	if (fd < 0)
		return NULL;
	if (write(fd, object, size) == (ssize_t)size)
		isa = open_object(text, xlen, fd);
	close(fd);
	return isa;
}

static int append_list(struct text *text, const char *format, va_list args)
{
	size_t room = sizeof(text->line) - text->used;
	int length = vsnprintf(text->line + text->used, room, format, args);

	if (length > 0)
		text->used += (size_t)length < room ? (size_t)length : room - 1;
	return length;
}

__attribute__((format(printf, 2, 3)))
static int append(void *stream, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = append_list(stream, format, args);
	va_end(args);
	return length;
}

__attribute__((format(printf, 3, 4)))
static int append_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;
	int length;

	(void)style;
	va_start(args, format);
	length = append_list(stream, format, args);
	va_end(args);
	return length;
}

static int read_code(bfd_vma address, bfd_byte *to, unsigned int size,
		     struct disassemble_info *info)
{
	const struct text *text = info->application_data;
	uint64_t offset = address - info->buffer_vma;

	if (offset > text->code_size || size > text->code_size - offset)
		return EIO;
	memcpy(to, text->code + offset, size);
	return 0;
}

/* It is the caller who knows that the text ends there. */
static void ignore_error(int status, bfd_vma address, struct disassemble_info *info)
{
	(void)status;
	(void)address;
	(void)info;
}

static void print_address(bfd_vma address, struct disassemble_info *info)
{
	append(info->application_data, "0x%llx", (unsigned long long)address);
}

static int set_width(struct text *text, unsigned int xlen)
{
	struct disassemble_info *info = &text->info;
	unsigned long mach = xlen == 32 ? bfd_mach_riscv32 : bfd_mach_riscv64;

	if (text->isa)
		text->close(text->isa);
	text->xlen = 0;
	text->isa = open_isa(text, xlen);
	if (!text->isa)
		return -1;
	text->init_info(info, text, append, append_styled);
	info->arch = bfd_arch_riscv;
	info->mach = mach;
	info->endian = BFD_ENDIAN_LITTLE;
	info->endian_code = BFD_ENDIAN_LITTLE;
	info->application_data = text;
	info->read_memory_func = read_code;
	info->memory_error_func = ignore_error;
	info->print_address_func = print_address;
	text->init_target(info);
	text->print = text->find(bfd_arch_riscv, 0, mach, text->isa);
	memset(text->cache, 0, CACHE_SIZE * sizeof(*text->cache));
	if (!text->print)
		return -1;
	text->xlen = xlen;
	return 0;
}

/* Which no instruction is: the library of 2.40 takes what it does not know for them. */
static bool is_macro(const char *line)
{
	return !strncmp(line, "vmsge.vx\t", 9) || !strncmp(line, "vmsgeu.vx\t", 10);
}

/* What the library says of the instruction alone, without what it remembers of those before. */
static void make(struct text *text, uint64_t address, const uint8_t *code, unsigned int size)
{
	uint64_t word = 0;
	char *end;

	text->code = code;
	text->code_size = size;
	text->info.buffer_vma = address;
	text->used = 0;
	text->line[0] = 0;
	text->print(address, &text->info);
	free(text->info.private_data);
	text->info.private_data = NULL;
	if (is_macro(text->line)) {
		memcpy(&word, code, size);
		snprintf(text->line, sizeof(text->line), ".%ubyte\t0x%llx", size,
			 (unsigned long long)word);
	}
	end = strchrnul(text->line, '#');
	while (end > text->line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
}

const char *text_of(struct text *text, unsigned int xlen, uint64_t address, const uint8_t *code,
		    unsigned int size)
{
	struct cached *cached;

	if (text->xlen != xlen && set_width(text, xlen))
		return NULL;
	if (size > MAX_INSN)
		size = MAX_INSN;
	cached = &text->cache[address / 2 & (CACHE_SIZE - 1)];
	if (cached->size == size && cached->address == address &&
	    !memcmp(cached->code, code, size))
		return cached->text;
	make(text, address, code, size);
	cached->address = address;
	cached->size = size;
	memcpy(cached->code, code, size);
	memcpy(cached->text, text->line, sizeof(cached->text));
	return cached->text;
}

static int find_functions(struct text *text)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "init_disassemble_info", &text->init_info },
		{ "disassemble_init_for_target", &text->init_target },
		{ "disassembler", &text->find },
		{ "bfd_openr", &text->open },
		{ "bfd_check_format", &text->check },
		{ "bfd_close", &text->close },
	};
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(text->library, functions[i].name);

		if (!found)
			return -ENOENT;
		memcpy(functions[i].to, &found, sizeof(found));
	}
	return text->find(bfd_arch_riscv, 0, bfd_mach_riscv64, NULL) ? 0 : -ENOENT;
}

static int open_library(struct text *text)
{
	static const char *const builds[] = { "riscv64", "multiarch", "system" };
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		snprintf(name, sizeof(name), "libopcodes-" OPCODES_VERSION "-%s.so", builds[i]);
		text->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (text->library && !find_functions(text))
			return 0;
		if (text->library)
			dlclose(text->library);
	}
	text->library = NULL;
	return -ENOENT;
}

int text_new(struct text **text, struct rvtrace_failure *error)
{
	struct text *t = calloc(1, sizeof(*t));

	*text = NULL;
	if (t)
		t->cache = calloc(CACHE_SIZE, sizeof(*t->cache));
	if (!t || !t->cache) {
		text_free(t);
		return -ENOMEM;
	}
	if (open_library(t)) {
		text_free(t);
		return rvtrace_fail(error, ENOENT, 0,
				    "--text: no libopcodes " OPCODES_VERSION
				    " that knows RISC-V (binutils-riscv64-linux-gnu)");
	}
	*text = t;
	return 0;
}

void text_free(struct text *text)
{
	if (!text)
		return;
	if (text->isa)
		text->close(text->isa);
	/* the library stays: it keeps what it made of the extensions */
	free(text->cache);
	free(text);
}
