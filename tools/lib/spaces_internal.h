/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address spaces inside.
 *
 *	spaces.c	the spaces, and what is asked of them
 *	spaces_build.c	what happened, in order of time
 *	spaces_load.c	the files of a recording
 */
#ifndef RVTRACE_SPACES_INTERNAL_H
#define RVTRACE_SPACES_INTERNAL_H

#include <rvtrace/spaces.h>

#define PID_BUCKETS	1024

/**
 * struct node - a space under construction
 * @space: the space
 * @map_room: maps there is room for
 * @threads: how many live, 0: not known
 * @origin: it is known how it began; if not, it began before anything was known
 * @snapshot: it was read what is mapped
 * @doubtful_until: if the process started another program before this time, that is the one whose
 *	maps were read
 * @doubtful: first map of those
 * @older: in its bucket
 */
struct node {
	struct rvtrace_space space;
	size_t map_room;
	unsigned int threads;
	bool origin;
	bool snapshot;
	uint64_t doubtful_until;
	size_t doubtful;
	struct node *older;
};

/* From @time on @context names a space. */
struct context {
	uint32_t context;
	uint64_t time;
	size_t order;
	struct node *node;
};

/* Something that happened at a time. */
struct happening {
	uint64_t time;
	size_t order;
	struct json_object *snapshot;			/* either a line of maps.jsonl, */
	const struct rvtrace_sideband_event *event;	/* or an event, */
	struct rvtrace_record_address_space context;	/* or a record */
};

struct rvtrace_spaces {
	struct node *buckets[PID_BUCKETS];	/* newest space of a process first */
	struct node **nodes;
	size_t count, room;
	struct context *contexts;		/* by value, then time */
	size_t context_count, context_room;
	struct happening *happenings;
	size_t happening_count, happening_room;
	struct rvtrace_switches *switches;
	uint64_t lost;
	/* of rvtrace_spaces_load() */
	struct rvtrace_sideband sideband;
	void *sideband_bytes;
};

/* The node of a process that began last, or NULL. */
struct node *spaces_newest(const struct rvtrace_spaces *spaces, int32_t pid);

#endif /* RVTRACE_SPACES_INTERNAL_H */
