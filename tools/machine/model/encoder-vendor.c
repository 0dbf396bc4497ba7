// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What formats of the vendor (teFormat 7, "Vendor-specific format") have in common. What they are
 * made of is what struct te_vendor_config says. Of the fields, teInstMode tells whether there is
 * trace, teInstStallEn whether the hart waits; the others do not count.
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"

void te_vendor_synchronize(struct te_model *te, enum te_sync_reason reason)
{
	(void)te;
	(void)reason;
}

const char *te_vendor_check_common(const struct te_config *config)
{
	if (config->filters || config->comparators || config->filter_machine)
		return "formats of the vendor cannot be filtered";
	if (te_xlen(config) != 32 && te_xlen(config) != 64)
		return "iaddress_width is not 32 or 64";
	return NULL;
}

const char *te_vendor_check(const struct te_config *config)
{
	bool legal = config->formats >> RVTRACE_FORMAT_VENDOR & 1;

	if (config->vendor.format >= TE_VENDORS)
		return "vendor is not 0 to 2";
	if (legal == !config->vendor.format)
		return "formats has 7 without vendor, or vendor is there without it";
	return NULL;
}
