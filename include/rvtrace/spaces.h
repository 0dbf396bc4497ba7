/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address spaces of a recording: which process ran which program when, with
 * what code mapped where. All times are CLOCK_MONOTONIC in ns.
 *
 * One space is one program of one process: a fork makes a new one with the
 * mappings of its parent, an exec makes a new one without any. The end of the
 * last thread ends it; the process id may be another one's then.
 *
 * The kernel does not tell of munmap. Of the mappings that cover an address,
 * the newest one that is not newer than the time in question holds.
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

/* A time that is not known: what holds at the end. */
#define RVTRACE_TIME_NEWEST	UINT64_MAX

/**
 * enum rvtrace_space_role - why a process is of interest
 * @RVTRACE_SPACE_OTHER: it ran meanwhile
 * @RVTRACE_SPACE_COMMAND: the traced command, or a descendant of it
 * @RVTRACE_SPACE_RECORDER: it made the recording
 */
enum rvtrace_space_role {
	RVTRACE_SPACE_OTHER,
	RVTRACE_SPACE_COMMAND,
	RVTRACE_SPACE_RECORDER,
};

/**
 * enum rvtrace_map_kind - what is mapped
 * @RVTRACE_MAP_FILE: a file
 * @RVTRACE_MAP_DELETED: a file that was deleted, or never had a name (memfd)
 * @RVTRACE_MAP_ANONYMOUS: memory, as of a JIT compiler
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
 * @end: address after the last
 * @offset: offset of @start in the file
 * @from: time from which it holds
 * @path: the file, "[vdso]" for the vDSO
 * @build_id: build id of the file
 * @build_id_size: its bytes, 0: not known
 * @kind: enum rvtrace_map_kind
 * @device: of the file, as makedev() has it
 * @inode: of the file; 0: not known
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
 * @from: time at which it began, 0: before anything is known
 * @until: time at which it ended, UINT64_MAX: not known to have
 * @role: enum rvtrace_space_role
 * @comm: name of the process, of its last naming
 * @parent: index of the space it was forked from, or whose process started
 *	this program; its own index: not known
 * @eras: its mappings, which rvtrace_space_walk() goes through
 * @era_count: how many
 * @map_count: how many mappings it ever had
 * @changes: times at which what is mapped changed, in order
 * @change_count: how many
 * @vdso: start of the vDSO, 0: not known
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
 * struct rvtrace_space_walk - a way through the mappings of a space, the newest one first
 * @space: the space
 * @all: else those that hold at @ns
 * @ns: when
 * @eras: those that are left
 * @layer: where the next one is, or NULL
 * @left: mappings there that are left
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
 * rvtrace_spaces_new() - no address space yet
 *
 * Return: the spaces, rvtrace_spaces_free() them; NULL without memory.
 */
struct rvtrace_spaces *rvtrace_spaces_new(void);

/**
 * rvtrace_spaces_free() - free the spaces; resolvers that use them come first
 * @spaces: the spaces; NULL: nothing is done
 */
void rvtrace_spaces_free(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_add_maps() - add what a process mapped at some time
 * @spaces: the spaces
 * @process: a line of images/maps.jsonl; a reference is taken
 *
 * A second one of the same process replaces what was known from its time on.
 *
 * Return: 0, -EBADMSG (not what docs/formats.md says), -ENOMEM.
 */
int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *process);

