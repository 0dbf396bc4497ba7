/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open SoC Debug packet layer: bytes in, packets and their trace events out.
 *
 * Packets are words of 16 bits: DEST, SRC, FLAGS, payload (Open SoC Debug, "The Debug Packet"). On
 * a byte transport, a word with the number of its words precedes each packet; all words are
 * big-endian. Events are those of the System (software) Trace Module, STM, and of the Core Trace
 * Module, CTM. The reader takes the stream in pieces of any size. It allocates nothing per packet.
 */
#ifndef RVTRACE_OSD_H
#define RVTRACE_OSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_OSD_HEADER_WORDS	3	/* DEST, SRC, FLAGS */
#define RVTRACE_OSD_WORDS_MAX		127	/* of an accepted packet, header included */
#define RVTRACE_OSD_MODULES_MAX		64	/* modules in a configuration */
#define RVTRACE_OSD_OPEN_MAX		64	/* modules with an incomplete event at a time */

/* FLAGS.TYPE */
enum rvtrace_osd_type {
	RVTRACE_OSD_REG = 0,
	RVTRACE_OSD_PLAIN = 1,
	RVTRACE_OSD_EVENT = 2,
	RVTRACE_OSD_RESERVED = 3,
};

/* FLAGS.TYPE_SUB of events. */
enum rvtrace_osd_event_sub {
	RVTRACE_OSD_EVENT_LAST = 0,		/* last or only packet of an event */
	RVTRACE_OSD_EVENT_CONTINUED = 1,	/* the module's next packet continues it */
	RVTRACE_OSD_EVENT_OVERFLOW = 5,
};

/* FLAGS.TYPE_SUB of register accesses; bits 1:0 of the first three: log2 of the size in words. */
enum rvtrace_osd_reg_sub {
	RVTRACE_OSD_READ = 0,
	RVTRACE_OSD_WRITE = 4,
	RVTRACE_OSD_READ_SUCCESS = 8,
	RVTRACE_OSD_READ_ERROR = 12,
	RVTRACE_OSD_WRITE_SUCCESS = 14,
	RVTRACE_OSD_WRITE_ERROR = 15,
};

/* Senders of events. Packets do not identify them: CTM with 32 bits is as long as STM with 64. */
enum rvtrace_osd_module_kind {
	RVTRACE_OSD_STM,	/* module type 4 */
	RVTRACE_OSD_CTM,	/* module type 5 */
	RVTRACE_OSD_OTHER,	/* payload without a meaning here */
};

/**
 * struct rvtrace_osd_module - a module of the system
 * @address: SRC of its packets
 * @kind: enum rvtrace_osd_module_kind
 * @width: width of values (STM, register VALWIDTH) or addresses (CTM, ADDR_WIDTH): 16, 32 or 64
 *	bits; 0: given by the length of packets
 */
struct rvtrace_osd_module {
	uint16_t address;
	uint8_t kind;
	uint8_t width;
};

/**
 * struct rvtrace_osd_config - parameters that the stream does not contain
 * @modules: modules by address, may be NULL
 * @module_count: number of modules, at most RVTRACE_OSD_MODULES_MAX
 * @others: all other modules; its @address has no meaning. All 0: STM of any width
 * @reserved: 0
 */
struct rvtrace_osd_config {
	const struct rvtrace_osd_module *modules;
	size_t module_count;
	struct rvtrace_osd_module others;
	uint8_t reserved[12];
};

/* Items that a packet completes. */
enum rvtrace_osd_item {
	RVTRACE_OSD_ITEM_NONE,
	RVTRACE_OSD_ITEM_STM,
	RVTRACE_OSD_ITEM_CTM,
	RVTRACE_OSD_ITEM_OVERFLOW,
};

/**
 * struct rvtrace_osd_packet - one packet
 * @offset: stream offset of its first byte, which is in the word count
 * @raw: its bytes, the word count included; valid until the next call on the reader
 * @size: bytes
 * @dest: DEST
 * @src: SRC
 * @type: FLAGS.TYPE, enum rvtrace_osd_type
 * @sub: FLAGS.TYPE_SUB
 * @words: number of words of the payload
 * @item: the item that the packet completes, enum rvtrace_osd_item; it decides which members are
 *	valid
 * @width: STM, CTM: bits of @value, or of @pc and @npc
 * @event_offset: STM, CTM: stream offset of the first packet of the event
 * @timestamp: STM, CTM: cycles of the module's clock, modulo 2^32
 * @id: STM: identifier, 0x0001 to 0xffff
 * @value: STM: value
 * @pc: CTM: address of the instruction
 * @npc: CTM: address of the next one
 * @mode: CTM: privilege, 0 U, 1 S, 3 M
 * @is_ret: CTM: the instruction returned (jalr)
 * @is_call: CTM: the instruction called (jal)
 * @is_modechange: CTM: the privilege changed
 * @missed: OVERFLOW: number of lost events; 0xffff: at least that number
 */
