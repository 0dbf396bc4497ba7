// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a ring: the region the device tree reserves for the component, or
 * pages.
 *
 * Where the device writes, both are mapped for streaming DMA, also where it is not
 * coherent: the CPU writes only while the device does not, to clear what is then synchronised
 * to the device; before a byte is published it is synchronised to the CPU. User
 * space maps the same cached pages.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "compat.h"
#include "memory.h"
#include "region.h"
#include "rvtrace.h"

/* Of a mapping, at a fault: a ring may be of GiBs. */
#define MAP_AT_ONCE	((unsigned long)SZ_2M)

static unsigned long ring_size = SZ_1M;
module_param(ring_size, ulong, 0444);
MODULE_PARM_DESC(ring_size, "Bytes of a ring without a reserved-memory region");

/* All of it, which may be GiBs; not what a device writes to. */
static void memory_zero(struct rvtrace_memory *memory)
{
	size_t offset, n;

	for (offset = 0; offset < memory->size; offset += n) {
		n = min_t(size_t, memory->size - offset, SZ_1M);
		memset(memory->virt + offset, 0, n);
		cond_resched();
	}
}

static int memory_use_region(struct rvtrace_memory *memory)
{
	int ret;

	ret = rvtrace_region_claim(&memory->region, memory->dev);
	if (ret)
		return ret;
	memory->virt = memremap(memory->region.base, memory->region.size, MEMREMAP_WB);
	if (!memory->virt) {
		rvtrace_region_release(&memory->region);
		return -ENOMEM;
	}
	memory->size = memory->region.size;
	memory->page = pfn_to_page(PHYS_PFN(memory->region.base));
	return 0;
}

static int memory_use_pages(struct rvtrace_memory *memory, unsigned int address_bits)
{
	gfp_t flags = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	size_t size = PAGE_ALIGN(clamp_t(size_t, ring_size, PAGE_SIZE, SZ_2G));

	if (address_bits && dma_get_required_mask(memory->dev) > DMA_BIT_MASK(address_bits))
		flags |= GFP_DMA32;
	for (;; size = PAGE_ALIGN(size / 2)) {
		memory->virt = alloc_pages_exact(size, flags);
		if (memory->virt || size == PAGE_SIZE)
			break;
	}
	if (!memory->virt)
		return -ENOMEM;
	memory->size = size;
	memory->page = virt_to_page(memory->virt);
	return 0;
}

static void memory_unuse(struct rvtrace_memory *memory)
{
	if (memory->region.size) {
		memunmap(memory->virt);
		rvtrace_region_release(&memory->region);
	} else {
		free_pages_exact(memory->virt, memory->size);
	}
	memory->virt = NULL;
}

/**
 * rvtrace_memory_init() - get the memory of a ring
 * @memory: what to fill in
 * @dev: the device whose memory-region property names a reserved region; without
 *	one pages are allocated
 * @address_bits: width of an address that the device can write to, 32 to 64; 0: it
 *	writes to none
 *
 * Nothing is left of what the memory held before.
 *
 * Return: 0; -ENOMEM; -ENODEV or -EINVAL for memory that cannot be used
 */
int rvtrace_memory_init(struct rvtrace_memory *memory, struct device *dev,
			unsigned int address_bits)
{
	bool region = of_find_property(dev->of_node, "memory-region", NULL);
	int ret;

	memory->dev = dev;
	memory->dma = address_bits;
	ret = region ? memory_use_region(memory) : memory_use_pages(memory, address_bits);
	if (ret)
		return ret;
	if (!memory->dma) {
		memory_zero(memory);
		return 0;
	}

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(address_bits));
	if (ret)
		goto unuse;
	memory_zero(memory);
	memory->bus = dma_map_page(dev, memory->page, 0, memory->size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, memory->bus)) {
		ret = dev_err_probe(dev, -EINVAL, "ring is out of reach of %u address bits\n",
				    address_bits);
		goto unuse;
	}
	memory->coherent = !dma_need_sync(dev, memory->bus);
	return 0;
