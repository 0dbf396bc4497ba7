/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which values of tp are addresses of tasks. */
#ifndef TASK_ADDRESS_H
#define TASK_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_RV32	0xc0000000	/* user space ends below 0xa0000000 */

/*
 * Linux loads tp with a task's address when it switches or enters the kernel, with 0 on the way
 * into a trap of the kernel's own, and with the thread's own value on the way to user space: where
 * the kernel is tells tasks; what firmware has there meanwhile lies at physical addresses.
 */
static inline bool is_task_address(uint64_t value, unsigned int width)
{
	return width == 32 ? value >= KERNEL_RV32 : value >> (width - 1) & 1;
}

#endif /* TASK_ADDRESS_H */
