/* SPDX-License-Identifier: GPL-2.0 */
/* atb.c: IDs on the bus to CoreSight; a session begins and ends with rvtrace_lock held */
#ifndef RVTRACE_ATB_H
#define RVTRACE_ATB_H

struct rvtrace_component;

void rvtrace_atb_choose(struct rvtrace_component *c);
void rvtrace_atb_free(struct rvtrace_component *c);
int rvtrace_atb_begin(struct rvtrace_component *c);
void rvtrace_atb_end(const struct rvtrace_component *c);

#endif /* RVTRACE_ATB_H */
