/* SPDX-License-Identifier: GPL-2.0 */
/* Time, for a test to tell */
#ifndef KERNEL_LINUX_KTIME_H
#define KERNEL_LINUX_KTIME_H

#include <linux/types.h>

u64 ktime_get_mono_fast_ns(void);

#endif /* KERNEL_LINUX_KTIME_H */
