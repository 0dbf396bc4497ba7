/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace encoder as its registers show it (TCI 0.9.4 chapters 5 and 7, or what
 * another generation made of them), without any machine around it.
 *
 * Threads: the functions of one encoder must not run at the same time; the
 * caller holds one lock per encoder around each of them and the callbacks of
 * struct te_ops run with it held. te_model_read(), te_model_write() and
 * te_model_tick() may come from any thread; te_model_started(),
 * te_model_stopped() and te_model_retire() come from the hart that is traced.
 * A callback must not call back into the same encoder; send and advance of its
 * outlet may take the lock of the next component, so the order of
 * locks follows the trace: encoder, funnel, next funnel. Nothing ever calls
 * upstream.
 */
#ifndef RVTRACE_MODEL_ENCODER_H
#define RVTRACE_MODEL_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/ingress.h"
#include "tools/machine/model/atbsink.h"
#include "tools/machine/model/etrace-config.h"
#include "tools/machine/model/generation.h"
#include "tools/machine/model/outlet.h"
#include "tools/machine/model/pibsink.h"
#include "tools/machine/model/ramsink.h"
#include "tools/machine/model/timestamp.h"
#include "tools/machine/model/vendor-config.h"

struct shared_stream;

/**
 * struct te_config - what the hardware can do
 * @generation: whose registers it has
 * @formats: bit n: teFormat n is legal (0 E-Trace, 1 N-Trace, 7 that of @vendor;
 *	version 0: 1)
 * @inst_modes: bit n: teInstMode n is legal (0, 3, 6, 7; version 0: 1, too, of
 *	which no trace comes; 1.0: 0, 3, 6, with E-Trace 7)
 * @sync_modes: bit n: teSyncMode n is legal
 * @sync_max: bit n: teSyncMax n is legal
 * @sync_max_btm: bit n: teSyncMaxBTM n is legal (0 to 11, 15 off)
 * @sync_max_inst: bit n: teSyncMaxInst n is legal (0 to 5, 15 off; 6 to 14 are reserved, and mean
 *	2^(n + 5) bytes all the same)
 * @itc: stimulus registers are implemented
 * @pc_sample: version 0: there is a PC sampling unit. What its registers mean is not
 *	specified: the one at offset O reads 0x50430000 + O
 * @port: there is a software trace port (RVTRACE_SOFTWARE_TRACE); E-Trace carries its
 *	events from a type_width of 2 on, or with an event_srcid_bit. Not beside @itc,
 *	whose messages look the same in N-Trace
 * @sinks: bit n: teSink n is legal (4 to 7: SRAM, ATB, PIB and system memory
 *	in this page, 8 on to the next component, which is all that 1.0 has);
 *	version 0: with bit 0 it reads 0, for the one that there is
 * @src_id: reset value of teSrcID
 * @src_bits: reset value of teSrcBits, and its largest legal value
 * @src_writable: teSrcID and teSrcBits can be written
 * @hart_id: teImpl.hartid
 * @crossing_type: teImpl.crossingType of version 0, 0 to 2; it does nothing else
 * @context: teContext is implemented; E-Trace alone: it is not
 * @scontext: the hart has scontext
 * @inhibit_src: teInhibitSrc is implemented
 * @stall: teInstStallEn is implemented
 * @stop_on_wrap: teStopOnWrap is implemented (own RAM sink only)
 * @inst_features: writable bits of teInstFeatures, as far as one of @formats has
 *	them
 * @return_modes: bit n: trTeInstImplicitReturnMode n is legal; E-Trace alone: 0
 * @timestamp: the timestamp unit
 * @ts_xor: TSTAMP is what differs from the one before, as SiFive has it
 * @filter_machine: what runs in M-mode is not traced
 * @trig_enable: teInstTrigEnable is implemented
 * @trig_inputs: external trigger inputs, 0 to 8
 * @trig_actions: bit n: an external trigger may have action n (0, 2, 3, 4)
 * @trig_outputs: external trigger outputs, 0 to 8
 * @trig_events: bit n: an external trigger output may tell of event n (0 start,
 *	1 stop, 2 a stimulus register of version 0)
 * @trig_debug: writable bits of dbgTriggerControl
 * @data: the registers of data trace are implemented; nothing is traced
 * @filter_words: registers from 0x300 on that keep what is written (0.9.4), 0
 *	to 64
 * @filters: filters, 0 to 16 (1.0)
 * @filter_others: filters have impdef, dtype and dsize, too; one that is told to match
 *	those matches nothing
 * @comparators: comparators, 0 to 8 (1.0)
 * @comp_inputs: bit n: trTeCompPInput and trTeCompSInput n are legal (0 address,
 *	1 context, 2 tval)
 * @idle_gone: while the hart waits for an interrupt in M-mode, where firmware lets it
 *	idle deeply, registers read ones and ignore writes
 * @fifo_size: bytes of the message queue, at least 128, with E-Trace 252, or 504
 *	with events
 * @icnt_bits: N-Trace: bits of the I-CNT counter, 4 to 22
 * @hist_bits: bits of the HIST register with its stop bit, 3 to 32
 * @repeat_bits: bits of the HREPEAT and B-CNT counters, 1 to 18
 * @call_stack: entries of the return address stack, 0 to 32
 * @address_bits: version 0, harts of 64 bits: bits of an address that are sent, bit 0 counted,
 *	33 to 64; 0: all
 * @call_count: version 0: how far calls are counted, 0 to 1023; returns are left out then. In the
 *	optimized mode runs of equal branches are told by their number, too; 0: neither, full
 *	registers of the history are repeated
 * @count_modes: with @call_count: bit n: calls are counted in teInstruction n (6, 7)
 * @swap_is_call: with @call_count: a co-routine swap is a call, not a return and a call
 * @call_after_sync: with @call_count: the call that a synchronization reports is counted after it
 * @calls_outlive_sync: with @call_count: a fault: synchronizations leave the count
 * @traps_clear_calls: with @call_count: a fault: traps clear it
 * @repeat_branch: RepeatBranch messages in Branch Trace Messaging
 * @etrace: of E-Trace
 * @vendor: of the vendor's format
 * @sink: the RAM sink in this page, if @sinks has bit 4 or 7
 * @pib: the PIB in this page, if @sinks has bit 6
 * @atb: the ATB sink in this page, if @sinks has bit 5
 * @component: what all components have in common
 */
