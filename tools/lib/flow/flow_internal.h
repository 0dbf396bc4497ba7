/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flow decoder inside: what its files share.
 *
 *	flow.c		public interface, item queue
 *	flow_format.h	what differs between formats
 *	flow_source.c	sources
 *	flow_ntrace.c	N-Trace messages to walks and events
 *	flow_sifive.c	what SiFive's encoders report beside
 *	flow_etrace*.c	E-Trace packets, see flow_etrace.h
 *	flow_cdl*.c	CDL compressed trace, see flow_cdl.h
 *	flow_debugspec*.c	packets of the debug specification, see flow_debugspec.h
 *	flow_walk.c	walks over code, whatever the message format
 *	flow_block.c	straight-line code, decoded once
 *	flow_jump.c	targets that code gives away
 *	flow_link.c	what code does to the register that calls link in
 *	flow_calls.c	targets that earlier calls give away
 *	flow_ahead.c	targets that the rest of a walk gives away
 *	flow_privilege.c	privilege by address
 *	flow_access.c	data accesses, see flow_access.h
 */
#ifndef RVTRACE_FLOW_INTERNAL_H
#define RVTRACE_FLOW_INTERNAL_H

#include <rvtrace/etrace.h>
#include <rvtrace/flow.h>
#include <rvtrace/ntrace.h>

/* N-Trace 1.0 "Implicit Return Optimization": never deeper than 32. SiFive's P550 counts to 1023. */
#define STACK_DEPTH	1024
#define QUEUE_SIZE	32
#define PENDING_MAX	8
#define STRADDLE_MAX	16
#define RUN_MAX		1024
#define STRADDLE_SIZE	24

/*
 * Where @follows_link: behind the last instruction of a block, x1 leads elsewhere than to the caller,
 * flow_writes_link(), or the stack is another, flow_leaves_stack().
 */
#define BLOCK_LINK_WRITE	(RVTRACE_INSN_CUSTOM + 1)

/* No address of code: it is not known */
#define NO_ADDRESS	1

/**
 * struct block - straight-line code up to the next instruction that matters
 * @next: indices of the blocks behind it and at @target, of the same code; 0: not known yet
 * @instructions: how many; 0 if the first is no valid instruction
 * @size: bytes
 * @target: target of the last instruction minus address of the block; table jumps: index
 * @step: @size and @target, as @next
 * @extent: @instructions and @size
 * @halfwords: @size again
 * @kind: enum rvtrace_insn_kind of the last one, or BLOCK_LINK_WRITE
 * @last_size: bytes of the last one
 * @by_x5: it calls or returns by x5, flow_is_by_x5()
 */
struct block {
	uint32_t next[2];
	union {
		struct {
			uint32_t instructions;
			union {
				struct {
					int32_t size;
					int32_t target;
				};
				int32_t step[2];
			};
			uint16_t halfwords;
			uint8_t kind;
			uint8_t last_size : 5;
			uint8_t by_x5 : 1;
		};
		uint64_t extent;
	};
};

/* Maps and @next count words, not blocks: finding one takes no multiplication. */
#define BLOCK_WORDS	(sizeof(struct block) / sizeof(uint64_t))

static inline struct block *flow_block_of(struct block *blocks, uint32_t index)
{
	return (struct block *)((uint64_t *)blocks + index);
}

/**
 * struct code_cache - blocks of one code
 * @code: the code, with a reference
 * @map: for each half-word of the code, index of the block that starts there, 0 if not decoded yet
 */
struct code_cache {
	const struct rvtrace_code *code;
	uint32_t *map;
};

/**
 * struct window - code around the place where a source executes
 * @start: first address
 * @span: last address minus @start
 * @bytes: the code at @start
 * @map: struct code_cache.map at @start
 */
struct window {
	uint64_t start;
	uint64_t span;
	const uint8_t *bytes;
	uint32_t *map;
};

/**
 * struct call_stack - where calls are to return to, of which the encoder knows as well, flow_calls.c
 * @kinds: of an encoder that counts calls: what the entries are
 * @incomplete: calls may have gone unseen; only what was pushed since is here
 * @signalled: of an encoder that counts calls: the kernel is about to return to a handler of a signal
 * @replaced: of an encoder that counts calls: what x1 had before an instruction set it; 0: not known
 */
struct call_stack {
	uint64_t entries[STACK_DEPTH];
	uint8_t kinds[STACK_DEPTH];
	unsigned int top;
	unsigned int count;
	bool incomplete;
	bool signalled;
	uint64_t replaced;
};

