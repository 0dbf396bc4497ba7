/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address spaces of a recording: the programs that processes ran, their times, and their mappings
 * of code. All times are CLOCK_MONOTONIC in ns.
 *
 * One space is one program of one process. A fork makes a new space with the mappings of its
 * parent; an exec makes a new space without mappings. The end of the last thread ends it; another
 * process may have its process id afterwards.
 *
 * The kernel does not report munmap. Of the mappings that cover an address, the newest one that is
 * not newer than the time in question is valid.
 */
#ifndef RVTRACE_SPACES_H
#define RVTRACE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/recording.h>
#include <rvtrace/sideband.h>
#include <rvtrace/switches.h>

RVTRACE_BEGIN_DECLS

struct json_object;

/* An unknown time: selects the state at the end. */
#define RVTRACE_TIME_NEWEST	UINT64_MAX

/**
 * enum rvtrace_space_role - role of a process in the recording
 * @RVTRACE_SPACE_OTHER: it ran during the recording
 * @RVTRACE_SPACE_COMMAND: the traced command, or a descendant of it
 * @RVTRACE_SPACE_RECORDER: it made the recording
 */
enum rvtrace_space_role {
	RVTRACE_SPACE_OTHER,
	RVTRACE_SPACE_COMMAND,
	RVTRACE_SPACE_RECORDER,
};

/**
 * enum rvtrace_map_kind - kind of a mapping
 * @RVTRACE_MAP_FILE: a file
 * @RVTRACE_MAP_DELETED: a file that was deleted, or never had a name (memfd)
 * @RVTRACE_MAP_ANONYMOUS: anonymous memory, such as that of a JIT compiler
 * @RVTRACE_MAP_VDSO: code of the kernel for processes
 */
enum rvtrace_map_kind {
	RVTRACE_MAP_FILE,
	RVTRACE_MAP_DELETED,
	RVTRACE_MAP_ANONYMOUS,
	RVTRACE_MAP_VDSO,
};

/**
 * struct rvtrace_space_map - executable memory of a space
 * @start: first address
 * @end: address after the last one
 * @offset: offset of @start in the file
 * @from: first time at which it is valid
 * @path: the file, "[vdso]" for the vDSO
 * @build_id: build id of the file
 * @build_id_size: bytes of the build id, 0: unknown
 * @kind: enum rvtrace_map_kind
 * @device: device of the file, as from makedev()
 * @inode: inode of the file; 0: unknown
 */
struct rvtrace_space_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t from;
	const char *path;
	uint8_t build_id[RVTRACE_BUILD_ID_MAX];
	uint8_t build_id_size;
	uint8_t kind;
	uint64_t device;
	uint64_t inode;
};

/**
 * struct rvtrace_space - an address space
 * @index: its number, for rvtrace_spaces_get()
 * @pid: process, 0: kernel threads
 * @from: time at which it began, 0: before the first known time
 * @until: time at which it ended, UINT64_MAX: no known end
 * @role: enum rvtrace_space_role
 * @comm: last name of the process
 * @parent: index of the space it was forked from, or whose process started this program; its own
 *	index: unknown
 * @eras: its mappings; rvtrace_space_walk() enumerates them
 * @era_count: number of eras
 * @map_count: number of mappings it ever had
 * @changes: times at which its mappings changed, in order
 * @change_count: number of these times
 * @vdso: start of the vDSO, 0: unknown
 */
struct rvtrace_space {
	size_t index;
	int32_t pid;
	uint64_t from;
	uint64_t until;
	uint8_t role;
	char comm[16];
	size_t parent;
	struct rvtrace_space_era *eras;
	size_t era_count;
	size_t map_count;
	uint64_t *changes;
	size_t change_count;
	uint64_t vdso;
};

/**
 * struct rvtrace_space_walk - iterator over the mappings of a space, the newest one first
 * @space: the space
 * @all: all mappings; otherwise those that are valid at @ns
 * @ns: the time
 * @eras: number of eras that are left
 * @layer: layer of the next mapping, or NULL
 * @left: number of mappings that are left in the layer
 */
struct rvtrace_space_walk {
	const struct rvtrace_space *space;
	bool all;
	uint64_t ns;
	size_t eras;
	const struct rvtrace_space_layer *layer;
	size_t left;
};

struct rvtrace_spaces;

/**
 * rvtrace_spaces_new() - create an empty collection
 *
 * Return: the spaces; free them with rvtrace_spaces_free(). NULL without memory.
 */
struct rvtrace_spaces *rvtrace_spaces_new(void);

/**
 * rvtrace_spaces_free() - free the spaces
 * @spaces: the spaces, or NULL (no effect); resolvers that use them must be freed first
 */
void rvtrace_spaces_free(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_add_maps() - add the mappings of a process at some time
 * @spaces: the spaces
 * @process: a line of images/maps.jsonl; a reference is taken
 *
 * A second line of the same process replaces its mappings from the line's time on.
 *
 * Return: 0, -EBADMSG (not as described in docs/formats.md), -ENOMEM.
 */
int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *process);

