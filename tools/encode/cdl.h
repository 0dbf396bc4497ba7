/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CDL compressed trace encoder: instructions that commit, one after the other, in; a stream of
 * nybbles out.
 *
 * Three steps as in the hardware: the cycles of the pipeline are packed (struct cdl_packed), each
 * packed cycle is compressed to nybbles, and a recorder puts these into bytes, with zeros at
 * regular intervals to synchronize. No allocation, no globals. One hart per stream.
 */
#ifndef RVTRACE_ENCODE_CDL_H
#define RVTRACE_ENCODE_CDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/ingress.h"

#define CDL_CYCLE_MAX	26	/* nybbles of a cycle: SSS, 10RR, 1101 NNNN, 22 of data */
#define CDL_INTERVAL_MIN	64
#define CDL_INTERVAL_MIN_RV64	72

/* The published text, and the published hardware, which differ. */
enum cdl_flavour { CDL_DOC, CDL_RTL };

/* How the flow goes on behind an instruction. */
enum cdl_change {
	CDL_SEQUENTIAL,		/* with the next one */
	CDL_BRANCH_TAKEN,
	CDL_JAL,
	CDL_JALR,
	CDL_TRAP,		/* exception or interrupt: it does not retire */
	CDL_RET,
};

/**
 * struct cdl_insn - an instruction that commits
 * @pc: its address
 * @target: of the next one, if not sequential
 * @rfw_data: what it writes to the register file, if @rfw_valid
 * @change: enum cdl_change
 * @rfw_rd: to which register, 0 to 31
 * @tracepoint: 0 to 15, if @tracepoint_valid: it is marked
 */
struct cdl_insn {
	uint64_t pc;
	uint64_t target;
	uint64_t rfw_data;
	uint8_t change;
	bool rfw_valid;
	uint8_t rfw_rd;
	bool tracepoint_valid;
	uint8_t tracepoint;
};

/**
 * struct cdl_packed - one cycle of the packed trace
 * @seq: 1 to 7, if @seq_valid
 * @nonseq: 0 branch, 1 jump, 2 trap, 3 return, if @nonseq_valid
 * @bkpt: trace point, 0 to 15, if @bkpt_valid
 * @data_reason: 0 PC, 1 register, if @data_valid
 * @rd: the register
 * @data: the PC, or what is written
 */
struct cdl_packed {
	bool seq_valid;
	uint8_t seq;
	bool nonseq_valid;
	uint8_t nonseq;
	bool bkpt_valid;
	uint8_t bkpt;
	bool data_valid;
	uint8_t data_reason;
	uint8_t rd;
	uint64_t data;
};

/**
 * struct cdl_params - how to encode
 * @flavour: enum cdl_flavour
 * @xlen: 32 or 64
 * @rv64: values of more bytes than NNN can say go into two items (docs/formats.md)
 * @pc: where the flow goes is told
 * @rfw: writes to registers are
 * @tracepoints: and trace points
 * @full: data have as many bytes as a register, not as many as they need
 * @plain: no Skip where two cycles could be taken for one, as the published hardware has it
 * @sync_interval: nybbles between places of synchronization: a multiple of 8, at least
 *	CDL_INTERVAL_MIN or, with @xlen 64, CDL_INTERVAL_MIN_RV64; 0: none
 */
struct cdl_params {
	uint8_t flavour;
	uint8_t xlen;
	bool rv64;
	bool pc;
	bool rfw;
	bool tracepoints;
	bool full;
	bool plain;
	uint32_t sync_interval;
};

/**
 * cdl_emit - take one 32-bit word of the stream, 4 bytes
 *
 * Return: ignored.
 */
typedef bool (*cdl_emit)(void *opaque, const uint8_t *bytes, size_t size);

/* Nybbles to bytes; fields are private. */
struct cdl_recorder {
	uint32_t interval;
	cdl_emit emit;
	void *opaque;
	uint64_t count;		/* nybbles recorded */
	uint8_t word[4];
};

/* State of one encoder; fields are private. */
struct cdl_encoder {
	struct cdl_params params;
	struct cdl_recorder recorder;
	uint8_t seq;		/* instructions since the last SSS */
	bool pc_required;
	uint64_t pc;		/* that is required, if @pc_known: of the next instruction */
	bool pc_known;
	uint8_t last;		/* what the last cycle ended in: place in the order of a cycle */
	bool last_nonseq;	/* it had 10RR */
	struct cdl_insn held;	/* with registers: of the last block, which may write one, */
	bool holds;		/* if there was any */
};

/* What a circular buffer does when it is full. */
enum cdl_full { CDL_STOP, CDL_OVERWRITE };

/**
 * struct cdl_buffer - a circular buffer
 * @bytes: memory
 * @size: of it: a multiple of 4, and of half the interval
 * @mode: enum cdl_full
 * @write: offset of the next word
 * @wrapped: it was full once
 * @stopped: it is full, and recording has stopped
 */
struct cdl_buffer {
	uint8_t *bytes;
	size_t size;
	uint8_t mode;
	size_t write;
	bool wrapped;
	bool stopped;
};

/* Return: NULL, or what is wrong with @params. */
const char *cdl_params_check(const struct cdl_params *params);

/**
 * cdl_compress() - the nybbles of one cycle
 * @params: how
 * @cycle: the cycle
 * @nybbles: filled, one per byte
 *
 * Return: how many.
 */
unsigned int cdl_compress(const struct cdl_params *params, const struct cdl_packed *cycle,
			  uint8_t nybbles[CDL_CYCLE_MAX]);

/**
 * cdl_encoder_init() - prepare an encoder
 * @enc: the encoder
 * @params: valid parameters; copied
 * @emit: takes the stream
 * @opaque: for @emit
 */
void cdl_encoder_init(struct cdl_encoder *enc, const struct cdl_params *params, cdl_emit emit,
		      void *opaque);

/* The stream goes on: so many nybbles, a multiple of 8, were recorded before. */
void cdl_encoder_resume(struct cdl_encoder *enc, uint64_t recorded);

/* Tracing starts: the PC of the next instruction is told. */
void cdl_encoder_start(struct cdl_encoder *enc);

/* One instruction commits. */
void cdl_encoder_insn(struct cdl_encoder *enc, const struct cdl_insn *insn);

/**
 * cdl_encoder_block() - the same from the ingress port
 * @enc: the encoder
 * @block: a block of one instruction at most
 *
 * Return: false, and nothing is encoded, if there are more in it: CDL counts instructions, which
 * the port does not tell.
 */
bool cdl_encoder_block(struct cdl_encoder *enc, const struct ingress_block *block);

/* What the instruction of the last block wrote to a register; ignored where they are not told. */
void cdl_encoder_write(struct cdl_encoder *enc, uint8_t rd, uint64_t value);

/* Tracing stops: what is left is told, and the last word filled with Skips. */
void cdl_encoder_stop(struct cdl_encoder *enc);

/* Record nybbles that must not be torn apart. @reserve: so many more must fit behind them. */
void cdl_record(struct cdl_recorder *recorder, const uint8_t *nybbles, unsigned int count,
		unsigned int reserve);

/* Whether so many nybbles fit before the next place of synchronization. */
bool cdl_record_fits(const struct cdl_recorder *recorder, unsigned int count);

/* Fill the last word with Skips. */
void cdl_record_flush(struct cdl_recorder *recorder);

/* A cdl_emit; @opaque is a struct cdl_buffer. Return: false if it has stopped. */
bool cdl_buffer_emit(void *opaque, const uint8_t *bytes, size_t size);

#endif /* RVTRACE_ENCODE_CDL_H */
