// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-packets.h"

#include <string.h>

#include "tools/encode/etrace-data.h"
#include "tools/encode/etrace-predict.h"

/* format */
#define FORMAT_OPT_EXT		0
#define FORMAT_DIFF_DELTA	1
#define FORMAT_ADDR_ONLY	2
#define FORMAT_SYNC		3

/* subformat of format 0 */
#define SUBFORMAT_BRANCH_COUNT	0
#define SUBFORMAT_JUMP_TARGET	1

/* subformat of format 3 */
#define SUBFORMAT_START		0
#define SUBFORMAT_TRAP		1
#define SUBFORMAT_CONTEXT	2
#define SUBFORMAT_SUPPORT	3

/* branch_fmt */
#define BRANCH_FMT_NO_ADDR	0
#define BRANCH_FMT_ADDR		2
#define BRANCH_FMT_ADDR_FAIL	3

/* Branches that a map has at most; a count is that many less. */
#define FULL_MAP		31

/* A time that the timestamps alone would not tell needs a packet with all of it. */
static bool timestamp_is_short(const struct etrace_encoder *enc)
{
	unsigned int bits = 8 * enc->params.timestamp_bytes;

	return bits && bits < 64 && !enc->params.notime && enc->timed &&
	       (enc->time - enc->last_time) >> bits;
}

static bool transmit(struct etrace_encoder *enc, struct etrace_payload *payload, uint16_t src,
		     uint8_t type)
{
	const struct etrace_params *p = &enc->params;
	const struct etrace_wrapping wrapping = {
		.src = src,
		.src_bits = p->src_bits,
		.flow = p->flow,
		.timestamp = enc->time,
		.timestamp_bytes = p->timestamp_bytes,
		.type = type,
		.type_bits = p->type_bits,
		.sign_padding = p->sign_padding,
	};
	uint8_t out[ETRACE_MAX_PACKET];

	enc->last_time = enc->time;
	enc->timed = true;
	return enc->emit(enc->opaque, out, etrace_wrap(payload, &wrapping, out));
}

static void put_time_and_context(const struct etrace_encoder *enc, struct etrace_payload *payload,
				 const struct ingress_context *context)
{
	static const uint8_t virtual_modes[] = { 5, 6 };	/* VU, VS */
	uint8_t priv = context->priv;

	if (context->v && priv <= INGRESS_PRIV_S)
		priv = virtual_modes[priv];
	etrace_put(payload, priv, enc->params.privilege_width);
	if (!enc->params.notime)
		etrace_put(payload, enc->time, enc->params.time_width);
	if (!enc->params.nocontext)
		etrace_put(payload, context->scontext, enc->params.context_width);
}

static void begin_sync(struct etrace_payload *payload, unsigned int subformat)
{
	payload->bits = 0;
	etrace_put(payload, FORMAT_SYNC, 2);
	etrace_put(payload, subformat, 2);
}

bool etrace_send(struct etrace_encoder *enc, struct etrace_payload *payload, uint16_t src,
		 uint8_t type, bool compress)
{
	if (enc->lost)
		return false;
	if (timestamp_is_short(enc)) {
		struct etrace_payload full;

		begin_sync(&full, SUBFORMAT_CONTEXT);
		put_time_and_context(enc, &full, &enc->last);
		enc->lost = !transmit(enc, &full, enc->params.src, enc->params.type_inst);
	}
	if (compress)
		etrace_compress(payload);
	if (!enc->lost)
		enc->lost = !transmit(enc, payload, src, type);
	return !enc->lost;
}

static bool send_inst(struct etrace_encoder *enc, struct etrace_payload *payload, bool compress)
{
	if (enc->params.sync_mode == ETRACE_SYNC_PACKETS)
		enc->sync_count++;
	return etrace_send(enc, payload, enc->params.src, enc->params.type_inst, compress);
}

static void put_address(const struct etrace_encoder *enc, struct etrace_payload *payload,
			uint64_t address)
{
	etrace_put(payload, address >> enc->params.iaddress_lsb,
		   enc->params.iaddress_width - enc->params.iaddress_lsb);
}

/* Format 3 */

static bool is_taken(const struct etrace_event *event)
{
	return event->branch && event->taken;
}

static void put_cause(const struct etrace_encoder *enc, struct etrace_payload *payload,
		      const struct etrace_event *trap, bool thaddr)
{
	etrace_put(payload, trap->cause, enc->params.ecause_width);
	etrace_put(payload, trap->itype == INGRESS_INTERRUPT, 1);
	etrace_put(payload, thaddr, 1);
}

static void put_tval(const struct etrace_encoder *enc, struct etrace_payload *payload,
		     const struct etrace_event *trap)
{
	if (trap->itype == INGRESS_EXCEPTION)
		etrace_put(payload, trap->tval, enc->params.iaddress_width);
}

