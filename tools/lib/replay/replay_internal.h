/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a recording's streams through the flow layer have in common, all of them or in part. */
#ifndef RVTRACE_REPLAY_INTERNAL_H
#define RVTRACE_REPLAY_INTERNAL_H

#include <rvtrace/replay.h>

/* A failure of the flow layer, as a negative errno; 0 stays 0. */
int replay_errno(int ret, struct rvtrace_failure *error);

/* A caller's handler, copied. Return: 0 or a negative errno. */
int replay_handler_take(struct rvtrace_replay_handler *own,
			const struct rvtrace_replay_handler *theirs,
			struct rvtrace_failure *error);

/* A chunk becomes items, to be read: 0 or a negative errno. */
int replay_feed(struct rvtrace_flow *flow, const struct rvtrace_chunk *chunk,
		struct rvtrace_failure *error);

#endif /* RVTRACE_REPLAY_INTERNAL_H */