/**
 * struct last_branch - what RepeatBranch repeats
 * @hist: 0 without
 * @valid: there is one
 */
struct last_branch {
	uint64_t address;
	uint64_t hist;
	uint32_t icnt;
	uint8_t tcode;
	uint8_t btype;
	bool valid;
};

/**
 * struct source - state of one source
 * @pc: next instruction, if neither @gap nor unsynchronized
 * @reference: last address sent
 * @balance: half-words reported minus half-words walked; negative while the
 *	branch history is ahead of the instruction count
 * @gap: the flow cannot be followed until the next message with an address
 * @gap_has_address: @pc is where the gap starts
 * @unfollowed: it starts with a return to a caller that is not known
 * @history: the source sends branch histories, as its mode or a message says
 * @implicit_return: N-Trace: the source leaves returns out, by its mode or as all do
 * @counts_calls: it does so by a count of calls, of whichever task
 * @calls: that count; -1: not known
 * @left_out: it has left out a return
 * @mode_known: one of them says whether @history is so
 * @after_sync: the last message was a synchronizing one
 * @data_lost: since the last synchronizing message Error told that software trace was lost, alone
 * @pending: values of scontext whose writes are yet to be walked over
 * @place: where its code is looked up, if @placed
 * @state: what the format has beside that, NULL without; where there is any, @reference to @last,
 *	@history and @after_sync mean nothing, and @balance is 0
 * @etrace, @debugspec: the same
 * @accesses: what data trace adds, NULL without
 * @place_span: timestamps from @place.from on for which that holds; 0: asked for without one
 * @thread, @process: that execute; while @switch_left, not yet the next ones
 * @next_thread, @next_process: those that execute by time or as @task says
 * @switch_left: so many instructions of the kernel later at most, it has changed to that
 * @reached: if not 0, it is at least so late: the kernel has changed tasks since @time
 * @overdue: what is executing by time is yet to be changed to
 * @task: what was written to tp last; 0: not known, or of no task that the resolver knows
 */
struct source {
	struct window window;
	uint64_t pc;
	uint64_t reference;
	int64_t balance;
	uint64_t time;
	uint64_t reached;
	uint64_t task;
	uint64_t space;
	uint64_t default_space;
	uint64_t pending[PENDING_MAX];
	struct rvtrace_flow_stats stats;
	struct call_stack stack;
	struct last_branch last;
	union {
		void *state;
		struct etrace_state *etrace;
		struct debugspec_state *debugspec;
	};
	struct access_queue *accesses;
	struct rvtrace_flow_place place;
	uint64_t place_span;
	uint64_t generation;
	int32_t thread;
	int32_t next_thread;
	uint32_t process;
	uint32_t next_process;
	uint32_t switch_left;
	int calls;
	int priv;		/* -1 unknown */
	int default_priv;
	uint16_t id;
	bool v;
	bool synced;
	bool gap;
	bool gap_has_address;
	bool unfollowed;
	bool implicit_return;
	bool counts_calls;
	bool left_out;
	bool history;
	bool mode_known;
	bool has_time;
	bool after_sync;
	bool data_lost;
	bool placed;
	bool overdue;
	uint8_t pending_count;
};

/**
 * struct walk - a way through the code, as one message describes it
 * @pc: next instruction
 * @left: half-words to go, if @counted; goes below 0 if not
 * @hist: branch outcomes, the next one at bit @bits - 1
 * @pattern_bits, @repeats: then as many bits of @hist once more, @repeats times
 * @counted: ends after @left half-words, else after the last branch outcome
 * @careful: ends early, and @stopped is set, in front of an instruction that a message yet to come
 *	may say more about
 * @open: the successor of the last instruction is not known: an indirect jump or a branch
 * @sequential: it is an indirect jump whose target the instruction before it loaded
 * @last_kind: class of the last instruction
 * @last_by_x5: it calls or returns by x5
 * @dispatches: it jumps by an address from a table, flow_dispatches()
 * @last_pc: its address
 * @target: where it goes, if it is a branch or @sequential
 * @tail, @tail_code: last instruction of a block that ended although the code goes on
 * @mark, @steps: to find loops without an exit (Brent)
 * @ahead: blocks that were looked at ahead of it
 */
