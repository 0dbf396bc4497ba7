/* SPDX-License-Identifier: GPL-2.0 */
/* stm.c: events by the kernel's STM class, where the kernel has that */
#ifndef RVTRACE_STM_CLASS_H
#define RVTRACE_STM_CLASS_H

#if IS_ENABLED(CONFIG_STM)
int rvtrace_stm_init(void);
void rvtrace_stm_exit(void);
#else
static inline int rvtrace_stm_init(void)
{
	return 0;
}

static inline void rvtrace_stm_exit(void)
{
}
#endif

#endif /* RVTRACE_STM_CLASS_H */