bool etrace_emit_trap_alone(struct etrace_encoder *enc, const struct etrace_event *trap,
			    uint64_t address)
{
	struct etrace_payload payload;

	begin_sync(&payload, SUBFORMAT_TRAP);
	etrace_put(&payload, 1, 1);
	put_time_and_context(enc, &payload, &trap->context);
	put_cause(enc, &payload, trap, false);
	put_address(enc, &payload, address);
	put_tval(enc, &payload, trap);
	return send_inst(enc, &payload, !enc->params.whole_sync);
}

bool etrace_emit_sync(struct etrace_encoder *enc, const struct etrace_event *cur)
{
	bool trap = enc->pending.valid && !enc->pending_told;
	struct etrace_payload payload;

	begin_sync(&payload, trap ? SUBFORMAT_TRAP : SUBFORMAT_START);
	etrace_put(&payload, !is_taken(cur), 1);
	put_time_and_context(enc, &payload, &cur->context);
	if (trap)
		put_cause(enc, &payload, &enc->pending, true);
	if (!trap || !etrace_has_mode(enc, ETRACE_IMPLICIT_EXCEPTION))
		put_address(enc, &payload, cur->pc);
	if (trap)
		put_tval(enc, &payload, &enc->pending);
	enc->address = cur->pc;
	enc->reported_context = cur->context.scontext;
	return send_inst(enc, &payload, !enc->params.whole_sync);
}

bool etrace_emit_context(struct etrace_encoder *enc, const struct ingress_context *context)
{
	struct etrace_payload payload;

	begin_sync(&payload, SUBFORMAT_CONTEXT);
	put_time_and_context(enc, &payload, context);
	enc->reported_context = context->scontext;
	return send_inst(enc, &payload, !enc->params.whole_sync);
}

/* ioptions and doptions: a bit for each mode that has one, in an order of the encoder's own. */
static uint32_t options(const struct etrace_encoder *enc, unsigned int from, unsigned int to)
{
	uint32_t bits = 0;

	for (unsigned int i = from; i < to; i++)
		if (etrace_has_mode(enc, (enum etrace_mode)i) &&
		    enc->params.option[i] != ETRACE_NO_OPTION)
			bits |= 1u << enc->params.option[i];
	return bits;
}

static void put_standard_support(const struct etrace_encoder *enc, struct etrace_payload *payload,
				 enum etrace_qual_status qual_status)
{
	const struct etrace_params *p = &enc->params;

	etrace_put(payload, 0, 2);		/* encoder_mode */
	etrace_put(payload, qual_status, 2);
	for (unsigned int i = ETRACE_SIJUMP; i <= ETRACE_RESYNC_DISABLED; i++)
		etrace_put(payload, p->modes >> i & 1, 1);
	etrace_put(payload, p->irets, 1);
	etrace_put(payload, p->notime ? 0 : p->time_width / 16, 3);
	etrace_put(payload, p->f0s_width, 2);
	etrace_put(payload, p->return_stack_size, 3);
	etrace_put(payload, p->call_counter_size, 4);
	etrace_put(payload, p->bpred_size, 3);
	etrace_put(payload, p->cache_size, 3);
	etrace_put(payload, p->data, 1);
	etrace_put(payload, enc->accesses.lost, 1);
	etrace_put(payload, p->mmacas, 1);
	for (unsigned int i = ETRACE_NO_ADDRESS; i <= ETRACE_FULL_DATA; i++)
		etrace_put(payload, p->modes >> i & 1, 1);
}

bool etrace_emit_support(struct etrace_encoder *enc, bool enable,
			 enum etrace_qual_status qual_status)
{
	const struct etrace_params *p = &enc->params;
	struct etrace_payload payload;

	begin_sync(&payload, SUBFORMAT_SUPPORT);
	etrace_put(&payload, enable, 1);
	if (p->standard_support) {
		put_standard_support(enc, &payload, qual_status);
	} else {
		etrace_put(&payload, 0, p->encoder_mode_width);
		etrace_put(&payload, qual_status, 2);
		etrace_put(&payload, options(enc, ETRACE_SIJUMP, ETRACE_NO_ADDRESS),
			   p->ioptions_width);
		etrace_put(&payload, p->data, p->denable_width);
		etrace_put(&payload, enc->accesses.lost, p->dloss_width);
		etrace_put(&payload, options(enc, ETRACE_NO_ADDRESS, ETRACE_MODES),
			   p->doptions_width);
	}
	if (!etrace_send(enc, &payload, p->src, p->type_inst, !p->whole_sync))
		return false;
	if (enc->accesses.lost)
		etrace_restart_accesses(enc);
	enc->accesses.lost = false;
	return true;
}

/* Formats 0, 1 and 2 */

static unsigned int map_width(unsigned int branches)
{
	static const uint8_t widths[] = { 0, 1, 3, 7, 15, 31 };
	unsigned int i = 0;

	while (widths[i] < branches)
		i++;
	return widths[i];
}

static void put_branches(const struct etrace_encoder *enc, struct etrace_payload *payload)
{
	etrace_put(payload, enc->branches.count, 5);
	etrace_put(payload, enc->branches.map, map_width(enc->branches.count));
}

