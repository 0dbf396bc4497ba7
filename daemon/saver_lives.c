// SPDX-License-Identifier: GPL-2.0
/* Lives of the process that saves images: see saver_lives.h. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saver_internal.h"
#include "saver_lives.h"

#define LOOK_SECONDS	8
#define LOOK_PARTS	2	/* of that time, after each of which a life is watched */
#define END_SECONDS	2	/* in which a life ends that nobody asks any more */

struct saver_lives *saver_lives_new(void)
{
	struct saver_lives *lives = mmap(NULL, sizeof(*lives), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (lives == MAP_FAILED)
		return NULL;
	lives->seconds = LOOK_SECONDS;
	lives->channel = -1;
	lives->recorder = -1;
	return lives;
}

__attribute__((noreturn)) static void be_born(pid_t parent, int (*live)(void *user), void *user)
{
	signal(SIGALRM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(getppid() == parent ? live(user) : 1);
}

/* Its end, or its being at one process for so long that the signal of its timer does not end it */
static bool wait_for_end(const struct saver_lives *lives, int life)
{
	struct pollfd ends[] = {
		{ .fd = life, .events = POLLIN }, { .fd = lives->channel, .events = POLLRDHUP },
		{ .fd = lives->recorder, .events = POLLIN },
	};
	unsigned int looks = 0, parts = 0;

	while (poll(ends, 3, lives->seconds * 1000 / LOOK_PARTS) <= 0) {
		parts = lives->pid && lives->looks == looks ? parts + 1 : 0;
		if (parts == LOOK_PARTS)
			return false;
		looks = lives->looks;
	}
	return ends[0].revents || poll(ends, 1, END_SECONDS * 1000) > 0;
}

/* Nobody asks any more. */
static bool is_over(const struct saver_lives *lives)
{
	struct pollfd ends[] = {
		{ .fd = lives->channel, .events = POLLRDHUP },
		{ .fd = lives->recorder, .events = POLLIN },
	};

	return poll(ends, 2, 0) > 0;
}

/* Return: how it ended, as waitpid() has it. */
static int spend_one(const struct saver_lives *lives, pid_t pid)
{
	int life = pidfd_open(pid, 0), status = SIGKILL;

	if (life < 0 || wait_for_end(lives, life)) {
		waitpid(pid, &status, 0);
	} else {
		/* The signal of its parent's death is lost when it changes its user for files. */
		kill(pid, SIGKILL);
		status = SIGALRM;
	}
	if (life >= 0)
		close(life);
	return status;
}

int saver_lives_spend(struct saver_lives *lives, int (*live)(void *user), void *user)
{
	pid_t parent = getpid(), pid;
	int status;

	for (;;) {
		pid = fork();
		if (!pid)
			be_born(parent, live, user);
		if (pid < 0)
			return 1;
		status = spend_one(lives, pid);
		if (!WIFSIGNALED(status))
			return WEXITSTATUS(status);
		if (WTERMSIG(status) != SIGALRM || !lives->pid || lives->life + 1 == SAVER_LIVES ||
		    is_over(lives))
			return 1;
		lives->ended[lives->life].pid = lives->pid;
		lives->ended[lives->life].uid = lives->uid;
		lives->life++;
		lives->pid = 0;
	}
}

void saver_lives_look(struct saver_lives *lives, pid_t pid, uid_t uid)
{
	lives->looks++;
	lives->uid = uid;
	lives->pid = pid;
	/* Where a wait can be ended by SIGKILL it is by a signal that ends the process, too. */
	alarm(lives->seconds);
}

void saver_lives_looked(struct saver_lives *lives)
{
	alarm(0);
	lives->pid = 0;
}

/* Each process of root's has to hang for itself. */
bool saver_lives_shuns(const struct saver_lives *lives, pid_t pid, uid_t uid)
{
	unsigned int i;

	for (i = 0; i < lives->life; i++)
		if (lives->ended[i].pid == pid || (uid && lives->ended[i].uid == uid))
			return true;
	return false;
}

bool saver_lives_user(pid_t pid, uid_t *uid)
{
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "Uid: %u", uid) == 1;
	if (file)
		fclose(file);
	return found;
}

bool saver_is_crowded(const struct saver *saver, uid_t uid)
{
	return (saver->crowded && uid && uid != saver->uid) || (saver->crowded > 1 && uid);
}

bool saver_look(const struct saver *saver, pid_t pid)
{
	bool last = saver->lives->life + 1 == SAVER_LIVES;
	uid_t uid;

	/* One that is gone keeps nobody. */
	if (!saver_lives_user(pid, &uid))
		uid = 0;
	if (saver_lives_shuns(saver->lives, pid, uid) || saver_is_crowded(saver, uid) ||
	    (last && uid && uid != saver->uid))
		return false;
	saver_lives_look(saver->lives, pid, uid);
	return true;
}
