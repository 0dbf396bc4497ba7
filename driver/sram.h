/* SPDX-License-Identifier: GPL-2.0 */
/* sram.c: SRAM of a RAM block */
#ifndef RVTRACE_SRAM_H
#define RVTRACE_SRAM_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "ring.h"

struct rvtrace_component;
struct rvtrace_sink;

/* "SRAM is always accessed by 32-bit words" */
#define RVTRACE_SRAM_WORD	4U

/**
 * struct rvtrace_sram - a sink's SRAM, from which its ring is filled
 * @used: trace of the session goes there [as rvtrace_sink.off_chip]
 * @base: address of its first word
 * @size: bytes, found when a session into it starts [rvtrace_lock]
 * @lap: what of it was copied [rvtrace_sink.lock]
 * @followed: when the write pointer was last read [rvtrace_sink.lock]
 * @waits: it cannot be read while the hardware runs
 * @failed: it cannot be read [@copying]
 * @copying: one at a time moves the read pointer
 * @words: what was read from it, so much at a time that what a hart that is traced
 *	does for it makes far less trace [@copying]
 * @work: copies while a session is live
 */
struct rvtrace_sram {
	bool used;
	u32 base;
	u32 size;
	struct rvtrace_lap lap;
	u64 followed;
	bool waits;
	bool failed;
	struct mutex copying;	/* one at a time moves the read pointer */
	u32 words[2048];
	struct work_struct work;
};

bool rvtrace_sram_readable(const struct rvtrace_component *c);
int rvtrace_sram_setup(struct rvtrace_sink *sink);
bool rvtrace_sram_follow(struct rvtrace_sink *sink);
void rvtrace_sram_copy(struct rvtrace_sink *sink);
void rvtrace_sram_init(struct rvtrace_sink *sink);
void rvtrace_sram_begin(struct rvtrace_sink *sink);
void rvtrace_sram_due(struct rvtrace_sink *sink);
void rvtrace_sram_quiet(struct rvtrace_sink *sink);

#endif /* RVTRACE_SRAM_H */