struct te_config {
	enum tci generation;
	uint32_t formats;
	uint32_t inst_modes;
	uint32_t sync_modes;
	uint32_t sync_max;
	uint32_t sync_max_btm;
	uint32_t sync_max_inst;
	bool itc;
	bool pc_sample;
	bool port;
	uint32_t sinks;
	uint32_t src_id;
	uint32_t src_bits;
	bool src_writable;
	uint32_t hart_id;
	uint32_t crossing_type;
	bool context;
	bool scontext;
	bool inhibit_src;
	bool stall;
	bool stop_on_wrap;
	uint32_t inst_features;
	uint32_t return_modes;
	struct timestamp_config timestamp;
	bool ts_xor;
	bool filter_machine;
	bool trig_enable;
	uint32_t trig_inputs;
	uint32_t trig_actions;
	uint32_t trig_outputs;
	uint32_t trig_events;
	uint32_t trig_debug;
	bool data;
	uint32_t filter_words;
	uint32_t filters;
	bool filter_others;
	uint32_t comparators;
	uint32_t comp_inputs;
	bool idle_gone;
	uint32_t fifo_size;
	uint32_t icnt_bits;
	uint32_t hist_bits;
	uint32_t repeat_bits;
	uint32_t call_stack;
	uint32_t address_bits;
	uint32_t call_count;
	uint32_t count_modes;
	bool swap_is_call;
	bool call_after_sync;
	bool calls_outlive_sync;
	bool traps_clear_calls;
	bool repeat_branch;
	struct te_etrace_config etrace;
	struct te_vendor_config vendor;
	struct ramsink_config sink;
	struct pibsink_config pib;
	struct atbsink_config atb;
	struct component_config component;
};

