/* SPDX-License-Identifier: GPL-2.0 */
/* Strings and memory */
#ifndef KERNEL_LINUX_STRING_H
#define KERNEL_LINUX_STRING_H

#include <string.h>

#endif /* KERNEL_LINUX_STRING_H */
