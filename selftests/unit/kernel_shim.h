/* SPDX-License-Identifier: GPL-2.0 */
/* What the driver's pure functions use of the kernel, for tests on the host. */
#ifndef KERNEL_SHIM_H
#define KERNEL_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define NSEC_PER_SEC	1000000000L

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

#endif /* KERNEL_SHIM_H */
