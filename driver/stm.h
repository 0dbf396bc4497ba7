/* SPDX-License-Identifier: GPL-2.0 */
/* stm.c: events by the kernel's STM class, where the kernel has that */
#ifndef RVTRACE_STM_CLASS_H
#define RVTRACE_STM_CLASS_H

struct rvtrace_component;

#if IS_ENABLED(CONFIG_STM)
int rvtrace_stm_add(const struct rvtrace_component *c);
void rvtrace_stm_connect(const struct rvtrace_component *c);
void rvtrace_stm_disconnect(const struct rvtrace_component *c);
void rvtrace_stm_wait(const struct rvtrace_component *c);
void rvtrace_stm_exit(void);
#else
static inline int rvtrace_stm_add(const struct rvtrace_component *c)
{
	return 0;
}

static inline void rvtrace_stm_connect(const struct rvtrace_component *c)
{
}

static inline void rvtrace_stm_disconnect(const struct rvtrace_component *c)
{
}

static inline void rvtrace_stm_wait(const struct rvtrace_component *c)
{
}

static inline void rvtrace_stm_exit(void)
{
}
#endif

#endif /* RVTRACE_STM_CLASS_H */
