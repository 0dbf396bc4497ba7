// SPDX-License-Identifier: GPL-2.0
/* Fields of a component: what each is, and where. */
#include <linux/bits.h>

#include "field.h"
#include "rvtrace.h"

#define CHOICE	.configurable = true
#define FIXED	.constant = true
#define LASTS	.lasting = true
#define OF_PORT	.port = true
#define IN_PIB	.within = RVTRACE_PIB_ACTIVE, .needs = RVTRACE_HAS_PIB_SINK
#define IN_ATB	.within = RVTRACE_ATB_ACTIVE, .needs = RVTRACE_HAS_ATB_SINK

/*
 * @configurable: software chooses the value
 * @constant: says what the hardware is, and is read once
 * @lasting: says that something happened; counts until the next session
 * @port: is there where the device tree has a software trace port
 * @within: the field that releases its block from reset; 0: that of the component
 * @needs: the field that says whether its block is there; 0: it is
 */
static const struct {
	const char *name;
	bool configurable;
	bool constant;
	bool lasting;
	bool port;
	enum rvtrace_field_id within;
	enum rvtrace_field_id needs;
} fields[RVTRACE_FIELDS] = {
	[RVTRACE_ACTIVE] = { "active" },
	[RVTRACE_ENABLE] = { "enable" },
	[RVTRACE_INST_TRACING] = { "inst_tracing" },
	[RVTRACE_EMPTY] = { "empty" },
	[RVTRACE_INST_MODE] = { "inst_mode", CHOICE },
	[RVTRACE_INSTRUMENTATION] = { "instrumentation", CHOICE },
	[RVTRACE_CONTEXT] = { "context", CHOICE },
	[RVTRACE_INST_TRIG_EN] = { "inst_trig_en", CHOICE },
	[RVTRACE_INST_STALL_OR_OVERFLOW] = { "inst_stall_or_overflow", LASTS },
	[RVTRACE_INST_STALL_EN] = { "inst_stall_en", CHOICE },
	[RVTRACE_STOP_ON_WRAP] = { "stop_on_wrap", CHOICE },
	[RVTRACE_INHIBIT_SRC] = { "inhibit_src", CHOICE },
	[RVTRACE_SYNC_MODE] = { "sync_mode", CHOICE },
	[RVTRACE_SYNC_MAX] = { "sync_max", CHOICE },
	[RVTRACE_SYNC_MAX_BTM] = { "sync_max_btm", CHOICE },
	[RVTRACE_SYNC_MAX_INST] = { "sync_max_inst", CHOICE },
	[RVTRACE_FORMAT] = { "format", CHOICE },
	[RVTRACE_SINK_ERROR] = { "sink_error", LASTS },
	[RVTRACE_SINK] = { "sink", CHOICE },
	[RVTRACE_VERSION] = { "version", FIXED },
	[RVTRACE_VERSION_MINOR] = { "version_minor", FIXED },
	[RVTRACE_COMP_TYPE] = { "comp_type", FIXED },
	[RVTRACE_PROTOCOL_MAJOR] = { "protocol_major", FIXED },
	[RVTRACE_PROTOCOL_MINOR] = { "protocol_minor", FIXED },
	[RVTRACE_HAS_SRAM_SINK] = { "has_sram_sink", FIXED },
	[RVTRACE_HAS_ATB_SINK] = { "has_atb_sink", FIXED },
	[RVTRACE_HAS_PIB_SINK] = { "has_pib_sink", FIXED },
	[RVTRACE_HAS_SBA_SINK] = { "has_sba_sink", FIXED },
	[RVTRACE_HAS_FUNNEL_SINK] = { "has_funnel_sink", FIXED },
	[RVTRACE_SINK_BYTES] = { "sink_bytes", FIXED },
	[RVTRACE_SRC_ID] = { "src_id", CHOICE },
	[RVTRACE_SRC_BITS] = { "src_bits", CHOICE },
	[RVTRACE_INST_NO_ADDR_DIFF] = { "inst_no_addr_diff", CHOICE },
	[RVTRACE_INST_NO_TRAP_ADDR] = { "inst_no_trap_addr", CHOICE },
	[RVTRACE_INST_EN_SEQUENTIAL_JUMP] = { "inst_en_sequential_jump", CHOICE },
	[RVTRACE_INST_EN_CALL_STACK] = { "inst_en_call_stack", CHOICE },
	[RVTRACE_INST_EN_BRANCH_PREDICTION] = { "inst_en_branch_prediction", CHOICE },
	[RVTRACE_INST_EN_JUMP_TARGET_CACHE] = { "inst_en_jump_target_cache", CHOICE },
	[RVTRACE_INST_IMPLICIT_RETURN_MODE] = { "inst_implicit_return_mode", CHOICE },
	[RVTRACE_INST_EN_REPEATED_HISTORY] = { "inst_en_repeated_history", CHOICE },
	[RVTRACE_INST_EN_ALL_JUMPS] = { "inst_en_all_jumps", CHOICE },
	[RVTRACE_INST_EXTEND_ADDR_MSB] = { "inst_extend_addr_msb", CHOICE },
	[RVTRACE_INST_FILTERS] = { "inst_filters", CHOICE },
	[RVTRACE_DATA_IMPLEMENTED] = { "data_implemented", FIXED },
	[RVTRACE_DATA_ENABLE] = { "data_enable", CHOICE },
	[RVTRACE_DATA_TRACING] = { "data_tracing" },
	[RVTRACE_DATA_TRIG_ENABLE] = { "data_trig_enable", CHOICE },
	[RVTRACE_DATA_STALL] = { "data_stall", LASTS },
	[RVTRACE_DATA_STALL_ENABLE] = { "data_stall_enable", CHOICE },
	[RVTRACE_DATA_DROP] = { "data_drop", LASTS },
	[RVTRACE_DATA_DROP_ENABLE] = { "data_drop_enable", CHOICE },
	[RVTRACE_DATA_NO_VALUE] = { "data_no_value", CHOICE },
	[RVTRACE_DATA_NO_ADDR] = { "data_no_addr", CHOICE },
	[RVTRACE_DATA_ADDR_COMPRESS] = { "data_addr_compress", CHOICE },
	[RVTRACE_DATA_ADDRESS_MODE] = { "data_address_mode", CHOICE },
	[RVTRACE_DATA_FILTERS] = { "data_filters", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 0] = { "xtrig_in_action0", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 1] = { "xtrig_in_action1", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 2] = { "xtrig_in_action2", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 3] = { "xtrig_in_action3", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 4] = { "xtrig_in_action4", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 5] = { "xtrig_in_action5", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 6] = { "xtrig_in_action6", CHOICE },
	[RVTRACE_XTRIG_IN_ACTION0 + 7] = { "xtrig_in_action7", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 0] = { "xtrig_out_event0", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 1] = { "xtrig_out_event1", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 2] = { "xtrig_out_event2", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 3] = { "xtrig_out_event3", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 4] = { "xtrig_out_event4", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 5] = { "xtrig_out_event5", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 6] = { "xtrig_out_event6", CHOICE },
	[RVTRACE_XTRIG_OUT_EVENT0 + 7] = { "xtrig_out_event7", CHOICE },
	[RVTRACE_DBG_TRIGGER] = { "dbg_trigger", CHOICE },
	[RVTRACE_ITC_TRACE] = { "itc_trace_enable", CHOICE },
	[RVTRACE_ITC_TRIG] = { "itc_trig_enable", CHOICE },
	[RVTRACE_PORT_ENABLE] = { "software_trace", CHOICE, OF_PORT },
	[RVTRACE_PORT_THREADS] = { "software_trace_threads", CHOICE, OF_PORT },
	[RVTRACE_PORT_USER] = { "software_trace_user", CHOICE, OF_PORT },
	[RVTRACE_PORT_COM] = { "software_trace_com", CHOICE, OF_PORT },
	[RVTRACE_PORT_RESERVED] = { "software_trace_reserved", CHOICE, OF_PORT },
	[RVTRACE_PORT_SYS] = { "software_trace_sys", CHOICE, OF_PORT },
	[RVTRACE_PORT_SWITCH] = { "software_trace_switch", CHOICE, OF_PORT },
	[RVTRACE_PORT_LOST] = { "software_trace_lost", LASTS, OF_PORT },
	[RVTRACE_PIB_ACTIVE] = { "pib_active", IN_PIB },
	[RVTRACE_PIB_ENABLE] = { "pib_enable", IN_PIB },
	[RVTRACE_PIB_EMPTY] = { "pib_empty", IN_PIB },
	[RVTRACE_PIB_MODE] = { "pib_mode", CHOICE, IN_PIB },
	[RVTRACE_PIB_REF_CENTER] = { "pib_ref_center", CHOICE, IN_PIB },
	[RVTRACE_PIB_CALIBRATE] = { "pib_calibrate", CHOICE, IN_PIB },
	[RVTRACE_PIB_DIVIDER] = { "pib_divider", CHOICE, IN_PIB },
	[RVTRACE_ATB_ACTIVE] = { "atb_active", IN_ATB },
	[RVTRACE_ATB_ENABLE] = { "atb_enable", IN_ATB },
	[RVTRACE_ATB_EMPTY] = { "atb_empty", IN_ATB },
	[RVTRACE_ATB_ID] = { "atb_id", CHOICE, IN_ATB },
	[RVTRACE_DIS_INPUT] = { "dis_input", CHOICE },
	[RVTRACE_RAM_MODE] = { "ram_mode", CHOICE },
	[RVTRACE_MEM_FORMAT] = { "mem_format", CHOICE },
	[RVTRACE_ASYNC_FREQ] = { "async_freq", CHOICE },
	[RVTRACE_TS_ACTIVE] = { "ts_active" },
	[RVTRACE_TS_COUNT] = { "ts_count", CHOICE },
	[RVTRACE_TS_DEBUG] = { "ts_debug", CHOICE },
	[RVTRACE_TS_TYPE] = { "ts_type", CHOICE },
	[RVTRACE_TS_PRESCALE] = { "ts_prescale", CHOICE },
	[RVTRACE_TS_ENABLE] = { "ts_enable", CHOICE },
	[RVTRACE_TS_BRANCH] = { "ts_branch", CHOICE },
	[RVTRACE_TS_INSTRUMENTATION] = { "ts_instrumentation", CHOICE },
	[RVTRACE_TS_OWNERSHIP] = { "ts_ownership", CHOICE },
	[RVTRACE_TS_VENDOR] = { "ts_vendor", CHOICE },
	[RVTRACE_TS_WIDTH] = { "ts_width", FIXED },
};

