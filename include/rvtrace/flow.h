/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flow layer: a trace stream and program images in, executed code and events out.
 *
 * One decoder decodes one stream with the messages of any number of sources (harts). Each source
 * has its own state. The decoder yields items: runs of blocks of executed instructions and the
 * events between them, in stream order, which is program order for each source.
 *
 *	struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
 *
 *	rvtrace_flow_new(&config, image, &flow);
 *	while ((size = read(fd, buffer, sizeof(buffer))) > 0) {
 *		rvtrace_flow_feed(flow, buffer, size);
 *		while ((n = rvtrace_flow_read(flow, items, 64)) > 0)
 *			for (i = 0; i < n; i++)
 *				handle(&items[i]);
 *	}
 *	rvtrace_flow_finish(flow);
 *	... rvtrace_flow_read() until 0 again ...
 *	rvtrace_flow_free(flow);
 *
 * What a user of the items must know; docs/decoding.md has the rest, format by format:
 *
 * - Executed means retired: an instruction that trapped (ecall and ebreak included) is in no block.
 * - Each instruction is looked up in the privilege and address space in which it executed.
 * - If no message reports the privilege, priv_by_address derives it from addresses.
 * - If the flow cannot be followed, because no image has the code or after an error, decoding
 *   resumes at the next message with an address (E-Trace: at the next synchronization).
 * - Data trace of E-Trace has no instructions. An access is assigned to the next instruction that
 *   makes one of its kind and size. An access that fits none has no instruction.
 * - CDL compressed trace and the debug specification's consist of nybbles, the lower half of each
 *   byte first. Offsets and sizes of items and errors count nybbles there. Fed and missing data is
 *   counted in bytes.
 *
 * The header of each format (rvtrace/cdl.h and others) describes its flow.
 */
#ifndef RVTRACE_FLOW_H
#define RVTRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>
#include <rvtrace/flow_config.h>
#include <rvtrace/flow_item.h>
#include <rvtrace/image.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_flow;

/**
 * rvtrace_flow_new() - create a decoder at stream offset 0
 * @config: parameters, copied
 * @image: program images; must outlive the decoder; the caller may add to it between calls
 * @flow: the new decoder; free it with rvtrace_flow_free()
 *
 * Every source is unknown until its first synchronizing message. Earlier messages are counted in
 * the statistics and yield no blocks.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_flow_new(const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		     struct rvtrace_flow **flow);

/**
 * rvtrace_flow_free() - free a decoder, not its image; data that items point to is invalid
 * afterwards
 * @flow: the decoder, or NULL (no effect)
 */
void rvtrace_flow_free(struct rvtrace_flow *flow);

/**
 * rvtrace_flow_feed() - pass the next bytes of the stream to the decoder
 * @flow: the decoder
 * @data: bytes; must stay valid until rvtrace_flow_read() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_feed(struct rvtrace_flow *flow, const void *data, size_t size);

/**
 * rvtrace_flow_read() - read the next items
 * @flow: the decoder
 * @items: filled
 * @max: number of items that fit, at least 1
 *
 * Items report damage in the stream and contradictions; these are not failures of this function.
 *
 * Return: the number of items; 0 if all bytes are consumed (feed more);
 * RVTRACE_ERR_NO_MEMORY, after which the decoder can only be freed.
 */
int rvtrace_flow_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max);

/**
 * rvtrace_flow_restart() - timestamps count from 0 again here
 * @flow: the decoder, all of whose bytes are consumed
 * @number: number of this restart, from 1
 *
 * For counters that lost their power (RVTRACE_RECORD_RESTART). Times continue from @number << 54,
 * more than any trace between two restarts counts. The time of each source is unknown until its
 * messages report it.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_restart(struct rvtrace_flow *flow, unsigned int number);

/* rvtrace_flow_lost() flags */
#define RVTRACE_LOST_ALIGNED	(1u << 0)	/* the next byte fed starts a message */

/**
 * rvtrace_flow_lost() - bytes of the stream are missing here
 * @flow: the decoder, all of whose bytes are consumed
 * @bytes: number of missing bytes, 0 if unknown
 * @offset: stream offset of the next byte to be fed, in bytes
 * @flags: RVTRACE_LOST_ALIGNED, or 0 if the next byte may be anywhere in a message
 *
 * Drops a partial message. Every source is unknown until its next synchronizing message. Yields one
 * RVTRACE_FLOW_LOST item.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_lost(struct rvtrace_flow *flow, uint64_t bytes, uint64_t offset,
		      unsigned int flags);

/**
 * rvtrace_flow_finish() - the stream ends here
 * @flow: the decoder, all of whose bytes are consumed
 *
 * rvtrace_flow_read() then reports what is left: a message that was cut, and stretches without an
 * image that no message has ended.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_finish(struct rvtrace_flow *flow);

/**
 * rvtrace_flow_set_state() - set privilege and address space of a source if the trace has neither
 * @flow: the decoder
 * @source: SRC
 * @priv: 0, 1, 3, or -1 for unknown: then code of any privilege mode matches
 * @space: address space (scontext), or RVTRACE_SPACE_ANY for unknown: then, without a resolver,
 *	only mappings for every space match
 *
 * Valid until a message reports other values. A synchronization without Ownership resets to them.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_flow_set_state(struct rvtrace_flow *flow, unsigned int source, int priv,
			   uint64_t space);

/**
 * struct rvtrace_flow_stats - statistics of a source
 * @size: sizeof(struct rvtrace_flow_stats), see rvtrace/rvtrace.h
 * @instructions: instructions in blocks
 * @halfwords: 16-bit units of these instructions
 * @blocks: number of blocks
 * @unseen: 16-bit units executed without an image, in unknown flow, or after an error
 * @messages: all messages
 * @skipped: messages that could not be used because the source was unknown
 * @bytes: bytes of all messages
 * @syncs: synchronizing messages
 * @overflows: Error messages
 * @errors: error items
 * @tasks: number of writes to tp that reported another task
 */
struct rvtrace_flow_stats {
	size_t size;
	uint64_t instructions;
	uint64_t halfwords;
	uint64_t blocks;
	uint64_t unseen;
	uint64_t messages;
	uint64_t skipped;
	uint64_t bytes;
	uint64_t syncs;
	uint64_t overflows;
	uint64_t errors;
	uint64_t tasks;
};

/**
 * rvtrace_flow_stats() - get the statistics of a source
 * @flow: the decoder
 * @source: SRC
 * @stats: filled, except its size; all 0 if the source never sent a message. Errors without a known
 *	source count for source 0. Members that an older program does not know are left out
 *
 * Return: 0, RVTRACE_ERR_INVALID.
 */
int rvtrace_flow_stats(const struct rvtrace_flow *flow, unsigned int source,
		       struct rvtrace_flow_stats *stats);

RVTRACE_END_DECLS

#endif /* RVTRACE_FLOW_H */
