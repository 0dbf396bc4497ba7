/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of an encoder share: registers (encoder.c), the way of the
 * trace from the hart to the next stage (encoder-hart.c), what software says
 * itself (encoder-itc.c, encoder-port.c), triggers (encoder-trigger.c), filters
 * (encoder-filter.c), what it can do (encoder-config.c), what the fields can
 * hold (encoder-fields.c), and what they ask of the encoding: the formats that
 * there are (encoder-formats.c), each of which has a file of its own.
 */
#ifndef RVTRACE_MODEL_ENCODER_INTERNAL_H
#define RVTRACE_MODEL_ENCODER_INTERNAL_H

#include "tools/encode/cdl.h"
#include "tools/encode/debugspec.h"
#include "tools/encode/etrace.h"
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

/* teSyncMaxBTM and teSyncMaxInst of version 0 */
#define TE_SYNC_OFF	15

/* Who asks for a synchronization. */
enum te_sync_reason {
	TE_SYNC_EXTERNAL,	/* an external trigger */
	TE_SYNC_EVENT,		/* a trigger of the hart, or a comparator */
};

/**
 * struct te_protocol - what an encoder does in one value of teFormat
 * @format: that value
 * @vendor: with that of the vendor, which one
 * @major: version of the protocol
 * @minor: likewise; NULL: 0
 * @more_modes: bit n: teInstMode n is instruction trace, too
 * @needs_sizes: as in te_model_needs_sizes()
 * @needs_instructions: as in te_model_needs_instructions()
 * @needs_accesses: as in te_model_needs_accesses(); NULL: it does not
 * @lossless: there is no way to tell of a loss, so the hart waits
 * @own_time: packets have the time of the ingress port, be there timestamps or not
 * @features: those of the instruction features that it knows
 * @implemented: of them, what the hardware can do; NULL: anything
 * @set_defaults: what a configuration says of it unless something else is asked for; NULL: nothing
 * @check: NULL, or what is wrong with the configuration
 * @init: encode as the fields ask, from now on
 * @start, @block, @stop: what the hart does; times are those of the timestamp unit
 * @synchronize: a synchronization, or a message, is asked for
 * @event_room: of the queue, for an event and what comes before it, at their longest
 * @carries_events: there is a place for software trace events in what is encoded; NULL: always
 * @event: an event of what retired last; false: it is lost. NULL: there are none
 * @lose_event: one is lost for lack of room
 * @owes_loss: such losses are to be told as soon as there is room; NULL: with the next block
 * @report_loss: tell them
 * @hears_threads: what is written to tp is told as part of the trace; NULL: it is an event of the
 *	software trace port, if anything
 * @thread: the instruction that retired last wrote it
 * @node: of te_config_node(); NULL: registers say all
 * @property: as te_config_property()
 * @shared: how its encoders can share a stream; NULL: they cannot
 */
struct te_protocol {
	uint32_t format;
	enum te_vendor vendor;
	uint32_t major;
	uint32_t (*minor)(const struct te_config *config);
	uint32_t more_modes;
	bool needs_sizes;
	bool needs_instructions;
	bool (*needs_accesses)(const struct te_model *te);
	bool lossless;
	bool own_time;
	uint32_t features;
	uint32_t (*implemented)(const struct te_config *config);
	void (*set_defaults)(struct te_config *config);
	const char *(*check)(const struct te_config *config);
	void (*init)(struct te_model *te);
	void (*start)(struct te_model *te, uint64_t pc,
		      const struct ingress_context *context, uint64_t time,
		      uint64_t cycles);
	void (*block)(struct te_model *te, const struct ingress_block *block);
	void (*stop)(struct te_model *te, uint64_t pc, uint64_t time,
		     uint64_t cycles);
	void (*synchronize)(struct te_model *te, enum te_sync_reason reason);
	uint32_t event_room;
	bool (*carries_events)(const struct te_model *te);
	bool (*event)(struct te_model *te, uint16_t id, uint64_t value,
		      uint64_t time);
	void (*lose_event)(struct te_model *te, uint64_t time);
	bool (*owes_loss)(const struct te_model *te);
	void (*report_loss)(struct te_model *te, uint64_t time);
	bool (*hears_threads)(const struct te_model *te);
	void (*thread)(struct te_model *te, uint64_t value);
	const char *node;
	bool (*property)(const struct te_config *config, unsigned int index,
			 struct te_property *property);
	const struct shared_format *shared;
};

extern const struct te_protocol te_ntrace;
extern const struct te_protocol te_etrace;
extern const struct te_protocol te_cdl;
extern const struct te_protocol te_debugspec;

/**
 * struct te_debugspec - the encoder of one hart
 * @stream: of that hart alone, if it shares none
 * @losses: of those that @encoder told of in a stream that it shares, how many were counted
 */
struct te_debugspec {
	struct debugspec_encoder encoder;
	struct debugspec_stream stream;
	uint32_t losses;
};

