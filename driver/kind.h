/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of components: what each generation of the interface says of registers.
 *
 * A kind is a const table; no other code asks for the generation.
 */
#ifndef RVTRACE_KIND_H
#define RVTRACE_KIND_H

#include <linux/regmap.h>
#include <linux/types.h>

#include <uapi/linux/rvtrace_regs.h>
#include <uapi/linux/rvtrace_regs_0.h>
#include <uapi/linux/rvtrace_regs_1_0.h>

enum rvtrace_role {
	RVTRACE_ENCODER,
	RVTRACE_FUNNEL,
	RVTRACE_RAM_SINK,
	RVTRACE_PIB_SINK,
	RVTRACE_ATB_BRIDGE,
	RVTRACE_ROLES
};

/* Register fields by meaning; a generation says where they are. */
enum rvtrace_field_id {
	RVTRACE_ACTIVE,
	RVTRACE_ENABLE,
	RVTRACE_INST_TRACING,
	RVTRACE_EMPTY,
	RVTRACE_INST_MODE,
	RVTRACE_INSTRUMENTATION,
	RVTRACE_CONTEXT,
	RVTRACE_INST_TRIG_EN,
	RVTRACE_INST_STALL_OR_OVERFLOW,
	RVTRACE_INST_STALL_EN,
	RVTRACE_STOP_ON_WRAP,
	RVTRACE_INHIBIT_SRC,
	RVTRACE_SYNC_MODE,
	RVTRACE_SYNC_MAX,
	RVTRACE_SYNC_MAX_BTM,
	RVTRACE_SYNC_MAX_INST,
	RVTRACE_FORMAT,
	RVTRACE_SINK_ERROR,
	RVTRACE_SINK,
	RVTRACE_VERSION,
	RVTRACE_VERSION_MINOR,
	RVTRACE_COMP_TYPE,
	RVTRACE_PROTOCOL_MAJOR,
	RVTRACE_PROTOCOL_MINOR,
	RVTRACE_HAS_SRAM_SINK,
	RVTRACE_HAS_ATB_SINK,
	RVTRACE_HAS_PIB_SINK,
	RVTRACE_HAS_SBA_SINK,
	RVTRACE_HAS_FUNNEL_SINK,
	RVTRACE_SINK_BYTES,
	RVTRACE_SRC_ID,
	RVTRACE_SRC_BITS,
	RVTRACE_INST_NO_ADDR_DIFF,
	RVTRACE_INST_NO_TRAP_ADDR,
	RVTRACE_INST_EN_SEQUENTIAL_JUMP,
	RVTRACE_INST_EN_CALL_STACK,
	RVTRACE_INST_EN_BRANCH_PREDICTION,
	RVTRACE_INST_EN_JUMP_TARGET_CACHE,
	RVTRACE_INST_IMPLICIT_RETURN_MODE,
	RVTRACE_INST_EN_REPEATED_HISTORY,
	RVTRACE_INST_EN_ALL_JUMPS,
	RVTRACE_INST_EXTEND_ADDR_MSB,
	RVTRACE_INST_FILTERS,
	RVTRACE_DATA_IMPLEMENTED,
	RVTRACE_DATA_ENABLE,
	RVTRACE_DATA_TRACING,
	RVTRACE_DATA_TRIG_ENABLE,
	RVTRACE_DATA_STALL,
	RVTRACE_DATA_STALL_ENABLE,
	RVTRACE_DATA_DROP,
	RVTRACE_DATA_DROP_ENABLE,
	RVTRACE_DATA_NO_VALUE,
	RVTRACE_DATA_NO_ADDR,
	RVTRACE_DATA_ADDR_COMPRESS,
	RVTRACE_DATA_ADDRESS_MODE,
	RVTRACE_DATA_FILTERS,
	RVTRACE_XTRIG_IN_ACTION0,
	RVTRACE_XTRIG_IN_ACTION7 = RVTRACE_XTRIG_IN_ACTION0 + 7,
	RVTRACE_XTRIG_OUT_EVENT0,
	RVTRACE_XTRIG_OUT_EVENT7 = RVTRACE_XTRIG_OUT_EVENT0 + 7,
	RVTRACE_DBG_TRIGGER,
	RVTRACE_ITC_TRACE,
	RVTRACE_ITC_TRIG,
	RVTRACE_PORT_ENABLE,
	RVTRACE_PORT_THREADS,
	RVTRACE_PORT_USER,
	RVTRACE_PORT_COM,
	RVTRACE_PORT_RESERVED,
	RVTRACE_PORT_SYS,
	RVTRACE_PORT_SWITCH,
	RVTRACE_PORT_LOST,
	RVTRACE_PIB_ACTIVE,
	RVTRACE_PIB_ENABLE,
	RVTRACE_PIB_EMPTY,
	RVTRACE_PIB_MODE,
	RVTRACE_PIB_REF_CENTER,
	RVTRACE_PIB_CALIBRATE,
	RVTRACE_PIB_DIVIDER,
	RVTRACE_ATB_ACTIVE,
	RVTRACE_ATB_ENABLE,
	RVTRACE_ATB_EMPTY,
	RVTRACE_ATB_ID,
	RVTRACE_DIS_INPUT,
	RVTRACE_RAM_MODE,
	RVTRACE_MEM_FORMAT,
	RVTRACE_ASYNC_FREQ,
	RVTRACE_TS_ACTIVE,
	RVTRACE_TS_COUNT,
	RVTRACE_TS_DEBUG,
	RVTRACE_TS_TYPE,
	RVTRACE_TS_PRESCALE,
	RVTRACE_TS_ENABLE,
	RVTRACE_TS_BRANCH,
	RVTRACE_TS_INSTRUMENTATION,
	RVTRACE_TS_OWNERSHIP,
	RVTRACE_TS_VENDOR,
	RVTRACE_TS_WIDTH,
	RVTRACE_FIELDS
};