static void put_irreport(const struct etrace_encoder *enc, struct etrace_payload *payload,
			 const struct etrace_report *report)
{
	const struct etrace_params *p = &enc->params;
	unsigned int width = p->return_stack_size + !!p->return_stack_size + p->call_counter_size;
	bool irreport = etrace_last_bit(payload) ^ report->irreport;
	uint32_t irdepth = irreport || p->irdepth_ones ? UINT32_MAX : 0;

	if (p->irets)
		width = 8;
	etrace_put(payload, irreport, 1);
	etrace_put(payload, report->irreport ? report->irdepth : irdepth, width);
}

static void put_report(const struct etrace_encoder *enc, struct etrace_payload *payload,
		       const struct etrace_report *report)
{
	bool full = etrace_has_mode(enc, ETRACE_FULL_ADDRESS);

	put_address(enc, payload, full ? report->pc : report->pc - enc->address);
	etrace_put(payload, etrace_last_bit(payload) ^ report->notify, 1);
	etrace_put(payload, etrace_last_bit(payload) ^ report->updiscon, 1);
	put_irreport(enc, payload, report);
}

static void begin_format_0(const struct etrace_encoder *enc, struct etrace_payload *payload,
			   unsigned int subformat)
{
	payload->bits = 0;
	etrace_put(payload, FORMAT_OPT_EXT, 2);
	etrace_put(payload, subformat, enc->params.f0s_width);
}

static void compose_count(const struct etrace_encoder *enc, struct etrace_payload *payload,
			  const struct etrace_report *report)
{
	unsigned int fmt = BRANCH_FMT_NO_ADDR;

	if (report)
		fmt = enc->branches.failed ? BRANCH_FMT_ADDR_FAIL : BRANCH_FMT_ADDR;
	begin_format_0(enc, payload, SUBFORMAT_BRANCH_COUNT);
	etrace_put(payload, enc->branches.count - FULL_MAP, 32);
	etrace_put(payload, fmt, 2);
	if (report)
		put_report(enc, payload, report);
}

static void compose_index(const struct etrace_encoder *enc, struct etrace_payload *payload,
			  const struct etrace_report *report)
{
	begin_format_0(enc, payload, SUBFORMAT_JUMP_TARGET);
	etrace_put(payload, etrace_cache_index(enc, report->pc), enc->params.cache_size);
	put_branches(enc, payload);
	put_irreport(enc, payload, report);
}

static void compose_delta(const struct etrace_encoder *enc, struct etrace_payload *payload,
			  const struct etrace_report *report)
{
	payload->bits = 0;
	if (enc->branches.count) {
		etrace_put(payload, FORMAT_DIFF_DELTA, 2);
		put_branches(enc, payload);
	} else {
		etrace_put(payload, FORMAT_ADDR_ONLY, 2);
	}
	put_report(enc, payload, report);
}

static unsigned int compressed_bytes(const struct etrace_encoder *enc,
				     const struct etrace_payload *payload, bool format_0)
{
	struct etrace_payload copy = *payload;

	if (!format_0 || !enc->params.whole_sync)
		etrace_compress(&copy);
	return (copy.bits + 7) / 8;
}

/* The index of the jump target cache, where it can tell everything in as few bytes. */
static bool prefers_index(const struct etrace_encoder *enc, const struct etrace_payload *delta,
			  struct etrace_payload *payload, const struct etrace_report *report)
{
	if (!report->discon || report->updiscon || !etrace_cache_hit(enc, report->pc))
		return false;
	compose_index(enc, payload, report);
	return compressed_bytes(enc, payload, true) <= compressed_bytes(enc, delta, false);
}

static void clear_branches(struct etrace_encoder *enc)
{
	memset(&enc->branches, 0, sizeof(enc->branches));
}

bool etrace_emit_address(struct etrace_encoder *enc, const struct etrace_report *report)
{
	struct etrace_payload payload, index;
	bool compress = true;

	if (etrace_counts_branches(enc)) {
		compose_count(enc, &payload, report);
		compress = !enc->params.whole_sync;
	} else {
		compose_delta(enc, &payload, report);
		if (prefers_index(enc, &payload, &index, report)) {
			payload = index;
			compress = !enc->params.whole_sync;
		}
	}
	if (report->discon)
		etrace_cache_store(enc, report->pc);
	enc->address = report->pc;
	clear_branches(enc);
	return send_inst(enc, &payload, compress);
}

bool etrace_emit_branches(struct etrace_encoder *enc)
{
	struct etrace_payload payload = { .bits = 0 };
	bool compress = true;

	if (etrace_counts_branches(enc)) {
		compose_count(enc, &payload, NULL);
		compress = !enc->params.whole_sync;
	} else {
		etrace_put(&payload, FORMAT_DIFF_DELTA, 2);
		etrace_put(&payload, 0, 5);
		etrace_put(&payload, enc->branches.map, FULL_MAP);
	}
	clear_branches(enc);
	return send_inst(enc, &payload, compress);
}
