/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * N-Trace 1.0 packet layer: bytes in, messages out.
 *
 * The layer needs no program image. The reader takes the stream in pieces of any size; a message
 * may cross pieces. The reader allocates nothing per message.
 */
#ifndef RVTRACE_NTRACE_H
#define RVTRACE_NTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

/* Longest message that the reader assembles, vendor-defined ones included. */
#define RVTRACE_NTRACE_MESSAGE_MAX	256

/* TCODE: N-Trace 1.0, table "Fields in Messages". */
enum rvtrace_ntrace_tcode {
	RVTRACE_NTRACE_OWNERSHIP = 2,
	RVTRACE_NTRACE_DIRECT_BRANCH = 3,
	RVTRACE_NTRACE_INDIRECT_BRANCH = 4,
	RVTRACE_NTRACE_DATA_ACQUISITION = 7,	/* Nexus, not in N-Trace 1.0 */
	RVTRACE_NTRACE_ERROR = 8,
	RVTRACE_NTRACE_PROG_TRACE_SYNC = 9,
	RVTRACE_NTRACE_DIRECT_BRANCH_SYNC = 11,
	RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC = 12,
	RVTRACE_NTRACE_AUX_ACCESS_WRITE = 14,	/* SiFive */
	RVTRACE_NTRACE_RESOURCE_FULL = 27,
	RVTRACE_NTRACE_INDIRECT_BRANCH_HIST = 28,
	RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC = 29,
	RVTRACE_NTRACE_REPEAT_BRANCH = 30,
	RVTRACE_NTRACE_PROG_TRACE_CORRELATION = 33,
	RVTRACE_NTRACE_IN_CIRCUIT_TRACE = 34,	/* SiFive */
	RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC = 35,	/* SiFive */
	RVTRACE_NTRACE_VENDOR_FIRST = 56,
	RVTRACE_NTRACE_VENDOR_LAST = 62,
};

/* Number of sources that SRC can distinguish. */
#define RVTRACE_NTRACE_SOURCES		4096

/* How branches are reported (trTeInstMode). */
enum rvtrace_ntrace_mode {
	RVTRACE_NTRACE_MODE_UNKNOWN,
	RVTRACE_NTRACE_MODE_BRANCH,	/* Branch Trace Messaging */
	RVTRACE_NTRACE_MODE_HISTORY,	/* History Trace Messaging */
	/* SiFive's history-optimized: HISTORY, and no returns are reported while calls are open */
	RVTRACE_NTRACE_MODE_OPTIMIZED,
};

/* B-TYPE */
enum rvtrace_ntrace_btype {
	RVTRACE_NTRACE_BTYPE_JUMP = 0,
	RVTRACE_NTRACE_BTYPE_TRAP = 1,		/* exception or interrupt */
	RVTRACE_NTRACE_BTYPE_EXCEPTION = 2,
	RVTRACE_NTRACE_BTYPE_INTERRUPT = 3,
};

/* SYNC: N-Trace 1.0, table "SYNC Field Values". */
enum rvtrace_ntrace_sync {
	RVTRACE_NTRACE_SYNC_EXTERNAL_TRIGGER = 0,
	RVTRACE_NTRACE_SYNC_RESET = 1,
	RVTRACE_NTRACE_SYNC_PERIODIC = 2,
	RVTRACE_NTRACE_SYNC_DEBUG_EXIT = 3,
	RVTRACE_NTRACE_SYNC_SEQUENTIAL_ICNT = 4,
	RVTRACE_NTRACE_SYNC_TRACE_ENABLE = 5,
	RVTRACE_NTRACE_SYNC_TRACE_EVENT = 6,
	RVTRACE_NTRACE_SYNC_FIFO_OVERRUN = 7,
	RVTRACE_NTRACE_SYNC_POWER_DOWN = 9,
	RVTRACE_NTRACE_SYNC_PC_SAMPLE = 15,	/* SiFive: an address, and no synchronization */
};

/* RCODE: N-Trace 1.0, "ResourceFull Message". */
enum rvtrace_ntrace_rcode {
	RVTRACE_NTRACE_RCODE_ICNT = 0,
	RVTRACE_NTRACE_RCODE_HIST = 1,
	RVTRACE_NTRACE_RCODE_HIST_REPEAT = 2,
	RVTRACE_NTRACE_RCODE_NOT_TAKEN = 8,	/* SiFive: number of branches, none taken */
	RVTRACE_NTRACE_RCODE_TAKEN = 9,		/* SiFive: number of branches, all taken */
};

