/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A companion: a recording without a stream, beside a session that somebody
 * else started and reads. It holds what decoding those bytes takes: metadata, side
 * band, program images and clock pairs.
 */
#ifndef RVTRACED_COMPANION_H
#define RVTRACED_COMPANION_H

#include "daemon.h"

/**
 * companion_check - begin or end the companion of a sink, as its session did
 * @daemon: the daemon
 * @sink: name of the sink
 * @late: a session that runs now began before this daemon
 */
void companion_check(struct daemon *daemon, const char *sink, bool late);

/**
 * companions_stop - end all companions; the loop runs on until they are complete
 * @daemon: the daemon
 */
void companions_stop(struct daemon *daemon);

/**
 * companions_free - forget all companions, complete or not
 * @daemon: the daemon
 */
void companions_free(struct daemon *daemon);

#endif /* RVTRACED_COMPANION_H */
