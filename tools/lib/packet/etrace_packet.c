// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace packet layer: fields of instruction trace. See rvtrace/etrace.h. */
#include <string.h>

#include "etrace_internal.h"

/* Bits of the standard support packet (2.0.5 draft, "Standard Support Packet format"). */
#define STANDARD_IOPTIONS	8
#define STANDARD_SIZES		18
#define STANDARD_DOPTIONS	5

void etrace_layout(const struct rvtrace_etrace_params *params, struct layout *layout)
{
	layout->address = params->iaddress_width - params->iaddress_lsb;
	layout->lsb = params->iaddress_lsb;
	layout->tval = params->iaddress_width;
	layout->time = params->notime ? 0 : params->time_width;
	layout->context = params->nocontext ? 0 : params->context_width;
	layout->privilege = params->privilege_width;
	layout->ecause = params->ecause_width;
	layout->subformat = params->f0s_width;
	layout->index = params->cache_size;
	layout->irdepth = rvtrace_etrace_irdepth_width(params);
	/* "Format 0 subformat field" */
	layout->only_index = params->cache_size && !params->bpred_size;
	layout->modes = params->modes;
}

static __always_inline void get_difference(struct bits *b, const struct layout *layout,
					   struct rvtrace_etrace_te_inst *inst)
{
	uint64_t value = bits_get(b, layout->address);

	inst->address = bits_sign_extend(value, layout->address) << layout->lsb;
	inst->has_address = true;
}

static void get_full_address(struct bits *b, const struct rvtrace_etrace_params *params,
			     const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	inst->address = rvtrace_etrace_wrap(params, bits_get(b, layout->address) << layout->lsb);
	inst->has_address = true;
}

/* irreport and irdepth, which say something if they differ from @before. */
static __always_inline void get_irreport(struct bits *b, const struct layout *layout, bool before,
					 struct rvtrace_etrace_te_inst *inst)
{
	inst->irreport = bits_get(b, 1);
	inst->is_irreport = inst->irreport != before;
	inst->irdepth = bits_get(b, layout->irdepth);
}

/* Differential address up to irdepth: the end of formats 0, 1 and 2. */
static __always_inline void get_report(struct bits *b, const struct layout *layout,
				       struct rvtrace_etrace_te_inst *inst)
{
	bool before;

	get_difference(b, layout, inst);
	/* The most significant bit that is there */
	before = inst->address >> 63;
	inst->notify = bits_get(b, 1);
	inst->is_notify = inst->notify != before;
	inst->updiscon = bits_get(b, 1);
	inst->is_updiscon = inst->updiscon != inst->notify;
	get_irreport(b, layout, inst->updiscon, inst);
}

/* Bits of branch_map for a number of branches, not 0. */
static __always_inline unsigned int map_width(unsigned int branches)
{
	return (2u << (31 - __builtin_clz(branches))) - 1;
}

/*
 * The branch that makes the count as large as it gets is reported at once, with its address, and
 * was predicted; so nothing else has this count (2.0.5 draft, "Format 0 packets"). Damage often
 * has: it is what a sign that goes on and on looks like.
 */
static int get_branch_count(struct bits *b, const struct layout *layout,
			    struct rvtrace_etrace_te_inst *inst)
{
	inst->branch_count = bits_get(b, 32);
	inst->branch_fmt = bits_get(b, 2);
	if (inst->branch_count == UINT32_MAX && inst->branch_fmt != RVTRACE_ETRACE_ADDR)
		return RVTRACE_ERR_FIELD;
	switch (inst->branch_fmt) {
	case RVTRACE_ETRACE_NO_ADDR:
		return 0;
	case RVTRACE_ETRACE_ADDR:
	case RVTRACE_ETRACE_ADDR_FAIL:
		get_report(b, layout, inst);
		return 0;
	}
	return RVTRACE_ERR_FIELD;
}

static void get_index(struct bits *b, const struct layout *layout,
		      struct rvtrace_etrace_te_inst *inst)
{
	unsigned int width;
	bool before;

