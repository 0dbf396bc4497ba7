/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random programs of RV32 or RV64 on two harts, executed and encoded as N-Trace or E-Trace with
 * random parameters: what retired is known to the instruction. The programs are made
 * of encodings of their own, so that encoder and decoder are checked against
 * something that is neither.
 */
#ifndef RVTRACE_RANDOM_PROGRAM_H
#define RVTRACE_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>

#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"

#define HARTS		2
#define INSNS		600	/* of a region, at most */
#define INSNS_MIN	8
#define STEPS		20000
#define FRAMES		4
#define BLOCK_ACCESSES	32	/* then it ends, */
#define INSN_ACCESSES	13	/* with all of the last instruction */
#define LRIDS		256

enum op { OP_LINEAR, OP_BRANCH, OP_JUMP, OP_CALL, OP_INDIRECT, OP_INDIRECT_CALL, OP_RETURN,
	  OP_SWAP, OP_LOAD, OP_SEQUENTIAL, OP_XRET, OP_CONTEXT, OP_ACCESS };

struct insn {
	uint8_t op;
	uint8_t size;
	uint8_t taken;		/* branches: so often in 256 times */
	bool accesses;		/* memory or CSRs: */
	uint8_t access;		/* how */
	uint16_t target;	/* index */
	uint32_t offset;	/* bytes from the start */
};

struct region {
	uint64_t base;
	uint8_t priv;
	bool hidden;		/* from the decoder */
	uint64_t space;
	struct insn insns[INSNS + 1];
	uint8_t code[INSNS * 4];
};

enum { KERNEL, FIRMWARE, USER1, USER2, USER3, REGIONS };

struct frame {
	int region;
	unsigned int index;
};

struct truth {
	uint64_t pc;
	uint32_t scontext;
	uint8_t priv;
	uint8_t halfwords;
	bool hidden;
};

/* What data trace tells, in its order. */
struct access_truth {
	size_t insn;		/* index into hart.truth */
	struct ingress_access access;
	bool is_response;
	bool error;
};

struct hart {
	struct ntrace_encoder encoder;
	struct etrace_encoder etrace_encoder;
	struct world *world;
	struct frame at;
	struct frame frames[FRAMES];
	unsigned int depth;
	uint64_t calls[64];
	unsigned int call_depth;
	uint32_t scontext;
	size_t next_switch;
	struct ingress_block block;
	bool loaded;		/* the last instruction loaded a jump's register */
	bool wanted;		/* what comes next is traced, but for M-mode */
	size_t asked;		/* synchronizations that triggers asked for */
	size_t answered;	/* that say so (N-Trace) */
	size_t said;		/* events of software trace */
	size_t heard;
	size_t circuits;	/* messages of in-circuit trace (SiFive) */
	size_t circuits_done;
	bool deaf;		/* some were lost */
	bool untold;		/* there were accesses that packets have no room for */
	size_t straight;	/* the last branch; with irdepth also what is behind a trap */
	bool branched;		/* it is a branch */
	size_t returned;	/* behind the last return */
	bool recalled;		/* a call since, and no branch */
	struct truth *truth;
	size_t count;
	struct ingress_access accesses[BLOCK_ACCESSES + INSN_ACCESSES];	/* of @block */
	struct access_truth *access_truth;
	size_t access_count;
	size_t access_room;
	struct access_truth requests[LRIDS];
	bool requested[LRIDS];
	/* decoder's side */
	size_t done;
	size_t accesses_done;
	bool unknown;
	bool hidden;		/* hidden code has run */
	size_t missing;
};

/**
 * struct world_port - another encoder than struct hart's
 * @single: a block for every instruction
 * @start: tracing starts at @pc
 * @block: h->block retired
 * @stop: tracing stops at @pc
 */
struct world_port {
	bool single;
	void (*start)(struct hart *h, uint64_t pc, const struct ingress_context *context);
	void (*block)(struct hart *h);
	void (*stop)(struct hart *h, uint64_t pc);
};

/* What is traced, beside params.filter_machine: from time to time, or some addresses. */
enum world_filter { FILTER_NONE, FILTER_TIME, FILTER_ADDRESS };

struct world {
	const struct world_port *port;
	void *opaque;
	uint64_t random;
	unsigned int xlen;
	unsigned int address_width;	/* bits that differ, sign-extended above 32 */
	uint8_t filter;		/* enum world_filter */
	uint64_t filter_bit;	/* of addresses, that of what is not traced */
	unsigned int notify;	/* one in so many blocks has its end reported (E-Trace) */
	unsigned int talks;	/* one in so many that may emits something; 0 none */
	unsigned int request;	/* before one in so many synchronization is asked for; 0 never */
	bool zcmp;		/* and no compressed stores of doubles */
	unsigned int insns;	/* of each region */
	bool regular;		/* branches mostly do what they did before */
	struct region regions[REGIONS];
	struct hart harts[HARTS];
	unsigned int hart_count;	/* that run: one, where messages have no source */
	uint16_t sources[HARTS];
	unsigned int steps;
	struct ntrace_params params;
	bool sifive;		/* N-Trace as SiFive has it */
	bool has_mode;		/* its decoder is told the mode */
	bool is_etrace;
	struct etrace_params etrace;
	bool single;		/* a block for every instruction */
	uint64_t time_base;	/* timestamps are this and the instructions of the hart so far */
	uint8_t *stream;
	size_t size;
	size_t room;
	bool damaged;		/* the decoder had wrong bytes of it */
	struct {
		size_t idle;		/* bytes between messages */
		size_t stops;		/* N-Trace: ProgTraceCorrelation */
		size_t notify;		/* E-Trace: packets in which it says something */
		size_t updiscon;
		size_t padded;		/* sign-extended behind a payload of whole bytes */
		size_t tails;		/* counted, and then the trace ended */
	} seen;
	unsigned int loss;	/* one in so many messages starts a loss; 0 never */
	bool loss_possible;
	unsigned int refuse;
};

