/* SPDX-License-Identifier: GPL-2.0 */
/* The gate itself: see gate.h. */
#ifndef RVTRACED_GATE_PROCESS_H
#define RVTRACED_GATE_PROCESS_H

#include <sys/socket.h>
#include <sys/types.h>

/**
 * struct gate_start - what a gate begins with
 * @peer: the client
 * @groups: its groups
 * @group_count: members of @groups
 * @client: its socket
 * @requests: to write
 * @answers: to read; the first byte says that the daemon has closed @client
 * @daemon: the process that forked
 */
struct gate_start {
	const struct ucred *peer;
	const gid_t *groups;
	int group_count;
	int client;
	int requests;
	int answers;
	pid_t daemon;
};

/**
 * gate_run - be a gate, just forked, all signals blocked
 * @start: how it begins
 */
__attribute__((noreturn))
void gate_run(const struct gate_start *start);

#endif /* RVTRACED_GATE_PROCESS_H */
