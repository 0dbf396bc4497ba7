// SPDX-License-Identifier: GPL-2.0
/*
 * Small amounts of data from a program to a tool, through the trace: copies standard input.
 *
 *	tracectl record -o transfer.rvtrace -- example-transfer < data
 *	tracectl events --json --dictionary events.json transfer.rvtrace
 *
 * Begin and end of a transfer have its number of bytes as their value; in between are the bytes, as
 * many in each event as fit, the first one lowest.
 */
#include <stdio.h>
#include <string.h>

#include <rvtrace/stm.h>

#define EVENT_TRANSFER	0x106
#define EVENT_DATA	0x108

#define MAX		65536

int main(void)
{
	static char data[MAX + sizeof(rvtrace_stm_word)];
	size_t size = fread(data, 1, MAX, stdin);

	RVTRACE_STM_BEGIN(EVENT_TRANSFER, size);
	for (size_t i = 0; i < size; i += sizeof(rvtrace_stm_word)) {
		rvtrace_stm_word value;

		memcpy(&value, data + i, sizeof(value));
		RVTRACE_STM_EVENT(EVENT_DATA, value);
	}
	RVTRACE_STM_END(EVENT_TRANSFER, size);
	return 0;
}
