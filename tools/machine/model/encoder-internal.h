/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of an encoder share: registers (encoder.c), the way of the
 * trace from the hart to the next stage (encoder-hart.c), what software says
 * itself (encoder-itc.c), triggers (encoder-trigger.c), filters
 * (encoder-filter.c), what the fields ask of the encoding (encoder-config.c), and
 * what they can hold (encoder-fields.c).
 */
#ifndef RVTRACE_MODEL_ENCODER_INTERNAL_H
#define RVTRACE_MODEL_ENCODER_INTERNAL_H

#include "tools/encode/ntrace.h"
#include "tools/machine/model/component.h"
#include "tools/machine/model/encoder.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/fifo.h"
#include "tools/machine/model/outlet.h"
#include "tools/machine/model/timestamp.h"

/**
 * struct te_filter_state - what filters remember
 * @depth: of traps since the one that a filter matches, itself included
 * @latch: of comparators that go on matching
 * @tval: of the last trap
 */
struct te_filter_state {
	uint8_t depth[TE_FILTERS];
	bool latch[TE_COMPARATORS];
	uint64_t tval;
};

/**
 * struct te_model - an encoder
 * @fields: what its registers say, whatever the generation
 * @legal: as in struct reg_block
 * @enabled: TE_ENABLE as it was when te_update() last looked
 * @tracing: likewise te_is_tracing()
 * @hart: the hart reports blocks
 * @asked: a request of te_ops.set_tracing is unanswered
 * @wanted: what the latest request was
 * @choked: messages are refused until half of the queue is free
 * @halfwords: retired and not yet told to the next stage
 * @started: TE_TRACING as it was when te_update() last looked
 * @fired: as te_model_fired() tells it
 * @lane: byte of a register that a write begins at
 */
struct te_model {
	struct te_config config;
	const struct generation *generation;
	const struct te_ops *ops;
	void *opaque;
	struct component component;
	uint32_t fields[TE_FIELDS];
	uint32_t legal[TE_FIELDS];
	struct timestamp timestamp;
	struct ntrace_encoder ntrace;
	struct fifo fifo;
	struct outlet outlet;
	bool enabled;
	bool tracing;
	bool hart;
	bool asked;
	bool wanted;
	bool choked;
	uint32_t halfwords;
	bool started;
	uint32_t fired;
	struct te_filter_state filter;
	uint32_t lane;
	struct te_stats stats;
};

/* A feature of N-Trace, by the bit that stands for it in all generations */
struct te_feature {
	uint32_t bit;
	enum te_field id;
};

#define TE_FEATURES	5

extern const struct te_feature te_features[TE_FEATURES];

/* What fields accept, and what they are reset to. */
void te_legal_values(struct te_model *te);
void te_reset_values(struct te_model *te);

/* The timestamp unit that @config describes. */
struct timestamp_config te_timestamp_config(const struct te_config *config);

/* Where its trace goes, as @config says. */
struct outlet_config te_outlet_config(const struct te_config *config);

/* How to encode, as the fields ask. */
struct ntrace_params te_ntrace_params(const struct te_model *te);

/* Fields were changed, by software or by the hardware itself. */
void te_update(struct te_model *te);

/* The mode is one that instruction trace comes of. */
bool te_traces_instructions(const struct te_model *te);

bool te_is_stimulus(const struct te_model *te, uint32_t offset);

/* Tell external trigger outputs of event @n. */
void te_fire(struct te_model *te, unsigned int n);

/* Whether what comes after @block is to be traced: ntrace_filter. */
bool te_qualifies(void *opaque, const struct ingress_block *block);

/* A stimulus register was written. */
void te_stimulate(struct te_model *te, unsigned int n, uint32_t value);

/* Take one message, or refuse it: ntrace_emit. */
bool te_emit(void *opaque, const uint8_t *message, size_t size);

/* Pass on what the next stage takes; with @wait everything. */
void te_drain(struct te_model *te, bool wait);

#endif /* RVTRACE_MODEL_ENCODER_INTERNAL_H */