struct walk {
	uint64_t pc;
	int64_t left;
	uint64_t hist;
	unsigned int bits;
	unsigned int pattern_bits;
	uint32_t repeats;
	bool counted;
	bool careful;
	bool stopped;
	bool open;
	bool sequential;
	uint8_t last_kind;
	uint8_t last_by_x5;
	bool dispatches;
	uint64_t last_pc;
	uint64_t target;
	uint64_t tail;
	uint8_t tail_code[4];
	uint64_t mark;
	uint64_t steps;
	unsigned int ahead;
};

/* How a walk of E-Trace got to its target. */
enum etrace_arrival {
	NOT_ARRIVED,
	ARRIVED_BY_CODE,	/* without a jump of unknown target */
	ARRIVED_BY_JUMP,
	ARRIVED_AT_BRANCH,	/* and walked over it */
};

/**
 * struct etrace_walk - a way through the code, as one packet of E-Trace describes it; with struct
 *	walk, of which it does not use @left to @open, @counted and @sequential
 * @target: the instruction reported, if @has_target
 * @again_target: if @again: first to that instruction, which was reported before, once more
 * @again_irdepth: if @again_irreport: as in that packet
 * @left: branch outcomes to go; the last one may be that of @target
 * @map: the next ones, if not @predicted: bit 0 first, 0 taken
 * @irdepth: if @irreport: as in the packet
 * @irets: returns that were inferred since the last branch or packet
 * @mark_nested: calls that were open at @mark
 * @arrived: enum etrace_arrival
 * @predicted: outcomes are as predicted, but for the last one if @failed
 * @sync: a synchronization gives @target
 * @other_privilege: in another privilege: a return from a trap leads there
 * @updiscon: a jump of unknown target leads there
 * @returned: the walk is behind a return that was inferred
 */
struct etrace_walk {
	uint64_t target;
	uint64_t again_target;
	uint64_t left;
	uint64_t mark_nested;
	uint32_t map;
	uint32_t irdepth;
	uint32_t again_irdepth;
	uint32_t irets;
	uint8_t arrived;
	bool has_target;
	bool again;
	bool again_irreport;
	bool predicted;
	bool failed;
	bool sync;
	bool other_privilege;
	bool updiscon;
	bool irreport;
	bool returned;
};

/* Where items go, and the blocks of their runs. */
struct output {
	struct rvtrace_flow_item *items;
	size_t count;
	size_t max;
	struct rvtrace_flow_block *blocks;
	size_t block_count;
	size_t block_max;
};

enum walk_status {
	WALK_DONE,
	WALK_AGAIN,		/* no room for blocks, or events to deliver first */
	WALK_BROKEN,		/* the source is in a gap now */
	WALK_NO_MEMORY,
};

/**
 * struct rvtrace_flow - the decoder
 * @format: what differs between formats
 * @reader: reads packets, as @format->reader says
 * @state: what the format has: @cdl, @debugspec: flow_cdl.h, flow_debugspec.h
 * @sources: by SRC, NULL until the first message
 * @touched: by SRC, 64 in a word: those asked for since all were left
 * @source: whose message is being handled
 * @message: the message being handled; of other formats, @offset, @size and @tcode only
 * @packet: the packet of E-Trace being handled
 * @target: address it gives
 * @repeats: how often it is to be handled again
 * @latest: the last time of any source
 * @generation: of the image, as far as seen
 * @follows_link: there may be sources that count calls
 * @walk: the walk under way, if @walking
 * @etrace_walk: the same, with E-Trace
 * @queue: events to deliver before anything else
 * @failed: there was no memory for a place
 * @accesses: NULL if the stream has no data trace
 * @accessed: a packet of data trace came: this is not to be read over
 * @closing: sources in @touched are to be left unsynchronized, then @final follows
 * @close_next: none before this is, a multiple of 64
 * @block_longest: no block of @blocks has more bytes
 * @inherit: makes the sources of a decoder that began in the middle, of which it has heard nothing
 *	yet, flow_inherit(); NULL: there are none
 */
struct rvtrace_flow {
	struct rvtrace_flow_config config;
	const struct flow_format *format;
	const struct rvtrace_image *image;
	void *reader;
	union {
		void *state;
		struct cdl_state *cdl;
		struct debugspec_flow *debugspec;
	};

	struct source **sources;
	size_t source_count;
	uint64_t *touched;
	struct source *source;
	struct rvtrace_ntrace_message message;
	uint64_t target;
	uint32_t repeats;
	uint64_t latest;
	uint64_t generation;
	bool walking;
	bool follows_link;
	struct walk walk;
	struct rvtrace_etrace_packet packet;
	struct etrace_walk etrace_walk;

