/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolver of the flow layer for one sink: finds the code that a hart executes at any time of a
 * recording. If the trace has scontext, the context names the address space; otherwise the context
 * switches of the side band do. Mappings depend on time. The resolver maps each state of a space in
 * the program's image when it is needed, and removes it when it was not needed for long.
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
 * rvtrace_resolver_new() - create the resolver of a sink
 * @recording: the recording
 * @sink: index of the sink
 * @program: its images, loaded; changed by the resolver
 * @spaces: its address spaces
 * @out: the resolver; free it with rvtrace_resolver_free() before @program and @spaces
 * @error: filled on failure, may be NULL
 *
 * Does not read the stream itself. rvtrace_replay_resolver() also reads the stream if its format
 * can distinguish processes only by writes to tp.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_resolver_new(struct rvtrace_recording *recording, size_t sink,
			 struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
			 struct rvtrace_resolver **out, struct rvtrace_failure *error);

/**
 * rvtrace_resolver_free() - free a resolver, and its mappings in the image of its program
 * @resolver: the resolver, or NULL (no effect)
 */
void rvtrace_resolver_free(struct rvtrace_resolver *resolver);

/**
 * rvtrace_resolver_clock() - get the clock of its sink
 * @resolver: the resolver
 *
 * Return: the clock, settled, valid as long as the resolver.
 */
const struct rvtrace_clock *rvtrace_resolver_clock(const struct rvtrace_resolver *resolver);

/**
 * rvtrace_resolver_attach() - make it the resolver of a decoder that will be created
 * @resolver: the resolver; one decoder at a time may use it
 * @config: changed: the resolver, a time near the timestamps, and the trap vectors of the program
 *
 * Return: 0; -EINVAL: wrong size of @config.
 */
int rvtrace_resolver_attach(struct rvtrace_resolver *resolver,
			    struct rvtrace_flow_config *config);

/**
 * rvtrace_resolver_ns() - get the time of an item
 * @resolver: the resolver
 * @item: an item of its decoder
 *
 * Return: CLOCK_MONOTONIC in ns; RVTRACE_TIME_NEWEST if it is unknown.
 */
uint64_t rvtrace_resolver_ns(const struct rvtrace_resolver *resolver,
			     const struct rvtrace_flow_item *item);

/**
 * rvtrace_resolver_space() - get the address space of an item
 * @resolver: the resolver
 * @item: an item of its decoder
 *
 * Return: the space, or NULL.
 */
const struct rvtrace_space *rvtrace_resolver_space(const struct rvtrace_resolver *resolver,
						   const struct rvtrace_flow_item *item);

/**
 * rvtrace_resolver_map() - find the mapping of user memory at an address
 * @resolver: the resolver
 * @item: an item of its decoder
 * @address: the address
 *
 * Return: the mapping of the item's process at the address, at the item's time, or NULL.
 */
const struct rvtrace_space_map *rvtrace_resolver_map(const struct rvtrace_resolver *resolver,
						     const struct rvtrace_flow_item *item,
						     uint64_t address);

RVTRACE_END_DECLS

#endif /* RVTRACE_RESOLVER_H */
