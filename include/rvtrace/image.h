/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Program images: the code at an address, in an address space and a privilege mode.
 *
 * Code is a run of bytes. An image maps pieces of it at virtual addresses. The same code can be
 * mapped in many address spaces; its bytes are in memory once. An address space is named by the
 * value of scontext. Several decoders can use an image at once while no thread changes it.
 */
#ifndef RVTRACE_IMAGE_H
#define RVTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

/* Privilege masks: bit N is privilege N of the specifications. */
#define RVTRACE_PRIV_U		(1u << 0)
#define RVTRACE_PRIV_S		(1u << 1)
#define RVTRACE_PRIV_M		(1u << 3)
#define RVTRACE_PRIV_ANY	(RVTRACE_PRIV_U | RVTRACE_PRIV_S | RVTRACE_PRIV_M)

/* Every address space, for mappings that are the same everywhere. */
#define RVTRACE_SPACE_ANY	UINT64_MAX

struct rvtrace_code;
struct rvtrace_image;

/**
 * rvtrace_code_from_memory() - make code from bytes, which are copied
 * @data: the bytes
 * @size: number of bytes, at least 2
 * @name: for messages; may be NULL
 * @code: the code, with one reference
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_code_from_memory(const void *data, size_t size, const char *name,
			     struct rvtrace_code **code);

/**
 * rvtrace_code_from_file() - make code from a whole file, which is mapped privately
 * @path: the file; also the name of the code
 * @code: the code, with one reference
 *
 * For mappings of a process as the kernel describes them: file, offset, address.
 *
 * Return: 0, RVTRACE_ERR_IO (see errno; ENODATA: too short for an instruction, EINVAL: not a
 * regular file), RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_code_from_file(const char *path, struct rvtrace_code **code);

/**
 * rvtrace_code_from_fd() - make code from an open regular file
 * @fd: the file, which stays open
 * @name: for messages; may be NULL
 * @code: the code, with one reference
 *
 * Return: as rvtrace_code_from_file().
 */
int rvtrace_code_from_fd(int fd, const char *name, struct rvtrace_code **code);

/**
 * rvtrace_code_unref() - drop a reference
 * @code: the code, may be NULL; images that map it keep it
 */
void rvtrace_code_unref(const struct rvtrace_code *code);

/**
 * rvtrace_code_ref() - take another reference
 * @code: the code
 *
 * Return: @code.
 */
const struct rvtrace_code *rvtrace_code_ref(const struct rvtrace_code *code);

/**
 * rvtrace_code_bytes() - get the bytes of code
 * @code: the code
 * @size: filled with the number of bytes, may be NULL
 *
 * Return: the bytes, valid as long as the code.
 */
const uint8_t *rvtrace_code_bytes(const struct rvtrace_code *code, size_t *size);

/**
 * rvtrace_code_name() - get the name that code was made with
 * @code: the code
 *
 * Return: the name, "" without one.
 */
const char *rvtrace_code_name(const struct rvtrace_code *code);

/**
 * rvtrace_image_new() - create an image without code
 *
 * Return: the image, NULL without memory.
 */
struct rvtrace_image *rvtrace_image_new(void);

/**
 * rvtrace_image_free() - free an image and its references to code
 * @image: the image, or NULL (no effect); decoders that use it must be freed first
 */
void rvtrace_image_free(struct rvtrace_image *image);

/**
 * struct rvtrace_mapping - a mapping of code
 * @code: the code
 * @offset: first byte of the piece in @code, even
 * @size: bytes; cut at the end of @code
 * @address: virtual address of the first byte, even
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: privilege modes in which the code may execute, RVTRACE_PRIV_ mask
 */
struct rvtrace_mapping {
	const struct rvtrace_code *code;
	uint64_t offset;
	uint64_t size;
	uint64_t address;
	uint64_t space;
	unsigned int privs;
};

