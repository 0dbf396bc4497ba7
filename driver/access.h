/* SPDX-License-Identifier: GPL-2.0 */
/* access.c: one register or field at a time */
#ifndef RVTRACE_ACCESS_H
#define RVTRACE_ACCESS_H

#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

int rvtrace_access_init(struct rvtrace_component *c, void __iomem *registers);
void rvtrace_reset_status(struct rvtrace_component *c);
int rvtrace_get(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value);
int rvtrace_refused(struct rvtrace_component *c, enum rvtrace_field_id id, u32 asked, u32 kept);
int rvtrace_switch(struct rvtrace_component *c, enum rvtrace_field_id id, bool on);
void rvtrace_restart(struct rvtrace_component *c);
bool rvtrace_takes_trace(const struct rvtrace_component *c);
void rvtrace_let_hart_go(struct rvtrace_component *c);
int rvtrace_activate(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_image(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *image);
int rvtrace_update(struct rvtrace_component *c, enum rvtrace_field_id id);
int rvtrace_verify(struct rvtrace_component *c, u16 reg);
int rvtrace_configure(struct rvtrace_component *c);
void rvtrace_blank(struct rvtrace_component *c);
int rvtrace_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value, u32 *kept);

#endif /* RVTRACE_ACCESS_H */