	inst->index = bits_get(b, layout->index);
	inst->branches = bits_get(b, 5);
	if (inst->branches) {
		width = map_width(inst->branches);
		inst->branch_map = bits_get(b, width);
		before = inst->branch_map >> (width - 1);
	} else {
		before = false;
	}
	get_irreport(b, layout, before, inst);
}

static int get_format_0(struct bits *b, const struct rvtrace_etrace_params *params,
			const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	inst->subformat = layout->subformat ? bits_get(b, layout->subformat) : layout->only_index;
	if (inst->subformat == RVTRACE_ETRACE_BRANCH_COUNT && params->bpred_size)
		return get_branch_count(b, layout, inst);
	if (inst->subformat == RVTRACE_ETRACE_JUMP_TARGET_INDEX && params->cache_size) {
		get_index(b, layout, inst);
		return 0;
	}
	return RVTRACE_ERR_FIELD;
}

static __always_inline void get_format_1(struct bits *b, const struct layout *layout,
					 struct rvtrace_etrace_te_inst *inst)
{
	inst->branches = bits_get(b, 5);
	if (!inst->branches) {
		inst->branch_map = bits_get(b, 31);
		return;
	}
	inst->branch_map = bits_get(b, map_width(inst->branches));
	get_report(b, layout, inst);
}

static void get_time_and_context(struct bits *b, const struct layout *layout,
				 struct rvtrace_etrace_te_inst *inst)
{
	inst->privilege = bits_get(b, layout->privilege);
	inst->time = bits_get(b, layout->time);
	inst->has_time = layout->time;
	inst->context = bits_get(b, layout->context);
	inst->has_context = layout->context;
}

/* Return: 0, RVTRACE_ERR_FIELD: that is no cause. */
static int get_trap(struct bits *b, const struct rvtrace_etrace_params *params,
		    const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	uint64_t ecause;

	inst->branch = bits_get(b, 1);
	get_time_and_context(b, layout, inst);
	ecause = bits_get(b, layout->ecause);
	inst->ecause = ecause;
	inst->interrupt = bits_get(b, 1);
	inst->thaddr = bits_get(b, 1);
	/* "Implicit exception mode" */
	if (!inst->thaddr || !(layout->modes & RVTRACE_ETRACE_IMPLICIT_EXCEPTION))
		get_full_address(b, params, layout, inst);
	inst->has_tval = !inst->interrupt;
	if (inst->has_tval)
		inst->tval = bits_get(b, layout->tval);
	return ecause > UINT32_MAX ? RVTRACE_ERR_FIELD : 0;
}

/* Modes, as ioptions and doptions of @params say. */
static uint16_t option_modes(const struct rvtrace_etrace_params *params, uint32_t ioptions,
			     uint32_t doptions)
{
	uint16_t modes = 0;
	unsigned int i;

	for (i = 0; i < RVTRACE_ETRACE_MODES; i++) {
		uint32_t options = 1u << i < RVTRACE_ETRACE_NO_ADDRESS ? ioptions : doptions;

		if (params->option[i] < 32 && options >> params->option[i] & 1)
			modes |= 1u << i;
	}
	return modes;
}

/* The order of the modes is that of the standard packet, but for two of its bits. */
static uint16_t standard_modes(uint32_t ioptions, uint32_t doptions)
{
	return (ioptions & (RVTRACE_ETRACE_NO_ADDRESS - 1)) |
	       (doptions >> 1) * RVTRACE_ETRACE_NO_ADDRESS;
}

static void get_standard_support(struct bits *b, struct rvtrace_etrace_te_inst *inst)
{
	inst->standard = true;
	inst->ienable = bits_get(b, 1);
	inst->encoder_mode = bits_get(b, 2);
	inst->qual_status = bits_get(b, 2);
	inst->ioptions = bits_get(b, STANDARD_IOPTIONS);
	inst->sizes = bits_get(b, STANDARD_SIZES);
	inst->denable = bits_get(b, 1);
	inst->dloss = bits_get(b, 1);
	inst->doptions = bits_get(b, STANDARD_DOPTIONS);
	inst->modes = standard_modes(inst->ioptions, inst->doptions);
}

