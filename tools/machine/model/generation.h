/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generations of the Trace Control Interface: where each puts its fields, and
 * what the few values that changed their meaning stand for.
 */
#ifndef RVTRACE_MODEL_GENERATION_H
#define RVTRACE_MODEL_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/machine/model/regs.h"

enum tci {
	TCI_0,		/* SiFive's */
	TCI_0_9,	/* 0.9.4 */
	TCI_1_0,
	TCI_GENERATIONS
};

/**
 * struct generation - one of them
 * @name: as users write it
 * @encoder, @timestamp: registers of an encoder, and of its timestamp unit
 * @funnel, @funnel_timestamp: of a funnel; NULL: it never has a timestamp unit
 * @port: of an encoder that has a software trace port, which no specification of these has
 * @ram, @pib, @atb: of sinks, in the page of their owner or in one of their own
 * @converts: an illegal value becomes a legal one; else it is ignored
 * @trims: addresses lose bits that they cannot have; else those are ignored
 * @own_pages: sinks are components of their own
 * @gates_external: teInstTrigEnable and teDataTrigEnable count for external
 *	triggers, too
 * @enable_clears_data: what the data trace lost is forgotten when teEnable rises
 * @parts: some registers of an encoder can be written in part
 * @one_high: one register has the upper halves of all addresses of a sink
 * @sinks: bit n: teSink and tfSink may have the value n; SINK_ONE: 0
 * @pib_modes: bit n: pibMode may have the value n
 * @trig_events: events that external trigger outputs usually tell of
 * @src_bits: width of source ids that an encoder usually has
 * @ts_types: bit n: tsType may have the value n
 * @encoder_ts_types: those that an encoder usually has
 * @funnel_ts_types: likewise of a funnel
 * @ts_width: bits that a timestamp usually has
 * @ts_xor: a timestamp is usually what differs from the one before
 * @branch_modes: bit n: teInstMode n is Branch Trace Messaging
 * @history_modes: bit n: teInstMode n is History Trace Messaging
 * @other_modes: bit n: teInstMode n is no instruction trace of ours
 * @inst_modes: bit n: teInstMode n is what an encoder usually has
 * @feature_modes: bit n: in teInstMode n the instruction features count
 * @optimized_modes: bit n: teInstMode n counts repeated history and leaves out
 *	empty history without being asked to
 */
struct generation {
	const char *name;
	const struct reg_spec *encoder;
	const struct reg_spec *timestamp;
	const struct reg_spec *port;
	const struct reg_spec *funnel;
	const struct reg_spec *funnel_timestamp;
	const struct reg_spec *ram;
	const struct reg_spec *pib;
	const struct reg_spec *atb;
	bool converts;
	bool trims;
	bool own_pages;
	bool gates_external;
	bool enable_clears_data;
	bool parts;
	bool one_high;
	uint32_t sinks;
	uint32_t pib_modes;
	uint32_t trig_events;
	uint32_t src_bits;
	uint32_t ts_types;
	uint32_t encoder_ts_types;
	uint32_t funnel_ts_types;
	uint32_t ts_width;
	bool ts_xor;
	uint32_t branch_modes;
	uint32_t history_modes;
	uint32_t other_modes;
	uint32_t inst_modes;
	uint32_t feature_modes;
	uint32_t optimized_modes;
};

extern const struct generation generation_0;
extern const struct generation generation_0_9;
extern const struct generation generation_1_0;

/* encoder-port.c */
extern const struct reg_spec te_port[];
extern const struct reg_spec te_port_1_0[];

const struct generation *generation_of(enum tci tci);

/* Values of teSink and tfSink in all generations that have them */
#define SINK_ONE	(1u << 0)	/* the field reads 0: there is one */
#define SINK_SRAM	(1u << 4)
#define SINK_ATB	(1u << 5)
#define SINK_PIB	(1u << 6)
#define SINK_MEMORY	(1u << 7)
#define SINK_FUNNEL	(1u << 8)
#define SINK_RAM	(SINK_SRAM | SINK_MEMORY)
#define SINK_ANY	(SINK_RAM | SINK_ATB | SINK_PIB | SINK_FUNNEL)

#endif /* RVTRACE_MODEL_GENERATION_H */
