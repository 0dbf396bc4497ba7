// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/ntrace-messages.h"

#include <string.h>

#define RCODE_ICNT		0
#define RCODE_HIST		1
#define RCODE_HIST_REPEATED	2
#define RCODE_NOT_TAKEN		8
#define RCODE_TAKEN		9

static uint64_t wrap_time(const struct ntrace_encoder *enc, uint64_t time)
{
	unsigned int bits = enc->params.timestamp_bits;

	return bits < 64 ? time & ((1ull << bits) - 1) : time;
}

static void begin(struct ntrace_encoder *enc, enum ntrace_tcode tcode)
{
	nexus_begin(&enc->msg);
	nexus_fixed(&enc->msg, tcode, 6);
	nexus_fixed(&enc->msg, enc->params.src, enc->params.src_bits);
}

/* The part of an address, or of a difference, that is sent. */
static uint64_t truncate_address(const struct ntrace_encoder *enc, uint64_t address)
{
	unsigned int bits = enc->params.xlen == 32 ? 32 : enc->params.address_bits;

	return bits ? address & (UINT64_MAX >> (64 - bits)) : address;
}

/* F-ADDR and U-ADDR are sent without bit 0, which is always 0. */
static void put_address(struct ntrace_encoder *enc, uint64_t address)
{
	address = truncate_address(enc, address);
	if (enc->params.extend_addr_msb)
		nexus_extended(&enc->msg, address >> 1, enc->params.xlen - 1);
	else
		nexus_variable(&enc->msg, address >> 1);
}

void ntrace_lose(struct ntrace_encoder *enc, uint8_t ecode, uint64_t time)
{
	if (!enc->lost)
		enc->lost_time = time;
	enc->lost |= ecode;
	enc->resync = enc->tracing;
}

/* Whether the message that was begun carries a timestamp. */
static bool is_timed(const struct ntrace_encoder *enc)
{
	uint8_t untimed = enc->params.untimed;

	if (!enc->params.timestamp)
		return false;
	/* MDO of byte 0 is TCODE. */
	switch (enc->msg.bytes[0] >> 2) {
	case NTRACE_INDIRECT_BRANCH:
	case NTRACE_INDIRECT_BRANCH_HIST:
		return !(untimed & NTRACE_UNTIMED_INDIRECT);
	case NTRACE_OWNERSHIP:
		return !(untimed & NTRACE_UNTIMED_OWNERSHIP);
	case NTRACE_DATA_ACQUISITION:
		return !(untimed & NTRACE_UNTIMED_DATA);
	default:
		return !(untimed & NTRACE_UNTIMED_OTHER);
	}
}

static uint64_t relative_time(const struct ntrace_encoder *enc, uint64_t time)
{
	return enc->params.timestamp_xor ? time ^ enc->time :
					   wrap_time(enc, time - enc->time);
}

/* Return: false when the message was lost. */
static bool send(struct ntrace_encoder *enc, uint64_t time, uint8_t ecode)
{
	nexus_end(&enc->msg);
	if (!enc->emit(enc->opaque, enc->msg.bytes, enc->msg.size)) {
		ntrace_lose(enc, ecode, time);
		return false;
	}
	if (enc->params.sync_mode == NTRACE_SYNC_MESSAGES)
		enc->sync_count++;
	return true;
}

/* Return: false when the message was lost. */
static bool finish(struct ntrace_encoder *enc, uint64_t time, uint8_t ecode)
{
	bool timed = is_timed(enc);

	time = wrap_time(enc, time);
	if (timed)
		nexus_variable(&enc->msg, relative_time(enc, time));
	if (!send(enc, time, ecode))
		return false;
	if (timed)
		enc->time = time;
	return true;
}

/* As finish(), of a message with the whole time. */
static bool finish_sync(struct ntrace_encoder *enc, uint64_t time, uint8_t ecode)
{
	time = wrap_time(enc, time);
	if (enc->params.timestamp)
		nexus_variable(&enc->msg, time);
	if (!send(enc, time, ecode))
		return false;
	enc->time = time;
	return true;
}

