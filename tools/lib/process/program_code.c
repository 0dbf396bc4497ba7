// SPDX-License-Identifier: LGPL-2.1-or-later
/* Places in the code of a kernel and a vDSO that are found by their instructions. */
#include <string.h>

#include <rvtrace/insn.h>

#include "program_internal.h"

#define SWITCH_BYTES	512	/* of __switch_to, more than it has */

static uint32_t word_at(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

/* It takes the next task, its second argument, for tp: mv tp, a1. */
static bool is_task_switch(const uint8_t *code, unsigned int size)
{
	static const uint8_t mv[] = { 0x13, 0x82, 0x05, 0x00 }, c_mv[] = { 0x2e, 0x82 };

	return size == sizeof(mv) ? !memcmp(code, mv, size) : !memcmp(code, c_mv, size);
}

uint64_t program_find_task_switch(const struct rvtrace_program_file *file, uint64_t function)
{
	uint64_t offset = function - file->address;
	unsigned int done = 0, size;
	const uint8_t *code;
	size_t room;

	code = rvtrace_code_bytes(file->code, &room);
	if (offset >= room || offset & 1)
		return 0;
	room = room - offset < SWITCH_BYTES ? room - offset : SWITCH_BYTES;
	for (code += offset; done + 4 <= room; done += size) {
		size = rvtrace_insn_size(code[done] | code[done + 1] << 8);
		if (size > 4)
			return 0;
		if (is_task_switch(code + done, size))
			return function + done + size;
	}
	return 0;
}

/* What is called: by jal ra, or by auipc ra and jalr ra after it; 0: nothing */
static uint64_t called_at(const uint8_t *code, uint64_t address)
{
	uint32_t first = word_at(code), second = word_at(code + 4);

	if ((first & 0xfff) == 0x0ef)
		return address + ((int64_t)(int32_t)(first & 0x80000000) >> 11) +
		       ((first & 0xff000) | (first >> 9 & 0x800) | (first >> 20 & 0x7fe));
	if ((first & 0xfff) == 0x097 && (second & 0xfffff) == 0x080e7)
		return address + (int64_t)(int32_t)(first & 0xfffff000) + ((int32_t)second >> 20);
	return 0;
}

bool program_calls_once(const struct rvtrace_program_file *file, uint64_t function)
{
	unsigned int found = 0;
	const uint8_t *code;
	size_t size, at;

	code = rvtrace_code_bytes(file->code, &size);
	for (at = 0; at + 8 <= size && found < 2; at += 2)
		found += called_at(code + at, file->address + at) == function;
	return found == 1;
}

uint64_t program_find_signal_return(const struct rvtrace_program_file *file)
{
	/* li a7, __NR_rt_sigreturn; ecall */
	static const uint8_t system_call[] = { 0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0 };
	const uint8_t *code, *found, *other;
	size_t size;

	code = rvtrace_code_bytes(file->code, &size);
	found = memmem(code, size, system_call, sizeof(system_call));
	if (!found || (found - code) & 1 || found - code < 4)
		return 0;
	other = memmem(found + 1, code + size - found - 1, system_call, sizeof(system_call));
	/* auipc zero: a landing pad, which would be returned to */
	return other || (word_at(found - 4) & 0xfff) == 0x017 ? 0 : found - code;
}
