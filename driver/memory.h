/* SPDX-License-Identifier: GPL-2.0 */
/* memory.c: memory of a ring */
#ifndef RVTRACE_MEMORY_H
#define RVTRACE_MEMORY_H

#include <linux/types.h>

#include "region.h"

struct device;
struct page;
struct vm_area_struct;

/**
 * struct rvtrace_memory - memory a RAM block writes to
 * @dev: the device that writes
 * @page: its first page
 * @virt: cached mapping of all of it
 * @dma: the device writes there
 * @coherent: what it wrote needs no rvtrace_memory_sync()
 * @bus: address of its first byte as the device sees it
 * @size: bytes
 * @region: the reserved memory it is; allocated pages if there is none
 * @held: number of a page that somebody had when nobody mapped it
 * @written: the device may still write there, and nobody can stop it
 */
struct rvtrace_memory {
	struct device *dev;
	struct page *page;
	void *virt;
	bool dma;
	bool coherent;
	dma_addr_t bus;
	size_t size;
	struct rvtrace_region region;
	unsigned long held;
	bool written;
};

int rvtrace_memory_init(struct rvtrace_memory *memory, struct device *dev,
			unsigned int address_bits);
void rvtrace_memory_free(struct rvtrace_memory *memory);
void rvtrace_memory_sync(struct rvtrace_memory *memory, size_t offset, size_t size);
void rvtrace_memory_clear(struct rvtrace_memory *memory, size_t offset, size_t size);
int rvtrace_memory_map(struct rvtrace_memory *memory, struct vm_area_struct *vma,
		       unsigned long address);
bool rvtrace_memory_held(struct rvtrace_memory *memory);

#endif /* RVTRACE_MEMORY_H */
