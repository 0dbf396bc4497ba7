/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The resolver, for those who have the format of its stream. */
#ifndef RVTRACE_RESOLVER_INTERNAL_H
#define RVTRACE_RESOLVER_INTERNAL_H

#include <rvtrace/resolver.h>

#include "tools/lib/packet/reader.h"

/**
 * resolver_read_writes() - find out by writes to tp who ran
 * @resolver: a new resolver
 * @recording: its recording
 * @sink: index of its sink
 * @packets: how packets of the stream are read; has next_write
 * @reader: a new reader of them; its bytes will be those of the whole stream
 * @error: filled on failure, may be NULL
 *
 * Does nothing for a stream of several harts, or without context switches in the side band.
 *
 * Return: 0 or a negative errno.
 */
int resolver_read_writes(struct rvtrace_resolver *resolver, struct rvtrace_recording *recording,
			 size_t sink, const struct packet_reader *packets, void *reader,
			 struct rvtrace_failure *error);

#endif /* RVTRACE_RESOLVER_INTERNAL_H */