/**
 * rvtrace_field_name() - name of a field as users see it
 * @id: the field
 *
 * Return: the specification's name in lower case without te, tf
 */
const char *rvtrace_field_name(enum rvtrace_field_id id)
{
	return fields[id].name;
}

/**
 * rvtrace_configurable() - whether users choose the value of a field
 * @id: the field
 */
bool rvtrace_configurable(enum rvtrace_field_id id)
{
	return fields[id].configurable;
}

/**
 * rvtrace_constant() - whether a field says what the hardware is
 * @id: the field, which is read once
 */
bool rvtrace_constant(enum rvtrace_field_id id)
{
	return fields[id].constant;
}

/**
 * rvtrace_lasting() - whether a field says that something happened in a session
 * @id: the field, which counts until the next session whatever clears it
 */
bool rvtrace_lasting(enum rvtrace_field_id id)
{
	return fields[id].lasting;
}

/**
 * rvtrace_within() - which field releases the block of a field from reset
 * @id: the field
 *
 * Return: 0 where that is the whole component
 */
enum rvtrace_field_id rvtrace_within(enum rvtrace_field_id id)
{
	return fields[id].within;
}

/**
 * rvtrace_has() - whether a component has a field
 * @c: the component
 * @id: the field; of a block in its page, once discovered whether that is there
 */
