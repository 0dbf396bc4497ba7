// SPDX-License-Identifier: GPL-2.0
/*
 * Registers and fields of a component.
 *
 * Software keeps what it wants every configuration field to be. A register is
 * always written from that, never read, modified and written: hardware may
 * clear teInstTracing and teEnable at any time and a stale copy would undo it.
 * Only bits that no field covers are carried over, before TCI 1.0: in that they are
 * written as 0 ("Versioning of Components").
 */
#include <linux/bitmap.h>

#include "rvtrace.h"

#define CHOICE	.configurable = true
#define FIXED	.constant = true
#define LASTS	.lasting = true
#define OF_PORT	.port = true
#define WITHIN(block)							\
	.within = RVTRACE_##block##_ACTIVE, .needs = RVTRACE_HAS_##block##_SINK

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
	[RVTRACE_PIB_ACTIVE] = { "pib_active", WITHIN(PIB) },
	[RVTRACE_PIB_ENABLE] = { "pib_enable", WITHIN(PIB) },
	[RVTRACE_PIB_EMPTY] = { "pib_empty", WITHIN(PIB) },
	[RVTRACE_PIB_MODE] = { "pib_mode", CHOICE, WITHIN(PIB) },
	[RVTRACE_PIB_REF_CENTER] = { "pib_ref_center", CHOICE, WITHIN(PIB) },
	[RVTRACE_PIB_CALIBRATE] = { "pib_calibrate", CHOICE, WITHIN(PIB) },
	[RVTRACE_PIB_DIVIDER] = { "pib_divider", CHOICE, WITHIN(PIB) },
	[RVTRACE_ATB_ACTIVE] = { "atb_active", WITHIN(ATB) },
	[RVTRACE_ATB_ENABLE] = { "atb_enable", WITHIN(ATB) },
	[RVTRACE_ATB_EMPTY] = { "atb_empty", WITHIN(ATB) },
	[RVTRACE_ATB_ID] = { "atb_id", CHOICE, WITHIN(ATB) },
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
 * rvtrace_forget() - what happened counts no more
 * @c: a component that joins a session
 */
void rvtrace_forget(struct rvtrace_component *c)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (fields[id].lasting)
			c->wanted[id] = 0;
}

/**
 * rvtrace_has() - whether a component has a field
 * @c: the component
 * @id: the field; of a block in its page, once discovered whether that is there
 */
bool rvtrace_has(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	enum rvtrace_field_id needs = fields[id].needs;

	return c->kind->fields[id].mask && (!fields[id].port || c->software_trace) &&
	       (!needs || !c->kind->fields[needs].mask || c->wanted[needs]);
}

/**
 * rvtrace_is_there() - whether a register is one of those that only some components have
 * @c: the component
 * @reg: its offset
 *
 * Return: false where the device tree does not say that there is a software trace port, whose
 * registers may be anything then
 */
bool rvtrace_is_there(const struct rvtrace_component *c, u16 reg)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (fields[id].port && f->mask && f->reg == reg)
			return c->software_trace;
	}
	return true;
}

/* The block of a field is out of reset. Components that are a block have no bit for it. */
static bool is_released(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	enum rvtrace_field_id within = fields[id].within;

	return !within || !c->kind->fields[within].mask || c->wanted[within];
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

/* A read cleared it. */
static void remember(struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg)
{
	u32 value = rvtrace_field_of(c, id, reg);

	if (c->kind->fields[id].status == RVTRACE_COUNTED_UNTIL_READ)
		c->wanted[id] += min(value, U32_MAX - c->wanted[id]);
	else if (c->kind->fields[id].status == RVTRACE_CLEARED_BY_READ && value)
		c->wanted[id] = 1;
}

/* What the reading clears is remembered, but not what is there before it is configured. */
static int read_register(struct rvtrace_component *c, u16 reg, unsigned int *value)
{
	unsigned int id;
	int ret;

	ret = regmap_read(c->regmap, reg, value);
	if (ret || c->blank || !c->kind->precious || !c->kind->precious(reg))
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (c->kind->fields[id].mask && c->kind->fields[id].reg == reg)
			remember(c, id, *value);
	return 0;
}

/**
 * rvtrace_get() - read a field from the hardware
 * @c: a component that is held
 * @id: the field, which the component has
 * @value: out; of a field that lasts, 1 also if it was that earlier in the session; of one
 *	that counts, how many in the session
 *
 * Return: 0 or the error of the access
 */
int rvtrace_get(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value)
{
	const struct rvtrace_field *f = &c->kind->fields[id];
	unsigned int reg;
	int ret;

	ret = read_register(c, f->reg, &reg);
	if (ret)
		return ret;
	*value = rvtrace_field_of(c, id, reg);
	if (f->status == RVTRACE_COUNTED_UNTIL_READ)
		*value = c->wanted[id];
	else if (fields[id].lasting)
		*value |= c->wanted[id];
	return 0;
}

static u32 status_image(const struct rvtrace_field *f, u32 now, bool clear)
{
	switch (f->status) {
	case RVTRACE_CLEARED_BY_0:
		return clear ? 0 : now & f->mask;
	case RVTRACE_CLEARED_BY_1:
		return clear ? f->mask : 0;
	default:
		return 0;
	}
}

/* What a field is to read: of the inputs of a funnel, those it has no use for are off. */
static u32 intended(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return c->wanted[id] | (id == RVTRACE_DIS_INPUT ? c->unrouted : 0);
}

/* A register as software wants it, see the head of this file. */
static int make_image(struct rvtrace_component *c, u16 reg, bool clear, u32 *made)
{
	u32 known = 0, image = 0;
	unsigned int now, id;
	int ret;

	ret = read_register(c, reg, &now);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (!f->mask || f->reg != reg)
			continue;
		known |= f->mask;
		if (fields[id].lasting)
			image |= status_image(f, now, clear);
		else
			image |= (intended(c, id) << __ffs(f->mask)) & f->mask;
	}
	if (!c->kind->reserved_zero)
		image |= now & ~known;
	*made = image;
	return 0;
}

