/* SPDX-License-Identifier: GPL-2.0 */
/* What the tables of the generations are written with. */
#ifndef RVTRACE_GEN_H
#define RVTRACE_GEN_H

#include "kind.h"

#define FIELD(register, field)						\
	{ .reg = RVTRACE_##register, .mask = RVTRACE_##field }
#define STATUS(register, field, how)					\
	{ .reg = RVTRACE_##register, .mask = RVTRACE_##field, .status = RVTRACE_##how }

#define NIBBLE(register, n)						\
	{ .reg = RVTRACE_##register, .mask = 0xfU << (4 * (n)) }
#define WHOLE(register)	{ .reg = RVTRACE_##register, .mask = U32_MAX }

#define COUNT(register)							\
	{ .reg = RVTRACE_##register, .mask = U32_MAX, .status = RVTRACE_COUNTED_UNTIL_READ }

/* Software trace port, up to 1.0 */
#define PORT								\
	[RVTRACE_PORT_ENABLE] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_ENABLE), \
	[RVTRACE_PORT_THREADS] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_THREADS), \
	[RVTRACE_PORT_USER] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_USER), \
	[RVTRACE_PORT_COM] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_COM),	\
	[RVTRACE_PORT_RESERVED] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_RESERVED), \
	[RVTRACE_PORT_SYS] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_SYS),	\
	[RVTRACE_PORT_SWITCH] = FIELD(SOFTWARE_TRACE, SOFTWARE_TRACE_SWITCH), \
	[RVTRACE_PORT_LOST] = COUNT(SOFTWARE_TRACE_LOST)

/* External triggers, up to 1.0 */
#define XTRIGS								\
	[RVTRACE_XTRIG_IN_ACTION0 + 0] = NIBBLE(XTRIG_IN_CONTROL, 0), \
	[RVTRACE_XTRIG_IN_ACTION0 + 1] = NIBBLE(XTRIG_IN_CONTROL, 1), \
	[RVTRACE_XTRIG_IN_ACTION0 + 2] = NIBBLE(XTRIG_IN_CONTROL, 2), \
	[RVTRACE_XTRIG_IN_ACTION0 + 3] = NIBBLE(XTRIG_IN_CONTROL, 3), \
	[RVTRACE_XTRIG_IN_ACTION0 + 4] = NIBBLE(XTRIG_IN_CONTROL, 4), \
	[RVTRACE_XTRIG_IN_ACTION0 + 5] = NIBBLE(XTRIG_IN_CONTROL, 5), \
	[RVTRACE_XTRIG_IN_ACTION0 + 6] = NIBBLE(XTRIG_IN_CONTROL, 6), \
	[RVTRACE_XTRIG_IN_ACTION0 + 7] = NIBBLE(XTRIG_IN_CONTROL, 7), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 0] = NIBBLE(XTRIG_OUT_CONTROL, 0), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 1] = NIBBLE(XTRIG_OUT_CONTROL, 1), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 2] = NIBBLE(XTRIG_OUT_CONTROL, 2), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 3] = NIBBLE(XTRIG_OUT_CONTROL, 3), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 4] = NIBBLE(XTRIG_OUT_CONTROL, 4), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 5] = NIBBLE(XTRIG_OUT_CONTROL, 5), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 6] = NIBBLE(XTRIG_OUT_CONTROL, 6), \
	[RVTRACE_XTRIG_OUT_EVENT0 + 7] = NIBBLE(XTRIG_OUT_CONTROL, 7)

/* PIB and ATB sinks in the page of the component that owns them */
#define OFF_CHIP							\
	[RVTRACE_HAS_ATB_SINK] = FIELD(TE_IMPL, TE_IMPL_HAS_ATB_SINK),	\
	[RVTRACE_HAS_PIB_SINK] = FIELD(TE_IMPL, TE_IMPL_HAS_PIB_SINK),	\
	[RVTRACE_PIB_ACTIVE] = FIELD(PIB_CONTROL, PIB_CONTROL_ACTIVE),	\
	[RVTRACE_PIB_ENABLE] = FIELD(PIB_CONTROL, PIB_CONTROL_ENABLE),	\
	[RVTRACE_PIB_MODE] = FIELD(PIB_CONTROL, PIB_CONTROL_MODE),	\
	[RVTRACE_PIB_REF_CENTER] = FIELD(PIB_CONTROL, PIB_CONTROL_REF_CENTER), \
	[RVTRACE_PIB_CALIBRATE] = FIELD(PIB_CONTROL, PIB_CONTROL_CALIBRATE), \
	[RVTRACE_PIB_DIVIDER] = FIELD(PIB_CONTROL, PIB_CONTROL_DIVIDER), \
	[RVTRACE_ATB_ACTIVE] = FIELD(ATB_CONTROL, ATB_CONTROL_ACTIVE),	\
	[RVTRACE_ATB_ENABLE] = FIELD(ATB_CONTROL, ATB_CONTROL_ENABLE),	\
	[RVTRACE_ATB_ID] = FIELD(ATB_CONTROL, ATB_CONTROL_ID)

/* Version 0 does not say when they are empty. */
#define OFF_CHIP_EMPTY							\
	[RVTRACE_PIB_EMPTY] = FIELD(PIB_CONTROL, PIB_CONTROL_EMPTY),	\
	[RVTRACE_ATB_EMPTY] = FIELD(ATB_CONTROL, ATB_CONTROL_EMPTY)

/* regmap's files in debugfs would read components in reset: debugfs.c does it instead. */
static inline bool rvtrace_hide(struct device *dev, unsigned int reg)
{
	return true;
}

/* Hardware changes registers by itself: nothing is cached. */
#define REGMAP(table)	{						\
	.reg_bits = 32,							\
	.val_bits = 32,							\
	.reg_stride = 4,						\
	.max_register = RVTRACE_PAGE_SIZE - 4,				\
	.rd_table = &(table),						\
	.precious_reg = rvtrace_hide,					\
	.cache_type = REGCACHE_NONE,					\
	.use_raw_spinlock = true,					\
}

#endif /* RVTRACE_GEN_H */
