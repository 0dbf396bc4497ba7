/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace format is to the flow decoder: a table of operations. Whatever differs between
 * formats is asked for here; no other file of the decoder, besides the format's own, knows which
 * formats there are.
 */
#ifndef RVTRACE_FLOW_FORMAT_H
#define RVTRACE_FLOW_FORMAT_H

#include "tools/lib/base/sized.h"
#include "tools/lib/packet/reader.h"
#include "flow_internal.h"

/**
 * struct flow_format - a trace format; what may be NULL says so
 * @reader: how its packets are read
 * @branches_max: what config.branches_max is where it is 0
 * @later_sources: of sources that have sent nothing yet nothing is known, so that a decoder that
 *	begins in the middle can be told of them later: flow_inherit()
 * @indexed: a recording's index says where decoding may begin
 * @prompt: what executed comes out before the time that says when, not after
 * @is_valid: whether the parameters can be; those of all formats have been looked at
 * @has_accesses: whether there is data trace that flow_access.c delivers; NULL: there is none
 * @is_serial: whether a second decoder cannot go on where this one is, as it knows of what the state
 *	of sources does not tell; NULL: one can
 * @pass: goes over the messages of @size bytes, the first of which begins at @at, and returns how
 *	many bytes of the last one follow. Such a stream begins with what is said of all sources;
 *	NULL: messages show where they begin, and say what they need
 * @time_bits: bits of timestamps; NULL: config.time_bits
 * @open: a new reader of packets for these parameters; 0 or an enum rvtrace_error
 * @state_size: of @state of the decoder; 0: there is none
 * @new_state: what @state begins with; NULL: zeros
 * @follows_link: whether sources may count calls; NULL: none does
 * @new_source: what a source begins with; NULL: nothing
 * @free_source: @state of a source; NULL: there is none
 * @copy_source: another one, the same; NULL without memory. NULL: there is none to copy
 * @same_source: whether sources with these go on alike; NULL: as @copy_source
 * @source_time: the time that the reader adds a source's next timestamp to, and whether there is
 *	one; NULL: it adds none
 * @forget: the reader is as new; NULL: it knows nothing of sources
 * @forget_source: but a source has the parameters that it has in @like; NULL: it has none
 * @begin: what was handed out may be written over; NULL: nothing was
 * @lost: units of which no use was, from @from on, as no place came from which on there is; NULL: 0
 * @next: read and handle a message; 1, 0 without one, or an enum rvtrace_error
 * @busy: more than a message is under way; NULL: never
 * @walk: go on with the walk under way
 * @walked: it is over
 * @deliver: an item of blocks that was queued leaves; NULL: none is queued
 * @leave: the current source will be unsynchronized; NULL: nothing is to be done
 * @close: no bytes follow that have to do with those before; NULL: flow_close_all()
 * @ends_anywhere: a message that is not complete at the end is no damage; NULL: it is
 */
struct flow_format {
	const struct packet_reader *reader;
	uint64_t branches_max;
	bool later_sources;
	bool indexed;
	bool prompt;
	bool (*is_valid)(const struct rvtrace_flow_config *config);
	bool (*has_accesses)(const struct rvtrace_flow_config *config);
	bool (*is_serial)(const struct rvtrace_flow_config *config);
	size_t (*pass)(const struct rvtrace_flow_config *config, const uint8_t *bytes, size_t size,
		       size_t at);
	unsigned int (*time_bits)(const struct rvtrace_flow_config *config);
	int (*open)(const struct rvtrace_flow_config *config, void **reader);
	size_t state_size;
	void (*new_state)(struct rvtrace_flow *flow);
	bool (*follows_link)(const struct rvtrace_flow_config *config);
	void (*new_source)(const struct rvtrace_flow *flow, struct source *source);
	void (*free_source)(struct source *source);
	void *(*copy_source)(const struct source *source);
	bool (*same_source)(const struct source *a, const struct source *b);
	bool (*source_time)(const struct rvtrace_flow *flow, unsigned int id, uint64_t *time);
	void (*forget)(struct rvtrace_flow *flow);
	void (*forget_source)(struct rvtrace_flow *flow, const struct source *like);
	void (*begin)(struct rvtrace_flow *flow);
	uint64_t (*lost)(const struct rvtrace_flow *flow, uint64_t *from);
	int (*next)(struct rvtrace_flow *flow);
	bool (*busy)(const struct rvtrace_flow *flow);
	enum walk_status (*walk)(struct rvtrace_flow *flow, struct output *out);
	void (*walked)(struct rvtrace_flow *flow);
	void (*deliver)(struct rvtrace_flow *flow, struct output *out,
			struct rvtrace_flow_item *item);
	void (*leave)(struct rvtrace_flow *flow);
	void (*close)(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final);
	bool (*ends_anywhere)(const struct rvtrace_flow_config *config);
};

/* A caller's configuration becomes the library's own, or the other way round: see sized.h. */
static inline int flow_config_take(struct rvtrace_flow_config *own,
				   const struct rvtrace_flow_config *theirs)
{
	return sized_take(own, sizeof(*own), theirs, &own->resolve_data + 1);
}

static inline int flow_config_give(struct rvtrace_flow_config *theirs,
				   const struct rvtrace_flow_config *own)
{
	return sized_give(theirs, own, sizeof(*own), &own->resolve_data + 1);
}

/* The format of a configuration; NULL: there is none, or it cannot have these parameters. */
const struct flow_format *flow_format_of(const struct rvtrace_flow_config *config);

#endif /* RVTRACE_FLOW_FORMAT_H */
