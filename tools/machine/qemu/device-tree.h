/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_DEVICE_TREE_H
#define HW_RVTRACE_DEVICE_TREE_H

#include "hw/boards.h"
#include "hw/rvtrace/rvtrace.h"

/**
 * struct RVTraceNode - a component, for the device tree
 * @c: it
 * @hart: what it traces; < 0: nothing
 * @ring, @size: memory reserved for its trace, inside RAM; 0: none
 */
typedef struct RVTraceNode {
	RVTraceComponent *c;
	int hart;
	hwaddr ring;
	uint64_t size;
} RVTraceNode;

/**
 * rvtrace_fdt() - add trace hardware to the machine's device tree
 * @noncoherent: caches do not see what sinks write
 */
void rvtrace_fdt(MachineState *ms, const RVTraceNode *nodes,
		 unsigned int count, bool noncoherent);

#endif
