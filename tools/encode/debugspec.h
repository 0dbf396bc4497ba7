/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoder of the debug specification's trace (chapter "Trace Module"): ingress blocks in, sequences
 * out. One struct debugspec_encoder per hart, one struct debugspec_stream for all that share a
 * buffer. No allocation, no globals.
 *
 * Where the specification is silent or cannot be meant: traps and returns from them are reported as
 * interrupts are, with branches too; faults as well. The PC before a trap is that of ecall or
 * ebreak, if it is theirs, else that of the last instruction that retired. Tracing begins with
 * Trace Enabled, Privilege Level and the PC of the first instruction, and ends with the PC of the
 * last one, unless that is known, and Trace Disabled. An atomic is a load and a store. Where a trap
 * comes behind the instruction that the last jump or trap came from, too, it is the same
 * instruction still; if it was executed once more, Privilege Level comes twice.
 */
#ifndef RVTRACE_ENCODE_DEBUGSPEC_H
#define RVTRACE_ENCODE_DEBUGSPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/encode/debugspec-stream.h"
#include "tools/encode/ingress.h"

/* Register "trace", bits 16 to 23 */
#define DEBUGSPEC_EMITPC		(1u << 0)
#define DEBUGSPEC_EMITBRANCH		(1u << 1)
#define DEBUGSPEC_EMITPRIV		(1u << 2)
#define DEBUGSPEC_EMITLOADADDR		(1u << 3)
#define DEBUGSPEC_EMITSTOREADDR		(1u << 4)
#define DEBUGSPEC_EMITLOADDATA		(1u << 5)
#define DEBUGSPEC_EMITSTOREDATA		(1u << 6)
#define DEBUGSPEC_EMITTIMESTAMP		(1u << 7)
#define DEBUGSPEC_EMIT_ALL		0xffu

/**
 * struct debugspec_params - how to encode
 * @hart: its id
 * @xlen: 32 or 64
 * @compressed: the hart has compressed instructions
 * @emit: set of DEBUGSPEC_EMIT
 * @full: values are never shortened
 * @literal: jalr, traps and returns are as in table "Trace Data Events" to the letter
 */
struct debugspec_params {
	uint64_t hart;
	uint8_t xlen;
	bool compressed;
	uint8_t emit;
	bool full;
	bool literal;
};

enum debugspec_kind { DEBUGSPEC_KIND_PC, DEBUGSPEC_KIND_LOAD, DEBUGSPEC_KIND_STORE,
		      DEBUGSPEC_KIND_TIME, DEBUGSPEC_KINDS };

/**
 * struct debugspec_encoder - state of one encoder; all fields but @stream and @losses are private
 * @stream: where its sequences go; may be set between two calls, to one that it shares
 * @begun: Trace Enabled was sent, or lost
 * @placed: who decodes knows where the hart is
 * @untold: instructions retired since that are not told of
 * @lost: Trace Disabled is owed
 * @losses: how often Trace Disabled told that sequences were lost
 * @told: the last jump, branch or trap reported came from @told_pc
 * @jumped: nothing has executed since an indirect jump
 * @sent: the last value of each kind, sent in full behind @full[] synchronization points
 */
struct debugspec_encoder {
	struct debugspec_params params;
	struct debugspec_stream *stream;
	bool enabled;
	bool begun;
	bool placed;
	bool untold;
	bool lost;
	uint32_t losses;
	bool timed;		/* the block's time was sent */
	bool told;
	bool jumped;
	uint64_t told_pc;
	uint64_t last_pc;	/* of the last instruction */
	uint64_t time;
	struct ingress_context context;
	uint64_t sent[DEBUGSPEC_KINDS];
	uint64_t full[DEBUGSPEC_KINDS];
};

/* Return: NULL, or what is wrong with @params. */
const char *debugspec_params_check(const struct debugspec_params *params);

/**
 * debugspec_encoder_init() - prepare an encoder
 * @params: valid parameters; copied
 * @stream: where its sequences go
 */
void debugspec_encoder_init(struct debugspec_encoder *enc, const struct debugspec_params *params,
			    struct debugspec_stream *stream);

/**
 * debugspec_encoder_start() - tracing starts
 * @context: in force now
 *
 * The PC follows with the first instruction that retires.
 */
void debugspec_encoder_start(struct debugspec_encoder *enc,
			     const struct ingress_context *context);

/* Encode one block. Ignored while tracing is stopped. */
void debugspec_encoder_block(struct debugspec_encoder *enc, const struct ingress_block *block);

/* Tracing stops. */
void debugspec_encoder_stop(struct debugspec_encoder *enc);

/**
 * debugspec_encoder_value() - one value, as short as it may be
 * @kind: what the value is; others have sequences of their own
 *
 * Return: whether there was room.
 */
bool debugspec_encoder_value(struct debugspec_encoder *enc, enum debugspec_kind kind,
			     uint64_t value);

/* Data of so many bits, of which copies of the sign are left out. Return: as before. */
bool debugspec_encoder_data(struct debugspec_encoder *enc, enum debugspec_header header,
			    uint64_t data, unsigned int bits);

#endif /* RVTRACE_ENCODE_DEBUGSPEC_H */