	struct rvtrace_flow_item queue[QUEUE_SIZE];
	unsigned int queue_head;
	unsigned int queue_count;
	bool failed;
	void (*inherit)(void *data, struct rvtrace_flow *flow);
	void *inherit_data;
	struct access_stage *accesses;
	bool accessed;
	bool closing;
	bool final_valid;
	size_t close_next;
	struct rvtrace_flow_item final;

	struct code_cache *caches;
	size_t cache_count;
	size_t cache_room;
	struct block *blocks;
	uint32_t block_count;
	uint32_t block_room;
	uint32_t block_longest;
	struct block loose;		/* a block that is not cached */
	struct rvtrace_flow_block run[RUN_MAX];
	uint8_t straddle[STRADDLE_MAX + 1][STRADDLE_SIZE];	/* one for who looks ahead */
	unsigned int straddles;
};

/* flow_thread.c */
void flow_find_thread(const struct rvtrace_flow *flow, struct source *source);
void flow_write_tp(struct rvtrace_flow *flow, struct source *source, unsigned int id,
		   uint64_t value);
void flow_forget_task(struct source *source);
void flow_pass_block(struct rvtrace_flow *flow, struct source *source,
		     const struct rvtrace_flow_block *block);

/* flow.c */
int flow_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max);

/* flow_source.c */
struct source *flow_source(struct rvtrace_flow *flow, unsigned int id);
void flow_free_source(const struct rvtrace_flow *flow, struct source *source);
void flow_inherit(struct rvtrace_flow *flow);
void flow_stamp(struct rvtrace_flow *flow, struct source *source,
		enum rvtrace_flow_type type, struct rvtrace_flow_item *item);
struct rvtrace_flow_item *flow_event(struct rvtrace_flow *flow, enum rvtrace_flow_type type);
void flow_event_address(struct rvtrace_flow_item *item, uint64_t address);
void flow_error(struct rvtrace_flow *flow, int code);
void flow_find_place(struct rvtrace_flow *flow, struct source *source);
void flow_forget_place(struct source *source);
void flow_set_context(struct rvtrace_flow *flow, int priv, bool v, uint64_t space);
void flow_close_all(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final);
void flow_close_some(struct rvtrace_flow *flow);
void flow_close_walked(struct rvtrace_flow *flow);
void flow_gap_event(struct rvtrace_flow *flow, bool complete);
void flow_leave(struct rvtrace_flow *flow, bool complete);
int flow_damaged(struct rvtrace_flow *flow, int code);

/* flow_block.c */
int flow_find_code(const struct rvtrace_flow *flow, const struct source *source, uint64_t pc,
		   struct rvtrace_window *window);
int flow_block_at(struct rvtrace_flow *flow, struct source *source, uint64_t pc,
		  struct block *block, const uint8_t **code);
void flow_blocks_free(struct rvtrace_flow *flow);

/* flow_walk.c */
void flow_walk_start(struct rvtrace_flow *flow, bool counted, uint64_t hist, uint32_t repeats);
bool flow_walk_counted(struct rvtrace_flow *flow);
bool flow_outcome(struct walk *walk, bool *taken);
int flow_cut(const struct rvtrace_flow *flow, struct block *block, const uint8_t *code, int64_t left);
enum walk_status flow_walk(struct rvtrace_flow *flow, struct output *out);
void flow_gap(struct rvtrace_flow *flow, uint64_t pc, bool has_address);
void flow_next_pending(struct rvtrace_flow *flow);
void flow_apply_pending(struct rvtrace_flow *flow);

/* flow_calls.c */
bool flow_caller(const struct source *source, unsigned int n, uint64_t *link);
bool flow_writes_return(const struct rvtrace_flow *flow, uint64_t function);
void call_stack_push(struct call_stack *stack, uint64_t address);
bool call_stack_pop(struct call_stack *stack, uint64_t *address);
void call_stack_clear(struct call_stack *stack, bool incomplete);
void flow_call(struct rvtrace_flow *flow, uint64_t target, uint64_t link);
int flow_return(struct rvtrace_flow *flow, uint64_t *target);
void flow_reported_return(struct rvtrace_flow *flow);
void flow_trap_calls(struct rvtrace_flow *flow, uint64_t pc, bool known);
void flow_trap_return_calls(struct rvtrace_flow *flow);
void flow_switch_calls(struct source *source);
void flow_set_link(struct rvtrace_flow *flow, uint64_t target);
void flow_open_frame(struct rvtrace_flow *flow);
void flow_keep_link(struct rvtrace_flow *flow);
void flow_drop_link(struct rvtrace_flow *flow);
bool flow_newest_is_set(const struct call_stack *stack);
void flow_leave_stack(struct rvtrace_flow *flow);
void flow_drop_x5(struct rvtrace_flow *flow);
void flow_forget_calls(struct rvtrace_flow *flow);