static uint64_t low_bits(uint64_t value, unsigned int count)
{
	return value & ((1ull << count) - 1);
}

/* The HIST field: the history below its stop bit. */
static uint64_t hist_field(const struct ntrace_history *hist)
{
	return hist->bits | 1ull << hist->used;
}

static bool emit_hist_full(struct ntrace_encoder *enc, uint64_t bits,
			   unsigned int length, uint32_t count, uint64_t time)
{
	begin(enc, NTRACE_RESOURCE_FULL);
	nexus_fixed(&enc->msg, count > 1 ? RCODE_HIST_REPEATED : RCODE_HIST, 4);
	nexus_variable(&enc->msg, bits | 1ull << length);
	if (count > 1)
		nexus_variable(&enc->msg, count);
	return finish(enc, time, NTRACE_ECODE_PROGRAM);
}

static bool emit_run(struct ntrace_encoder *enc)
{
	const struct ntrace_history *hist = &enc->hist;

	begin(enc, NTRACE_RESOURCE_FULL);
	nexus_fixed(&enc->msg, hist->pattern ? RCODE_TAKEN : RCODE_NOT_TAKEN, 4);
	nexus_variable(&enc->msg, hist->count);
	return finish(enc, hist->time, NTRACE_ECODE_PROGRAM);
}

static bool release_pattern(struct ntrace_encoder *enc)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int length = hist->length;

	hist->length = 0;
	if (length && enc->params.branch_runs)
		return emit_run(enc);
	return !length || emit_hist_full(enc, hist->pattern, length,
					 hist->count, hist->time);
}

/* Send the oldest full register. */
static bool release_register(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int full = enc->params.hist_bits - 1;
	uint64_t bits = hist->bits >> (hist->used - full);

	hist->used -= full;
	hist->bits = low_bits(hist->bits, hist->used);
	return emit_hist_full(enc, bits, full, 1, time);
}

/*
 * Send what was held back for repetition. Everything else that is sent goes
 * through here first, so the order of messages is the order of events.
 */
static bool release_held(struct ntrace_encoder *enc, uint64_t time)
{
	if (!release_pattern(enc))
		return false;
	if (enc->hist.used >= enc->params.hist_bits - 1 &&
	    !release_register(enc, time))
		return false;
	if (enc->last.repeats) {
		begin(enc, NTRACE_REPEAT_BRANCH);
		nexus_variable(&enc->msg, enc->last.repeats);
		enc->last.repeats = 0;
		if (!finish(enc, enc->last.time, NTRACE_ECODE_PROGRAM))
			return false;
	}
	enc->last.tcode = 0;
	return true;
}

/* Two registers are full: does a pattern of @length bits fill them? */
static bool find_pattern(struct ntrace_history *hist, unsigned int length,
			 uint64_t time)
{
	unsigned int rest = hist->used - 2 * length;
	uint64_t first = hist->bits >> (rest + length);

	if (first != low_bits(hist->bits >> rest, length))
		return false;
	hist->pattern = first;
	hist->length = length;
	hist->count = 2;
	hist->time = time;
	hist->used = rest;
	hist->bits = low_bits(hist->bits, rest);
	return true;
}

static bool search_patterns(struct ntrace_encoder *enc, uint64_t time)
{
	const struct ntrace_params *params = &enc->params;
	unsigned int i;

	if (find_pattern(&enc->hist, params->hist_bits - 1, time))
		return true;
	for (i = 0; i < 2 && params->hist_patterns[i]; i++)
		if (find_pattern(&enc->hist, params->hist_patterns[i], time))
			return true;
	return false;
}

