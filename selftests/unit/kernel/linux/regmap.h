/* SPDX-License-Identifier: GPL-2.0 */
/* What the driver's tables say to regmap. */
#ifndef KERNEL_LINUX_REGMAP_H
#define KERNEL_LINUX_REGMAP_H

#include <linux/types.h>

struct device;

struct regmap_range {
	unsigned int range_min;
	unsigned int range_max;
};

#define regmap_reg_range(low, high)	{ .range_min = (low), .range_max = (high) }

struct regmap_access_table {
	const struct regmap_range *yes_ranges;
	unsigned int n_yes_ranges;
};

enum regcache_type {
	REGCACHE_NONE,
};

struct regmap_config {
	int reg_bits;
	int val_bits;
	int reg_stride;
	unsigned int max_register;
	const struct regmap_access_table *rd_table;
	bool (*precious_reg)(struct device *dev, unsigned int reg);
	enum regcache_type cache_type;
	bool use_raw_spinlock;
};

#endif /* KERNEL_LINUX_REGMAP_H */
