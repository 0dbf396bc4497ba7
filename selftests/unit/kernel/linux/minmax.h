/* SPDX-License-Identifier: GPL-2.0 */
/* The smaller and the larger of two */
#ifndef KERNEL_LINUX_MINMAX_H
#define KERNEL_LINUX_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))

#endif /* KERNEL_LINUX_MINMAX_H */
