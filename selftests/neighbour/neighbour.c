// SPDX-License-Identifier: GPL-2.0
/*
 * neighbour.ko: has the names that another driver of the same hardware has: a bus and a
 * platform driver "rvtrace". It binds devices that are given to it by driver_override, and
 * leaves their registers alone.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static const struct bus_type neighbour_bus = {
	.name = "rvtrace",
};

static int neighbour_probe(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver neighbour_driver = {
	.probe = neighbour_probe,
	.driver = {
		.name = "rvtrace",
	},
};

static int __init neighbour_init(void)
{
	int ret = bus_register(&neighbour_bus);

	if (ret)
		return ret;
	ret = platform_driver_register(&neighbour_driver);
	if (ret)
		bus_unregister(&neighbour_bus);
	return ret;
}

static void __exit neighbour_exit(void)
{
	platform_driver_unregister(&neighbour_driver);
	bus_unregister(&neighbour_bus);
}

module_init(neighbour_init);
module_exit(neighbour_exit);

MODULE_DESCRIPTION("Test of rvtrace: a driver beside it");
MODULE_LICENSE("GPL");
