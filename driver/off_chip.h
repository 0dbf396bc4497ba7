/* SPDX-License-Identifier: GPL-2.0 */
/* off_chip.c: PIB and ATB sinks in the page of their owner */
#ifndef RVTRACE_OFF_CHIP_H
#define RVTRACE_OFF_CHIP_H

struct rvtrace_component;

int rvtrace_off_chip_enable(struct rvtrace_component *c);
int rvtrace_off_chip_drain(struct rvtrace_component *c);
int rvtrace_off_chip_disable(struct rvtrace_component *c);

#endif /* RVTRACE_OFF_CHIP_H */