/* As many bits as the repeating pattern has follow it. */
static bool continue_pattern(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	uint32_t max = (1u << enc->params.repeat_bits) - 1;

	if (hist->bits != hist->pattern || hist->count >= max)
		return release_pattern(enc);
	hist->count++;
	hist->time = time;
	hist->bits = 0;
	hist->used = 0;
	return true;
}

/* A register is full: if its outcomes are all the same, they are a pattern of one bit. */
static bool begin_run(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;

	if (hist->bits && hist->bits != low_bits(~0ull, hist->used))
		return release_register(enc, time);
	hist->pattern = hist->bits & 1;
	hist->length = 1;
	hist->count = hist->used;
	hist->time = time;
	hist->bits = 0;
	hist->used = 0;
	return true;
}

bool ntrace_append_hist(struct ntrace_encoder *enc, bool taken, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	unsigned int full = enc->params.hist_bits - 1;

	hist->bits = hist->bits << 1 | taken;
	hist->used++;
	if (!enc->params.repeated_history && !enc->params.branch_runs)
		return hist->used < full || release_register(enc, time);
	if (hist->length && hist->used == hist->length &&
	    !continue_pattern(enc, time))
		return false;
	if (enc->params.branch_runs)
		return hist->used < full || begin_run(enc, time);
	if (hist->used < 2 * full || search_patterns(enc, time))
		return true;
	return release_register(enc, time);
}

bool ntrace_emit_owner(struct ntrace_encoder *enc, uint64_t process,
		       uint64_t time)
{
	if (!release_held(enc, time))
		return false;
	begin(enc, NTRACE_OWNERSHIP);
	nexus_variable(&enc->msg, process);
	return finish(enc, time, NTRACE_ECODE_OWNERSHIP);
}

bool ntrace_emit_ownership(struct ntrace_encoder *enc, enum ntrace_ownership format,
			   uint64_t time)
{
	const struct ingress_context *context = &enc->context;
	uint64_t process = format | (context->priv & 3) << 2 |
			   (uint64_t)context->v << 4;

	if (format == NTRACE_OWNERSHIP_SCONTEXT)
		process |= (uint64_t)context->scontext << 5;
	return ntrace_emit_owner(enc, process, time);
}

bool ntrace_emit_icnt_full(struct ntrace_encoder *enc, uint64_t time)
{
	uint64_t icnt = enc->icnt;

	if (!release_held(enc, time))
		return false;
	enc->icnt = 0;
	begin(enc, NTRACE_RESOURCE_FULL);
	nexus_fixed(&enc->msg, RCODE_ICNT, 4);
	nexus_variable(&enc->msg, icnt);
	return finish(enc, time, NTRACE_ECODE_PROGRAM);
}

/* What has retired: the history first, so that it is known when the count comes. */
static bool emit_place(struct ntrace_encoder *enc, uint64_t time)
{
	struct ntrace_history *hist = &enc->hist;
	uint64_t bits = hist->bits;
	unsigned int used = hist->used;

	hist->bits = 0;
	hist->used = 0;
	if (used && !emit_hist_full(enc, bits, used, 1, time))
		return false;
	return !enc->icnt || ntrace_emit_icnt_full(enc, time);
}

bool ntrace_emit_data(struct ntrace_encoder *enc, uint32_t tag, uint64_t data,
		      uint64_t time, bool timed)
{
	if (!release_held(enc, time))
		return false;
	if (enc->params.place_data && enc->tracing && !emit_place(enc, time))
		return false;
	begin(enc, NTRACE_DATA_ACQUISITION);
	nexus_variable(&enc->msg, tag);
	nexus_variable(&enc->msg, data);
	return timed ? finish(enc, time, NTRACE_ECODE_DATA) :
		       send(enc, wrap_time(enc, time), NTRACE_ECODE_DATA);
}

