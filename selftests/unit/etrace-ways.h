/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every way through a small program, with every few events on it: through the E-Trace encoder, and
 * back. Events are traps, notifications, synchronizations that a trigger asks for, and filters that
 * leave out an instruction.
 */
#ifndef RVTRACE_SELFTESTS_ETRACE_WAYS_H
#define RVTRACE_SELFTESTS_ETRACE_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etrace-decoder-params.h"
#include "etrace-reports.h"
#include "small-programs.h"

struct rvtrace_image;

#define STEPS_MAX	128
#define STREAM_MAX	2048
#define CALLS_MAX	STEPS_MAX

/*
 * What happens when an instruction has retired. SYNC: just before, a synchronization is asked for;
 * OFF: the next one is not traced.
 */
enum event { NOTHING, EXCEPTION, INTERRUPT, NOTIFY, SYNC, OFF, EVENTS };

struct step {
	uint8_t insn;
	uint8_t event;
	uint64_t next;		/* where the instruction leads */
};

struct path {
	struct step steps[STEPS_MAX];
	size_t length;
	uint64_t calls[CALLS_MAX];
	size_t depth;
	uint64_t epc[STEPS_MAX];
	size_t traps;
	unsigned int events;
};

struct pcs {
	uint64_t pc[STEPS_MAX + 2];
	size_t count;
};

struct ways {
	const struct program *program;
	struct etrace_params params;
	struct rvtrace_etrace_params decoder;
	struct rvtrace_image *image;
	size_t length;
	unsigned int events;
	uint8_t stream[STREAM_MAX];
	size_t size;
	bool wanted;
	bool some;		/* only those that irdepth tells */
	size_t paths;
	size_t left_out;
};

extern struct ways ways;

/* Kinds of implicit returns */
enum kind { NO_RETURNS, IRDEPTH, IRETS, KINDS };

/* What was reported on the ways, with each of them */
extern struct etrace_reports reports[KINDS];

extern struct ways_total {
	size_t ways;
	size_t left_out;
} ways_total;

enum kind kind_of(const struct etrace_params *p);

/* RVTRACE_SCALE is full. */
bool is_full(void);

/* Return: parameters, to be changed: no option is on. */
struct etrace_params *begin(const struct program *program);

/* With these parameters; end_ways() follows. */
void begin_ways(void);
void end_ways(void);

/* All ways that begin with @path, of up to @length more instructions with up to @events. */
void go_from(const struct path *path, size_t length, unsigned int events);

/* All ways there are, from begin_ways() to end_ways(). */
void go_all(void);

/* One way: the decoder gives what retired. */
void check(const struct path *path);

/* The instruction at an address. */
unsigned int insn_at(uint64_t pc);

#endif /* RVTRACE_SELFTESTS_ETRACE_WAYS_H */