/* A pseudo-random number below @below. */
uint64_t rnd(struct world *w, uint64_t below);

/*
 * Makes the programs, runs them so many steps, encodes them into w->stream. One in @loss
 * messages, if not 0, starts a stretch in which the encoder can send nothing. @timed: there are
 * timestamps, which tell where what was lost ended; else they are among what is random.
 */
struct world *world_new(uint64_t seed, unsigned int loss, unsigned int steps, bool timed);

/* The same, whose decoder is told the mode: counts may come before the first history. */
struct world *world_new_mode(uint64_t seed, unsigned int loss, unsigned int steps);

/*
 * The same with E-Trace. Code that no image holds is not in it, nor is what E-Trace cannot tell: how
 * often a loop without a branch ran before a trap; whether a return that leads to where the hart
 * has just been was inferred, if returns are; with irdepth, without a branch between them, a return
 * behind a call behind a return, and the same address twice.
 */
struct world *world_new_etrace(uint64_t seed, unsigned int loss, unsigned int steps);
/*
 * The same to @port, with @params as far as they say what programs may do; w->opaque is @opaque.
 * What comes of it is given to world_emit().
 */
struct world *world_new_port(uint64_t seed, unsigned int steps, const struct etrace_params *params,
			     bool filter_machine, const struct world_port *port, void *opaque);
/* Append to w->stream: ntrace_emit, etrace_emit; @opaque is the world. */
bool world_emit(void *opaque, const uint8_t *message, size_t size);

/* What is traced, and what triggers ask for. */
void world_random_filter(struct world *w);
/* ntrace_filter, etrace_filter; @opaque is the hart. */
bool hart_filter(void *opaque, const struct ingress_block *block);

/* random-program-ntrace.c: w->params; @timed as with world_new(). */
void world_random_ntrace(struct world *w, bool timed);

/* random-program-etrace.c: w->etrace, to w->params.filter_machine and w->loss. */
void world_random_etrace(struct world *w);

/* random-program-code.c: w->regions. */
void world_make_code(struct world *w);

/* random-program-check.c: whose messages @source are; NULL: nobody's. */
struct hart *hart_of(struct world *w, unsigned int source);

/* Sources of so many bits. */
void world_random_sources(struct world *w, unsigned int bits);

/* random-program-hart.c: tracing starts; an instruction retires or traps; tracing stops. */
void hart_begin(struct hart *h, unsigned int source);
void hart_step(struct hart *h);
void hart_end(struct hart *h);

/* Whether what retires there is traced. */
bool hart_is_traced(const struct hart *h, const struct region *r);

/* random-program-accesses.c: instructions that access data; @returns: and return, with Zcmp. */
unsigned int random_access(struct world *w, bool returns);
uint32_t access_word(unsigned int which);
unsigned int access_insn_size(unsigned int which);
/* Whether all split accesses that there can be are on their way. */
bool hart_waits(struct hart *h);
/* One retires; responses to some before it arrive. */
void hart_access(struct hart *h, const struct region *r, const struct insn *insn);
void hart_respond(struct hart *h);
/* Whether @item, of RVTRACE_FLOW_ACCESS, is what comes next; if not, why. NULL: it is. */
const char *hart_check_access(struct hart *h, const struct rvtrace_flow_item *item);

/*
 * random-program-speak.c: now and then the last instruction emits an event, which says how many
 * were traced, or something happens that in-circuit trace tells.
 */
void hart_speak(struct hart *h);
/* N-Trace: whether @item is what comes next; if not, why. NULL: it is. */
const char *hart_check_data(struct hart *h, const struct rvtrace_flow_item *item);
const char *hart_check_circuit(struct hart *h, const struct rvtrace_flow_item *item);

void world_free(struct world *w);

/*
 * random-program-count.c: how many programs to try: RVTRACE_PROGRAMS in the environment says it,
 * else RVTRACE_SCALE which.
 */
unsigned int world_programs(unsigned int full, unsigned int reduced);
/* What was found as it was executed; struct hart.missing is what was lost before that. */
void world_count(const struct world *w);
/* At full scale, or with RVTRACE_PROGRAMS, print what was counted since the last time. */
void world_report(bool is_etrace);

/* How many instructions a hart had retired; damage may leave the decoder some laps ahead. */
uint64_t world_done(const struct world *w, uint64_t time);

/*
 * What the decoder is told: parameters, images of all regions but the hidden one, and where the
 * trace does not tell the address space, whose it is.
 */
struct rvtrace_flow_config world_config(struct world *w);
struct rvtrace_image *world_image(const struct world *w);

#endif /* RVTRACE_RANDOM_PROGRAM_H */
