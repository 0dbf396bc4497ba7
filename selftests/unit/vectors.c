// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "selftests/unit/vectors.h"

struct vector_file vector_read(const char *path)
{
	struct vector_file file = {};
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("%s: cannot open", path);
	fseek(f, 0, SEEK_END);
	file.size = ftell(f);
	rewind(f);
	file.bytes = malloc(file.size);
	assert_int_equal(fread(file.bytes, 1, file.size, f), file.size);
	fclose(f);
	return file;
}

/* Bytes of the loaded program from @address on; their number in @left. */
static const uint8_t *loaded(const struct vector_file *elf, uint64_t address,
			     uint64_t *left)
{
	bool is32 = elf->bytes[EI_CLASS] == ELFCLASS32;
	const Elf32_Ehdr *e32 = (const void *)elf->bytes;
	const Elf64_Ehdr *e64 = (const void *)elf->bytes;
	unsigned int n = is32 ? e32->e_phnum : e64->e_phnum;
	unsigned int i;

	for (i = 0; i < n; i++) {
		const Elf32_Phdr *p32 = (const void *)(elf->bytes + (is32 ? e32->e_phoff : 0));
		const Elf64_Phdr *p64 = (const void *)(elf->bytes + (is32 ? 0 : e64->e_phoff));
		uint64_t start = is32 ? p32[i].p_vaddr : p64[i].p_vaddr;
		uint64_t size = is32 ? p32[i].p_filesz : p64[i].p_filesz;
		uint64_t offset = is32 ? p32[i].p_offset : p64[i].p_offset;

		if (address - start < size) {
			*left = size - (address - start);
			return elf->bytes + offset + (address - start);
		}
	}
	return NULL;
}

static bool fetch(void *opaque, uint64_t address, uint32_t *bits)
{
	struct vector_run *run = opaque;
	uint64_t left;
	const uint8_t *code = loaded(&run->elf, address, &left);

	if (!code || left < 2)
		return false;
	*bits = code[0] | code[1] << 8;
	if (left >= 4)
		*bits |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	return true;
}

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct vector_run *run = opaque;

	if (run->size + size > run->room) {
		run->room = 2 * run->room + size;
		run->out = realloc(run->out, run->room);
	}
	memcpy(run->out + run->size, message, size);
	run->size += size;
	return true;
}

static void block(void *opaque, const struct ingress_block *b)
{
	static const struct ingress_context none;
	struct vector_run *run = opaque;

	if (!run->started) {
		run->started = true;
		ntrace_encoder_start(&run->enc, b->start, &none, 0, 0,
				     NTRACE_SYNC_RESET);
	}
	ntrace_encoder_block(&run->enc, b);
}

void vector_encode(struct vector_run *run, const struct ntrace_params *params)
{
	bool t1 = params->xlen == 32;
	const char *elf = t1 ? VECTORS "t1/test.elf" :
			       VECTORS "qsort/qsort.riscv";
	const char *pcs = t1 ? VECTORS "t1/test-PCONLY.txt.gz" :
			       VECTORS "qsort/qsort.pconly.gz";
	struct pclist list;
	char line[64];
	gzFile gz;

	memset(run, 0, sizeof(*run));
	run->elf = vector_read(elf);
	assert_null(ntrace_params_check(params));
	ntrace_encoder_init(&run->enc, params, emit, run);
	pclist_init(&list, params->xlen, fetch, block, run);
	gz = gzopen(pcs, "rb");
	assert_non_null(gz);
	while (gzgets(gz, line, sizeof(line))) {
		if (!pclist_add(&list, strtoull(line, NULL, 16)))
			fail_msg("%s: no code at %s", pcs, line);
	}
	gzclose(gz);
	pclist_end(&list);
	ntrace_encoder_stop(&run->enc, 0, 0, 0, NTRACE_EVCODE_DEBUG);
}

void vector_free(struct vector_run *run)
{
	free(run->out);
	free(run->elf.bytes);
}
