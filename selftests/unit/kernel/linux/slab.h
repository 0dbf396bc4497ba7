/* SPDX-License-Identifier: GPL-2.0 */
/* Memory: see percpu.h */
#ifndef KERNEL_LINUX_SLAB_H
#define KERNEL_LINUX_SLAB_H

#include <stdlib.h>

#endif /* KERNEL_LINUX_SLAB_H */