/* Blocks of which an encoder has several that are alike */
enum rvtrace_unit {
	RVTRACE_UNIT_FILTER,
	RVTRACE_UNIT_COMPARATOR,
	RVTRACE_UNIT_FILTER_WORD,
	RVTRACE_UNITS
};

/*
 * Fields of such a block, in the order in which registers are written: a filter
 * matches nothing before all that it compares with is there.
 */
enum rvtrace_unit_field_id {
	RVTRACE_COMP_P_MATCH_LOW,
	RVTRACE_COMP_P_MATCH_HIGH,
	RVTRACE_COMP_S_MATCH_LOW,
	RVTRACE_COMP_S_MATCH_HIGH,
	RVTRACE_COMP_P_INPUT,
	RVTRACE_COMP_S_INPUT,
	RVTRACE_COMP_P_FUNCTION,
	RVTRACE_COMP_S_FUNCTION,
	RVTRACE_COMP_MATCH_MODE,
	RVTRACE_COMP_P_NOTIFY,
	RVTRACE_COMP_S_NOTIFY,
	RVTRACE_FILTER_CHOICE_PRIVILEGE,
	RVTRACE_FILTER_VALUE_INTERRUPT,
	RVTRACE_FILTER_CHOICE_ECAUSE_LOW,
	RVTRACE_FILTER_CHOICE_ECAUSE_HIGH,
	RVTRACE_FILTER_VALUE_IMPDEF,
	RVTRACE_FILTER_MASK_IMPDEF,
	RVTRACE_FILTER_CHOICE_DTYPE,
	RVTRACE_FILTER_CHOICE_DSIZE,
	RVTRACE_FILTER_ENABLE,
	RVTRACE_FILTER_MATCH_PRIVILEGE,
	RVTRACE_FILTER_MATCH_ECAUSE,
	RVTRACE_FILTER_MATCH_INTERRUPT,
	RVTRACE_FILTER_MATCH_COMP1,
	RVTRACE_FILTER_COMP1,
	RVTRACE_FILTER_MATCH_COMP2,
	RVTRACE_FILTER_COMP2,
	RVTRACE_FILTER_MATCH_COMP3,
	RVTRACE_FILTER_COMP3,
	RVTRACE_FILTER_MATCH_IMPDEF,
	RVTRACE_FILTER_MATCH_DTYPE,
	RVTRACE_FILTER_MATCH_DSIZE,
	RVTRACE_FILTER_WORD_VALUE,
	RVTRACE_UNIT_FIELDS
};

/* What clears a status that the hardware sets; the last is of one that counts. */
enum rvtrace_status {
	RVTRACE_NO_STATUS,
	RVTRACE_CLEARED_BY_0,
	RVTRACE_CLEARED_BY_1,
	RVTRACE_CLEARED_BY_READ,
	RVTRACE_COUNTED_UNTIL_READ,
};

