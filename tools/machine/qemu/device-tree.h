/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_DEVICE_TREE_H
#define HW_RVTRACE_DEVICE_TREE_H

#include "hw/boards.h"

/**
 * rvtrace_fdt() - add the trace hardware to the machine's device tree
 * @base: register pages
 * @ring, @size: memory reserved for the trace, inside RAM
 * @noncoherent: caches do not see what the sink writes
 */
void rvtrace_fdt(MachineState *ms, hwaddr base, hwaddr ring, uint64_t size,
		 bool noncoherent);

#endif
