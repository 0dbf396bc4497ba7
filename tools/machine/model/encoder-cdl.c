// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an encoder does in CDL compressed trace, a format of the vendor. CDL cannot tell of a loss,
 * so the hart always waits.
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"

#define NYBBLES_PER_BYTE	2
#define REGISTER_TP		4

static void set_defaults(struct te_config *config)
{
	config->vendor.cdl_flavour = CDL_DOC;
	config->vendor.cdl_interval = 128;
}

static bool property(const struct te_config *config, unsigned int index,
		     struct te_property *property)
{
	uint32_t xlen = te_xlen(config);
	const struct te_property all[] = {
		{ .name = "flavour",
		  .text = config->vendor.cdl_flavour == CDL_RTL ? "rtl" : "doc" },
		{ .name = "xlen", .value = xlen },
		{ .name = "rv64", .value = xlen == 64 },
		{ .name = "sync-interval", .value = config->vendor.cdl_interval },
	};

	if (index >= sizeof(all) / sizeof(all[0]))
		return false;
	*property = all[index];
	return true;
}

static struct cdl_params params_of(const struct te_config *config)
{
	const struct te_vendor_config *vendor = &config->vendor;
	uint8_t xlen = te_xlen(config);

	return (struct cdl_params) {
		.flavour = vendor->cdl_flavour,
		.xlen = xlen,
		.rv64 = xlen == 64,
		.pc = true,
		.rfw = vendor->cdl_threads,
		.full = vendor->full,
		.sync_interval = vendor->cdl_interval,
	};
}

static const char *check(const struct te_config *config)
{
	const struct cdl_params params = params_of(config);
	const char *wrong = te_vendor_check_common(config);

	if (wrong)
		return wrong;
	if (config->vendor.cdl_flavour > CDL_RTL)
		return "cdl_flavour is not 0 or 1";
	return cdl_params_check(&params);
}

static void init(struct te_model *te)
{
	const struct cdl_params params = params_of(&te->config);

	cdl_encoder_init(&te->cdl, &params, te_emit, te);
	cdl_encoder_resume(&te->cdl, te->recorded * NYBBLES_PER_BYTE);
}

static void start(struct te_model *te, uint64_t pc, const struct ingress_context *context,
		  uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)context;
	(void)time;
	(void)cycles;
	cdl_encoder_start(&te->cdl);
}

static void block(struct te_model *te, const struct ingress_block *block)
{
	cdl_encoder_block(&te->cdl, block);
}

static bool hears_threads(const struct te_model *te)
{
	return te->config.vendor.cdl_threads;
}

static void thread(struct te_model *te, uint64_t value)
{
	cdl_encoder_write(&te->cdl, REGISTER_TP, value);
}

static void stop(struct te_model *te, uint64_t pc, uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)time;
	(void)cycles;
	cdl_encoder_stop(&te->cdl);
}

const struct te_protocol te_cdl = {
	.format = RVTRACE_FORMAT_VENDOR,
	.vendor = TE_VENDOR_CDL,
	.needs_sizes = true,
	.needs_instructions = true,
	.lossless = true,
	.set_defaults = set_defaults,
	.check = check,
	.init = init,
	.start = start,
	.block = block,
	.stop = stop,
	.synchronize = te_vendor_synchronize,
	.hears_threads = hears_threads,
	.thread = thread,
	.node = "cdl",
	.property = property,
};
