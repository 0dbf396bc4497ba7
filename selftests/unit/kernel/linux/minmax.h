/* SPDX-License-Identifier: GPL-2.0 */
/* The smaller and the larger of values */
#ifndef KERNEL_LINUX_MINMAX_H
#define KERNEL_LINUX_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define clamp(value, low, high)	min(max(value, low), high)

#endif /* KERNEL_LINUX_MINMAX_H */