bool ntrace_emit_auxiliary(struct ntrace_encoder *enc, uint32_t address, uint64_t data,
			   uint64_t time)
{
	if (!release_held(enc, time))
		return false;
	if (enc->params.place_data && enc->tracing && !emit_place(enc, time))
		return false;
	begin(enc, NTRACE_AUX_ACCESS_WRITE);
	nexus_variable(&enc->msg, address);
	nexus_variable(&enc->msg, data);
	return finish(enc, time, NTRACE_ECODE_DATA);
}

/* CKDF is how many CKDATA there are, less one; addresses are as those of branches. */
bool ntrace_emit_circuit(struct ntrace_encoder *enc, const struct ntrace_circuit *circuit,
			 uint64_t time)
{
	bool code = circuit->source == NTRACE_CKSRC_CONTROL && !circuit->has_more;
	bool call = circuit->source == NTRACE_CKSRC_CALL && circuit->has_more;
	uint64_t before = circuit->sync ? 0 : enc->address;
	uint64_t where = truncate_address(enc, circuit->where ^ before) >> 1;
	uint64_t more = circuit->more;

	if (!release_held(enc, time))
		return false;
	if (call)
		more = truncate_address(enc, circuit->where ^ more) >> 1;
	begin(enc, circuit->sync ? NTRACE_IN_CIRCUIT_TRACE_SYNC : NTRACE_IN_CIRCUIT_TRACE);
	nexus_fixed(&enc->msg, circuit->source, 4);
	nexus_fixed(&enc->msg, circuit->has_more, 2);
	nexus_variable(&enc->msg, code ? circuit->where : where);
	if (circuit->has_more)
		nexus_variable(&enc->msg, more);
	if (circuit->sync ? !finish_sync(enc, time, NTRACE_ECODE_DATA) :
			    !finish(enc, time, NTRACE_ECODE_DATA))
		return false;
	if (!code)
		enc->address = call ? circuit->more : circuit->where;
	return true;
}

void ntrace_clear_counters(struct ntrace_encoder *enc)
{
	enc->icnt = 0;
	memset(&enc->hist, 0, sizeof(enc->hist));
}

/* Whether an indirect branch is sent without the HIST field. */
static bool omits_hist(const struct ntrace_encoder *enc)
{
	return enc->params.indirect_without_hist && !enc->hist.used;
}

static enum ntrace_tcode sync_tcode(const struct ntrace_encoder *enc,
				    enum ntrace_tcode tcode)
{
	/* Between branches, too: only these carry HIST. */
	if (enc->params.history)
		return omits_hist(enc) ? NTRACE_INDIRECT_BRANCH_SYNC :
					 NTRACE_INDIRECT_BRANCH_HIST_SYNC;
	switch (tcode) {
	case NTRACE_DIRECT_BRANCH:
		return NTRACE_DIRECT_BRANCH_SYNC;
	case NTRACE_INDIRECT_BRANCH:
		return NTRACE_INDIRECT_BRANCH_SYNC;
	default:
		return NTRACE_PROG_TRACE_SYNC;
	}
}

/* All synchronizing messages reset the encoder (chapter of that name). */
static void reset_after_sync(struct ntrace_encoder *enc, const struct ntrace_event *event,
			     uint64_t cycles)
{
	ntrace_clear_counters(enc);
	enc->address = event->target;
	memset(&enc->last, 0, sizeof(enc->last));
	enc->stack.used = 0;
	if (!enc->params.calls_outlive_sync)
		enc->calls = event->calls;
	enc->sync_count = 0;
	enc->sync_cycles = cycles;
	enc->sync_request = -1;
}

bool ntrace_emit_sync(struct ntrace_encoder *enc, const struct ntrace_event *event,
		      enum ntrace_sync reason, uint64_t cycles)
{
	enum ntrace_tcode tcode = event->tcode;