unuse:
	memory_unuse(memory);
	return ret;
}

/**
 * rvtrace_memory_free() - give the memory back
 * @memory: the memory; pages that readers still map go with the last mapping
 */
void rvtrace_memory_free(struct rvtrace_memory *memory)
{
	if (!memory->virt)
		return;
	/* Reserved memory is nobody else's. */
	if (memory->written && !memory->region.size) {
		dev_err(memory->dev, "hardware may still write to its ring: %zu bytes stay allocated\n",
			memory->size);
		memory->virt = NULL;
		return;
	}
	/* Before: giving up the mapping throws away what is in a cache only. */
	if (memory->dma)
		dma_unmap_page(memory->dev, memory->bus, memory->size, DMA_BIDIRECTIONAL);
	memory_zero(memory);
	memory_unuse(memory);
}

/**
 * rvtrace_memory_sync() - let the CPU see what the device wrote
 * @memory: the memory
 * @offset: first byte
 * @size: bytes
 */
void rvtrace_memory_sync(struct rvtrace_memory *memory, size_t offset, size_t size)
{
	dma_sync_single_for_cpu(memory->dev, memory->bus + offset, size, DMA_BIDIRECTIONAL);
}

/**
 * rvtrace_memory_clear() - forget what was written
 * @memory: the memory, which the device does not write to
 * @offset: first byte
 * @size: bytes
 *
 * Context: may sleep.
 */
void rvtrace_memory_clear(struct rvtrace_memory *memory, size_t offset, size_t size)
{
	size_t n;

	for (; size; offset += n, size -= n) {
		n = min_t(size_t, size, SZ_1M);
		memset(memory->virt + offset, 0, n);
		if (memory->dma)
			dma_sync_single_for_device(memory->dev, memory->bus + offset, n,
						   DMA_BIDIRECTIONAL);
		cond_resched();
	}
}

/**
 * rvtrace_memory_map() - map a part of the memory into a process
 * @memory: the memory
 * @vma: a mapping of pages, from RVTRACE_MMAP_DATA on, that the memory has; what
 *	is mapped already stays
 * @address: in the mapping; it is mapped, and what is in the same 2 MiB
 *
 * Pages, not page frames, so that direct I/O from the mapping works.
 *
 * Return: 0 or the error of the mapping
 */
int rvtrace_memory_map(struct rvtrace_memory *memory, struct vm_area_struct *vma,
		       unsigned long address)
{
	unsigned long at = max(ALIGN_DOWN(address, MAP_AT_ONCE), vma->vm_start);
	unsigned long end = min(ALIGN_DOWN(address, MAP_AT_ONCE) + MAP_AT_ONCE, vma->vm_end);
	unsigned long i = vma->vm_pgoff - (RVTRACE_MMAP_DATA >> PAGE_SHIFT);
	int ret;

	for (i += (at - vma->vm_start) >> PAGE_SHIFT; at < end; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, at, memory->page + i++);
		if (ret && ret != -EBUSY)
			return ret;
		cond_resched();
	}
	return 0;
}

/**
 * rvtrace_memory_held() - whether anybody has pages of the memory that nobody maps
 * @memory: the memory, which no process maps
 *
 * A process may have put what it mapped into a pipe, or have given it to a device: then the pages
 * outlive the mapping.
 */
bool rvtrace_memory_held(struct rvtrace_memory *memory)
{
	unsigned long i;

	if (memory->virt && page_count(memory->page + memory->held) > 1)
		return true;
	for (i = 0; memory->virt && i < memory->size >> PAGE_SHIFT; i++) {
		if (page_count(memory->page + i) > 1) {
			memory->held = i;
			return true;
		}
		if (!(i % SZ_4K))
			cond_resched();
	}
	return false;
}
