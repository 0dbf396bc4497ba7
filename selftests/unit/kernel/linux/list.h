/* SPDX-License-Identifier: GPL-2.0 */
/* Lists, which no test has */
#ifndef KERNEL_LINUX_LIST_H
#define KERNEL_LINUX_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

#endif /* KERNEL_LINUX_LIST_H */