static int write_register(struct rvtrace_component *c, u16 reg, bool clear)
{
	u32 image;
	int ret;

	ret = make_image(c, reg, clear, &image);
	return ret ?: regmap_write(c->regmap, reg, image);
}

static int write_wanted(struct rvtrace_component *c, u16 reg)
{
	return write_register(c, reg, false);
}

static int refused(struct rvtrace_component *c, enum rvtrace_field_id id,
		   u32 asked, u32 kept)
{
	dev_err_ratelimited(&c->dev, "%s: asked for %u, hardware kept %u\n",
			    fields[id].name, asked, kept);
	return -EINVAL;
}

/**
 * rvtrace_switch() - set or clear a control bit
 * @c: a component that is held
 * @id: the bit
 * @on: its new value
 *
 * Return: 0 or the error of the access
 */
int rvtrace_switch(struct rvtrace_component *c, enum rvtrace_field_id id, bool on)
{
	c->wanted[id] = on;
	return write_wanted(c, c->kind->fields[id].reg);
}

/**
 * rvtrace_activate() - begin to release a block of a component's page from reset
 * @c: a component that is held
 * @active: the field that does it
 *
 * Other fields of its register stay as they read, or 0 in TCI 1.0, where reserved bits are:
 * they are programmed when it reads 1 (TCI 0.9.4 chapter 12; tsControl of the P550).
 *
 * Return: 0 or the error of the access
 */
int rvtrace_activate(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	const struct rvtrace_field *f = &c->kind->fields[active];

	c->wanted[active] = 1;
	if (c->kind->reserved_zero)
		return regmap_write(c->regmap, f->reg, f->mask);
	return regmap_update_bits(c->regmap, f->reg, f->mask, f->mask);
}

/**
 * rvtrace_image() - what rvtrace_update() would write
 * @c: a component that is held
 * @id: the field
 * @image: out: its register as software wants it
 *
 * Return: 0 or the error of the access
 */
int rvtrace_image(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *image)
{
	return make_image(c, c->kind->fields[id].reg, false, image);
}

/**
 * rvtrace_update() - write the register of a field as software wants it
 * @c: a component that is held
 * @id: the field
 *
 * Return: 0 or the error of the access
 */
int rvtrace_update(struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return write_wanted(c, c->kind->fields[id].reg);
}

/* Software has a value for the field, and the hardware takes it now. */
static bool is_chosen(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return rvtrace_has(c, id) && fields[id].configurable && is_released(c, id);
}

/* Read back one register; every configuration field must be as wanted. */
static int verify(struct rvtrace_component *c, u16 reg)
{
	unsigned int id, now;
	u32 kept;
	int ret;

	ret = read_register(c, reg, &now);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (f->reg != reg || !is_chosen(c, id))
			continue;
		kept = rvtrace_field_of(c, id, now);
		if (kept != intended(c, id))
			return refused(c, id, intended(c, id), kept);
	}
	return 0;
}

/* What was counted before the component is configured is of no session. */
static int clear_counts(struct rvtrace_component *c)
{
	unsigned int id, reg;
	int ret = 0;

	for (id = 0; id < RVTRACE_FIELDS && !ret; id++)
		if (rvtrace_has(c, id) &&
		    c->kind->fields[id].status == RVTRACE_COUNTED_UNTIL_READ)
			ret = read_register(c, c->kind->fields[id].reg, &reg);
	return ret;
}

/**
 * rvtrace_configure() - write every configuration field and verify it
 * @c: a component that is held and not enabled; what its hardware said of the last
 *	session is cleared
 *
 * Return: 0; -EINVAL when hardware does not keep a value; an access error
 */
int rvtrace_configure(struct rvtrace_component *c)
{
	DECLARE_BITMAP(written, RVTRACE_PAGE_SIZE / 4) = {};
	unsigned int id;
	int ret;

	/* What chooses among filters comes after them. */
	ret = rvtrace_units_configure(c);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		u16 reg = c->kind->fields[id].reg;

		if (!is_chosen(c, id) || __test_and_set_bit(reg / 4, written))
			continue;
		ret = write_register(c, reg, true);
		if (!ret)
			ret = verify(c, reg);
		if (ret)
			return ret;
	}
	return clear_counts(c);
}

