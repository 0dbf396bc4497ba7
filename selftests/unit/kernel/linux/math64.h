/* SPDX-License-Identifier: GPL-2.0 */
/* Division of 64 bits */
#ifndef KERNEL_LINUX_MATH64_H
#define KERNEL_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (unsigned __int128)a * b / divisor;
}

#endif /* KERNEL_LINUX_MATH64_H */
