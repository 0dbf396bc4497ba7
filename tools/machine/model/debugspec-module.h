/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace module of the debug specification of 2017 (chapter "Trace Module"): its registers, the
 * buffer they describe, and what triggers have it do. What is traced are ingress blocks;
 * tools/encode/debugspec.h makes the trace of them.
 *
 * The registers are CSRs of M-mode: who may reach them is up to the hart. Where the text is
 * silent:
 *
 *   Tracing begins with action 2 of a trigger and ends with action 3; no field turns it on.
 *   Fields that are reserved or that there is no hardware for keep what they had.
 *   The buffer is from tbufstart to tbufend, a multiple of 32 bytes, and begins at a multiple of
 *   4; a smaller one than can hold a value between two of its 8 synchronization points (64 bytes,
 *   with 64 bits 96) is none, and nothing is traced to it. Writing either register begins at
 *   tbufstart again, as discard does.
 *   Where fullaction is 2, nothing is overwritten before discard is written, as where it is 1:
 *   who takes the exception wants to read the buffer.
 *   The off-chip interface has no buffer, and no synchronization points.
 *   The on-core RAM "is not further defined in this spec": there is none.
 *   Action 4 tells of its match whatever the emit bits are, while tracing is on.
 *
 * Threads: one hart, one caller at a time. A callback must not call back.
 */
#ifndef RVTRACE_MODEL_DEBUGSPEC_MODULE_H
#define RVTRACE_MODEL_DEBUGSPEC_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/encode/debugspec.h"
#include "tools/encode/ingress.h"

/* Section "Trace Registers" */
#define DSM_TRACE			0x728	/* Trace */
#define  DSM_TRACE_WRAPPED		0x01000000
#define  DSM_TRACE_EMIT			0x00ff0000	/* DEBUGSPEC_EMIT* */
#define  DSM_TRACE_FULLACTION		0x00000300
#define   DSM_FULL_WRAP			0
#define   DSM_FULL_STOP			1
#define   DSM_FULL_EXCEPTION		2
#define  DSM_TRACE_DESTINATION		0x00000030
#define   DSM_DESTINATION_CORE_RAM	0
#define   DSM_DESTINATION_SYSTEM_RAM	1
#define   DSM_DESTINATION_OFF_CHIP	2
#define  DSM_TRACE_STALL		0x00000004
#define  DSM_TRACE_DISCARD		0x00000002
#define  DSM_TRACE_SUPPORTED		0x00000001
#define DSM_TBUFSTART			0x729	/* Trace Buffer Start */
#define DSM_TBUFEND			0x72a	/* Trace Buffer End (exclusive) */
#define DSM_TBUFWRITE			0x72b	/* Trace Buffer Write */

/* Triggers: field action */
#define DSM_ACTION_START		2
#define DSM_ACTION_STOP			3
#define DSM_ACTION_EMIT			4

/**
 * struct dsm_config - what the hardware is
 * @hart: its id
 * @xlen: 32 or 64
 * @compressed: the hart has compressed instructions
 * @destinations: bit n: destination may be n (1 and 2); it resets to the lowest one
 */
struct dsm_config {
	uint64_t hart;
	uint8_t xlen;
	bool compressed;
	uint8_t destinations;
};

/**
 * struct dsm_ops - what the module asks of the hart around it
 * @room: whether memory takes @bytes now; with @stall the hart waits until it does, and it must
 * @write: a word of the trace goes to physical address @address
 * @off_chip: a word of the trace leaves the chip; it is always taken. NULL: there is no such way
 * @full: "a trace full exception"
 */
struct dsm_ops {
	bool (*room)(void *opaque, unsigned int bytes, bool stall);
	void (*write)(void *opaque, uint64_t address, uint32_t word);
	void (*off_chip)(void *opaque, uint32_t word);
	void (*full)(void *opaque);
};

/**
 * struct dsm_model - the module; all fields are private
 * @trace: what was written to register "trace", but discard
 * @start, @end, @write: of the buffer
 * @wrapped: "since the last time discard was written"
 * @full: nothing is written until discard is
 * @tracing: a trigger began it
 * @debug: the hart is in Debug Mode
 * @running: the encoder is on
 * @context: in force
 */
struct dsm_model {
	struct dsm_config config;
	const struct dsm_ops *ops;
	void *opaque;
	uint32_t trace;
	uint64_t start;
	uint64_t end;
	uint64_t write;
	bool wrapped;
	bool full;
	bool tracing;
	bool debug;
	bool running;
	struct ingress_context context;
	struct debugspec_encoder encoder;
	struct debugspec_stream stream;
};

/* Return: NULL, or what is wrong with @config. */
const char *dsm_config_check(const struct dsm_config *config, const struct dsm_ops *ops);

/**
 * dsm_init() - a module after a reset
 * @config: valid; copied
 * @ops: kept
 */
void dsm_init(struct dsm_model *dsm, const struct dsm_config *config, const struct dsm_ops *ops,
	      void *opaque);

/* The registers. Return: whether there is one of that number, and of a write, that it has any */
bool dsm_read(const struct dsm_model *dsm, unsigned int csr, uint64_t *value);
bool dsm_write(struct dsm_model *dsm, unsigned int csr, uint64_t value);

/* One block retired. Its context is in force behind it. */
void dsm_retire(struct dsm_model *dsm, const struct ingress_block *block);

/**
 * dsm_trigger() - a trigger matches
 * @action: DSM_ACTION_START, before the instruction that matched; DSM_ACTION_STOP, likewise;
 *	DSM_ACTION_EMIT; others are not the module's
 * @pc: of the instruction that matched
 * @access: what it accessed, if that is what matched; else NULL
 */
void dsm_trigger(struct dsm_model *dsm, unsigned int action, uint64_t pc,
		 const struct ingress_access *access);

/* "Trace is disabled" in Debug Mode: the hart enters or leaves it. */
void dsm_debug_mode(struct dsm_model *dsm, bool debug);

#endif /* RVTRACE_MODEL_DEBUGSPEC_MODULE_H */