/**
 * struct te_model - an encoder
 * @fields: what its registers say, whatever the generation
 * @legal: as in struct reg_block
 * @protocol: what it encodes, from the time on that it was enabled or started
 * @ntrace, @etrace, @cdl, @debugspec: the encoder of that
 * @timed: messages carry timestamps
 * @notify: E-Trace: the next block is to be reported
 * @enabled: TE_ENABLE as it was when te_update() last looked
 * @tracing: likewise te_is_tracing()
 * @hart: the hart reports blocks
 * @asked: a request of te_ops.set_tracing is unanswered
 * @wanted: what the latest request was
 * @choked: messages are refused until half of the queue is free
 * @lost: some were, and none was taken since: the next one tells of it
 * @recorded: bytes that were taken since it was released from reset
 * @halfwords: retired and not yet told to the next stage
 * @started: TE_TRACING as it was when te_update() last looked
 * @fired: as te_model_fired() tells it
 * @urgent: what comes now does not stall the hart
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
	const struct te_protocol *protocol;
	union {
		struct ntrace_encoder ntrace;
		struct etrace_encoder etrace;
		struct cdl_encoder cdl;
		struct te_debugspec debugspec;
	};
	bool timed;
	bool notify;
	struct fifo fifo;
	struct outlet outlet;
	bool enabled;
	bool tracing;
	bool hart;
	bool asked;
	bool wanted;
	bool choked;
	bool lost;
	uint64_t recorded;
	uint32_t halfwords;
	bool started;
	uint32_t fired;
	struct te_filter_state filter;
	bool urgent;
	uint32_t lane;
	struct te_stats stats;
};

/* An instruction feature, by the bit that stands for it in all generations */
struct te_feature {
	uint32_t bit;
	enum te_field id;
};

#define TE_FEATURES	9

extern const struct te_feature te_features[TE_FEATURES];

/* What fields accept, and what they are reset to. */
void te_legal_values(struct te_model *te);
void te_reset_values(struct te_model *te);

/* Where its trace goes, as @config says. */
struct outlet_config te_outlet_config(const struct te_config *config);

/* The protocol of a value of teFormat that @config has. */
const struct te_protocol *te_protocol_of(const struct te_config *config,
					 uint32_t format);

/* Width of addresses: formats that do not say it have that of E-Trace. */
static inline uint32_t te_xlen(const struct te_config *config)
{
	return config->etrace.iaddress_width;
}

/* What @config says of formats, by default. */
void te_set_defaults(struct te_config *config);

/* NULL, or what is wrong with one of its formats. */
const char *te_check_protocols(const struct te_config *config);

/* NULL, or what is wrong with the choice of a format of the vendor. */
const char *te_vendor_check(const struct te_config *config);

/* NULL, or what is asked for that no format of the vendor can do. */
const char *te_vendor_check_common(const struct te_config *config);

/* None has a way to ask for a message. */
void te_vendor_synchronize(struct te_model *te, enum te_sync_reason reason);

/* Values of teInstMode that one of its formats has besides those of the generation. */
uint32_t te_more_modes(const struct te_config *config);

/* Those of the instruction features that one of its formats knows, and those of N-Trace. */
uint32_t te_known_features(const struct te_config *config);

/* One of its formats has a place for software trace events. */
bool te_has_events(const struct te_config *config);

/* Those of the instruction features that are implemented in one of its formats. */
uint32_t te_features_of(const struct te_config *config);

/* Encode as the fields ask, from now on. */
void te_prepare(struct te_model *te);

/* Fields were changed, by software or by the hardware itself. */
void te_update(struct te_model *te);

/* The mode is one that instruction trace comes of. */
bool te_traces_instructions(const struct te_model *te);

/* Registers of the software trace port, if there is one. */
void te_add_port(struct te_model *te);

/* The time of what the encoder is told; 0 where nothing has one. */
uint64_t te_time_of(const struct te_model *te, uint64_t time, uint64_t cycles);

/* Tell what the port lost, if that is due and there is room. */
void te_catch_up(struct te_model *te, uint64_t time);

bool te_is_stimulus(const struct te_model *te, uint32_t offset);

/* Tell external trigger outputs of event @n. */
void te_fire(struct te_model *te, unsigned int n);

/* Whether what comes after @block is to be traced: ntrace_filter, etrace_filter. */
bool te_qualifies(void *opaque, const struct ingress_block *block);

/* A stimulus register was written. */
void te_stimulate(struct te_model *te, unsigned int n, uint32_t value);

/* Take one message, or refuse it: ntrace_emit, etrace_emit, cdl_emit. */
bool te_emit(void *opaque, const uint8_t *message, size_t size);

/* Whether @size bytes will be taken; if not, they are lost. */
bool te_make_room(struct te_model *te, size_t size);

/* The hart stands still where there is no room. */
bool te_waits(const struct te_model *te);

/* Pass on what the next stage takes; with @wait everything. */
void te_drain(struct te_model *te, bool wait);

#endif /* RVTRACE_MODEL_ENCODER_INTERNAL_H */