/**
 * struct rvtrace_field - where a field is
 * @reg: offset of its register
 * @status: how it is cleared, if it is
 * @mask: its bits; 0 when the generation does not have it
 */
struct rvtrace_field {
	u16 reg;
	enum rvtrace_status status;
	u32 mask;
};

/**
 * struct rvtrace_ram_registers - offsets of a RAM sink block
 * @base: first byte of the ring
 * @base_high: its address bits from 32 on
 * @limit: last word of the ring
 * @limit_high: its address bits from 32 on; 0: those of @base_high
 * @wp: next word to be written
 * @wp_high: its address bits from 32 on; 0: those of @base_high
 * @rp: next word of SRAM that @data reads
 * @rp_high: its address bits from 32 on; 0: there are none
 * @data: that word; reading it moves on
 * @wrap: bit of @wp that says the ring wrapped
 */
struct rvtrace_ram_registers {
	u16 base;
	u16 base_high;
	u16 limit;
	u16 limit_high;
	u16 wp;
	u16 wp_high;
	u16 rp;
	u16 rp_high;
	u16 data;
	u32 wrap;
};

/**
 * struct rvtrace_timestamp_registers - offsets of a timestamp block
 * @lower: bits 31 to 0 of the counter
 * @upper: the others
 * @reset: the bit beside RVTRACE_TS_COUNT that sets the counter to 0
 */
struct rvtrace_timestamp_registers {
	u16 lower;
	u16 upper;
	u32 reset;
};

/**
 * struct rvtrace_unit_registers - where the units of an encoder are
 * @stride: from a unit to the next of its sort
 * @count: units of a sort there is room for
 * @undefined: what they read after reset is not defined
 * @fields: fields of the first unit of each sort
 */
struct rvtrace_unit_registers {
	u16 stride;
	u16 count;
	bool undefined;
	struct rvtrace_field fields[RVTRACE_UNIT_FIELDS];
};

/**
 * struct rvtrace_kind - one kind of component in one generation of the interface
 * @generation: its name, for messages
 * @version: what the version field must read
 * @role: what the component does
 * @impl: offset of the implementation register
 * @impl_zero: its bits that read 0 in this kind of component
 * @comp_type: what its component type reads, where it has one
 * @inst_modes: encoder: names of its instruction trace modes, with holes
 * @inst_mode_order: encoder: modes to choose from, the best first, ending with off
 * @counted_modes: encoder: bit n: mode n leaves returns out by a count of calls alone, wherever
 *	they lead
 * @undefined: registers whose reset value is not defined, to be cleared; ends with 0
 * @undefined_control: bits of its control register of which that is so
 * @reserved_zero: bits that no field covers are written as 0, not as they read
 * @fields: where its fields are
 * @ram: its RAM sink block, or NULL
 * @timestamp: its timestamp block, or NULL
 * @precious: registers that reading changes, or NULL
 * @units: its filters and comparators, or NULL
 * @stimulus: encoder: offset of the first stimulus register, or 0
 * @regmap: access to its page
 */
struct rvtrace_kind {
	const char *generation;
	u32 version;
	enum rvtrace_role role;
	u16 impl;
	u32 impl_zero;
	u32 comp_type;
	const char * const *inst_modes;
	const u8 *inst_mode_order;
	u8 counted_modes;
	const u16 *undefined;
	u32 undefined_control;
	bool reserved_zero;
	const struct rvtrace_field *fields;
	const struct rvtrace_ram_registers *ram;
	const struct rvtrace_timestamp_registers *timestamp;
	bool (*precious)(u16 reg);
	const struct rvtrace_unit_registers *units;
	u16 stimulus;
	const struct regmap_config *regmap;
};

extern const struct rvtrace_kind rvtrace_encoder_0;
extern const struct rvtrace_kind rvtrace_funnel_0;
extern const struct rvtrace_kind rvtrace_encoder_0_9;
extern const struct rvtrace_kind rvtrace_funnel_0_9;
extern const struct rvtrace_kind rvtrace_encoder_1_0;
extern const struct rvtrace_kind rvtrace_funnel_1_0;
extern const struct rvtrace_kind rvtrace_ram_sink_1_0;
extern const struct rvtrace_kind rvtrace_pib_sink_1_0;
extern const struct rvtrace_kind rvtrace_atb_bridge_1_0;

/* A value of a field that has names is at most this. */
#define RVTRACE_NAMED_MAX	15

#endif /* RVTRACE_KIND_H */
