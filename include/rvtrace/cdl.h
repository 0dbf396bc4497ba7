/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CDL RISC-V compressed trace, packet layer: bytes in, items of the packed trace out.
 *
 * The stream is a sequence of nybbles, the first one in the lowest bits of the first byte. An item
 * is a control nybble with what belongs to it. The stream comes in pieces of any size; an item may
 * lie across two of them. Nothing is allocated per item. Offsets and sizes count nybbles.
 *
 * The published text and the published hardware differ; which one an encoder follows is a
 * parameter (docs/formats.md, "Parameters of CDL").
 *
 * In the flow layer (rvtrace/flow.h) there is one source, number 0. What executed comes out with the
 * next event, or at the end. A jump whose target the code does not tell waits for its PC: PCs
 * belong to jumps in their order. If two jumps go by without it, or it does not come for other
 * reasons, the flow goes on at the next PC. In the flavour doc, what is reported of a register or a
 * trace point has the address of its instruction; in rtl, which reports instructions later than
 * that, trace points do if the instruction jumped. There SSS 7 right before a jump counts the jump
 * if the code allows, else the jump comes behind them; a Skip between them, as the encoders of this
 * project have it, means the latter.
 */
#ifndef RVTRACE_CDL_H
#define RVTRACE_CDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/buffer.h>
#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_flow_config;
struct json_object;
struct rvtrace_failure;

/* Nybbles of the longest item: a value of RV64 in two parts. */
#define RVTRACE_CDL_ITEM_MAX	22

/* Zero nybbles that a recorder puts at each place of synchronization. */
#define RVTRACE_CDL_QUAD	4

/**
 * enum rvtrace_cdl_flavour - who is right
 * @RVTRACE_CDL_DOC: the published text: data are 1100 and 2 * NNN nybbles, a trace point comes
 *	behind them, JAL is 1001, SSS counts sequential instructions only
 * @RVTRACE_CDL_RTL: the published hardware: data are 1110 and 2 * (NNN + 1) nybbles, a trace point
 *	comes before them, JAL is 1000, SSS counts all instructions since the last SSS
 */
enum rvtrace_cdl_flavour {
	RVTRACE_CDL_DOC,
	RVTRACE_CDL_RTL,
};

/**
 * enum rvtrace_cdl_kind - kinds of items
 * @RVTRACE_CDL_SKIP: 0000: nothing
 * @RVTRACE_CDL_SEQUENTIAL: 0SSS: so many instructions
 * @RVTRACE_CDL_NONSEQUENTIAL: 10RR: the flow did not go on with the next instruction
 * @RVTRACE_CDL_DATA: 1100 (1110) RNNN: a PC, or a write to the register file
 * @RVTRACE_CDL_TRACEPOINT: 1101 NNNN
 * @RVTRACE_CDL_SYNC: the four zero nybbles of a recorder where they have to be
 */
enum rvtrace_cdl_kind {
	RVTRACE_CDL_SKIP,
	RVTRACE_CDL_SEQUENTIAL,
	RVTRACE_CDL_NONSEQUENTIAL,
	RVTRACE_CDL_DATA,
	RVTRACE_CDL_TRACEPOINT,
	RVTRACE_CDL_SYNC,
};

/* Lower bits of a control nybble 10RR. */
enum rvtrace_cdl_reason {
	RVTRACE_CDL_BRANCH = 0,
	RVTRACE_CDL_JUMP = 1,
	RVTRACE_CDL_TRAP = 2,
	RVTRACE_CDL_RETURN = 3,
};

/* R of data. */
enum rvtrace_cdl_data {
	RVTRACE_CDL_PC = 0,
	RVTRACE_CDL_RFW = 1,
};

/**
 * enum rvtrace_cdl_buffer - what a recorder does when its buffer is full
 * @RVTRACE_CDL_STREAM: there is none: the stream is whole
 * @RVTRACE_CDL_STOP: recording stops
 * @RVTRACE_CDL_OVERWRITE: the oldest trace is overwritten
 */
enum rvtrace_cdl_buffer {
	RVTRACE_CDL_STREAM,
	RVTRACE_CDL_STOP,
	RVTRACE_CDL_OVERWRITE,
};

