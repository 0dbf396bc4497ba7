/* SPDX-License-Identifier: GPL-2.0 */
/* ramsink.c: the RAM block */
#ifndef RVTRACE_RAMSINK_H
#define RVTRACE_RAMSINK_H

#include <linux/types.h>

struct rvtrace_component;
struct rvtrace_sink;

int rvtrace_ram_defaults(struct rvtrace_component *c);
int rvtrace_ram_reach(struct rvtrace_component *c);
int rvtrace_ram_set(struct rvtrace_component *c, u16 reg, const char *name, u32 value);
int rvtrace_ram_adopt(struct rvtrace_sink *sink);
int rvtrace_ram_setup(struct rvtrace_sink *sink, u64 offset);
void rvtrace_ram_pointer(struct rvtrace_sink *sink, u64 *offset, bool *wrap);
bool rvtrace_ram_drained(struct rvtrace_sink *sink);

#endif /* RVTRACE_RAMSINK_H */
