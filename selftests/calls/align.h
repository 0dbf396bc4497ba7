/* SPDX-License-Identifier: GPL-2.0 */
/* Which instruction of the window is which one of the decoded flow. */
#ifndef RVTRACE_CALLS_ALIGN_H
#define RVTRACE_CALLS_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow_item.h>

#define ALIGN_NOWHERE	UINT64_MAX

/**
 * struct align_segment - what has no gap
 * @ordinal: number of the first instruction in the flow of the hart
 * @index: and in the window
 * @length: instructions
 */
struct align_segment {
	uint64_t ordinal;
	uint64_t index;
	uint64_t length;
};

/**
 * struct align_hart - a hart
 * @traced: it has an encoder
 * @id: mhartid
 * @pcs: addresses of @count decoded instructions, shortened
 * @breaks: @break_count numbers of instructions before which some may be missing
 * @begin: number of the opening marker, or ALIGN_NOWHERE
 * @segments: @segment_count of them in the window
 * @truth_count: instructions of the window
 * @matched: of those, in segments
 * @misplaced: decoded instructions between markers for which there is no place
 */
struct align_hart {
	bool traced;
	uint64_t id;
	uint32_t *pcs;
	size_t count, room;
	uint64_t *breaks;
	size_t break_count, break_room;
	uint64_t begin;
	uint64_t end;
	struct align_segment *segments;
	size_t segment_count, segment_room;
	uint64_t truth_count;
	uint64_t matched;
	uint64_t misplaced;
};

/* An item of the hart, in order */
void align_take(struct align_hart *hart, const struct rvtrace_flow_item *item);

/* Something is missing. */
void align_break(struct align_hart *hart);

/* Compare with PREFIX.ID. 0; -1 with a text on stderr */
int align_match(struct align_hart *hart, const char *prefix);

/* In the window; ALIGN_NOWHERE */
uint64_t align_index(const struct align_hart *hart, uint64_t ordinal);

/* Whether something is missing between two instructions of the window. */
bool align_gap(const struct align_hart *hart, uint64_t from, uint64_t to);

#endif /* RVTRACE_CALLS_ALIGN_H */