/**
 * rvtrace_image_map() - map code
 * @image: the image, which takes its own reference to the code
 * @mapping: the mapping
 *
 * Where mappings overlap, a later one covers an earlier one of the same space; a mapping of one
 * space covers those of RVTRACE_SPACE_ANY. Decoders that use the image see the change from their
 * next call on.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_map(struct rvtrace_image *image, const struct rvtrace_mapping *mapping);

/**
 * rvtrace_image_unmap() - remove mappings of a range in one space
 * @image: the image
 * @space: address space, or RVTRACE_SPACE_ANY for the mappings of every space
 * @address: first address
 * @size: bytes
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_unmap(struct rvtrace_image *image, uint64_t space, uint64_t address,
			uint64_t size);

/**
 * rvtrace_image_drop() - remove all mappings of one space
 * @image: the image
 * @space: address space, or RVTRACE_SPACE_ANY for the mappings of every space
 */
void rvtrace_image_drop(struct rvtrace_image *image, uint64_t space);

/**
 * rvtrace_image_add_file() - map a raw file
 * @image: the image
 * @path: the file
 * @address: virtual address of its first byte
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: RVTRACE_PRIV_ mask
 *
 * Return: 0, RVTRACE_ERR_IO (see errno), RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_add_file(struct rvtrace_image *image, const char *path, uint64_t address,
			   uint64_t space, unsigned int privs);

/**
 * rvtrace_image_add_elf() - map the executable segments of an ELF file
 * @image: the image
 * @path: the file
 * @bias: added to the addresses in the file; 0: the file is at its link address
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: RVTRACE_PRIV_ mask
 *
 * Return: the number of segments mapped; RVTRACE_ERR_IO (see errno), RVTRACE_ERR_NOT_ELF,
 * RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_add_elf(struct rvtrace_image *image, const char *path, uint64_t bias,
			  uint64_t space, unsigned int privs);

/**
 * rvtrace_image_set_entry() - set the entry point of the program
 * @image: the image
 * @address: its first instruction; rvtrace_image_add_elf() sets it from the first file added
 */
void rvtrace_image_set_entry(struct rvtrace_image *image, uint64_t address);

/**
 * rvtrace_image_entry() - get the entry point of the program
 * @image: the image
 * @address: filled
 *
 * Return: true if it is known.
 */
bool rvtrace_image_entry(const struct rvtrace_image *image, uint64_t *address);

/**
 * typedef rvtrace_image_fill - map code on demand
 * @data: the argument of rvtrace_image_on_demand()
 * @space: the address space
 * @priv: one privilege mode, as a mask
 * @address: address that was neither mapped nor unmapped yet
 *
 * The function maps or unmaps only addresses around @address whose contents it knows.
 */
typedef void rvtrace_image_fill(void *data, uint64_t space, unsigned int priv, uint64_t address);

/**
 * rvtrace_image_on_demand() - fill an address space when addresses are looked up
 * @image: the image
 * @space: the address space, which has no mappings
 * @fill: maps code at an address
 * @data: passed to @fill
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_on_demand(struct rvtrace_image *image, uint64_t space, rvtrace_image_fill *fill,
			    void *data);

/**
 * rvtrace_image_generation() - get the number of changes of the image
 * @image: the image
 *
 * Return: a number that grows with every change; windows found at another number are invalid.
 */
uint64_t rvtrace_image_generation(const struct rvtrace_image *image);

/**
 * struct rvtrace_window - a run of addresses backed by code
 * @code: the code
 * @bytes: pointer to the byte at @start
 * @start: first address
 * @last: last address
 */
struct rvtrace_window {
	const struct rvtrace_code *code;
	const uint8_t *bytes;
	uint64_t start;
	uint64_t last;
};

/**
 * rvtrace_image_find() - find the code at an address
 * @image: the image
 * @space: address space; RVTRACE_SPACE_ANY if it is unknown: only mappings of every space are
 *	found
 * @privs: privilege mode as a mask; several bits if it is unknown
 * @address: the address
 * @window: filled with the run around @address; valid until the image changes
 *
 * Return: 1 found, 0 no code there.
 */
int rvtrace_image_find(const struct rvtrace_image *image, uint64_t space, unsigned int privs,
		       uint64_t address, struct rvtrace_window *window);

RVTRACE_END_DECLS

#endif /* RVTRACE_IMAGE_H */