bool rvtrace_has(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	enum rvtrace_field_id needs = fields[id].needs;

	return c->kind->fields[id].mask && (!fields[id].port || c->te.software_trace) &&
	       (!needs || !c->kind->fields[needs].mask || c->wanted[needs]);
}

/**
 * rvtrace_is_there() - whether a register is one of those that only some components have
 * @c: the component
 * @reg: its offset
 *
 * Return: false where the device tree does not say that there is a software trace port, whose
 * registers may be anything then; or that there are registers so far from the first
 */
bool rvtrace_is_there(const struct rvtrace_component *c, u16 reg)
{
	unsigned int id;

	if (reg > c->kind->regmap->max_register)
		return false;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (fields[id].port && f->mask && f->reg == reg)
			return c->te.software_trace;
	}
	return true;
}

/**
 * rvtrace_max() - largest value a field can hold
 * @c: the component, which has the field
 * @id: the field
 */
u32 rvtrace_max(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	u32 mask = c->kind->fields[id].mask;

	return mask >> __ffs(mask);
}

/**
 * rvtrace_field_of() - a field in what a register reads
 * @c: a component that has the field
 * @id: the field
 * @reg: the value of its register
 */
u32 rvtrace_field_of(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg)
{
	u32 mask = c->kind->fields[id].mask;

	return (reg & mask) >> __ffs(mask);
}
