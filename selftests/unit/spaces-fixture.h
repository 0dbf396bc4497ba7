/* SPDX-License-Identifier: GPL-2.0 */
/* Address spaces made of the side band a test builds. */
#ifndef SPACES_FIXTURE_H
#define SPACES_FIXTURE_H

#include <rvtrace/spaces.h>

#include "selftests/unit/sideband-builder.h"

struct fixture {
	struct builder b;
	struct rvtrace_sideband sideband;
	bool cut;		/* it ends before the trace does */
	struct rvtrace_spaces *spaces;
};

/* Of the test that runs. */
extern struct fixture *f;

int spaces_setup(void **state);
int spaces_teardown(void **state);

/* What was built belongs to the address spaces from here on, and they are found. */
void resolve(void);

#endif /* SPACES_FIXTURE_H */