/* flow_ahead.c */
bool flow_can_look(const struct rvtrace_flow *flow);
bool flow_find_target(struct rvtrace_flow *flow, const uint64_t *targets, unsigned int count,
		      unsigned int callers, uint64_t *target);

/* flow_jump.c */
bool flow_sequential_target(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t start, uint64_t *target);
uint64_t flow_link_constant(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t start);
bool flow_table_target(const struct rvtrace_flow *flow, const struct source *source,
		       unsigned int index, uint64_t *target);

/* flow_link.c */
bool flow_dispatches(const struct block *block, const uint8_t *code);
bool flow_leaves_stack(const struct rvtrace_isa *isa, const uint8_t *code, unsigned int size,
		       uint32_t left);
bool flow_writes_x5(const struct rvtrace_isa *isa, const uint8_t *code, uint32_t size);
bool flow_writes_link(const struct rvtrace_isa *isa, const uint8_t *code, unsigned int size,
		      uint32_t left);
void flow_follow_link(struct rvtrace_flow *flow, const uint8_t *code, uint32_t size);
bool flow_is_by_x5(unsigned int kind, const uint8_t *code, unsigned int size);

/* flow_privilege.c */
void flow_find_privilege(struct rvtrace_flow *flow, bool jumped);

/* Instructions behind which a walk cannot go on without knowing more. */
static inline bool flow_kind_is_indirect(unsigned int kind)
{
	return kind >= RVTRACE_INSN_INDIRECT_JUMP && kind <= RVTRACE_INSN_TRAP_RETURN;
}

/* When the source executes what comes next, as far as that is known; it has times. */
static inline uint64_t flow_now(const struct source *source)
{
	return source->time < source->reached ? source->reached : source->time;
}

/* An instruction of 2 or 4 bytes */
static inline uint32_t flow_word(const uint8_t *code, unsigned int size)
{
	uint32_t word = code[0] | code[1] << 8;

	return size == 2 ? word : word | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

static inline uint64_t flow_address(const struct rvtrace_flow *flow, uint64_t address)
{
	return flow->config.isa.xlen == 32 ? (uint32_t)address : address;
}

/* Whether x1 is to be followed. Of direct calls it is not: their callees do return. */
static inline bool flow_link_is_set(const struct source *source)
{
	return source->counts_calls && flow_newest_is_set(&source->stack);
}

/* A block executed, or several: nearly all of them are far from a change of tasks. */
static inline void flow_pass_switch(struct rvtrace_flow *flow, struct source *source,
				    const struct rvtrace_flow_block *block)
{
	if (source->switch_left || block->address + block->size == flow->config.task_switch)
		flow_pass_block(flow, source, block);
}

/* The block at walk.pc; NULL without one, then @found says why. */
static inline const struct block *flow_get_block(struct rvtrace_flow *flow, const uint8_t **code,
						 int *found)
{
	struct source *source = flow->source;
	uint64_t offset = flow->walk.pc - source->window.start;
	const struct block *block;

	if (offset <= source->window.span) {
		block = flow_block_of(flow->blocks, source->window.map[offset / 2]);
		*code = source->window.bytes + offset;
		if (block->halfwords &&
		    block->halfwords * 2ull - 1 <= source->window.span - offset)
			return block;
	}
	*found = flow_block_at(flow, source, flow->walk.pc, &flow->loose, code);
	return *found > 0 ? &flow->loose : NULL;
}

static inline void flow_put_block(struct output *out, uint64_t pc, const struct block *block,
				  const uint8_t *code)
{
	out->blocks[out->block_count++] = (struct rvtrace_flow_block) {
		.address = pc,
		.code = code,
		.size = block->halfwords * 2u,
		.instructions = block->instructions,
	};
}

#endif /* RVTRACE_FLOW_INTERNAL_H */
