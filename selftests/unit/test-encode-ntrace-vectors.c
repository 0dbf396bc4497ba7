// SPDX-License-Identifier: GPL-2.0
/*
 * The encoder against streams that another encoder made from the same list
 * of executed instructions: byte for byte.
 */
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

#include "tools/encode/ntrace.h"
#include "tools/encode/pclist.h"

#define VECTORS "selftests/vectors/ntrace/"

struct file {
	uint8_t *bytes;
	size_t size;
};

struct run {
	struct file elf;
	struct ntrace_encoder enc;
	uint8_t *out;
	size_t size;
	size_t room;
	bool started;
};

static struct file read_file(const char *path)
{
	struct file file = {};
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
static const uint8_t *loaded(const struct file *elf, uint64_t address,
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
	struct run *run = opaque;
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
	struct run *run = opaque;

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
	struct run *run = opaque;

	if (!run->started) {
		run->started = true;
		ntrace_encoder_start(&run->enc, b->start, &none, 0, 0,
				     NTRACE_SYNC_RESET);
	}
	ntrace_encoder_block(&run->enc, b);
}

static void encode(struct run *run, const struct ntrace_params *params,
		   const char *elf, const char *pcs)
{
	struct pclist list;
	unsigned long count = 0;
	char line[64];
	gzFile gz;

	memset(run, 0, sizeof(*run));
	run->elf = read_file(elf);
	assert_null(ntrace_params_check(params));
	ntrace_encoder_init(&run->enc, params, emit, run);
	pclist_init(&list, params->xlen, fetch, block, run);
	gz = gzopen(pcs, "rb");
	assert_non_null(gz);
	while (gzgets(gz, line, sizeof(line))) {
		if (!pclist_add(&list, strtoull(line, NULL, 16)))
			fail_msg("%s: no code at line %lu: %s", pcs, count + 1, line);
		count++;
	}
	gzclose(gz);
	pclist_end(&list);
	ntrace_encoder_stop(&run->enc, 0, 0, 0, NTRACE_EVCODE_DEBUG);
}

static void compare(struct run *run, const char *path)
{
	struct file want = read_file(path);
	size_t i, n = want.size < run->size ? want.size : run->size;

	for (i = 0; i < n; i++)
		if (want.bytes[i] != run->out[i])
			fail_msg("%s: byte %zu is 0x%02x, expected 0x%02x",
				 path, i, run->out[i], want.bytes[i]);
	if (want.size != run->size)
		fail_msg("%s: %zu bytes, expected %zu", path, run->size,
			 want.size);
	free(want.bytes);
	free(run->out);
	free(run->elf.bytes);
}

/* Conventions of the reference encoder: docs/formats-ntrace-vectors.md. */
static struct ntrace_params reference(unsigned int xlen)
{
	return (struct ntrace_params) {
		.xlen = xlen,
		.indirect_without_hist = true,
		.timestamp_bits = 64,
		.icnt_bits = 22,
		.hist_bits = 32,
		.repeat_bits = 18,
	};
}

static struct ntrace_params reference_history(unsigned int xlen,
					      bool repeated_history,
					      unsigned int call_stack)
{
	struct ntrace_params params = reference(xlen);

	params.history = true;
	params.repeated_history = repeated_history;
	params.hist_patterns[0] = repeated_history ? 28 : 0;
	params.hist_patterns[1] = repeated_history ? 30 : 0;
	params.call_stack = call_stack;
	return params;
}

static void check(const struct ntrace_params *params, const char *vector)
{
	char path[128];
	struct run run;

	if (params->xlen == 32) {
		encode(&run, params, VECTORS "t1/test.elf",
		       VECTORS "t1/test-PCONLY.txt.gz");
		snprintf(path, sizeof(path), VECTORS "t1/%s", vector);
	} else {
		encode(&run, params, VECTORS "qsort/qsort.riscv",
		       VECTORS "qsort/qsort.pconly.gz");
		snprintf(path, sizeof(path), VECTORS "qsort/%s", vector);
	}
	compare(&run, path);
}

static void t1_branch(void **state)
{
	struct ntrace_params params = reference(32);

	(void)state;
	check(&params, "test-nobhm.nex");
}

static void t1_history(void **state)
{
	struct ntrace_params params = reference_history(32, false, 0);

	(void)state;
	check(&params, "test-cs0rpt0.nex");
}

static void t1_repeated_history(void **state)
{
	struct ntrace_params params = reference_history(32, true, 0);

	(void)state;
	check(&params, "test-cs0rpt2.nex");
}

static void t1_call_stack(void **state)
{
	struct ntrace_params params = reference_history(32, true, 8);

	(void)state;
	check(&params, "test-cs8rpt2.nex");
	check(&params, "test-NEX.bin");
}

static void qsort_branch(void **state)
{
	struct ntrace_params params = reference(64);

	(void)state;
	check(&params, "qsort-nobhm.nex");
}

static void qsort_history(void **state)
{
	struct ntrace_params params = reference_history(64, false, 0);

	(void)state;
	check(&params, "qsort-cs0rpt0.nex");
}

static void qsort_repeated_history(void **state)
{
	struct ntrace_params params = reference_history(64, true, 0);

	(void)state;
	check(&params, "qsort-cs0rpt2.nex");
}

static void qsort_call_stack(void **state)
{
	struct ntrace_params params = reference_history(64, true, 8);

	(void)state;
	check(&params, "qsort-cs8rpt2.nex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t1_branch),
		cmocka_unit_test(t1_history),
		cmocka_unit_test(t1_repeated_history),
		cmocka_unit_test(t1_call_stack),
		cmocka_unit_test(qsort_branch),
		cmocka_unit_test(qsort_history),
		cmocka_unit_test(qsort_repeated_history),
		cmocka_unit_test(qsort_call_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
