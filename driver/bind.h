/* SPDX-License-Identifier: GPL-2.0 */
/* bind.c: devices */
#ifndef RVTRACE_BIND_H
#define RVTRACE_BIND_H

struct of_device_id;

/* What nodes of components are compatible with */
extern const struct of_device_id rvtrace_matches[];

int rvtrace_bind_init(void);
void rvtrace_bind_exit(void);
void rvtrace_probe_again(void);

#endif /* RVTRACE_BIND_H */
