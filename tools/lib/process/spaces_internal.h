/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address spaces inside.
 *
 *	spaces.c	the spaces, and what is asked of them
 *	spaces_add.c	what happened, in any order
 *	spaces_build.c	the same, in order of time
 *	spaces_maps.c	what each has mapped
 *	spaces_load.c	the files of a recording
 */
#ifndef RVTRACE_SPACES_INTERNAL_H
#define RVTRACE_SPACES_INTERNAL_H

#include <rvtrace/spaces.h>

/**
 * struct rvtrace_space_layer - maps in the order in which they came
 * @base: what was there before, or NULL
 * @seen: of the maps of @base, the first ones
 * @before: maps that are seen of @base and of what is below it
 * @maps: the maps
 * @count: how many
 * @room: how many there is room for
 * @next: of all layers
 *
 * A fork takes neither time nor memory for what the parent has: the child sees as much of the
 * parent's layer as is there by then, and puts one of its own above it.
 */
struct rvtrace_space_layer {
	struct rvtrace_space_layer *base;
	size_t seen;
	size_t before;
	struct rvtrace_space_map *maps;
	size_t count, room;
	struct rvtrace_space_layer *next;
};

/**
 * struct rvtrace_space_era - what a space has mapped up to a time
 * @layer: the maps, or NULL
 * @count: of those, and what is below them, the first ones
 * @until: time at which they were no more, 0: they never were; UINT64_MAX: they are only known to
 *	be covered by later ones
 * @vdso: start of the vDSO among them, 0: not known
 */
struct rvtrace_space_era {
	struct rvtrace_space_layer *layer;
	size_t count;
	uint64_t until;
	uint64_t vdso;
};

enum untold {
	UNTOLD_NOTHING,
	UNTOLD_FORK,
	UNTOLD_EXEC,
};

/**
 * struct node - a space under construction
 * @space: the space
 * @threads: how many live, 0: not known
 * @origin: it is known how it began; if not, it began before anything was known
 * @snapshot: it was read what is mapped
 * @untold: how it began, as the side band says and no record of the driver yet
 * @context: the value of scontext that named it last
 * @named: there is one
 * @doubtful_until: if the process started another program before this time, that is the one whose
 *	maps were read
 * @child: the newest process that was forked from it
 * @sibling: the one that was forked before this one
 * @pending: the next one in a list of work
 */
struct node {
	struct rvtrace_space space;
	unsigned int threads;
	bool origin;
	bool snapshot;
	enum untold untold;
	uint32_t context;
	bool named;
	uint64_t doubtful_until;
	struct node *child, *sibling, *pending;
};

/* The spaces of a process, in order of time. */
struct process {
	int32_t pid;
	struct node **nodes;
	size_t count, room;
};

/* From @time on @context names a space. */
struct context {
	uint32_t context;
	uint64_t time;
	size_t order;
	struct node *node;
};

/* As the driver tells it: a process began, or began another program. */
struct beginning {
	bool exec;
	int32_t pid;
	int32_t parent;		/* the task that created it */
	char comm[16];
};

/* Something that happened at a time. */
struct happening {
	uint64_t time;
	size_t order;
	struct json_object *snapshot;			/* either a line of maps.jsonl, */
	const struct rvtrace_sideband_event *event;	/* or an event, or a record */
	bool is_beginning;
	union {
		struct rvtrace_record_address_space context;
		struct beginning beginning;
	};
};

struct rvtrace_spaces {
	void *processes;			/* tree of struct process */
	struct rvtrace_space_layer *layers;	/* all of them */
	struct node **nodes;
	size_t count, room;
	struct context *contexts;		/* by value, then time */
	size_t context_count, context_room;
	struct happening *happenings;
	size_t happening_count, happening_room;
	struct rvtrace_switches *switches;
	uint64_t lost;
	uint64_t told_until;			/* up to when the side band is whole */
	bool tasks;				/* the driver tells what processes begin */
	/* of rvtrace_spaces_load() */
	struct rvtrace_sideband sideband;
	void *sideband_bytes;
};

/*
 * Calls @take for each mapping, once for all spaces that share it, until it returns an error.
 * Return: 0 or that.
 */
int spaces_each_map(const struct rvtrace_spaces *spaces,
		    int (*take)(void *data, const struct rvtrace_space_map *map), void *data);

int spaces_by_pid(const void *a, const void *b);

/* The node of a process that began last, or NULL. */
struct node *spaces_newest(const struct rvtrace_spaces *spaces, int32_t pid);

/* Room for one more; NULL without memory. */
void *spaces_grow(void *list, size_t size, size_t count, size_t *room);

/* A member of a snapshot, or NULL. */
const char *spaces_text_member(struct json_object *object, const char *name);

/* The path of a map, and what kind of map has it. */
const char *spaces_path_of(const char *text);
uint8_t spaces_kind_of(const char *path);

/* Return, of these and what is below: 0 or a negative errno. */
int spaces_add_map(struct rvtrace_spaces *s, struct node *n, const struct rvtrace_space_map *map);

/* At @time a process maps what the array @maps says. */
int spaces_take_maps(struct rvtrace_spaces *s, struct node *n, struct json_object *maps,
		     uint64_t time);

/* A process has what its parent has. */
int spaces_inherit(struct rvtrace_space *child, const struct rvtrace_space *parent);

/* All is known: counts the maps of a space and lists the times at which they change. */
int spaces_finish_maps(struct rvtrace_space *space);

#endif /* RVTRACE_SPACES_INTERNAL_H */