/* CKSRC: SiFive, source of in-circuit trace. */
enum rvtrace_ntrace_cksrc {
	RVTRACE_NTRACE_CKSRC_CONTROL = 0,
	RVTRACE_NTRACE_CKSRC_EXTERNAL_TRIGGER = 8,
	RVTRACE_NTRACE_CKSRC_CALL = 9,
	RVTRACE_NTRACE_CKSRC_EXCEPTION = 10,
	RVTRACE_NTRACE_CKSRC_INTERRUPT = 11,
	RVTRACE_NTRACE_CKSRC_COUNTERS = 12,	/* performance counters: only values */
	RVTRACE_NTRACE_CKSRC_CONTEXT = 13,
	RVTRACE_NTRACE_CKSRC_WATCHPOINT = 14,
	RVTRACE_NTRACE_CKSRC_PC_SAMPLE = 15,
};

#define RVTRACE_NTRACE_CKDATA_MAX	4

/* FORMAT of PROCESS in Ownership messages. */
enum rvtrace_ntrace_process_format {
	RVTRACE_NTRACE_PROCESS_PRIV = 0,	/* no context field */
	RVTRACE_NTRACE_PROCESS_RESERVED = 1,	/* or PRV is reserved: the rest is unknown */
	RVTRACE_NTRACE_PROCESS_SCONTEXT = 2,
	RVTRACE_NTRACE_PROCESS_HCONTEXT = 3,
	RVTRACE_NTRACE_PROCESS_SOFTWARE = 4,	/* not sent: see software_owner */
};

/* ECODE of Error messages. */
#define RVTRACE_NTRACE_ECODE_PROGRAM		0x04
#define RVTRACE_NTRACE_ECODE_OWNERSHIP		0x08
#define RVTRACE_NTRACE_ECODE_DATA		0x20	/* Nexus: data acquisition; reserved */
#define RVTRACE_NTRACE_ECODE_VENDOR		0x80

/**
 * struct rvtrace_ntrace_config - parameters that the stream does not contain
 * @src_bits: width of SRC, 0 to 12; 0 if messages have none (trTeSrcBits, trTeInhibitSrc)
 * @xlen: 32 or 64
 * @extend_addr_msb: addresses omit identical most significant bits (trTeInstExtendAddrMSB)
 * @sifive: messages are those of SiFive's encoders before N-Trace 1.0, which has no AuxAccessWrite
 *	and no InCircuitTrace. A PROCESS that is invalid in N-Trace was written by software. An
 *	F-ADDR with at most bits 48 to 1 of an address is extended if bit 47 or 48 of the address is
 *	set
 * @software_owner: PROCESS is the value that software wrote to a stimulus register (SiFive),
 *	without FORMAT
 * @reserved: 0
 *
 * Timestamps and branch histories need no parameter: a message shows whether it has them.
 */
struct rvtrace_ntrace_config {
	uint8_t src_bits;
	uint8_t xlen;
	bool extend_addr_msb;
	bool sifive;
	bool software_owner;
	uint8_t reserved[11];
};

/**
 * struct rvtrace_ntrace_message - one message
 * @offset: offset of its first byte in the stream
 * @size: bytes
 * @raw: its bytes; valid until the next call on the reader
 * @tcode: enum rvtrace_ntrace_tcode, or a reserved or vendor-defined code:
 *	then only @offset, @size, @raw, @src are valid
 * @src: SRC, 0 if it has none
 * @sync: SYNC, if @has_sync
 * @has_sync: it is a synchronizing message
 * @btype: B-TYPE, if the message type has it, else 0
 * @icnt: I-CNT; in ResourceFull with @rcode 0, RDATA[0]
 * @has_icnt: @icnt is valid
 * @address: F-ADDR (a full address) if @has_sync, else U-ADDR (to be XORed with the last reported
 *	address); the bit that is not sent is restored, the value is extended and cut to xlen
 * @has_address: @address is valid
 * @hist: HIST with its stop bit; in ResourceFull with @rcode 1 or 2, RDATA[0]
 * @has_hist: @hist is valid
 * @rcode: ResourceFull: RCODE
 * @repeat: ResourceFull with @rcode 2: HREPEAT; RepeatBranch: B-CNT
 * @evcode: ProgTraceCorrelation: EVCODE
 * @etype: Error: ETYPE
 * @ecode: Error: ECODE
 * @format: Ownership: enum rvtrace_ntrace_process_format
 * @priv: Ownership: 0 U, 1 S, 3 M
 * @v: Ownership: virtualization mode
 * @context: Ownership: scontext or hcontext, by @format
 * @id: DataAcquisition: IDTAG; AuxAccessWrite: ADDR
 * @data: DataAcquisition: DQDATA; AuxAccessWrite: DATA; Ownership: PROCESS; SiFive's ResourceFull
 *	with @rcode 8 or 9: RDATA[0]
 * @cksrc: InCircuitTrace: CKSRC
 * @ckdf: InCircuitTrace: CKDF: number of values in @ckdata minus 1
 * @ckdata: InCircuitTrace: CKDATA as sent: an address is without its least significant bit
 * @tstamp: TSTAMP as sent: absolute if @has_sync or in InCircuitTraceSync; else to be added to the
 *	last timestamp, or XORed with it (SiFive)
 * @has_tstamp: @tstamp is valid
 */
