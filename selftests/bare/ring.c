// SPDX-License-Identifier: GPL-2.0
/*
 * A ring in memory that the funnel's sink fills (TCI 0.9), and its way out of the machine: through
 * the serial port leave teRamWP, counted from the start of the ring, with its bit teWrap, as four
 * bytes, and then all of the ring.
 */
#include "include/uapi/linux/rvtrace_regs.h"

#define BUFFER		0x88000000ul
#define WORD		8		/* access width of the sink */
#define SERIAL		0x10000000ul

typedef unsigned long word;

void ring_begin(word funnel, word size);
void ring_print(word funnel, word size);

static volatile unsigned int *reg(word address)
{
	return (volatile unsigned int *)address;
}

static void print(unsigned char byte)
{
	*(volatile unsigned char *)SERIAL = byte;
}

void ring_begin(word funnel, word size)
{
	*reg(funnel + RVTRACE_TE_RAM_BASE) = BUFFER;
	*reg(funnel + RVTRACE_TE_RAM_BASE_HIGH) = 0;
	*reg(funnel + RVTRACE_TE_RAM_LIMIT) = BUFFER + size - WORD;
	*reg(funnel + RVTRACE_TE_RAM_WP) = BUFFER;
}

void ring_print(word funnel, word size)
{
	unsigned int pointer = *reg(funnel + RVTRACE_TE_RAM_WP) - BUFFER;
	const volatile unsigned char *byte = (const volatile unsigned char *)BUFFER;
	word i;

	for (i = 0; i < sizeof(pointer); i++)
		print(pointer >> (8 * i));
	for (i = 0; i < size; i++)
		print(byte[i]);
}
