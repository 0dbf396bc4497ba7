/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection as its client has it, in a process of its own. What a client sends along may be of a
 * file system of the client's own, or a socket whose peer listens to nobody: its last close can take
 * for ever, and no signal ends that. So the daemon neither receives nor closes it. It has the process
 * do that, with the rights of the client: the gate.
 */
#ifndef RVTRACED_GATE_H
#define RVTRACED_GATE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "gate_protocol.h"

/**
 * struct gate - the process
 * @entry: of those that were closed and have not ended
 * @uid: the client's
 * @pid: 0: it has ended
 * @requests: to read, without blocking
 * @answers: to write, without blocking
 */
struct gate {
	LIST_ENTRY(gate) entry;
	uid_t uid;
	pid_t pid;
	int requests;
	int answers;
};

LIST_HEAD(gate_list, gate);

/**
 * gate_open - have a connection served
 * @client: its socket; the gate has it from then on
 * @peer: the client
 * @groups: its groups
 * @group_count: members of @groups
 *
 * Return: the gate; NULL with errno set: @client is still the caller's, who does not close it.
 */
struct gate *gate_open(int client, const struct ucred *peer, const gid_t *groups, int group_count);

/**
 * gate_give - have the directory of the current request sent
 * @gate: the gate
 * @socket: where to; closed by this call
 *
 * Nobody else in this process has the other end any more.
 */
void gate_give(struct gate *gate, int socket);

/**
 * gate_close - end a connection, once its client has the last answer
 * @gate: the gate, which is not waited for; its files are closed
 */
void gate_close(struct gate *gate);

/** gate_ended - whether the process has ended; one that was stopped is ended */
bool gate_ended(struct gate *gate);

#endif /* RVTRACED_GATE_H */