struct rvtrace_ntrace_message {
	uint64_t offset;
	const uint8_t *raw;
	uint64_t address;
	uint64_t hist;
	uint64_t tstamp;
	uint32_t icnt;
	uint32_t repeat;
	uint32_t size;
	uint16_t src;
	uint8_t tcode;
	uint8_t sync;
	uint8_t btype;
	uint8_t rcode;
	uint8_t evcode;
	uint8_t etype;
	bool has_sync;
	bool has_icnt;
	bool has_address;
	bool has_hist;
	bool has_tstamp;
	bool v;
	uint8_t format;
	uint8_t priv;
	uint64_t context;
	uint64_t data;
	uint32_t ecode;
	uint32_t id;
	uint8_t cksrc;
	uint8_t ckdf;
	uint64_t ckdata[RVTRACE_NTRACE_CKDATA_MAX];
};

struct rvtrace_ntrace;

/**
 * rvtrace_ntrace_new() - create a reader at stream offset 0
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_ntrace_free()
 *
 * The first byte fed must be the first byte of a message or an idle byte; otherwise call
 * rvtrace_ntrace_resync() first.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_ntrace_new(const struct rvtrace_ntrace_config *config, struct rvtrace_ntrace **reader);

/**
 * rvtrace_ntrace_free() - free a reader; the last message is invalid afterwards
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_ntrace_free(struct rvtrace_ntrace *reader);

/**
 * rvtrace_ntrace_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_ntrace_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_ntrace_feed(struct rvtrace_ntrace *reader, const void *data, size_t size);

/**
 * rvtrace_ntrace_next() - read the next message
 * @reader: the reader
 * @message: filled; after an error only @offset, @size (bytes skipped up to now) and, if these
 *	fields were read, @tcode and @src are valid
 *
 * After an error, the next call continues after the next end of a message.
 *
 * Return: 1 a message, 0 all bytes are consumed (feed more), RVTRACE_ERR_MSEO,
 * RVTRACE_ERR_TRUNCATED, RVTRACE_ERR_TRAILING, RVTRACE_ERR_TOO_LONG,
 * RVTRACE_ERR_FIELD.
 */
int rvtrace_ntrace_next(struct rvtrace_ntrace *reader, struct rvtrace_ntrace_message *message);

/**
 * rvtrace_ntrace_resync() - continue where the next byte fed may be anywhere in a message
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial message and unread bytes. Reading starts after the next byte that ends a message.
 */
void rvtrace_ntrace_resync(struct rvtrace_ntrace *reader, uint64_t offset);

/**
 * rvtrace_ntrace_seek() - continue at the first byte of a message, the next byte fed
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial message and unread bytes.
 */
void rvtrace_ntrace_seek(struct rvtrace_ntrace *reader, uint64_t offset);

/**
 * rvtrace_ntrace_pending() - count the bytes of an incomplete message
 * @reader: the reader
 * @offset: stream offset of its first byte, may be NULL
 *
 * Return: the number of bytes consumed for it, 0 between messages. After the last byte of a stream,
 * a result other than 0 means that the stream was cut.
 */
size_t rvtrace_ntrace_pending(const struct rvtrace_ntrace *reader, uint64_t *offset);

/**
 * rvtrace_ntrace_tcode_name() - name of a message type in the specification
 * @tcode: TCODE
 *
 * Return: a static string; "Vendor" or "Reserved" for codes without a name.
 */
const char *rvtrace_ntrace_tcode_name(unsigned int tcode);

RVTRACE_END_DECLS

#endif /* RVTRACE_NTRACE_H */
