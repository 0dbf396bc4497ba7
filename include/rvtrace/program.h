/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The images of a recording: code that could execute while it was made.
 *
 * What lies at one place in every address space and at all times is in the
 * image from the start. Files of processes are mapped by the resolver, where
 * and when they were; so is what the kernel loaded or generated meanwhile.
 */
#ifndef RVTRACE_PROGRAM_H
#define RVTRACE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/flow_config.h>
#include <rvtrace/image.h>
#include <rvtrace/recording.h>
#include <rvtrace/spaces.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_program_range - addresses
 * @start: the first
 * @end: the one after the last
 */
struct rvtrace_program_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct rvtrace_program_file - code of a program
 * @code: the code; NULL: nobody asked for it yet, or it cannot be read
 * @kind: "kernel", "module", "vdso", "firmware" or "file"
 * @name: path, or name of the module
 * @path: where its bytes are
 * @build_id: of a file, lower case hexadecimal; "" when not known
 * @device: of a file, as makedev() has it
 * @inode: of a file; 0: not known
 * @address: where it lies, unless it is a file or a vDSO
 * @size: bytes
 * @from: time from which it is there, 0: always; of a @saved one, when that was
 * @until: time from which it is not, UINT64_MAX: for ever
 * @replaced: other text of the kernel was in its place later
 * @alone: nothing else ever was in its place, if @alone_known
 * @alone_known: it was asked for
 * @saved: a piece of memory or of a deleted file
 * @pid: whose, if @saved
 * @start: first address, if @saved
 * @origin: the mapping it was taken from, if @saved; NULL: none that is known
 * @doubts: addresses from @start on that may have had other code when it ran, if @saved
 * @doubt_count: how many
 */
struct rvtrace_program_file {
	struct rvtrace_code *code;
	char *kind;
	char *name;
	char *path;
	char *build_id;
	uint64_t device;
	uint64_t inode;
	uint64_t address;
	uint64_t size;
	uint64_t from;
	uint64_t until;
	bool replaced;
	bool alone;
	bool alone_known;
	bool saved;
	int32_t pid;
	uint64_t start;
	const struct rvtrace_space_map *origin;
	struct rvtrace_program_range *doubts;
	size_t doubt_count;
};

struct rvtrace_program_lookups;

/**
 * struct rvtrace_program - everything that could execute in a recording
 * @image: for the flow layer
 * @files: the code
 * @file_count: how many
 * @changed: kernel text that was another at the end of the recording, in order
 * @changed_count: how many
 * @kernel_changes: times at which the kernel's text became another, in order
 * @kernel_change_count: how many
 * @trap_vector: that traps to privilege 0 to 3 go through, as struct rvtrace_flow_config has it;
 *	0: not known
 * @task_switch: where the kernel has changed to another task, as struct rvtrace_flow_config has it;
 *	0: not known
 * @kernel: as struct rvtrace_flow_config has it
 * @signal_return: offset in the vDSO of what handlers of signals return to; 0: not known
 * @directories: where to look for files that the recording does not hold
 * @directory_count: how many
 * @lookups: files already looked for
 * @spaces: address spaces it was loaded with, or NULL
 * @here: this machine was recorded, since it was booted
 * @not_looked_for: files that it may have, and did not record
 */
struct rvtrace_program {
	struct rvtrace_image *image;
	struct rvtrace_program_file **files;
	size_t file_count;
	struct rvtrace_program_range *changed;
	size_t changed_count;
	uint64_t *kernel_changes;
	size_t kernel_change_count;
	uint64_t trap_vector[4];
	uint64_t task_switch;
	struct rvtrace_flow_kernel kernel;
	uint64_t signal_return;
	char **directories;
	size_t directory_count;
	struct rvtrace_program_lookups *lookups;
	const struct rvtrace_spaces *spaces;
	bool here;
	uint64_t not_looked_for;
};

/**
 * rvtrace_program_new() - a program without any code
 *
 * Return: the program, rvtrace_program_free() it; NULL without memory.
 */
