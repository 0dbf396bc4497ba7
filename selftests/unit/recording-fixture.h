/* SPDX-License-Identifier: GPL-2.0 */
/* A folder for a recording, which is removed after the test. */
#ifndef RECORDING_FIXTURE_H
#define RECORDING_FIXTURE_H

#include "recording_helpers.h"

struct fixture {
	char folder[64];
	char path[96];
	struct rvtrace_failure error;
};

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/test-recording-XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/r", f->folder);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	remove_tree(f->folder);
	free(f);
	return 0;
}

#endif /* RECORDING_FIXTURE_H */
