/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a gate and the daemon tell each other: gate.h.
 *
 * The gate sends a request when the one before is answered: one byte of enum gate_came, and its line.
 * The daemon sends GATE_GIVE, if the directory of the request is wanted, with a socket to send it
 * through, then the line of the answer. Then the gate drops the directory. Requests come through a
 * pipe, which carries no file descriptors.
 */
#ifndef RVTRACED_GATE_PROTOCOL_H
#define RVTRACED_GATE_PROTOCOL_H

/*
 * Bytes of a line; one that is longer has no end. The daemon parses it, and hears nobody meanwhile:
 * with every attribute of some hundred encoders it is less.
 */
#define GATE_REQUEST_MAX	(64 * 1024)
#define GATE_GIVE		'g'

/**
 * enum gate_came - what came along with a request
 * @GATE_NOTHING: nothing
 * @GATE_DIRECTORY: a directory
 * @GATE_FILE: another file, which the gate has dropped
 */
enum gate_came {
	GATE_NOTHING = '-',
	GATE_DIRECTORY = 'd',
	GATE_FILE = 'f',
};

#endif /* RVTRACED_GATE_PROTOCOL_H */
