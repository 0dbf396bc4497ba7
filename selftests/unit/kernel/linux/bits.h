/* SPDX-License-Identifier: GPL-2.0 */
/* Bits of a register as wide as a long */
#ifndef KERNEL_LINUX_BITS_H
#define KERNEL_LINUX_BITS_H

#define BITS_PER_LONG	64
#define BIT(n)		(1UL << (n))

#endif /* KERNEL_LINUX_BITS_H */
