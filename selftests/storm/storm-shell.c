// SPDX-License-Identifier: GPL-2.0
/* Jobs: what a build is made of, shells and small programs. */
#include <stdlib.h>
#include <unistd.h>

#include "storm.h"

/* Commands that print "good", and how many processes they are. */
static const struct {
	const char *command;
	unsigned int processes;
} lines[] = {
	{ "test $(find \"$1/tree\" -type f | sort | sed s/tree/wood/ | grep -c wood) = 12", 5 },
	{ "test $(tar -C \"$1\" -cf - tree | gzip -1 | gzip -dc | tar -tf - | wc -l) = 16", 6 },
	{ "test $(cat \"$1\"/tree/*/* | awk '{ s += $1 } END { print s }') = 78", 3 },
	{ "test $(\"$1/script\" 3 | tail -n 1) = 3", 6 },
	{ "test \"$(echo a b c | { read -r x y; echo \"$y\" | cut -c1; })\" = b", 5 },
};

static bool run_shell(const struct storm *storm, uint32_t random)
{
	unsigned int line = random % (sizeof(lines) / sizeof(lines[0])), i;
	pid_t pid = storm_fork(storm);

	if (!pid) {
		execl("/bin/sh", "sh", "-c", lines[line].command, "sh", storm->directory, NULL);
		_exit(127);
	}
	for (i = 1; i < lines[line].processes; i++)
		storm->totals->processes++;
	return storm_wait(pid, 0);
}

const struct storm_job storm_shell_jobs[] = {
	{ "shell", run_shell, true },
	{ }
};