/**
 * rvtrace_spaces_add_sideband() - add what happened during the recording
 * @spaces: the spaces
 * @sideband: the events; they and their names must outlive @spaces
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_sideband(struct rvtrace_spaces *spaces,
				const struct rvtrace_sideband *sideband);

/**
 * rvtrace_spaces_cut() - the side band that was added ends before the trace does
 * @spaces: the spaces
 *
 * What happened behind its end, only the driver's records tell.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_cut(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_add_context() - add the name of a value of scontext
 * @spaces: the spaces
 * @record: the driver's record; copied
 *
 * It names the space that the process has at the time of the record. Several
 * values may name one space; a value may name another one later.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record);

/**
 * rvtrace_spaces_add_task() - add that a process began, or began another program
 * @spaces: the spaces
 * @record: the driver's record; copied. Of other events nothing is added.
 *
 * Where the side band tells of it, too, this adds nothing.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_task(struct rvtrace_spaces *spaces,
			    const struct rvtrace_record_task *record);

/**
 * rvtrace_spaces_resolve() - put together what was added, in order of time
 * @spaces: the spaces; to be called once, after which nothing is added
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_resolve(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_load() - the spaces of a recording, resolved
 * @recording: the recording
 * @out: the spaces; rvtrace_spaces_free() them
 * @error: filled on failure, may be NULL
 *
 * A recording without a side band or without maps has what the rest tells.
 *
 * Return: 0, -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_failure *error);

/**
 * rvtrace_spaces_of_context() - the space a value of scontext names
 * @spaces: the spaces, resolved
 * @context: the value
 * @ns: when, or RVTRACE_TIME_NEWEST
 * @until: filled: the time from which it names another one; may be NULL
 *
 * Return: the space: the one named last before @ns, else the first one named; NULL if the value
 * was never named.
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
 * rvtrace_spaces_of_process() - the space of a process
 * @spaces: the spaces, resolved
 * @pid: the process
 * @ns: when, or RVTRACE_TIME_NEWEST
 *
 * Return: the newest one that began by then, or NULL.
 */
const struct rvtrace_space *rvtrace_spaces_of_process(const struct rvtrace_spaces *spaces,
						      int32_t pid, uint64_t ns);

/**
 * rvtrace_spaces_get() - one after the other
 * @spaces: the spaces, resolved
 * @index: from 0
 *
 * Return: the space; NULL when there is no more.
 */
const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index);

/**
 * rvtrace_space_map_at() - what lies at an address
 * @space: the space
 * @address: the address
 * @ns: when, or RVTRACE_TIME_NEWEST
 *
 * Return: the mapping, or NULL.
 */
const struct rvtrace_space_map *rvtrace_space_map_at(const struct rvtrace_space *space,
						     uint64_t address, uint64_t ns);

/**
 * rvtrace_space_walk() - begin to go through all mappings a space ever had
 * @walk: filled
 * @space: the space, resolved
 */
void rvtrace_space_walk(struct rvtrace_space_walk *walk, const struct rvtrace_space *space);

/**
 * rvtrace_space_walk_at() - begin to go through the mappings a space has at a time
 * @walk: filled
 * @space: the space, resolved
 * @ns: when; RVTRACE_TIME_NEWEST: at the end
 */
void rvtrace_space_walk_at(struct rvtrace_space_walk *walk, const struct rvtrace_space *space,
			   uint64_t ns);

/**
 * rvtrace_space_walk_next() - the next mapping
 * @walk: the way
 *
 * Those before it in the walk cover what they overlap of it.
 *
 * Return: the mapping, which belongs to the spaces; NULL at the end.
 */
const struct rvtrace_space_map *rvtrace_space_walk_next(struct rvtrace_space_walk *walk);

/**
 * rvtrace_spaces_switches() - who ran when on which CPU
 * @spaces: the spaces
 *
 * Return: the switches; they belong to @spaces.
 */
const struct rvtrace_switches *rvtrace_spaces_switches(const struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_sideband() - the events themselves
 * @spaces: the spaces, of rvtrace_spaces_load()
 *
 * Return: the side band, without events if there is none; it belongs to @spaces.
 */
const struct rvtrace_sideband *rvtrace_spaces_sideband(const struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_sideband_lost() - events the kernel dropped
 * @spaces: the spaces
 *
 * Mappings may be missing if this is not 0.
 */
uint64_t rvtrace_spaces_sideband_lost(const struct rvtrace_spaces *spaces);

RVTRACE_END_DECLS

#endif /* RVTRACE_SPACES_H */
