/* SPDX-License-Identifier: GPL-2.0 */
/* A model of a ring's hardware, which knows how many bytes were really written. */
#ifndef RVTRACE_TESTS_RING_HARDWARE_H
#define RVTRACE_TESTS_RING_HARDWARE_H

#include <kunit/test.h>

#include "../ring.h"

#define SIZE	4096U
#define WIDTH	8U

/*
 * Hardware: writes a counter's bytes, of which the last @posted are not in memory
 * yet, and wraps; @meanwhile of them while it is sampled. And what the driver
 * keeps to compare. Unless it is @lazy, all that landed can be read after a sample.
 */
struct ring_hardware {
	struct rvtrace_ring ring;
	u64 written;
	u64 landed;
	u64 posted;
	u64 meanwhile;
	bool drained;
	bool lazy;
	unsigned char memory[SIZE] __aligned(4);
	unsigned char check[RVTRACE_RING_CHECK_LENGTH];
	u64 check_at;
	bool check_valid;
};

int ring_hardware_use(struct kunit *test);
u32 ring_hardware_random(void);
void ring_hardware_begin(struct ring_hardware *hw, bool fill);
void ring_hardware_write(struct ring_hardware *hw, u64 bytes);
void ring_hardware_drain(struct ring_hardware *hw);
u32 ring_hardware_take(struct ring_hardware *hw, u32 most);
int ring_hardware_sample(struct ring_hardware *hw);
unsigned char ring_hardware_trace_at(u64 position);
u64 ring_hardware_head(const struct ring_hardware *hw);

#endif /* RVTRACE_TESTS_RING_HARDWARE_H */