struct rvtrace_osd_packet {
	uint64_t offset;
	const uint8_t *raw;
	uint32_t size;
	uint16_t dest;
	uint16_t src;
	uint8_t type;
	uint8_t sub;
	uint8_t words;
	uint8_t item;
	uint8_t width;
	uint8_t mode;
	bool is_ret;
	bool is_call;
	bool is_modechange;
	uint16_t id;
	uint16_t missed;
	uint32_t timestamp;
	uint64_t event_offset;
	uint64_t value;
	uint64_t pc;
	uint64_t npc;
};

/**
 * rvtrace_osd_word() - get a word of the payload
 * @packet: the packet
 * @index: index of the word, less than the packet's @words
 *
 * Return: the word.
 */
static inline uint16_t rvtrace_osd_word(const struct rvtrace_osd_packet *packet, unsigned int index)
{
	const uint8_t *bytes = packet->raw + 2 * (1 + RVTRACE_OSD_HEADER_WORDS + index);

	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

struct rvtrace_osd;

/**
 * rvtrace_osd_new() - create a reader at stream offset 0
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_osd_free()
 *
 * The first byte fed must be the first byte of a word count; otherwise call rvtrace_osd_resync()
 * first.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_osd_new(const struct rvtrace_osd_config *config, struct rvtrace_osd **reader);

/**
 * rvtrace_osd_free() - free a reader
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_osd_free(struct rvtrace_osd *reader);

/**
 * rvtrace_osd_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_osd_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_osd_feed(struct rvtrace_osd *reader, const void *data, size_t size);

/**
 * rvtrace_osd_next() - read the next packet
 * @reader: the reader
 * @packet: filled; after an error only @offset, @size and, unless the word count was wrong, @dest,
 *	@src, @type, @sub are valid
 *
 * After an error with a wrong word count, reading continues as after rvtrace_osd_resync(). After
 * all other errors, it continues with the next packet.
 *
 * Return: 1 a packet, 0 all bytes are consumed (feed more), RVTRACE_ERR_TRUNCATED (an incomplete
 * header; or a payload that ends too early; or an overflow within an event), RVTRACE_ERR_TRAILING
 * (a payload that is too long), RVTRACE_ERR_TOO_LONG (more than RVTRACE_OSD_WORDS_MAX words; or
 * incomplete events of more than RVTRACE_OSD_OPEN_MAX modules), RVTRACE_ERR_FIELD (a reserved
 * TYPE_SUB).
 */
int rvtrace_osd_next(struct rvtrace_osd *reader, struct rvtrace_osd_packet *packet);

/**
 * rvtrace_osd_resync() - continue where the next byte fed may be anywhere in a packet
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops partial packets and events, and unread bytes. Nothing marks the beginning of a packet.
 * Reading starts at the first even stream offset at which the bytes have the form of a trace packet
 * and the following bytes have the form of a header.
 */
void rvtrace_osd_resync(struct rvtrace_osd *reader, uint64_t offset);

/**
 * rvtrace_osd_pending() - count the bytes of incomplete packets and events
 * @reader: the reader
 * @offset: stream offset of the first of these bytes, may be NULL
 *
 * Return: the number of bytes consumed for them, or during the search for a place to begin; 0 if
 * nothing is incomplete. After the last byte of a stream, a result other than 0 means that the
 * stream was cut.
 */
size_t rvtrace_osd_pending(const struct rvtrace_osd *reader, uint64_t *offset);

/**
 * rvtrace_osd_name() - name of a packet type
 * @type: FLAGS.TYPE
 * @sub: FLAGS.TYPE_SUB
 *
 * Return: a static string, without width, from the specification if it has a name for the type.
 */
const char *rvtrace_osd_name(unsigned int type, unsigned int sub);

RVTRACE_END_DECLS

#endif /* RVTRACE_OSD_H */
