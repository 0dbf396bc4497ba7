/* SPDX-License-Identifier: GPL-2.0 */
/* guard.c: harts that wait for trace which nothing takes any more */
#ifndef RVTRACE_GUARD_H
#define RVTRACE_GUARD_H

struct list_head;

void rvtrace_guard_init(void);
void rvtrace_guard_exit(void);
void rvtrace_guard_hart_online(void);
void rvtrace_guard_hart_offline(void);
void rvtrace_guard_begin(struct list_head *encoders);
void rvtrace_guard_end(struct list_head *encoders);

#endif /* RVTRACE_GUARD_H */
