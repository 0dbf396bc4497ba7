/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The images of a recording: code that could execute during the recording.
 *
 * Code that is at one place in every address space and at all times is in the image from the start.
 * The resolver maps files of processes, and code that the kernel loaded or generated during the
 * recording, for the places and times at which they were mapped.
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
 * struct rvtrace_program_range - a range of addresses
 * @start: first address
 * @end: address after the last one
 */
struct rvtrace_program_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct rvtrace_program_file - code of a program
 * @code: the code; NULL: not requested yet, or it cannot be read
 * @kind: "kernel", "module", "vdso", "firmware" or "file"
 * @name: path, or name of the module
 * @path: file that has its bytes
 * @build_id: build id of a file, lower case hexadecimal; "" if unknown
 * @device: device of a file, as from makedev()
 * @inode: inode of a file; 0: unknown
 * @address: its address, except for a file and a vDSO
 * @size: bytes
 * @from: first time at which it is present, 0: always; if @saved, the time of saving
 * @until: first time at which it is no longer present, UINT64_MAX: for ever
 * @replaced: other text of the kernel was in its place later
 * @alone: no other code ever was in its place, if @alone_known
 * @alone_known: @alone was determined
 * @saved: a piece of memory or of a deleted file
 * @pid: its process, if @saved
 * @start: first address, if @saved
 * @origin: the mapping it was taken from, if @saved; NULL: unknown
 * @doubts: addresses from @start on that may have had other code when they executed, if @saved
 * @doubt_count: number of these ranges
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
 * struct rvtrace_program - all code that could execute in a recording
 * @image: for the flow layer
 * @files: the code
 * @file_count: number of files
 * @changed: kernel text that had other contents at the end of the recording, in order
 * @changed_count: number of these ranges
 * @kernel_changes: times at which the kernel's text changed, in order
 * @kernel_change_count: number of these times
 * @trap_vector: vectors of traps to privilege 0 to 3, as in struct rvtrace_flow_config; 0: unknown
 * @task_switch: address at which the kernel has switched to another task, as in struct
 *	rvtrace_flow_config; 0: unknown
 * @kernel: as in struct rvtrace_flow_config
 * @signal_return: offset in the vDSO of the code that signal handlers return to; 0: unknown
 * @directories: directories to search for files that are not in the recording
 * @directory_count: number of these directories
 * @lookups: files already searched for
 * @spaces: address spaces it was loaded with, or NULL
 * @here: the recording is from this machine and its current boot
 * @not_looked_for: number of files that the machine may have, and that the recording lacks
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
 * rvtrace_program_new() - create a program without code
 *
 * Return: the program; free it with rvtrace_program_free(). NULL without memory.
 */
struct rvtrace_program *rvtrace_program_new(void);

/**
 * rvtrace_program_free() - free a program, its image and its files
 * @program: the program, or NULL (no effect); its resolvers must be freed first
 */
void rvtrace_program_free(struct rvtrace_program *program);

/**
 * rvtrace_program_search() - add a directory to search for files
 * @program: the program
 * @directory: searched for the recorded path of files below it, and for their name in it; "/": for
 *	their recorded path
 *
 * Files that are not in the recording are searched for there. If the recording is from this machine
 * and its current boot, their recorded path is searched afterwards. A file with a different build
 * id than the recorded one is not used. Only regular files within @directory are opened.
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_search(struct rvtrace_program *program, const char *directory);

/**
 * rvtrace_program_load() - load the images of a recording
 * @program: the program
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
 * @program: the program
 * @path: an ELF file, or raw bytes
 * @address: address of its first byte; for an ELF file, added to its link addresses
 * @has_address: @address is given; required for raw bytes
 * @privs: RVTRACE_PRIV_ mask
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EINVAL (raw without address), -EBADMSG (an ELF file that is damaged or not for
 * RISC-V), -ENOMEM or another negative errno.
 */
int rvtrace_program_add_image(struct rvtrace_program *program, const char *path, uint64_t address,
			      bool has_address, unsigned int privs,
			      struct rvtrace_failure *error);

/**
 * rvtrace_program_begins_at() - whether an address is the entry point of a mapped file
 * @program: the program
 * @space: one of the spaces that it was loaded with
 * @ns: time, or RVTRACE_TIME_NEWEST
 * @address: the address
 *
 * The first instruction of a process after execve() is at the entry point of its interpreter, or of
 * the program itself.
 *
 * Return: true if an ELF file is mapped there, and the address is its entry point.
 */
bool rvtrace_program_begins_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			       uint64_t ns, uint64_t address);

/**
 * rvtrace_program_map_at() - map the files that a process had around an address at a time
 * @program: the program
 * @space: one of the spaces that it was loaded with
 * @ns: time, or RVTRACE_TIME_NEWEST
 * @id: address space of the image for the mapping, see rvtrace_image_on_demand()
 * @address: the address
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_map_at(struct rvtrace_program *program, const struct rvtrace_space *space,
			   uint64_t ns, uint64_t id, uint64_t address);

/**
 * rvtrace_program_map_kernel_at() - map code that the kernel loaded or generated at an address
 * @program: the program
 * @ns: time; RVTRACE_TIME_NEWEST: at the end of the recording, and code that was removed before if
 *	no other code ever was in its place
 * @id: address space of the image for the mapping, see rvtrace_image_on_demand()
 * @address: the address
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_program_map_kernel_at(struct rvtrace_program *program, uint64_t ns, uint64_t id,
				  uint64_t address);

/**
 * rvtrace_program_file_of() - find the file that code belongs to
 * @program: the program
 * @bytes: the code in the memory of this process, as in the blocks of the flow layer
 *
 * Return: the file, or NULL.
 */
const struct rvtrace_program_file *
rvtrace_program_file_of(const struct rvtrace_program *program, const uint8_t *bytes);

/**
 * rvtrace_program_file_at() - find the file of a mapping
 * @program: the program, which may search for the file now
 * @map: a mapping of one of the spaces it was loaded with
 *
 * Return: the file with its code, or NULL: there is none, it was not found, or memory ran out.
 */
const struct rvtrace_program_file *
rvtrace_program_file_at(struct rvtrace_program *program, const struct rvtrace_space_map *map);

/**
 * rvtrace_program_changed() - whether kernel text changed during the recording
 * @program: the program
 * @address: first address
 * @size: bytes, at least 1
 *
 * Return: the first range that changed in @address to @address + @size - 1, or NULL.
 */
const struct rvtrace_program_range *
rvtrace_program_changed(const struct rvtrace_program *program, uint64_t address, uint64_t size);

/**
 * rvtrace_program_rejected() - list files that were found and not used
 * @program: the program
 * @index: from 0
 *
 * Return: one line of text: the file, its build id, and the recorded build id; NULL after the last
 * one.
 */
const char *rvtrace_program_rejected(const struct rvtrace_program *program, size_t index);

RVTRACE_END_DECLS

#endif /* RVTRACE_PROGRAM_H */
