/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of every format, field by field. */
#ifndef RVTRACE_TRACECTL_PACKETS_H
#define RVTRACE_TRACECTL_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>
#include <rvtrace/osd.h>

#include "tools/tracectl/out.h"

/**
 * struct packet - what packets have in common
 * @offset: of its first byte in the stream
 * @raw: its bytes; NULL: it is damage
 * @size: how many
 * @nybbles: @offset and @size count nybbles, lower half of a byte first
 * @name: of its kind, as the specification has it
 * @source: SRC or srcID
 * @unowned: nobody knows whose it is
 * @has_time: @time is known
 * @time: in units of the timestamp
 */
struct packet {
	uint64_t offset;
	const uint8_t *raw;
	uint32_t size;
	bool nybbles;
	const char *name;
	unsigned int source;
	bool unowned;
	bool has_time;
	uint64_t time;
};

/**
 * struct packet_format - a packet layer
 * @open: a reader, or NULL without memory or when @config says what it cannot read
 * @feed: gives it bytes, which stay until @next returned 0
 * @next: the next packet: 1, 0 (all bytes are consumed), or enum rvtrace_error: then only @offset
 *	and @size of the packet are valid
 * @fields: prints the fields of the packet that was read last
 * @resync: the next byte fed is at @offset, and may lie anywhere in a packet
 * @restart: timestamps count from 0 again, for the time @number, as rvtrace_flow_restart(); NULL:
 *	packets have none, or are in no recording
 * @pending: bytes of a packet that is not complete, and where it begins
 * @lost: nybbles skipped up to the end, and from where; NULL: there are no such
 * @close: frees the reader
 */
struct packet_format {
	void *(*open)(const struct rvtrace_flow_config *config);
	int (*feed)(void *reader, const void *data, size_t size);
	int (*next)(void *reader, struct packet *packet);
	void (*fields)(const void *reader, struct out *out);
	void (*resync)(void *reader, uint64_t offset);
	void (*restart)(void *reader, unsigned int number);
	size_t (*pending)(const void *reader, uint64_t *offset);
	uint64_t (*lost)(const void *reader, uint64_t *offset);
	void (*close)(void *reader);
};

extern const struct packet_format packets_ntrace;
extern const struct packet_format packets_etrace;
extern const struct packet_format packets_cdl;
extern const struct packet_format packets_debugspec;

/* Open SoC Debug: @open is packets_osd_open(). */
extern const struct packet_format packets_osd;

/**
 * struct osd_modules - what the command line says of Open SoC Debug
 * @list: modules by address, @count of them
 * @others: all other ones
 */
struct osd_modules {
	struct rvtrace_osd_module list[RVTRACE_OSD_MODULES_MAX];
	size_t count;
	struct rvtrace_osd_module others;
};

/* Takes "[ADDRESS:]KIND[:WIDTH]"; NULL, or what is wrong with it. */
const char *packets_osd_module(struct osd_modules *modules, const char *text);

/* A reader, or NULL without memory. */
void *packets_osd_open(const struct osd_modules *modules);

/* One field: " NAME=VALUE"; JSON: a member. */
void packet_number(struct out *out, const char *name, uint64_t value);
void packet_hex(struct out *out, const char *name, uint64_t value);
void packet_text(struct out *out, const char *name, const char *value);

#endif /* RVTRACE_TRACECTL_PACKETS_H */