/**
 * struct te_ops - what the encoder asks of the machine around it
 * @set_tracing: the hart shall start or stop reporting blocks. Not answered
 *	here but later, between two blocks, by te_model_started() or
 *	te_model_stopped(). A request replaces one that was not answered yet;
 *	the latest one is always answered, exactly once, also when the hart
 *	already is in the wanted state.
 * @timestamp: what an External timestamp reads now, in the unit of
 *	ingress_block.time
 * @shared: what a Slave timestamp read at @cycles, when the External one read
 *	@external; NULL: the External one
 * @schedule: call te_model_tick() once, @ticks from now; replaces an earlier
 *	schedule that has not fired. Never called from te_model_retire().
 * @stream_begin: the stream that it shares with other encoders, its own until
 *	@stream_end is called; NULL, or returns NULL: it shares none
 * @stalled: the hart was stalled until @bytes of trace had been taken (for
 *	statistics; may be NULL)
 * @outlet: the way on, and the clock, in the unit of ingress_block.cycles ("ticks");
 *	has_room is not asked
 */
struct te_ops {
	void (*set_tracing)(void *opaque, bool on);
	uint64_t (*timestamp)(void *opaque);
	uint64_t (*shared)(void *opaque, uint64_t external, uint64_t cycles);
	void (*schedule)(void *opaque, uint64_t ticks);
	struct shared_stream *(*stream_begin)(void *opaque);
	void (*stream_end)(void *opaque);
	void (*stalled)(void *opaque, size_t bytes);
	struct outlet_ops outlet;
};

/**
 * struct te_stats - counters since te_model_new(), never reset
 * @messages: messages generated and kept
 * @bytes: their bytes
 * @overflows: times messages were lost because the queue was full
 * @stalls: times the hart was stalled instead
 * @events: of the software trace port, those lost included
 * @lost_events: of them, those that were lost
 * @accesses: reads and writes of registers
 */
struct te_stats {
	uint64_t messages;
	uint64_t bytes;
	uint64_t overflows;
	uint64_t stalls;
	uint64_t events;
	uint64_t lost_events;
	uint64_t accesses;
};

struct te_model;

/*
 * An encoder of N-Trace with everything implemented, feeding a funnel. Delays
 * are those of a clock that ticks in nanoseconds.
 */
void te_config_init(struct te_config *config, enum tci generation);

/* Of TCI 0.9.4. */
static inline void te_config_default(struct te_config *config)
{
	te_config_init(config, TCI_0_9);
}

/**
 * struct te_property - a parameter as the device tree has it
 * @name: as dts/bindings has it; static
 * @text: its value; NULL: @value is
 * @value: of a cell
 */
struct te_property {
	const char *name;
	const char *text;
	uint32_t value;
};

/**
 * te_config_node() - a node of the device tree that says what a format is made of
 * @n: from 0 on
 *
 * Return: its name, static; NULL: there is none of that number.
 */
const char *te_config_node(const struct te_config *config, unsigned int n);

/**
 * te_config_property() - what software has to know and no register says
 * @n: of the node, which there is
 * @index: from 0 on
 * @property: filled
 *
 * Return: whether there is one of that number.
 */
bool te_config_property(const struct te_config *config, unsigned int n, unsigned int index,
			struct te_property *property);

/**
 * te_model_new() - create an encoder, inactive
 * @config: copied
 * @ops: kept, must stay valid
 *
 * Return: the encoder, or NULL when there is no memory or @config contradicts
 * itself; te_config_check() says why.
 */
struct te_model *te_model_new(const struct te_config *config,
			      const struct te_ops *ops, void *opaque);
void te_model_free(struct te_model *te);

