/* SPDX-License-Identifier: GPL-2.0 */
/* bind.c: devices */
#ifndef RVTRACE_BIND_H
#define RVTRACE_BIND_H

int rvtrace_bind_init(void);
void rvtrace_bind_exit(void);
void rvtrace_probe_again(void);

#endif /* RVTRACE_BIND_H */
