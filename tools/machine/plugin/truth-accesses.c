// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ground truth of memory: what each hart loaded and stored between the markers (truth.h), as a
 * plugin of QEMU, which is told by QEMU's own code for memory and knows nothing of trace.
 *
 *	-plugin truth-accesses.so,prefix=PREFIX
 *
 * PREFIX.N is of hart N: struct truth_access, in program order. An atomic is a load and a store;
 * SC is a store, also one that finds another value than LR has left (only where harts race).
 * CBO.ZERO, which trace knows no access for, is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include "tools/machine/truth.h"

#define HARTS	64

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static const char *prefix;
static FILE *files[HARTS];	/* open while the hart is between markers, and from then on */
static bool logs[HARTS];

static void die(const char *path)
{
	perror(path);
	exit(1);
}

static void begin(unsigned int hart, void *data)
{
	char path[4096];

	(void)data;
	if (hart >= HARTS)
		return;
	logs[hart] = true;
	if (files[hart])
		return;
	snprintf(path, sizeof(path), "%s.%u", prefix, hart);
	files[hart] = fopen(path, "w");
	if (!files[hart])
		die(path);
}

static void end(unsigned int hart, void *data)
{
	(void)data;
	if (hart < HARTS)
		logs[hart] = false;
}

static uint64_t value_of(qemu_plugin_meminfo_t info)
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	switch (value.type) {
	case QEMU_PLUGIN_MEM_VALUE_U8:
		return value.data.u8;
	case QEMU_PLUGIN_MEM_VALUE_U16:
		return value.data.u16;
	case QEMU_PLUGIN_MEM_VALUE_U32:
		return value.data.u32;
	case QEMU_PLUGIN_MEM_VALUE_U64:
		return value.data.u64;
	default:
		return value.data.u128.low;
	}
}

/* @data: not NULL: SC, which QEMU compares and exchanges */
static void log_access(unsigned int hart, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct truth_access access = {
		.address = address,
		.value = value_of(info),
		.size = qemu_plugin_mem_size_shift(info),
		.store = qemu_plugin_mem_is_store(info),
	};

	if (hart >= HARTS || !logs[hart] || (data && !access.store))
		return;
	if (fwrite(&access, sizeof(access), 1, files[hart]) != 1)
		die(prefix);
}

/* SC.W, SC.D */
static bool is_sc(uint32_t code)
{
	return (code & 0x7f) == 0x2f && code >> 27 == 3;
}

static bool is_cbo_zero(uint32_t code)
{
	return (code & 0xfff07fff) == 0x0040200f;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t code = 0;

		qemu_plugin_insn_data(insn, &code, sizeof(code));
		if (code == TRUTH_MARKER_BEGIN)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		else if (code == TRUTH_MARKER_END)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (!is_cbo_zero(code))
			qemu_plugin_register_vcpu_mem_cb(insn, log_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW,
							 is_sc(code) ? tb : NULL);
	}
}

static void close_files(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	for (unsigned int i = 0; i < HARTS; i++)
		if (files[i] && fclose(files[i]))
			die(prefix);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "prefix=", 7)) {
		fputs("truth-accesses: prefix=PREFIX says where to write\n", stderr);
		return -1;
	}
	prefix = strdup(argv[0] + 7);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, close_files, NULL);
	return 0;
}