/**
 * struct rvtrace_cdl_config - what the stream does not say about itself
 * @flavour: enum rvtrace_cdl_flavour
 * @xlen: 32 or 64
 * @rv64: values that need more bytes than NNN can say are in two items; @xlen must be 64. An
 *	extension of this project: an item with NNN 7 that is shorter than what it tells of can be
 *	is followed by one with the same R that has the bytes above
 * @unverified: to synchronize, any run of four zeros will do where nothing better is known
 * @anywhere: the first nybble may lie anywhere in an item
 * @buffer: enum rvtrace_cdl_buffer, of a file that holds a buffer as it lies in memory
 * @wrapped: the buffer has been full once, and overwritten from its start on
 * @write: where the recorder would write next: bytes from the start of the buffer
 * @sync_interval: the recorder puts four zero nybbles wherever the offset is a multiple of this,
 *	and no item lies across: a multiple of 8, at least 64; 0: it puts none, or not there
 * @start: offset of the first nybble, from which those places are counted; even
 * @reserved: 0
 */
struct rvtrace_cdl_config {
	uint8_t flavour;
	uint8_t xlen;
	bool rv64;
	bool unverified;
	bool anywhere;
	uint8_t buffer;
	bool wrapped;
	uint64_t write;
	uint32_t sync_interval;
	uint64_t start;
	uint64_t reserved[4];
};

/**
 * struct rvtrace_cdl_item - one item
 * @offset: of its control nybble in the stream
 * @value: data: the PC, or what was written to the register; else 0, as @reason and @rd
 * @raw: the byte with its control nybble, which is in the upper half if @offset is odd; valid until
 *	the next call on the reader
 * @size: nybbles; behind an error, as many as were skipped up to now
 * @kind: enum rvtrace_cdl_kind
 * @number: SSS, enum rvtrace_cdl_reason, NNNN of a trace point; data: NNN
 * @reason: data: enum rvtrace_cdl_data
 * @rd: data: the register
 * @same_cycle: as the fields of a cycle of the packed trace come in a certain order, it belongs to
 *	the cycle of the item before
 * @after_jump: a non-sequential flow comes before it in this cycle
 * @unverified: what comes before the first place where it is sure that an item begins
 */
struct rvtrace_cdl_item {
	uint64_t offset;
	uint64_t value;
	const uint8_t *raw;
	uint32_t size;
	uint8_t kind;
	uint8_t number;
	uint8_t reason;
	uint8_t rd;
	bool same_cycle;
	bool after_jump;
	bool unverified;
};

struct rvtrace_cdl;

/**
 * rvtrace_cdl_replay() - what of a recorder's buffer to read, oldest trace first
 * @config: parameters; @start and @anywhere are set for a reader of the result
 * @size: bytes of the buffer
 * @spans: filled: the first part, and the one behind it
 *
 * Return: 0; RVTRACE_ERR_INVALID if @write lies outside of the buffer, or if places of
 * synchronization are not where they were because its size is no multiple of the interval.
 */
int rvtrace_cdl_replay(struct rvtrace_cdl_config *config, uint64_t size,
		       struct rvtrace_buffer_span spans[2]);

/**
 * rvtrace_cdl_config_check() - whether a configuration makes sense
 * @config: the configuration
 *
 * Return: NULL, or what is wrong with it, by the names of docs/formats.md.
 */
const char *rvtrace_cdl_config_check(const struct rvtrace_cdl_config *config);

/**
 * rvtrace_cdl_config_load() - parameters from a file
 * @path: JSON: an object with the names of docs/formats.md, one that has it as member "cdl", or
 *	metadata of a recording with one encoder of CDL
 * @config: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rvtrace_cdl_config_load(const char *path, struct rvtrace_cdl_config *config,
			    struct rvtrace_failure *error);

/**
 * rvtrace_cdl_config_from_json() - the same from an object
 * @object: the object
 * @name: what error texts call it
 * @config: filled
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_cdl_config_from_json(struct json_object *object, const char *name,
				 struct rvtrace_cdl_config *config,
				 struct rvtrace_failure *error);

/**
 * rvtrace_cdl_new() - a reader at @config->start
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_cdl_free()
 *
 * Without @config->anywhere the first nybble must be a control nybble.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_cdl_new(const struct rvtrace_cdl_config *config, struct rvtrace_cdl **reader);

/**
 * rvtrace_cdl_free() - free a reader
 * @reader: the reader; NULL: nothing is done
 */
