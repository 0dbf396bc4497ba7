/* SPDX-License-Identifier: GPL-2.0 */
/* Units of time */
#ifndef KERNEL_LINUX_TIME64_H
#define KERNEL_LINUX_TIME64_H

#define NSEC_PER_SEC	1000000000L

#endif /* KERNEL_LINUX_TIME64_H */
