/* SPDX-License-Identifier: GPL-2.0 */
/* What a process that reads what others wrote may still ask of the kernel. */
#ifndef RVTRACED_CONFINE_H
#define RVTRACED_CONFINE_H

enum confine {
	CONFINE_RECORDER,	/* writes a recording for its owner */
	CONFINE_GATE,		/* talks to a client, or closes what clients sent */
	CONFINE_SAVER,		/* saves program images: with rights of its own, some as an owner */
};

/**
 * confine - give up all system calls but those that the process needs
 * @as: what it is from here on
 *
 * The others fail with ENOSYS: no program is executed, no process created or stopped, nothing
 * mounted or loaded, nothing sent to other machines.
 *
 * Return: 0 or a negative errno.
 */
int confine(enum confine as);

#endif /* RVTRACED_CONFINE_H */
