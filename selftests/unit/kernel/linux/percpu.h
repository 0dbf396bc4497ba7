/* SPDX-License-Identifier: GPL-2.0 */
/* What each hart has; a test is told who looks at it */
#ifndef KERNEL_LINUX_PERCPU_H
#define KERNEL_LINUX_PERCPU_H

#include <stdlib.h>

#include <linux/cpumask.h>
#include <linux/types.h>

#define __percpu
#define alloc_percpu(type)	((type *)calloc(nr_cpu_ids, sizeof(type)))
#define free_percpu(all)	free(all)
#define per_cpu_ptr(all, cpu)	(looked_at(cpu), (all) + (cpu))
#define this_cpu_ptr(all)	((all) + smp_processor_id())

void looked_at(unsigned int cpu);

#endif /* KERNEL_LINUX_PERCPU_H */
