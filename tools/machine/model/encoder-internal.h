/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two sides of an encoder share: registers (encoder.c), and the way
 * of the trace from the hart to the next stage (encoder-hart.c).
 */
#ifndef RVTRACE_MODEL_ENCODER_INTERNAL_H
#define RVTRACE_MODEL_ENCODER_INTERNAL_H

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/encode/ntrace.h"
#include "tools/machine/model/encoder.h"
#include "tools/machine/model/encoder-timestamp.h"
#include "tools/machine/model/fifo.h"
#include "tools/machine/model/power.h"
#include "tools/machine/model/regs.h"

#define CONTROL_ACTIVE		RVTRACE_TE_CONTROL_ACTIVE
#define CONTROL_ENABLE		RVTRACE_TE_CONTROL_ENABLE
#define CONTROL_TRACING		RVTRACE_TE_CONTROL_INST_TRACING
#define CONTROL_OVERFLOW	RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW

enum { CONTROL, IMPL, INST_FEATURES, REGISTERS };

/**
 * struct te_model - an encoder
 * @hart: the hart reports blocks
 * @asked: a request of te_ops.set_tracing is unanswered
 * @wanted: what the latest request was
 * @drain_due: when what is queued has gone on after a stop, or POWER_NEVER
 * @choked: messages are refused until half of the queue is free
 * @halfwords: retired and not yet told to the next stage
 */
struct te_model {
	struct te_config config;
	const struct te_ops *ops;
	void *opaque;
	struct power power;
	struct fault fault;
	uint32_t regs[REGISTERS];
	struct te_timestamp timestamp;
	struct ntrace_encoder ntrace;
	struct fifo fifo;
	struct ramsink sink;
	bool hart;
	bool asked;
	bool wanted;
	uint64_t drain_due;
	bool choked;
	uint32_t halfwords;
	struct te_stats stats;
};

static inline bool te_is_tracing(uint32_t control)
{
	return control & CONTROL_ENABLE && control & CONTROL_TRACING &&
	       control & RVTRACE_TE_CONTROL_INST_MODE;
}

/* Ask the hart to start or stop. */
void te_ask(struct te_model *te, bool on);

/* Pass on what the next stage takes; with @wait everything. */
void te_drain(struct te_model *te, bool wait);

/* What is queued now leaves within the time that flushing takes. */
void te_start_drain(struct te_model *te);

#endif /* RVTRACE_MODEL_ENCODER_INTERNAL_H */
