// SPDX-License-Identifier: GPL-2.0-or-later
/* What an encoder does in the trace of the debug specification of 2017, a format of the vendor. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"
#include "tools/machine/model/shared-stream.h"

#define NYBBLES_PER_BYTE	2
#define WORD_BYTES		4

static void set_defaults(struct te_config *config)
{
	config->vendor.emit = DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV;
	config->vendor.compressed = true;
}

static bool property(const struct te_config *config, unsigned int index,
		     struct te_property *property)
{
	const struct te_property all[] = {
		{ .name = "xlen", .value = te_xlen(config) },
		{ .name = "compressed", .value = config->vendor.compressed },
		{ .name = "emit", .value = config->vendor.emit },
		{ .name = "buffer-size", .value = config->vendor.buffer },
	};

	if (index >= sizeof(all) / sizeof(all[0]))
		return false;
	*property = all[index];
	return true;
}

static struct debugspec_params params_of(const struct te_config *config)
{
	return (struct debugspec_params) {
		.hart = config->hart_id,
		.xlen = te_xlen(config),
		.compressed = config->vendor.compressed,
		.emit = config->vendor.emit,
		.full = config->vendor.full,
	};
}

static const char *check(const struct te_config *config)
{
	const struct debugspec_params params = params_of(config);
	const char *wrong = te_vendor_check_common(config);
	uint32_t buffer = config->vendor.buffer;

	if (wrong)
		return wrong;
	if (config->vendor.emit > DEBUGSPEC_EMIT_ALL)
		return "emit has more than 8 bits";
	if (buffer && !debugspec_is_buffer(buffer, params.xlen))
		return "buffer is not a multiple of 32 from 64 on, with 64 bits from 96 on";
	return debugspec_params_check(&params);
}

static void put_word(void *opaque, uint32_t word)
{
	const uint8_t bytes[WORD_BYTES] = { word, word >> 8, word >> 16, word >> 24 };

	te_emit(opaque, bytes, sizeof(bytes));
}

static bool has_room(void *opaque, unsigned int nybbles)
{
	return te_make_room(opaque, debugspec_bytes(nybbles));
}

static void init(struct te_model *te)
{
	const struct debugspec_params params = params_of(&te->config);

	debugspec_stream_init(&te->debugspec.stream, te->config.vendor.buffer, false, put_word,
			      has_room, te);
	te->debugspec.stream.position = te->recorded * NYBBLES_PER_BYTE;
	te->debugspec.losses = 0;
	debugspec_encoder_init(&te->debugspec.encoder, &params, &te->debugspec.stream);
}

static void start(struct te_model *te, uint64_t pc, const struct ingress_context *context,
		  uint64_t time, uint64_t cycles)
{
	(void)pc;
	(void)time;
	(void)cycles;
	debugspec_encoder_start(&te->debugspec.encoder, context);
}

/* Its own stream, or one that it shares. */
static struct shared_stream *begin_stream(struct te_model *te, bool wait)
{
	struct shared_stream *shared = NULL;

	if (te->ops->stream_begin)
		shared = te->ops->stream_begin(te->opaque);
	te->debugspec.encoder.stream = shared ? shared->state : &te->debugspec.stream;
	if (!shared)
		return NULL;
	shared->wait = wait;
	shared->waited = false;
	return shared;
}

static void end_stream(struct te_model *te, const struct shared_stream *shared, bool stalled)
{
	uint32_t losses = te->debugspec.encoder.losses - te->debugspec.losses;

	if (!shared)
		return;
	te->debugspec.losses += losses;
	te->fields[TE_OVERFLOW] |= stalled || losses;
	te->stats.stalls += stalled;
	te->stats.overflows += losses;
	te->ops->stream_end(te->opaque);
	/* The queue is not used, but who shares has to know how far the hart is. */
	te_drain(te, false);
}

static void block(struct te_model *te, const struct ingress_block *block)
{
	struct shared_stream *shared = begin_stream(te, te_waits(te));

	debugspec_encoder_block(&te->debugspec.encoder, block);
	end_stream(te, shared, shared && shared->waited);
}

static void stop(struct te_model *te, uint64_t pc, uint64_t time, uint64_t cycles)
{
	struct shared_stream *shared;

	(void)pc;
	(void)time;
	(void)cycles;
	shared = begin_stream(te, true);
	debugspec_encoder_stop(&te->debugspec.encoder);
	debugspec_stream_flush(te->debugspec.encoder.stream);
	/* What ends waits in any case. */
	end_stream(te, shared, false);
}

static bool needs_accesses(const struct te_model *te)
{
	return te->config.vendor.emit & (DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITSTOREADDR |
					 DEBUGSPEC_EMITLOADDATA | DEBUGSPEC_EMITSTOREDATA);
}

/* A stream of several encoders */

static void put_shared_word(void *opaque, uint32_t word)
{
	const uint8_t bytes[WORD_BYTES] = { word, word >> 8, word >> 16, word >> 24 };
	struct shared_stream *stream = opaque;

	stream->put(stream->opaque, bytes, sizeof(bytes));
}

static bool has_shared_room(void *opaque, unsigned int nybbles)
{
	struct shared_stream *stream = opaque;

	return stream->has_room(stream->opaque, debugspec_bytes(nybbles));
}

static const char *check_shared(uint32_t bytes)
{
	return debugspec_is_buffer(bytes, 32) ? NULL :
	       "debugspec_buffer is not a multiple of 32 from 64 on";
}

static void init_shared(struct shared_stream *stream, uint32_t bytes)
{
	debugspec_stream_init(stream->state, bytes, true, put_shared_word, has_shared_room, stream);
}

static const struct shared_format sharing = {
	.state_size = sizeof(struct debugspec_stream),
	.check = check_shared,
	.init = init_shared,
};

const struct te_protocol te_debugspec = {
	.format = RVTRACE_FORMAT_VENDOR,
	.vendor = TE_VENDOR_DEBUGSPEC,
	.needs_sizes = true,
	.needs_accesses = needs_accesses,
	.own_time = true,
	.set_defaults = set_defaults,
	.check = check,
	.init = init,
	.start = start,
	.block = block,
	.stop = stop,
	.synchronize = te_vendor_synchronize,
	.node = "debugspec",
	.property = property,
	.shared = &sharing,
};