/* What may follow is implementation specific. */
static int get_support(struct bits *b, const struct rvtrace_etrace_params *params,
		       struct rvtrace_etrace_te_inst *inst)
{
	if (params->protocol_minor) {
		get_standard_support(b, inst);
	} else {
		inst->ienable = bits_get(b, 1);
		inst->encoder_mode = bits_get(b, params->encoder_mode_width);
		inst->qual_status = bits_get(b, 2);
		inst->ioptions = bits_get(b, params->ioptions_width);
		inst->denable = bits_get(b, params->denable_width);
		inst->dloss = bits_get(b, params->dloss_width);
		inst->doptions = bits_get(b, params->doptions_width);
		inst->modes = option_modes(params, inst->ioptions, inst->doptions);
	}
	return inst->encoder_mode ? RVTRACE_ERR_FIELD : 0;
}

static int get_format_3(struct bits *b, const struct rvtrace_etrace_params *params,
			const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	inst->subformat = bits_get(b, 2);
	switch (inst->subformat) {
	case RVTRACE_ETRACE_START:
		inst->branch = bits_get(b, 1);
		get_time_and_context(b, layout, inst);
		get_full_address(b, params, layout, inst);
		return 0;
	case RVTRACE_ETRACE_TRAP:
		return get_trap(b, params, layout, inst);
	case RVTRACE_ETRACE_CONTEXT:
		get_time_and_context(b, layout, inst);
		return 0;
	}
	return get_support(b, params, inst);
}

/*
 * Everything. One by one, because a memset() of this size becomes a slow string instruction on some
 * processors, and this runs for every few bytes of a trace.
 */
static void clear(struct rvtrace_etrace_te_inst *inst)
{
	inst->format = 0;
	inst->subformat = 0;
	inst->has_address = false;
	inst->has_time = false;
	inst->has_context = false;
	inst->has_tval = false;
	inst->branch = false;
	inst->privilege = 0;
	inst->interrupt = false;
	inst->thaddr = false;
	inst->notify = false;
	inst->updiscon = false;
	inst->irreport = false;
	inst->is_notify = false;
	inst->is_updiscon = false;
	inst->is_irreport = false;
	inst->branches = 0;
	inst->branch_fmt = 0;
	inst->ienable = false;
	inst->encoder_mode = 0;
	inst->qual_status = 0;
	inst->denable = false;
	inst->dloss = false;
	inst->standard = false;
	inst->address = 0;
	inst->time = 0;
	inst->context = 0;
	inst->tval = 0;
	inst->ecause = 0;
	inst->branch_map = 0;
	inst->branch_count = 0;
	inst->index = 0;
	inst->irdepth = 0;
	inst->ioptions = 0;
	inst->doptions = 0;
	inst->sizes = 0;
	inst->modes = 0;
}

/* Formats 0 and 3, which are rare. */
static __attribute__((__noinline__)) int
get_other(struct bits *b, const struct rvtrace_etrace_params *params,
	  const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	int err;

	inst->format = bits_get(b, 2);
	if (inst->format == RVTRACE_ETRACE_OPT_EXT)
		err = get_format_0(b, params, layout, inst);
	else
		err = get_format_3(b, params, layout, inst);
	if (err)
		return err;
	if (inst->format == RVTRACE_ETRACE_SYNC && inst->subformat == RVTRACE_ETRACE_SUPPORT)
		return INST_SUPPORT;
	return bits_done(b) ? INST_PLAIN : RVTRACE_ERR_TRAILING;
}

