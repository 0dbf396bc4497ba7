// SPDX-License-Identifier: GPL-2.0-or-later
/* What the fields of an encoder can hold, and what they are reset to. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_0.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

const struct te_feature te_features[TE_FEATURES] = {
	{ RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP, TE_SEQUENTIAL_JUMP },
	{ RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN, TE_IMPLICIT_RETURN },
	{ RVTRACE_TR_TE_INST_EN_REPEATED_HISTORY, TE_REPEATED_HISTORY },
	{ RVTRACE_TR_TE_INST_EN_ALL_JUMPS, TE_ALL_JUMPS },
	{ RVTRACE_TR_TE_INST_EXTEND_ADDR_MSB, TE_EXTEND_MSB },
	{ RVTRACE_TR_TE_INST_NO_ADDR_DIFF, TE_NO_ADDR_DIFF },
	{ RVTRACE_TR_TE_INST_NO_TRAP_ADDR, TE_NO_TRAP_ADDR },
	{ RVTRACE_TR_TE_INST_EN_BRANCH_PREDICTION, TE_BRANCH_PREDICTION },
	{ RVTRACE_TR_TE_INST_EN_JUMP_TARGET_CACHE, TE_JUMP_TARGET_CACHE },
};

static void legal_basics(struct te_model *te)
{
	const struct te_config *config = &te->config;
	uint32_t features = config->inst_features & te_features_of(config);
	bool ntrace = config->formats >> RVTRACE_FORMAT_NTRACE & 1;
	uint32_t *legal = te->legal;
	size_t i;

	legal[TE_INST_MODE] = config->inst_modes;
	legal[TE_CONTEXT] = reg_flag(config->context && ntrace);
	legal[TE_STALL] = reg_flag(config->stall);
	legal[TE_STOP_ON_WRAP] = reg_flag(config->stop_on_wrap);
	legal[TE_INHIBIT_SRC] = reg_flag(config->inhibit_src);
	legal[TE_SYNC_MODE] = config->sync_modes;
	legal[TE_SYNC_MAX] = config->sync_max;
	legal[TE_FORMAT] = config->formats;
	legal[TE_SYNC_MAX_BTM] = config->sync_max_btm;
	legal[TE_SYNC_MAX_INST] = config->sync_max_inst;
	legal[TE_ITC_MODE] = config->itc ? 0xf : 1;
	legal[TE_ITC_TRACE_ENABLE] = config->itc ? UINT32_MAX : 0;
	legal[TE_ITC_TRIG_ENABLE] = config->itc ? UINT32_MAX : 0;
	legal[TE_SINK] = config->sinks & SINK_ONE ? SINK_ONE : config->sinks;
	legal[TE_SRC_ID] = config->src_writable ? UINT32_MAX : 0;
	legal[TE_SRC_BITS] = config->src_writable ?
		(2u << config->src_bits) - 1 : 1u << config->src_bits;
	legal[TE_RETURN_MODE] = ntrace ? config->return_modes : 1;
	for (i = 0; i < TE_FEATURES; i++)
		legal[te_features[i].id] =
			reg_flag(features & te_features[i].bit);
}

static void legal_triggers(struct te_model *te)
{
	const struct te_config *config = &te->config;
	uint32_t *legal = te->legal;
	unsigned int n;

	legal[TE_TRIG_ENABLE] = reg_flag(config->trig_enable);
	legal[TE_TRIG_DEBUG] = config->trig_debug;
	for (n = 0; n < TE_TRIGGERS; n++) {
		legal[TE_TRIG_IN + n] = n < config->trig_inputs ?
			config->trig_actions : 1;
		legal[TE_TRIG_OUT + n] = n < config->trig_outputs ?
			config->trig_events : 0;
	}
}

static void legal_data(struct te_model *te)
{
	static const enum te_field flags[] = {
		TE_DATA_ENABLE, TE_DATA_TRACING, TE_DATA_TRIG_ENABLE,
		TE_DATA_STALL_ENABLE, TE_DATA_DROP_ENABLE, TE_DATA_NO_VALUE,
		TE_DATA_NO_ADDR,
	};
	bool data = te->config.data;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		te->legal[flags[i]] = reg_flag(data);
	te->legal[TE_DATA_ADDR_MODE] = data ? 0xf : 1;
	te->legal[TE_DATA_FILTERS] = data ? te->legal[TE_INST_FILTERS] : 0;
}

static void legal_filter(struct te_model *te, unsigned int i)
{
	uint32_t *legal = te->legal + TE_FILTER + i * FILTER_FIELDS;
	bool there = i < te->config.filters;
	bool others = there && te->config.filter_others;
	uint32_t comparators = te->config.comparators;
	unsigned int n;

	legal[FILTER_ENABLE] = reg_flag(there);
	legal[FILTER_MATCH_PRIVILEGE] = reg_flag(there);
	legal[FILTER_MATCH_ECAUSE] = reg_flag(there);
	legal[FILTER_MATCH_INTERRUPT] = reg_flag(there);
	legal[FILTER_VALUE_INTERRUPT] = reg_flag(there);
	legal[FILTER_CHOICE_PRIVILEGE] = there ? UINT32_MAX : 0;
	legal[FILTER_ECAUSE_LOW] = there ? UINT32_MAX : 0;
	legal[FILTER_ECAUSE_HIGH] = there ? UINT32_MAX : 0;
	legal[FILTER_MATCH_IMPDEF] = reg_flag(others);
	legal[FILTER_MATCH_DTYPE] = reg_flag(others);
	legal[FILTER_MATCH_DSIZE] = reg_flag(others);
	for (n = FILTER_VALUE_IMPDEF; n <= FILTER_CHOICE_DSIZE; n++)
		legal[n] = others ? UINT32_MAX : 0;
	for (n = 0; n < 3; n++) {
		bool both = there && comparators;

		legal[FILTER_MATCH_COMP1 + n] = reg_flag(both);
		legal[FILTER_COMP1 + n] = both ? (1u << comparators) - 1 : 1;
	}
}

static void legal_comparator(struct te_model *te, unsigned int j)
{
	uint32_t *legal = te->legal + TE_COMPARATOR + j * COMP_FIELDS;
	bool there = j < te->config.comparators;
	unsigned int n;

	legal[COMP_P_INPUT] = there ? te->config.comp_inputs : 1;
	legal[COMP_S_INPUT] = there ? te->config.comp_inputs : 1;
	legal[COMP_P_FUNCTION] = there ? 0xff : 1;
	legal[COMP_S_FUNCTION] = there ? 0xff : 1;
	legal[COMP_MATCH_MODE] = there ? 0xf : 1;
	legal[COMP_P_NOTIFY] = reg_flag(there);
	legal[COMP_S_NOTIFY] = reg_flag(there);
	for (n = COMP_P_LOW; n <= COMP_S_HIGH; n++)
		legal[n] = there ? UINT32_MAX : 0;
}

static void legal_filters(struct te_model *te)
{
	unsigned int i;

	te->legal[TE_INST_FILTERS] = (1u << te->config.filters) - 1;
	for (i = 0; i < TE_FILTER_WORDS; i++)
		te->legal[TE_FILTER_WORD + i] =
			i < te->config.filter_words ? UINT32_MAX : 0;
	for (i = 0; i < TE_FILTERS; i++)
		legal_filter(te, i);
	for (i = 0; i < TE_COMPARATORS; i++)
		legal_comparator(te, i);
}

void te_legal_values(struct te_model *te)
{
	legal_basics(te);
	legal_triggers(te);
	legal_filters(te);
	legal_data(te);
}

/* Back to @value, or to what is legal instead. */
static void reset_to(struct te_model *te, enum te_field id, uint32_t value)
{
	te->fields[id] = te->legal[id] >> value & 1 ? value :
						      reg_lowest(te->legal[id]);
}

