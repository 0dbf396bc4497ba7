/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lives of the process that saves images. What it looks at may keep it for ever: a process whose
 * memory map is locked, a file on a file system that does not answer. It is ended then, and
 * another one goes on without that process, and those of its user. Some waits end with the file
 * system only: a life that cannot be ended is not waited for.
 */
#ifndef RVTRACED_SAVER_LIVES_H
#define RVTRACED_SAVER_LIVES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SAVER_LIVES	4

/**
 * struct saver_lives - what the next one has to know; all share this memory
 * @seconds: how long one process may be looked at
 * @channel: whose other end asks; when that is gone, no life goes on. -1: nobody asks
 * @recorder: a pidfd of the process that asks; the same holds of its end. -1: not known
 * @life: 0: the first one; the last one looks at processes of root, of the owner and of the
 *	command only
 * @pid: what is looked at now, 0: nothing that may take for ever
 * @uid: real user of @pid
 * @looks: how often a process was looked at
 * @ended: what former lives were looking at, @life members
 * @others_ns: how long processes of other users have taken
 * @begin: the first request
 * @request: the one that is being answered; "": none, or too long to be asked again
 */
struct saver_lives {
	unsigned int seconds;
	int channel;
	int recorder;
	unsigned int life;
	pid_t pid;
	uid_t uid;
	unsigned int looks;
	struct {
		pid_t pid;
		uid_t uid;
	} ended[SAVER_LIVES];
	uint64_t others_ns;
	char begin[512];
	char request[8192];
};

/**
 * saver_lives_new - memory that lives share
 *
 * Return: the memory, or NULL.
 */
struct saver_lives *saver_lives_new(void);

/**
 * saver_lives_spend - run a life after the other, until one ends by itself
 * @lives: what they share
 * @live: what each does, in a process of its own; its exit status is returned
 * @user: for @live
 *
 * Return: exit status of the last.
 */
int saver_lives_spend(struct saver_lives *lives, int (*live)(void *user), void *user);

/**
 * saver_lives_look - from now on this life may hang, and ends if it does
 * @lives: what they share
 * @pid: the process that is looked at
 * @uid: its real user
 */
void saver_lives_look(struct saver_lives *lives, pid_t pid, uid_t uid);

/**
 * saver_lives_looked - it did not hang
 * @lives: what they share
 */
void saver_lives_looked(struct saver_lives *lives);

/**
 * saver_lives_shuns - whether a process is not looked at any more
 * @lives: what they share
 * @pid: the process
 * @uid: its real user
 */
bool saver_lives_shuns(const struct saver_lives *lives, pid_t pid, uid_t uid);

/* The real user, to whom what a process executes does not add rights; false: it is gone. */
bool saver_lives_user(pid_t pid, uid_t *uid);

#endif /* RVTRACED_SAVER_LIVES_H */
