/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoding of a recording: its images put where they lay, its streams fed to
 * the flow layer with everything the recording knows about them.
 */
#ifndef RVTRACE_REPLAY_H
#define RVTRACE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>
#include <rvtrace/image.h>
#include <rvtrace/recording.h>
#include <rvtrace/spaces.h>

/**
 * struct rvtrace_program_file - code of a program
 * @code: the code
 * @kind: "kernel", "module", "vdso", "firmware" or "file"
 * @name: path, or name of the module
 * @path: where its bytes are
 * @build_id: of a file, lower case hexadecimal; "" when not known
 * @address: where it lies, unless it is a file or a vDSO
 * @used: some address space maps it
 */
struct rvtrace_program_file {
	struct rvtrace_code *code;
	char *kind;
	char *name;
	char *path;
	char *build_id;
	uint64_t address;
	bool used;
};

/**
 * struct rvtrace_program_missing - a file that was mapped and is not there
 * @name: path
 * @build_id: lower case hexadecimal, "" when not known
 * @spaces: address spaces that map it
 */
struct rvtrace_program_missing {
	char *name;
	char *build_id;
	size_t spaces;
};

/**
 * struct rvtrace_program - everything that could execute in a recording
 * @image: for the flow layer
 * @files: the code
 * @file_count: how many
 * @missing: files without image; code of theirs is reported as such
 * @missing_count: how many
 */
struct rvtrace_program {
	struct rvtrace_image *image;
	struct rvtrace_program_file *files;
	size_t file_count;
	struct rvtrace_program_missing *missing;
	size_t missing_count;
};

/**
 * rvtrace_program_new() - a program without any code
 *
 * Return: the program, rvtrace_program_free() it; NULL without memory.
 */
struct rvtrace_program *rvtrace_program_new(void);
void rvtrace_program_free(struct rvtrace_program *program);

/**
 * rvtrace_program_load() - the images of a recording
 * @program: gets them
 * @recording: the recording
 * @directory: its path
 * @spaces: its address spaces
 * @error: filled on failure, may be NULL
 *
 * Files are found by build id, else by path if no build id contradicts.
 *
 * Return: 0, -EBADMSG (images/index.json), -ENOMEM or another negative errno.
 */
int rvtrace_program_load(struct rvtrace_program *program, struct rvtrace_recording *recording,
			 const char *directory, const struct rvtrace_spaces *spaces,
			 struct rvtrace_recording_error *error);

/**
 * rvtrace_program_add_image() - add a file that the user names
 * @program: gets it
 * @path: an ELF file, or raw bytes
 * @address: of its first byte; of an ELF file: added to the addresses it was
 *	linked to
 * @has_address: @address was given; it must be for raw bytes
 * @privs: RVTRACE_PRIV_ mask
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EINVAL (raw without address), -EBADMSG (an ELF file that is
 * damaged or not for RISC-V), -ENOMEM or another negative errno.
 */
int rvtrace_program_add_image(struct rvtrace_program *program, const char *path, uint64_t address,
			      bool has_address, unsigned int privs,
			      struct rvtrace_recording_error *error);

/**
 * rvtrace_program_file_of() - the file some code belongs to
 * @program: the program
 * @code: as rvtrace_image_find() gave it
 *
 * Return: the file, or NULL.
 */
const struct rvtrace_program_file *
rvtrace_program_file_of(const struct rvtrace_program *program, const struct rvtrace_code *code);

/**
 * struct rvtrace_replay_handler - who takes the items
 * @items: items in stream order, valid during the call; a negative result
 *	ends the replay, which returns it
 * @chunk: told of every chunk of the stream before its items; may be NULL
 * @end: told after the last item, for the statistics of the decoder; may be NULL
 * @data: for all of them
 */
struct rvtrace_replay_handler {
	int (*items)(void *data, const struct rvtrace_flow_item *items, size_t count);
	int (*chunk)(void *data, const struct rvtrace_chunk *chunk);
	void (*end)(void *data, const struct rvtrace_flow *flow);
	void *data;
};

/**
 * rvtrace_replay_config() - parameters of a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @config: filled from the attributes of its encoders
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EPROTONOSUPPORT (a format that cannot be decoded), -EBADMSG
 * (encoders of one stream that contradict each other).
 */
int rvtrace_replay_config(const struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_flow_config *config,
			  struct rvtrace_recording_error *error);

/**
 * rvtrace_replay() - decode a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @image: its images
 * @handler: takes the items
 * @error: filled on failure, may be NULL
 *
 * Bytes that were lost, or may have been overwritten, become items of type
 * RVTRACE_FLOW_LOST.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_replay(struct rvtrace_recording *recording, size_t sink,
		   const struct rvtrace_image *image, const struct rvtrace_replay_handler *handler,
		   struct rvtrace_recording_error *error);

/**
 * rvtrace_replay_file() - decode a file that holds nothing but a stream
 * @fd: the file, read to its end
 * @name: what error texts call it
 * @config: parameters of the stream
 * @image: its images
 * @handler: takes the items; each piece read is a chunk of RVTRACE_CHUNK_DATA
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_replay_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			const struct rvtrace_image *image,
			const struct rvtrace_replay_handler *handler,
			struct rvtrace_recording_error *error);

#endif /* RVTRACE_REPLAY_H */
