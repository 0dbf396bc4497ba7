/* SPDX-License-Identifier: GPL-2.0 */
/* Harts, as many as a test likes */
#ifndef KERNEL_LINUX_CPUMASK_H
#define KERNEL_LINUX_CPUMASK_H

extern unsigned int nr_cpu_ids;

#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define num_possible_cpus()		nr_cpu_ids

unsigned int smp_processor_id(void);

#endif /* KERNEL_LINUX_CPUMASK_H */
