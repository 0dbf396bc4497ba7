/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose code a hart executes, at any time of a recording: the resolver of the
 * flow layer for one sink. With scontext in the trace the context names the
 * address space, without it the context switches of the side band do. What is
 * mapped depends on time; each state of a space is mapped in the program's
 * image once it is needed, and taken away when it was not for long.
 */
#ifndef RVTRACE_RESOLVER_H
#define RVTRACE_RESOLVER_H

#include <stdint.h>

#include <rvtrace/clock.h>
#include <rvtrace/decls.h>
#include <rvtrace/flow_config.h>
#include <rvtrace/flow_item.h>
#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/spaces.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_resolver;

/**
 * rvtrace_resolver_new() - the resolver of a sink
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images, loaded; changed by the resolver
 * @spaces: its address spaces
 * @out: the resolver; rvtrace_resolver_free() it before @program and @spaces
 * @error: filled on failure, may be NULL
 *
 * Knows nothing of the stream itself. rvtrace_replay_resolver() also reads that of a format whose
 * writes to tp are all that tells processes apart.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_resolver_new(struct rvtrace_recording *recording, size_t sink,
			 struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
			 struct rvtrace_resolver **out, struct rvtrace_failure *error);

/**
 * rvtrace_resolver_free() - free a resolver, and what it has put into the image of its program
 * @resolver: the resolver; NULL: nothing is done
 */
void rvtrace_resolver_free(struct rvtrace_resolver *resolver);

/**
 * rvtrace_resolver_clock() - the clock of its sink
 * @resolver: the resolver
 *
 * Return: the clock, settled, as long as the resolver is there.
 */
const struct rvtrace_clock *rvtrace_resolver_clock(const struct rvtrace_resolver *resolver);

/**
 * rvtrace_resolver_attach() - make it the resolver of a decoder to be made
 * @resolver: the resolver; one decoder at a time may use it
 * @config: gets it, a time that the timestamps are near to, and the trap vectors of the program
 *
 * Return: 0; -EINVAL: of the size of @config.
 */
int rvtrace_resolver_attach(struct rvtrace_resolver *resolver,
			    struct rvtrace_flow_config *config);

/**
 * rvtrace_resolver_ns() - the time of an item
 * @resolver: the resolver
 * @item: an item of its decoder
 *
 * Return: CLOCK_MONOTONIC in ns; RVTRACE_TIME_NEWEST if that is not known.
 */
uint64_t rvtrace_resolver_ns(const struct rvtrace_resolver *resolver,
			     const struct rvtrace_flow_item *item);

/**
 * rvtrace_resolver_space() - the address space of an item
 * @resolver: the resolver
 * @item: an item of its decoder
 *
 * Return: the space, or NULL.
 */
const struct rvtrace_space *rvtrace_resolver_space(const struct rvtrace_resolver *resolver,
						   const struct rvtrace_flow_item *item);

/**
 * rvtrace_resolver_map() - what user memory lies at an address
 * @resolver: the resolver
 * @item: an item of its decoder
 * @address: the address
 *
 * Return: the mapping that the item's process has there at the item's time, or NULL.
 */
const struct rvtrace_space_map *rvtrace_resolver_map(const struct rvtrace_resolver *resolver,
						     const struct rvtrace_flow_item *item,
						     uint64_t address);

RVTRACE_END_DECLS

#endif /* RVTRACE_RESOLVER_H */
