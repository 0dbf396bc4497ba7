// SPDX-License-Identifier: GPL-2.0
/* rvtrace-mark begin|end: execute a marker instruction on every CPU. */
#include <stdio.h>
#include <string.h>

#include "tools/tracectl/record/mark.h"

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2 || (strcmp(argv[1], "begin") && strcmp(argv[1], "end"))) {
		fprintf(stderr, "Usage: rvtrace-mark begin|end\n");
		return 2;
	}
	ret = mark_cpus(!strcmp(argv[1], "begin"));
	if (ret < 0) {
		fprintf(stderr, "rvtrace-mark: %s\n", strerror(-ret));
		return 1;
	}
	return 0;
}
