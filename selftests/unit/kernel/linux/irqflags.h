/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts, of which a test has none */
#ifndef KERNEL_LINUX_IRQFLAGS_H
#define KERNEL_LINUX_IRQFLAGS_H

#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))

#endif /* KERNEL_LINUX_IRQFLAGS_H */