/**
 * rvtrace_spaces_add_sideband() - add the events of the side band
 * @spaces: the spaces
 * @sideband: the events; they and their names must outlive @spaces
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_sideband(struct rvtrace_spaces *spaces,
				const struct rvtrace_sideband *sideband);

/**
 * rvtrace_spaces_cut() - report that the added side band ends before the trace does
 * @spaces: the spaces
 *
 * After its end, only the driver's records have information.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_cut(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_add_context() - add a value of scontext that names a space
 * @spaces: the spaces
 * @record: the driver's record; copied
 *
 * The value names the space of the process at the time of the record. Several values may name one
 * space; a value may name another one later.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record);

/**
 * rvtrace_spaces_add_task() - add the beginning of a process or of another program in it
 * @spaces: the spaces
 * @record: the driver's record; copied. Records of other events are ignored.
 *
 * Has no effect if the side band reports the event, too.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_task(struct rvtrace_spaces *spaces,
			    const struct rvtrace_record_task *record);

/**
 * rvtrace_spaces_resolve() - combine the added data, in order of time
 * @spaces: the spaces; to be called once, after all data was added
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_resolve(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_load() - make the resolved spaces of a recording
 * @recording: the recording
 * @out: the spaces; free them with rvtrace_spaces_free()
 * @error: filled on failure, may be NULL
 *
 * Without a side band or without maps, the spaces come from the rest of the recording.
 *
 * Return: 0, -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_failure *error);

/**
 * rvtrace_spaces_of_context() - find the space that a value of scontext names
 * @spaces: the spaces, resolved
 * @context: the value
 * @ns: time, or RVTRACE_TIME_NEWEST
 * @until: filled: the time from which the value names another space; may be NULL
 *
 * Return: the last space that the value named before @ns, else the first space that it named; NULL
 * if the value never named one.
 */
const struct rvtrace_space *rvtrace_spaces_of_context(const struct rvtrace_spaces *spaces,
						      uint32_t context, uint64_t ns,
						      uint64_t *until);

/**
 * rvtrace_spaces_name_contexts() - whether any value of scontext names a space
 * @spaces: the spaces, resolved
 */
bool rvtrace_spaces_name_contexts(const struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_of_process() - find the space of a process
 * @spaces: the spaces, resolved
 * @pid: the process
 * @ns: time, or RVTRACE_TIME_NEWEST
 *
 * Return: the newest space that began at @ns or before, or NULL.
 */
const struct rvtrace_space *rvtrace_spaces_of_process(const struct rvtrace_spaces *spaces,
						      int32_t pid, uint64_t ns);

/**
 * rvtrace_spaces_get() - enumerate the spaces
 * @spaces: the spaces, resolved
 * @index: from 0
 *
 * Return: the space; NULL after the last one.
 */
const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index);

/**
 * rvtrace_space_map_at() - find the mapping at an address
 * @space: the space
 * @address: the address
 * @ns: time, or RVTRACE_TIME_NEWEST
 *
 * Return: the mapping, or NULL.
 */
const struct rvtrace_space_map *rvtrace_space_map_at(const struct rvtrace_space *space,
						     uint64_t address, uint64_t ns);

/**
 * rvtrace_space_walk() - begin to enumerate all mappings that a space ever had
 * @walk: filled
 * @space: the space, resolved
 */
void rvtrace_space_walk(struct rvtrace_space_walk *walk, const struct rvtrace_space *space);

/**
 * rvtrace_space_walk_at() - begin to enumerate the mappings of a space at a time
 * @walk: filled
 * @space: the space, resolved
 * @ns: time; RVTRACE_TIME_NEWEST: at the end
 */
void rvtrace_space_walk_at(struct rvtrace_space_walk *walk, const struct rvtrace_space *space,
			   uint64_t ns);

/**
 * rvtrace_space_walk_next() - get the next mapping
 * @walk: the iterator
 *
 * Where mappings overlap, earlier mappings of the walk cover this one.
 *
 * Return: the mapping, owned by the spaces; NULL at the end.
 */
const struct rvtrace_space_map *rvtrace_space_walk_next(struct rvtrace_space_walk *walk);

/**
 * rvtrace_spaces_switches() - get the tasks of each CPU over time
 * @spaces: the spaces
 *
 * Return: the switches, owned by @spaces.
 */
const struct rvtrace_switches *rvtrace_spaces_switches(const struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_sideband() - get the events of the side band
 * @spaces: the spaces, from rvtrace_spaces_load()
 *
 * Return: the side band, without events if there is none; owned by @spaces.
 */
const struct rvtrace_sideband *rvtrace_spaces_sideband(const struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_sideband_lost() - get the number of events that the kernel dropped
 * @spaces: the spaces
 *
 * Mappings may be missing if the result is not 0.
 */
uint64_t rvtrace_spaces_sideband_lost(const struct rvtrace_spaces *spaces);

RVTRACE_END_DECLS

#endif /* RVTRACE_SPACES_H */
