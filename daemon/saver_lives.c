// SPDX-License-Identifier: GPL-2.0
/* Lives of the process that saves images: see saver_lives.h. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saver_lives.h"

#define LOOK_SECONDS	8

struct saver_lives *saver_lives_new(void)
{
	struct saver_lives *lives = mmap(NULL, sizeof(*lives), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (lives == MAP_FAILED)
		return NULL;
	lives->seconds = LOOK_SECONDS;
	return lives;
}

__attribute__((noreturn)) static void be_born(pid_t parent, int (*live)(void *user), void *user)
{
	signal(SIGALRM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(getppid() == parent ? live(user) : 1);
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
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				return 1;
		if (!WIFSIGNALED(status))
			return WEXITSTATUS(status);
		if (WTERMSIG(status) != SIGALRM || !lives->pid || lives->life + 1 == SAVER_LIVES)
			return 1;
		lives->ended[lives->life].pid = lives->pid;
		lives->ended[lives->life].uid = lives->uid;
		lives->life++;
		lives->pid = 0;
	}
}

void saver_lives_look(struct saver_lives *lives, pid_t pid, uid_t uid)
{
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
