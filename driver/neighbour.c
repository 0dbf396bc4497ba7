// SPDX-License-Identifier: GPL-2.0
/*
 * Components that another driver holds: those of vendors bind the same compatibles, and
 * whichever was loaded first has the device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/string.h>

#include "bind.h"
#include "neighbour.h"
#include "rvtrace.h"

/**
 * rvtrace_held_by_other() - whether the device of a node is bound to another driver
 * @np: the node
 * @name: out: RVTRACE_DRIVER_NAME bytes for the name of that driver
 *
 * A device that is being probed just now counts as not bound: our own probe may be waiting
 * for the lock that our caller has.
 */
bool rvtrace_held_by_other(struct device_node *np, char *name)
{
	struct platform_device *pdev = of_find_device_by_node(np);
	const struct device_driver *driver;
	bool other = false;

	if (!pdev)
		return false;
	if (device_trylock(&pdev->dev)) {
		driver = pdev->dev.driver;
		other = driver && strcmp(driver->name, RVTRACE_NAME);
		if (other)
			strscpy(name, driver->name, RVTRACE_DRIVER_NAME);
		device_unlock(&pdev->dev);
	}
	put_device(&pdev->dev);
	return other;
}

/**
 * rvtrace_report_held() - say once which components are not ours because another driver has
 *	bound them
 */
void rvtrace_report_held(void)
{
	char name[RVTRACE_DRIVER_NAME], ignored[RVTRACE_DRIVER_NAME];
	struct device_node *np, *first = NULL;
	unsigned int count = 0;

	for_each_matching_node(np, rvtrace_matches)
		if (rvtrace_held_by_other(np, first ? ignored : name) && !count++)
			first = of_node_get(np);
	if (count > 1)
		pr_warn("%pOF is held by another driver: %s (and %u more)\n", first, name,
			count - 1);
	else if (count)
		pr_warn("%pOF is held by another driver: %s\n", first, name);
	of_node_put(first);
}
