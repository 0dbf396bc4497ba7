/* SPDX-License-Identifier: GPL-2.0 */
/* source.c: source ids */
#ifndef RVTRACE_SOURCE_H
#define RVTRACE_SOURCE_H

#include <linux/list.h>

int rvtrace_sources_choose(struct list_head *joining, struct list_head *live);
void rvtrace_sources_undo(struct list_head *joining);
void rvtrace_sources_report(struct list_head *joining);

#endif /* RVTRACE_SOURCE_H */
