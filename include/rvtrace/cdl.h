/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CDL RISC-V compressed trace, packet layer: bytes in, items of the packed trace out.
 *
 * The stream is a sequence of nybbles, the first one in the lowest bits of the first byte. An item
 * is a control nybble and its operands. The reader takes the stream in pieces of any size; an item
 * may cross pieces. The reader allocates nothing per item. Offsets and sizes count nybbles.
 *
 * The published text and the published hardware differ. A parameter says which of them the encoder
 * follows (docs/formats.md, "Parameters of CDL").
 *
 * The flow layer (rvtrace/flow.h) has one source, number 0. It reports executed instructions with
 * the next event, or at the end. A jump whose target is not in the code waits for its PC; PCs
 * belong to jumps in their order. If two jumps pass without a PC, or the PC is missing for another
 * reason, the flow resumes at the next PC.
 *
 * In the flavour doc, register writes and trace points are reported with the address of their
 * instruction. The flavour rtl reports instructions later than these; there, a trace point has the
 * address of its instruction if that instruction jumped. In rtl, SSS 7 directly before a jump
 * includes the jump if the code allows it; otherwise the jump follows the 7 instructions. A Skip
 * between SSS and jump, as the encoders of this project emit it, says that the jump follows.
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

/* Nybbles of the longest item: an RV64 value in two parts. */
#define RVTRACE_CDL_ITEM_MAX	22

/* Zero nybbles that a recorder writes at each synchronization point. */
#define RVTRACE_CDL_QUAD	4

/**
 * enum rvtrace_cdl_flavour - which description the encoder follows
 * @RVTRACE_CDL_DOC: the published text: data are 1100 and 2 * NNN nybbles, a trace point follows
 *	its data, JAL is 1001, SSS counts sequential instructions only
 * @RVTRACE_CDL_RTL: the published hardware: data are 1110 and 2 * (NNN + 1) nybbles, a trace point
 *	precedes its data, JAL is 1000, SSS counts all instructions since the last SSS
 */
enum rvtrace_cdl_flavour {
	RVTRACE_CDL_DOC,
	RVTRACE_CDL_RTL,
};

/**
 * enum rvtrace_cdl_kind - kinds of items
 * @RVTRACE_CDL_SKIP: 0000: no information
 * @RVTRACE_CDL_SEQUENTIAL: 0SSS: SSS instructions
 * @RVTRACE_CDL_NONSEQUENTIAL: 10RR: the flow left the sequence of instructions
 * @RVTRACE_CDL_DATA: 1100 (1110) RNNN: a PC, or a write to the register file
 * @RVTRACE_CDL_TRACEPOINT: 1101 NNNN
 * @RVTRACE_CDL_SYNC: the recorder's four zero nybbles, at a synchronization point
 */
enum rvtrace_cdl_kind {
	RVTRACE_CDL_SKIP,
	RVTRACE_CDL_SEQUENTIAL,
	RVTRACE_CDL_NONSEQUENTIAL,
	RVTRACE_CDL_DATA,
	RVTRACE_CDL_TRACEPOINT,
	RVTRACE_CDL_SYNC,
};

/* RR: lower bits of a control nybble 10RR. */
enum rvtrace_cdl_reason {
	RVTRACE_CDL_BRANCH = 0,
	RVTRACE_CDL_JUMP = 1,
	RVTRACE_CDL_TRAP = 2,
	RVTRACE_CDL_RETURN = 3,
};

/* R: bit of the second nybble of data. */
enum rvtrace_cdl_data {
	RVTRACE_CDL_PC = 0,
	RVTRACE_CDL_RFW = 1,
};

/**
 * enum rvtrace_cdl_buffer - how a recorder treats a full buffer
 * @RVTRACE_CDL_STREAM: no buffer: the stream is complete
 * @RVTRACE_CDL_STOP: recording stops
 * @RVTRACE_CDL_OVERWRITE: new trace overwrites the oldest trace
 */
enum rvtrace_cdl_buffer {
	RVTRACE_CDL_STREAM,
	RVTRACE_CDL_STOP,
	RVTRACE_CDL_OVERWRITE,
};

/**
 * struct rvtrace_cdl_config - parameters that the stream does not contain
 * @flavour: enum rvtrace_cdl_flavour
 * @xlen: 32 or 64
 * @rv64: two items hold a value that has more bytes than NNN can express; @xlen must be 64. This is
 *	an extension of this project: an item that has NNN 7, and is shorter than its PC or register
 *	can be, is followed by an item with the same R that has the upper bytes
 * @unverified: any run of four zeros is a synchronization point if no better one is known
 * @anywhere: the first nybble may be anywhere in an item
 * @buffer: enum rvtrace_cdl_buffer, of a file that holds a buffer in the order of memory
 * @wrapped: the buffer was full once, and was overwritten from its start
 * @write: offset at which the recorder would write next, in bytes from the start of the buffer
 * @sync_interval: the recorder writes four zero nybbles at each offset that is a multiple of this,
 *	and no item crosses them: a multiple of 8, at least 64; 0: it writes none, or elsewhere
 * @start: offset of the first nybble, from which those offsets are counted; even
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
 * @offset: offset of its control nybble in the stream
 * @value: data: the PC, or the value written to the register; else 0, like @reason and @rd
 * @raw: the byte with its control nybble, which is in the upper half if @offset is odd; valid until
 *	the next call on the reader
 * @size: nybbles; after an error, the number of nybbles skipped up to now
 * @kind: enum rvtrace_cdl_kind
 * @number: SSS, enum rvtrace_cdl_reason, NNNN of a trace point; data: NNN
 * @reason: data: enum rvtrace_cdl_data
 * @rd: data: the register
 * @same_cycle: the item belongs to the cycle of the previous item, by the order that the fields of
 *	a cycle have in the packed trace
 * @after_jump: a non-sequential flow precedes it in this cycle
 * @unverified: the item precedes the first place that is known to begin an item
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
 * rvtrace_cdl_replay() - parts of a recorder's buffer to read, oldest trace first
 * @config: parameters; @start and @anywhere are set for a reader of the result
 * @size: bytes of the buffer
 * @spans: filled: the first part to read, and the second one
 *
 * Return: 0; RVTRACE_ERR_INVALID if @write is outside of the buffer, or if synchronization points
 * moved because @size is not a multiple of the interval.
 */
