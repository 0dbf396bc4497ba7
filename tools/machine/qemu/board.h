/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace hardware of the virt board: -M virt,trace=on
 */
#ifndef HW_RVTRACE_BOARD_H
#define HW_RVTRACE_BOARD_H

#include "hw/boards.h"

/* Machine properties: trace, trace-NAME */
void rvtrace_board_class_init(ObjectClass *oc);

/**
 * rvtrace_board_init() - create the devices, if the machine wants them
 * @map: register pages, as in tools/machine/README.md
 * @dram: where RAM begins
 */
void rvtrace_board_init(MachineState *ms, const MemMapEntry *map, hwaddr dram);

/* Describe them in the device tree of the machine. */
void rvtrace_board_fdt(MachineState *ms, const MemMapEntry *map);

#endif
