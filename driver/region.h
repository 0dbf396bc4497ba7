/* SPDX-License-Identifier: GPL-2.0 */
/* region.c: reserved memory */
#ifndef RVTRACE_REGION_H
#define RVTRACE_REGION_H

#include <linux/list.h>
#include <linux/types.h>

struct device;

/**
 * struct rvtrace_region - reserved memory that one ring uses
 * @node: in the list of all of them
 * @dev: the device that writes to it
 * @base: its first byte
 * @size: bytes; 0 when there is none
 */
struct rvtrace_region {
	struct list_head node;
	struct device *dev;
	phys_addr_t base;
	size_t size;
};

int rvtrace_region_claim(struct rvtrace_region *region, struct device *dev);
void rvtrace_region_release(struct rvtrace_region *region);

#endif /* RVTRACE_REGION_H */
