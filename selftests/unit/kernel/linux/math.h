/* SPDX-License-Identifier: GPL-2.0 */
/* Division */
#ifndef KERNEL_LINUX_MATH_H
#define KERNEL_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#endif /* KERNEL_LINUX_MATH_H */
