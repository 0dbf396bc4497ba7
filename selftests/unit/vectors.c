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

#define ROM 0x1000

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

	if (address - ROM < run->rom.size) {
		left = run->rom.size - (address - ROM);
		code = run->rom.bytes + (address - ROM);
	}
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

/* The reference flow has no clock. */
static void etrace_block(void *opaque, const struct ingress_block *b)
{
	struct vector_run *run = opaque;
	struct ingress_block timeless = *b;

	if (!run->started) {
		const struct ingress_context machine = { .priv = INGRESS_PRIV_M };

		run->started = true;
		etrace_encoder_start(&run->etrace, b->start, &machine, 0, 0);
	}
	timeless.time = 0;
	etrace_encoder_block(&run->etrace, &timeless);
}

/* A row of VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT */
static void add_row(struct pclist *list, const char *row)
{
	unsigned long long address, insn, tval;
	unsigned int valid, priv, exception, cause, interrupt;
	struct ingress_context context = { 0 };

	if (sscanf(row, "%u,%llx,%llx,%u,%u,%x,%llx,%u", &valid, &address, &insn, &priv,
		   &exception, &cause, &tval, &interrupt) != 8)
		fail_msg("not a row: %s", row);
	context.priv = priv;
	pclist_context(list, &context);
	if (exception || interrupt)
		pclist_trap(list, address, interrupt ? INGRESS_INTERRUPT : INGRESS_EXCEPTION,
			    cause, tval);
	else if (!pclist_add(list, address))
		fail_msg("no code at %s", row);
}

void vector_encode_etrace(struct vector_run *run, const struct etrace_params *params,
			  const char *program)
{
	struct pclist list;
	const char *wrong;
	char line[128];
	gzFile gz;

	memset(run, 0, sizeof(*run));
	snprintf(line, sizeof(line), "selftests/vectors/elf/%s.riscv", program);
	run->elf = vector_read(line);
	run->rom = vector_read(ETRACE_VECTORS "bootrom-0x1000.bin");
	wrong = etrace_params_check(params);
	if (wrong)
		fail_msg("%s", wrong);
	etrace_encoder_init(&run->etrace, params, emit, run);
	pclist_init(&list, params->iaddress_width, fetch, etrace_block, run);
	list.single = true;
	pclist_context(&list, &(struct ingress_context){ .priv = INGRESS_PRIV_M });
	snprintf(line, sizeof(line), ETRACE_VECTORS "%s.spike_pc_trace.gz", program);
	gz = gzopen(line, "rb");
	assert_non_null(gz);
	assert_non_null(gzgets(gz, line, sizeof(line)));
	while (gzgets(gz, line, sizeof(line)))
		add_row(&list, line);
	gzclose(gz);
	pclist_end(&list);
	etrace_encoder_stop(&run->etrace, 0);
}

void vector_compare(const struct vector_run *run, const char *path)
{
	struct vector_file want = vector_read(path);
	size_t i, n = want.size < run->size ? want.size : run->size;

	for (i = 0; i < n; i++)
		if (want.bytes[i] != run->out[i])
			fail_msg("%s: byte %zu is 0x%02x, expected 0x%02x",
				 path, i, run->out[i], want.bytes[i]);
	if (want.size != run->size)
		fail_msg("%s: %zu bytes, expected %zu", path, run->size,
			 want.size);
	free(want.bytes);
}

void vector_free(struct vector_run *run)
{
	free(run->out);
	free(run->elf.bytes);
	free(run->rom.bytes);
}
