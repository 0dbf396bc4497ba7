/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracectl report --html: a page that shows every call.
 *
 *	page.c		events -> lanes, their tracks, totals
 *	page_track.c	slices of a track: tiles, which go to a file until the page is written
 *	page_summary.c	what tiles look like from afar
 *	page_totals.c	names, totals of functions, stacks
 *	page_marks.c	software trace and gaps
 *	page_bytes.c	numbers as bytes, blocks
 *	page_write.c	the page
 *
 * docs/page.md describes the data.
 */
#ifndef RVTRACE_TRACECTL_PAGE_H
#define RVTRACE_TRACECTL_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/tracectl/views/views.h"

/* Bytes that grow; @failed: there was no memory. */
struct bytes {
	uint8_t *data;
	size_t size;
	size_t room;
	bool failed;
};

void bytes_put(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

static inline void bytes_byte(struct bytes *bytes, uint8_t byte)
{
	if (bytes->size < bytes->room)
		bytes->data[bytes->size++] = byte;
	else
		bytes_put(bytes, &byte, 1);
}

/* Seven bits a byte, the lowest first. */
static inline void bytes_number(struct bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes_byte(bytes, value | 0x80);
	bytes_byte(bytes, value);
}

/* Small ones of both signs are short. */
static inline void bytes_signed(struct bytes *bytes, int64_t value)
{
	bytes_number(bytes, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* When the page shows what is in a block, and so its place in the page. */
enum block_rank {
	RANK_INDEX,
	RANK_SUMMARY,	/* of several tiles */
	RANK_TOTALS,
	RANK_TILE_SUMMARY,
	RANK_TILE,
	RANKS
};

/* Compressed bytes in the file. */
struct block {
	uint64_t offset;
	uint32_t size;
	uint8_t rank;
};

/* Ticks since struct page.origin; @latest of INT64_MAX: unknown. */
struct moment {
	int64_t best;
	int64_t earliest;
	int64_t latest;
	bool known;
};

/* How far apart its bounds are; 0: unknown */
static inline int64_t moment_doubt(const struct moment *moment)
{
	return moment->known && moment->latest != INT64_MAX ? moment->latest - moment->earliest : 0;
}

struct point {
	struct moment time;
	uint64_t instructions;
};

#define SLICE_KIND	11	/* enum rvtrace_call_kind, behind RVTRACE_CALL_TAIL ... */
#define SLICE_RESTING	(1u << 13)	/* such a span follows */
#define SLICE_INTERRUPTED (1u << 14)
#define SLICE_COUNTED	(1u << 15)	/* other instructions than between its ends follow */

/* What is known of a slice at its end. */
struct ending {
	uint32_t flags;
	struct rvtrace_call_span resting;
	struct rvtrace_call_span interrupted;
	bool counted;
	uint64_t own;
	uint64_t instructions;
};

enum track_kind {
	TRACK_CALLS,	/* of a lane: functions */
	TRACK_HARTS,	/* of a lane: where it ran */
	TRACK_LANES,	/* of a source: which ran */
};

#define TILE_EVENTS	32768
#define BUCKETS		256	/* of a summary */
#define FAN		4	/* summaries in one of the next level */
#define LEVELS		16
#define SUMMARY_ROWS	1024

/* Slices of a row and bucket: @name has the largest share, @share, of the time @total. */
struct cell {
	uint32_t row;
	uint32_t bucket;
	uint32_t name;
	float share;
	float total;
};

struct summary {
	int64_t first;
	int64_t last;
	size_t count;
	size_t room;
	struct cell *cells;
};

struct tile {
	int64_t first;
	int64_t last;
	uint32_t slices;
	uint32_t block;
};

struct tiles {
	struct tile *list;
	size_t count;
	size_t room;
};

struct open_slice {
	uint32_t name;
	bool crosses;
	struct point enter;
	uint64_t own;
};

struct slice {
	uint32_t row;
	uint32_t name;
	int64_t first;
	int64_t last;
};

/**
 * struct track - slices that are nested
 * @kind: enum track_kind
 * @owner: lane, or source
 * @open, @depth: slices that are not over
 * @rows: depth that there was
 * @last: of the events
 * @base: the depth at the begin of the tile under way
 * @events: of that
 * @first, @end: its times
 * @columns: its events
 * @start: @last at its begin
 * @slices: of it, those that are over
 * @long_slices: those of several tiles, @long_count of them
 * @tiles: by level; 0: with events, 1: their summaries
 * @pending: of each level, those that are in no summary of the next one
 */
struct track {
	uint8_t kind;
	uint32_t owner;
	struct open_slice *open;
	size_t depth;
	size_t open_room;
	size_t rows;
	struct point last;
	size_t base;
	size_t events;
	int64_t first;
	int64_t end;
	struct bytes columns[6];
	struct point start;
	struct slice *slices;
	size_t slice_count;
	size_t slice_room;
	struct bytes long_slices;
	uint64_t long_count;
	uint32_t long_block;
	struct tiles tiles[LEVELS];
	struct summary *pending[LEVELS][FAN];
	unsigned int pending_count[LEVELS];
};

enum { COLUMN_NAME, COLUMN_TIME, COLUMN_COUNT, COLUMN_BOUND, COLUMN_FLAGS, COLUMN_MORE };

enum name_family {
	FAMILY_USER,
	FAMILY_KERNEL,
	FAMILY_MODULE,
	FAMILY_TRAP,
	FAMILY_SIGNAL,
	FAMILY_UNKNOWN,
};

/**
 * struct page_name - a function, trap or signal, and its totals
 * @function: NULL: @text is its name
 * @calls: entries that the trace shows
 * @own, @instructions: without and with callees
 * @self, @total: time, so; @self_doubt, @total_doubt: by how much it may be wrong
 * @self_bound, @total_bound: for which moment that was last added to them
 * @longest, @longest_doubt: the longest instance, -1: none is known; it began at @longest_at in
 *	@longest_lane
 */
struct page_name {
	const struct view_function *function;
	char *text;
	uint8_t family;
	uint64_t calls;
	uint64_t own;
	uint64_t instructions;
	int64_t self;
	int64_t total;
	int64_t self_doubt;
	int64_t total_doubt;
	int64_t self_bound;
	int64_t total_bound;
	int64_t longest;
	int64_t longest_doubt;
	int64_t longest_at;
	uint32_t longest_lane;
};

/* A stack, that of @parent and @name; of a lane, with @parent 0, the lane's number. */
struct node {
	uint32_t parent;
	uint32_t name;
	bool again;	/* @name is also in the stack of @parent */
	uint64_t calls;
	uint64_t own;
	int64_t self;
};

/* A hash table of numbers + 1, by the owner's keys. */
struct slots {
	uint32_t *list;
	size_t count;
};

struct lane_frame {
	uint64_t id;
	uint32_t node;
	uint32_t name;
	bool again;	/* @name is also below */
};

/**
 * struct page_lane - a thread
 * @root: its node
 * @frames: those that are not over, as many as @calls.depth
 * @resting: it does not run
 */
struct page_lane {
	struct track calls;
	struct track harts;
	uint32_t root;
	struct lane_frame *frames;
	size_t frame_room;
	bool seen;
	bool resting;
	struct moment last;
	uint64_t instructions;
	uint64_t call_count;
	int64_t ran;
	int64_t ran_doubt;
};

enum mark_kind {
	MARK_DATA,
	MARK_CIRCUIT,
	MARK_REGISTER,
	MARK_TRACEPOINT,
	MARK_OTHER,
};

/* @end: of a gap, when something is known again. */
struct mark {
	struct moment time;
	int64_t end;
	uint32_t source;
	uint32_t kind;
	int32_t thread;
	uint64_t id;
	uint64_t value;
};

/* Marks in the order in which they came, in blocks. */
struct marks {
	struct bytes bytes;
	struct mark last;
	int64_t first;
	int64_t end;
	uint32_t waiting;
	uint64_t count;
	struct tiles tiles;
};

/* SRC @source of a sink: a hart; its gap that is not over, if @in_gap. */
struct page_source {
	size_t sink;
	uint32_t source;
	struct track lanes;
	uint64_t hart;
	uint32_t running;
	struct point last;
	bool in_gap;
	struct mark gap;
	uint64_t gaps;
	uint64_t losses;
};

#define HELD_EVENTS	65536

/* An event, with what it points to. */
struct held_event {
	struct rvtrace_call_event event;
	struct rvtrace_call_frame frame;
	struct rvtrace_flow_item item;
};

/**
 * struct page - what is gathered
 * @spill: blocks
 * @held: events before the first one with a time: whether there are times is not known yet
 * @decided: it is
 * @counts: there are no times: instructions stand for them
 * @has_origin, @origin: the first time, in @sink
 * @sink: of the events
 * @shift: ticks from times of that to those of the page
 * @base, @shown: @origin as a time of the view, and as users are shown it
 * @rate: of a tick, in the unit of the view
 * @end, @end_doubt: the last one, and how wrong it may be
 * @unnested: events that did not fit to what was open
 * @folded: entries that count for the stack of the caller, because there are too many stacks
 * @merged: stacks that the page shows as one with others
 */
struct page {
	struct view *view;
	FILE *spill;
	uint64_t spilled;
	struct block *blocks;
	size_t block_count;
	size_t block_room;
	struct bytes packed;
	struct held_event *held;
	size_t held_count;
	size_t held_room;
	bool decided;
	bool counts;
	bool has_origin;
	uint64_t origin;
	size_t sink;
	int64_t shift;
	uint64_t base;
	int64_t shown;
	double rate;
	int64_t end;
	int64_t end_doubt;
	uint64_t events;
	uint64_t slices;
	uint64_t unnested;
	size_t buffered;
	struct page_lane **lanes;
	size_t lane_count;
	struct page_source *sources;
	size_t source_count;
	size_t source_room;
	struct page_name *names;
	size_t name_count;
	size_t name_room;
	struct slots name_slots;
	struct node *nodes;
	size_t node_count;
	size_t node_room;
	struct slots node_slots;
	uint64_t folded;
	uint64_t merged;
	struct cell *cells;
	size_t cell_room;
	struct marks marks;
	struct marks gaps;
	uint64_t by_gap[32];
};

/* Room for one more of @count, in the list at @list: 0 or -ENOMEM. */
int page_grow(void *list, size_t *room, size_t count, size_t size);

/* Compresses @bytes into the file; their number goes to @number. 0 or a negative errno. */
int page_store(struct page *page, const struct bytes *bytes, enum block_rank rank,
	       uint32_t *number);
/* A block as text that HTML leaves as it is. 0 or a negative errno. */
int page_put_block(struct page *page, struct out *out, uint32_t number);

/* Tracks: 0 or a negative errno. */
void track_init(struct track *track, enum track_kind kind, uint32_t owner);
void track_free(struct track *track);
int track_enter(struct page *page, struct track *track, uint32_t name, const struct point *at);
int track_leave(struct page *page, struct track *track, const struct point *at,
		const struct ending *ending);
/* The tile under way ends; @last: there will be no other. */
int track_cut(struct page *page, struct track *track, bool last);
int tiles_add(struct tiles *tiles, const struct tile *tile);
/* The bounds of a time, from the last ones; what those are then. */
void bytes_bound(struct bytes *bytes, const struct moment *last, const struct moment *time);
void keep_bound(struct moment *last, const struct moment *time);

/* The tile under way as a summary, and those of which it is the last. 0 or a negative errno. */
int summary_add_tile(struct page *page, struct track *track);
int summary_finish(struct page *page, struct track *track);
void summary_free(struct summary *summary);

/* Number of a frame's name. 0 or -ENOMEM. */
int page_name(struct page *page, const struct rvtrace_call_frame *frame, uint32_t *number);
/* The stack of @parent and a name; @parent itself if there are too many. 0 or -ENOMEM. */
int page_node(struct page *page, uint32_t parent, uint32_t name, uint32_t *number);
/* Executed by @top, NULL: by what is at @node, a lane: time from @from, NULL: none. */
void totals_own(struct page *page, const struct lane_frame *top, uint32_t node,
		const struct moment *from, const struct moment *to, uint64_t instructions);
/* A frame has ended. */
void totals_left(struct page *page, const struct lane_frame *top, uint32_t lane,
		 const struct rvtrace_call_frame *frame, const struct moment *from,
		 const struct moment *to);
void totals_free(struct page *page);

/* Marks: 0 or a negative errno. */
int marks_add(struct page *page, struct marks *marks, const struct mark *mark);
int marks_end(struct page *page, struct marks *marks);
void marks_free(struct marks *marks);
/* What an item is, as the page shows it. */
void mark_item(struct mark *mark, const struct rvtrace_flow_item *item);
const char *gap_text(uint32_t type);

/* The page: 0 or a negative errno. */
int page_write(struct page *page);

extern const struct view_ops page_view;

#endif /* RVTRACE_TRACECTL_PAGE_H */
