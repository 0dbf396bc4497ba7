/* SPDX-License-Identifier: GPL-2.0 */
/* Switches made of the side band a test builds. */
#ifndef SWITCHES_FIXTURE_H
#define SWITCHES_FIXTURE_H

#include <rvtrace/switches.h>

#include "selftests/unit/sideband-builder.h"

/* Of the test that runs. */
extern struct builder b;
extern struct rvtrace_switches *switches;

int switches_setup(void **state);
int switches_teardown(void **state);

/* What was built becomes switches. */
void build(void);

#endif /* SWITCHES_FIXTURE_H */
