/* SPDX-License-Identifier: GPL-2.0 */
/* Harts that execute loops, one message for each time around, as N-Trace. */
#ifndef RVTRACE_LOOPS_FIXTURE_H
#define RVTRACE_LOOPS_FIXTURE_H

#include <rvtrace/image.h>

#include "tools/encode/ntrace.h"

#define LOOP_HARTS	2

/* Where there is a loop; decoders have no image of the last one. */
enum loop { LOOP_0, LOOP_1, LOOP_UNSEEN, LOOPS };

/**
 * struct loops - the harts
 * @at: where they are
 */
struct loops {
	struct ntrace_encoder encoders[LOOP_HARTS];
	enum loop at[LOOP_HARTS];
};

/* Harts 0 and 1 begin in loops 0 and 1, synchronized every @sync messages, 0: no more. */
void loops_start(struct loops *l, uint64_t sync, ntrace_emit emit, void *opaque);

/* A hart goes around once, and then on in @next: where that is another loop, a jump led there. */
void loops_step(struct loops *l, unsigned int hart, enum loop next, uint64_t time);

/* The trace of a hart stops where it is, and starts there. */
void loops_stop(struct loops *l, unsigned int hart, uint64_t time);
void loops_restart(struct loops *l, unsigned int hart, uint64_t time);

/* What decoders have. */
void loops_map(struct rvtrace_image *image);

#endif /* RVTRACE_LOOPS_FIXTURE_H */
