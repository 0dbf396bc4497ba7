// SPDX-License-Identifier: GPL-2.0
#include "ring_hardware.h"

static u32 random_state;

u32 ring_hardware_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

int ring_hardware_use(struct kunit *test)
{
	static struct ring_hardware hardware;

	memset(&hardware, 0, sizeof(hardware));
	random_state = 1;
	test->priv = &hardware;
	return 0;
}

void ring_hardware_begin(struct ring_hardware *hw, bool fill)
{
	hw->written = 0;
	hw->landed = 0;
	hw->drained = false;
	hw->check_valid = false;
	memset(hw->memory, 0, sizeof(hw->memory));
	rvtrace_ring_begin(&hw->ring, SIZE, WIDTH, fill);
}

/* Never a zero word, unlike memory that was cleared; another byte in every lap. */
unsigned char ring_hardware_trace_at(u64 position)
{
	return ((position >> 3) * 2654435761U >> 24) | 1;
}

/* A word at a time: all its bytes are equal. */
static void land(struct ring_hardware *hw, u64 keep)
{
	u64 left;

	for (; hw->written - hw->landed > keep; hw->landed += left) {
		left = min(hw->written - hw->landed - keep, 8 - hw->landed % 8);
		memset(hw->memory + hw->landed % SIZE, ring_hardware_trace_at(hw->landed), left);
	}
}

void ring_hardware_write(struct ring_hardware *hw, u64 bytes)
{
	hw->written += bytes;
	hw->drained = false;
	land(hw, hw->posted);
}

void ring_hardware_drain(struct ring_hardware *hw)
{
	land(hw, 0);
	hw->drained = true;
}

static bool same(const struct ring_hardware *hw)
{
	return hw->check_valid &&
	       !memcmp(hw->memory + hw->check_at, hw->check, sizeof(hw->check));
}

u32 ring_hardware_take(struct ring_hardware *hw, u32 most)
{
	u64 offset, count = rvtrace_ring_next(&hw->ring, most, &offset);

	rvtrace_ring_take(&hw->ring, count);
	return count;
}

int ring_hardware_sample(struct ring_hardware *hw)
{
	struct rvtrace_ring_reading reading = {
		.offset = hw->written % SIZE,
		.wrap = hw->written >= SIZE,
		.same = same(hw),
		.drained = hw->drained,
	};
	unsigned char kept[RVTRACE_RING_CHECK_LENGTH];
	u64 at, end;
	int ret;

	reading.looked = rvtrace_ring_look_at(&hw->ring, reading.offset, reading.wrap, &end);
	if (reading.looked)
		reading.unlanded = rvtrace_ring_unlanded(hw->memory + end, reading.looked,
							 hw->ring.width);
	ret = rvtrace_ring_sample(&hw->ring, &reading);
	while (!hw->lazy && ring_hardware_take(hw, SIZE))
		;
	if (hw->meanwhile)
		ring_hardware_write(hw, hw->meanwhile);
	hw->meanwhile = 0;
	if (!rvtrace_ring_check_at(&hw->ring, &at)) {
		hw->check_valid = false;
		return ret;
	}
	memcpy(kept, hw->memory + at, sizeof(kept));
	hw->check_valid = reading.same ? same(hw) : reading.wrap || hw->written < SIZE;
	hw->check_at = at;
	memcpy(hw->check, kept, sizeof(kept));
	return ret;
}

u64 ring_hardware_head(const struct ring_hardware *hw)
{
	return hw->ring.head - hw->ring.start;
}