int rvtrace_cdl_replay(struct rvtrace_cdl_config *config, uint64_t size,
		       struct rvtrace_buffer_span spans[2]);

/**
 * rvtrace_cdl_config_check() - check a configuration
 * @config: the configuration
 *
 * Return: NULL if it is valid; else a text that names the error, with the names of docs/formats.md.
 */
const char *rvtrace_cdl_config_check(const struct rvtrace_cdl_config *config);

/**
 * rvtrace_cdl_config_load() - read parameters from a file
 * @path: a JSON file: an object with the names of docs/formats.md, an object with such an object as
 *	its member "cdl", or metadata of a recording that has one CDL encoder
 * @config: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rvtrace_cdl_config_load(const char *path, struct rvtrace_cdl_config *config,
			    struct rvtrace_failure *error);

/**
 * rvtrace_cdl_config_from_json() - read parameters from a JSON object
 * @object: the object, as rvtrace_cdl_config_load() reads it
 * @name: name of the object in error texts
 * @config: filled
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_cdl_config_from_json(struct json_object *object, const char *name,
				 struct rvtrace_cdl_config *config,
				 struct rvtrace_failure *error);

/**
 * rvtrace_cdl_new() - create a reader that starts at @config->start
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_cdl_free()
 *
 * Without @config->anywhere, the first nybble must be a control nybble.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_cdl_new(const struct rvtrace_cdl_config *config, struct rvtrace_cdl **reader);

/**
 * rvtrace_cdl_free() - free a reader
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_cdl_free(struct rvtrace_cdl *reader);

/**
 * rvtrace_cdl_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_cdl_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_cdl_feed(struct rvtrace_cdl *reader, const void *data, size_t size);

/**
 * rvtrace_cdl_next() - read the next item
 * @reader: the reader
 * @item: filled; after an error only @offset, @size and @unverified are valid
 *
 * After an error in the value of an item, the next call continues after that item. It continues at
 * the next synchronization point after a reserved control nybble, whose length is unknown, and
 * after a synchronization point with wrong content.
 *
 * Return: 1 an item, 0 all bytes are consumed (feed more), RVTRACE_ERR_RESERVED,
 * RVTRACE_ERR_FIELD (the value is wider than a register, the register does not exist, or the second
 * part of a value is invalid), RVTRACE_ERR_TRUNCATED (a synchronization point is within the item),
 * RVTRACE_ERR_SYNC (a synchronization point without zeros).
 */
int rvtrace_cdl_next(struct rvtrace_cdl *reader, struct rvtrace_cdl_item *item);

/**
 * rvtrace_cdl_resync() - continue where the next nybble may be anywhere in an item
 * @reader: the reader
 * @offset: stream offset of the first nybble of the next byte to be fed, even
 *
 * Drops a partial item and unread bytes. Reading starts at the next multiple of the interval that
 * has four zeros. Without an interval it starts after a run of zeros that is longer than any in an
 * item; with @config->unverified, after four zeros.
 */
void rvtrace_cdl_resync(struct rvtrace_cdl *reader, uint64_t offset);

/**
 * rvtrace_cdl_seek() - continue at a control nybble
 * @reader: the reader
 * @offset: its stream offset; if odd, the nybble is in the upper half of the next byte to be fed
 *
 * Drops a partial item and unread bytes.
 */
void rvtrace_cdl_seek(struct rvtrace_cdl *reader, uint64_t offset);

/**
 * rvtrace_cdl_pending() - count the nybbles of an incomplete item
 * @reader: the reader
 * @offset: stream offset of its control nybble, may be NULL
 *
 * Return: nybbles consumed for it; 0 between items.
 */
size_t rvtrace_cdl_pending(const struct rvtrace_cdl *reader, uint64_t *offset);

/**
 * rvtrace_cdl_lost() - count nybbles skipped in the search for a synchronization point
 * @reader: the reader
 * @offset: filled with the offset of the first skipped nybble: the start, that of the last
 *	rvtrace_cdl_resync(), or the one after unreadable nybbles
 *
 * Return: nybbles skipped since then, 0 if a synchronization point was found.
 */
uint64_t rvtrace_cdl_lost(const struct rvtrace_cdl *reader, uint64_t *offset);

/**
 * rvtrace_cdl_name() - name of a kind of items
 * @kind: enum rvtrace_cdl_kind
 *
 * Return: a static string, spelled as in the specification; "Sync" for four zeros.
 */
const char *rvtrace_cdl_name(unsigned int kind);

/**
 * rvtrace_cdl_reason_name() - name of a kind of non-sequential flow
 * @reason: enum rvtrace_cdl_reason
 *
 * Return: a static string.
 */
const char *rvtrace_cdl_reason_name(unsigned int reason);

/**
 * rvtrace_flow_config_cdl() - make the configuration for a stream of CDL compressed trace
 * @params: its parameters
 * @config: filled, except its size
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW.
 */
int rvtrace_flow_config_cdl(const struct rvtrace_cdl_config *params,
			    struct rvtrace_flow_config *config);

RVTRACE_END_DECLS

#endif /* RVTRACE_CDL_H */
