// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats of nybbles, as formats of the vendor (teFormat 7, "Vendor-specific format"): CDL
 * compressed trace and the trace of the debug specification of 2017. What they are made of is what
 * struct te_vendor_config says. Of the fields, teInstMode tells whether there is trace,
 * teInstStallEn whether the hart waits (with CDL, which cannot tell of a loss, it always does);
 * the others do not count.
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/debugspec-link.h"
#include "tools/machine/model/encoder-internal.h"

#define NYBBLES_PER_BYTE	2
#define WORD_BYTES		4
#define REGISTER_TP		4

void te_vendor_config_default(struct te_vendor_config *config)
{
	*config = (struct te_vendor_config) {
		.cdl_flavour = CDL_DOC,
		.cdl_interval = 128,
		.emit = DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV,
		.compressed = true,
	};
}

/* Neither has a way to ask for a message. */
static void synchronize(struct te_model *te, enum te_sync_reason reason)
{
	(void)te;
	(void)reason;
}

/* What neither can do; NULL: nothing of that is asked for */
static const char *check_common(const struct te_config *config)
{
	if (config->filters || config->comparators || config->filter_machine)
		return "formats of the vendor cannot be filtered";
	if (config->etrace.iaddress_width != 32 && config->etrace.iaddress_width != 64)
		return "iaddress_width is not 32 or 64";
	return NULL;
}

/* What the device tree says */

const char *te_vendor_node(const struct te_vendor_config *config)
{
	static const char *const nodes[] = {
		[TE_VENDOR_CDL] = "cdl",
		[TE_VENDOR_DEBUGSPEC] = "debugspec",
	};

	return nodes[config->format];
}

static bool cdl_property(const struct te_vendor_config *config, uint32_t xlen,
			 unsigned int index, struct te_vendor_property *property)
{
	const struct te_vendor_property all[] = {
		{ .name = "flavour", .text = config->cdl_flavour == CDL_RTL ? "rtl" : "doc" },
		{ .name = "xlen", .value = xlen },
		{ .name = "rv64", .value = xlen == 64 },
		{ .name = "sync-interval", .value = config->cdl_interval },
	};

	if (index >= sizeof(all) / sizeof(all[0]))
		return false;
	*property = all[index];
	return true;
}

static bool debugspec_property(const struct te_vendor_config *config, uint32_t xlen,
			       unsigned int index, struct te_vendor_property *property)
{
	const struct te_vendor_property all[] = {
		{ .name = "xlen", .value = xlen },
		{ .name = "compressed", .value = config->compressed },
		{ .name = "emit", .value = config->emit },
		{ .name = "buffer-size", .value = config->buffer },
	};

	if (index >= sizeof(all) / sizeof(all[0]))
		return false;
	*property = all[index];
	return true;
}

bool te_vendor_property(const struct te_vendor_config *config, uint32_t xlen, unsigned int index,
			struct te_vendor_property *property)
{
	return config->format == TE_VENDOR_CDL ?
	       cdl_property(config, xlen, index, property) :
	       debugspec_property(config, xlen, index, property);
}

/* CDL */

static struct cdl_params cdl_params(const struct te_config *config)
{
	const struct te_vendor_config *vendor = &config->vendor;
	uint8_t xlen = config->etrace.iaddress_width;

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

static const char *cdl_check(const struct te_config *config)
{
	const struct cdl_params params = cdl_params(config);

	if (config->vendor.cdl_flavour > CDL_RTL)
		return "cdl_flavour is not 0 or 1";
	return cdl_params_check(&params);
}

static void cdl_init(struct te_model *te)
{
	const struct cdl_params params = cdl_params(&te->config);

	cdl_encoder_init(&te->cdl, &params, te_emit, te);
	cdl_encoder_resume(&te->cdl, te->recorded * NYBBLES_PER_BYTE);
}

static void cdl_start(struct te_model *te, uint64_t pc, const struct ingress_context *context,
		      uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)context;
	(void)time;
	(void)cycles;
	cdl_encoder_start(&te->cdl);
}

static void cdl_block(struct te_model *te, const struct ingress_block *block)
{
	cdl_encoder_block(&te->cdl, block);
}

static bool cdl_hears_threads(const struct te_model *te)
{
	return te->config.vendor.cdl_threads;
}

static void cdl_thread(struct te_model *te, uint64_t value)
{
	cdl_encoder_write(&te->cdl, REGISTER_TP, value);
}

static void cdl_stop(struct te_model *te, uint64_t pc, uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)time;
	(void)cycles;
	cdl_encoder_stop(&te->cdl);
}

const struct te_protocol te_cdl = {
	.format = RVTRACE_FORMAT_VENDOR,
	.needs_sizes = true,
	.needs_instructions = true,
	.lossless = true,
	.check = cdl_check,
	.init = cdl_init,
	.start = cdl_start,
	.block = cdl_block,
	.stop = cdl_stop,
	.synchronize = synchronize,
	.hears_threads = cdl_hears_threads,
	.thread = cdl_thread,
};

