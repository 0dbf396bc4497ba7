// SPDX-License-Identifier: GPL-2.0
/* Reserved memory that the device tree gives a ring: each byte to one of them. */
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/of_reserved_mem.h>
#include <linux/sched.h>
#include <linux/initrd.h>	/* last: needs what the others include */

#include "region.h"
#include "rvtrace.h"

static LIST_HEAD(region_list);
static DEFINE_MUTEX(region_lock);

/*
 * Whether the kernel uses no page of it. It would use one where a boot loader put an initrd,
 * which is freed, into memory that the device tree reserves.
 */
static bool region_is_reserved(const struct reserved_mem *memory)
{
	unsigned long pfn = PHYS_PFN(memory->base), end = pfn + PHYS_PFN(memory->size);

	/* An initrd's pages are marked reserved until it was unpacked and freed. */
	wait_for_initramfs();
	for (; pfn < end; pfn++) {
		if (!pfn_valid(pfn) || !PageReserved(pfn_to_page(pfn)))
			return false;
		cond_resched();
	}
	return true;
}

static int region_check(struct device *dev, struct device_node *np,
			const struct reserved_mem *memory)
{
	phys_addr_t last;

	if (!memory)
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF is not reserved memory\n", np);
	if (of_find_property(np, "no-map", NULL))
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF has no pages: remove its no-map\n", np);
	/* A pool that others allocate from, such as CMA's */
	if (memory->ops || of_find_property(np, "reusable", NULL))
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF is a pool that others use, too\n", np);
	if (!memory->size || !PAGE_ALIGNED(memory->base | memory->size))
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF does not begin and end at a page\n", np);
	if (memory->size > SIZE_MAX / 2)
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF is more than this kernel can map\n", np);
	last = memory->base + memory->size - 1;
	if (!pfn_valid(PHYS_PFN(memory->base)) || !pfn_valid(PHYS_PFN(last)))
		return dev_err_probe(dev, -ENODEV, "memory-region: %pOF is not in memory\n", np);
	if (!region_is_reserved(memory))
		return dev_err_probe(dev, -ENODEV,
				     "memory-region: %pOF has pages that the kernel uses, was an initrd put there?\n",
				     np);
	return 0;
}

static struct rvtrace_region *region_find_overlap(const struct reserved_mem *memory)
{
	struct rvtrace_region *other;

	list_for_each_entry(other, &region_list, node)
		if (memory->base < other->base + other->size &&
		    other->base < memory->base + memory->size)
			return other;
	return NULL;
}

static int region_claim(struct rvtrace_region *region, struct device *dev, struct device_node *np)
{
	struct reserved_mem *memory = of_reserved_mem_lookup(np);
	struct rvtrace_region *other;
	int ret;

	ret = region_check(dev, np, memory);
	if (ret)
		return ret;
	mutex_lock(&region_lock);
	other = region_find_overlap(memory);
	if (other) {
		ret = dev_err_probe(dev, -ENODEV, "memory-region: %pOF overlaps the ring of %pOF\n",
				    np, other->dev->of_node);
	} else {
		region->dev = dev;
		region->base = memory->base;
		region->size = memory->size;
		list_add(&region->node, &region_list);
	}
	mutex_unlock(&region_lock);
	return ret;
}

/**
 * rvtrace_region_claim() - take the memory that memory-region names
 * @region: what to fill in
 * @dev: the device, whose node has the property
 *
 * Return: 0; -ENODEV, after one line that says why, when it cannot be used
 */
int rvtrace_region_claim(struct rvtrace_region *region, struct device *dev)
{
	struct device_node *np = of_parse_phandle(dev->of_node, "memory-region", 0);
	int ret;

	if (!np)
		return dev_err_probe(dev, -ENODEV, "memory-region: there is no such node\n");
	ret = region_claim(region, dev, np);
	of_node_put(np);
	return ret;
}

/**
 * rvtrace_region_release() - give it back
 * @region: what rvtrace_region_claim() filled in
 */
void rvtrace_region_release(struct rvtrace_region *region)
{
	mutex_lock(&region_lock);
	list_del(&region->node);
	mutex_unlock(&region_lock);
	region->size = 0;
}
