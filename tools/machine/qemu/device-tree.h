/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_DEVICE_TREE_H
#define HW_RVTRACE_DEVICE_TREE_H

#include "hw/boards.h"
#include "hw/rvtrace/topology.h"

/**
 * struct RVTraceRing - memory reserved for trace, inside RAM
 * @node: whose trace
 */
typedef struct RVTraceRing {
	const RVTraceNode *node;
	hwaddr base;
	uint64_t size;
} RVTraceRing;

/**
 * rvtrace_fdt() - add trace hardware to the machine's device tree
 * @nodes: array of RVTraceNode
 * @rings: array of RVTraceRing
 * @noncoherent: caches do not see what sinks write
 */
void rvtrace_fdt(MachineState *ms, const GArray *nodes, const GArray *rings,
		 bool noncoherent);

#endif
