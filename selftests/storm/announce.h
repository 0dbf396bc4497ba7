/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process tells the ground truth its process id, in what it executes: HINTs,
 * no-ops on every RISC-V core, one per hexadecimal digit between two others.
 */
#ifndef RVTRACE_STORM_ANNOUNCE_H
#define RVTRACE_STORM_ANNOUNCE_H

/* slti x0, x0, imm */
#define ANNOUNCE_OPEN	0x7b002013u	/* imm 0x7b0 */
#define ANNOUNCE_CLOSE	0x7b102013u	/* imm 0x7b1 */
#define ANNOUNCE_DIGIT	0x7c002013u	/* imm 0x7c0 + digit, highest first */
#define ANNOUNCE_DIGITS	6
#define ANNOUNCE_MASK	0xff0fffffu	/* of all bits but those of the digit */

/**
 * announce_pid() - execute the process id of the caller
 *
 * Not in a child of vfork(), whose memory is its parent's.
 */
void announce_pid(void);

#endif /* RVTRACE_STORM_ANNOUNCE_H */
