/* SPDX-License-Identifier: GPL-2.0 */
/* What the tables of the generations are written with. */
#ifndef RVTRACE_GEN_H
#define RVTRACE_GEN_H

#include "kind.h"

#define FIELD(register, field)						\
	{ .reg = RVTRACE_##register, .mask = RVTRACE_##field }
#define STATUS(register, field, how)					\
	{ .reg = RVTRACE_##register, .mask = RVTRACE_##field, .status = RVTRACE_##how }

/* Hardware changes registers by itself: nothing is cached. */
#define REGMAP(table, precious)	{					\
	.reg_bits = 32,							\
	.val_bits = 32,							\
	.reg_stride = 4,						\
	.max_register = RVTRACE_PAGE_SIZE - 4,				\
	.rd_table = &(table),						\
	.precious_reg = (precious),					\
	.cache_type = REGCACHE_NONE,					\
	.use_raw_spinlock = true,					\
}

#endif /* RVTRACE_GEN_H */
