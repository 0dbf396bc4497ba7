/* SPDX-License-Identifier: GPL-2.0 */
/* N-Trace messages that synchronize */
#ifndef SYNCS_H
#define SYNCS_H

#include <stddef.h>
#include <stdint.h>

/* SYNC of N-Trace */
#define SYNC_EXTERNAL	0
#define SYNC_ENABLED	5
#define SYNC_EVENT	6

/* How many of a trace do for the reason @sync; source ids are as wide as encoder0's. */
unsigned int count_syncs_in(const uint8_t *trace, size_t size, unsigned int sync);

/* The same of the last session, whose trace nobody has read. */
unsigned int count_syncs(unsigned int sync);

#endif