/* Return: NULL, or what is wrong with @config. */
const char *te_config_check(const struct te_config *config);

/* Power-on reset. Unanswered requests are void. */
void te_model_reset(struct te_model *te);

/* Power is off and on again, at any time: nothing is kept. */
void te_model_lose_power(struct te_model *te);

/* Registers: @offset is a multiple of 4 below 0x1000, accesses are 32 bits. */
uint32_t te_model_read(struct te_model *te, uint32_t offset);
void te_model_write(struct te_model *te, uint32_t offset, uint32_t value);

/*
 * A write of @size bytes, 1 or 2, to @offset, a multiple of that: the stimulus
 * registers of version 0 take it, others do not.
 */
void te_model_write_part(struct te_model *te, uint32_t offset, uint32_t value,
			 unsigned int size);

/* External trigger input @n fires. */
void te_model_trigger(struct te_model *te, unsigned int n);

/* A trigger of the hart fires whose action is @action (2 to 4, else nothing). */
void te_model_debug_trigger(struct te_model *te, unsigned int action);

/*
 * How often external trigger outputs fired: 4 bits each, 15 for that and more.
 * It begins anew with @clear.
 */
uint32_t te_model_fired(struct te_model *te, bool clear);

/* Data trace would have stalled the hart, or was dropped. */
void te_model_lose_data(struct te_model *te, bool stall, bool drop);

/* The time asked for with te_ops.schedule has come. */
void te_model_tick(struct te_model *te);

/**
 * te_model_started() - the hart reports blocks from now on
 * @pc: address of the next instruction to retire
 * @context: in force now
 * @time: timestamp as in ingress_block.time
 * @cycles: clock as in ingress_block.cycles
 */
void te_model_started(struct te_model *te, uint64_t pc,
		      const struct ingress_context *context, uint64_t time,
		      uint64_t cycles);

/* The hart reports no blocks from now on; @pc would have been next. */
void te_model_stopped(struct te_model *te, uint64_t pc, uint64_t time,
		      uint64_t cycles);

/*
 * Whether blocks must tell the size of their last instruction whatever ends them, from
 * te_model_started() on.
 */
bool te_model_needs_sizes(const struct te_model *te);

/* Whether the hart waits where its trace is not taken. */
bool te_model_stalls(const struct te_model *te);

/* Whether a block may have no more than one instruction, from te_model_started() on. */
bool te_model_needs_instructions(const struct te_model *te);

/*
 * Whether blocks have the accesses of their instructions, and one instruction each, from
 * te_model_started() on.
 */
bool te_model_needs_accesses(const struct te_model *te);

/* One block retired; @block->time is changed. Ignored while the hart is not started. */
void te_model_retire(struct te_model *te, struct ingress_block *block);

/**
 * te_model_event() - software trace port: software emitted an event
 * @id: identifier; 0 is none
 * @value: its value
 * @context: in force
 * @time: timestamp as in ingress_block.time
 * @cycles: clock as in ingress_block.cycles
 *
 * Behind everything that retired before. The hart never waits: an event that
 * does not fit is lost, counted, and told of.
 */
void te_model_event(struct te_model *te, uint16_t id, uint64_t value,
		    const struct ingress_context *context, uint64_t time,
		    uint64_t cycles);

/* The same of a write to tp: THREAD_SWITCH, unless M-mode wrote it. */
void te_model_thread(struct te_model *te, uint64_t value,
		     const struct ingress_context *context, uint64_t time,
		     uint64_t cycles);

/* Whether writes to tp, and other events, are of interest now. */
bool te_model_hears_threads(const struct te_model *te);
bool te_model_hears_events(const struct te_model *te);

/* What is wrong with it, from now on. */
void te_model_set_fault(struct te_model *te, const struct fault *fault);
void te_model_fault(const struct te_model *te, struct fault *fault);

void te_model_stats(const struct te_model *te, struct te_stats *stats);

#endif /* RVTRACE_MODEL_ENCODER_H */
