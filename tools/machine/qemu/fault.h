/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_FAULT_H
#define HW_RVTRACE_FAULT_H

#include "hw/rvtrace/topology.h"

/**
 * rvtrace_fault_map() - map the registers that break components
 * @nodes: array of RVTraceNode
 */
void rvtrace_fault_map(hwaddr addr, const GArray *nodes);

#endif