struct rvtrace_program *rvtrace_program_new(void);

/**
 * rvtrace_program_free() - free a program, its image and its files; resolvers come first
 * @program: the program; NULL: nothing is done
 */
void rvtrace_program_free(struct rvtrace_program *program);

/**
 * rvtrace_program_search() - look for files in one more directory
 * @program: the program
 * @directory: files are looked for at their recorded path below it, and by their name in it; "/":
 *	at their recorded path
 *
 * Files that the recording does not hold are looked for there, then, if this machine made the
 * recording since it was booted, at their recorded path. One that has not the recorded build id is
 * not used. Nothing that is no regular file is opened, and nothing outside of @directory.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_search(struct rvtrace_program *program, const char *directory);

/**
 * rvtrace_program_load() - the images of a recording
 * @program: gets them
 * @recording: the recording
 * @directory: its path
 * @spaces: its address spaces
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_program_load(struct rvtrace_program *program, struct rvtrace_recording *recording,
			 const char *directory, const struct rvtrace_spaces *spaces,
			 struct rvtrace_failure *error);

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
			      struct rvtrace_failure *error);

/**
 * rvtrace_program_begins_at() - whether a file that is mapped begins at an address
 * @program: the program
 * @space: one of those that it was loaded with
 * @ns: when, or RVTRACE_TIME_NEWEST
 * @address: the address
 *
 * The first instruction of a process after execve() is at the entry point of its interpreter, or of
 * the program itself.
 *
 * Return: whether it is the entry point of an ELF file there.
 */
bool rvtrace_program_begins_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			       uint64_t ns, uint64_t address);

/**
 * rvtrace_program_map_at() - map what a process has mapped around an address at a time
 * @program: the program
 * @space: one of those that it was loaded with
 * @ns: when, or RVTRACE_TIME_NEWEST
 * @id: address space of the image to map it in, see rvtrace_image_on_demand()
 * @address: the address
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_map_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			   uint64_t ns, uint64_t id, uint64_t address);

/**
 * rvtrace_program_map_kernel_at() - map what the kernel loaded or generated meanwhile at an address
 * @program: the program
 * @ns: when; RVTRACE_TIME_NEWEST: at the end, with what went before if nothing else ever was in its
 *	place
 * @id: address space of the image to map it in, see rvtrace_image_on_demand()
 * @address: the address
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_map_kernel_at(struct rvtrace_program *program, uint64_t ns, uint64_t id,
				  uint64_t address);

/**
 * rvtrace_program_file_of() - the file some code belongs to
 * @program: the program
 * @bytes: where the code is in this process, as in the blocks of the flow layer
 *
 * Return: the file, or NULL.
 */
const struct rvtrace_program_file *
rvtrace_program_file_of(const struct rvtrace_program *program, const uint8_t *bytes);

/**
 * rvtrace_program_file_at() - the file that lies at a mapping
 * @program: the program, which may look for the file now
 * @map: a mapping of one of the spaces it was loaded with
 *
 * Return: the file with its code, or NULL: there is none, it was not found, or there is no memory.
 */
const struct rvtrace_program_file *
rvtrace_program_file_at(struct rvtrace_program *program, const struct rvtrace_space_map *map);

/**
 * rvtrace_program_changed() - whether kernel text changed during the recording
 * @program: the program
 * @address: first address
 * @size: bytes, at least 1
 *
 * Return: the first range in @address to @address + @size - 1 that did, or NULL.
 */
const struct rvtrace_program_range *
rvtrace_program_changed(const struct rvtrace_program *program, uint64_t address, uint64_t size);

/**
 * rvtrace_program_rejected() - files that were found and not used
 * @program: the program
 * @index: from 0
 *
 * Return: one line of text: which file, and which build id it has instead of which; NULL when
 * there is no more.
 */
const char *rvtrace_program_rejected(const struct rvtrace_program *program, size_t index);

RVTRACE_END_DECLS

#endif /* RVTRACE_PROGRAM_H */