void te_reset_values(struct te_model *te)
{
	static const enum te_field sets[] = {
		TE_INST_MODE, TE_SYNC_MODE, TE_SYNC_MAX, TE_FORMAT, TE_SINK,
		TE_RETURN_MODE,
	};
	size_t i;

	memset(te->fields, 0, sizeof(te->fields));
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		te->fields[sets[i]] = reg_lowest(te->legal[sets[i]]);
	reset_to(te, TE_SYNC_MAX_BTM, 3);
	/* As the P550's table prints it, though it is reserved */
	te->fields[TE_SYNC_MAX_INST] =
		reg_largest(te->generation->encoder, TE_SYNC_MAX_INST) ?
		0xa : TE_SYNC_OFF;
	te->fields[TE_HAS_SINKS] = te->config.sinks >> 4;
	te->fields[TE_HART_ID] = te->config.hart_id;
	te->fields[TE_CROSSING_TYPE] = te->config.crossing_type;
	te->fields[TE_DATA_IMPLEMENTED] = te->config.data;
	/* What cannot be disabled is enabled. */
	te->fields[TE_TRIG_ENABLE] =
		!reg_largest(te->generation->encoder, TE_TRIG_ENABLE);
	te->fields[TE_SRC_ID] = te->config.src_id;
	te->fields[TE_SRC_BITS] = te->config.src_bits;
	te->fields[TE_PORT_SWITCH] = RVTRACE_THREAD_SWITCH;
	for (i = 0; i < TE_PC_SAMPLES && te->config.pc_sample; i++)
		te->fields[TE_PC_SAMPLE + i] =
			0x50430000 + RVTRACE_PC_CONTROL + 4 * i;
}
