/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What changed between the kernels the driver builds for, 6.1 to 7.2. No other
 * file looks at the kernel's version.
 */
#ifndef RVTRACE_COMPAT_H
#define RVTRACE_COMPAT_H

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#ifndef CONFIG_64BIT
#error positions have 64 bits, which are read and written at once
#endif

#if KERNEL_VERSION(6, 3, 0) > LINUX_VERSION_CODE
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#if KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* From 7.0 on, allocation by type. */
#ifndef kzalloc_obj
#define kzalloc_obj(object)	kzalloc(sizeof(object), GFP_KERNEL)
#endif

/* Where a module's code is, or its initialisation code, as long as there is any. */
static inline void rvtrace_module_text(const struct module *module, bool init,
				       u64 *address, u64 *size)
{
#if KERNEL_VERSION(6, 4, 0) > LINUX_VERSION_CODE
	const struct module_layout *text = init ? &module->init_layout : &module->core_layout;

	*size = text->text_size;
#else
	const struct module_memory *text = &module->mem[init ? MOD_INIT_TEXT : MOD_TEXT];

	*size = text->size;
#endif
	*address = (uintptr_t)text->base;
}

/* CoreSight's allocator of IDs on ATB, which it exports and declares in a header of its own */
#if IS_REACHABLE(CONFIG_CORESIGHT) && KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
int coresight_trace_id_get_system_id(void);
void coresight_trace_id_put_system_id(int id);

#define rvtrace_coresight_get_id()	coresight_trace_id_get_system_id()
#define rvtrace_coresight_put_id(id)	coresight_trace_id_put_system_id(id)
#else
static inline int rvtrace_coresight_get_id(void)
{
	return -EOPNOTSUPP;
}

static inline void rvtrace_coresight_put_id(int id)
{
}
#endif

/* What sched_process_exit tells; from 6.16 on also whether no thread is left. */
#if KERNEL_VERSION(6, 16, 0) > LINUX_VERSION_CODE
#define RVTRACE_EXIT_ARGUMENTS	void *data, struct task_struct *task
#else
#define RVTRACE_EXIT_ARGUMENTS	void *data, struct task_struct *task, bool last
#endif

/* const or not, as the kernel has it. */
#define RVTRACE_BUS_TYPE	typeof(*((struct device *)NULL)->bus)

/* platform_driver.remove returns nothing from 6.11 on. */
#if KERNEL_VERSION(6, 11, 0) > LINUX_VERSION_CODE
#define RVTRACE_REMOVE(function)					\
static int function##_int(struct platform_device *pdev)			\
{									\
	function(pdev);							\
	return 0;							\
}

#define RVTRACE_REMOVE_OP(function)	function##_int
#else
#define RVTRACE_REMOVE(function)
#define RVTRACE_REMOVE_OP(function)	function
#endif

#endif /* RVTRACE_COMPAT_H */