void rvtrace_cdl_free(struct rvtrace_cdl *reader);

/**
 * rvtrace_cdl_feed() - give the reader the next bytes of the stream
 * @reader: the reader
 * @data: bytes; the caller keeps them until rvtrace_cdl_next() returned 0
 * @size: how many
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes given earlier are unread.
 */
int rvtrace_cdl_feed(struct rvtrace_cdl *reader, const void *data, size_t size);

/**
 * rvtrace_cdl_next() - the next item
 * @reader: the reader
 * @item: where to put it; after an error only @offset, @size and @unverified are valid
 *
 * After an error about the value of an item the next call goes on behind it. After a reserved
 * control nybble, whose length is not known, and where a place of synchronization is not what it
 * should be, it goes on at the next place of synchronization.
 *
 * Return: 1 an item, 0 all bytes are consumed (feed more), RVTRACE_ERR_RESERVED,
 * RVTRACE_ERR_FIELD (the value is wider than a register, there is no such register, or the second
 * part of a value is none), RVTRACE_ERR_TRUNCATED (a place of synchronization lies in the item),
 * RVTRACE_ERR_SYNC (no zeros there).
 */
int rvtrace_cdl_next(struct rvtrace_cdl *reader, struct rvtrace_cdl_item *item);

/**
 * rvtrace_cdl_resync() - the next nybble may lie anywhere in an item
 * @reader: the reader
 * @offset: stream offset of the first nybble of the next byte to be fed, even
 *
 * Drops a partial item and unread bytes. Reading starts at the next multiple of the interval with
 * four zeros; without an interval behind a run of zeros that is longer than any in an item, and
 * with @config->unverified behind four of them.
 */
void rvtrace_cdl_resync(struct rvtrace_cdl *reader, uint64_t offset);

/**
 * rvtrace_cdl_seek() - the next nybble is a control nybble
 * @reader: the reader
 * @offset: its stream offset; if it is odd, it is in the upper half of the next byte to be fed
 *
 * Drops a partial item and unread bytes.
 */
void rvtrace_cdl_seek(struct rvtrace_cdl *reader, uint64_t offset);

/**
 * rvtrace_cdl_pending() - nybbles of an item that is not complete yet
 * @reader: the reader
 * @offset: stream offset of its control nybble, may be NULL
 *
 * Return: how many were consumed for it, 0 between items.
 */
size_t rvtrace_cdl_pending(const struct rvtrace_cdl *reader, uint64_t *offset);

/**
 * rvtrace_cdl_lost() - what was read without a place to begin
 * @reader: the reader
 * @offset: where that starts: at the start, at the last rvtrace_cdl_resync(), or behind what could
 *	not be read
 *
 * Return: nybbles skipped since then, 0 if a place was found.
 */
uint64_t rvtrace_cdl_lost(const struct rvtrace_cdl *reader, uint64_t *offset);

/**
 * rvtrace_cdl_name() - name of a kind of items
 * @kind: enum rvtrace_cdl_kind
 *
 * Return: a static string, as the specification has it; "Sync" for four zeros.
 */
const char *rvtrace_cdl_name(unsigned int kind);

/**
 * rvtrace_cdl_reason_name() - what a non-sequential flow is
 * @reason: enum rvtrace_cdl_reason
 *
 * Return: a static string.
 */
const char *rvtrace_cdl_reason_name(unsigned int reason);

/**
 * rvtrace_flow_config_cdl() - configuration for a stream of CDL compressed trace
 * @params: its parameters
 * @config: filled, but for its size
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW.
 */
int rvtrace_flow_config_cdl(const struct rvtrace_cdl_config *params,
			    struct rvtrace_flow_config *config);

RVTRACE_END_DECLS

#endif /* RVTRACE_CDL_H */