	if (!release_held(enc, event->time))
		return false;
	if (tcode != NTRACE_PROG_TRACE_SYNC)
		tcode = sync_tcode(enc, tcode);
	begin(enc, tcode);
	nexus_fixed(&enc->msg, reason, 4);
	if (tcode == NTRACE_INDIRECT_BRANCH_SYNC ||
	    tcode == NTRACE_INDIRECT_BRANCH_HIST_SYNC)
		nexus_fixed(&enc->msg, event->btype, 2);
	nexus_variable(&enc->msg, enc->icnt);
	put_address(enc, event->target);
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST_SYNC)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	if (!finish_sync(enc, event->time, NTRACE_ECODE_PROGRAM))
		return false;
	reset_after_sync(enc, event, cycles);
	if (enc->params.ownership)
		return ntrace_emit_ownership(enc, enc->params.scontext ?
					     NTRACE_OWNERSHIP_SCONTEXT :
					     NTRACE_OWNERSHIP_PRIVILEGE,
					     event->time);
	return true;
}

/* A branch message that equals the previous one is only counted. */
static bool repeats_last(struct ntrace_encoder *enc, const struct ntrace_event *event,
			 uint64_t uaddr)
{
	struct ntrace_last_branch *last = &enc->last;
	uint32_t max = (1u << enc->params.repeat_bits) - 1;

	if (!enc->params.repeat_branch || last->tcode != event->tcode ||
	    last->icnt != enc->icnt || last->btype != event->btype ||
	    last->uaddr != uaddr || last->repeats == max)
		return false;
	/*
	 * Repeating the message and repeating the jump only mean the same when
	 * the address did not change.
	 */
	if (event->tcode != NTRACE_DIRECT_BRANCH && uaddr)
		return false;
	last->repeats++;
	last->time = event->time;
	return true;
}

bool ntrace_emit_branch(struct ntrace_encoder *enc, const struct ntrace_event *event)
{
	bool direct = event->tcode == NTRACE_DIRECT_BRANCH;
	uint64_t uaddr = direct ? 0 : enc->address ^ event->target;
	struct ntrace_last_branch last = {
		.tcode = event->tcode,
		.btype = event->btype,
		.icnt = enc->icnt,
		.uaddr = uaddr,
	};
	enum ntrace_tcode tcode;

	if (repeats_last(enc, event, uaddr)) {
		ntrace_clear_counters(enc);
		return true;
	}
	if (!release_held(enc, event->time))
		return false;
	tcode = event->tcode;
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST && omits_hist(enc))
		tcode = NTRACE_INDIRECT_BRANCH;
	begin(enc, tcode);
	if (!direct)
		nexus_fixed(&enc->msg, event->btype, 2);
	nexus_variable(&enc->msg, enc->icnt);
	if (!direct)
		put_address(enc, uaddr);
	if (tcode == NTRACE_INDIRECT_BRANCH_HIST)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	if (!finish(enc, event->time, NTRACE_ECODE_PROGRAM))
		return false;
	if (!direct)
		enc->address = event->target;
	enc->last = last;
	ntrace_clear_counters(enc);
	return true;
}

bool ntrace_emit_error(struct ntrace_encoder *enc, uint8_t ecode, uint64_t time)
{
	if (!release_held(enc, time))
		return false;
	begin(enc, NTRACE_ERROR);
	nexus_fixed(&enc->msg, 0, 4);
	nexus_variable(&enc->msg, ecode);
	return finish(enc, time, ecode);
}

bool ntrace_emit_correlation(struct ntrace_encoder *enc,
			     enum ntrace_evcode evcode, uint64_t time)
{
	if (!release_held(enc, time))
		return false;
	begin(enc, NTRACE_PROG_TRACE_CORRELATION);
	nexus_fixed(&enc->msg, evcode, 4);
	nexus_fixed(&enc->msg, enc->params.history, 2);
	nexus_variable(&enc->msg, enc->icnt);
	if (enc->params.history)
		nexus_variable(&enc->msg, hist_field(&enc->hist));
	if (!finish(enc, time, NTRACE_ECODE_PROGRAM))
		return false;
	ntrace_clear_counters(enc);
	return true;
}