int etrace_get_inst(struct bits *first, const struct rvtrace_etrace_params *params,
		    const struct layout *layout, struct rvtrace_etrace_te_inst *inst)
{
	/* A copy that stays in registers. */
	struct bits b = *first;
	unsigned int format = bits_get(&b, 2);

	clear(inst);
	switch (format) {
	case RVTRACE_ETRACE_DIFF_DELTA:
		get_format_1(&b, layout, inst);
		break;
	case RVTRACE_ETRACE_ADDR_ONLY:
		get_report(&b, layout, inst);
		break;
	default:
		return get_other(first, params, layout, inst);
	}
	inst->format = format;
	return bits_done(&b) ? INST_PLAIN : RVTRACE_ERR_TRAILING;
}

/* The differential address, and behind it nothing that says something: see get_report(). */
static __always_inline void get_short_report(int64_t payload, const struct layout *layout,
					     struct rvtrace_etrace_te_inst *inst)
{
	bool sign = payload < 0;

	inst->address = (uint64_t)payload << layout->lsb;
	inst->has_address = true;
	inst->notify = sign;
	inst->updiscon = sign;
	inst->irreport = sign;
	inst->irdepth = sign ? bits_mask(layout->irdepth) : 0;
}

bool etrace_get_short(int64_t payload, unsigned int bits, const struct layout *layout,
		      struct rvtrace_etrace_te_inst *inst)
{
	unsigned int format = payload & 3, branches = 0, used = 2, map = 0;

	if (format == RVTRACE_ETRACE_DIFF_DELTA) {
		branches = payload >> 2 & 31;
		map = branches ? map_width(branches) : 31;
		used = 7 + map;
	} else if (format != RVTRACE_ETRACE_ADDR_ONLY) {
		return false;
	}
	if (bits > used + layout->address || (map && !branches && payload >> used != payload >> 63))
		return false;
	clear(inst);
	inst->format = format;
	inst->branches = branches;
	inst->branch_map = payload >> 7 & bits_mask(map);
	if (!map || branches)
		get_short_report(payload >> used, layout, inst);
	return true;
}

int rvtrace_etrace_parse_inst(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_inst *inst)
{
	struct layout layout;
	struct bits b;
	int ret;

	if (!size || size > PAYLOAD_MAX)
		return RVTRACE_ERR_INVALID;
	etrace_layout(params, &layout);
	bits_start(&b, payload, size, (const uint8_t *)payload + size);
	ret = etrace_get_inst(&b, params, &layout, inst);
	return ret < 0 ? ret : 0;
}

static const char *inst_name(const struct rvtrace_etrace_te_inst *inst)
{
	static const char *const names[] = {
		[RVTRACE_ETRACE_START] = "start",
		[RVTRACE_ETRACE_TRAP] = "trap",
		[RVTRACE_ETRACE_CONTEXT] = "context",
		[RVTRACE_ETRACE_SUPPORT] = "support",
	};

	switch (inst->format) {
	case RVTRACE_ETRACE_OPT_EXT:
		return inst->subformat == RVTRACE_ETRACE_BRANCH_COUNT ?
			"correctly predicted branches" : "jump target cache";
	case RVTRACE_ETRACE_DIFF_DELTA:
		return "diff-delta";
	case RVTRACE_ETRACE_ADDR_ONLY:
		return "addr-only";
	}
	return names[inst->subformat & 3];
}

static const char *data_name(const struct rvtrace_etrace_te_data *data)
{
	static const char *const names[] = {
		[RVTRACE_ETRACE_LOAD] = "load",
		[RVTRACE_ETRACE_STORE] = "store",
		[RVTRACE_ETRACE_LOAD_DATA] = "load data",
		[RVTRACE_ETRACE_CSR] = "CSR",
		[RVTRACE_ETRACE_ATOMIC] = "atomic",
		[RVTRACE_ETRACE_ATOMIC_DATA] = "atomic data",
	};

	return names[data->kind];
}

const char *rvtrace_etrace_name(const struct rvtrace_etrace_packet *packet)
{
	switch (packet->kind) {
	case RVTRACE_ETRACE_TE_INST:
		return inst_name(&packet->inst);
	case RVTRACE_ETRACE_TE_DATA:
		return data_name(&packet->data);
	case RVTRACE_ETRACE_EVENT:
		return packet->event.id ? "event" : "events lost";
	}
	return "other";
}
