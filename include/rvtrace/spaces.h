/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address spaces of a recording: which value of scontext is which process,
 * running which program, with what code mapped where.
 *
 * One space is one program of one process: a fork makes a new one with the
 * mappings of its parent, an exec makes a new one without any.
 */
#ifndef RVTRACE_SPACES_H
#define RVTRACE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/recording.h>
#include <rvtrace/sideband.h>

struct json_object;

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
 * struct rvtrace_space_map - executable memory of a space
 * @start: first address
 * @end: address after the last
 * @offset: offset of @start in the file
 * @path: the file, "[vdso]" for the vDSO
 * @build_id: build id of the file
 * @build_id_size: its bytes, 0: not known
 */
struct rvtrace_space_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
	uint8_t build_id[RVTRACE_BUILD_ID_MAX];
	uint8_t build_id_size;
};

/**
 * struct rvtrace_space - an address space
 * @context: value of scontext while it runs
 * @has_context: @context is known: it ran in the recording
 * @pid: process, 0: kernel threads
 * @role: enum rvtrace_space_role
 * @comm: name of the process, of its last naming
 * @maps: in order of time: a later one covers what it overlaps
 * @map_count: how many
 */
struct rvtrace_space {
	uint32_t context;
	bool has_context;
	int32_t pid;
	uint8_t role;
	char comm[16];
	struct rvtrace_space_map *maps;
	size_t map_count;
};

struct rvtrace_spaces;

/**
 * rvtrace_spaces_new() - no address space yet
 *
 * Return: the spaces, rvtrace_spaces_free() them; NULL without memory.
 */
struct rvtrace_spaces *rvtrace_spaces_new(void);
void rvtrace_spaces_free(struct rvtrace_spaces *spaces);

/**
 * rvtrace_spaces_add_maps() - add what was mapped when the recording started
 * @spaces: the spaces
 * @maps: content of images/maps.json; a reference is taken
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG (not what docs/formats.md says), -ENOMEM.
 */
int rvtrace_spaces_add_maps(struct rvtrace_spaces *spaces, struct json_object *maps,
			    struct rvtrace_recording_error *error);

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
 * rvtrace_spaces_add_context() - add the name of a value of scontext
 * @spaces: the spaces
 * @record: the driver's record; copied
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_spaces_add_context(struct rvtrace_spaces *spaces,
			       const struct rvtrace_record_address_space *record);

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
 * A recording without a side band or without maps.json has what the rest
 * tells.
 *
 * Return: 0, -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_recording_error *error);

/**
 * rvtrace_spaces_find() - the space a value of scontext names
 * @spaces: the spaces, resolved
 * @context: the value
 *
 * Return: the space, or NULL.
 */
const struct rvtrace_space *rvtrace_spaces_find(const struct rvtrace_spaces *spaces,
						uint32_t context);

/**
 * rvtrace_spaces_get() - one after the other
 * @spaces: the spaces, resolved
 * @index: from 0
 *
 * Return: the space; NULL when there is no more.
 */
const struct rvtrace_space *rvtrace_spaces_get(const struct rvtrace_spaces *spaces, size_t index);

/**
 * rvtrace_spaces_sideband_lost() - events the kernel dropped
 * @spaces: the spaces
 *
 * Mappings may be missing if this is not 0.
 */
uint64_t rvtrace_spaces_sideband_lost(const struct rvtrace_spaces *spaces);

#endif /* RVTRACE_SPACES_H */
