/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's types, for what of the driver is compiled on the host. */
#ifndef KERNEL_LINUX_TYPES_H
#define KERNEL_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <asm/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* KERNEL_LINUX_TYPES_H */