/**
 * rvtrace_blank() - a component is about to come out of reset, with its registers as reset
 *	leaves them
 * @c: the component; the blocks of its page are in reset
 */
void rvtrace_blank(struct rvtrace_component *c)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (fields[id].within && !fields[id].configurable)
			c->wanted[id] = 0;
	c->wanted[RVTRACE_ENABLE] = 0;
	c->wanted[RVTRACE_INST_TRACING] = 0;
	c->wanted[RVTRACE_DATA_TRACING] = 0;
	c->late = false;
	c->blank = true;
}

/**
 * rvtrace_try() - what a field reads after a value was written
 * @c: a component that is held and not enabled
 * @id: the field, which the component has
 * @value: becomes what software wants
 * @kept: out
 *
 * Return: 0 or the error of the access
 */
int rvtrace_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value, u32 *kept)
{
	int ret;

	c->wanted[id] = value;
	ret = write_wanted(c, c->kind->fields[id].reg);
	return ret ?: rvtrace_get(c, id, kept);
}

/**
 * rvtrace_check_atb_id() - whether a component may have an ID on the bus
 * @c: the component
 * @value: the ID
 *
 * Return: 0; -EINVAL for one that the bus reserves
 */
int rvtrace_check_atb_id(struct rvtrace_component *c, u32 value)
{
	if (value >= RVTRACE_ATB_ID_MIN && value <= RVTRACE_ATB_ID_MAX)
		return 0;
	dev_err_ratelimited(&c->dev, "%s: %#x is reserved by the bus\n",
			    fields[RVTRACE_ATB_ID].name, value);
	return -EINVAL;
}

/* Say that a value was not written, and why. */
static void not_written(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value,
			const char *why)
{
	const char *name = rvtrace_value_name(c, id, value);

	if (name)
		dev_err_ratelimited(&c->dev, "%s: %s not written, %s\n", fields[id].name,
				    name, why);
	else
		dev_err_ratelimited(&c->dev, "%s: %u not written, %s\n", fields[id].name,
				    value, why);
}

/**
 * rvtrace_set() - choose the value of a configuration field
 * @c: the component
 * @id: the field; one that the component has not is 0
 * @value: the value
 *
 * A value the hardware does not keep is reported and the old one restored. Without power,
 * what it keeps is known from discovery; the value is written when it is traced.
 *
 * Return: 0; -EINVAL when the value is not legal; -EBUSY while the component is
 * part of a session; -ETIMEDOUT or an access error
 */
int rvtrace_set(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value)
{
	enum rvtrace_field_id within = fields[id].within;
	u32 old = c->wanted[id], kept;
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		not_written(c, id, value, "it is in a session");
		return -EBUSY;
	}
	if (!rvtrace_has(c, id)) {
		if (!value)
			return 0;
		not_written(c, id, value, "there is no such field");
		return -EINVAL;
	}
	if (value > rvtrace_max(c, id)) {
		dev_err_ratelimited(&c->dev, "%s: %u is more than %u\n", fields[id].name,
				    value, rvtrace_max(c, id));
		return -EINVAL;
	}
	if (id == RVTRACE_ATB_ID) {
		ret = rvtrace_check_atb_id(c, value);
		if (ret)
			return ret;
	}
	if (!rvtrace_powered(c)) {
		if (!rvtrace_keeps(c, id, value)) {
			not_written(c, id, value, "hardware did not keep it at discovery");
			return -EINVAL;
		}
		c->wanted[id] = value;
		return 0;
	}
	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	ret = rvtrace_timestamp_configure(c);
	if (!ret && within)
		ret = rvtrace_block_release(c, within);
	if (!ret)
		ret = rvtrace_configure(c);
	if (ret)
		goto release;

	ret = rvtrace_try(c, id, value, &kept);
	if (!ret && kept != value)
		ret = refused(c, id, value, kept);
	/* Nor may it take from others of its register what they have. */
	if (!ret)
		ret = verify(c, c->kind->fields[id].reg);
	if (ret) {
		c->wanted[id] = old;
		write_wanted(c, c->kind->fields[id].reg);
	}
release:
	err = within ? rvtrace_block_reset(c, within) : 0;
	ret = ret ?: err;
	err = rvtrace_release(c);
	ret = ret ?: err;
	if (ret)
		c->wanted[id] = old;
	return ret;
}

/**
 * rvtrace_reset() - choose for every configuration field what discovery chose
 * @c: the component
 *
 * Return: 0; -EBUSY while the component is part of a session
 */
int rvtrace_reset(struct rvtrace_component *c)
{
	unsigned int id;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		dev_err_ratelimited(&c->dev, "not reset, it is in a session\n");
		return -EBUSY;
	}
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (fields[id].configurable)
			c->wanted[id] = c->defaults[id];
	c->route = rvtrace_graph_first_output(c);
	rvtrace_units_reset(c);
	c->waits = false;
	c->data = false;
	return 0;
}