/* Debug specification */

static struct debugspec_params debugspec_params(const struct te_config *config)
{
	return (struct debugspec_params) {
		.hart = config->hart_id,
		.xlen = config->etrace.iaddress_width,
		.compressed = config->vendor.compressed,
		.emit = config->vendor.emit,
		.full = config->vendor.full,
	};
}

static const char *debugspec_check(const struct te_config *config)
{
	const struct debugspec_params params = debugspec_params(config);
	uint32_t buffer = config->vendor.buffer;

	if (config->vendor.emit > DEBUGSPEC_EMIT_ALL)
		return "emit has more than 8 bits";
	if (buffer && !debugspec_is_buffer(buffer, params.xlen))
		return "buffer is not a multiple of 32 from 64 on, with 64 bits from 96 on";
	return debugspec_params_check(&params);
}

static void debugspec_word(void *opaque, uint32_t word)
{
	const uint8_t bytes[WORD_BYTES] = { word, word >> 8, word >> 16, word >> 24 };

	te_emit(opaque, bytes, sizeof(bytes));
}

static bool debugspec_has_room(void *opaque, unsigned int nybbles)
{
	return te_make_room(opaque, debugspec_bytes(nybbles));
}

static void debugspec_init(struct te_model *te)
{
	const struct debugspec_params params = debugspec_params(&te->config);

	debugspec_stream_init(&te->debugspec.stream, te->config.vendor.buffer, false,
			      debugspec_word, debugspec_has_room, te);
	te->debugspec.stream.position = te->recorded * NYBBLES_PER_BYTE;
	te->debugspec.losses = 0;
	debugspec_encoder_init(&te->debugspec.encoder, &params, &te->debugspec.stream);
}

static void debugspec_start(struct te_model *te, uint64_t pc,
			    const struct ingress_context *context, uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)time;
	(void)cycles;
	debugspec_encoder_start(&te->debugspec.encoder, context);
}

/* Its own stream, or one that it shares. */
static struct debugspec_link *begin_stream(struct te_model *te, bool wait)
{
	struct debugspec_link *link = NULL;

	if (te->ops->debugspec_begin)
		link = te->ops->debugspec_begin(te->opaque);
	te->debugspec.encoder.stream = link ? &link->stream : &te->debugspec.stream;
	if (!link)
		return NULL;
	link->wait = wait;
	link->waited = false;
	return link;
}

static void end_stream(struct te_model *te, const struct debugspec_link *link, bool stalled)
{
	uint32_t losses = te->debugspec.encoder.losses - te->debugspec.losses;

	if (!link)
		return;
	te->debugspec.losses += losses;
	te->fields[TE_OVERFLOW] |= stalled || losses;
	te->stats.stalls += stalled;
	te->stats.overflows += losses;
	te->ops->debugspec_end(te->opaque);
	/* The queue is not used, but who shares has to know how far the hart is. */
	te_drain(te, false);
}

static void debugspec_block(struct te_model *te, const struct ingress_block *block)
{
	struct debugspec_link *link = begin_stream(te, te_waits(te));

	debugspec_encoder_block(&te->debugspec.encoder, block);
	end_stream(te, link, link && link->waited);
}

static void debugspec_stop(struct te_model *te, uint64_t pc, uint64_t time, uint64_t cycles)
{
	struct debugspec_link *link;

	(void)pc;
	(void)time;
	(void)cycles;
	link = begin_stream(te, true);
	debugspec_encoder_stop(&te->debugspec.encoder);
	debugspec_stream_flush(te->debugspec.encoder.stream);
	/* What ends waits in any case. */
	end_stream(te, link, false);
}

static bool debugspec_needs_accesses(const struct te_model *te)
{
	return te->config.vendor.emit & (DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITSTOREADDR |
					 DEBUGSPEC_EMITLOADDATA | DEBUGSPEC_EMITSTOREDATA);
}

const struct te_protocol te_debugspec = {
	.format = RVTRACE_FORMAT_VENDOR,
	.needs_sizes = true,
	.needs_accesses = debugspec_needs_accesses,
	.own_time = true,
	.check = debugspec_check,
	.init = debugspec_init,
	.start = debugspec_start,
	.block = debugspec_block,
	.stop = debugspec_stop,
	.synchronize = synchronize,
};

const char *te_vendor_check(const struct te_config *config)
{
	const struct te_protocol *protocol = te_protocol_of(config, RVTRACE_FORMAT_VENDOR);
	bool legal = config->formats >> RVTRACE_FORMAT_VENDOR & 1;
	const char *wrong;

	if (config->vendor.format > TE_VENDOR_DEBUGSPEC)
		return "vendor is not 0 to 2";
	if (legal == !config->vendor.format)
		return "formats has 7 without vendor, or vendor is there without it";
	if (!legal)
		return NULL;
	wrong = check_common(config);
	return wrong ? wrong : protocol->check(config);
}
