/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that got another number, as a recording says. */
#ifndef RVTRACE_COMPARE_RENUMBERED_H
#define RVTRACE_COMPARE_RENUMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/recording.h>

/**
 * struct compare_renumbered - those of a recording
 * @changes: thread ids before and after
 * @count: of them
 * @room: for so many
 *
 * Zeroed: none. free() @changes.
 */
struct compare_renumbered {
	int32_t (*changes)[2];
	size_t count, room;
};

/**
 * compare_renumbered_load() - all of the first sink
 * @list: filled
 * @recording: where the driver's records are
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int compare_renumbered_load(struct compare_renumbered *list, struct rvtrace_recording *recording,
			    struct rvtrace_failure *error);

/**
 * compare_renumbered() - whether a thread got another number
 * @list: all
 * @from: its thread id before
 * @to: and behind
 */
bool compare_renumbered(const struct compare_renumbered *list, uint64_t from, uint64_t to);

#endif /* RVTRACE_COMPARE_RENUMBERED_H */
