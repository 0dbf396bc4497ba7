// SPDX-License-Identifier: GPL-2.0
/*
 * System Trace Module of Open SoC Debug (tools/machine/README.md): its packets go to a ring in
 * memory, and are taken from there out of the machine: through the serial port leave all packets
 * and, behind them, how many events were lost, as four bytes.
 */
#include "tools/machine/model/osd-stm.h"

#define MEMORY		0x88000000ul
#define SERIAL		0x10000000ul
#define DEST		0x401

typedef unsigned long word;

_Bool stm_begin(word stm, unsigned int size, unsigned int thread_switch);
void stm_drain(word stm, unsigned int size);
void stm_end(word stm, unsigned int size);

static volatile unsigned short *half(word address)
{
	return (volatile unsigned short *)address;
}

static volatile unsigned int *reg(word address)
{
	return (volatile unsigned int *)address;
}

static void print(unsigned char byte)
{
	*(volatile unsigned char *)SERIAL = byte;
}

/* Whether that is what is there */
static _Bool is_module(word stm)
{
	return *half(stm + STM_MOD_VENDOR) == STM_VENDOR && *half(stm + STM_MOD_TYPE) == STM_TYPE &&
	       *half(stm + STM_MOD_VERSION) == STM_VERSION && !*half(stm + STM_MOD_CS) &&
	       *half(stm + STM_VALWIDTH) == __riscv_xlen;
}

_Bool stm_begin(word stm, unsigned int size, unsigned int thread_switch)
{
	if (!is_module(stm))
		return 0;
	*half(stm + STM_MOD_EVENT_DEST) = DEST;
	*half(stm + STM_THREADS) = !!thread_switch;
	*half(stm + STM_SWITCH) = thread_switch;
	*reg(stm + STM_MEM_BASE) = MEMORY;
	*reg(stm + STM_MEM_BASE + 4) = 0;
	*reg(stm + STM_MEM_SIZE) = size;
	*half(stm + STM_MEM_CONTROL) = STM_MEM_CONTROL_ENABLE | STM_MEM_CONTROL_KEEP;
	*half(stm + STM_MOD_CS) = STM_MOD_CS_ACTIVE;
	return *half(stm + STM_MEM_STATUS) == STM_MEM_STATUS_EMPTY;
}

void stm_drain(word stm, unsigned int size)
{
	const volatile unsigned char *memory = (const volatile unsigned char *)MEMORY;
	unsigned int write = *reg(stm + STM_MEM_WRITE), read = *reg(stm + STM_MEM_READ);

	while (read != write) {
		print(memory[read++]);
		if (read == size)
			read = 0;
	}
	*reg(stm + STM_MEM_READ) = read;
}

void stm_end(word stm, unsigned int size)
{
	unsigned int lost, shift;

	*half(stm + STM_MOD_CS) = 0;
	while (!(*half(stm + STM_MEM_STATUS) & STM_MEM_STATUS_EMPTY))
		stm_drain(stm, size);
	stm_drain(stm, size);
	lost = *reg(stm + STM_LOST);
	for (shift = 0; shift < 32; shift += 8)
		print(lost >> shift);
}
